package fuzz

import (
	"math"
	"math/bits"

	"tilec/runtime/array"
)

// converted is a value of one type as one of another.
func converted(v number, from, to array.DType) number {
	switch {
	case to == array.Bool && from.IsFloat():
		return truth(v.f != 0)
	case to == array.Bool:
		return truth(v.i != 0)
	case to.IsFloat() && from.IsFloat():
		return number{f: array.RoundFloat(to, v.f)}
	case to == array.F32 && from == array.U64:
		return number{f: float64(float32(uint64(v.i)))}
	case to == array.F32:
		return number{f: float64(float32(v.i))}
	case to.IsFloat() && from == array.U64:
		return number{f: array.RoundFloat(to, float64(uint64(v.i)))}
	case to.IsFloat():
		return number{f: array.RoundFloat(to, float64(v.i))}
	case from.IsFloat():
		return number{i: truncated(v.f, to)}
	}
	return number{i: array.WrapInt(to, v.i)}
}

// truncated rounds toward 0 and saturates; nan gives 0.
func truncated(f float64, to array.DType) int64 {
	lo, hi := intLimits(to)
	f = math.Trunc(f)
	switch {
	case f != f:
		return 0
	case f <= lo && to.IsSigned():
		return -1 << (to.Bits() - 1)
	case f <= lo:
		return 0
	case f >= hi:
		return int64(^uint64(0) >> (64 - to.Bits()) >> map[bool]int{true: 1, false: 0}[to.IsSigned()])
	case to == array.U64:
		return int64(uint64(f))
	}
	return int64(f)
}

func bitsOf(to, from array.DType, v number) number {
	var pattern uint64
	if from.IsFloat() {
		pattern = array.EncodeFloat(from, v.f)
	} else {
		pattern = array.EncodeInt(from, v.i)
	}
	if to.IsFloat() {
		return number{f: array.DecodeFloat(to, pattern)}
	}
	return number{i: array.DecodeInt(to, pattern)}
}

func compared(op string, t array.DType, x, y number) bool {
	var less, same bool
	switch {
	case t.IsFloat():
		less, same = x.f < y.f, x.f == y.f
		if x.f != x.f || y.f != y.f {
			return op == "!="
		}
	case t == array.U64:
		less, same = uint64(x.i) < uint64(y.i), x.i == y.i
	default:
		less, same = x.i < y.i, x.i == y.i
	}
	switch op {
	case "<":
		return less
	case "<=":
		return less || same
	case ">":
		return !less && !same
	case ">=":
		return !less
	case "==":
		return same
	}
	return !same
}

// extreme is the greater or smaller of two; the other one if one is nan.
func extreme(op string, t array.DType, x, y number) number {
	switch {
	case t.IsFloat() && x.f != x.f:
		return y
	case t.IsFloat() && y.f != y.f:
		return x
	case t.IsFloat() && x.f == y.f: // -0 is less than +0
		if math.Signbit(x.f) == (op == "min") {
			return x
		}
		return y
	}
	if compared("<", t, x, y) == (op == "min") {
		return x
	}
	return y
}

// arithmetic is an operator on two values of one type.
func arithmetic(op string, t array.DType, x, y number) number {
	if t.IsFloat() {
		return number{f: array.RoundFloat(t, floatArithmetic(op, t, x.f, y.f))}
	}
	return converted(number{i: intArithmetic(op, t, x.i, y.i)}, t, t)
}

func floatArithmetic(op string, t array.DType, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	}
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

func intArithmetic(op string, t array.DType, x, y int64) int64 {
	unsigned := t == array.U64
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "&":
		return x & y
	case "|":
		return x | y
	case "^":
		return x ^ y
	case "<<":
		if y < 0 || y >= int64(t.Bits()) {
			return 0
		}
		return x << y
	case ">>":
		switch {
		case y >= 0 && y < int64(t.Bits()) && unsigned:
			return int64(uint64(x) >> y)
		case y >= 0 && y < int64(t.Bits()):
			return x >> y
		case t.IsSigned() && x < 0:
			return -1
		}
		return 0
	}
	switch {
	case y == 0:
		return 0
	case op == "/" && unsigned:
		return int64(uint64(x) / uint64(y))
	case op == "/":
		return floorDiv(x, y)
	case unsigned:
		return int64(uint64(x) % uint64(y))
	}
	return x - floorDiv(x, y)*y
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// fused is x*y + z, rounded once.
func fused(t array.DType, x, y, z float64) float64 {
	if t == array.F64 {
		return math.FMA(x, y, z)
	}
	p := x * y // exact
	s := p + z
	b := s - p
	if rest := (p - (s - b)) + (z - b); rest != 0 && !math.IsNaN(rest) && !math.IsInf(s, 0) { // round to odd
		u := math.Float64bits(s)
		switch {
		case u&1 == 1:
		case (rest > 0) == (s > 0):
			u++
		default:
			u--
		}
		s = math.Float64frombits(u)
	}
	return array.RoundFloat(t, s)
}

// random is word 0 of Philox 4x32-10 as a number in [0, 1).
func random(seed, offset int64) float64 {
	c := [4]uint32{uint32(offset), uint32(uint64(offset) >> 32), 0, 0}
	k0, k1 := uint32(seed), uint32(uint64(seed)>>32)
	for range 10 {
		h0, l0 := bits.Mul32(0xD2511F53, c[0])
		h1, l1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{h1 ^ c[1] ^ k0, l1, h0 ^ c[3] ^ k1, l0}
		k0, k1 = k0+0x9E3779B9, k1+0xBB67AE85
	}
	return float64(c[0]>>8) * 0x1p-24
}
