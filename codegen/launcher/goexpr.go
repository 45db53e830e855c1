package launcher

import (
	"fmt"
	"math"

	"github.com/dave/jennifer/jen"

	"tilec/ir"
	"tilec/runtime/array"
)

// Packages that generated code uses.
const (
	arrayPackage   = "tilec/runtime/array"
	launchPackage  = "tilec/runtime/launch"
	operandPackage = "tilec/runtime/launch/operand"
)

// goTypes are the Go types of scalars; floats below f32 are passed as f32 and rounded.
var goTypes = map[ir.DType]string{
	array.Bool: "bool", array.I8: "int8", array.I16: "int16", array.I32: "int32", array.I64: "int64",
	array.U8: "uint8", array.U16: "uint16", array.U32: "uint32", array.U64: "uint64", array.F32: "float32", array.F64: "float64",
	array.F16: "float32", array.BF16: "float32", array.F8E4M3: "float32", array.F8E5M2: "float32", array.F8E8M0: "float32",
}

// dtypeNames are the constants of package array.
var dtypeNames = map[ir.DType]string{
	array.Bool: "Bool", array.I4: "I4", array.I8: "I8", array.I16: "I16", array.I32: "I32", array.I64: "I64",
	array.U4: "U4", array.U8: "U8", array.U16: "U16", array.U32: "U32", array.U64: "U64", array.F4E2M1: "F4E2M1",
	array.F8E4M3: "F8E4M3", array.F8E5M2: "F8E5M2", array.F8E8M0: "F8E8M0", array.F16: "F16", array.BF16: "BF16",
	array.F32: "F32", array.F64: "F64",
}

func dtype(t ir.DType) *jen.Statement { return jen.Qual(arrayPackage, dtypeNames[t]) }

// Binding strengths in Go.
const (
	goOr = iota + 1
	goAnd
	goCompare
	goSum
	goProduct
	goUnary
	goPrimary
)

// goExprs spells expressions over dimensions and scalar parameters in Go.
type goExprs struct {
	names map[*ir.Var]string
	signs signs
	err   error // the first thing that has no spelling
}

// goTerm is code and how strongly its outermost operator binds.
type goTerm struct {
	code  *jen.Statement
	level int
}

func (t goTerm) at(level int) *jen.Statement {
	if t.level < level {
		return jen.Parens(t.code)
	}
	return t.code
}

func primary(code *jen.Statement) goTerm { return goTerm{code, goPrimary} }

// expr spells an expression.
func (g *goExprs) expr(e *ir.Expr) *jen.Statement { return g.term(folded(e)).code }

func (g *goExprs) unsupported(e *ir.Expr) goTerm {
	if g.err == nil {
		g.err = fmt.Errorf("not supported yet in a Go launcher: %s", e)
	}
	return primary(jen.Lit(0))
}

var goInfix = map[ir.ExprOp]struct {
	text  string
	level int
}{
	ir.Or: {"||", goOr}, ir.And: {"&&", goAnd}, ir.Eq: {"==", goCompare}, ir.Ne: {"!=", goCompare}, ir.Lt: {"<", goCompare},
	ir.Le: {"<=", goCompare}, ir.Gt: {">", goCompare}, ir.Ge: {">=", goCompare}, ir.Add: {"+", goSum}, ir.Sub: {"-", goSum},
	ir.BitOr: {"|", goSum}, ir.BitXor: {"^", goSum}, ir.Mul: {"*", goProduct}, ir.BitAnd: {"&", goProduct},
	ir.Div: {"/", goProduct}, ir.Mod: {"%", goProduct},
}

// goFunctions are functions of package operand by operation, for integers and for floats.
var goFunctions = map[ir.ExprOp]struct{ ints, floats string }{
	ir.Div: {"FloorDiv", ""}, ir.Mod: {"FloorMod", ""}, ir.Shl: {"Shl", ""}, ir.Shr: {"Shr", ""}, ir.Min: {"", "MinFloat"}, ir.Max: {"", "MaxFloat"},
}

func (g *goExprs) term(e *ir.Expr) goTerm {
	switch e.Op {
	case ir.Const:
		return g.constant(e)
	case ir.Ref:
		return g.ref(e)
	case ir.Cast:
		return g.cast(e)
	case ir.Select:
		if name, ok := goTypes[e.Type]; ok {
			return primary(jen.Qual(operandPackage, "Select").Types(jen.Id(name)).Call(g.list(e.Args)...))
		}
		return g.unsupported(e)
	case ir.Not:
		return goTerm{jen.Op("!").Add(g.term(e.Args[0]).at(goUnary)), goUnary}
	case ir.Neg:
		return goTerm{jen.Op("-").Add(g.term(e.Args[0]).at(goPrimary)), goUnary}
	case ir.BitNot:
		return goTerm{jen.Op("^").Add(g.term(e.Args[0]).at(goPrimary)), goUnary}
	}
	if len(e.Args) == 0 || goTypes[e.Args[0].Type] == "" {
		return g.unsupported(e)
	}
	if e.Args[0].Type == array.Bool && e.Op.Info().Flags&ir.Compares == 0 {
		return g.boolean(e)
	}
	ints := e.Args[0].Type.IsInt()
	if op, ok := goInfix[e.Op]; ok && (ints || e.Op != ir.Mod) && (!ints || e.Op != ir.Div && e.Op != ir.Mod || g.signs.plain(e)) {
		return g.infix(e.Args, op.text, op.level)
	}
	return g.function(e, ints)
}

func (g *goExprs) infix(args []*ir.Expr, op string, level int) goTerm {
	x, y := g.term(args[0]), g.term(args[1])
	return goTerm{jen.Add(x.at(level)).Op(op).Add(y.at(level + 1)), level}
}

func (g *goExprs) list(args []*ir.Expr) []jen.Code {
	codes := make([]jen.Code, len(args))
	for i, a := range args {
		codes[i] = g.term(a).code
	}
	return codes
}

// boolean spells an operation on bools.
func (g *goExprs) boolean(e *ir.Expr) goTerm {
	switch e.Op {
	case ir.And, ir.BitAnd, ir.Min:
		return g.infix(e.Args, "&&", goAnd)
	case ir.Or, ir.BitOr, ir.Max:
		return g.infix(e.Args, "||", goOr)
	case ir.BitXor:
		return goTerm{jen.Add(g.term(e.Args[0]).at(goSum)).Op("!=").Add(g.term(e.Args[1]).at(goSum)), goCompare}
	}
	return g.unsupported(e)
}

// mathFunctions are those of package math, by operation.
var mathFunctions = map[ir.ExprOp]string{
	ir.Exp: "Exp", ir.Exp2: "Exp2", ir.Log: "Log", ir.Log2: "Log2", ir.Sqrt: "Sqrt", ir.Sin: "Sin", ir.Cos: "Cos", ir.Tanh: "Tanh",
	ir.Erf: "Erf", ir.Abs: "Abs", ir.Floor: "Floor", ir.Ceil: "Ceil", ir.Round: "RoundToEven", ir.Trunc: "Trunc", ir.Fma: "FMA",
	ir.Pow: "Pow",
}

func (g *goExprs) function(e *ir.Expr, ints bool) goTerm {
	names := goFunctions[e.Op]
	switch {
	case ints && (e.Op == ir.Min || e.Op == ir.Max):
		return primary(jen.Id(e.Op.String()).Call(g.list(e.Args)...))
	case ints && names.ints != "":
		return primary(jen.Qual(operandPackage, names.ints).Call(g.list(e.Args)...))
	case ints && e.Op == ir.Abs && e.Type.IsUnsigned():
		return g.term(e.Args[0])
	case ints && e.Op == ir.Abs:
		x := g.term(e.Args[0])
		return primary(jen.Id("max").Call(x.code, jen.Op("-").Add(x.at(goPrimary))))
	case ints:
		return g.unsupported(e)
	case names.floats != "":
		return primary(jen.Qual(operandPackage, names.floats).Call(g.list(e.Args)...))
	}
	args := make([]jen.Code, len(e.Args))
	for i, a := range e.Args {
		args[i] = g.float64(a)
	}
	var code *jen.Statement
	switch e.Op {
	case ir.Mod:
		code = jen.Qual(operandPackage, "FloorModFloat").Call(args...)
	case ir.Rsqrt:
		code = jen.Lit(1).Op("/").Qual("math", "Sqrt").Call(args...)
	case ir.Sigmoid:
		code = jen.Lit(1).Op("/").Parens(jen.Lit(1).Op("+").Qual("math", "Exp").Call(jen.Op("-").Add(args[0])))
	default:
		name, ok := mathFunctions[e.Op]
		if !ok {
			return g.unsupported(e)
		}
		code = jen.Qual("math", name).Call(args...)
	}
	return primary(jen.Id(goTypes[e.Type]).Call(code))
}

// float64 spells a float for package math.
func (g *goExprs) float64(e *ir.Expr) *jen.Statement {
	if e.Type == array.F64 && e.Op == ir.Ref {
		return g.term(e).code
	}
	return jen.Id("float64").Call(g.term(e).code)
}

func (g *goExprs) ref(e *ir.Expr) goTerm {
	name, ok := g.names[e.Var]
	if !ok || goTypes[e.Type] == "" {
		return g.unsupported(e)
	}
	if e.Type.IsFloat() && e.Type.Bits() < 32 {
		return primary(jen.Qual(operandPackage, "Round").Call(dtype(e.Type), jen.Id(name)))
	}
	if e.Var.Kind == ir.DimVar && e.Type != ir.Index { // dimensions are int64 here
		return primary(jen.Id(goTypes[e.Type]).Call(jen.Id(name)))
	}
	return primary(jen.Id(name))
}

func (g *goExprs) cast(e *ir.Expr) goTerm {
	from, to := e.Args[0].Type, e.Type
	x := g.term(e.Args[0])
	switch {
	case to.IsFloat() && to.Bits() < 32 || goTypes[to] == "" || goTypes[from] == "":
		return g.unsupported(e)
	case goTypes[from] == goTypes[to]:
		return x
	case to == array.Bool:
		return goTerm{jen.Add(x.at(goSum)).Op("!=").Lit(0), goCompare}
	case from == array.Bool:
		return primary(jen.Qual(operandPackage, "Select").Types(jen.Id(goTypes[to])).Call(x.code, jen.Lit(1), jen.Lit(0)))
	case from.IsFloat() && to.IsInt():
		code := jen.Qual(operandPackage, "Truncate").Call(dtype(to), g.float64(e.Args[0]))
		if to == array.I64 {
			return primary(code)
		}
		return primary(jen.Id(goTypes[to]).Call(code))
	}
	return primary(jen.Id(goTypes[to]).Call(x.code))
}

func (g *goExprs) constant(e *ir.Expr) goTerm {
	switch {
	case e.Type == array.Bool:
		return primary(jen.Lit(e.Int != 0))
	case e.Type == array.F32 || e.Type == array.F64:
		return goFloat(e)
	case e.Type.IsFloat() || e.Type.Bits() < 8:
		return g.unsupported(e)
	case e.Type == array.U64 && e.Int < 0:
		return primary(jen.Lit(uint64(e.Int)))
	}
	v := array.WrapInt(e.Type, e.Int)
	if v < 0 {
		return goTerm{jen.Lit(int(v)), goUnary}
	}
	return primary(jen.Lit(int(v)))
}

func goFloat(e *ir.Expr) goTerm {
	v := array.RoundFloat(e.Type, e.Float)
	switch {
	case math.IsNaN(v):
		return primary(jen.Id(goTypes[e.Type]).Call(jen.Qual("math", "NaN").Call()))
	case math.IsInf(v, 0):
		sign := 1
		if v < 0 {
			sign = -1
		}
		return primary(jen.Id(goTypes[e.Type]).Call(jen.Qual("math", "Inf").Call(jen.Lit(sign))))
	case v == 0 && math.Signbit(v): // -0.0 is 0 in Go
		return primary(jen.Id(goTypes[e.Type]).Call(jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1))))
	case v < 0:
		return goTerm{jen.Lit(v), goUnary}
	}
	return primary(jen.Lit(v))
}
