package array

import "math"

// F16ToF32 returns the value of an IEEE 754 binary16 pattern. A NaN keeps its sign and payload.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	m := uint32(h & 0x7fff)
	switch {
	case m >= 0x7c00:
		return math.Float32frombits(sign | 0x7f800000 | m<<13)
	case m >= 0x0400:
		return math.Float32frombits(sign | (m<<13 + 112<<23))
	}
	return math.Float32frombits(sign | math.Float32bits(float32(m)*0x1p-24))
}

// F32ToF16 rounds to binary16, to nearest with ties to even; what is beyond becomes an infinity and
// every NaN becomes 0x7fff, as cvt.rn.f16.f32 does (PTX ISA, cvt).
func F32ToF16(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	m := b & 0x7fffffff
	switch {
	case m >= 0x47800000: // 2^16 and beyond
		if m > 0x7f800000 {
			return 0x7fff
		}
		return sign | 0x7c00
	case m >= 0x38800000: // 2^-14: a normal result, or an infinity by carry
		return sign | uint16((m-112<<23+0xfff+m>>13&1)>>13)
	}
	// 0.5 has the unit of a binary16 subnormal, so adding it rounds there.
	return sign | uint16(math.Float32bits(math.Float32frombits(m)+0.5)-0x3f000000)
}

// F64ToF16 rounds to binary16 once (not by way of float32), otherwise as F32ToF16 does.
func F64ToF16(x float64) uint16 { return uint16(f16Format.encode(x)) }

// BF16ToF32 returns the value of a bfloat16 pattern.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to bfloat16, to nearest with ties to even; every NaN becomes 0x7fff, as
// cvt.rn.bf16.f32 does (PTX ISA, cvt).
func F32ToBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return 0x7fff
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// F64ToBF16 rounds to bfloat16 once (not by way of float32), otherwise as F32ToBF16 does.
func F64ToBF16(x float64) uint16 { return uint16(bf16Format.encode(x)) }
