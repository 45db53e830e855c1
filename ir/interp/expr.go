package interp

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// general compiles the expressions that are the same for all lanes; ok is false
// for the others. same compiles an operand of the same lane.
func general[T lane](c *compiler, tr *traits[T], e *ir.Expr, same func(*ir.Expr) node[T]) (n node[T], ok bool) {
	switch e.Op {
	case ir.Ref:
		at := c.slotOf(e.Var).at
		return node[T]{one: func(fr *frame) T { return tr.vars(fr)[at] }}, true
	case ir.Load:
		return loadOf(c, tr, e.At, e.Type), true
	case ir.Select:
		return choose(tr, c.condition(e.Args[0]), same(e.Args[1]), same(e.Args[2]), faults(e.Args[1]), faults(e.Args[2])), true
	}
	return n, false
}

// faults reports that evaluating e may fault.
func faults(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load
		return !found
	})
	return found
}

// condition compiles a condition.
func (c *compiler) condition(e *ir.Expr) *condition {
	n := c.bools(e)
	if n.row == nil {
		return &condition{one: n.one}
	}
	if f, ok := c.rangeFilter(e, true); ok {
		return &condition{span: f, row: n.row}
	}
	return &condition{row: n.row}
}

// exprOf compiles an expression whose type is held in lane T.
func exprOf[T lane](c *compiler, e *ir.Expr) node[T] {
	var n any
	switch kindOf(e.Type) {
	case kindF:
		n = c.floats(e)
	case kindD:
		n = c.doubles(e)
	case kindI:
		n = c.ints(e)
	case kindB:
		n = c.bools(e)
	}
	if n, ok := n.(node[T]); ok {
		return n
	}
	return malformed[T](c, e)
}

func constant[T lane](v T) node[T] { return node[T]{one: func(*frame) T { return v }} }

// malformed reports an expression that no verified function holds.
func malformed[T lane](c *compiler, e *ir.Expr) node[T] {
	c.fail("expression %q of type %s is malformed or not supported", e.Op, e.Type)
	var zero T
	return constant(zero)
}

// arity reports whether e has the operands that its row asks for.
func arity(e *ir.Expr) bool { return e != nil && len(e.Args) == e.Op.Info().Arity }

// floats compiles an expression of f32 or a narrower float type.
func (c *compiler) floats(e *ir.Expr) node[float32] {
	if !arity(e) || kindOf(e.Type) != kindF {
		return malformed[float32](c, e)
	}
	if n, ok := general(c, laneF, e, c.floats); ok {
		return n
	}
	switch e.Op {
	case ir.Const:
		return constant(float32(array.RoundFloat(e.Type, e.Float)))
	case ir.Cast:
		return c.castF(e)
	case ir.Bitcast:
		n := c.patterns(e.Args[0])
		t := e.Type
		return unary(laneI, n, func(b int64) float32 { return valueF(t, uint64(b)) }, nil)
	case ir.Rand:
		seed, offset := c.ints(e.Args[0]), c.ints(e.Args[1])
		return binary(laneI, binaryOp[int64, float32]{one: uniform}, seed, offset)
	}
	n := floatOp(c, laneF, e, c.floats, fma32)
	if e.Type == array.F32 {
		return n
	}
	return rounded(e.Type, n)
}

// doubles compiles an expression of type f64.
func (c *compiler) doubles(e *ir.Expr) node[float64] {
	if !arity(e) || kindOf(e.Type) != kindD {
		return malformed[float64](c, e)
	}
	if n, ok := general(c, laneD, e, c.doubles); ok {
		return n
	}
	switch e.Op {
	case ir.Const:
		return constant(e.Float)
	case ir.Cast:
		return c.castD(e)
	case ir.Bitcast:
		return unary(laneI, c.patterns(e.Args[0]), valueD, nil)
	case ir.Rand:
		return unary(laneF, c.floats(&ir.Expr{Op: ir.Rand, Type: array.F32, Args: e.Args}), func(x float32) float64 { return float64(x) }, nil)
	}
	return floatOp(c, laneD, e, c.doubles, fma64)
}

// ints compiles an expression of an integer type.
func (c *compiler) ints(e *ir.Expr) node[int64] {
	if !arity(e) || kindOf(e.Type) != kindI {
		return malformed[int64](c, e)
	}
	if e.Op == ir.Ref && e.Var == c.rowVar && c.rowVar != nil {
		return node[int64]{row: func(_ *frame, m mask, out []int64) {
			for l := m.lo; l < m.hi; l++ {
				out[l] = int64(l)
			}
		}}
	}
	if n, ok := general(c, laneI, e, c.ints); ok {
		return n
	}
	switch e.Op {
	case ir.Const:
		return constant(array.WrapInt(e.Type, e.Int))
	case ir.Cast:
		return c.castI(e)
	case ir.Bitcast:
		t := e.Type
		return inPlace(c.patterns(e.Args[0]), func(b int64) int64 { return array.DecodeInt(t, uint64(b)) }, nil)
	}
	return c.intOp(e)
}

// bools compiles an expression of type bool.
func (c *compiler) bools(e *ir.Expr) node[bool] {
	if !arity(e) || kindOf(e.Type) != kindB {
		return malformed[bool](c, e)
	}
	if n, ok := general(c, laneB, e, c.bools); ok {
		return n
	}
	if e.Op.Info().Flags&ir.Compares != 0 {
		return c.compare(e)
	}
	switch e.Op {
	case ir.Const:
		return constant(e.Int != 0)
	case ir.Cast:
		return c.castB(e)
	case ir.Bitcast:
		return unary(laneI, c.patterns(e.Args[0]), func(b int64) bool { return b&0xff != 0 }, nil)
	case ir.Not, ir.BitNot:
		return inPlace(c.bools(e.Args[0]), func(x bool) bool { return !x }, nil)
	case ir.And:
		// x ? y : false
		return choose(laneB, c.condition(e.Args[0]), c.bools(e.Args[1]), constant(false), faults(e.Args[1]), false)
	case ir.Or:
		return choose(laneB, c.condition(e.Args[0]), constant(true), c.bools(e.Args[1]), false, faults(e.Args[1]))
	}
	var op binaryOp[bool, bool]
	switch e.Op {
	case ir.BitAnd, ir.Min:
		op.one = func(x, y bool) bool { return x && y }
	case ir.BitOr, ir.Max:
		op.one = func(x, y bool) bool { return x || y }
	case ir.BitXor:
		op.one = func(x, y bool) bool { return x != y }
	default:
		return malformed[bool](c, e)
	}
	return binary(laneB, op, c.bools(e.Args[0]), c.bools(e.Args[1]))
}

// compare compiles a comparison of operands of any one type.
func (c *compiler) compare(e *ir.Expr) node[bool] {
	x, y := e.Args[0], e.Args[1]
	op := e.Op
	switch op {
	case ir.Gt:
		op, x, y = ir.Lt, y, x
	case ir.Ge:
		op, x, y = ir.Le, y, x
	}
	if x == nil || y == nil || kindOf(x.Type) != kindOf(y.Type) {
		return malformed[bool](c, e)
	}
	switch kindOf(x.Type) {
	case kindF:
		return binary(laneF, ordering[float32](op), c.floats(x), c.floats(y))
	case kindD:
		return binary(laneD, ordering[float64](op), c.doubles(x), c.doubles(y))
	case kindI:
		if x.Type == array.U64 {
			return binary(laneI, unsignedOrdering(op), c.ints(x), c.ints(y))
		}
		return binary(laneI, ordering[int64](op), c.ints(x), c.ints(y))
	}
	var b binaryOp[bool, bool]
	switch op {
	case ir.Eq:
		b = eqOp[bool]()
	case ir.Ne:
		b = neOp[bool]()
	case ir.Lt:
		b.one = func(x, y bool) bool { return !x && y }
	case ir.Le:
		b.one = func(x, y bool) bool { return !x || y }
	}
	return binary(laneB, b, c.bools(x), c.bools(y))
}

func ordering[T number](op ir.ExprOp) binaryOp[T, bool] {
	switch op {
	case ir.Eq:
		return eqOp[T]()
	case ir.Ne:
		return neOp[T]()
	case ir.Lt:
		return ltOp[T]()
	}
	return leOp[T]()
}

func unsignedOrdering(op ir.ExprOp) binaryOp[int64, bool] {
	switch op {
	case ir.Lt:
		return binaryOp[int64, bool]{one: func(x, y int64) bool { return uint64(x) < uint64(y) }}
	case ir.Le:
		return binaryOp[int64, bool]{one: func(x, y int64) bool { return uint64(x) <= uint64(y) }}
	}
	return ordering[int64](op)
}
