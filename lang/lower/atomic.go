package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// atomic lowers `atomic lhs op= value` over the statement's indices; old, if
// any, receives the old value.
func (l *lowerer) atomic(t *target, old *ir.Var) {
	how := ir.Exchange
	if t.op != ast.Set {
		how = combiners[t.op].combine
	}
	if how == ir.Prod {
		l.unsupported(t.span, "atomic *=")
		return
	}
	b := t.at.Buf
	own := l.natural(t.value)
	if own == array.Invalid {
		own = l.number(b.Elem)
	}
	x := cast(b.Elem, l.expr(t.value, arithmetic(wider(own, l.number(b.Elem)))))
	l.emit(&ir.Op{
		Code: ir.OpAtomic, Combine: how, Var: old, Dom: l.iters, X: []*ir.Expr{x},
		Dst: t.at, Where: t.where, Span: t.span,
	})
}

// atomicValue lowers an atomic on one element as an expression.
func (l *lowerer) atomicValue(e *ast.Atomic) *ir.Expr {
	if len(l.iters) > 0 {
		l.unsupported(e.Span(), "the old value of an atomic at each point of an index statement")
		return ir.ZeroOf(l.natural(e))
	}
	t := l.target(e.LHS)
	if t == nil {
		return ir.ZeroOf(l.natural(e))
	}
	t.op, t.value, t.span = e.Op, e.Value, e.Span()
	old := l.newVar(t.at.Buf.Name+"_old", t.at.Buf.Elem, ir.LetVar, e.Span())
	l.atomic(t, old)
	return ir.RefTo(old)
}
