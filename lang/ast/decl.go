package ast

// File is a parsed source file.
type File struct {
	Place
	Decls    []Decl     // in source order
	Comments []*Comment // all comments, in source order, doc comments included
}

// Comment is one `//` or `///` comment, without its line end.
type Comment struct {
	Place
	Text string // from the first slash on, right-trimmed
}

// Import is `import "norms.tile"`.
type Import struct {
	Place
	Doc  string
	Path *String
}

// Const is `const NAME = expr`.
type Const struct {
	Place
	Doc   string
	Name  *Ident
	Value Expr
}

// Fn is `fn name[generics](params) -> type { … }`. A Fn with a result ends with a [*Return] and has no other.
type Fn struct {
	Place
	Doc      string
	Name     *Ident
	Generics []*Generic
	Params   []*Param
	Result   *Type // nil if nothing is returned
	Body     *Block
}

// Kernel is `kernel name[generics](params) { tune/require/let … grid … spec … }`.
type Kernel struct {
	Place
	Doc       string
	Attrs     []*Attr // `@allow(tf32)` before the word `kernel`
	Name      *Ident
	Generics  []*Generic
	Params    []*Param
	OverRanks bool   // `over ranks` after the parameters
	Prologue  []Stmt // *Tune, *Require and *Let, in source order
	Grid      *Grid  // nil only after a syntax error
	Spec      *Spec  // nil if there is none
}

// Attr is `@name` or `@name(arguments)` before a kernel. `@allow(tf32)` lets f32 contractions use TF32 units.
type Attr struct {
	Place
	Name *Ident
	Args []Expr
}

// Generic is `T: dtype in [f16, bf16] = f16`, `D: int = 128` or `causal: bool = false`.
type Generic struct {
	Place
	Name    *Ident
	Kind    *Ident // `dtype`, `int` or `bool`; not checked by the parser
	In      []Expr // allowed values, nil if the list was left out
	Default Expr   // nil if there is none
}

// Dir says whether a parameter is read, written, or both.
type Dir int

// The directions.
const (
	In Dir = iota + 1
	Out
	InOut
)

// String returns "in", "out" or "inout".
func (d Dir) String() string {
	switch d {
	case In:
		return "in"
	case Out:
		return "out"
	case InOut:
		return "inout"
	}
	return "invalid"
}

// Param is `A: f16[M, K]`, `C: out f32[M, N] strided` or a scalar `eps: f32`.
type Param struct {
	Place
	Name      *Ident
	Dir       Dir
	Type      *Type
	Strided   bool // each stride is a launch argument
	Symmetric bool // exists on every rank
}

// Type is a dtype with extents, or a dtype alone for scalars.
type Type struct {
	Place
	Elem *Ident // a dtype or a generic bound to one
	Dims []Expr // empty for a scalar
}

// IsScalar reports whether the type has no extents.
func (t *Type) IsScalar() bool { return len(t.Dims) == 0 }

// Tune is one name of a `tune` declaration; `tune A in […], B in […]` is two of them.
type Tune struct {
	Place
	Name       *Ident
	Default    Expr   // nil if the cost model chooses
	Candidates []Expr // for targets which have no list of their own
	On         []*TuneOn
	Where      Expr // nil if every candidate is legal
}

// TuneOn is `on ascend in […]`: a target's own candidates.
type TuneOn struct {
	Place
	Target     *Ident
	Candidates []Expr
}

// Require is `require cond, "message"`.
type Require struct {
	Place
	Cond    Expr
	Message *String // nil if there is none
}

// Grid is `grid (x: count, …) persistent order panel(8) { … }`.
type Grid struct {
	Place
	Iters      []*IndexVar // the first is the fastest; all have extents
	Persistent bool
	Order      *Call // `panel(8)`, nil if none is asked for
	Body       *Block
}

// Spec is `spec { … }`: index statements and `let` temporaries on whole tensors.
type Spec struct {
	Place
	Body *Block
}

// Op is `op name[generics](params) { require/let/temp/run … spec … }`.
type Op struct {
	Place
	Doc      string
	Name     *Ident
	Generics []*Generic
	Params   []*Param
	Body     *Block // *Require, *Let, *Temp and *Run
	Spec     *Spec  // nil if there is none
}

// Test is `test "name" kernel { M = 100, T = bf16, … }`.
type Test struct {
	Place
	Doc      string
	Title    *String
	Kernel   *Ident
	Bindings []*Binding
}

// Binding is `NAME = expr` in a test.
type Binding struct {
	Place
	Name  *Ident
	Value Expr
}

func (*Import) decl() {}
func (*Const) decl()  {}
func (*Fn) decl()     {}
func (*Kernel) decl() {}
func (*Op) decl()     {}
func (*Test) decl()   {}

// DeclName returns the name that a declaration brings into scope, nil for imports and tests.
func DeclName(d Decl) *Ident {
	switch d := d.(type) {
	case *Const:
		return d.Name
	case *Fn:
		return d.Name
	case *Kernel:
		return d.Name
	case *Op:
		return d.Name
	}
	return nil
}
