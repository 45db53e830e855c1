package parser

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2"

	"tilec/internal/diag"
)

// problem is an error with its place; it is turned into a diagnostic by [builder.report].
type problem struct {
	code       diag.Code
	start, end int
	message    string // complete, or "" if it follows from expected and found
	expected   string // what could have stood at found, in words
	found      Token
	here       bool // the found token itself is wrong, even if it starts a line
	advice     string
	notes      []evidence
}

type evidence struct {
	start, end int
	text       string
}

func (p *problem) Error() string {
	if p.message == "" {
		return "expected " + p.expected
	}
	return p.message
}

func (p *problem) hint(format string, args ...any) *problem {
	p.advice = fmt.Sprintf(format, args...)
	return p
}

func (p *problem) note(t Token, format string, args ...any) *problem {
	p.notes = append(p.notes, evidence{t.Pos.Offset, end(t), fmt.Sprintf(format, args...)})
	return p
}

func badToken(code diag.Code, t Token, format string, args ...any) *problem {
	return &problem{code: code, start: t.Pos.Offset, end: end(t), message: fmt.Sprintf(format, args...), found: t}
}

// expect says that something else than the found token is needed.
func expect(found *Token, format string, args ...any) *problem {
	return &problem{code: diag.Syntax, expected: fmt.Sprintf(format, args...), found: *found}
}

// unexpected says that the found token cannot start what has to stand here.
func unexpected(found Token, format string, args ...any) *problem {
	p := expect(&found, format, args...)
	p.here = true
	return p
}

// asProblem translates participle's errors; a problem stays as it is.
func asProblem(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) {
		_, grammar, _ := strings.Cut(unexpected.Message(), "(expected ")
		return expect(&unexpected.Unexpected, "%s", inWords(grammar))
	}
	return &problem{code: diag.Syntax, message: err.Error()}
}

// inWords describes the first term of a production in participle's EBNF, such as `"->" Operand ("else" Expr)?)`.
func inWords(grammar string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(grammar, "("), `"`); ok {
		literal, _, _ := strings.Cut(rest, `"`)
		switch literal {
		case ")", "]", "}":
			return "`,` or `" + literal + "`"
		}
		return "`" + literal + "`"
	}
	term, _, _ := strings.Cut(strings.Trim(grammar, "()"), " ")
	switch strings.Trim(term, "()?*+") {
	case "<ident>":
		return "a name"
	case "<string>":
		return "a string in double quotes"
	case "TypeNode":
		return "a type"
	case "IndexVar":
		return "an index name"
	case "ParamNode":
		return "a parameter"
	case "GenericNode":
		return "a name"
	case "TuneItem":
		return "the name of a tunable"
	}
	return "something else"
}

// report turns a problem into a diagnostic. The form shows how the construct is written; it is the hint where the
// problem has none of its own.
func (b *builder) report(err error, form string) {
	p := asProblem(err)
	atEnd := p.message == "" && p.found.EOF()
	if atEnd && b.atEnd != nil {
		b.addNotes(b.atEnd, p)
		return
	}
	if p.message == "" || p.end == 0 {
		b.place(p)
	}
	d := b.rep.Errorf(p.code, b.span(p.start, p.end), "%s", p.message)
	b.addNotes(d, p)
	if atEnd {
		b.atEnd = d
		if b.suspect != nil {
			d.Note(b.span(b.suspect.open.Pos.Offset, end(b.suspect.open)), "perhaps this one is open")
			d.Note(b.span(b.suspect.close.Pos.Offset, end(b.suspect.close)), "the `}` that closes it is indented otherwise")
		}
	}
	switch {
	case p.advice != "":
		d.Hint("%s", p.advice)
	case habit(p, form) != "":
		d.Hint("%s", habit(p, form))
	case form != "":
		d.Hint("%s", form)
	}
}

func (b *builder) addNotes(d *diag.Diagnostic, p *problem) {
	for _, n := range p.notes {
		d.Note(b.span(n.start, n.end), "%s", n.text)
	}
}

// place completes a problem of the kind "expected …, found …".
func (b *builder) place(p *problem) {
	i := sort.Search(len(b.tokens), func(i int) bool { return b.tokens[i].Pos.Offset >= p.found.Pos.Offset })
	if i > 0 && b.tokens[i-1].Type == String {
		// Behind a string that is not closed, anything may be missing.
		if _, err := stringLiteral(b.tokens[i-1]); err != nil {
			*p = *asProblem(err)
			return
		}
	}
	p.start, p.end = p.found.Pos.Offset, end(p.found)
	found := quote(p.found.Value)
	switch {
	case p.found.EOF():
		found = b.endsWith
	case p.found.Type == Bad:
		p.code = diag.BadCharacter
		p.message = badCharacter(p.found.Value)
		p.advice = characterHint(p.found.Value)
		return
	case p.found.Type == Keyword && p.expected == "a name":
		found += ", a word of the language that cannot be a name"
	}
	// A thing missing at the end of a line is shown there, not at the start of the next line.
	if i > 0 && !p.here && (p.found.EOF() || b.tokens[i-1].Pos.Line < p.found.Pos.Line) {
		last := b.tokens[i-1]
		p.start, p.end = end(last), end(last)+1
		if !p.found.EOF() {
			found = "the end of the line"
		}
	}
	if p.message == "" {
		p.message = fmt.Sprintf("expected %s, found %s", p.expected, found)
	}
}

// habit says how what other languages write there is written.
func habit(p *problem, form string) string {
	in := func(statement string) bool { return strings.Contains(form, "`"+statement+" ") }
	switch found := p.found.Value; {
	case (found == "where" || found == "else") && strings.HasSuffix(p.expected, "`)`"):
		return quote(found) + " belongs to whole statements; inside an expression write `if c then a else b`"
	case found == "[" && p.expected == "an expression" && in("test"):
		return "a tensor's elements in a test are listed by `values(0, 17, 60)`; there are no other lists"
	case p.expected == "a string in double quotes" && (in("require") || in("assert")):
		return "conditions are joined by `and`; behind the comma stands a message in double quotes"
	}
	return ""
}

func badCharacter(text string) string {
	if text[0] < ' ' || text[0] == 0x7f {
		return fmt.Sprintf("unexpected control character %#02x", text[0])
	}
	return fmt.Sprintf("unexpected character %s", quote(text))
}

func characterHint(text string) string {
	switch text {
	case "#":
		return "comments start with `//`"
	case "'":
		return "strings are written in double quotes"
	case ".":
		return "a float has digits on both sides of its point (0.5), a range has two points (a .. b), a transposed operand is written a^T"
	case "!":
		return "negation is written `not`"
	case "?":
		return "a choice is written `if c then a else b`"
	}
	if text[0] >= 0x80 {
		return "names use ASCII letters, digits and `_`"
	}
	return ""
}
