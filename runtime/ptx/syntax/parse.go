package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of braces and brackets.
const maxDepth = 100

// Parse reads one PTX module; name is used in messages. The error is an *Error.
func Parse(name, text string) (*Module, error) {
	p := &parser{lex: lexer{file: name, src: text, line: 1}, mod: &Module{Name: name, Files: map[int]string{}}}
	if err := p.module(); err != nil {
		return nil, err
	}
	return p.mod, nil
}

type parser struct {
	lex   lexer
	tok   token
	ahead []token
	mod   *Module
	depth int
	used  uint32 // of the next instruction: Instr.Used
}

func (p *parser) advance() *Error {
	if len(p.ahead) > 0 {
		p.tok, p.ahead = p.ahead[0], p.ahead[1:]
		return nil
	}
	t, err := p.lex.next()
	if err != nil {
		return err
	}
	p.tok = t
	return nil
}

// peek returns the token after the current one.
func (p *parser) peek() (token, *Error) {
	if len(p.ahead) == 0 {
		t, err := p.lex.next()
		if err != nil {
			return t, err
		}
		p.ahead = append(p.ahead, t)
	}
	return p.ahead[0], nil
}

func (p *parser) errorf(pos Pos, format string, args ...any) *Error {
	return &Error{p.mod.Name, pos, fmt.Sprintf(format, args...)}
}

func (p *parser) unexpected(want string) *Error {
	got := fmt.Sprintf("%q", p.tok.text)
	if p.tok.kind == eof {
		got = "the end of the text"
	}
	return p.errorf(p.tok.pos, "expected %s, found %s", want, got)
}

func (p *parser) is(text string) bool {
	return (p.tok.kind == punct || p.tok.kind == dotWord) && p.tok.text == text
}

// accept passes the token if it is the given punctuation or directive.
func (p *parser) accept(text string) (bool, *Error) {
	if !p.is(text) {
		return false, nil
	}
	return true, p.advance()
}

func (p *parser) expect(text string) *Error {
	if !p.is(text) {
		return p.unexpected(fmt.Sprintf("%q", text))
	}
	return p.advance()
}

func (p *parser) name(what string) (string, Pos, *Error) {
	if p.tok.kind != ident {
		return "", p.tok.pos, p.unexpected(what)
	}
	t := p.tok
	return t.text, t.pos, p.advance()
}

// integer reads an optionally signed integer literal.
func (p *parser) integer(what string) (int64, *Error) {
	neg, err := p.accept("-")
	if err != nil {
		return 0, err
	}
	if p.tok.kind != number || p.tok.lit.Kind != IntLit {
		return 0, p.unexpected(what)
	}
	v := int64(p.tok.lit.Int)
	if neg {
		v = -v
	}
	return v, p.advance()
}

// enter guards recursion; every enter is paired with leave.
func (p *parser) enter() *Error {
	p.depth++
	if p.depth > maxDepth {
		return p.errorf(p.tok.pos, "nested deeper than %d", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) module() error {
	if err := p.advance(); err != nil {
		return err
	}
	for p.tok.kind != eof {
		if err := p.moduleItem(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) moduleItem() *Error {
	if p.is(";") {
		return p.advance()
	}
	if p.tok.kind != dotWord {
		return p.unexpected("a directive")
	}
	switch p.tok.text {
	case ".version":
		return p.version()
	case ".target":
		return p.target()
	case ".address_size":
		if err := p.advance(); err != nil {
			return err
		}
		pos := p.tok.pos
		n, err := p.integer("32 or 64")
		if err == nil && n != 64 {
			return p.errorf(pos, "address size %d is not supported; only 64 is", n)
		}
		return err
	case ".file":
		return p.file()
	case ".section":
		return p.section()
	case ".pragma":
		return p.pragma()
	case ".alias":
		return p.errorf(p.tok.pos, ".alias is not supported")
	}
	extern := false
	for p.is(".visible") || p.is(".extern") || p.is(".weak") || p.is(".common") {
		extern = extern || p.tok.text == ".extern"
		if err := p.advance(); err != nil {
			return err
		}
	}
	switch p.tok.text {
	case ".entry", ".func":
		return p.function(extern)
	case ".global", ".const", ".shared", ".tex":
		vars, err := p.variables(extern)
		p.mod.Vars = append(p.mod.Vars, vars...)
		return err
	}
	return p.unexpected("a declaration")
}

func (p *parser) version() *Error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != number {
		return p.unexpected("a version number")
	}
	p.mod.Version = p.tok.text
	return p.advance()
}

func (p *parser) target() *Error {
	for {
		if err := p.advance(); err != nil {
			return err
		}
		n, _, err := p.name("a target")
		if err != nil {
			return err
		}
		p.mod.Targets = append(p.mod.Targets, n)
		if !p.is(",") {
			return nil
		}
	}
}

// file reads: .file index "name" [, timestamp, size]
func (p *parser) file() *Error {
	if err := p.advance(); err != nil {
		return err
	}
	n, err := p.integer("a file index")
	if err != nil {
		return err
	}
	if p.tok.kind != str {
		return p.unexpected("a file name")
	}
	p.mod.Files[int(n)] = p.tok.text
	if err := p.advance(); err != nil {
		return err
	}
	for p.is(",") {
		if err := p.advance(); err != nil {
			return err
		}
		if _, err := p.integer("a number"); err != nil {
			return err
		}
	}
	return nil
}

// section skips: .section .name { … } with whatever debug data it holds.
func (p *parser) section() *Error {
	pos := p.tok.pos
	for !p.is("{") {
		if p.tok.kind == eof {
			return p.errorf(pos, "section has no body")
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	for depth := 0; ; {
		if p.tok.kind == eof {
			return p.errorf(pos, "section is not closed")
		}
		if p.is("{") {
			depth++
		} else if p.is("}") {
			depth--
		}
		if err := p.advance(); err != nil {
			return err
		}
		if depth == 0 {
			return nil
		}
	}
}

// pragma reads strings, of which "used_bytes_mask 0xfff" matters: not all of the bytes
// that the next load takes are wanted.
func (p *parser) pragma() *Error {
	for {
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.kind != str {
			return p.unexpected("a string")
		}
		if mask, ok := strings.CutPrefix(strings.Trim(p.tok.text, `"`), "used_bytes_mask "); ok {
			if n, err := strconv.ParseUint(strings.TrimSpace(mask), 0, 32); err == nil {
				p.used = uint32(n)
			}
		}
		if err := p.advance(); err != nil {
			return err
		}
		if !p.is(",") {
			return p.expect(";")
		}
	}
}
