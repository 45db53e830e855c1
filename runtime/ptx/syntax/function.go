package syntax

import (
	"strings"
)

// function reads an .entry or .func, with its body or as a prototype.
func (p *parser) function(extern bool) *Error {
	f := &Func{Entry: p.is(".entry"), Extern: extern}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.functionAttrs(f); err != nil {
		return err
	}
	var err *Error
	if !f.Entry && p.is("(") {
		if f.Results, err = p.params(); err != nil {
			return err
		}
	}
	if f.Name, f.Pos, err = p.name("a function name"); err != nil {
		return err
	}
	if p.is("(") {
		if f.Params, err = p.params(); err != nil {
			return err
		}
	}
	if err := p.functionAttrs(f); err != nil {
		return err
	}
	p.mod.Funcs = append(p.mod.Funcs, f)
	if p.is(";") {
		return p.advance()
	}
	f.Body, err = p.block()
	return err
}

// functionAttrs reads .maxntid 128,1,1 and the like, up to the name or body.
func (p *parser) functionAttrs(f *Func) *Error {
	for p.tok.kind == dotWord {
		if p.is(".pragma") {
			if err := p.pragma(); err != nil {
				return err
			}
			continue
		}
		a := Attr{Name: p.tok.text}
		if err := p.advance(); err != nil {
			return err
		}
		if a.Name == ".attribute" {
			if err := p.attribute(); err != nil {
				return err
			}
			continue
		}
		for p.tok.kind == number {
			n, err := p.integer("a number")
			if err != nil {
				return err
			}
			a.Args = append(a.Args, n)
			if ok, err := p.accept(","); err != nil || !ok {
				if err != nil {
					return err
				}
				break
			}
		}
		f.Attrs = append(f.Attrs, a)
	}
	return nil
}

// attribute skips the (…) of .attribute.
func (p *parser) attribute() *Error {
	if err := p.expect("("); err != nil {
		return err
	}
	for !p.is(")") {
		if p.tok.kind == eof {
			return p.unexpected(`")"`)
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	return p.advance()
}

func (p *parser) params() ([]*Var, *Error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var list []*Var
	for !p.is(")") {
		if len(list) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		if !p.is(".param") && !p.is(".reg") {
			return nil, p.unexpected("a parameter")
		}
		v, err := p.varType(false)
		if err != nil {
			return nil, err
		}
		if p.is("_") || p.tok.kind == ident {
			if err := p.declarator(v); err != nil {
				return nil, err
			}
		}
		list = append(list, v)
	}
	return list, p.advance()
}

// block reads { … }.
func (p *parser) block() (*Block, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	open := p.tok.pos
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	b := &Block{}
	for !p.is("}") {
		if p.tok.kind == eof {
			return nil, p.errorf(open, "block is not closed")
		}
		if err := p.statement(b); err != nil {
			return nil, err
		}
	}
	return b, p.advance()
}

func (p *parser) statement(b *Block) *Error {
	switch {
	case p.is(";"):
		return p.advance()
	case p.is("{"):
		inner, err := p.block()
		b.Stmts = append(b.Stmts, inner)
		return err
	case p.tok.kind == dotWord:
		return p.directive(b)
	case p.tok.kind == ident:
		next, err := p.peek()
		if err != nil {
			return err
		}
		if next.kind == punct && next.text == ":" {
			return p.label(b)
		}
	}
	in, err := p.instr()
	if err != nil {
		return err
	}
	b.Stmts = append(b.Stmts, in)
	return nil
}

func (p *parser) directive(b *Block) *Error {
	switch p.tok.text {
	case ".loc":
		l, err := p.loc()
		b.Stmts = append(b.Stmts, l)
		return err
	case ".file":
		return p.file()
	case ".pragma":
		return p.pragma()
	case ".section":
		return p.section()
	case ".reg", ".shared", ".local", ".param", ".const", ".global", ".extern":
		extern := p.is(".extern")
		if extern {
			if err := p.advance(); err != nil {
				return err
			}
		}
		vars, err := p.variables(extern)
		b.Vars = append(b.Vars, vars...)
		return err
	}
	return p.errorf(p.tok.pos, "directive %s is not supported inside a function", p.tok.text)
}

// label reads "name:", and what is declared by a label: target lists.
func (p *parser) label(b *Block) *Error {
	name, pos := p.tok.text, p.tok.pos
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.advance(); err != nil {
		return err
	}
	if !p.is(".branchtargets") && !p.is(".calltargets") && !p.is(".callprototype") {
		b.Stmts = append(b.Stmts, &Label{name, pos})
		return nil
	}
	t := &Targets{Name: name, Kind: strings.TrimPrefix(p.tok.text, "."), Pos: pos}
	b.Stmts = append(b.Stmts, t)
	if err := p.advance(); err != nil {
		return err
	}
	for !p.is(";") {
		if p.tok.kind == eof {
			return p.unexpected(`";"`)
		}
		if p.tok.kind == ident && t.Kind != "callprototype" {
			t.Names = append(t.Names, p.tok.text)
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	return p.advance()
}

// loc reads: .loc file line col [, function_name x, inlined_at file line col]
func (p *parser) loc() (*Loc, *Error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	l := &Loc{}
	if err := p.locNumbers(l); err != nil {
		return nil, err
	}
	for p.is(",") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		word, _, err := p.name("function_name or inlined_at")
		if err != nil {
			return nil, err
		}
		switch word {
		case "function_name":
			if _, _, err := p.name("a label"); err != nil {
				return nil, err
			}
			if ok, err := p.accept("+"); err != nil {
				return nil, err
			} else if ok {
				if _, err := p.integer("an offset"); err != nil {
					return nil, err
				}
			}
		case "inlined_at":
			l.Inlined = &Loc{}
			if err := p.locNumbers(l.Inlined); err != nil {
				return nil, err
			}
		default:
			return nil, p.unexpected("function_name or inlined_at")
		}
	}
	return l, nil
}

func (p *parser) locNumbers(l *Loc) *Error {
	for _, field := range []*int{&l.File, &l.Line, &l.Col} {
		n, err := p.integer("a number")
		if err != nil {
			return err
		}
		*field = int(n)
	}
	return nil
}
