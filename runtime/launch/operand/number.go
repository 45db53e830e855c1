package operand

import "math"

// integer is a type of the language's integers.
type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// FloorDiv divides and rounds toward negative infinity; by zero it gives 0.
func FloorDiv[T integer](x, y T) T {
	if y == 0 {
		return 0
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// FloorMod is the remainder of FloorDiv, of the divisor's sign; by zero it gives 0.
func FloorMod[T integer](x, y T) T {
	if y == 0 {
		return 0
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// Shl shifts left; by a negative count, or the width and more, it gives 0.
func Shl[T integer](x, y T) T {
	if y < 0 {
		return 0
	}
	return x << uint64(y)
}

// Shr shifts right, filling with the sign; by a negative count it does as by the width.
func Shr[T integer](x, y T) T {
	if y < 0 && x < 0 {
		return ^T(0)
	}
	if y < 0 {
		return 0
	}
	return x >> uint64(y)
}

// FloorModFloat is x - floor(x/y)*y.
func FloorModFloat(x, y float64) float64 { return x - math.Floor(x/y)*y }
