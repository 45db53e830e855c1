package types

import (
	"sync/atomic"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// Object is what a name means. Identity is the pointer.
type Object interface {
	ObjectName() string
	// Declared is where the name was introduced; no place for predeclared names.
	Declared() diag.Span
}

// named is embedded in every object.
type named struct {
	Name string
	Span diag.Span
}

func (n *named) ObjectName() string  { return n.Name }
func (n *named) Declared() diag.Span { return n.Span }

// Constant is a name with a value known at compile time: a `const`, a generic, a tunable, a `let` of a constant, or a
// predeclared one.
type Constant struct {
	named
	Type  Type
	Value Value
	// Tune and Generic mark the names that an instantiation binds.
	Tune, Generic bool
}

// TypeName is an element type, predeclared or a generic bound to one.
type TypeName struct {
	named
	Elem    array.DType
	Generic bool
}

// ScalarKind says what brings a scalar into being; zero is invalid.
type ScalarKind uint8

// Kinds of scalars.
const (
	InvalidScalar ScalarKind = iota
	Dim                      // a dimension, bound at launch, never negative
	ParamScalar              // a scalar parameter
	GridIndex                // an index of the grid
	LoopIndex                // the variable of a for or pipeline
	FreeIndex                // a free index of an index statement, or an index that a reduction binds
	LetScalar                // a let
	MutScalar                // a var
)

// Scalar is a name for one value at run time.
type Scalar struct {
	named
	Kind ScalarKind
	Type Type
	// Extent of a FreeIndex: it runs over 0 .. Extent.
	Extent Extent
	// Source of a FreeIndex's extent: where it came from, in words and place.
	Source Source
	// Tensor and Axis of a Dim: the parameter and axis that bind it.
	Tensor *Array
	Axis   int

	id    int      // serial number within an instantiation, tells formulas apart
	taint taint    // what the value may depend on
	known *Extent  // a let's value as a formula, nil if it has none
	limit interval // what the value is known to lie in
}

// Source says where an extent came from.
type Source struct {
	Span diag.Span
	Text string // "dimension 0 of a", "the extent given here"
}

// ArrayKind says what an array is to the kernel's caller; zero is invalid.
type ArrayKind uint8

// Kinds of arrays.
const (
	InvalidArray ArrayKind = iota
	In                     // a tensor that is only read
	Out                    // a tensor that is only written
	InOut                  // a tensor that is read and written
	Tile                   // local to a grid instance; constant shape
	Temporary              // a let of a spec; its shape may depend on dimensions
)

// IsTensor reports a parameter.
func (k ArrayKind) IsTensor() bool { return k == In || k == Out || k == InOut }

// String names the kind as messages do.
func (k ArrayKind) String() string {
	switch k {
	case In, Out, InOut:
		return "tensor"
	case Tile:
		return "tile"
	case Temporary:
		return "temporary"
	}
	return "invalid"
}

// Array is a tensor parameter, a tile, or a whole-tensor temporary of a spec.
type Array struct {
	named
	Kind    ArrayKind
	Elem    array.DType
	Shape   []Extent
	Strided bool   // a tensor whose strides are launch arguments
	Space   string // "" or the memory that the program pins a tile to: "shared", "register", …
	// Param is the declaration of a tensor, nil for tiles and temporaries.
	Param *ast.Param
	// dims are the places of the extents, for notes.
	dims []diag.Span
	// fills are the axes along which the tile may hold values that stand for elements outside a tensor.
	fills map[int]edgeFill
}

// Type returns the array's type as a whole.
func (a *Array) Type() Type { return Type{Kind: Whole, Elem: a.Elem, Shape: a.Shape} }

// Extents returns a tile's constant shape; extents that are not constant give -1.
func (a *Array) Extents() []int64 {
	out := make([]int64, len(a.Shape))
	for i, x := range a.Shape {
		out[i] = -1
		if n, ok := x.Const(); ok {
			out[i] = n
		}
	}
	return out
}

// Fn is a function of the program.
type Fn struct {
	named
	Decl *ast.Fn
	unit *Unit
}

// Kernel is a kernel of the program.
type Kernel struct {
	named
	Decl *ast.Kernel
	unit *Unit
	// body and spec are the sizes of the facts of the last instantiation.
	body, spec atomic.Pointer[infoSizes]
}

// Builtin is a predeclared function; its name says which.
type Builtin struct{ named }

// other is a name that may not stand in an expression: an op.
type other struct {
	named
	what string
}
