package launcher

import "tilec/ir"

// folded computes the constant parts of an expression, so that no compiler of the printed text has to.
func folded(e *ir.Expr) *ir.Expr {
	return e.Map(func(x *ir.Expr) *ir.Expr {
		if x.Op == ir.Const || x.Op == ir.Ref || x.Op == ir.Load {
			return x
		}
		for _, a := range x.Args {
			if !a.IsConst() {
				return x
			}
		}
		v, err := environment{}.eval(x)
		if err != nil {
			return x
		}
		return &ir.Expr{Op: ir.Const, Type: v.typ, Int: v.i, Float: v.f, Span: x.Span}
	})
}
