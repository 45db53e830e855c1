package fuzz

import (
	"math"

	"tilec/runtime/array"
)

// expr grows an expression of about a type from free indices in scope: an f32 may
// come out as a narrower float, which is computed with in f32, and an f64 as any.
func (g *generator) expr(t Type, depth int, index []Bound) *Expr {
	switch {
	case t.Index:
		return g.indexExpr(depth, index)
	case t.Elem == array.Bool:
		return g.boolExpr(depth, index)
	case depth <= 0 || g.chance(5):
		return g.leaf(t, index)
	case t.Elem.IsFloat():
		return g.floatExpr(t, depth, index)
	}
	return g.intExpr(t, depth, index)
}

// computed is the float type that operands of these types are computed in.
func computed(args ...*Expr) Type {
	for _, a := range args {
		if a.Type.Elem == array.F64 {
			return typeOf(array.F64)
		}
	}
	return typeOf(array.F32)
}

func binary(op string, t Type, x, y *Expr) *Expr {
	return &Expr{Op: Binary, Name: op, Type: t, Args: []*Expr{x, y}}
}

func call(name string, t Type, args ...*Expr) *Expr {
	return &Expr{Op: Call, Name: name, Type: t, Args: args}
}

func convert(t array.DType, x *Expr) *Expr {
	return &Expr{Op: Convert, Type: typeOf(t), Args: []*Expr{x}}
}

func literal(t Type, v float64, typed bool) *Expr {
	return &Expr{Op: Lit, Type: t, Value: v, Typed: typed}
}

func (g *generator) floatExpr(t Type, depth int, index []Bound) *Expr {
	sub := func() *Expr { return g.expr(t, depth-1, index) }
	switch g.weighted(12, 4, 3, 2, 3, 2, 3, 2, 1, 1, 2) {
	case 0:
		x, y := sub(), g.operand(t, depth-1, index)
		return binary(pick(g, []string{"+", "-", "*", "*"}), computed(x, y), x, y)
	case 1:
		x := sub()
		return call(pick(g, functionNames), computed(x), x)
	case 2:
		x, y := sub(), g.operand(t, depth-1, index)
		return call(pick(g, []string{"min", "max"}), computed(x, y), x, y)
	case 3:
		x := sub()
		if g.chance(2) {
			return call("abs", computed(x), x)
		}
		return &Expr{Op: Unary, Name: "-", Type: computed(x), Args: []*Expr{x}}
	case 4:
		return g.cond(t, depth, index)
	case 5:
		return g.quotient(t, depth, index)
	case 6:
		if r := g.reduction(t, depth, index); r != nil {
			return r
		}
	case 7:
		narrow := pick(g, g.floats)
		e := convert(narrow, sub())
		e.Generic = g.isGeneric(narrow)
		if narrow != array.F64 || t.Elem == array.F64 {
			return e
		}
	case 8:
		x, y, z := sub(), sub(), sub()
		if g.chance(2) {
			return call("fma", computed(x, y, z), x, y, z)
		}
		return call("clamp", computed(x), x, literal(computed(x), -1, false), literal(computed(x), 2, false))
	case 9:
		if len(g.p.Funcs) > 0 && t.Elem == array.F32 {
			f := pick(g, g.p.Funcs)
			e := &Expr{Op: FuncCall, Func: f, Type: typeOf(f.Result)}
			for range f.Params {
				e.Args = append(e.Args, sub())
			}
			return e
		}
		return g.random(index)
	case 10:
		return convert(t.Elem, g.expr(pick(g, []Type{typeOf(pick(g, g.ints)), indexType, typeOf(array.Bool)}), depth-1, index))
	}
	return sub()
}

// operand is an expression, or a bare literal.
func (g *generator) operand(t Type, depth int, index []Bound) *Expr {
	if g.chance(4) {
		// A bare literal takes the type of the other side, which an f64 may not be.
		return literal(t, g.floatLiteral(), t.Elem == array.F64)
	}
	return g.expr(t, depth, index)
}

func (g *generator) floatLiteral() float64 {
	switch {
	case g.special && g.chance(5):
		return pick(g, []float64{math.NaN(), math.Inf(1), math.Inf(-1)})
	case g.integral:
		return float64(g.r.IntN(7) - 3)
	}
	return pick(g, []float64{0, 1, 2, 0.5, -1, 1.5, 3, -0.25, 0.1, 7, -2.5, 100})
}

// quotient divides by what is not near 0, or takes a remainder.
func (g *generator) quotient(t Type, depth int, index []Bound) *Expr {
	x, y := g.expr(t, depth-1, index), g.expr(t, depth-1, index)
	if g.chance(4) {
		return binary("%", computed(x), x, literal(computed(x), pick(g, []float64{3, 2, 0.5, -2.5}), false))
	}
	if g.chance(4) {
		return call("pow", computed(x), binary("+", computed(x), call("abs", computed(x), x), literal(computed(x), 0.5, false)),
			literal(computed(x), pick(g, []float64{2, 0.5, -1, 3, 0.3}), false))
	}
	c := computed(y)
	below := binary("+", c, call("abs", c, y), literal(c, pick(g, []float64{1, 0.5, 2}), false))
	return binary("/", computed(x, y), x, below)
}

// random is rand, seeded by place.
func (g *generator) random(index []Bound) *Expr {
	return call("rand", typeOf(array.F32), literal(indexType, float64(g.r.IntN(100)), false), g.indexExpr(1, index))
}

func (g *generator) cond(t Type, depth int, index []Bound) *Expr {
	c := g.boolExpr(depth-1, index)
	x, y := g.expr(t, depth-1, index), g.expr(t, depth-1, index)
	result := t
	if t.Elem.IsFloat() {
		result = computed(x, y)
		if x.Type == y.Type {
			result = x.Type
		}
	}
	if g.chance(3) {
		return call("select", result, c, x, y)
	}
	return &Expr{Op: Cond, Type: result, Args: []*Expr{c, x, y}}
}

func (g *generator) intExpr(t Type, depth int, index []Bound) *Expr {
	sub := func() *Expr { return g.expr(t, depth-1, index) }
	operand := func() *Expr {
		if g.chance(3) {
			return literal(t, g.intLiteral(t.Elem), false)
		}
		return sub()
	}
	switch g.weighted(8, 4, 3, 3, 3, 3, 3, 3) {
	case 0:
		return binary(pick(g, []string{"+", "-", "*"}), t, sub(), operand())
	case 1:
		d := operand()
		if d.Op == Lit && d.Value == 0 {
			d.Value = 3
		}
		return binary(pick(g, []string{"/", "%"}), t, sub(), d)
	case 2:
		return binary(pick(g, []string{"&", "|", "^"}), t, sub(), operand())
	case 3:
		amount := literal(t, float64(g.r.IntN(t.Elem.Bits()+2)), false)
		if t.Elem.IsSigned() && t.Elem.Bits() < 8 {
			amount.Value = float64(g.r.IntN(7))
		}
		if g.chance(2) {
			amount = binary("&", t, sub(), literal(t, 7, false))
		}
		return binary(pick(g, []string{"<<", ">>"}), t, sub(), amount)
	case 4:
		if g.chance(2) {
			return call(pick(g, []string{"min", "max"}), t, sub(), operand())
		}
		if g.chance(2) {
			return &Expr{Op: Unary, Name: pick(g, []string{"-", "~"}), Type: t, Args: []*Expr{sub()}}
		}
		return call("abs", t, sub())
	case 5:
		return g.cond(t, depth, index)
	case 6:
		if r := g.reduction(t, depth, index); r != nil {
			return r
		}
	case 7:
		return g.converted(t, depth, index)
	}
	return sub()
}

// converted is an integer made of something else.
func (g *generator) converted(t Type, depth int, index []Bound) *Expr {
	switch g.r.IntN(5) {
	case 4:
		if e := g.bits(t.Elem, depth, index); e != nil {
			return e
		}
	case 0:
		return convert(t.Elem, g.expr(typeOf(pick(g, g.floats)), depth-1, index))
	case 1:
		return convert(t.Elem, g.indexExpr(depth-1, index))
	case 2:
		return convert(t.Elem, g.boolExpr(depth-1, index))
	}
	return convert(t.Elem, g.expr(typeOf(pick(g, g.ints)), depth-1, index))
}

// bits is the bits of an element of a tensor, or of an integer of the other sign; nil
// if there is none.
func (g *generator) bits(t array.DType, depth int, index []Bound) *Expr {
	other := map[array.DType]array.DType{
		array.I8: array.U8, array.U8: array.I8, array.I16: array.U16, array.U16: array.I16,
		array.I32: array.U32, array.U32: array.I32, array.I64: array.U64, array.U64: array.I64,
	}[t]
	var fits []*Array
	for _, a := range g.arrays {
		if a.Kind == In && a.Elem.IsFloat() && a.Elem.Bits() == t.Bits() && t.Bits() >= 8 {
			fits = append(fits, a)
		}
	}
	var e *Expr
	if fits != nil {
		e = g.loadFrom(pick(g, fits), index)
	} else if other != array.Invalid {
		e = g.expr(typeOf(other), depth-1, index)
	}
	if e == nil || e.constant() {
		return nil
	}
	return &Expr{Op: Bitcast, Type: typeOf(t), Args: []*Expr{e}}
}

func (g *generator) intLiteral(t array.DType) float64 {
	lo, hi := intLimits(t)
	switch g.r.IntN(6) {
	case 0:
		return math.Max(lo, -float64(1+g.r.IntN(9)))
	case 1:
		return math.Min(hi, math.Max(lo, pick(g, []float64{127, 255, -128, 1000, 65535, 65537, -32769, 0x7fffffff})))
	}
	return math.Min(hi, float64(g.r.IntN(10)))
}

// leaf is a load, scalar, index or literal.
func (g *generator) leaf(t Type, index []Bound) *Expr {
	for range 3 {
		switch g.weighted(10, 2, 2) {
		case 0:
			if e := g.load(t, index); e != nil {
				return e
			}
		case 1:
			if e := g.scalar(t); e != nil {
				return e
			}
		case 2:
			if len(index) > 0 {
				return convert(t.Elem, g.indexExpr(1, index))
			}
		}
	}
	v := g.floatLiteral()
	if !t.Elem.IsFloat() {
		v = g.intLiteral(t.Elem)
	}
	return literal(t, v, true)
}

// scalar is a scalar in scope of about a type; nil if there is none.
func (g *generator) scalar(t Type) *Expr {
	var fits []*Scalar
	for _, s := range g.scalars {
		if s.Type == t || t.Elem == array.F32 && s.Type.Elem == array.F16 || t.Elem == array.F64 && s.Type.Elem == array.F32 {
			fits = append(fits, s)
		}
	}
	if fits == nil {
		return nil
	}
	s := pick(g, fits)
	return &Expr{Op: Ref, Name: s.Name, Type: s.Type}
}

func (g *generator) boolExpr(depth int, index []Bound) *Expr {
	b := typeOf(array.Bool)
	compare := []string{"<", "<=", ">", ">=", "==", "!="}
	switch g.weighted(5, 5, 5, 3, 2, 2) {
	case 0:
		return binary(pick(g, compare), b, g.indexExpr(1, index), g.indexExpr(1, index))
	case 1:
		t := typeOf(pick(g, g.ints))
		return binary(pick(g, compare), b, g.expr(t, depth-1, index), literal(t, g.intLiteral(t.Elem), false))
	case 2:
		x := g.expr(typeOf(array.F32), depth-1, index)
		return binary(pick(g, compare), b, x, g.operand(typeOf(array.F32), depth-1, index))
	case 3:
		if e := g.load(b, index); e != nil {
			return e
		}
		if e := g.scalar(b); e != nil {
			return e
		}
	case 4:
		if depth > 0 {
			if g.chance(3) {
				return &Expr{Op: Unary, Name: "not ", Type: b, Args: []*Expr{g.boolExpr(depth-1, index)}}
			}
			return binary(pick(g, []string{"and", "or"}), b, g.boolExpr(depth-1, index), g.boolExpr(depth-1, index))
		}
	case 5:
		if r := g.reduction(b, depth, index); r != nil {
			return r
		}
	}
	return binary("==", b, binary("%", indexType, g.indexExpr(1, index), literal(indexType, float64(2+g.r.IntN(3)), false)), literal(indexType, 0, false))
}
