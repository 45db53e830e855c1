package syntax

import "strings"

// maxElems bounds what one declaration may hold, in elements.
const maxElems = 1 << 32

// variables reads: .space [.align n] [.vN] .type name [dims] [= init] {, name …} ;
func (p *parser) variables(extern bool) ([]*Var, *Error) {
	proto, err := p.varType(extern)
	if err != nil {
		return nil, err
	}
	var list []*Var
	for {
		v := *proto
		if err := p.declarator(&v); err != nil {
			return nil, err
		}
		list = append(list, &v)
		if ok, err := p.accept(","); err != nil {
			return nil, err
		} else if !ok {
			return list, p.expect(";")
		}
	}
}

// varType reads the part of a declaration before the name.
func (p *parser) varType(extern bool) (*Var, *Error) {
	v := &Var{Space: strings.TrimPrefix(p.tok.text, "."), Vector: 1, Extern: extern}
	if err := p.advance(); err != nil {
		return nil, err
	}
	for p.tok.kind == dotWord {
		word := p.tok.text
		pos := p.tok.pos
		if err := p.advance(); err != nil {
			return nil, err
		}
		switch word {
		case ".align":
			n, err := p.integer("an alignment")
			if err != nil {
				return nil, err
			}
			if n <= 0 || n&(n-1) != 0 || n > 1<<20 {
				return nil, p.errorf(pos, "alignment %d is not a power of two", n)
			}
			v.Align = int(n)
		case ".v2":
			v.Vector = 2
		case ".v4":
			v.Vector = 4
		case ".v8":
			v.Vector = 8
		case ".attribute":
			if err := p.attribute(); err != nil {
				return nil, err
			}
		case ".ptr", ".global", ".shared", ".const", ".local", ".param":
			// What a pointer parameter points to; of no effect on execution.
			v.Pointer = v.Pointer || word == ".ptr"
			if p.is(".align") {
				align, typ := v.Align, v.Type
				if err := p.advance(); err != nil {
					return nil, err
				}
				if _, err := p.integer("an alignment"); err != nil {
					return nil, err
				}
				v.Align, v.Type = align, typ
			}
		default:
			if v.Type != "" {
				return nil, p.errorf(pos, "declaration has two types, .%s and %s", v.Type, word)
			}
			v.Type = word[1:]
		}
	}
	if v.Type == "" {
		return nil, p.unexpected("a type")
	}
	return v, nil
}

// declarator reads: name, name<n>, name[d][…], name = init
func (p *parser) declarator(v *Var) *Error {
	var err *Error
	if v.Name, v.Pos, err = p.name("a name"); err != nil {
		return err
	}
	if ok, err := p.accept("<"); err != nil {
		return err
	} else if ok {
		pos := p.tok.pos
		if v.Range, err = p.integer("a count"); err != nil {
			return err
		}
		if v.Range < 1 || v.Range > 1<<24 {
			return p.errorf(pos, "%d registers in one declaration", v.Range)
		}
		return p.expect(">")
	}
	for p.is("[") {
		if err := p.advance(); err != nil {
			return err
		}
		pos := p.tok.pos
		if p.is("]") {
			if len(v.Dims) > 0 {
				return p.errorf(pos, "only the first dimension may be left open")
			}
			v.Open = true
			v.Dims = append(v.Dims, 0)
		} else {
			n, err := p.integer("an extent")
			if err != nil {
				return err
			}
			if n < 0 || n > maxElems || v.Elems() > maxElems/max(n, 1) {
				return p.errorf(pos, "variable %s is too large", v.Name)
			}
			v.Dims = append(v.Dims, n)
		}
		if err := p.expect("]"); err != nil {
			return err
		}
	}
	if ok, err := p.accept("="); err != nil || !ok {
		return err
	}
	if err := p.initialiser(v); err != nil {
		return err
	}
	if v.Open && !v.Extern {
		inner := int64(v.Vector)
		for _, d := range v.Dims[1:] {
			inner *= d
		}
		if inner > 0 {
			v.Dims[0] = (int64(len(v.Init)) + inner - 1) / inner
		}
	}
	return nil
}

// initialiser reads a value or nested { } lists, flattened in order.
func (p *parser) initialiser(v *Var) *Error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	if ok, err := p.accept("{"); err != nil {
		return err
	} else if ok {
		for !p.is("}") {
			if err := p.initialiser(v); err != nil {
				return err
			}
			if ok, err := p.accept(","); err != nil {
				return err
			} else if !ok {
				break
			}
		}
		return p.expect("}")
	}
	val, err := p.value()
	v.Init = append(v.Init, val)
	return err
}

// value reads a literal, symbol, symbol+n, generic(symbol)+n or mask(symbol).
func (p *parser) value() (Value, *Error) {
	var val Value
	if p.tok.kind == number || p.is("-") {
		lit, err := p.literal()
		if err != nil {
			return val, err
		}
		val.Lit = lit
		if ok, err := p.accept("("); err != nil || !ok {
			return val, err
		}
		val.Masked = true
		for m := lit.Int; m != 0 && m&0xff == 0; m >>= 8 {
			val.Shift += 8
		}
		val.Lit = Literal{}
		if val.Symbol, _, err = p.name("a symbol"); err != nil {
			return val, err
		}
		return val, p.expect(")")
	}
	sym, _, err := p.name("a value")
	if err != nil {
		return val, err
	}
	if sym == "generic" && p.is("(") {
		val.Generic = true
		if err := p.advance(); err != nil {
			return val, err
		}
		if sym, _, err = p.name("a symbol"); err != nil {
			return val, err
		}
		if err := p.expect(")"); err != nil {
			return val, err
		}
	}
	val.Symbol = sym
	val.Lit.Kind = IntLit
	for p.is("+") || p.is("-") {
		plus := p.is("+")
		if plus {
			if err := p.advance(); err != nil {
				return val, err
			}
		}
		n, err := p.integer("an offset")
		if err != nil {
			return val, err
		}
		val.Lit.Int += uint64(n)
	}
	return val, nil
}

// literal reads a number with an optional sign.
func (p *parser) literal() (Literal, *Error) {
	neg, err := p.accept("-")
	if err != nil {
		return Literal{}, err
	}
	if p.tok.kind != number {
		return Literal{}, p.unexpected("a number")
	}
	lit := p.tok.lit
	if neg {
		switch lit.Kind {
		case IntLit:
			lit.Int = -lit.Int
		case F32Lit:
			lit.Int ^= 1 << 31
		case F64Lit:
			lit.Int ^= 1 << 63
		}
		lit.F64 = -lit.F64
	}
	return lit, p.advance()
}
