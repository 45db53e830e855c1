package ascend

import (
	"tilec/ir"
	"tilec/passes"
)

// scope lowers the blocks of an operation where what its scalars say is known.
func (s *stepper) scope(op *ir.Op) {
	settled := func(e *ir.Expr) *ir.Expr {
		if e.Type != ir.Index || !passes.Settled(e) {
			return nil
		}
		return e
	}
	mark := s.knows.Mark()
	switch op.Code {
	case ir.OpLet:
		if op.Var.Type == ir.Index && passes.Settled(op.X[0]) {
			s.knows.Define(op.Var, op.X[0])
		}
		return // until the end of the block
	case ir.OpFor:
		if op.Var.Type == ir.Index {
			s.knows.Range(op.Var, settled(op.X[0]), settled(op.X[1]))
		}
	case ir.OpIf:
		for _, c := range ir.Conjuncts(op.X[0]) {
			if passes.Settled(c) {
				s.knows.Assume(c)
			}
		}
	}
	s.block(op.Body)
	s.knows.Release(mark)
	if op.Code == ir.OpIf && passes.Settled(op.X[0]) {
		s.knows.Refute(op.X[0])
	}
	s.block(op.Else)
	s.knows.Release(mark)
}

// holds reports a condition that holds at every point of a domain for certain.
func (s *stepper) holds(dom []ir.Iter, c *ir.Expr) bool {
	mark := s.knows.Mark()
	defer s.knows.Release(mark)
	for _, it := range dom {
		s.knows.Range(it.Var, ir.Int(0), it.Extent)
	}
	return s.knows.Holds(c)
}

// inside reports an element of a tile that is there at every point of a domain for certain.
func (s *stepper) inside(dom []ir.Iter, a *ir.Access) bool {
	for d, x := range a.Index {
		if !s.holds(dom, ir.Bin(ir.Ge, x, ir.Int(0))) || !s.holds(dom, ir.Bin(ir.Lt, x, a.Buf.Shape[d])) {
			return false
		}
	}
	return true
}
