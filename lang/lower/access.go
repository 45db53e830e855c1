package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// element lowers the reading of an element.
func (l *lowerer) element(e *ast.Index) *ir.Expr {
	at, inside := l.place(e)
	at.Guard = inside
	if at.Guard != nil && skippable(at) { // a tile gives 0
		at.Else = l.edgeValue(at.Buf)
	}
	return ir.LoadAt(at)
}

// edgeValue is what elements outside a buffer read as, nil for zero.
func (l *lowerer) edgeValue(b *ir.Buffer) *ir.Expr {
	if l.edge == nil {
		return nil
	}
	v := l.expr(l.edge, b.Elem)
	if isZero(v) {
		return nil
	}
	return v
}

// isZero reports the constant that all zero bits stand for.
func isZero(e *ir.Expr) bool {
	return e.Op == ir.Const && e.Int == 0 && e.Float == 0 && !(1/e.Float < 0)
}

// place lowers the place of an element, and the condition under which it is
// within its array, nil where that is certain: what its subscripts were computed
// from is inside, and so is each subscript.
func (l *lowerer) place(e *ast.Index) (at *ir.Access, inside *ir.Expr) {
	at = &ir.Access{Buf: l.array(e.X), Span: e.Span()}
	if len(e.Args) != len(at.Buf.Shape) {
		l.bug(e.Span(), "%s has %d dimensions, not %d", at.Buf.Name, len(at.Buf.Shape), len(e.Args))
		return &ir.Access{Buf: &ir.Buffer{Elem: at.Buf.Elem}, Span: e.Span()}, nil
	}
	a := l.info().ArrayOf(e.X)
	var cs []*ir.Expr
	for d, arg := range e.Args {
		x := l.expr(arg, ir.Index)
		from := l.inside(x)
		if from != nil {
			x = l.shared(x, 3, at.Buf.Name+"_index")
			from = l.shared(from, 2, at.Buf.Name+"_inside")
		}
		at.Index = append(at.Index, x)
		cs = append(cs, l.origin(arg), from, l.inDimension(x, at.Buf.Shape[d], l.fits(arg, a, d)))
	}
	return at, conj(cs...)
}

// inDimension is the condition that 0 <= x < limit, nil where it is certain.
func (l *lowerer) inDimension(x, limit *ir.Expr, fits bool) *ir.Expr {
	var lo, hi *ir.Expr
	if !l.facts.notNegative(x) {
		lo = bin(ir.Le, ir.Int(0), x)
	}
	if !fits && !l.facts.isBelow(x, limit) {
		hi = bin(ir.Lt, x, limit)
	}
	return conj(lo, hi)
}

// fits reports whether the checker's formulas prove that a subscript which is
// an index by itself stays below the extent of dimension d.
func (l *lowerer) fits(arg ast.Expr, a *types.Array, d int) bool {
	id, ok := arg.(*ast.Ident)
	if !ok || a == nil || d >= len(a.Shape) {
		return false
	}
	s, ok := l.info().ObjectOf(id).(*types.Scalar)
	return ok && s.Kind == types.FreeIndex && s.Extent.LessEqual(a.Shape[d])
}

// origin is the condition that the scalars named in a subscript came from
// elements within their tensors.
func (l *lowerer) origin(arg ast.Expr) *ir.Expr {
	var cs []*ir.Expr
	if arg == nil {
		return nil
	}
	ast.Inspect(arg, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if s, ok := l.info().ObjectOf(id).(*types.Scalar); ok {
				if b, ok := l.lookup(s); ok {
					cs = append(cs, b.inside)
				}
			}
		}
		return true
	})
	return conj(cs...)
}

// inside is the condition under which no guarded element that the evaluation of
// e touches is outside, nil where it is certain. Like evaluation it goes into
// the chosen arm of a select only.
func (l *lowerer) inside(e *ir.Expr) *ir.Expr {
	if e == nil || !hasLoad(e) {
		return nil
	}
	switch e.Op {
	case ir.Load:
		cs := make([]*ir.Expr, 0, len(e.At.Index)+1)
		for _, x := range e.At.Index {
			cs = append(cs, l.inside(x))
		}
		return conj(append(cs, e.At.Guard)...)
	case ir.Select:
		x, y := l.inside(e.Args[1]), l.inside(e.Args[2])
		if x == nil && y == nil {
			return l.inside(e.Args[0])
		}
		return conj(l.inside(e.Args[0]), ir.SelectOf(e.Args[0], truth(x), truth(y)))
	case ir.And, ir.Or:
		first, second := l.inside(e.Args[0]), l.inside(e.Args[1])
		if second == nil {
			return first
		}
		skipped := e.Args[0]
		if e.Op == ir.And {
			skipped = ir.Un(ir.Not, skipped)
		}
		return conj(first, ir.Bin(ir.Or, skipped, second))
	}
	var cs []*ir.Expr
	for _, a := range e.Args {
		cs = append(cs, l.inside(a))
	}
	return conj(cs...)
}

// truth is c, or true where there is no condition.
func truth(c *ir.Expr) *ir.Expr {
	if c == nil {
		return ir.BoolOf(true)
	}
	return c
}
