package ascend

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/passes"
)

// types refuses a function with tensors, tiles or values of types that the chip can hold no values of, at the first place of each.
func types(ctx *passes.Context, f *ir.Func) error {
	t := &typed{ctx: ctx, seen: map[ir.DType]bool{}}
	for _, p := range f.Params {
		if p.Tensor != nil {
			t.see(p.Tensor.Elem, p.Tensor.Span)
		} else {
			t.see(p.Scalar.Type, p.Scalar.Span)
		}
	}
	f.Body.Walk(func(op *ir.Op) {
		if op.Buf != nil {
			t.see(op.Buf.Elem, op.Span)
		}
		if op.Var != nil {
			t.see(op.Var.Type, op.Span)
		}
		if op.Dst != nil {
			t.see(op.Dst.Buf.Elem, op.Span)
		}
		for _, a := range op.Src {
			t.see(a.Buf.Elem, op.Span)
		}
		op.Exprs(func(e *ir.Expr) bool {
			t.see(e.Type, op.Span)
			return true
		})
	})
	if len(t.seen) > 0 {
		return passes.ErrReported
	}
	return nil
}

type typed struct {
	ctx  *passes.Context
	seen map[ir.DType]bool // lacking, and reported
}

func (t *typed) see(elem ir.DType, at diag.Span) {
	m := t.ctx.Machine
	l := m.Lacking(elem)
	if l == nil || t.seen[elem] {
		return
	}
	t.seen[elem] = true
	t.ctx.Reporter.Errorf(diag.LacksType, at, "%s can hold no %s: use %s", m.Name, elem, l.Use)
}
