package array

import "math"

// Patterns of 8 bits and fewer decode by table: exact values, filled once and only read.
var (
	e4m3Values = decodeTable(&e4m3Format, func(m uint64) (float32, bool) {
		return float32(math.NaN()), m == 0x7f
	})
	e5m2Values = decodeTable(&e5m2Format, func(m uint64) (float32, bool) {
		if m == 0x7c {
			return float32(math.Inf(1)), true
		}
		return float32(math.NaN()), m > 0x7c
	})
	e2m1Values = decodeTable(&e2m1Format, func(uint64) (float32, bool) { return 0, false })
)

// decodeTable lists the value of every pattern; special gives those that aren't finite.
func decodeTable(f *format, special func(magnitude uint64) (float32, bool)) (t [256]float32) {
	for i := uint64(0); i < 2*f.sign; i++ {
		m := i &^ f.sign
		v, ok := special(m)
		if !ok {
			v = float32(f.decode(m))
		}
		if i&f.sign != 0 {
			v = float32(math.Copysign(float64(v), -1))
		}
		t[i] = v
	}
	return t
}

// F8E4M3ToF32 returns the value of an OCP E4M3 pattern: no infinities, 0x7f and 0xff are NaN, largest 448.
func F8E4M3ToF32(b uint8) float32 { return e4m3Values[b] }

// F32ToF8E4M3 rounds to E4M3, to nearest with ties to even. Beyond 448 (infinities too) it gives 448 with
// the sign kept; every NaN becomes 0x7f: cvt.rn.satfinite.e4m3x2.f32 (PTX ISA, cvt).
func F32ToF8E4M3(x float32) uint8 { return uint8(e4m3Format.encode(float64(x))) }

// F64ToF8E4M3 rounds once, otherwise as F32ToF8E4M3 does.
func F64ToF8E4M3(x float64) uint8 { return uint8(e4m3Format.encode(x)) }

// F8E5M2ToF32 returns the value of an OCP E5M2 pattern, which has infinities and NaNs as IEEE 754 has.
func F8E5M2ToF32(b uint8) float32 { return e5m2Values[b] }

// F32ToF8E5M2 rounds to E5M2, to nearest with ties to even. Beyond 57344 (infinities too) it gives 57344 with
// the sign kept; every NaN becomes 0x7f: cvt.rn.satfinite.e5m2x2.f32 (PTX ISA, cvt).
func F32ToF8E5M2(x float32) uint8 { return uint8(e5m2Format.encode(float64(x))) }

// F64ToF8E5M2 rounds once, otherwise as F32ToF8E5M2 does.
func F64ToF8E5M2(x float64) uint8 { return uint8(e5m2Format.encode(x)) }

// F4E2M1ToF32 returns the value of an OCP E2M1 pattern (the low four bits): 0, 0.5, 1, 1.5, 2, 3, 4, 6 and
// their negatives.
func F4E2M1ToF32(b uint8) float32 { return e2m1Values[b&0xf] }

// F32ToF4E2M1 rounds to E2M1, to nearest with ties to even. Beyond 6 (infinities too) it gives 6 with the sign
// kept; a NaN becomes +6: cvt.rn.satfinite.e2m1x2.f32 (PTX ISA, cvt).
func F32ToF4E2M1(x float32) uint8 { return uint8(e2m1Format.encode(float64(x))) }

// F64ToF4E2M1 rounds once, otherwise as F32ToF4E2M1 does.
func F64ToF4E2M1(x float64) uint8 { return uint8(e2m1Format.encode(x)) }

// F8E8M0ToF32 returns the value of an OCP E8M0 scale, 2^(b-127); 0xff is NaN. There is no zero and no sign.
func F8E8M0ToF32(b uint8) float32 {
	switch b {
	case 0xff:
		return float32(math.NaN())
	case 0:
		return 0x1p-127
	}
	return math.Float32frombits(uint32(b) << 23)
}

// F64ToF8E8M0 rounds the magnitude of x up to a power of two, within 2^-127 .. 2^127; a NaN becomes 0xff.
// It is cvt.rp.satfinite.ue8m0x2.f32 and what CUDA's type __nv_fp8_e8m0 does by default; F64ToF8E8M0Down is the other
// direction that the hardware has, which the OCP microscaling text uses to make scales.
func F64ToF8E8M0(x float64) uint8 {
	down := F64ToF8E8M0Down(x)
	if down < 0xfe && math.Abs(x) > float64(F8E8M0ToF32(down)) {
		down++
	}
	return down
}

// F64ToF8E8M0Down rounds the magnitude of x down to a power of two, within 2^-127 .. 2^127 (an infinity gives
// 2^127); a NaN becomes 0xff: cvt.rz.satfinite.ue8m0x2.f32.
func F64ToF8E8M0Down(x float64) uint8 {
	b := math.Float64bits(x) &^ (1 << 63)
	if b > 0x7ff<<52 {
		return 0xff
	}
	return uint8(min(max(int(b>>52)-1023, -127), 127) + 127)
}

// F32ToF8E8M0 is F64ToF8E8M0 for a float32.
func F32ToF8E8M0(x float32) uint8 { return F64ToF8E8M0(float64(x)) }
