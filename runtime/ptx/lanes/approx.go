package lanes

import (
	"math"

	"tilec/runtime/ptx/fp"
)

// unary builds a one-operand f32 operation computed in double precision.
func unary(s shape, f func(float64) float64) (Op, bool) {
	return float(op1(lift1(s.lift1(func(a float32) float32 { return float32(f(float64(a))) })), F32, F32))
}

func rcp(m *mods) (Op, bool) {
	approx := m.flag("approx")
	mode, s := m.rounding(), shape{ftz: m.flag("ftz")}
	switch t := m.typ(); t {
	case F32:
		if mode == fp.RN {
			return unary(s, func(x float64) float64 { return 1 / x }) // double then single is correct for quotients
		}
		return float(op1(lift1(s.lift1(func(a float32) float32 {
			return fp.F32Round(fp.DivOdd(1, float64(a)), mode)
		})), t, t))
	case F64:
		if approx {
			return float(op1(lift1(func(a uint64) uint64 { return approx64(a, func(x float64) float64 { return 1 / x }) }), t, t))
		}
		if s.ftz {
			return Op{}, false
		}
		return float(op1(lift1(func(a uint64) uint64 { return bits64(fp.Div64(1, f64(a), mode)) }), t, t))
	}
	return Op{}, false
}

// approx64 is a .approx.ftz.f64 function: the high word of the operand counts, the
// low word of the result is zero, subnormals are flushed.
func approx64(a uint64, f func(float64) float64) uint64 {
	flush64 := func(b uint64) uint64 {
		if b&(0x7ff<<52) == 0 {
			return b & (1 << 63)
		}
		return b
	}
	x := f64(flush64(a &^ 0xffffffff))
	if a&^(1<<63) > 0x7ff<<52 {
		x = math.NaN()
	}
	return flush64(bits64(f(x)) &^ 0xffffffff)
}

func sqrt(m *mods) (Op, bool) {
	m.flag("approx")
	mode, s := m.rounding(), shape{ftz: m.flag("ftz")}
	switch t := m.typ(); t {
	case F32:
		if mode == fp.RN {
			return unary(s, math.Sqrt)
		}
		return float(op1(lift1(s.lift1(func(a float32) float32 { return fp.F32Round(fp.SqrtOdd(float64(a)), mode) })), t, t))
	case F64:
		if s.ftz {
			return Op{}, false
		}
		return float(op1(lift1(func(a uint64) uint64 { return bits64(fp.Sqrt64(f64(a), mode)) }), t, t))
	}
	return Op{}, false
}

func rsqrt(m *mods) (Op, bool) {
	if !m.flag("approx") {
		return Op{}, false
	}
	s := shape{ftz: m.flag("ftz")}
	inverse := func(x float64) float64 { return 1 / math.Sqrt(x) } // of -0: -infinity
	switch t := m.typ(); t {
	case F32:
		return unary(s, inverse)
	case F64:
		if s.ftz {
			return float(op1(lift1(func(a uint64) uint64 { return approx64(a, inverse) }), t, t))
		}
		return float(op1(lift1(func(a uint64) uint64 { return bits64(inverse(f64(a))) }), t, t))
	}
	return Op{}, false
}

func ex2(m *mods) (Op, bool) {
	if !m.flag("approx") {
		return Op{}, false
	}
	s := shape{ftz: m.flag("ftz")}
	switch t := m.typ(); t {
	case F32:
		return float(op1(lift1(s.lift1(exp2)), t, t))
	case F16, F16x2, BF16, BF16x2:
		return float(half1(t, s, math.Exp2))
	}
	return Op{}, false
}

// exp2 computes 2^x to within an ulp of f32: the nearest integer goes to the
// exponent and the rest, in [-1/2, 1/2], into a polynomial in double precision.
func exp2(x float32) float32 {
	if !(x > -160 && x < 129) {
		switch {
		case x != x:
			return x
		case x > 0:
			return float32(math.Inf(1))
		}
		return 0
	}
	n := math.RoundToEven(float64(x))
	r := (float64(x) - n) * math.Ln2
	// Taylor to the 9th power: the first term left out is below 2^-35.
	p := 1 + r*(1+r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720+r*(1.0/5040+r*(1.0/40320+r*(1.0/362880)))))))))
	return float32(p * math.Float64frombits(uint64(int64(n)+1023)<<52))
}

func lg2(m *mods) (Op, bool) {
	if !m.flag("approx") {
		return Op{}, false
	}
	s := shape{ftz: m.flag("ftz")}
	if m.typ() != F32 {
		return Op{}, false
	}
	return unary(s, math.Log2)
}

func sin(m *mods) (Op, bool) { return trig(m, math.Sin) }
func cos(m *mods) (Op, bool) { return trig(m, math.Cos) }

func trig(m *mods, f func(float64) float64) (Op, bool) {
	if !m.flag("approx") {
		return Op{}, false
	}
	s := shape{ftz: m.flag("ftz")}
	if m.typ() != F32 {
		return Op{}, false
	}
	return unary(s, f)
}

func tanh(m *mods) (Op, bool) {
	if !m.flag("approx") {
		return Op{}, false
	}
	switch t := m.typ(); t {
	case F32:
		return unary(shape{}, math.Tanh)
	case F16, F16x2, BF16, BF16x2:
		return float(half1(t, shape{}, math.Tanh))
	}
	return Op{}, false
}
