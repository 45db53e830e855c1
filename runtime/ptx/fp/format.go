package fp

import "math"

// Mode is a rounding mode.
type Mode uint8

// Rounding modes, as PTX names them.
const (
	RN  Mode = iota // to nearest, ties to even
	RZ              // toward zero
	RM              // toward minus infinity
	RP              // toward plus infinity
	RNA             // to nearest, ties away from zero
)

// specials tells which encodings of a format aren't numbers.
type specials uint8

const (
	ieee    specials = iota // infinities and NaNs in the top exponent
	nanOnly                 // one NaN per sign, all ones; no infinity
	none                    // numbers only
)

// Format is a binary floating-point format of at most 32 bits with a sign.
type Format struct {
	name     string
	exp, man uint // bits
	bias     int
	special  specials
}

// The formats that PTX converts to and from (PTX ISA, "Alternate Floating-Point Data Formats").
var (
	f32Format  = Format{"f32", 8, 23, 127, ieee}
	tf32Format = Format{"tf32", 8, 10, 127, ieee}
	f16Format  = Format{"f16", 5, 10, 15, ieee}
	bf16Format = Format{"bf16", 8, 7, 127, ieee}
	e5m2Format = Format{"e5m2", 5, 2, 15, ieee}
	e4m3Format = Format{"e4m3", 4, 3, 7, nanOnly}
	e3m2Format = Format{"e3m2", 3, 2, 3, none}
	e2m3Format = Format{"e2m3", 2, 3, 1, none}
	e2m1Format = Format{"e2m1", 2, 1, 1, none}
)

// F32 is the format of f32.
func F32() Format { return f32Format }

// TF32 has the exponent of f32 and 10 bits of significand; it is stored in the high 19 bits of a word.
func TF32() Format { return tf32Format }

// F16 is IEEE half precision.
func F16() Format { return f16Format }

// BF16 is the upper half of f32.
func BF16() Format { return bf16Format }

// E5M2 is the 8-bit float with infinities.
func E5M2() Format { return e5m2Format }

// E4M3 is the 8-bit float without infinities; its NaN is 0x7f.
func E4M3() Format { return e4m3Format }

// E3M2 is a 6-bit float.
func E3M2() Format { return e3m2Format }

// E2M3 is a 6-bit float.
func E2M3() Format { return e2m3Format }

// E2M1 is the 4-bit float.
func E2M1() Format { return e2m1Format }

// Name returns the format's name in PTX.
func (f Format) Name() string { return f.name }

// Bits returns the width, the sign included.
func (f Format) Bits() uint { return 1 + f.exp + f.man }

// NaN returns the canonical NaN: all ones but the sign; for formats without NaN the
// value that PTX gives instead, the largest positive.
func (f Format) NaN() uint32 { return 1<<(f.exp+f.man) - 1 }

// MaxFinite returns the bits of the largest finite value.
func (f Format) MaxFinite() uint32 {
	switch f.special {
	case ieee:
		return (1<<f.exp-1)<<f.man - 1
	case nanOnly:
		return 1<<(f.exp+f.man) - 2
	}
	return 1<<(f.exp+f.man) - 1
}

// infinity returns the positive infinity, or NaN where there is none.
func (f Format) infinity() uint32 {
	switch f.special {
	case ieee:
		return (1<<f.exp - 1) << f.man
	case nanOnly:
		return f.NaN()
	}
	return f.MaxFinite()
}

// ToFloat64 returns the value of the bits, exactly.
func (f Format) ToFloat64(b uint32) float64 {
	sign := uint64(b>>(f.exp+f.man)&1) << 63
	e := int(b >> f.man & (1<<f.exp - 1))
	m := uint64(b & (1<<f.man - 1))
	top := 1<<f.exp - 1
	switch {
	case f.special == ieee && e == top && m != 0, f.special == nanOnly && e == top && m == 1<<f.man-1:
		return math.NaN()
	case f.special == ieee && e == top:
		return math.Float64frombits(sign | 0x7ff<<52)
	case e == 0:
		v := math.Ldexp(float64(m), 1-f.bias-int(f.man))
		return math.Float64frombits(sign | math.Float64bits(v))
	}
	return math.Float64frombits(sign | uint64(e-f.bias+1023)<<52 | m<<(52-f.man))
}

// FromFloat64 rounds x. With sat, what lies beyond the largest finite value (infinity
// included) becomes it, as .satfinite asks; NaN stays NaN.
func (f Format) FromFloat64(x float64, mode Mode, sat bool) uint32 {
	b := math.Float64bits(x)
	sign := uint32(b>>63) << (f.exp + f.man)
	mag := b &^ (1 << 63)
	if mag > 0x7ff<<52 {
		return f.NaN()
	}
	if mag == 0x7ff<<52 {
		if sat {
			return sign | f.MaxFinite()
		}
		return sign | f.infinity()
	}
	if mag == 0 {
		return sign
	}
	e := int(mag>>52) - 1023
	sig := mag&(1<<52-1) | 1<<52
	if mag>>52 == 0 {
		// Doubles this small are below the least subnormal of every format here:
		// only their being nonzero matters.
		e, sig = -1023, 1<<51
	}
	// drop counts the low bits of sig that lie below the last place of the result.
	drop := 52 - int(f.man)
	field := e + f.bias
	if field < 1 {
		drop += 1 - field
		field = 1
	}
	var kept, rest, half uint64
	if drop > 54 {
		kept, rest, half = 0, 1, 2
	} else {
		kept = sig >> uint(drop)
		rest = sig & (1<<uint(drop) - 1)
		half = 1 << uint(drop-1)
	}
	neg := b>>63 != 0
	up := false
	switch mode {
	case RN:
		up = rest > half || rest == half && kept&1 == 1
	case RNA:
		up = rest >= half
	case RM:
		up = neg && rest != 0
	case RP:
		up = !neg && rest != 0
	}
	if up {
		kept++
	}
	// kept has its leading one in place 1<<man for normals: adding the exponent
	// field less one carries into it, from subnormals as well.
	r := uint64(field-1)<<f.man + kept
	limit := uint64(f.MaxFinite())
	if r > limit {
		away := mode == RN || mode == RNA || mode == RP && !neg || mode == RM && neg
		if sat || !away {
			return sign | f.MaxFinite()
		}
		return sign | f.infinity()
	}
	return sign | uint32(r)
}
