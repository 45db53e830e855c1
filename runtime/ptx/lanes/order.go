package lanes

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

func floatAbsNeg(m *mods, isAbs bool) (Op, bool) {
	t := m.floatTyp()
	ftz := m.flag("ftz")
	sign := func(b, mask uint64) uint64 {
		if isAbs {
			return b &^ mask
		}
		return b ^ mask
	}
	switch t {
	case F32:
		return float(op1(lift1(func(a uint32) uint32 {
			if ftz {
				a = flush(a)
			}
			return uint32(sign(uint64(a), 1<<31))
		}), t, t))
	case F64:
		return float(op1(lift1(func(a uint64) uint64 { return sign(a, 1<<63) }), t, t))
	case F16, BF16, F16x2, BF16x2:
		mask := uint64(0x8000)
		if t.Bits() == 32 {
			mask = 0x80008000
		}
		return float(op1(lift1(func(a uint32) uint32 {
			if ftz {
				a = flushHalves(a)
			}
			return uint32(sign(uint64(a), mask))
		}), t, t))
	}
	return Op{}, false
}

// pickMinMax chooses by the ISA's rules: a NaN loses unless nan asks for it, and -0 < +0.
func pickMinMax(a, b float64, isMax, nan bool) float64 {
	switch {
	case a != a && b != b, nan && (a != a || b != b):
		return math.NaN()
	case a != a:
		return b
	case b != b:
		return a
	case isMax:
		return max(a, b)
	}
	return min(a, b)
}

func floatMinMax(m *mods, isMax bool) (Op, bool) {
	t := m.floatTyp()
	if t == NoType {
		return Op{}, false
	}
	ftz, nan, xorsign, mag := m.flag("ftz"), m.flag("NaN"), m.flag("xorsign"), m.flag("abs")
	if xorsign != mag {
		return Op{}, false
	}
	choose := func(a, b float64) float64 {
		if !xorsign {
			return pickMinMax(a, b, isMax, nan)
		}
		r := pickMinMax(math.Abs(a), math.Abs(b), isMax, nan)
		if math.Signbit(a) != math.Signbit(b) {
			r = -r
		}
		return r
	}
	switch t {
	case F32:
		if !nan && !xorsign && !ftz {
			if isMax {
				return float(op2(maxF32, t, t, t))
			}
			return float(op2(minF32, t, t, t))
		}
		s := shape{ftz: ftz}
		return float(op2(lift2(s.lift2(func(a, b float32) float32 { return float32(choose(float64(a), float64(b))) })), t, t, t))
	case F64:
		if ftz || nan || xorsign {
			return Op{}, false
		}
		return float(op2(lift2(func(a, b uint64) uint64 { return bits64(choose(f64(a), f64(b))) }), t, t, t))
	case F16, BF16, F16x2, BF16x2:
		return float(half2(t, shape{ftz: ftz}, choose))
	}
	return Op{}, false
}

// Lookup3 returns min or max of three f32, of their magnitudes with .abs.
func Lookup3(op string, modifiers []string) (Op, error) {
	rest := slices.DeleteFunc(slices.Clone(modifiers), func(s string) bool { return s == "abs" })
	o, err := Lookup(op, rest)
	if err != nil || len(o.Args) != 2 || o.Res != F32 || slices.Contains(rest, "xorsign") {
		return Op{}, fmt.Errorf("instruction form %s.%s of three operands is not supported", op, strings.Join(modifiers, "."))
	}
	two, mask := o.Fn, ^uint32(0)
	if len(rest) < len(modifiers) {
		mask = 1<<31 - 1
	}
	o.Args = []Type{F32, F32, F32}
	o.Fn = func(d, a, b, c *V32) {
		var x, y, z V32
		for i := range x {
			x[i], y[i], z[i] = a[i]&mask, b[i]&mask, c[i]&mask
		}
		two(&x, &x, &y, nil)
		two(d, &x, &z, nil)
	}
	return o, nil
}

func maxF32(d, a, b, _ *V32) {
	for i := range d {
		x, y := f32(a[i]), f32(b[i])
		switch {
		case x > y:
			d[i] = a[i]
		case y > x:
			d[i] = b[i]
		default: // equal, or a NaN
			d[i] = bits32(float32(pickMinMax(float64(x), float64(y), true, false)))
		}
	}
}

func minF32(d, a, b, _ *V32) {
	for i := range d {
		x, y := f32(a[i]), f32(b[i])
		switch {
		case x < y:
			d[i] = a[i]
		case y < x:
			d[i] = b[i]
		default:
			d[i] = bits32(float32(pickMinMax(float64(x), float64(y), false, false)))
		}
	}
}

func copysign(m *mods) (Op, bool) {
	switch t := m.typ(); t {
	case F32: // the sign of a on b
		return op2(lift2(func(a, b uint32) uint32 { return a&(1<<31) | b&^(1<<31) }), t, t, t)
	case F64:
		return op2(lift2(func(a, b uint64) uint64 { return a&(1<<63) | b&^(1<<63) }), t, t, t)
	}
	return Op{}, false
}

func testp(m *mods) (Op, bool) {
	what := m.pick("finite", "infinite", "number", "notanumber", "normal", "subnormal")
	t := m.typ()
	if what == "" || t != F32 && t != F64 {
		return Op{}, false
	}
	test := func(x, tiny float64) bool {
		inf := math.IsInf(x, 0)
		switch what {
		case "finite":
			return x == x && !inf
		case "infinite":
			return inf
		case "number":
			return x == x
		case "notanumber":
			return x != x
		case "normal":
			return x == x && !inf && math.Abs(x) >= tiny
		}
		return x != 0 && math.Abs(x) < tiny
	}
	o := Op{Res: Pred, Args: []Type{t}, Float: true}
	if t == F32 {
		o.Test = test2(func(a, _ uint32) bool { return test(float64(f32(a)), 0x1p-126) })
	} else {
		o.Test = test2(func(a, _ uint64) bool { return test(f64(a), 0x1p-1022) })
	}
	return o, true
}
