package ir

import "tilec/runtime/array"

// Int returns an index constant.
func Int(v int64) *Expr { return &Expr{Op: Const, Type: Index, Int: v} }

// IntOf returns an integer constant of type t.
func IntOf(t DType, v int64) *Expr { return &Expr{Op: Const, Type: t, Int: v} }

// FloatOf returns a float constant of type t, rounded to it.
func FloatOf(t DType, v float64) *Expr {
	return &Expr{Op: Const, Type: t, Float: array.RoundFloat(t, v)}
}

// BoolOf returns a bool constant.
func BoolOf(v bool) *Expr {
	e := &Expr{Op: Const, Type: array.Bool}
	if v {
		e.Int = 1
	}
	return e
}

// ZeroOf returns the zero of type t.
func ZeroOf(t DType) *Expr { return &Expr{Op: Const, Type: t} }

// RefTo returns the value of v.
func RefTo(v *Var) *Expr { return &Expr{Op: Ref, Type: v.Type, Var: v} }

// Un applies a unary operation; the result has the operand's type.
func Un(op ExprOp, x *Expr) *Expr { return &Expr{Op: op, Type: x.Type, Args: []*Expr{x}} }

// Bin applies a binary operation; comparisons give bool, all else x's type.
func Bin(op ExprOp, x, y *Expr) *Expr {
	t := x.Type
	if op.Info().Flags&Compares != 0 {
		t = array.Bool
	}
	return &Expr{Op: op, Type: t, Args: []*Expr{x, y}}
}

// CastTo converts x to type t; it is x itself when nothing changes.
func CastTo(t DType, x *Expr) *Expr {
	if x.Type == t {
		return x
	}
	return &Expr{Op: Cast, Type: t, Args: []*Expr{x}}
}

// LoadAt reads an element.
func LoadAt(a *Access) *Expr { return &Expr{Op: Load, Type: a.Buf.Elem, At: a} }

// SelectOf is c ? x : y.
func SelectOf(c, x, y *Expr) *Expr {
	return &Expr{Op: Select, Type: x.Type, Args: []*Expr{c, x, y}}
}

// Conj is the conjunction of conditions, nil ones left out; nil when empty.
func Conj(cs ...*Expr) *Expr {
	var all *Expr
	for _, c := range cs {
		switch {
		case c == nil:
		case all == nil:
			all = c
		default:
			all = Bin(And, all, c)
		}
	}
	return all
}

// Conjuncts splits a condition at its Ands; nil gives none.
func Conjuncts(c *Expr) []*Expr {
	if c == nil {
		return nil
	}
	if c.Op == And {
		return append(Conjuncts(c.Args[0]), Conjuncts(c.Args[1])...)
	}
	return []*Expr{c}
}

// IsConst reports a constant.
func (e *Expr) IsConst() bool { return e.Op == Const }

// Times multiplies index values; a factor of 1 falls away, and constants are multiplied at once.
func Times(a, b *Expr) *Expr {
	switch {
	case a.IsInt(1):
		return b
	case b.IsInt(1):
		return a
	case a.IsConst() && b.IsConst():
		return Int(a.Int * b.Int)
	}
	return Bin(Mul, a, b)
}

// Plus adds index values; 0 falls away, and constants are added at once.
func Plus(a, b *Expr) *Expr {
	switch {
	case a.IsInt(0):
		return b
	case b.IsInt(0):
		return a
	case a.IsConst() && b.IsConst():
		return Int(a.Int + b.Int)
	}
	return Bin(Add, a, b)
}

// Minus subtracts index values; 0 falls away, and constants are subtracted at once.
func Minus(a, b *Expr) *Expr {
	switch {
	case b.IsInt(0):
		return a
	case a.IsConst() && b.IsConst():
		return Int(a.Int - b.Int)
	}
	return Bin(Sub, a, b)
}

// IsInt reports the integer constant v.
func (e *Expr) IsInt(v int64) bool { return e.Op == Const && !e.Type.IsFloat() && e.Int == v }
