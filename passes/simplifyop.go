package passes

import (
	"tilec/ir"
	"tilec/passes/affine"
	"tilec/runtime/array"
)

func (s *simplifier) block(b *ir.Block) {
	if b == nil {
		return
	}
	mark := s.p.Mark()
	var out []*ir.Op
	for _, op := range b.Ops {
		out = append(out, s.op(op)...)
	}
	b.Ops = out
	s.p.Release(mark)
}

// op simplifies an operation and returns what stands in its place.
func (s *simplifier) op(op *ir.Op) []*ir.Op {
	switch op.Code {
	case ir.OpLet:
		s.scalars(op)
		s.let(op)
	case ir.OpFor:
		return s.loop(op)
	case ir.OpWhile:
		s.scalars(op)
		if op.X[0].IsInt(0) {
			return s.drop()
		}
		s.block(op.Body)
	case ir.OpIf:
		return s.branch(op)
	case ir.OpAssert:
		s.tileOp(op)
		if op.X[0].IsInt(1) {
			return s.drop()
		}
	case ir.OpCopy, ir.OpMap, ir.OpReduce, ir.OpContract, ir.OpScan, ir.OpAtomic:
		if !s.tileOp(op) {
			return s.drop()
		}
	default:
		s.scalars(op)
	}
	return []*ir.Op{op}
}

func (s *simplifier) drop() []*ir.Op {
	s.changed = true
	return nil
}

func (s *simplifier) scalars(op *ir.Op) {
	for i, x := range op.X {
		op.X[i] = s.expr(x)
	}
}

func (s *simplifier) let(op *ir.Op) {
	x := op.X[0]
	switch {
	case x.IsConst(), x.Op == ir.Ref && x.Var.Kind != ir.MutVar:
		s.values[op.Var] = x
	case op.Var.Type != ir.Index:
	case Settled(x):
		s.p.Define(op.Var, x)
	default:
		s.p.Bounded(op.Var, x)
	}
}

func (s *simplifier) loop(op *ir.Op) []*ir.Op {
	s.scalars(op)
	lo, hi, step := op.X[0], op.X[1], op.X[2]
	if s.p.AtLeast(lo, hi) {
		return s.drop()
	}
	// One iteration for certain: the body alone, with the variable at lo.
	if lo.Type == ir.Index && Settled(lo) && s.p.Holds(ir.Bin(ir.Lt, lo, hi)) && s.p.AtLeast(ir.Bin(ir.Add, lo, step), hi) {
		s.changed = true
		s.values[op.Var] = lo
		s.block(op.Body)
		return op.Body.Ops
	}
	mark := s.p.Mark()
	DeclareLoop(s.p, op)
	s.block(op.Body)
	s.p.Release(mark)
	if len(op.Body.Ops) == 0 {
		return s.drop()
	}
	return []*ir.Op{op}
}

// DeclareLoop tells a prover what a loop's variable can be, as far as its bounds have
// values that don't change.
func DeclareLoop(p *affine.Prover, loop *ir.Op) {
	known := func(e *ir.Expr) *ir.Expr {
		if e.Type != ir.Index || !Settled(e) {
			return nil
		}
		return e
	}
	lo, hi, step := known(loop.X[0]), known(loop.X[1]), loop.X[2]
	switch {
	case loop.Var.Type != ir.Index:
	case step.IsConst():
		p.Steps(loop.Var, lo, hi, step.Int)
	default:
		p.Range(loop.Var, lo, hi)
	}
}

func (s *simplifier) branch(op *ir.Op) []*ir.Op {
	s.scalars(op)
	cond := op.X[0]
	if cond.IsConst() {
		s.changed = true
		taken := op.Body
		if cond.Int == 0 {
			taken = op.Else
		}
		if taken == nil {
			return nil
		}
		s.block(taken)
		return taken.Ops
	}
	under := func(b *ir.Block, know func()) {
		mark := s.p.Mark()
		know()
		s.block(b)
		s.p.Release(mark)
	}
	under(op.Body, func() {
		for _, c := range ir.Conjuncts(cond) {
			if Settled(c) {
				s.p.Assume(c)
			}
		}
	})
	under(op.Else, func() {
		if Settled(cond) {
			s.p.Refute(cond)
		}
	})
	if op.Else != nil && len(op.Else.Ops) == 0 {
		op.Else = nil
		s.changed = true
	}
	if len(op.Body.Ops) == 0 {
		if op.Else == nil {
			return s.drop()
		}
		op.Body, op.Else = op.Else, nil
		op.X[0] = Identity(ir.Un(ir.Not, cond))
		s.changed = true
	}
	return []*ir.Op{op}
}

// tileOp simplifies an operation on tiles; it reports false if that never does
// anything. Conditions count in the order in which they are evaluated: an
// operand is evaluated only where Where and the guard of Dst hold.
func (s *simplifier) tileOp(op *ir.Op) bool {
	mark := s.p.Mark()
	defer s.p.Release(mark)
	for _, it := range op.Iters() {
		s.p.Range(it.Var, ir.Int(0), it.Extent)
	}
	where, never := op.Where, false
	if op.Code != ir.OpReduce { // whose operands come behind the guard of Dst
		if where, never = s.conjuncts(where); never {
			return false
		}
	}
	if op.Dst != nil {
		guard, never := s.conjuncts(op.Dst.Guard)
		if never {
			return false
		}
		op.Dst = s.indexed(op.Dst, guard)
		if op.Code == ir.OpScan { // what isn't written is summed up all the same
			s.p.Release(mark)
			for _, it := range op.Iters() {
				s.p.Range(it.Var, ir.Int(0), it.Extent)
			}
		}
	}
	if op.Code == ir.OpReduce {
		// An accumulating one still turns nan into its neutral value.
		if where, never = s.conjuncts(where); never && !op.Accumulate {
			op.X = []*ir.Expr{op.Combine.Neutral(op.Dst.Buf.Elem)} // it combines nothing
			op.Code, op.Combine, op.Red, op.Where = ir.OpMap, ir.NoCombine, nil, nil
			s.changed = true
			return true
		}
	}
	s.setWhere(op, where)
	for i, x := range op.X {
		op.X[i] = s.expr(x)
	}
	for i, a := range op.Src {
		n, never := s.access(a)
		if never && op.Code == ir.OpCopy {
			s.fill(op, n.Otherwise())
			break
		}
		if !never {
			op.Src[i] = n
		}
	}
	return true
}

// setWhere gives op a condition, the old one if the new is the same.
func (s *simplifier) setWhere(op *ir.Op, cond *ir.Expr) {
	old, now := ir.Conjuncts(op.Where), ir.Conjuncts(cond)
	if len(old) == len(now) {
		same := true
		for i := range old {
			same = same && old[i] == now[i]
		}
		if same {
			return
		}
	}
	op.Where = cond
}

// fill turns a copy from nowhere into a map.
func (s *simplifier) fill(op *ir.Op, x *ir.Expr) {
	s.changed = true
	op.Code, op.Src, op.Async = ir.OpMap, nil, false
	if elem := op.Dst.Buf.Elem; x.Type != elem {
		// as a copy converts, by way of f32 where the elements are narrower floats
		if x.Type.IsFloat() && elem.IsFloat() && x.Type.Bits() < 32 {
			x = ir.CastTo(array.F32, x)
		}
		x = Identity(ir.CastTo(elem, x))
	}
	op.X = []*ir.Expr{x}
}
