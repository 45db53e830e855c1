package ascend

import "tilec/ir"

// computed are the scalars that depend on what tiles hold.
type computed map[*ir.Var]bool

// computedIn finds the scalars of a program that depend on what tiles hold, if only by the branch that assigns them.
func computedIn(b *ir.Block) computed {
	c := computed{}
	var visit func(b *ir.Block, under bool) bool
	visit = func(b *ir.Block, under bool) (more bool) {
		if b == nil {
			return false
		}
		for _, op := range b.Ops {
			by := under || c.by(op)
			switch op.Code {
			case ir.OpLet, ir.OpVar, ir.OpAssign:
				if by && !c[op.Var] {
					c[op.Var] = true
					more = true
				}
			case ir.OpFor, ir.OpIf, ir.OpWhile:
				more = visit(op.Body, by) || more
				more = visit(op.Else, by) || more
			}
		}
		return more
	}
	for visit(b, false) {
	}
	return c
}

// places reports an operation that goes to a place, or under a condition, that depends on such a scalar.
func (c computed) places(op *ir.Op) bool {
	found := false
	op.Exprs(func(e *ir.Expr) bool {
		found = found || e.Op == ir.Ref && c[e.Var]
		return !found
	})
	return found
}

// by reports an operation whose scalar operands, or the places that it goes to, depend on such a scalar or on a tile's elements.
func (c computed) by(op *ir.Op) bool {
	found := false
	op.Exprs(func(e *ir.Expr) bool {
		found = found || e.Op == ir.Ref && c[e.Var] || e.Op == ir.Load && !e.At.Buf.Outside()
		return !found
	})
	return found
}

// steers reports that such scalars say whether cross-core flags are come to.
func (c computed) steers(b *ir.Block) bool {
	found := false
	b.Walk(func(op *ir.Op) {
		if (op.Code == ir.OpFor || op.Code == ir.OpIf || op.Code == ir.OpWhile) && c.by(op) {
			for _, inner := range []*ir.Block{op.Body, op.Else} {
				inner.Walk(func(o *ir.Op) { found = found || o.Code == ir.OpCrossSet || o.Code == ir.OpCrossWait })
			}
		}
	})
	return found
}
