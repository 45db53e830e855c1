package fuzz

import (
	"math"

	"tilec/runtime/array"
)

// bound is how a function of one float bounds its result; false where its argument
// is not under control.
type bound func(v value, t array.DType) (value, bool)

// approximate makes a bound of a function that rises, or falls, all along, with the
// greatest slope over an interval. Its result may lie off by a few units.
func approximate(f func(float64) float64, slope func(lo, hi float64) float64, limit func(v value) bool) bound {
	return func(v value, t array.DType) (value, bool) {
		if !limit(v) {
			return v, false
		}
		a, b := f(v.lo), f(v.hi)
		r := value{lo: math.Min(a, b), hi: math.Max(a, b), special: v.special}
		r.err = 2*v.err*slope(v.lo-v.err, v.hi+v.err) + relative(t)*(1+v.most())*r.most() + 1e-37
		r.lo, r.hi = r.lo-r.err, r.hi+r.err
		return r, true
	}
}

// relative bounds the relative error of approximate functions, apart from what
// grows with the argument.
func relative(t array.DType) float64 {
	if t == array.F64 {
		return 0x1p-46
	}
	return 0x1p-19
}

func within(lo, hi float64) func(v value) bool {
	return func(v value) bool { return v.lo-v.err >= lo && v.hi+v.err <= hi }
}

func constantly(c float64) func(lo, hi float64) float64 {
	return func(lo, hi float64) float64 { return c }
}

// wave is the bound of a function that lies between -1 and 1.
func wave(v value, t array.DType) (value, bool) {
	r := value{lo: -1.001, hi: 1.001, special: v.special, err: v.err + relative(t)*(1+v.most())}
	return r, v.most() < 1000
}

// infinite adds what an infinite argument gives.
func infinite(f bound, results ...float64) bound {
	return func(v value, t array.DType) (value, bool) {
		r, ok := f(v, t)
		if v.special {
			for _, x := range results {
				r.lo, r.hi = math.Min(r.lo, x), math.Max(r.hi, x)
			}
		}
		return r, ok
	}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// roots is the bound of sqrt: where the argument is not exact, the error may be that
// of a number near 0.
func roots(v value, t array.DType) (value, bool) {
	if v.lo < 0 || v.special && v.lo-v.err < 0 {
		return v, false
	}
	r := value{lo: math.Sqrt(v.lo), hi: math.Sqrt(v.hi), special: v.special, err: relative(t) * math.Sqrt(v.hi)}
	if v.err > 0 {
		if v.lo > v.err {
			r.err += v.err / math.Sqrt(v.lo-v.err)
		} else {
			r.err += math.Sqrt(2 * v.err)
		}
	}
	r.lo, r.hi = math.Max(0, r.lo-r.err), r.hi+r.err
	return r, true
}

// integral is the bound of functions that give an integer.
func integral(f func(float64) float64) bound {
	return func(v value, _ array.DType) (value, bool) {
		return value{lo: f(v.lo), hi: f(v.hi), special: v.special, step: 1}, v.exact()
	}
}

// functionBounds are the functions of one float.
var functionBounds = map[string]bound{
	"exp": infinite(approximate(math.Exp, func(_, hi float64) float64 { return math.Exp(hi) }, within(-60, 40)), 0),
	"exp2": infinite(approximate(math.Exp2, func(_, hi float64) float64 { return math.Exp2(hi) },
		within(-60, 40)), 0),
	"log":  approximate(math.Log, func(lo, _ float64) float64 { return 1 / lo }, within(1e-3, 1e20)),
	"log2": approximate(math.Log2, func(lo, _ float64) float64 { return 2 / lo }, within(1e-3, 1e20)),
	"sqrt": roots,
	"rsqrt": infinite(approximate(func(x float64) float64 { return 1 / math.Sqrt(x) },
		func(lo, _ float64) float64 { return 1 / (lo * math.Sqrt(lo)) }, within(1e-3, 1e20)), 0),
	"sin":     wave,
	"cos":     wave,
	"tanh":    infinite(approximate(math.Tanh, constantly(1), within(-1e6, 1e6)), -1, 1),
	"sigmoid": infinite(approximate(sigmoid, constantly(1), within(-60, 60)), 0, 1),
	"erf":     infinite(approximate(math.Erf, constantly(1.2), within(-1e6, 1e6)), -1, 1),
	"floor":   integral(math.Floor),
	"ceil":    integral(math.Ceil),
	"round":   integral(math.RoundToEven),
	"trunc":   integral(math.Trunc),
}

// functionNames lists them in a fixed order.
var functionNames = []string{
	"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "erf", "floor", "ceil", "round", "trunc",
}

// divide bounds a float division; the divisor must stay away from 0.
func divide(a, b value, t array.DType) (value, bool) {
	near := math.Min(math.Abs(b.lo), math.Abs(b.hi)) - b.err
	if b.lo <= 0 && b.hi >= 0 || near < 1e-3 {
		return a, false
	}
	v := value{special: a.special || b.special}
	v.lo, v.hi = corners(a, b, func(x, y float64) float64 { return x / y })
	v.err = a.err/near + a.most()*b.err/(near*near) + 2*unit(t)*v.most() + 1e-37
	if b.special {
		v.lo, v.hi = math.Min(v.lo, 0), math.Max(v.hi, 0)
	}
	v.lo, v.hi = widen(v.lo, v.hi, unit(t))
	return v, true
}

// power bounds pow(a, b).
func power(a, b value, t array.DType) (value, bool) {
	if a.lo-a.err < 1e-2 || a.special || b.special {
		return a, false
	}
	f := func(x, y float64) float64 { return math.Pow(x, y) }
	v := value{}
	v.lo, v.hi = corners(a, b, f)
	if a.lo < 1 && a.hi > 1 {
		v.lo, v.hi = math.Min(v.lo, 1), math.Max(v.hi, 1)
	}
	if v.hi > 1e15 {
		return a, false
	}
	logs := math.Max(math.Abs(math.Log(a.lo)), math.Abs(math.Log(a.hi)))
	v.err = v.hi*(relative(t)*(1+b.most()*logs)+2*b.err*logs+2*b.most()*a.err/(a.lo-a.err)) + 1e-37
	v.lo, v.hi = v.lo-v.err, v.hi+v.err
	return v, true
}
