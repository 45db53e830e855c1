package fuzz

import (
	"tilec/runtime/array"
)

// Program is a kernel with the launches that it is run with.
type Program struct {
	Name       string
	Generic    *Generic // nil: no generic element type
	Extents    []*Extent
	Params     []*Array
	Scalars    []*Scalar // parameters
	Grid       []*Axis
	Persistent bool
	Panel      int64 // 0: the usual order
	Funcs      []*Func
	Body       []*Stmt
	Launches   []*Launch
	Requires   []Require
	TF32       bool // contractions of f32 may round their operands
}

// Require says that a dimension is a multiple of some number in all launches.
type Require struct {
	Dim string
	Of  int64
}

// Generic is an element type with a name: those arrays and conversions marked so
// are printed by it.
type Generic struct {
	Name string
	Elem array.DType
}

// Extent is a constant number of elements along one axis. Statements share extents
// by pointer, so that one change reaches all.
type Extent struct {
	Name string // empty: a literal
	N    int64
	Kind ExtentKind
	// Others are further candidates of a tunable, never chosen.
	Others []int64
}

// ExtentKind says how a named extent is declared.
type ExtentKind uint8

// Kinds of extents.
const (
	Literal ExtentKind = iota + 1
	Tunable
	IntGeneric
)

// Axis is a grid dimension: an index that runs over the blocks of a dimension, or
// over a constant count.
type Axis struct {
	Index string
	Dim   string // the dimension that is cut into blocks; empty: Count alone
	Block *Extent
	Count int64
}

// Size is one dimension of an array.
type Size struct {
	Dim    string  // a dimension's name: unknown at compile time
	Factor int64   // of Dim
	Extent *Extent // otherwise
}

// ArrayKind says what an array is; zero is invalid.
type ArrayKind uint8

// Kinds of arrays.
const (
	In ArrayKind = iota + 1
	Out
	InOut
	Shared // an inout tensor that only atomics touch
	Tile
)

// Array is a tensor or a tile.
type Array struct {
	Name    string
	Kind    ArrayKind
	Elem    array.DType
	Generic bool // the type is printed as the generic's name
	Shape   []Size
	Strided bool
	Input   Input // of tensors that have contents
	// Owned maps the axes of an Out or InOut tensor to the grid axes that own them,
	// -1 for none.
	Owned []int
}

// Scalar is a scalar parameter, let, var or loop index.
type Scalar struct {
	Name  string
	Type  Type
	Var   bool
	Param bool
}

// Type is that of an expression.
type Type struct {
	Elem  array.DType
	Index bool // of indices and dimensions; Elem is then i64
}

var indexType = Type{Elem: array.I64, Index: true}

func typeOf(e array.DType) Type { return Type{Elem: e} }

// InputKind says how a tensor is filled.
type InputKind uint8

// Kinds of inputs.
const (
	RandInt InputKind = iota + 1
	Uniform
	Normal
	Constant
)

// Input is a tensor's contents: RandInt and Uniform are from A up to B, Normal has
// mean A and deviation B, Constant is A.
type Input struct {
	Kind InputKind
	A, B float64
}

// Func is a function on scalars.
type Func struct {
	Name   string
	Params []*Scalar
	Result array.DType
	Body   *Expr
}

// Launch is one set of values to run the kernel with.
type Launch struct {
	Dims    map[string]int64
	Scalars map[string]float64 // bools are 0 and 1
}

// Expr is a node of an expression.
type Expr struct {
	Op    Op
	Type  Type
	Name  string // of a function, operator, reference or free index
	Value float64
	Typed bool // a literal is printed with a conversion to its type
	// Generic has a conversion printed as one to the generic type.
	Generic bool
	Array   *Array
	Extent  *Extent // of Count
	Args    []*Expr
	Over    []Bound // of a reduction
	Func    *Func
}

// Op is the kind of a node; zero is invalid.
type Op uint8

// Kinds of nodes.
const (
	Lit       Op = iota + 1
	Ref          // a scalar
	Idx          // a free or bound index
	Count        // an extent's name or value
	Load         // Array[Args]
	Unary        // Name Args[0]
	Binary       // Args[0] Name Args[1]
	Call         // Name(Args)
	Convert      // Type(Args[0])
	Bitcast      // bitcast(Type, Args[0])
	Cond         // if Args[0] then Args[1] else Args[2]
	Reduce       // Name[Over](Args[0])
	FuncCall     // Func(Args)
	AtomicOld    // atomic Array[Args but the last] Name last: the value from before, all of a let
)

// Bound is an index with its extent.
type Bound struct {
	Name   string
	Extent *Extent
	Stated bool // the extent is written down even where it need not be
}

// StmtKind is the kind of a statement; zero is invalid.
type StmtKind uint8

// Kinds of statements.
const (
	DeclTile   StmtKind = iota + 1 // tile Target = Value, or without Value
	LetScalar                      // let Scalar = Value
	VarScalar                      // var Scalar = Value
	SetScalar                      // Scalar Op Value
	LetTile                        // let Target[Index] = Value
	Assign                         // Target[Subs] Op Value
	Copy                           // copy Source[From] -> Target[Subs] else Else
	Fill                           // fill Target, Value
	Gemm                           // gemm Source, Source2 -> Target
	Scan                           // let Results = Name(Sources, Ints)
	Loop                           // for, unroll for or pipeline
	WhileLoop                      // var Scalar = Value; while Scalar > 0 { Body; Scalar = Scalar / 2 }
	If                             // if Value { Body } else { Else }
	AssertStmt                     // assert Value
	PrintStmt                      // print("Name", Value)
	Called                         // a function on tiles with this Body; Target, if not nil, is its result
)

// Stmt is a statement.
type Stmt struct {
	Kind    StmtKind
	Target  *Array
	Space   string // of a declaration: the memory that it is pinned to
	Scalar  *Scalar
	Value   *Expr
	Index   []Bound // free indices
	Subs    []*Expr // of Target
	Op      string  // "=", "+=", …
	Atomic  bool
	Where   *Expr
	Default *Expr // else, for elements outside
	// Copies: the source, its place, and ranges in place of starts.
	Source  *Array
	From    []*Expr
	Ranges  []*Extent // explicit lengths for From; nil: none
	Source2 *Array
	TransA  bool
	TransB  bool
	Name    string
	Sources []*Array
	Results []*Array
	Ints    []*Extent
	Axis    int
	Back    bool  // the axis is counted from the end
	Perm    []int // of transpose: the order of the axes; nil: reversed
	// Loops.
	Unroll   bool
	Pipeline bool
	Stages   *Extent
	Lo, Hi   *Expr
	Step     int64
	Body     []*Stmt
	Else     []*Stmt
}
