package fp

import "math"

// AddOdd returns a+b rounded to odd: exact, or the one of the two neighbouring
// doubles whose last bit is set. Rounding that to f32 or less rounds a+b once.
func AddOdd(a, b float64) float64 {
	s := a + b
	if s-s != 0 { // infinite or NaN
		return s
	}
	bb := s - a
	err := (a - (s - bb)) + (b - bb)
	return toOdd(s, err)
}

// toOdd moves s, a value rounded to nearest, to the odd neighbour in the direction of the exact error.
func toOdd(s, err float64) float64 {
	bits := math.Float64bits(s)
	if err == 0 || err != err || bits&1 == 1 {
		return s
	}
	if s == 0 {
		return math.Copysign(math.SmallestNonzeroFloat64, err)
	}
	if (err > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// DivOdd returns a/b rounded to odd, for a and b that hold f32 values.
func DivOdd(a, b float64) float64 {
	q := a / b
	if q-q != 0 || q == 0 || b-b != 0 {
		return q
	}
	r := math.FMA(-q, b, a)
	if b < 0 {
		r = -r
	}
	return toOdd(q, r)
}

// SqrtOdd returns the square root rounded to odd, for x that holds an f32 value.
func SqrtOdd(x float64) float64 {
	s := math.Sqrt(x)
	if s-s != 0 || s == 0 {
		return s
	}
	return toOdd(s, math.FMA(-s, s, x))
}

// FMA32 returns a·b+c rounded once to nearest.
func FMA32(a, b, c float32) float32 {
	p := float64(a) * float64(b) // exact: 48 bits
	s := p + float64(c)
	// Rounding twice differs from once only if the double is a tie of the f32
	// format: its low 29 bits are then 1000…, or the result is subnormal.
	if bits := math.Float64bits(s); bits&(1<<29-1) != 1<<28 && bits&(0x7ff<<52) > (1023-127)<<52 {
		return float32(s)
	}
	return float32(AddOdd(p, float64(c)))
}

// F32Round rounds x, which is exact or rounded to odd, to an f32 value.
func F32Round(x float64, mode Mode) float32 {
	if mode == RN {
		return float32(x)
	}
	if x != x {
		return float32(x)
	}
	return math.Float32frombits(f32Format.FromFloat64(x, mode, false))
}

// ZeroSign gives the sign that a sum of a and b, exactly zero, has in the mode.
func ZeroSign(sum, a, b float64, mode Mode) float64 {
	if sum == 0 && mode == RM && !(a == 0 && b == 0 && !math.Signbit(a) && !math.Signbit(b)) {
		return math.Copysign(0, -1)
	}
	return sum
}
