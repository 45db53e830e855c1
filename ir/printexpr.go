package ir

import (
	"math"
	"strconv"

	"tilec/runtime/array"
)

// String returns the expression in text form.
func (e *Expr) String() string {
	p := &printer{}
	p.expr(e)
	return p.b.String()
}

// String returns the access in text form.
func (a *Access) String() string {
	p := &printer{}
	p.access(a)
	return p.b.String()
}

// Binding strengths of the infix operations; all are left-associative, and
// comparisons don't chain.
const (
	lowest = iota
	orLevel
	andLevel
	compareLevel
	bitOrLevel
	bitXorLevel
	bitAndLevel
	shiftLevel
	sumLevel
	productLevel
	unaryLevel
)

// infixLevel returns how strongly an infix operation binds, 0 for any other.
func infixLevel(op ExprOp) int {
	switch op {
	case Or:
		return orLevel
	case And:
		return andLevel
	case Eq, Ne, Lt, Le, Gt, Ge:
		return compareLevel
	case BitOr:
		return bitOrLevel
	case BitXor:
		return bitXorLevel
	case BitAnd:
		return bitAndLevel
	case Shl, Shr:
		return shiftLevel
	case Add, Sub:
		return sumLevel
	case Mul, Div, Mod:
		return productLevel
	}
	return lowest
}

func (p *printer) expr(e *Expr) { p.exprIn(e, lowest) }

// exprIn prints e as an operand of something that binds at the given level.
func (p *printer) exprIn(e *Expr, level int) {
	if e == nil {
		p.put("?")
		return
	}
	switch e.Op {
	case Const:
		p.put(constText(e))
		return
	case Ref:
		p.put(p.varName(e.Var))
		return
	case Load:
		p.access(e.At)
		return
	case Cast:
		p.call(e.Type.String(), e.Args)
		return
	case Bitcast:
		p.put("bitcast(", e.Type.String(), ", ")
		p.list(e.Args)
		p.put(")")
		return
	}
	if e.Op == Neg && len(e.Args) == 1 && e.Args[0].Op != Const {
		p.put("-")
		p.exprIn(e.Args[0], unaryLevel)
		return
	}
	own := infixLevel(e.Op)
	if own == lowest || len(e.Args) != 2 {
		p.call(e.Op.String(), e.Args)
		return
	}
	left := own
	if own == compareLevel {
		left++
	}
	if own < level {
		p.put("(")
	}
	p.exprIn(e.Args[0], left)
	p.put(" ", e.Op.Info().Infix, " ")
	p.exprIn(e.Args[1], own+1)
	if own < level {
		p.put(")")
	}
}

func (p *printer) call(name string, args []*Expr) {
	p.put(name, "(")
	p.list(args)
	p.put(")")
}

func (p *printer) list(args []*Expr) {
	for i, a := range args {
		if i > 0 {
			p.put(", ")
		}
		p.expr(a)
	}
}

func (p *printer) access(a *Access) {
	if a == nil {
		p.put("?")
		return
	}
	p.put(p.bufName(a.Buf), "[")
	p.list(a.Index)
	p.put("]")
	if a.Guard != nil {
		p.put(" guard(")
		p.expr(a.Guard)
		p.put(")")
	}
	if a.Else != nil {
		p.put(" else(")
		p.expr(a.Else)
		p.put(")")
	}
}

// constText prints a constant: index constants bare, all others with their
// type, the value as the type holds it.
func constText(e *Expr) string {
	switch {
	case e.Type == array.Bool:
		return strconv.FormatBool(e.Int != 0)
	case e.Type == Index:
		return strconv.FormatInt(e.Int, 10)
	case e.Type.IsFloat():
		return floatText(e.Type, e.Float) + "_" + e.Type.String()
	case e.Type == array.U64:
		return strconv.FormatUint(uint64(e.Int), 10) + "_u64"
	}
	return strconv.FormatInt(array.WrapInt(e.Type, e.Int), 10) + "_" + e.Type.String()
}

func floatText(t DType, v float64) string {
	v = array.RoundFloat(t, v)
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	size := 64
	if t != array.F64 {
		size = 32 // shortest text that rounds to the value
	}
	return strconv.FormatFloat(v, 'g', -1, size)
}
