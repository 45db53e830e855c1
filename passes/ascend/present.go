package ascend

import (
	"tilec/ir"
	"tilec/passes"
)

// present has contractions run only where their operands lie inside their tensors, at least in part: products know how much of an operand
// is there, and that must be something. Most loops and grids end where tensors do, and need no condition.
func present(_ *passes.Context, f *ir.Func) error {
	edges, several := loadedEdges(f) // tiles with several edges have none: they are cleared before they are filled
	k := knowledge{passes.Knowing(f)}
	visible := map[*ir.Var]bool{} // loops' variables and lets
	names := func(e *ir.Expr) bool {
		ok := true
		e.Walk(func(x *ir.Expr) bool {
			local := x.Op == ir.Ref && (x.Var.Kind == ir.LoopVar || x.Var.Kind == ir.LetVar || x.Var.Kind == ir.MutVar)
			ok = ok && (!local || visible[x.Var])
			return ok
		})
		return ok
	}
	var block func(b *ir.Block)
	block = func(b *ir.Block) {
		if b == nil {
			return
		}
		defer k.Release(k.Mark())
		var own []*ir.Var
		for i, op := range b.Ops {
			if op.Var != nil && !visible[op.Var] {
				own = append(own, op.Var)
				visible[op.Var] = true
			}
			if op.Code != ir.OpContract {
				k.under(op, block)
				if op.Code == ir.OpFor {
					delete(visible, op.Var)
				}
				continue
			}
			var cond *ir.Expr
			seen := map[string]bool{}
			for _, a := range op.Src {
				for _, e := range edges[a.Buf] {
					if e == nil || several[a.Buf] {
						continue
					}
					if c := ir.Bin(ir.Gt, e, ir.Int(0)); names(e) && !seen[c.String()] && !k.Holds(c) {
						seen[c.String()] = true
						cond = ir.Conj(cond, c)
					}
				}
			}
			if cond != nil {
				b.Ops[i] = &ir.Op{Code: ir.OpIf, X: []*ir.Expr{cond}, Body: &ir.Block{Ops: []*ir.Op{op}}, Span: op.Span}
			}
		}
		for _, v := range own {
			delete(visible, v)
		}
	}
	block(f.Body)
	return nil
}
