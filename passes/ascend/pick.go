package ascend

import "tilec/ir"

// picked has the scalar unit read elements of a tile one by one, into another: where they are used, if they may not be there elsewhere.
func (s *stepper) picked(dom []ir.Iter, a *ir.Access) *ir.Expr {
	x := ir.LoadAt(a)
	if a.Guard != nil {
		bare := *a
		bare.Guard, bare.Else = nil, nil
		x = ir.SelectOf(a.Guard, ir.LoadAt(&bare), a.Otherwise())
	}
	if s.where != nil && !s.knows.inside(dom, a) {
		if c := s.needed(dom); c != nil {
			x = ir.SelectOf(c, x, ir.ZeroOf(x.Type))
		}
	}
	sub := within(dom, x)
	t := s.temp(sub, x.Type)
	s.scalarLoop(&ir.Op{Code: ir.OpMap, Dom: sub, Dst: t, X: []*ir.Expr{x}, Where: s.limit(sub), Span: s.span})
	return ir.LoadAt(t)
}

// needed is the condition under which an operand matters, as the scalar unit reads it: what it takes from tensors lies in tiles, and what
// needs functions of the vector unit is computed ahead.
func (s *stepper) needed(dom []ir.Iter) *ir.Expr {
	all := ir.Conjuncts(s.where)
	saved := s.where
	defer func() { s.where = saved }()
	s.where = nil
	var where *ir.Expr
	for _, c := range all {
		read := c
		switch {
		case hasVectorOnly(c):
			read = s.operand(dom, c)
		default:
			read = c.Map(func(e *ir.Expr) *ir.Expr {
				if e.Op == ir.Load && e.At.Buf.Outside() {
					return s.loaded(dom, e)
				}
				return e
			})
		}
		where = ir.Conj(where, read)
		s.where = ir.Conj(s.where, c)
	}
	return where
}
