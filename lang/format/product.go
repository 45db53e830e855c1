package format

import "tilec/lang/ast"

// product decides about the spaces in a chain of multiplications, asked about its outermost link: none if it looks
// like address arithmetic, which multiplies names, integers and parentheses of such. `by*BM` and `(q + 1)*2` do,
// `x[i] * 2`, `0.5 * y` and `64 * 1024` do not.
func (l *layout) product(n *ast.Binary) {
	if l.inChain[n] {
		return
	}
	links := []*ast.Binary{n}
	plain := isPlain(n.Y)
	left := n.X
	for {
		x, ok := left.(*ast.Binary)
		if !ok || x.Op != ast.Mul {
			break
		}
		l.inChain[x] = true
		links = append(links, x)
		plain = plain && isPlain(x.Y)
		left = x.X
	}
	if !plain || !isPlain(left) || l.isQuotient(left) || !hasName(n) {
		return
	}
	for _, x := range links {
		l.glue[x.OpAt], l.tight[x.OpAt] = true, true
	}
}

// isQuotient reports whether the expression is a division without parentheses: `n / 2*4` would mislead.
func (l *layout) isQuotient(e ast.Expr) bool {
	x, ok := e.(*ast.Binary)
	s := e.Span()
	return ok && (x.Op == ast.Div || x.Op == ast.Rem) && (l.source[s.Start] != '(' || l.source[s.End-1] != ')')
}

func isPlain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.Int:
		return true
	case *ast.Unary:
		return e.Op != ast.Not && isPlain(e.X)
	case *ast.Binary:
		return e.Op >= ast.Add && isPlain(e.X) && isPlain(e.Y)
	}
	return false
}

func hasName(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		_, ok := n.(*ast.Ident)
		found = found || ok
		return !found
	})
	return found
}
