package fp

import "math"

// F16ToF32 returns the value of half-precision bits.
func F16ToF32(h uint16) float32 {
	// Moving the exponent up by 112 is a multiplication, which also normalises subnormals.
	f := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	b := math.Float32bits(f) | uint32(h&0x8000)<<16
	if h&0x7c00 == 0x7c00 {
		b |= 0x7f800000
		if h&0x3ff != 0 {
			b = 0x7fffffff
		}
	}
	return math.Float32frombits(b)
}

// F32ToF16 rounds to nearest even.
func F32ToF16(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return 0x7fff
	case b >= 0x477ff000: // 65520 and above round to infinity
		return sign | 0x7c00
	case b < 0x38800000: // below the least normal, 2^-14
		// Adding 0.5 lines the last place of the f16 subnormal up with that of the f32 sum.
		s := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(s)-0x3f000000)
	}
	return sign | uint16((b-0x38000000+0xfff+b>>13&1)>>13)
}

// BF16ToF32 returns the value of bfloat16 bits.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to nearest even.
func F32ToBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return 0x7fff
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// UE8M0ToF64 returns 2^(b-127); 0xff is NaN.
func UE8M0ToF64(b uint8) float64 {
	if b == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(b)-127)
}

// F32ToUE8M0 converts to the exponent-only format, toward zero or (RP) up; the
// sign is dropped. With sat, infinity becomes the largest, 2^127.
func F32ToUE8M0(x float32, mode Mode, sat bool) uint8 {
	b := math.Float32bits(x) & 0x7fffffff
	switch {
	case b > 0x7f800000:
		return 0xff
	case b == 0x7f800000:
		if sat {
			return 0xfe
		}
		return 0xff
	}
	e, m := b>>23, b&(1<<23-1)
	if mode == RP && m != 0 && (e > 0 || m > 1<<22) {
		e++
	}
	if e == 0xff {
		if sat {
			return 0xfe
		}
		return 0xff
	}
	return uint8(e)
}
