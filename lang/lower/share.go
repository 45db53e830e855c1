package lower

import "tilec/ir"

// heavy is the number of expression nodes up to which a value is written again
// at each use. Above it the value gets a name; expressions are trees, and would
// grow exponentially.
const heavy = 48

// shared returns what stands for x where it is used a number of times: x itself,
// or the name of its value.
func (l *lowerer) shared(x *ir.Expr, uses int, name string) *ir.Expr {
	switch {
	case uses < 2 || size(x, heavy)*(uses-1) <= heavy:
		return x
	case len(usedIters(l.iters, x)) > 0:
		return l.materialise(x, name)
	}
	v := l.newVar(name, x.Type, ir.LetVar, x.Span)
	l.emit(&ir.Op{Code: ir.OpLet, Var: v, X: []*ir.Expr{x}, Span: x.Span})
	l.facts.let(v, x)
	return ir.RefTo(v)
}

// size counts the nodes of an expression, up to a little more than limit.
func size(e *ir.Expr, limit int) int {
	n := 0
	e.Walk(func(*ir.Expr) bool {
		n++
		return n <= limit
	})
	return n
}

// materialise computes e at every point of the iteration variables that it
// uses into a buffer and returns what reads it back.
func (l *lowerer) materialise(e *ir.Expr, name string) *ir.Expr {
	used := usedIters(l.iters, e)
	where := l.pathOver(used)
	dom, with := l.again(used)
	b := l.temp(name, e.Type, extentsOf(dom), e.Span)
	l.emit(&ir.Op{
		Code: ir.OpMap, Dom: dom, X: []*ir.Expr{e.Subst(with)}, Where: where.Subst(with),
		Dst: &ir.Access{Buf: b, Index: refs(dom), Span: e.Span}, Span: e.Span,
	})
	return ir.LoadAt(&ir.Access{Buf: b, Index: refs(used), Span: e.Span})
}

// pathOver is the condition under which the expression being lowered is
// evaluated, as far as it depends on the given indices only. Conditions on
// others don't limit what is computed once for all of those.
func (l *lowerer) pathOver(used []ir.Iter) *ir.Expr {
	var where *ir.Expr
	for _, c := range l.path {
		if len(usedIters(l.iters, c)) == len(usedIters(used, c)) {
			where = conj(where, c)
		}
	}
	return where
}
