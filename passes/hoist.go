package passes

import "tilec/ir"

// hoist moves scalars that a loop doesn't change in front of it, innermost loops
// first, so that they travel as far out as they can. Those that read memory
// stay: the loop may run no iteration. It reports whether anything moved.
func hoist(b *ir.Block) bool {
	if b == nil {
		return false
	}
	changed := false
	var out []*ir.Op
	for _, op := range b.Ops {
		changed = hoist(op.Body) || changed
		changed = hoist(op.Else) || changed
		if op.Code == ir.OpFor || op.Code == ir.OpWhile {
			moved := invariants(op)
			changed = changed || len(moved) > 0
			out = append(out, moved...)
		}
		out = append(out, op)
	}
	b.Ops = out
	return changed
}

// invariants takes the lets out of a loop's body that have one value for all
// iterations.
func invariants(loop *ir.Op) []*ir.Op {
	inside := map[*ir.Var]bool{}
	if loop.Var != nil {
		inside[loop.Var] = true
	}
	loop.Body.Walk(func(op *ir.Op) {
		if op.Var != nil {
			inside[op.Var] = true
		}
	})
	var moved, left []*ir.Op
	for _, op := range loop.Body.Ops {
		if op.Code == ir.OpLet && invariant(op.X[0], inside) {
			delete(inside, op.Var)
			moved = append(moved, op)
			continue
		}
		left = append(left, op)
	}
	loop.Body.Ops = left
	return moved
}

func invariant(e *ir.Expr, inside map[*ir.Var]bool) bool {
	ok := true
	e.Walk(func(x *ir.Expr) bool {
		ok = ok && x.Op != ir.Load && (x.Op != ir.Ref || !inside[x.Var])
		return ok
	})
	return ok
}
