package ast

import (
	"math/big"

	"tilec/internal/diag"
)

// Ident is a name, where it is introduced and where it is used.
type Ident struct {
	Place
	Name string
}

// Int is an integer literal; it fits in 64 unsigned bits.
type Int struct {
	Place
	Text  string // as written
	Value *big.Int
}

// Float is a float literal.
type Float struct {
	Place
	Text  string // as written
	Value float64
}

// Bool is `true` or `false`.
type Bool struct {
	Place
	Value bool
}

// String is a string literal.
type String struct {
	Place
	Value string // without quotes, escapes resolved
}

// Index is `X[args]`: elements of a tensor or tile, or a region of one where an argument is a [*Range].
type Index struct {
	Place
	X    Expr // an *Ident or a *Call (`peer(A, r)`)
	Args []Expr
}

// Range is `lo : hi` as an argument of an [*Index].
type Range struct {
	Place
	Lo, Hi Expr
}

// Call is `f(args)`: a function, or a conversion where f is a dtype.
type Call struct {
	Place
	Fun  *Ident
	Args []Expr
}

// Reduce is `sum[k: BK](body)`.
type Reduce struct {
	Place
	Op   *Ident // sum, max, …; not checked by the parser
	Over []*IndexVar
	Body Expr
}

// Cond is `if cond then a else b`.
type Cond struct {
	Place
	If, Then, Else Expr
}

// UnaryOp is a prefix operator; zero is invalid.
type UnaryOp int

// The prefix operators.
const (
	Neg    UnaryOp = iota + 1 // -
	BitNot                    // ~
	Not                       // not
)

// String returns the operator as written.
func (op UnaryOp) String() string {
	switch op {
	case Neg:
		return "-"
	case BitNot:
		return "~"
	case Not:
		return "not"
	}
	return "invalid"
}

// Unary is `-x`, `~x` or `not x`.
type Unary struct {
	Place
	Op UnaryOp
	X  Expr
}

// BinaryOp is an infix operator; zero is invalid.
type BinaryOp int

// The infix operators, loosest first.
const (
	Or BinaryOp = iota + 1
	And
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	BitOr
	BitXor
	BitAnd
	Shl
	Shr
	Add
	Sub
	Mul
	Div
	Rem
)

var binaryOps = [...]struct {
	text       string
	precedence int
}{
	Or: {"or", 1}, And: {"and", 2},
	Eq: {"==", 4}, Ne: {"!=", 4}, Lt: {"<", 4}, Le: {"<=", 4}, Gt: {">", 4}, Ge: {">=", 4},
	BitOr: {"|", 5}, BitXor: {"^", 6}, BitAnd: {"&", 7}, Shl: {"<<", 8}, Shr: {">>", 8},
	Add: {"+", 9}, Sub: {"-", 9}, Mul: {"*", 10}, Div: {"/", 10}, Rem: {"%", 10},
}

// Precedences of the forms that are no infix operators.
const (
	CondPrecedence    = 0
	NotPrecedence     = 3
	ComparePrecedence = 4
	UnaryPrecedence   = 11
	PostfixPrecedence = 12
)

// String returns the operator as written.
func (op BinaryOp) String() string {
	if op <= 0 || int(op) >= len(binaryOps) {
		return "invalid"
	}
	return binaryOps[op].text
}

// Precedence returns how tightly the operator binds; more is tighter, 0 is invalid.
func (op BinaryOp) Precedence() int {
	if op <= 0 || int(op) >= len(binaryOps) {
		return 0
	}
	return binaryOps[op].precedence
}

// IsComparison reports whether the operator compares.
func (op BinaryOp) IsComparison() bool { return op >= Eq && op <= Ge }

// Binary is `x op y`.
type Binary struct {
	Place
	Op   BinaryOp
	OpAt int // byte offset of the operator
	X, Y Expr
}

// Atomic is `atomic lhs[…] += v` as an expression: the old value of one element.
type Atomic struct {
	Place
	LHS   Expr
	Op    AssignOp
	Value Expr
}

// BadExpr stands for an expression that could not be read; an error was reported.
type BadExpr struct{ Place }

func (*Ident) expr()   {}
func (*Int) expr()     {}
func (*Float) expr()   {}
func (*Bool) expr()    {}
func (*String) expr()  {}
func (*Index) expr()   {}
func (*Range) expr()   {}
func (*Call) expr()    {}
func (*Reduce) expr()  {}
func (*Cond) expr()    {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*Atomic) expr()  {}
func (*BadExpr) expr() {}

// OpSpan returns the place of the operator.
func (n *Binary) OpSpan() diag.Span {
	return diag.Span{File: n.At.File, Start: n.OpAt, End: n.OpAt + len(n.Op.String())}
}
