package syntax

import "strings"

// instr reads: [@[!]p] opcode operands ;
func (p *parser) instr() (*Instr, *Error) {
	in := &Instr{Pos: p.tok.pos, Used: p.used}
	p.used = 0
	if ok, err := p.accept("@"); err != nil {
		return nil, err
	} else if ok {
		g := &Guard{}
		if g.Neg, err = p.accept("!"); err != nil {
			return nil, err
		}
		if g.Reg, _, err = p.name("a predicate"); err != nil {
			return nil, err
		}
		in.Guard = g
		in.Pos = p.tok.pos
	}
	var err *Error
	if in.Op, _, err = p.name("an instruction"); err != nil {
		return nil, err
	}
	for p.tok.kind == dotWord {
		in.Mods = append(in.Mods, p.tok.text[1:])
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if in.Op == "call" {
		if in.Call, err = p.call(); err != nil {
			return nil, err
		}
		return in, p.expect(";")
	}
	for !p.is(";") {
		if len(in.Args) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		a, err := p.operand()
		if err != nil {
			return nil, err
		}
		in.Args = append(in.Args, a)
	}
	return in, p.advance()
}

// call reads: [(results),] function [, (arguments)] [, prototype]
func (p *parser) call() (*Call, *Error) {
	c := &Call{}
	var err *Error
	if p.is("(") {
		if c.Results, err = p.list("(", ")"); err != nil {
			return nil, err
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
	if c.Func, _, err = p.name("a function"); err != nil {
		return nil, err
	}
	if ok, err := p.accept(","); err != nil || !ok {
		return c, err
	}
	if p.is("(") {
		if c.Args, err = p.list("(", ")"); err != nil {
			return nil, err
		}
		if ok, err := p.accept(","); err != nil || !ok {
			return c, err
		}
	}
	c.Proto, _, err = p.name("a prototype")
	return c, err
}

func (p *parser) list(open, end string) ([]Operand, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.expect(open); err != nil {
		return nil, err
	}
	var list []Operand
	for !p.is(end) {
		if len(list) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		a, err := p.operand()
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, p.advance()
}

// operand reads one operand and its pair after "|".
func (p *parser) operand() (Operand, *Error) {
	o, err := p.simple()
	if err != nil {
		return o, err
	}
	if ok, err := p.accept("|"); err != nil || !ok {
		return o, err
	}
	o.Pair, _, err = p.name("a predicate")
	return o, err
}

func (p *parser) simple() (Operand, *Error) {
	o := Operand{Pos: p.tok.pos}
	var err *Error
	switch {
	case p.is("{"):
		o.Kind = Vector
		o.Elems, err = p.list("{", "}")
		return o, err
	case p.is("["):
		return p.address()
	case p.is("!"):
		o.Neg = true
		if err := p.advance(); err != nil {
			return o, err
		}
	case p.is("("):
		if err := p.enter(); err != nil {
			return o, err
		}
		defer p.leave()
		if err := p.advance(); err != nil {
			return o, err
		}
		if o, err = p.simple(); err != nil {
			return o, err
		}
		return o, p.expect(")")
	case p.is("-"):
		next, err := p.peek()
		if err != nil {
			return o, err
		}
		if next.kind == ident {
			o.Neg = true
			if err := p.advance(); err != nil {
				return o, err
			}
		}
	}
	if p.tok.kind == number || p.is("-") {
		o.Kind = Lit
		o.Lit, err = p.literal()
		return o, err
	}
	if p.tok.kind != ident {
		return o, p.unexpected("an operand")
	}
	if p.tok.text == "_" {
		o.Kind = Discard
		return o, p.advance()
	}
	o.Kind = Name
	o.Name = p.tok.text
	if err := p.advance(); err != nil {
		return o, err
	}
	if p.tok.kind == dotWord {
		// Special registers have their element in the name: %tid.x
		if sel := p.tok.text[1:]; strings.HasPrefix(o.Name, "%") && (sel == "x" || sel == "y" || sel == "z" || sel == "w") {
			o.Name += p.tok.text
		} else {
			o.Sel = sel
		}
		if err := p.advance(); err != nil {
			return o, err
		}
	}
	o.Offset, err = p.offset()
	return o, err
}

// offset reads what may follow a base: + 4, +-4, - 4.
func (p *parser) offset() (int64, *Error) {
	var sum int64
	for p.is("+") || p.is("-") {
		if p.is("+") {
			if err := p.advance(); err != nil {
				return 0, err
			}
		}
		n, err := p.integer("an offset")
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// address reads [base+offset] or [base, {…}] (tensor coordinates).
func (p *parser) address() (Operand, *Error) {
	o := Operand{Kind: Addr, Pos: p.tok.pos}
	if err := p.enter(); err != nil {
		return o, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return o, err
	}
	switch {
	case p.tok.kind == ident:
		o.Name = p.tok.text
		if err := p.advance(); err != nil {
			return o, err
		}
		n, err := p.offset()
		if err != nil {
			return o, err
		}
		o.Offset = n
	case p.tok.kind == number || p.is("-"):
		n, err := p.integer("an address")
		if err != nil {
			return o, err
		}
		o.Offset = n
	default:
		return o, p.unexpected("an address")
	}
	for p.is(",") {
		if err := p.advance(); err != nil {
			return o, err
		}
		e, err := p.operand()
		if err != nil {
			return o, err
		}
		o.Elems = append(o.Elems, e)
	}
	return o, p.expect("]")
}
