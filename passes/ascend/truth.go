package ascend

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// The vector unit has no truth values: it compares, and chooses by what it has compared. As values they are bytes of 0 and 1, which are
// converted from and to f16.

// condition spells what a choice may depend on by comparisons of numbers that the vector unit makes; nil if it is one.
func condition(c *ir.Expr) *ir.Expr {
	switch {
	case c.Op == ir.Load && c.Type == array.Bool:
		return ir.Bin(ir.Ne, ir.CastTo(array.F32, ir.CastTo(array.F16, c)), f32(0))
	case c.Op == ir.Cast && c.Type == array.Bool:
		return ir.Bin(ir.Ne, c.Args[0], ir.ZeroOf(c.Args[0].Type))
	case c.Op == ir.BitAnd:
		return ir.Bin(ir.And, c.Args[0], c.Args[1])
	case c.Op == ir.BitOr:
		return ir.Bin(ir.Or, c.Args[0], c.Args[1])
	case c.Op.Info().Flags&ir.Compares == 0 || c.Args[0].Type != array.I32:
		return nil
	}
	// Of whole numbers the unit knows equality alone.
	x, y := c.Args[0], c.Args[1]
	most := ir.Bin(ir.Max, x, y)
	switch c.Op {
	case ir.Ge:
		return ir.Bin(ir.Eq, most, x)
	case ir.Le:
		return ir.Bin(ir.Eq, most, y)
	case ir.Lt:
		return ir.Un(ir.Not, ir.Bin(ir.Eq, most, x))
	case ir.Gt:
		return ir.Un(ir.Not, ir.Bin(ir.Eq, most, y))
	case ir.Ne:
		return ir.Un(ir.Not, ir.Bin(ir.Eq, x, y))
	}
	return nil
}

// truth is a condition as a value.
func (s *stepper) truth(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	h := s.operand(dom, ir.CastTo(array.F16, ir.SelectOf(x, f32(1), f32(0))))
	return &ir.Expr{Op: ir.Cast, Type: array.Bool, Args: []*ir.Expr{h}, Span: x.Span}
}

// anyOrAll lowers whether a condition holds anywhere, or everywhere: the greatest, or the least, of its values.
func (s *stepper) anyOrAll(op *ir.Op) {
	x, combine := op.X[0], ir.MaxOf
	if op.Combine == ir.AllOf {
		combine = ir.MinOf
	}
	switch {
	case op.Where == nil:
	case op.Combine == ir.AllOf:
		x = ir.Bin(ir.Or, ir.Un(ir.Not, op.Where), x)
	default:
		x = ir.Bin(ir.And, op.Where, x)
	}
	found := s.reduced(op, combine, ir.SelectOf(x, f32(1), f32(0)))
	result := ir.Bin(ir.Ne, found, f32(0))
	if op.Accumulate {
		bare := *op.Dst
		bare.Guard = nil
		two, _ := op.Combine.Op()
		result = ir.Bin(two, ir.LoadAt(&bare), result)
	}
	s.assign(&ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: op.Dst, Span: op.Span}, result)
}

// assert lowers an assertion: whether the condition holds at all points is found first.
func (s *stepper) assert(op *ir.Op) {
	s.name = "holds"
	x := op.X[0]
	if len(op.Dom) > 0 {
		all := s.temp(nil, array.Bool)
		s.reduce(&ir.Op{Code: ir.OpReduce, Combine: ir.AllOf, Red: op.Dom, Dst: all, X: []*ir.Expr{x}, Where: op.Where, Span: op.Span})
		x = ir.LoadAt(all)
	}
	if s.err != nil {
		return
	}
	s.emit(&ir.Op{Code: ir.OpAssert, X: []*ir.Expr{s.scalarLoads(nil, s.scalar(x))}, Text: op.Text, Span: op.Span})
}

// argument lowers the place of the greatest or least value: the least index of those at which the value is that. It is false where that
// takes other means.
func (s *stepper) argument(op *ir.Op) bool {
	if len(op.Red) != 1 || op.Accumulate || !op.X[0].Type.IsFloat() || op.Red[0].Extent.Int >= mostExact/2 {
		return false
	}
	combine := ir.MaxOf
	if op.Combine == ir.ArgMin {
		combine = ir.MinOf
	}
	left := combine.Neutral(array.F32)
	x := ir.CastTo(array.F32, op.X[0])
	is := ir.Bin(ir.Eq, x, x) // what is no number is passed over
	x = ir.SelectOf(ir.Conj(op.Where, is), x, left)
	best := s.reduced(op, combine, x)
	none := f32(mostExact)
	hit := ir.Conj(op.Where, ir.Bin(ir.Eq, x, best))
	first := s.reduced(op, ir.MinOf, ir.SelectOf(hit, ir.CastTo(array.F32, ir.RefTo(op.Red[0].Var)), none))
	if s.err != nil {
		return true
	}
	first = ir.SelectOf(ir.Bin(ir.Lt, first, none), first, f32(0))
	s.assign(&ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: op.Dst, Span: op.Span}, ir.CastTo(op.Dst.Buf.Elem, first))
	return true
}

// reduced reduces other values over the same indices into a tile of its own, and returns its element.
func (s *stepper) reduced(op *ir.Op, combine ir.Combine, x *ir.Expr) *ir.Expr {
	r := *op
	r.Combine, r.X, r.Where, r.Accumulate = combine, []*ir.Expr{x}, nil, false
	r.Dst = s.temp(op.Dom, array.F32)
	name := s.name
	if s.err == nil {
		s.reduce(&r)
	}
	s.name = name
	return ir.LoadAt(r.Dst)
}
