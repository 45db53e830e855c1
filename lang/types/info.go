package types

import (
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// Info holds what the checker found out about one body: a kernel's prologue and grid, its spec, or one expansion of a
// fn. A node that is missing from a table is in a branch that can't be taken in this instantiation.
type Info struct {
	// Types gives every expression its type. Untyped ones take the type that their context needs: push the wanted type
	// down through conditionals and reductions, and use the value in Consts where there is one.
	Types map[ast.Expr]Type
	// Consts has the value of every expression that is constant in this instantiation. Conditions of if statements and
	// conditional expressions found here have one dead branch, about which nothing is recorded.
	Consts map[ast.Expr]Value
	// Uses and Defs say what each name means, where it is used and where it is introduced. A free index is in Defs at
	// its first place (an IndexVar, or its first use in the statement) and in Uses everywhere else. A let or loop
	// variable of constant value is a *Constant.
	Uses, Defs map[*ast.Ident]Object

	// Index has the facts of each index statement: *ast.LetTile, *ast.Assign, *ast.Assert, and the scalar statements
	// *ast.Let, *ast.Var where they hold element accesses (no free indices then). Atomic expressions are in Atomics.
	Index      map[ast.Stmt]*IndexStmt
	Reductions map[*ast.Reduce]*Reduction
	Atomics    map[*ast.Atomic]*IndexStmt
	Copies     map[*ast.Copy]*Copy
	Fills      map[*ast.Fill]*Fill
	Gemms      map[*ast.Gemm]*Gemm
	Loops      map[ast.Stmt]*Loop // *ast.For and *ast.Pipeline
	Calls      map[*ast.Call]*Call
	// Operands is the element type that the operands of a comparison, a shift or a logical operator are converted to
	// before it; an arithmetic operator's operands have its own type. Only comparisons differ from Types in practice.
	Operands map[*ast.Binary]array.DType
}

// IndexStmt is an index statement: it runs over all points of its free indices.
type IndexStmt struct {
	// Free are the free indices, in the order of their first appearance on the left. Extents of a kernel are constants.
	Free []*Scalar
	// Array is the array written, nil where a scalar is.
	Array *Array
	// Scalar is the variable assigned, nil where an array is written.
	Scalar *Scalar
	// New: the statement is `let t[…] = …` and makes Array. In a spec a Temporary, in a kernel a Tile.
	New bool
}

// Reduction is `sum[k](…)` and its like.
type Reduction struct {
	Op      string    // sum, prod, max, min, any, all, argmax, argmin
	Indices []*Scalar // bound indices, in order
	// Elem is the type in which values are combined: f32 for narrow floats, i32 for narrow integers; Invalid where the
	// body is untyped, and the reduction is then computed in the type that its context needs.
	Elem array.DType
	// Product is set where the reduction is a sum of a product of two element accesses.
	Product *Product
}

// Product is a sum of a product of two elements: it multiplies exactly and accumulates in Acc.
type Product struct {
	A, B *ast.Index // below any widening conversions
	Acc  array.DType
	// Batch indices are free and on both sides, Rows free and in A only, Cols free and in B only, Sum are bound and on
	// both sides.
	Batch, Rows, Cols, Sum []*Scalar
	// Matrix: a job for the matrix unit. Both are tiles, each subscript is an index by itself, each index stands at
	// most once on each side, Rows, Cols and Sum are not empty, and every bound index is in Sum.
	Matrix bool
}

// Region is a block of an array: along Axes[d] it spans the block's extent d, on all other axes it is one element.
type Region struct {
	Array *Array
	// Start has one expression an axis; nil is 0.
	Start []ast.Expr
	Axes  []int
}

// Copy is a block move. Outside a tensor a Src reads as the statement's else value, and a Dst is not written.
type Copy struct {
	Src, Dst Region
	Shape    []int64
}

// Fill sets every element of a block.
type Fill struct {
	Dst   Region
	Shape []int64
}

// Gemm adds A·B to Acc: A is M×K (K×M if transposed), B is K×N (N×K if transposed).
type Gemm struct {
	A, B, Acc      *Array
	TransA, TransB bool
	M, N, K        int64
}

// Loop is a for or pipeline.
type Loop struct {
	Var    *Scalar
	Stages int // of a pipeline, at least 1
	// Once: at least one iteration is certain.
	Once bool
}

// CallKind says what a call means; zero is invalid.
type CallKind uint8

// Kinds of calls.
const (
	InvalidCall CallKind = iota
	Convert              // f32(x): To
	BuiltinCall          // Name; bitcast: To
	FnCall               // a fn of the program, to be expanded in place
)

// Call is the meaning of a call.
type Call struct {
	Kind CallKind
	Name string
	// To is the element type of a conversion or bitcast.
	To array.DType
	// Elem is the type in which a builtin computes: its scalar arguments are converted to it; Invalid if they are
	// untyped still.
	Elem array.DType
	// Axis of a scan (cumsum …), concat or split.
	Axis int
	// Arrays are the whole tiles that a builtin reads, in order (cumsum(t, 0): t).
	Arrays []*Array
	// Results are the new tiles that a builtin or a fn leaves; several for split.
	Results []*Array

	Fn *Expansion
}

// Expansion is one call of a fn with its types known. Two calls with the same types share one Expansion, so tiles
// declared in its body are to be made anew at each call.
type Expansion struct {
	Decl *ast.Fn
	Body *Info
	// Params are the objects of the parameters inside Body: a *Scalar of kind ParamScalar, converted to its type at
	// the call, or an *Array to be replaced by the argument's.
	Params []Object
	// Result is the type of the returned value, Nothing if there is none. Where it is Whole, Returned is the tile
	// declared in the body that is returned.
	Result   Type
	Returned *Array
}

// Param is a parameter of a kernel; one of the two is set.
type Param struct {
	Array  *Array
	Scalar *Scalar
}

// GridIter is one index of the grid.
type GridIter struct {
	Var   *Scalar
	Count ast.Expr
}

// Instance is a kernel with its generics and tunables bound.
type Instance struct {
	Kernel   *Kernel
	Bindings Bindings
	Params   []Param
	Dims     []*Scalar // in the order in which they are first bound
	// Requires holds the prologue's conditions, Lets its scalars, in source order. Body has their facts.
	Requires   []*ast.Require
	Lets       []*ast.Let
	Grid       []GridIter // fastest first
	Persistent bool
	Panel      int // above 0: visiting order in panels of that many rows
	AllowTF32  bool
	Body       *Info
	Spec       *Info // nil if the kernel has no spec
}

// Bindings are the values that an instantiation gives to generics and tunables, by name.
type Bindings struct {
	Generics map[string]Value
	Tunes    map[string]int64
}

// infoSizes is how much the facts of an earlier instantiation came to: maps of that size need not grow.
type infoSizes struct{ types, consts, uses, defs int }

func (in *Info) sizes() *infoSizes {
	return &infoSizes{len(in.Types), len(in.Consts), len(in.Uses), len(in.Defs)}
}

// newInfo makes empty facts; like, which may be nil, says how many there will be.
func newInfo(like *infoSizes) *Info {
	if like == nil {
		like = &infoSizes{}
	}
	return &Info{
		Types:      make(map[ast.Expr]Type, like.types),
		Consts:     make(map[ast.Expr]Value, like.consts),
		Uses:       make(map[*ast.Ident]Object, like.uses),
		Defs:       make(map[*ast.Ident]Object, like.defs),
		Index:      map[ast.Stmt]*IndexStmt{},
		Reductions: map[*ast.Reduce]*Reduction{},
		Atomics:    map[*ast.Atomic]*IndexStmt{},
		Copies:     map[*ast.Copy]*Copy{},
		Fills:      map[*ast.Fill]*Fill{},
		Gemms:      map[*ast.Gemm]*Gemm{},
		Loops:      map[ast.Stmt]*Loop{},
		Calls:      map[*ast.Call]*Call{},
		Operands:   map[*ast.Binary]array.DType{},
	}
}

// ObjectOf returns what a name means, where it is used or introduced, or nil.
func (in *Info) ObjectOf(id *ast.Ident) Object {
	if o, ok := in.Uses[id]; ok {
		return o
	}
	return in.Defs[id]
}

// ArrayOf returns the array that an expression names: an identifier, the base of an index, or a call that leaves one.
func (in *Info) ArrayOf(x ast.Expr) *Array {
	switch x := x.(type) {
	case *ast.Ident:
		a, _ := in.ObjectOf(x).(*Array)
		return a
	case *ast.Index:
		return in.ArrayOf(x.X)
	case *ast.Call:
		if c := in.Calls[x]; c != nil && len(c.Results) == 1 {
			return c.Results[0]
		}
	}
	return nil
}
