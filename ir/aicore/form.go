package aicore

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// Form is how the vector unit carries out a map.
type Form uint8

// Forms.
const (
	NoForm     Form = iota
	Fill            // every element becomes one scalar
	Move            // the same elements
	Spread          // a row for all rows, or an element for all columns
	Convert         // to another type
	Unary           // a function of one tile
	Binary          // a function of two tiles, one of which may be a row or a column for all
	WithScalar      // a function of a tile and a scalar
	Fused           // a tile times another plus a third, in place; one of those may be a row or a column for all
	Choose          // one of two values by a comparison
)

// Operand is an operand of a vector instruction: a tile or a scalar.
type Operand struct {
	View
	Scalar *ir.Expr // nil for a tile
}

// Vector is a map as the vector unit carries it out.
type Vector struct {
	Form Form
	Shape
	Dst View
	Op  ir.ExprOp // of Unary, Binary, WithScalar; the comparison of Choose
	Src []Operand // for Fused: the factor and what is added; for Choose: the two that are compared, then the two values
}

// Flat reports that a view covers the rows of the domain one after another, as the destination does: the instruction may then run
// over all of them at once, padding included.
func (v *Vector) Flat(o View) bool {
	return o.Full(v.Rows) && (v.Rows == 1 || o.Row == v.Dst.Row) && v.Dense()
}

// Dense reports that between the rows of the destination there is padding alone, which an instruction may write over.
func (v *Vector) Dense() bool {
	b := v.Dst.Buf
	return v.Dst.Full(v.Rows) && (v.Rows == 1 || v.Dst.Row == Pitch(b) && v.Cols == b.Extent(len(b.Shape)-1))
}

var binaries = map[ir.ExprOp]bool{ir.Add: true, ir.Sub: true, ir.Mul: true, ir.Div: true, ir.Min: true, ir.Max: true}

var unaries = map[ir.ExprOp]bool{
	ir.Exp: true, ir.Log: true, ir.Sqrt: true, ir.Abs: true, ir.Neg: true, ir.Floor: true, ir.Ceil: true, ir.Round: true, ir.Trunc: true,
}

// Converts reports that one Cast goes from one type to another (Ascend C, Cast, NPU architecture 2201).
func Converts(from, to ir.DType) bool {
	switch from {
	case array.Bool: // a byte of 0 or 1
		return to == array.F16
	case array.F16:
		return to == array.Bool || to == array.F32 || to == array.I8 || to == array.U8 || to == array.I16 || to == array.I32
	case array.BF16:
		return to == array.F32 || to == array.I32
	case array.F32:
		return to == array.F16 || to == array.BF16 || to == array.I16 || to == array.I32 || to == array.I64
	case array.I8, array.U8, array.I4:
		return to == array.F16
	case array.I16:
		return to == array.F16 || to == array.F32
	case array.I32:
		return to == array.F32 || to == array.I64 // to a narrower one it saturates
	}
	return false
}

// computes reports that the vector unit calculates in a type.
func computes(op ir.ExprOp, t ir.DType) bool {
	return t == array.F32 || t == array.I32 && op != ir.Div && (op == ir.Neg || binaries[op])
}

// VectorOf reads a map of tiles in UB as what one step of the vector unit does; it is not ok for others.
func VectorOf(op *ir.Op) (v Vector, ok bool) {
	if op.Code != ir.OpMap && op.Code != ir.OpCopy || op.Dst.Buf.Outside() || op.Dst.Guard != nil || len(op.Dom) == 0 {
		return v, false
	}
	x := value(op)
	v.Shape = ShapeOf(op.Dom)
	if v.Dst, ok = ViewOf(op.Dom, op.Dst); !ok || !v.Dst.usable(v.Shape) {
		return v, false
	}
	t := op.Dst.Buf.Elem
	if t.Bits() < 16 && t != array.Bool && x.IsConst() && v.Dense() && v.Dst.Base == nil {
		v.Form, v.Src = Fill, []Operand{{Scalar: x}} // pairs or fours of elements at a time
		return v, true
	}
	if t.Bits() <= 8 && x.Op == ir.Load {
		o, ok := operandOf(op.Dom, x)
		v.Form, v.Src = Move, []Operand{o}
		return v, ok && o.Buf.Elem == t && v.Flat(o.View) && o.usable(v.Shape)
	}
	if t.Bits() < 16 && !(x.Op == ir.Cast && Converts(x.Args[0].Type, t)) {
		return v, false // bytes have no vector instructions but casts
	}
	if t.Bits() > 32 && x.Op != ir.Cast {
		return v, false
	}
	if s, scalar := scalarOf(op.Dom, x); scalar {
		v.Form, v.Src = Fill, []Operand{{Scalar: s}}
		return v, t == array.F16 || t == array.BF16 || t.Bits() == 32
	}
	switch {
	case x.Op == ir.Load:
		o, ok := operandOf(op.Dom, x)
		if !ok || o.Buf.Elem != t {
			return v, false
		}
		v.Src = []Operand{o}
		v.Form = Move
		if !v.Flat(o.View) && !(o.Full(v.Rows) && o.Aligned()) {
			v.Form = Spread
			return v, (t.Bits() == 16 || t.Bits() == 32) && v.broadcast(o)
		}
		return v, o.usable(v.Shape)
	case x.Op == ir.Cast:
		v.Form = Convert
		from := x.Args[0]
		if from.Op == ir.Bitcast && from.Type == array.I4 { // the instruction knows signed numbers of 4 bits alone
			from = from.Args[0]
		}
		return v, Converts(x.Args[0].Type, t) && v.fullOperands(op, []*ir.Expr{from})
	case x.Op == ir.Select:
		c := x.Args[0]
		if c.Op.Info().Flags&ir.Compares == 0 || c.Args[0].Type != array.F32 && !(c.Args[0].Type == array.I32 && c.Op == ir.Eq) || t.Bits() != 32 && t != array.F16 {
			return v, false
		}
		v.Form, v.Op = Choose, c.Op
		if !v.operands(op, c.Args[0], c.Args[1], x.Args[1], x.Args[2]) {
			return v, false
		}
		// a scalar may stand on the right of a comparison, and as the second value
		for i, o := range v.Src {
			if o.Scalar != nil && i != 1 && i != 3 || o.Scalar == nil && !(v.Flat(o.View) && o.Aligned()) {
				return v, false
			}
		}
		return v, v.Dst.Aligned() && v.Dense()
	case x.Op == ir.Fma && t == array.F32:
		v.Form = Fused
		if !v.operands(op, x.Args...) {
			return v, false
		}
		own, spread := v.Src[0], 0
		v.Src = v.Src[1:]
		for _, o := range v.Src {
			if o.Scalar != nil {
				return v, false
			}
			if !o.Full(v.Rows) || !o.usable(v.Shape) {
				if spread++; !v.broadcast(o) {
					return v, false
				}
			}
		}
		return v, own.View.sameAs(v.Dst) && spread < 2
	case unaries[x.Op] && computes(x.Op, x.Type):
		v.Form, v.Op = Unary, x.Op
		return v, v.fullOperands(op, x.Args)
	case binaries[x.Op] && computes(x.Op, x.Type):
		v.Op = x.Op
		if !v.operands(op, x.Args...) {
			return v, false
		}
		a, b := v.Src[0], v.Src[1]
		switch {
		case a.Scalar != nil && b.Scalar != nil:
			return v, false
		case a.Scalar != nil && (x.Op == ir.Sub || x.Op == ir.Div):
			return v, false
		case a.Scalar != nil:
			v.Src[0], v.Src[1] = b, a
			v.Form = WithScalar
			return v, v.Src[0].usable(v.Shape) && v.Src[0].Full(v.Rows)
		case b.Scalar != nil:
			v.Form = WithScalar
			return v, x.Op != ir.Div && a.usable(v.Shape) && a.Full(v.Rows)
		}
		v.Form = Binary
		full := func(o Operand) bool { return o.Full(v.Rows) && o.usable(v.Shape) }
		return v, full(a) && (full(b) || v.broadcast(b)) || full(b) && v.broadcast(a)
	}
	return v, false
}

// value is what a map or copy stores.
func value(op *ir.Op) *ir.Expr {
	if op.Code == ir.OpCopy {
		return ir.CastTo(op.Dst.Buf.Elem, ir.LoadAt(op.Src[0]))
	}
	return op.X[0]
}

// sameAs reports two views of the same elements.
func (v View) sameAs(o View) bool {
	base := func(e *ir.Expr) string {
		if e == nil {
			return ""
		}
		return e.String()
	}
	return v.Buf == o.Buf && v.Row == o.Row && v.Col == o.Col && base(v.Base) == base(o.Base)
}

// usable reports a view that instructions can address: rows on blocks, or one row.
func (v View) usable(s Shape) bool {
	return v.Aligned() && (v.Col == 1 || s.Cols == 1) && (s.Rows == 1 || v.Row*v.Buf.Elem.Bits()%(32*8) == 0)
}

// broadcast reports an operand that is one row for all, or one element a row that lie one after another.
func (v *Vector) broadcast(o Operand) bool {
	if o.Scalar != nil || !o.Aligned() {
		return false
	}
	row := o.Row == 0 && o.Col == 1
	column := o.Col == 0 && (o.Row == 1 || o.Row == 0 && v.Rows == 1)
	return row || column
}

// Column reports an operand with one element for each row, which fills a block before the step takes it.
func (v *Vector) Column(o Operand) bool {
	return o.Scalar == nil && o.Col == 0 && (v.Cols > 1 || o.Row == 1)
}

func (v *Vector) operands(op *ir.Op, xs ...*ir.Expr) bool {
	for _, x := range xs {
		if s, ok := scalarOf(op.Dom, x); ok {
			v.Src = append(v.Src, Operand{Scalar: s})
			continue
		}
		o, ok := operandOf(op.Dom, x)
		if !ok {
			return false
		}
		v.Src = append(v.Src, o)
	}
	return true
}

func (v *Vector) fullOperands(op *ir.Op, xs []*ir.Expr) bool {
	if !v.operands(op, xs...) {
		return false
	}
	for _, o := range v.Src {
		if o.Scalar != nil || !o.Full(v.Rows) || !o.usable(v.Shape) {
			return false
		}
	}
	return true
}

func operandOf(dom []ir.Iter, x *ir.Expr) (o Operand, ok bool) {
	if x.Op != ir.Load || x.At.Buf.Outside() || x.At.Guard != nil {
		return o, false
	}
	o.View, ok = ViewOf(dom, x.At)
	return o, ok
}

// scalarOf returns an expression that is the same at every point and reads no tile.
func scalarOf(dom []ir.Iter, x *ir.Expr) (*ir.Expr, bool) {
	ok := true
	x.Walk(func(e *ir.Expr) bool {
		if e.Op == ir.Load {
			ok = false
		}
		for _, it := range dom {
			if e.Op == ir.Ref && e.Var == it.Var {
				ok = false
			}
		}
		return ok
	})
	return x, ok
}
