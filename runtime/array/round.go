package array

import "math"

// overflow says what a format does with a value beyond its largest finite one.
type overflow uint8

const (
	toInfinity overflow = iota + 1 // IEEE 754
	toMaximum                      // "satfinite" of CUDA's conversions, infinities included
)

// format describes a binary floating-point format of at most 16 bits with a sign.
type format struct {
	man      uint   // stored mantissa bits
	bias     int    // exponent bias
	sign     uint64 // the sign bit
	max      uint64 // pattern of the largest finite magnitude
	nan      uint64 // pattern that a NaN becomes
	overflow overflow
}

// NaN patterns are those of PTX's cvt: canonical, without sign or payload; e2m1 has no NaN and takes its
// largest value (PTX ISA, cvt).
var (
	f16Format  = format{man: 10, bias: 15, sign: 1 << 15, max: 0x7bff, nan: 0x7fff, overflow: toInfinity}
	bf16Format = format{man: 7, bias: 127, sign: 1 << 15, max: 0x7f7f, nan: 0x7fff, overflow: toInfinity}
	e4m3Format = format{man: 3, bias: 7, sign: 1 << 7, max: 0x7e, nan: 0x7f, overflow: toMaximum}
	e5m2Format = format{man: 2, bias: 15, sign: 1 << 7, max: 0x7b, nan: 0x7f, overflow: toMaximum}
	e2m1Format = format{man: 1, bias: 1, sign: 1 << 3, max: 0x7, nan: 0x7, overflow: toMaximum}
)

// encode rounds x to the format, to nearest with ties to even, in one rounding.
func (f *format) encode(x float64) uint64 {
	b := math.Float64bits(x)
	var sign uint64
	if b>>63 != 0 {
		sign = f.sign
	}
	e := int(b >> 52 & 0x7ff)
	m := b & (1<<52 - 1)
	switch e {
	case 0x7ff:
		switch {
		case m != 0:
			return f.nan
		case f.overflow == toInfinity:
			return sign | (f.max + 1)
		}
		return sign | f.max
	case 0:
		return sign // a float64 subnormal is below half of every format's smallest value
	}
	m |= 1 << 52
	e -= 1023
	shift := 52 - f.man
	var base uint64 // added to the rounded significand; its implied bit counts one exponent step
	if lowest := 1 - f.bias; e < lowest {
		shift += uint(lowest - e)
		if shift > 54 {
			return sign
		}
	} else {
		if e > f.bias+1 {
			return sign | f.beyond()
		}
		base = uint64(e-lowest) << f.man
	}
	half := uint64(1) << (shift - 1)
	q := (m + half - 1 + m>>shift&1) >> shift
	q += base
	if q > f.max {
		q = f.beyond()
	}
	return sign | q
}

// beyond is the magnitude that takes the place of an overflow.
func (f *format) beyond() uint64 {
	if f.overflow == toInfinity {
		return f.max + 1
	}
	return f.max
}

// decode gives the exact value of a finite pattern without its sign.
func (f *format) decode(magnitude uint64) float64 {
	e := int(magnitude >> f.man)
	m := magnitude & (1<<f.man - 1)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << f.man
	}
	return math.Ldexp(float64(m), e-f.bias-int(f.man))
}
