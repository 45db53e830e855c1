package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// Parse reads a file. Errors go to the reporter; what could be read is returned, with [*ast.BadStmt] and missing
// parts where it could not. The result is never nil.
func Parse(file *diag.File, rep *diag.Reporter) *ast.File {
	tokens, comments := scan(file.Text)
	tokens = dropTrailingCommas(tokens)
	b := &builder{file: file, rep: rep, tokens: tokens}
	tree := &ast.File{Place: ast.Place{At: diag.Span{File: file, End: len(file.Text)}}}
	docs := newDocs(tokens, comments)
	for _, c := range split(tokens) {
		if d := b.chunk(c, docs.above(c.tokens[0])); d != nil {
			tree.Decls = append(tree.Decls, d)
		}
	}
	for _, t := range comments {
		c := &ast.Comment{Place: at(t), Text: t.Value}
		ast.SetFile(c, file)
		tree.Comments = append(tree.Comments, c)
	}
	ast.SetFile(tree, file)
	return tree
}

// ParseExpr reads a text that is one expression, such as the value of a command-line binding. It returns nil after an
// error.
func ParseExpr(file *diag.File, rep *diag.Reporter) ast.Expr {
	tokens, _ := scan(file.Text)
	tokens = dropTrailingCommas(tokens)
	b := &builder{file: file, rep: rep, tokens: tokens, endsWith: "the end"}
	last := len(tokens) - 1
	lex := peeking(tokens[:last], tokens[last])
	x, err := parseExpr(lex)
	if err == nil && !lex.Peek().EOF() {
		err = expect(lex.Peek(), "the end of the expression")
	}
	if err != nil {
		b.report(err, "")
		return nil
	}
	ast.SetFile(x, file)
	return x
}

func peeking(tokens []Token, eof Token) *lexer.PeekingLexer {
	lex, err := lexer.Upgrade(&replay{tokens: tokens, eof: eof})
	if err != nil {
		panic(err) // replay never fails
	}
	return lex
}

// chunk reads one declaration, nil if there is none.
func (b *builder) chunk(c chunk, doc string) ast.Decl {
	b.begin(c)
	first := c.tokens[0]
	if c.deep != nil {
		b.report(tooDeep(*c.deep), "")
		return nil
	}
	if !startsDecl(first) {
		b.report(noDecl(first), "")
		return nil
	}
	r := grammar().decls[first.Value]
	lex := c.peeking()
	node, err := r.read(lex)
	if err != nil {
		b.report(err, "it is written "+quoteForm(r.form))
		return nil
	}
	d := b.decl(node, doc)
	for peekIs(lex, ";") {
		lex.Next()
	}
	if t := lex.Peek(); !t.EOF() {
		b.report(noDecl(*t), "")
	}
	return d
}

func noDecl(t Token) *problem {
	p := unexpected(t, "a declaration")
	switch {
	case t.Value == "}":
		return badToken(diag.Syntax, t, "this `}` closes nothing").hint("a `{` is missing before it, or it is one too many")
	case t.Type == Keyword && grammar().stmts[t.Value] != nil:
		return badToken(diag.Misplaced, t, "a %s statement stands inside a kernel, not at the top of a file", quote(t.Value)).
			hint("check that the braces before it match")
	}
	return p.hint("a file consists of `import`, `const`, `fn`, `kernel`, `op` and `test`")
}

func quoteForm(form string) string { return "`" + strings.ReplaceAll(form, ", or ", "`, or `") + "`" }

// docs finds the `///` comments that belong to a declaration: those alone on the lines directly above the first
// declaration of a line.
type docs struct {
	lines map[int]string
	first map[int]int // offset of the first token of a line
}

func newDocs(tokens, comments []Token) docs {
	d := docs{lines: map[int]string{}, first: map[int]int{}}
	for _, t := range tokens {
		if _, ok := d.first[t.Pos.Line]; !ok && t.Value != ";" {
			d.first[t.Pos.Line] = t.Pos.Offset
		}
	}
	for _, c := range comments {
		text, ok := strings.CutPrefix(c.Value, "///")
		if _, taken := d.first[c.Pos.Line]; ok && !taken {
			d.lines[c.Pos.Line] = strings.TrimPrefix(text, " ")
		}
	}
	return d
}

// above returns the text of the doc comment of the declaration that starts with a token.
func (d docs) above(t Token) string {
	if d.first[t.Pos.Line] != t.Pos.Offset {
		return ""
	}
	top := t.Pos.Line
	for {
		if _, ok := d.lines[top-1]; !ok {
			break
		}
		top--
	}
	var lines []string
	for ; top < t.Pos.Line; top++ {
		lines = append(lines, d.lines[top])
	}
	return strings.Join(lines, "\n")
}
