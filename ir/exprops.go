package ir

import "tilec/runtime/array"

// ExprOp is an operation on scalars, a row of exprOps.
type ExprOp uint8

// Scalar operations.
const (
	InvalidExpr ExprOp = iota
	Const              // a literal of the node's type
	Ref                // the value of a Var
	Load               // an element of a buffer
	Cast               // to the node's type: floats round to nearest even (f8 and f4 saturate), float to integer truncates and saturates (nan gives 0), integers wrap, to bool is != 0
	Bitcast            // same bits, another type of the same size
	Select             // Args[0] ? Args[1] : Args[2]; only the chosen arm is evaluated

	Neg
	Not    // of a bool
	BitNot // of an integer

	Add
	Sub
	Mul
	Div // floats: IEEE; integers: toward negative infinity, by zero gives 0
	Mod // integers: sign of the divisor, by zero gives 0; floats: x - floor(x/y)*y
	Min // the other operand when one is nan
	Max
	BitAnd
	BitOr
	BitXor
	Shl // by the width or more gives 0
	Shr // arithmetic for signed types; by the width or more gives 0 (or -1 for negative values: the sign fills)

	And // bools; the right side is evaluated only if needed
	Or

	Eq
	Ne
	Lt
	Le
	Gt
	Ge

	Exp
	Exp2
	Log
	Log2
	Sqrt
	Rsqrt
	Sin
	Cos
	Tanh
	Sigmoid
	Erf
	Abs
	Floor
	Ceil
	Round // to nearest even
	Trunc
	Fma // Args[0]*Args[1]+Args[2], rounded once
	Pow
	Rand // Philox 4x32-10: Args[0] seed, Args[1] offset; uniform in [0,1) f32

	numExprOps
)

// ExprFlags are algebraic facts about a scalar operation.
type ExprFlags uint8

// Facts about scalar operations.
const (
	Commutes ExprFlags = 1 << iota
	Compares           // result is bool, operands share a type
	Floats             // defined on floats only
	Ints               // defined on integers (bools too for the bit operations)
	Bools              // defined on bools only
)

// ExprInfo is a row of the table of scalar operations.
type ExprInfo struct {
	Name  string // in text form
	Infix string // infix spelling, if any
	Arity int
	Flags ExprFlags
}

var exprOps = [numExprOps]ExprInfo{
	Const:   {Name: "const"},
	Ref:     {Name: "ref"},
	Load:    {Name: "load"},
	Cast:    {Name: "cast", Arity: 1},
	Bitcast: {Name: "bitcast", Arity: 1},
	Select:  {Name: "select", Arity: 3},
	Neg:     {Name: "neg", Arity: 1},
	Not:     {Name: "not", Arity: 1, Flags: Bools},
	BitNot:  {Name: "bitnot", Arity: 1, Flags: Ints},
	Add:     {Name: "add", Infix: "+", Arity: 2, Flags: Commutes},
	Sub:     {Name: "sub", Infix: "-", Arity: 2},
	Mul:     {Name: "mul", Infix: "*", Arity: 2, Flags: Commutes},
	Div:     {Name: "div", Infix: "/", Arity: 2},
	Mod:     {Name: "mod", Infix: "%", Arity: 2},
	Min:     {Name: "min", Arity: 2, Flags: Commutes},
	Max:     {Name: "max", Arity: 2, Flags: Commutes},
	BitAnd:  {Name: "bitand", Infix: "&", Arity: 2, Flags: Commutes | Ints},
	BitOr:   {Name: "bitor", Infix: "|", Arity: 2, Flags: Commutes | Ints},
	BitXor:  {Name: "bitxor", Infix: "^", Arity: 2, Flags: Commutes | Ints},
	Shl:     {Name: "shl", Infix: "<<", Arity: 2, Flags: Ints},
	Shr:     {Name: "shr", Infix: ">>", Arity: 2, Flags: Ints},
	And:     {Name: "and", Infix: "and", Arity: 2, Flags: Bools},
	Or:      {Name: "or", Infix: "or", Arity: 2, Flags: Bools},
	Eq:      {Name: "eq", Infix: "==", Arity: 2, Flags: Commutes | Compares},
	Ne:      {Name: "ne", Infix: "!=", Arity: 2, Flags: Commutes | Compares},
	Lt:      {Name: "lt", Infix: "<", Arity: 2, Flags: Compares},
	Le:      {Name: "le", Infix: "<=", Arity: 2, Flags: Compares},
	Gt:      {Name: "gt", Infix: ">", Arity: 2, Flags: Compares},
	Ge:      {Name: "ge", Infix: ">=", Arity: 2, Flags: Compares},
	Exp:     {Name: "exp", Arity: 1, Flags: Floats},
	Exp2:    {Name: "exp2", Arity: 1, Flags: Floats},
	Log:     {Name: "log", Arity: 1, Flags: Floats},
	Log2:    {Name: "log2", Arity: 1, Flags: Floats},
	Sqrt:    {Name: "sqrt", Arity: 1, Flags: Floats},
	Rsqrt:   {Name: "rsqrt", Arity: 1, Flags: Floats},
	Sin:     {Name: "sin", Arity: 1, Flags: Floats},
	Cos:     {Name: "cos", Arity: 1, Flags: Floats},
	Tanh:    {Name: "tanh", Arity: 1, Flags: Floats},
	Sigmoid: {Name: "sigmoid", Arity: 1, Flags: Floats},
	Erf:     {Name: "erf", Arity: 1, Flags: Floats},
	Abs:     {Name: "abs", Arity: 1},
	Floor:   {Name: "floor", Arity: 1, Flags: Floats},
	Ceil:    {Name: "ceil", Arity: 1, Flags: Floats},
	Round:   {Name: "round", Arity: 1, Flags: Floats},
	Trunc:   {Name: "trunc", Arity: 1, Flags: Floats},
	Fma:     {Name: "fma", Arity: 3, Flags: Floats},
	Pow:     {Name: "pow", Arity: 2, Flags: Floats},
	Rand:    {Name: "rand", Arity: 2},
}

// Info returns the operation's row of the table.
func (op ExprOp) Info() ExprInfo { return exprOps[op] }

// String returns the operation's name in text form.
func (op ExprOp) String() string {
	if op == InvalidExpr || op >= numExprOps {
		return "invalid"
	}
	return exprOps[op].Name
}

// LookupExprOp returns the operation of that text-form name.
func LookupExprOp(name string) (ExprOp, bool) {
	for op := Const; op < numExprOps; op++ {
		if exprOps[op].Name == name {
			return op, true
		}
	}
	return InvalidExpr, false
}

// Index is the type of index values: dimensions, loop variables, coordinates.
const Index = array.I64
