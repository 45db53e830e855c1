package fuzz

import (
	"math"

	"tilec/runtime/array"
)

// value is what the analysis knows of a value, or of all elements of an array.
type value struct {
	// lo and hi bound what is finite of it.
	lo, hi float64
	// err bounds how far two right runs may lie apart; 0: their bits are equal.
	err float64
	// special: it may be nan or infinite. Whether it is, all right runs agree on.
	special bool
	// product: it is, or may be, a product that has been rounded, which a compiler
	// may leave out by contracting it with an addition.
	product bool
	// step, above 0, is a power of two of which the value is a multiple.
	step float64
}

func exactly(x float64) value {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return value{special: true, step: 1}
	case x == 0:
		return value{step: 1}
	}
	return value{lo: x, hi: x, step: stepOf(x)}
}

// stepOf is the greatest power of two, up to 1, of which x is a multiple.
func stepOf(x float64) float64 {
	step := 1.0
	for range 64 {
		if math.Mod(x, step) == 0 {
			return step
		}
		step /= 2
	}
	return 0
}

// between is an integer within bounds.
func between(lo, hi float64) value { return value{lo: lo, hi: hi, step: 1} }

// most is the greatest magnitude.
func (v value) most() float64 { return math.Max(math.Abs(v.lo), math.Abs(v.hi)) }

func (v value) exact() bool { return v.err == 0 }

// join is a value that may be either.
func (v value) join(w value) value {
	return value{
		lo: math.Min(v.lo, w.lo), hi: math.Max(v.hi, w.hi), err: math.Max(v.err, w.err),
		special: v.special || w.special, product: v.product || w.product, step: math.Min(v.step, w.step),
	}
}

// unit is half the distance from 1 to the next number of a float type.
func unit(t array.DType) float64 {
	switch t {
	case array.F64:
		return 0x1p-53
	case array.F32:
		return 0x1p-24
	case array.F16:
		return 0x1p-11
	case array.BF16:
		return 0x1p-8
	case array.F8E4M3:
		return 0x1p-4
	case array.F8E5M2:
		return 0x1p-3
	case array.F4E2M1:
		return 0x1p-2
	}
	return 0.5
}

// greatest is the largest finite value of a float type, and least the smallest
// positive one.
func limits(t array.DType) (greatest, least float64) {
	switch t {
	case array.F64:
		return math.MaxFloat64, 0x1p-1074
	case array.F32:
		return math.MaxFloat32, 0x1p-149
	case array.F16:
		return 65504, 0x1p-24
	case array.BF16:
		return 0x1.fep127, 0x1p-133
	case array.F8E4M3:
		return 448, 0x1p-9
	case array.F8E5M2:
		return 57344, 0x1p-16
	case array.F4E2M1:
		return 6, 0.5
	}
	return 0x1p127, 0x1p-127
}

func intLimits(t array.DType) (lo, hi float64) {
	switch {
	case t == array.Bool:
		return 0, 1
	case t.IsUnsigned():
		return 0, math.Ldexp(1, t.Bits()) - 1
	}
	return -math.Ldexp(1, t.Bits()-1), math.Ldexp(1, t.Bits()-1) - 1
}

// wrapped is an integer result brought into its type.
func wrapped(v value, t array.DType) value {
	lo, hi := intLimits(t)
	if v.lo < lo || v.hi > hi || math.IsNaN(v.lo) || math.IsNaN(v.hi) {
		v.lo, v.hi = lo, hi
	}
	return between(v.lo, v.hi)
}

// rounded is the result of an operation in f32 or f64 on values of which inexact
// tells whether any may differ between right runs; scale is the size of what is
// rounded.
func rounded(v value, t array.DType, inexact bool, scale float64) value {
	if v.step > 0 && v.most()/v.step <= 1/unit(t) {
		v.product = false
		return v
	}
	v.step = 0
	if inexact {
		v.err += 2*unit(t)*scale + 1e-37*unit(t)
	}
	v.lo, v.hi = widen(v.lo, v.hi, unit(t))
	return v
}

// widen moves bounds outward by a relative amount; they do not cross 0.
func widen(lo, hi, by float64) (float64, float64) {
	if lo < 0 {
		lo *= 1 + by
	} else {
		lo *= 1 - by
	}
	if hi > 0 {
		hi *= 1 + by
	} else {
		hi *= 1 - by
	}
	return lo, hi
}

func add(a, b value, t array.DType) value {
	v := value{lo: a.lo + b.lo, hi: a.hi + b.hi, err: a.err + b.err, special: a.special || b.special, step: math.Min(a.step, b.step)}
	if t.IsInt() {
		return wrapped(v, t)
	}
	return rounded(v, t, a.err+b.err > 0 || a.product || b.product, a.most()+b.most())
}

func negate(a value) value {
	a.lo, a.hi = -a.hi, -a.lo
	return a
}

func multiply(a, b value, t array.DType) value {
	v := value{err: a.most()*b.err + b.most()*a.err + a.err*b.err, special: a.special || b.special, step: a.step * b.step}
	v.lo, v.hi = corners(a, b, func(x, y float64) float64 { return x * y })
	if t.IsInt() {
		return wrapped(v, t)
	}
	v = rounded(v, t, v.err > 0, v.most())
	v.product = v.step == 0
	return v
}

// corners is the range of a function that is monotone in both arguments.
func corners(a, b value, f func(x, y float64) float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range []float64{a.lo, a.hi} {
		for _, y := range []float64{b.lo, b.hi} {
			lo, hi = math.Min(lo, f(x, y)), math.Max(hi, f(x, y))
		}
	}
	return lo, hi
}

// repeated is the sum of n values in any order.
func repeated(v value, n float64, t array.DType) value {
	switch {
	case t.IsInt():
		return wrapped(value{lo: math.Min(0, n*v.lo), hi: math.Max(0, n*v.hi)}, t)
	case n <= 0:
		return value{step: v.step}
	case n == 1:
		return v
	}
	lo, hi := math.Min(v.lo, n*v.lo), math.Max(v.hi, n*v.hi)
	v.lo, v.hi, v.err = lo, hi, n*v.err
	v.product = false
	return rounded(v, t, true, n*v.most())
}

// stored is a value converted to an element type; ok is false where right runs may
// end on both sides of an overflow.
func stored(v value, from, to array.DType) (_ value, ok bool) {
	switch {
	case !to.IsFloat():
		return convertedToInt(v, from, to)
	case !from.IsFloat():
		v = between(v.lo, v.hi)
		return roundedTo(v, to)
	case from == to, to == array.F64:
		v.product = v.product && from == to
		return v, true
	}
	v.product = false
	return roundedTo(v, to)
}

func convertedToInt(v value, from, to array.DType) (value, bool) {
	lo, hi := intLimits(to)
	switch {
	case to == array.Bool:
		return between(0, 1), v.exact()
	case !from.IsFloat():
		return wrapped(v, to), true
	case v.special:
		return between(lo, hi), v.exact()
	}
	return between(math.Max(lo, math.Min(hi, math.Floor(v.lo))), math.Max(lo, math.Min(hi, math.Ceil(v.hi)))), v.exact()
}

func roundedTo(v value, to array.DType) (value, bool) {
	greatest, least := limits(to)
	u := unit(to)
	saturates := to.Bits() <= 8
	if v.most() > greatest*(1-u) {
		if !saturates && v.err > 0 {
			return v, false
		}
		v.special = v.special || !saturates
		v.lo, v.hi = math.Max(v.lo, -greatest), math.Min(v.hi, greatest)
		if v.err > 0 {
			v.err = math.Min(v.err, 2*greatest)
		}
	}
	if saturates && v.special {
		v.lo, v.hi = math.Min(v.lo, -greatest), math.Max(v.hi, greatest)
	}
	if to == array.F8E8M0 && v.lo > 0 && !v.special {
		return value{lo: math.Exp2(math.Floor(math.Log2(v.lo))), hi: math.Exp2(math.Ceil(math.Log2(v.hi)))}, v.err == 0
	}
	if to == array.F8E8M0 {
		return value{lo: 0x1p-127, hi: 0x1p127, special: true}, v.err == 0
	}
	if v.step > 0 && v.most()/v.step <= 1/u && v.step >= least {
		return v, true
	}
	v.step = 0
	if v.err > 0 {
		v.err += 2*u*v.most() + 2*least
	}
	v.lo, v.hi = widen(v.lo, v.hi, u)
	v.lo, v.hi = v.lo-least, v.hi+least
	if to == array.F4E2M1 {
		v.step = 0.5
	}
	return v, true
}
