package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

const (
	maxDepth = 200  // nested brackets, blocks, prefix operators, `else if`
	maxChain = 1000 // operators of one precedence in a row
)

// exprParser reads one expression by precedence climbing. On an error it stops where the error is.
type exprParser struct {
	lex   *lexer.PeekingLexer
	depth int
}

func parseExpr(lex *lexer.PeekingLexer) (ast.Expr, error) {
	p := exprParser{lex: lex}
	return p.expr()
}

// peekIs reports whether the next token is an operator or a word of the language.
func peekIs(lex *lexer.PeekingLexer, text string) bool {
	t := lex.Peek()
	return t.Value == text && t.Type != String
}

func (p *exprParser) accept(text string) bool {
	if !peekIs(p.lex, text) {
		return false
	}
	p.lex.Next()
	return true
}

// previousEnd is the byte offset just after the last token read.
func previousEnd(lex *lexer.PeekingLexer) int {
	c := lex.RawCursor()
	if c == 0 {
		return lex.Peek().Pos.Offset
	}
	return end(lex.Range(c-1, c)[0])
}

// from makes the place which reaches from a start offset to the last token read.
func from(lex *lexer.PeekingLexer, start int) ast.Place {
	return ast.Place{At: diag.Span{Start: start, End: previousEnd(lex)}}
}

func (p *exprParser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return tooDeep(*p.lex.Peek())
	}
	return nil
}

func (p *exprParser) leave() { p.depth-- }

func tooDeep(t Token) *problem {
	return badToken(diag.TooDeep, t, "nesting is deeper than %d levels here", maxDepth).
		hint("give a part of it a name with `let`")
}

func (p *exprParser) expr() (ast.Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch {
	case peekIs(p.lex, "if"):
		return p.cond()
	case peekIs(p.lex, "atomic"):
		return p.atomic()
	}
	return p.binary(ast.Or.Precedence())
}

func (p *exprParser) cond() (ast.Expr, error) {
	word := *p.lex.Next()
	test, err := p.expr()
	if err != nil {
		return nil, err
	}
	if !peekIs(p.lex, "then") {
		return nil, conditionHint(expect(p.lex.Peek(), "`then`").note(word, "to go on with this `if`").
			hint("a choice is written `if c then a else b`"))
	}
	p.lex.Next()
	yes, err := p.expr()
	if err != nil {
		return nil, err
	}
	if !peekIs(p.lex, "else") {
		return nil, expect(p.lex.Peek(), "`else`").note(word, "to go on with this `if`").
			hint("a choice is written `if c then a else b`; both values are needed")
	}
	p.lex.Next()
	no, err := p.expr()
	if err != nil {
		return nil, err
	}
	return &ast.Cond{Place: from(p.lex, word.Pos.Offset), If: test, Then: yes, Else: no}, nil
}

// conditionHint helps where a condition went wrong in a way that other languages suggest.
func conditionHint(p *problem) *problem {
	switch p.found.Value {
	case "=":
		p.hint("a comparison is written `==`")
	case "then":
		p.hint("`if c then a else b` is an expression; the statement is `if c { … } else { … }`")
	}
	return p
}

func (p *exprParser) atomic() (ast.Expr, error) {
	start := p.lex.Next().Pos.Offset
	lhs, err := p.target()
	if err != nil {
		return nil, err
	}
	op, err := assignOp(p.lex)
	if err != nil {
		return nil, err
	}
	value, err := p.expr()
	if err != nil {
		return nil, err
	}
	return &ast.Atomic{Place: from(p.lex, start), LHS: lhs, Op: op, Value: value}, nil
}

var infix = func() map[string]ast.BinaryOp {
	table := map[string]ast.BinaryOp{}
	for op := ast.Or; op.Precedence() > 0; op++ {
		table[op.String()] = op
	}
	return table
}()

func infixOp(t *Token) (ast.BinaryOp, bool) {
	if t.Type != Punct && t.Type != Keyword {
		return 0, false
	}
	op, ok := infix[t.Value]
	return op, ok
}

// binary reads operands joined by infix operators that bind at least as tightly as least.
func (p *exprParser) binary(least int) (ast.Expr, error) {
	start := p.lex.Peek().Pos.Offset
	x, err := p.operand(least)
	if err != nil {
		return nil, err
	}
	var compared Token // the comparison before, if x is one without parentheses
	for chain := 1; ; chain++ {
		t := *p.lex.Peek()
		op, ok := infixOp(&t)
		if !ok {
			if hint := foreignOperator(t.Value); hint != "" && t.Type == Punct {
				return nil, badToken(diag.Syntax, t, "%s is no operator in an expression", quote(t.Value)).hint("%s", hint)
			}
			return x, nil
		}
		if op.Precedence() < least {
			return x, nil
		}
		if chain > maxChain {
			return nil, badToken(diag.TooDeep, t, "more than %d operators in a row", maxChain).
				hint("give a part of it a name with `let`")
		}
		if op.IsComparison() && compared.Value != "" {
			return nil, badToken(diag.ChainedCompare, t, "comparisons do not chain").
				note(compared, "the comparison before").
				hint("write `a %s b and b %s c`", compared.Value, t.Value)
		}
		p.lex.Next()
		y, err := p.binary(op.Precedence() + 1)
		if err != nil {
			return nil, err
		}
		x = &ast.Binary{Place: from(p.lex, start), Op: op, OpAt: t.Pos.Offset, X: x, Y: y}
		compared = Token{}
		if op.IsComparison() {
			compared = t
		}
	}
}

// foreignOperator knows operators of other languages which cannot follow an expression here.
func foreignOperator(text string) string {
	switch text {
	case "&&":
		return "write `and`"
	case "||":
		return "write `or`"
	case "**":
		return "write `pow(x, y)`"
	}
	return ""
}

func (p *exprParser) operand(least int) (ast.Expr, error) {
	t := p.lex.Peek()
	switch {
	case peekIs(p.lex, "not"):
		if least > ast.NotPrecedence {
			return nil, badToken(diag.Syntax, *t, "`not` binds more loosely than the operator before it").
				hint("put it in parentheses: `(not …)`")
		}
		return p.prefix(ast.Not, func() (ast.Expr, error) { return p.binary(ast.NotPrecedence) })
	case peekIs(p.lex, "-"):
		return p.prefix(ast.Neg, p.tightOperand)
	case peekIs(p.lex, "~"):
		return p.prefix(ast.BitNot, p.tightOperand)
	}
	return p.postfix()
}

func (p *exprParser) tightOperand() (ast.Expr, error) { return p.operand(ast.UnaryPrecedence) }

func (p *exprParser) prefix(op ast.UnaryOp, operand func() (ast.Expr, error)) (ast.Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	start := p.lex.Next().Pos.Offset
	x, err := operand()
	if err != nil {
		return nil, err
	}
	return &ast.Unary{Place: from(p.lex, start), Op: op, X: x}, nil
}
