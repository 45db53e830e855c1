package ascend

import (
	"math"

	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

// transcendental functions of floats are those that only the vector unit has.
var transcendental = map[ir.ExprOp]bool{
	ir.Exp: true, ir.Exp2: true, ir.Log: true, ir.Log2: true, ir.Sqrt: true, ir.Rsqrt: true, ir.Sin: true, ir.Cos: true, ir.Tanh: true,
	ir.Sigmoid: true, ir.Erf: true, ir.Floor: true, ir.Ceil: true, ir.Round: true, ir.Trunc: true, ir.Pow: true,
}

// vectorOnly reports a function that the scalar unit lacks.
func vectorOnly(e *ir.Expr) bool {
	return e.Type.IsFloat() && (transcendental[e.Op] || e.Op == ir.Mod)
}

// hasVectorOnly reports an expression with such a function.
func hasVectorOnly(x *ir.Expr) bool {
	found := false
	x.Walk(func(e *ir.Expr) bool {
		found = found || vectorOnly(e)
		return !found
	})
	return found
}

func f32(v float64) *ir.Expr { return ir.FloatOf(array.F32, v) }

// expand spells what no instruction does by what instructions do; nil if there is nothing to expand.
func expand(x *ir.Expr) *ir.Expr {
	if x.Op == ir.Cast {
		return route(x)
	}
	if x.Type != array.F32 || len(x.Args) == 0 {
		return nil
	}
	a := x.Args[0]
	add := func(p, q *ir.Expr) *ir.Expr { return ir.Bin(ir.Add, p, q) }
	mul := func(p, q *ir.Expr) *ir.Expr { return ir.Bin(ir.Mul, p, q) }
	div := func(p, q *ir.Expr) *ir.Expr { return ir.Bin(ir.Div, p, q) }
	switch x.Op {
	case ir.Exp2:
		return ir.Un(ir.Exp, scaled(a, math.Ln2))
	case ir.Log2:
		return mul(ir.Un(ir.Log, a), f32(math.Log2E))
	case ir.Rsqrt:
		return div(f32(1), ir.Un(ir.Sqrt, a))
	case ir.Sigmoid:
		return div(f32(1), add(ir.Un(ir.Exp, ir.Un(ir.Neg, a)), f32(1)))
	case ir.Tanh:
		return tanh(a)
	case ir.Erf:
		return erf(a)
	case ir.Fma:
		return add(mul(a, x.Args[1]), x.Args[2])
	case ir.Sin:
		return sine(a)
	case ir.Cos:
		return sine(add(a, f32(math.Pi/2)))
	case ir.Pow:
		// of a positive base; a negative one has a power for whole exponents alone
		return power(a, x.Args[1])
	case ir.Mod:
		return ir.Bin(ir.Sub, a, mul(ir.Un(ir.Floor, div(a, x.Args[1])), x.Args[1]))
	case ir.Neg:
		return mul(a, f32(-1))
	case ir.Sub:
		if x.Args[1].IsConst() {
			return add(a, f32(-x.Args[1].Float))
		}
	case ir.Div:
		if c := x.Args[1]; c.IsConst() {
			if frac, _ := math.Frexp(c.Float); math.Abs(frac) == 0.5 { // by a power of two, exactly
				return mul(a, f32(1/c.Float))
			}
		}
	}
	return nil
}

// scaled multiplies by a constant: a sum term by term, where that makes one constant of two.
func scaled(x *ir.Expr, c float64) *ir.Expr {
	if x.Op == ir.Mul {
		for i, k := range x.Args {
			if k.IsConst() {
				return ir.Bin(ir.Mul, x.Args[1-i], f32(k.Float*c))
			}
		}
	}
	if x.Op == ir.Add || x.Op == ir.Sub {
		for _, a := range x.Args {
			if a.Op == ir.Mul && (a.Args[0].IsConst() || a.Args[1].IsConst()) {
				return ir.Bin(x.Op, scaled(x.Args[0], c), scaled(x.Args[1], c))
			}
		}
	}
	return ir.Bin(ir.Mul, x, f32(c))
}

// polynomial evaluates coefficients, the highest power first.
func polynomial(x *ir.Expr, cs ...float64) *ir.Expr {
	p := f32(cs[0])
	for i, c := range cs[1:] {
		if i == 0 {
			p = ir.Bin(ir.Mul, x, p)
		} else {
			p = ir.Bin(ir.Mul, p, x)
		}
		p = ir.Bin(ir.Add, p, f32(c))
	}
	return p
}

// erf is a quotient of polynomials, minimax over [-4, 4], beyond which it is 1 in f32 (coefficients as in Eigen's generic erf).
func erf(a *ir.Expr) *ir.Expr {
	x := ir.Bin(ir.Min, ir.Bin(ir.Max, a, f32(-4)), f32(4))
	x2 := ir.Bin(ir.Mul, x, x)
	p := polynomial(x2, -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
		-2.95459980854025e-03, -1.60960333262415e-02)
	q := polynomial(x2, -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02)
	return ir.Bin(ir.Div, ir.Bin(ir.Mul, x, p), q)
}

// tanh is a quotient of polynomials, minimax over [-8, 8], beyond which it is 1 in f32 (coefficients as in Eigen's generic tanh).
func tanh(a *ir.Expr) *ir.Expr {
	x := ir.Bin(ir.Min, ir.Bin(ir.Max, a, f32(-7.90531110763549805)), f32(7.90531110763549805))
	x2 := ir.Bin(ir.Mul, x, x)
	p := polynomial(x2, -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
		6.37261928875436e-04, 4.89352455891786e-03)
	q := polynomial(x2, 1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
	return ir.Bin(ir.Div, ir.Bin(ir.Mul, x, p), q)
}

// sine reduces by multiples of pi in three parts, then takes a polynomial over [-pi/2, pi/2] and the sign of the multiple.
func sine(a *ir.Expr) *ir.Expr {
	add := func(p, q *ir.Expr) *ir.Expr { return ir.Bin(ir.Add, p, q) }
	mul := func(p, q *ir.Expr) *ir.Expr { return ir.Bin(ir.Mul, p, q) }
	n := ir.Un(ir.Round, mul(a, f32(1/math.Pi)))
	r := add(a, mul(n, f32(-3.140625)))
	r = add(r, mul(n, f32(-9.67502593994140625e-4)))
	r = add(r, mul(n, f32(-1.509957990978376432e-7)))
	r2 := mul(r, r)
	p := mul(r, add(mul(r2, polynomial(r2, 2.608315980978e-6, -1.9810690719187e-4, 8.3330780e-3, -1.6666654611e-1)), f32(1)))
	// 1 - 2(n mod 2)
	half := mul(n, f32(0.5))
	odd := ir.Bin(ir.Sub, n, mul(ir.Un(ir.Floor, half), f32(2)))
	return mul(p, add(mul(odd, f32(-2)), f32(1)))
}

// power is exp(y log |x|), with the sign of x for odd y; x = 0 gives 0 (or 1 for y = 0, inf for negative y) as log 0 is -inf.
func power(x, y *ir.Expr) *ir.Expr {
	if y.IsConst() && y.Float == math.Trunc(y.Float) && math.Abs(y.Float) <= 8 {
		n := int(math.Abs(y.Float))
		if n == 0 {
			return f32(1)
		}
		p := x
		for range n - 1 {
			p = ir.Bin(ir.Mul, p, x)
		}
		if y.Float < 0 {
			p = ir.Bin(ir.Div, f32(1), p)
		}
		return p
	}
	magnitude := ir.Un(ir.Exp, ir.Bin(ir.Mul, ir.Un(ir.Log, ir.Un(ir.Abs, x)), y))
	if y.IsConst() {
		negative := f32(math.NaN())
		switch {
		case y.Float != math.Trunc(y.Float):
		case math.Mod(y.Float, 2) == 0:
			negative = magnitude
		default:
			negative = ir.Bin(ir.Mul, magnitude, f32(-1))
		}
		return ir.SelectOf(ir.Bin(ir.Lt, x, f32(0)), negative, magnitude)
	}
	whole := ir.Un(ir.Floor, y)
	half := ir.Un(ir.Floor, ir.Bin(ir.Mul, y, f32(0.5)))
	odd := ir.Bin(ir.Sub, whole, ir.Bin(ir.Mul, half, f32(2)))
	signed := ir.Bin(ir.Mul, magnitude, ir.Bin(ir.Add, ir.Bin(ir.Mul, odd, f32(-2)), f32(1)))
	negative := ir.SelectOf(ir.Bin(ir.Eq, whole, y), signed, f32(math.NaN()))
	zeroth := ir.SelectOf(ir.Bin(ir.Eq, y, f32(0)), f32(1), ir.SelectOf(ir.Bin(ir.Lt, x, f32(0)), negative, magnitude))
	return zeroth
}

// route takes a conversion that no single Cast does through other types.
func route(x *ir.Expr) *ir.Expr {
	from, to := x.Args[0].Type, x.Type
	a := x.Args[0]
	via := func(ts ...ir.DType) *ir.Expr {
		for _, t := range append(ts, to) {
			a = ir.CastTo(t, a)
		}
		return a
	}
	if from == to || aicore.Converts(from, to) && !(from == array.F16 && to.IsInt() && to.Bits() > 8) && from != array.I64 && to != array.I64 {
		return nil
	}
	narrow := from.IsFloat() && from.Bits() < 32
	switch {
	case from == array.Bool:
		return via(array.F16)
	case (from == array.I8 || from == array.U8 || from == array.I4) && to == array.F32:
		return via(array.F16)
	case from == array.U4 && to == array.F32:
		// The instruction takes the bits for a signed number.
		s := ir.CastTo(array.F32, ir.CastTo(array.F16, bits4(a)))
		return ir.SelectOf(ir.Bin(ir.Lt, s, f32(0)), ir.Bin(ir.Add, s, f32(16)), s)
	case from == array.U4 && to == array.F16:
		return via(array.F32)
	case (from == array.I8 || from == array.U8 || from == array.I4 || from == array.U4) && to.IsFloat():
		return via(array.F32)
	case (from == array.I8 || from == array.U8 || from == array.I4 || from == array.U4) && to == array.I32:
		return via(array.F32)
	case narrow && to.IsFloat():
		return via(array.F32)
	case narrow && to.IsInt():
		return via(array.F32)
	case from == array.F32 && (to == array.I8 || to == array.U8):
		low, high := -128.0, 127.0
		if to == array.U8 {
			low, high = 0, 255
		}
		v := ir.Bin(ir.Min, ir.Bin(ir.Max, a, f32(low)), f32(high))
		// a nan becomes 0, and whole numbers of this size are exact in f16
		return &ir.Expr{Op: ir.Cast, Type: to, Args: []*ir.Expr{ir.CastTo(array.F16, ir.Un(ir.Trunc, v))}, Span: x.Span}
	case from == array.I32 && to.IsFloat():
		return via(array.F32)
	}
	return nil
}

// bits4 takes the bits of an unsigned number of 4 bits for those of a signed one.
func bits4(x *ir.Expr) *ir.Expr { return &ir.Expr{Op: ir.Bitcast, Type: array.I4, Args: []*ir.Expr{x}} }
