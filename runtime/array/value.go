package array

import "math"

// DecodeFloat returns the value of a stored pattern of any element type: exact, but for 64-bit integers, which
// round to nearest even. A bool is 0 or 1. Bits above the type's width are ignored.
func DecodeFloat(t DType, bits uint64) float64 {
	switch t {
	case F64:
		return math.Float64frombits(bits)
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	case F16:
		return float64(F16ToF32(uint16(bits)))
	case BF16:
		return float64(BF16ToF32(uint16(bits)))
	case F8E4M3:
		return float64(F8E4M3ToF32(uint8(bits)))
	case F8E5M2:
		return float64(F8E5M2ToF32(uint8(bits)))
	case F8E8M0:
		return float64(F8E8M0ToF32(uint8(bits)))
	case F4E2M1:
		return float64(F4E2M1ToF32(uint8(bits)))
	case U64:
		return float64(bits)
	}
	return float64(DecodeInt(t, bits))
}

// EncodeFloat returns the pattern of x in type t. Float types round once, to nearest even, by the rules of the
// F64To… functions. Integer types truncate toward zero and clamp to their range, a NaN gives 0. A bool is x != 0.
func EncodeFloat(t DType, x float64) uint64 {
	switch t {
	case F64:
		return math.Float64bits(x)
	case F32:
		return uint64(math.Float32bits(float32(x)))
	case F16:
		return f16Format.encode(x)
	case BF16:
		return bf16Format.encode(x)
	case F8E4M3:
		return e4m3Format.encode(x)
	case F8E5M2:
		return e5m2Format.encode(x)
	case F8E8M0:
		return uint64(F64ToF8E8M0(x))
	case F4E2M1:
		return e2m1Format.encode(x)
	case Bool:
		if x != 0 {
			return 1
		}
		return 0
	}
	return truncate(t, x)
}

// truncate converts to an integer type as EncodeFloat says.
func truncate(t DType, x float64) uint64 {
	n := t.Bits()
	if n == 0 || x != x {
		return 0
	}
	mask := uint64(1)<<n - 1 // n = 64 gives all ones
	if t.IsUnsigned() {
		switch limit := math.Ldexp(1, n); {
		case x <= 0:
			return 0
		case x >= limit:
			return mask
		}
		return uint64(x)
	}
	switch limit := math.Ldexp(1, n-1); {
	case x < -limit:
		return uint64(1) << (n - 1)
	case x >= limit:
		return mask >> 1
	}
	return uint64(int64(x)) & mask
}

// DecodeInt returns the integer that a stored pattern holds: sign-extended for signed types, zero-extended
// for unsigned ones (u64 wraps into int64), 0 or 1 for bool. A float pattern is truncated toward zero and clamped.
func DecodeInt(t DType, bits uint64) int64 {
	n := t.Bits()
	switch {
	case n == 0:
		return 0
	case t == Bool:
		if bits&0xff != 0 {
			return 1
		}
		return 0
	case t.IsFloat():
		return int64(truncate(I64, DecodeFloat(t, bits)))
	case t.IsSigned():
		return int64(bits<<(64-n)) >> (64 - n)
	}
	return int64(bits << (64 - n) >> (64 - n))
}

// EncodeInt returns the pattern of v in type t: integers wrap, floats round once to nearest even, a bool is v != 0.
func EncodeInt(t DType, v int64) uint64 {
	switch {
	case t == F64:
		return math.Float64bits(float64(v))
	case t == F32:
		return uint64(math.Float32bits(float32(v)))
	case t.IsFloat():
		return EncodeFloat(t, oddFloat(v))
	case t == Bool:
		if v != 0 {
			return 1
		}
		return 0
	case t.Bits() == 64:
		return uint64(v)
	}
	return uint64(v) & (1<<t.Bits() - 1)
}

// oddFloat converts with rounding to odd, so that a second rounding to a narrower type comes out as if it
// were the only one.
func oddFloat(v int64) float64 {
	m := uint64(v)
	if v < 0 {
		m = -m
	}
	scale := 1.0
	for m>>53 != 0 {
		m = m>>1 | m&1
		scale *= 2
	}
	if v < 0 {
		scale = -scale
	}
	return float64(m) * scale
}

// RoundFloat rounds x to type t, once, and gives the value that t then holds.
func RoundFloat(t DType, x float64) float64 {
	switch t {
	case F64:
		return x
	case F32:
		return float64(float32(x))
	}
	return DecodeFloat(t, EncodeFloat(t, x))
}

// WrapInt wraps v into integer type t in two's complement (u64 stays as it is, in an int64).
func WrapInt(t DType, v int64) int64 { return DecodeInt(t, EncodeInt(t, v)) }
