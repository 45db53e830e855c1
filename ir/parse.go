package ir

import (
	"errors"
	"fmt"
	"strconv"

	"tilec/internal/diag"
	"tilec/runtime/array"
)

// Parse reads a function in the text form that Print writes. The error, if any,
// starts with the place in the text: name:line:column. Parse checks names and
// syntax only; Verify checks the rest.
func Parse(name, text string) (*Func, error) {
	p := &parser{file: diag.NewFile(name, text), notes: map[int]string{}}
	toks, remarks, err := lex(text)
	if err != nil {
		var fault *lexFault
		if errors.As(err, &fault) {
			span := diag.Span{File: p.file, Start: fault.start, End: fault.start}
			return nil, fmt.Errorf("%s: %s", span, fault.message)
		}
		return nil, err
	}
	p.toks = toks
	for _, r := range remarks {
		p.notes[r.line] = r.text
	}
	return p.parse()
}

// maxNesting bounds the depth of expressions and blocks, so that no text
// exhausts the stack.
const maxNesting = 500

type parser struct {
	file  *diag.File
	toks  []token
	at    int
	notes map[int]string // by line
	depth int
	scope *scope
}

// scope is the names visible in a block.
type scope struct {
	up   *scope
	vars map[string]*Var
	bufs map[string]*Buffer
}

// syntaxError travels by panic from where it is found to parse.
type syntaxError struct{ err error }

func (p *parser) parse() (f *Func, err error) {
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			f, err = nil, fault.err
		}
	}()
	p.push()
	f = p.function()
	if p.peek().kind != endToken {
		p.fail("expected the end of the text, found %s", p.found())
	}
	return f, nil
}

func (p *parser) fail(format string, args ...any) {
	p.failAt(p.peek(), format, args...)
}

func (p *parser) failAt(t token, format string, args ...any) {
	panic(syntaxError{fmt.Errorf("%s: %s", p.span(t), fmt.Sprintf(format, args...))})
}

func (p *parser) span(t token) diag.Span {
	return diag.Span{File: p.file, Start: t.start, End: t.end}
}

// since returns the span from token from to the last token read.
func (p *parser) since(from token) diag.Span {
	return diag.Span{File: p.file, Start: from.start, End: p.toks[max(0, p.at-1)].end}
}

func (p *parser) peek() token { return p.toks[p.at] }

// ahead returns the token n after the next one.
func (p *parser) ahead(n int) token { return p.toks[min(p.at+n, len(p.toks)-1)] }

func (p *parser) found() string {
	if t := p.peek(); t.kind != endToken {
		return strconv.Quote(t.text)
	}
	return "the end of the text"
}

func (p *parser) next() token {
	t := p.toks[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// is reports whether the next token is that sign or keyword.
func (p *parser) is(text string) bool {
	t := p.peek()
	return (t.kind == signToken || t.kind == nameToken) && t.text == text
}

// accept skips the next token if it is that sign or keyword.
func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text string) token {
	if !p.is(text) {
		p.fail("expected %q, found %s", text, p.found())
	}
	return p.next()
}

func (p *parser) name() string {
	if p.peek().kind != nameToken {
		p.fail("expected a name, found %s", p.found())
	}
	return p.next().text
}

func (p *parser) quoted() string {
	t := p.peek()
	if t.kind != stringToken {
		p.fail("expected a string, found %s", p.found())
	}
	s, err := strconv.Unquote(t.text)
	if err != nil {
		p.fail("malformed string %s", t.text)
	}
	p.next()
	return s
}

// word is a name that nothing refers to, quoted if it must be.
func (p *parser) word() string {
	if p.peek().kind == stringToken {
		return p.quoted()
	}
	return p.name()
}

func (p *parser) integer() int64 {
	negative := p.accept("-")
	t := p.peek()
	if t.kind != numberToken {
		p.fail("expected a number, found %s", p.found())
	}
	text := t.text
	if negative {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.fail("malformed number %s", text)
	}
	p.next()
	return n
}

// count is an integer that fits an int of any platform.
func (p *parser) count() int {
	t := p.peek()
	n := p.integer()
	if n != int64(int32(n)) {
		p.failAt(t, "number %d is too large", n)
	}
	return int(n)
}

func (p *parser) dtype() DType {
	t, ok := array.ParseDType(p.peek().text)
	if !ok || p.peek().kind != nameToken {
		p.fail("expected an element type, found %s", p.found())
	}
	p.next()
	return t
}

// items calls item for a comma-separated list in brackets.
func (p *parser) items(open, end string, item func()) {
	p.expect(open)
	for !p.accept(end) {
		item()
		if !p.is(end) {
			p.expect(",")
		}
	}
}

func (p *parser) nest() {
	p.depth++
	if p.depth > maxNesting {
		p.fail("nested more than %d deep", maxNesting)
	}
}

func (p *parser) unnest() { p.depth-- }

func (p *parser) push() {
	p.scope = &scope{up: p.scope, vars: map[string]*Var{}, bufs: map[string]*Buffer{}}
}

func (p *parser) pop() { p.scope = p.scope.up }

// free reports whether name names nothing yet.
func (p *parser) free(name string) bool {
	for s := p.scope; s != nil; s = s.up {
		if s.vars[name] != nil || s.bufs[name] != nil {
			return false
		}
	}
	return true
}

// newName reads a name that isn't in use and makes sense as one.
func (p *parser) newName() (string, token) {
	t := p.peek()
	name := p.name()
	if name != identifier(name) {
		p.failAt(t, "%s cannot be a name", name)
	}
	if !p.free(name) {
		p.failAt(t, "%s is already defined", name)
	}
	return name, t
}

func (p *parser) define(v *Var) { p.scope.vars[v.Name] = v }

func (p *parser) lookupVar() *Var {
	t := p.peek()
	name := p.name()
	for s := p.scope; s != nil; s = s.up {
		if v := s.vars[name]; v != nil {
			return v
		}
	}
	p.failAt(t, "unknown scalar %s", name)
	return nil
}

func (p *parser) lookupBuffer() *Buffer {
	t := p.peek()
	name := p.name()
	for s := p.scope; s != nil; s = s.up {
		if b := s.bufs[name]; b != nil {
			return b
		}
	}
	p.failAt(t, "unknown buffer %s", name)
	return nil
}
