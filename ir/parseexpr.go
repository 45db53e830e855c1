package ir

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"tilec/runtime/array"
)

func (p *parser) expr() *Expr { return p.exprAt(orLevel) }

// exprAt reads operands joined by infix operations that bind at least at level.
func (p *parser) exprAt(level int) *Expr {
	p.nest()
	defer p.unnest()
	start := p.peek()
	x := p.operand()
	for {
		op, ok := p.infix()
		own := infixLevel(op)
		if !ok || own < level {
			return x
		}
		p.next()
		y := p.exprAt(own + 1)
		if own == compareLevel {
			if op, ok := p.infix(); ok && infixLevel(op) == compareLevel {
				p.fail("comparisons don't chain")
			}
		}
		x = Bin(op, x, y)
		x.Span = p.since(start)
	}
}

// infix returns the operation that the next token spells.
func (p *parser) infix() (ExprOp, bool) {
	t := p.peek()
	if t.kind != signToken && t.text != "and" && t.text != "or" {
		return InvalidExpr, false
	}
	for op := Const; op < numExprOps; op++ {
		if s := op.Info().Infix; s != "" && s == t.text {
			return op, true
		}
	}
	return InvalidExpr, false
}

func (p *parser) operand() *Expr {
	start := p.peek()
	x := p.bareOperand()
	if !x.Span.IsValid() {
		x.Span = p.since(start)
	}
	return x
}

func (p *parser) bareOperand() *Expr {
	t := p.peek()
	switch {
	case t.kind == numberToken:
		return p.number("")
	case t.kind == signToken && t.text == "(":
		p.next()
		x := p.expr()
		p.expect(")")
		return x
	case t.kind == signToken && t.text == "-":
		return p.negative()
	case t.kind != nameToken:
		p.fail("expected an expression, found %s", p.found())
	}
	if typ, v, ok := namedConst(t.text); ok {
		p.next()
		if typ == array.Bool {
			return BoolOf(v != 0)
		}
		return FloatOf(typ, v)
	}
	switch next := p.ahead(1); {
	case next.kind == signToken && next.text == "[":
		return LoadAt(p.access())
	case next.kind == signToken && next.text == "(":
		return p.call()
	}
	return RefTo(p.lookupVar())
}

// negative reads a negation: of a literal it is part of the literal.
func (p *parser) negative() *Expr {
	p.next()
	t := p.peek()
	if t.kind == numberToken {
		return p.number("-")
	}
	if typ, v, ok := namedConst(t.text); ok && t.kind == nameToken && typ != array.Bool {
		p.next()
		return FloatOf(typ, -v)
	}
	p.nest()
	defer p.unnest()
	return Un(Neg, p.operand())
}

// call reads a conversion or an operation in function notation.
func (p *parser) call() *Expr {
	t := p.next()
	x := &Expr{}
	if typ, ok := array.ParseDType(t.text); ok {
		x.Op, x.Type = Cast, typ
		p.items("(", ")", func() { x.Args = append(x.Args, p.expr()) })
	} else {
		op, ok := LookupExprOp(t.text)
		if !ok || op.Info().Arity == 0 || op == Cast {
			p.failAt(t, "unknown function %s", t.text)
		}
		x.Op = op
		p.items("(", ")", func() {
			if op == Bitcast && x.Type == array.Invalid {
				x.Type = p.dtype()
				return
			}
			x.Args = append(x.Args, p.expr())
		})
	}
	if want := x.Op.Info().Arity; len(x.Args) != want {
		p.failAt(t, "%s takes %d operands, not %d", t.text, want, len(x.Args))
	}
	switch {
	case x.Type != array.Invalid:
	case x.Op.Info().Flags&Compares != 0:
		x.Type = array.Bool
	case x.Op == Select:
		x.Type = x.Args[1].Type
	case x.Op == Rand:
		x.Type = array.F32
	default:
		x.Type = x.Args[0].Type
	}
	return x
}

func (p *parser) access() *Access {
	start := p.peek()
	a := &Access{Buf: p.lookupBuffer()}
	p.items("[", "]", func() { a.Index = append(a.Index, p.expr()) })
	if p.is("guard") && p.ahead(1).text == "(" {
		p.next()
		p.expect("(")
		a.Guard = p.expr()
		p.expect(")")
	}
	if p.is("else") && p.ahead(1).text == "(" {
		p.next()
		p.expect("(")
		a.Else = p.expr()
		p.expect(")")
	}
	a.Span = p.since(start)
	return a
}

// number reads a literal; sign is "-" or empty.
func (p *parser) number(sign string) *Expr {
	t := p.peek()
	digits, suffix, typed := strings.Cut(t.text, "_")
	typ := Index
	if typed {
		var ok bool
		if typ, ok = array.ParseDType(suffix); !ok {
			p.fail("unknown element type %s", suffix)
		}
	}
	p.next()
	text := sign + digits
	switch {
	case typ.IsFloat():
		// Parsed for the printed precision: a second rounding could differ.
		size := 64
		if typ != array.F64 {
			size = 32
		}
		v, err := strconv.ParseFloat(text, size)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			p.failAt(t, "malformed number %s", t.text)
		}
		return FloatOf(typ, array.RoundFloat(typ, v))
	case typ == array.U64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			p.failAt(t, "malformed number %s", t.text)
		}
		return IntOf(typ, int64(v))
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || typ == array.Bool || array.WrapInt(typ, v) != v {
		p.failAt(t, "malformed number %s", sign+t.text)
	}
	return IntOf(typ, v)
}

// namedConst returns the constant that a word stands for.
func namedConst(word string) (DType, float64, bool) {
	switch word {
	case "true":
		return array.Bool, 1, true
	case "false":
		return array.Bool, 0, true
	}
	for prefix, v := range map[string]float64{"inf_": math.Inf(1), "nan_": math.NaN()} {
		if suffix, ok := strings.CutPrefix(word, prefix); ok {
			if t, ok := array.ParseDType(suffix); ok && t.IsFloat() {
				return t, v, true
			}
		}
	}
	return array.Invalid, 0, false
}
