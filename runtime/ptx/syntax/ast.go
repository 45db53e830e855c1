package syntax

import (
	"fmt"
	"strings"
)

// Pos is a place in PTX text, both counted from 1. The zero Pos is no place.
type Pos struct{ Line, Col int }

// String returns "line:col".
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// Error is a fault of the text at a place.
type Error struct {
	File string
	Pos  Pos
	Msg  string
}

// Error returns "file:line:col: message".
func (e *Error) Error() string { return fmt.Sprintf("%s:%s: %s", e.File, e.Pos, e.Msg) }

// Module is one PTX text.
type Module struct {
	Name    string // for messages
	Version string // of the PTX ISA, such as "9.5"
	Targets []string
	Files   map[int]string // .file table: index to path
	Vars    []*Var         // module-scope variables, in order
	Funcs   []*Func        // entries and functions, in order, prototypes included
}

// Func is a kernel (.entry) or a device function (.func).
type Func struct {
	Name    string
	Pos     Pos
	Entry   bool
	Extern  bool // a prototype: no body here
	Params  []*Var
	Results []*Var
	Body    *Block // nil for a prototype
	Attrs   []Attr // .maxntid and the like
}

// Attr is a performance or ABI directive with its numbers.
type Attr struct {
	Name string // with its dot
	Args []int64
}

// Attr returns the arguments of the named directive.
func (f *Func) Attr(name string) ([]int64, bool) {
	for _, a := range f.Attrs {
		if a.Name == name {
			return a.Args, true
		}
	}
	return nil, false
}

// Var is a declaration of a variable, a parameter, or a range of registers.
type Var struct {
	Name   string
	Pos    Pos
	Space  string // "reg", "shared", "global", "const", "local", "param"
	Type   string // such as "b32"
	Vector int    // elements of a vector type, else 1
	Align  int    // bytes; 0 if unstated
	// Pointer says that a parameter has the attribute .ptr.
	Pointer bool
	Dims    []int64
	Open    bool  // the first dimension is left open: "x[]"
	Range   int64 // registers name0 … name(Range-1); 0 for a single one
	Extern  bool
	Init    []Value
}

// Elems returns the number of elements of type Type that the variable holds.
func (v *Var) Elems() int64 {
	n := int64(v.Vector)
	for _, d := range v.Dims {
		n *= d
	}
	return n
}

// Value is one element of an initialiser.
type Value struct {
	Lit     Literal
	Symbol  string // the address of a variable or function, plus Lit.Int
	Generic bool   // generic(symbol)
	Shift   uint   // for 0xFF00(symbol): the byte of the address chosen
	Masked  bool
}

// Literal is a number: an integer, or the bits of a float.
type Literal struct {
	Kind LitKind
	Int  uint64 // two's complement; or the bits of a 0f / 0d literal
	F64  float64
}

// LitKind tells how a literal was written.
type LitKind uint8

// Kinds of literals.
const (
	NoLit  LitKind = iota
	IntLit         // decimal, hexadecimal, octal or binary
	F32Lit         // 0fXXXXXXXX
	F64Lit         // 0dXXXXXXXXXXXXXXXX or a decimal fraction
)

// Block is a braced list of statements with a scope of its own.
type Block struct {
	Vars  []*Var
	Stmts []Stmt
}

// Stmt is an *Instr, *Label, *Block, *Targets or *Loc.
type Stmt interface{ stmt() }

// Label marks a place to branch to.
type Label struct {
	Name string
	Pos  Pos
}

// Targets is a named list of labels (.branchtargets) or functions (.calltargets),
// or a call prototype (.callprototype), whose Names are empty.
type Targets struct {
	Name  string
	Kind  string
	Names []string
	Pos   Pos
}

// Loc is a source line of the statements that follow.
type Loc struct {
	File, Line, Col int
	Inlined         *Loc // where the function holding this line was inlined
}

// Instr is one instruction.
type Instr struct {
	Pos   Pos
	Guard *Guard
	Op    string   // the first part: "ld"
	Mods  []string // the rest, without dots: "global", "nc", "f32"
	Args  []Operand
	Call  *Call // set for call
	// Used has a bit for each byte that a load reads for some use, if a pragma
	// "used_bytes_mask" stands in front of it; 0: all.
	Used uint32
}

// Form returns the opcode with its modifiers, as written.
func (i *Instr) Form() string {
	if len(i.Mods) == 0 {
		return i.Op
	}
	return i.Op + "." + strings.Join(i.Mods, ".")
}

// Guard is a predicate that decides which threads execute an instruction.
type Guard struct {
	Reg string
	Neg bool
}

// Call holds the operands of a call instruction.
type Call struct {
	Results []Operand
	Func    string
	Args    []Operand
	Proto   string // prototype or target list of an indirect call
}

// OperandKind tells the shape of an operand.
type OperandKind uint8

// Shapes of operands.
const (
	Name    OperandKind = iota + 1 // a register, variable, label; with Offset for name+n
	Lit                            // a number
	Addr                           // [base+offset] or [base, {coordinates}]
	Vector                         // {a, b, …}
	Discard                        // _
)

// Operand is one operand of an instruction.
type Operand struct {
	Kind   OperandKind
	Pos    Pos
	Name   string  // Name, Addr: the base; empty for an absolute address
	Neg    bool    // !p or -x before a name
	Lit    Literal // Lit
	Offset int64   // Name, Addr
	Elems  []Operand
	Pair   string // the second half of a|b; "_" discards it
	Sel    string // byte or element selector: "b0", "h1", "x"
}

func (*Instr) stmt()   {}
func (*Label) stmt()   {}
func (*Block) stmt()   {}
func (*Targets) stmt() {}
func (*Loc) stmt()     {}
