package ast

// Block is `{ … }`.
type Block struct {
	Place
	Stmts []Stmt
}

// Let is `let x = expr`, or `let a, b = expr` for an operation with several results.
type Let struct {
	Place
	Names []*Ident
	Value Expr
}

// LetTile is `let t[i, j: BN] = expr`: a new tile (in a spec: a whole tensor).
type LetTile struct {
	Place
	Name    *Ident
	Indices []*IndexVar
	Value   Expr
	Suffix
}

// IndexVar is `i` or `i: extent` where an index is introduced.
type IndexVar struct {
	Place
	Name   *Ident
	Extent Expr // nil if it follows from use
}

// Suffix holds the optional ends of an index statement: `else v where cond over i: BM, j: BN`.
type Suffix struct {
	Else  Expr        // value of tensor elements outside their tensor; nil means 0
	Where Expr        // nil if all indices take part
	Over  []*IndexVar // extents of free indices that nothing else fixes
}

// Var is `var x: i32 = expr`.
type Var struct {
	Place
	Name  *Ident
	Type  *Type // nil if left out
	Value Expr
}

// TileDecl is `tile t: f32[BM, BN] in shared = 0`.
type TileDecl struct {
	Place
	Name  *Ident
	Type  *Type
	Space *Ident // nil if the compiler chooses
	Init  Expr   // nil if the tile starts undefined
}

// Copy is `copy src -> dst else v`. Src and Dst are an [*Ident], or an [*Index] of an [*Ident] or of `peer(A, r)`, with
// [*Range] arguments allowed.
type Copy struct {
	Place
	Src, Dst Expr
	Else     Expr // nil means 0
}

// Gemm is `gemm a^T, b -> acc`.
type Gemm struct {
	Place
	A, B           Expr
	TransA, TransB bool
	Acc            Expr
}

// Fill is `fill t, value`.
type Fill struct {
	Place
	Dst   Expr
	Value Expr
}

// For is `for i in a .. b step s { … }`, or `unroll for …`.
type For struct {
	Place
	Unroll bool
	Name   *Ident
	Lo, Hi Expr
	Step   Expr // nil means 1
	Body   *Block
}

// Pipeline is `pipeline i in a .. b step s, stages { … }`.
type Pipeline struct {
	Place
	Name   *Ident
	Lo, Hi Expr
	Step   Expr // nil means 1
	Stages Expr
	Body   *Block
}

// While is `while cond { … }`.
type While struct {
	Place
	Cond Expr
	Body *Block
}

// If is `if cond { … } else …`.
type If struct {
	Place
	Cond Expr
	Then *Block
	Else Stmt // nil, *Block or *If
}

// AssignOp is the operator of an index statement; zero is invalid.
type AssignOp int

// The assignment operators.
const (
	Set    AssignOp = iota + 1 // =
	AddSet                     // +=
	MulSet                     // *=
	MaxSet                     // max=
	MinSet                     // min=
	OrSet                      // |= (or=)
	AndSet                     // &= (and=)
)

var assignOps = [...]string{Set: "=", AddSet: "+=", MulSet: "*=", MaxSet: "max=", MinSet: "min=", OrSet: "|=", AndSet: "&="}

// String returns the operator as written.
func (op AssignOp) String() string {
	if op <= 0 || int(op) >= len(assignOps) {
		return "invalid"
	}
	return assignOps[op]
}

// Assign is an index statement `lhs[i, j] op= expr else v where cond over …`, or an assignment to a scalar.
type Assign struct {
	Place
	Atomic bool
	LHS    Expr // an *Ident, or an *Index of an *Ident or of `peer(A, r)`
	Op     AssignOp
	Value  Expr
	Suffix
}

// CallStmt is a call for its effect: a `fn` on tiles.
type CallStmt struct {
	Place
	Call *Call
}

// Print is `print(…)`.
type Print struct {
	Place
	Args []Expr
}

// Assert is `assert cond, "message"`.
type Assert struct {
	Place
	Cond    Expr
	Message *String // nil if there is none
}

// Return is `return expr`, the last statement of a `fn`.
type Return struct {
	Place
	Value Expr
}

// Signal is `signal F[i] to r += v`.
type Signal struct {
	Place
	Flag Expr
	To   Expr
	Add  Expr // nil means 1
}

// Wait is `wait F[i] >= v`.
type Wait struct {
	Place
	Flag  Expr
	Value Expr
}

// Barrier is `barrier ranks`.
type Barrier struct{ Place }

// Temp is `temp P: f32[S, M, N]` in an op.
type Temp struct {
	Place
	Name *Ident
	Type *Type
}

// Run is `run kernel(arguments)` in an op.
type Run struct {
	Place
	Call *Call
}

// BadStmt stands for a statement that could not be read; an error was reported.
type BadStmt struct{ Place }

func (*Block) stmt()    {}
func (*Let) stmt()      {}
func (*LetTile) stmt()  {}
func (*Var) stmt()      {}
func (*TileDecl) stmt() {}
func (*Copy) stmt()     {}
func (*Gemm) stmt()     {}
func (*Fill) stmt()     {}
func (*For) stmt()      {}
func (*Pipeline) stmt() {}
func (*While) stmt()    {}
func (*If) stmt()       {}
func (*Assign) stmt()   {}
func (*CallStmt) stmt() {}
func (*Print) stmt()    {}
func (*Assert) stmt()   {}
func (*Return) stmt()   {}
func (*Signal) stmt()   {}
func (*Wait) stmt()     {}
func (*Barrier) stmt()  {}
func (*Temp) stmt()     {}
func (*Run) stmt()      {}
func (*Tune) stmt()     {}
func (*Require) stmt()  {}
func (*BadStmt) stmt()  {}
