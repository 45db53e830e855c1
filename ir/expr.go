package ir

import (
	"tilec/internal/diag"
	"tilec/runtime/array"
)

// DType is an element type; index values are I64.
type DType = array.DType

// Expr is a scalar expression tree. Trees are immutable once built: passes make
// new nodes and may share old ones.
//
// Types are explicit: operands of an arithmetic operation have the node's type,
// and every change of type is a Cast. Floats below f32 are loaded, cast to f32,
// computed on and cast back, so arithmetic nodes are never f16, bf16 or f8.
type Expr struct {
	Op   ExprOp
	Type DType
	Args []*Expr
	// Int is the value of an integer or bool constant.
	Int int64
	// Float is the value of a float constant.
	Float float64
	// Var is what a Ref reads.
	Var *Var
	// At is the element that a Load reads.
	At   *Access
	Span diag.Span
}

// Var is a scalar: a grid, loop or free index, a let, a mutable variable, a
// scalar parameter or a dimension. Identity is the pointer.
type Var struct {
	Name string
	Type DType
	Kind VarKind
	Span diag.Span
}

// VarKind says what brings a Var into being.
type VarKind uint8

// Kinds of scalars.
const (
	InvalidVar VarKind = iota
	DimVar             // a dimension, bound at launch, never negative
	ParamVar           // a scalar parameter
	GridVar            // a grid index
	LoopVar            // the variable of a for
	IterVar            // a free or reduced index of one operation
	LetVar             // immutable
	MutVar             // assigned more than once
)

// Access names one element of a buffer, as a function of the scalars in scope
// and, within an operation, of its iteration variables.
type Access struct {
	Buf   *Buffer
	Index []*Expr
	// Guard, when not nil, must hold for the element to be touched: a guarded
	// load gives Else instead. An unguarded access out of bounds is an error
	// of the program that the interpreter reports.
	Guard *Expr
	// Else is what a guarded load gives where Guard is false; nil means zero.
	Else *Expr
	Span diag.Span
}

// Otherwise is what a guarded load gives where its guard is false.
func (a *Access) Otherwise() *Expr {
	if a.Else != nil {
		return a.Else
	}
	return ZeroOf(a.Buf.Elem)
}

// Iter is an iteration variable of an operation and its extent. In tile form
// and later the extent is a constant; in a spec it may depend on dimensions.
type Iter struct {
	Var    *Var
	Extent *Expr
}
