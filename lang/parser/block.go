package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"tilec/internal/diag"
)

// block is `{ … }`. Errors inside are kept, each in the place of its statement, and reading goes on.
type block struct {
	open, close Token // close is the zero Token if the block is not closed
	items       []item
	trouble     error // a problem of the block itself
}

// item is a statement, or what was wrong with it.
type item struct {
	rule       *rule // nil if not even the kind of statement is known
	node       production
	err        error
	start, end int
	nested     []*block // blocks found while skipping a statement that could not be read
}

// Parse implements participle.Parseable. It fails only if there is no block at all.
func (b *block) Parse(lex *lexer.PeekingLexer) error {
	if !peekIs(lex, "{") {
		return conditionHint(expect(lex.Peek(), "`{`"))
	}
	b.open = *lex.Next()
	for {
		t := lex.Peek()
		switch {
		case t.EOF():
			b.trouble = unclosed(t, b.open)
			return nil
		case t.Value == "}":
			b.close = *lex.Next()
			return nil
		case t.Value == ";":
			lex.Next()
			continue
		}
		b.items = append(b.items, readItem(lex))
	}
}

func readItem(lex *lexer.PeekingLexer) item {
	first := *lex.Peek()
	it := item{start: first.Pos.Offset}
	it.rule = statementRule(lex)
	if it.rule == nil {
		it.err = noStatement(first)
	} else {
		it.node, it.err = it.rule.read(lex)
	}
	if it.err != nil {
		it.node = nil
		it.skip(lex, first)
	}
	it.end = previousEnd(lex)
	return it
}

// statementRule tells by at most three tokens which statement starts here.
func statementRule(lex *lexer.PeekingLexer) *rule {
	g := grammar()
	first := lex.Peek()
	switch first.Type {
	case Keyword:
		if first.Value == "atomic" {
			return g.assign
		}
		return g.stmts[first.Value]
	case Ident:
	default:
		return nil
	}
	c := lex.MakeCheckpoint()
	lex.Next()
	second := *lex.Peek()
	lex.Next()
	third := *lex.Peek()
	lex.LoadCheckpoint(c)
	if r := g.contextual[first.Value]; r != nil && second.Type == Ident && third.Value != "=" {
		return r
	}
	if second.Value == "(" && !callIsIndexed(lex) {
		return g.call
	}
	return g.assign
}

// callIsIndexed tells `peer(A, r)[i] = …` from the statement `f(x)`; it looks past the parentheses.
func callIsIndexed(lex *lexer.PeekingLexer) bool {
	if lex.Peek().Value != "peer" {
		return false
	}
	c := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(c)
	lex.Next()
	for depth := 0; ; {
		switch t := lex.Next(); {
		case t.EOF():
			return false
		case t.Value == "(":
			depth++
		case t.Value == ")":
			if depth--; depth == 0 {
				return peekIs(lex, "[")
			}
		}
	}
}

func noStatement(t Token) *problem {
	if t.Type == Keyword {
		if _, ok := grammar().decls[t.Value]; ok {
			return badToken(diag.Misplaced, t, "%s cannot stand inside a block", quote(t.Value)).
				hint("close the blocks before it with `}`")
		}
	}
	p := unexpected(t, "a statement")
	switch {
	case t.Value == ")" || t.Value == "]":
		p.hint("there is no open bracket for it")
	case t.Type == Int || t.Type == Float || t.Value == "(" || t.Value == "-":
		p.hint("an expression alone does nothing; assign it, or `return` it in a `fn`")
	case t.Value == "{":
		p.hint("a block belongs to `for`, `while`, `if`, `pipeline`, `grid` or `spec`")
	}
	return p
}

// skip moves to where the next statement probably starts: a word that starts statements at the start of a line, a
// name there outside brackets, or the end of the block. Blocks on the way are read, for the errors in them.
func (it *item) skip(lex *lexer.PeekingLexer, first Token) {
	failed := max(failedAt(it.err, first), first.Pos.Offset+1)
	line, depth := first.Pos.Line, 0
	for {
		t := lex.Peek()
		switch {
		case t.EOF(), t.Value == "}":
			return
		case t.Pos.Offset >= failed && (t.Value == ";" || t.Pos.Line > line && resumes(t, depth)):
			return
		case t.Value == "{":
			nested := new(block)
			if nested.Parse(lex) != nil {
				return // cannot be: there is a brace
			}
			it.nested = append(it.nested, nested)
			depth, line = 0, lex.Peek().Pos.Line
			if lex.Peek().Value != "else" {
				return
			}
			continue
		case t.Value == "(", t.Value == "[":
			depth++
		case t.Value == ")", t.Value == "]":
			depth--
		}
		line = t.Pos.Line
		lex.Next()
	}
}

// resumes reports whether a token at the start of a line probably starts a statement; depth counts open brackets.
func resumes(t *Token, depth int) bool {
	switch {
	case t.Type == Ident:
		return depth <= 0
	case t.Type != Keyword:
		return false
	case t.Value == "if": // may stand in an expression
		return depth <= 0
	}
	return t.Value == "atomic" || grammar().stmts[t.Value] != nil
}

// failedAt is the offset of the token that could not be used.
func failedAt(err error, first Token) int {
	p := asProblem(err)
	if p.message == "" {
		return p.found.Pos.Offset
	}
	if p.end > 0 {
		return p.start
	}
	return first.Pos.Offset
}

func unclosed(t *Token, open Token) *problem {
	p := expect(t, "`}`").note(open, "to close this `{`")
	p.code = diag.Unclosed
	return p
}
