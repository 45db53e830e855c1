package lanes

import (
	"math"

	"tilec/runtime/ptx/fp"
)

// The canonical NaNs that arithmetic returns.
const (
	nan32 = 0x7fffffff
	nan16 = 0x7fff
	nan64 = 0x7fffffffffffffff
)

type (
	f1x32 = func(float32) float32
	f2x32 = func(a, b float32) float32
)

func f32(b uint32) float32 { return math.Float32frombits(b) }
func f64(b uint64) float64 { return math.Float64frombits(b) }

// bits32 gives the bits with the NaN canonical.
func bits32(x float32) uint32 {
	if x != x {
		return nan32
	}
	return math.Float32bits(x)
}

// bits64 gives the bits; f64 arithmetic keeps payloads, so only the sign of x86's own NaN is corrected.
func bits64(x float64) uint64 {
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// flush gives a subnormal's zero, sign kept.
func flush(b uint32) uint32 {
	if b&0x7f800000 == 0 {
		return b & 0x80000000
	}
	return b
}

// saturate clamps to [0, 1]; NaN and -0 become +0.
func saturate(x float32) float32 {
	if x > 0 {
		return min(x, 1)
	}
	return 0
}

func saturate64(x float64) float64 {
	if x > 0 {
		return min(x, 1)
	}
	return 0
}

// floatTyp takes the first type if it is a floating-point one.
func (m *mods) floatTyp() Type {
	for _, s := range m.list {
		if t := ParseType(s); t != NoType {
			if !t.IsFloat() && t != F16x2 && t != BF16x2 && t != F32x2 {
				return NoType
			}
			m.flag(s)
			return t
		}
	}
	return NoType
}

// rounding takes the mode; none stated is to nearest.
func (m *mods) rounding() fp.Mode {
	switch m.pick("rn", "rz", "rm", "rp") {
	case "rz":
		return fp.RZ
	case "rm":
		return fp.RM
	case "rp":
		return fp.RP
	}
	return fp.RN
}

// shape is what surrounds an f32 operation.
type shape struct{ ftz, sat bool }

func (s shape) in(b uint32) float32 {
	if s.ftz {
		b = flush(b)
	}
	return f32(b)
}

func (s shape) out(x float32) uint32 {
	if s.sat {
		x = saturate(x)
	}
	b := bits32(x)
	if s.ftz {
		b = flush(b)
	}
	return b
}

func (s shape) lift1(f f1x32) u1x32 { return func(a uint32) uint32 { return s.out(f(s.in(a))) } }
func (s shape) lift2(f f2x32) u2x32 {
	return func(a, b uint32) uint32 { return s.out(f(s.in(a), s.in(b))) }
}

func (s shape) lift3(f func(a, b, c float32) float32) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 { return s.out(f(s.in(a), s.in(b), s.in(c))) }
}

// pair applies a function of f32 to both words of an f32x2.
func pair2(f u2x32) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		return uint64(f(uint32(a), uint32(b))) | uint64(f(uint32(a>>32), uint32(b>>32)))<<32
	}
}

func pair3(f func(a, b, c uint32) uint32) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		return uint64(f(uint32(a), uint32(b), uint32(c))) | uint64(f(uint32(a>>32), uint32(b>>32), uint32(c>>32)))<<32
	}
}

// narrow takes the second type of mixed-precision arithmetic on f32 (PTX ISA, "Mixed
// Precision Floating-Point Instructions").
func (m *mods) narrow(t Type) Type {
	switch {
	case t != F32:
	case m.flag("f16"):
		return F16
	case m.flag("bf16"):
		return BF16
	}
	return NoType
}

// halfValue gives the value of a 16-bit float.
func halfValue(t Type) func(b uint32) float32 {
	if t == F16 {
		return func(b uint32) float32 { return fp.F16ToF32(uint16(b)) }
	}
	return func(b uint32) float32 { return f32(b << 16) }
}

// sum32 adds in any rounding.
func sum32(mode fp.Mode) f2x32 {
	if mode == fp.RN {
		return func(a, b float32) float32 { return a + b }
	}
	return func(a, b float32) float32 {
		x, y := float64(a), float64(b)
		return fp.F32Round(fp.ZeroSign(fp.AddOdd(x, y), x, y, mode), mode)
	}
}

func floatAddSub(m *mods, sub, sat bool) (Op, bool) {
	t := m.floatTyp()
	if t == NoType {
		return Op{}, false
	}
	mode, s := m.rounding(), shape{m.flag("ftz"), sat}
	sign := float32(1)
	if sub {
		sign = -1
	}
	if n := m.narrow(t); n != NoType {
		add, wide := sum32(mode), halfValue(n)
		return float(op2(lift2(func(a, c uint32) uint32 { return s.out(add(wide(a), sign*s.in(c))) }), t, n, t))
	}
	switch t {
	case F32:
		switch {
		case mode == fp.RN && s == shape{} && !sub:
			return float(op2(addF32, t, t, t))
		case mode == fp.RN && s == shape{} && sub:
			return float(op2(subF32, t, t, t))
		}
		add := sum32(mode)
		return float(op2(lift2(s.lift2(func(a, b float32) float32 { return add(a, sign*b) })), t, t, t))
	case F32x2:
		add := sum32(mode)
		return float(op2(lift2(pair2(s.lift2(func(a, b float32) float32 { return add(a, sign*b) }))), t, t, t))
	case F64:
		if s != (shape{}) {
			return Op{}, false
		}
		return float(op2(lift2(func(a, b uint64) uint64 { return bits64(fp.Add64(f64(a), float64(sign)*f64(b), mode)) }), t, t, t))
	case F16, F16x2, BF16, BF16x2:
		if mode != fp.RN {
			return Op{}, false
		}
		return float(halfAdd(t, s, sign))
	}
	return Op{}, false
}

func addF32(d, a, b, _ *V32) {
	for i := range d {
		x := f32(a[i]) + f32(b[i])
		if x != x {
			d[i] = nan32
		} else {
			d[i] = math.Float32bits(x)
		}
	}
}

func subF32(d, a, b, _ *V32) {
	for i := range d {
		x := f32(a[i]) - f32(b[i])
		if x != x {
			d[i] = nan32
		} else {
			d[i] = math.Float32bits(x)
		}
	}
}

func mulF32(d, a, b, _ *V32) {
	for i := range d {
		x := f32(a[i]) * f32(b[i])
		if x != x {
			d[i] = nan32
		} else {
			d[i] = math.Float32bits(x)
		}
	}
}

func fmaF32(d, a, b, c *V32) {
	for i := range d {
		x := fp.FMA32(f32(a[i]), f32(b[i]), f32(c[i]))
		if x != x {
			d[i] = nan32
		} else {
			d[i] = math.Float32bits(x)
		}
	}
}

func floatMul(m *mods) (Op, bool) {
	t := m.floatTyp()
	mode, s := m.rounding(), shape{m.flag("ftz"), m.flag("sat")}
	prod := func(a, b float32) float32 { return a * b }
	if mode != fp.RN {
		prod = func(a, b float32) float32 { return fp.F32Round(float64(a)*float64(b), mode) }
	}
	switch t {
	case F32:
		if mode == fp.RN && s == (shape{}) {
			return float(op2(mulF32, t, t, t))
		}
		return float(op2(lift2(s.lift2(prod)), t, t, t))
	case F32x2:
		return float(op2(lift2(pair2(s.lift2(prod))), t, t, t))
	case F64:
		if s != (shape{}) {
			return Op{}, false
		}
		return float(op2(lift2(func(a, b uint64) uint64 { return bits64(fp.Mul64(f64(a), f64(b), mode)) }), t, t, t))
	case F16, F16x2, BF16, BF16x2:
		if mode != fp.RN {
			return Op{}, false
		}
		return float(halfMul(t, s))
	}
	return Op{}, false
}

func fma(m *mods) (Op, bool) { return floatFMA(m, false) }

// floatFMA is fma, and mad on floats, which is the same from sm_20 on.
func floatFMA(m *mods, isMad bool) (Op, bool) {
	t := m.floatTyp()
	mode, s := m.rounding(), shape{m.flag("ftz"), m.flag("sat")}
	f := fp.FMA32
	if mode != fp.RN {
		f = func(a, b, c float32) float32 {
			p, z := float64(a)*float64(b), float64(c)
			return fp.F32Round(fp.ZeroSign(fp.AddOdd(p, z), p, z, mode), mode)
		}
	}
	if n := m.narrow(t); n != NoType && !isMad {
		wide := halfValue(n)
		return float(op3(lift3(func(a, b, c uint32) uint32 { return s.out(f(wide(a), wide(b), s.in(c))) }), t, n, n, t))
	}
	switch t {
	case F32:
		if mode == fp.RN && s == (shape{}) {
			return float(op3(fmaF32, t, t, t, t))
		}
		return float(op3(lift3(s.lift3(f)), t, t, t, t))
	case F32x2:
		return float(op3(lift3(pair3(s.lift3(f))), t, t, t, t))
	case F64:
		if s != (shape{}) {
			return Op{}, false
		}
		return float(op3(lift3(func(a, b, c uint64) uint64 { return bits64(fp.FMA64(f64(a), f64(b), f64(c), mode)) }), t, t, t, t))
	case F16, F16x2, BF16, BF16x2:
		if mode != fp.RN || isMad {
			return Op{}, false
		}
		return float(halfFMA(t, s, m.flag("relu")))
	}
	return Op{}, false
}

func floatDiv(m *mods) (Op, bool) {
	t := m.floatTyp()
	if t == NoType {
		return Op{}, false
	}
	kind := m.pick("approx", "full")
	mode, s := m.rounding(), shape{ftz: m.flag("ftz")}
	switch t {
	case F32:
		f := func(a, b float32) float32 { return a / b }
		switch {
		case kind == "approx":
			// a·(1/b): 1/b underflows for the largest b (PTX ISA, "div").
			f = func(a, b float32) float32 {
				if y := math.Abs(float64(b)); y > 0x1p126 && y < 0x1p128 {
					return a * float32(math.Copysign(0, float64(b)))
				}
				return a / b
			}
		case mode != fp.RN:
			f = func(a, b float32) float32 { return fp.F32Round(fp.DivOdd(float64(a), float64(b)), mode) }
		}
		return float(op2(lift2(s.lift2(f)), t, t, t))
	case F64:
		if kind != "" || s.ftz {
			return Op{}, false
		}
		return float(op2(lift2(func(a, b uint64) uint64 { return bits64(fp.Div64(f64(a), f64(b), mode)) }), t, t, t))
	}
	return Op{}, false
}
