package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// postfix reads a primary expression with its calls and indices.
func (p *exprParser) postfix() (ast.Expr, error) {
	first := *p.lex.Peek()
	start := first.Pos.Offset
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	if f, ok := x.(*ast.Ident); ok && first.Type == Ident && peekIs(p.lex, "(") {
		args, err := p.list(")", p.expr)
		if err != nil {
			return nil, err
		}
		x = &ast.Call{Place: from(p.lex, start), Fun: f, Args: args}
	}
	if !peekIs(p.lex, "[") {
		return x, nil
	}
	bracket := *p.lex.Peek()
	switch x.(type) {
	case *ast.Ident, *ast.Call:
	default:
		return nil, badToken(diag.Syntax, bracket, "only a name can be indexed").hint("give the value a name with `let t[i, j] = …`")
	}
	args, err := p.list("]", p.argument)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, badToken(diag.Syntax, bracket, "an index is missing between the brackets")
	}
	if name, ok := x.(*ast.Ident); ok && peekIs(p.lex, "(") {
		return p.reduce(start, name, args)
	}
	if peekIs(p.lex, "[") {
		return nil, badToken(diag.Syntax, *p.lex.Peek(), "indices stand in one pair of brackets").hint("write `%s[i, j]`", nameOf(x))
	}
	return &ast.Index{Place: from(p.lex, start), X: x, Args: args}, nil
}

func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.Call:
		return x.Fun.Name + "(…)"
	}
	return "t"
}

// reduce reads the body of `sum[k: BK](body)`; the brackets are behind us.
func (p *exprParser) reduce(start int, op *ast.Ident, args []ast.Expr) (ast.Expr, error) {
	over := make([]*ast.IndexVar, len(args))
	for i, a := range args {
		v := &ast.IndexVar{Place: ast.Place{At: a.Span()}}
		name := a
		if r, ok := a.(*ast.Range); ok {
			name, v.Extent = r.Lo, r.Hi
		}
		id, ok := name.(*ast.Ident)
		if !ok {
			return nil, (&problem{code: diag.Syntax, start: name.Span().Start, end: name.Span().End,
				message: "a reduction runs over index names"}).hint("write `%s[k](…)` or `%s[k: extent](…)`", op.Name, op.Name)
		}
		v.Name = id
		over[i] = v
	}
	open := *p.lex.Peek()
	bodies, err := p.list(")", p.expr)
	if err != nil {
		return nil, err
	}
	if len(bodies) != 1 {
		return nil, badToken(diag.Syntax, open, "a reduction has one expression in its parentheses, here are %d", len(bodies))
	}
	return &ast.Reduce{Place: from(p.lex, start), Op: op, Over: over, Body: bodies[0]}, nil
}

// list reads a bracketed list; the opening bracket is the next token.
func (p *exprParser) list(closing string, item func() (ast.Expr, error)) ([]ast.Expr, error) {
	open := *p.lex.Next()
	var items []ast.Expr
	for !p.accept(closing) {
		if len(items) > 0 && !p.accept(",") {
			return nil, expect(p.lex.Peek(), "`,` or `%s`", closing).note(open, "to close this bracket")
		}
		x, err := item()
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return items, nil
}

// argument reads an index or a range `lo : hi`.
func (p *exprParser) argument() (ast.Expr, error) {
	start := p.lex.Peek().Pos.Offset
	lo, err := p.expr()
	if err != nil || !p.accept(":") {
		return lo, err
	}
	hi, err := p.expr()
	if err != nil {
		return nil, err
	}
	return &ast.Range{Place: from(p.lex, start), Lo: lo, Hi: hi}, nil
}

func (p *exprParser) primary() (ast.Expr, error) {
	t := *p.lex.Peek()
	switch t.Type {
	case Ident:
		p.lex.Next()
		return ident(t), nil
	case Int:
		p.lex.Next()
		return intLiteral(t)
	case Float:
		p.lex.Next()
		return floatLiteral(t)
	case String:
		p.lex.Next()
		return wrap(stringLiteral(t))
	}
	switch t.Value {
	case "true", "false":
		p.lex.Next()
		return &ast.Bool{Place: at(t), Value: t.Value == "true"}, nil
	case "(":
		return p.parenthesized()
	case "if", "atomic":
		return nil, badToken(diag.Syntax, t, "`%s` binds more loosely than the operator before it", t.Value).
			hint("put it in parentheses: `(%s …)`", t.Value)
	case ":":
		return nil, expect(&t, "an expression").hint("a range has both ends: `lo : hi`")
	}
	return nil, expect(&t, "an expression")
}

func wrap(s *ast.String, err error) (ast.Expr, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *exprParser) parenthesized() (ast.Expr, error) {
	open := *p.lex.Next()
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, expect(p.lex.Peek(), "`)`").note(open, "to close this bracket")
	}
	ast.SetSpan(x, open.Pos.Offset, previousEnd(p.lex))
	return x, nil
}

var (
	plainAssign = map[string]ast.AssignOp{
		"=": ast.Set, "+=": ast.AddSet, "*=": ast.MulSet, "|=": ast.OrSet, "&=": ast.AndSet,
	}
	// wordAssign operators are two tokens, a word and `=`.
	wordAssign = map[string]ast.AssignOp{"max": ast.MaxSet, "min": ast.MinSet, "or": ast.OrSet, "and": ast.AndSet}
)

// target reads what can be assigned to: a name or an element.
func (p *exprParser) target() (ast.Expr, error) {
	first := *p.lex.Peek()
	x, err := p.postfix()
	if err != nil {
		return nil, err
	}
	switch x.(type) {
	case *ast.Ident, *ast.Index:
		if first.Type == Ident {
			return x, nil
		}
	}
	return nil, (&problem{code: diag.Syntax, start: first.Pos.Offset, end: previousEnd(p.lex), message: "nothing can be assigned to this"}).
		hint("the left side is a name or an element of a tile or tensor")
}

// assignOp reads the operator of an index statement.
func assignOp(lex *lexer.PeekingLexer) (ast.AssignOp, error) {
	t := *lex.Peek()
	if op, ok := plainAssign[t.Value]; ok {
		lex.Next()
		return op, nil
	}
	if op, ok := wordAssign[t.Value]; ok {
		lex.Next()
		if !peekIs(lex, "=") {
			return 0, expect(lex.Peek(), "`=`").hint("the operator is written `%s=`", t.Value)
		}
		lex.Next()
		return op, nil
	}
	p := expect(&t, "one of `=`, `+=`, `*=`, `max=`, `min=`, `|=`, `&=`")
	switch t.Value {
	case "-=":
		p.hint("write `x += -(…)`")
	case "/=", "%=", "^=":
		p.hint("write `x = x %s …`", t.Value[:1])
	case ":=", "==":
		p.hint("assignment is written `=`")
	}
	return 0, p
}
