package launcher

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tilec/codegen"
	"tilec/ir"
	"tilec/runtime/array"
)

// hostTypes are the C++ types of scalars on the host; those below 32 bits that C++ lacks are passed as their bits.
var hostTypes = map[ir.DType]string{
	array.Bool: "bool", array.I8: "signed char", array.I16: "short", array.I32: "int", array.I64: "long long",
	array.U8: "unsigned char", array.U16: "unsigned short", array.U32: "unsigned", array.U64: "unsigned long long",
	array.F32: "float", array.F64: "double", array.F16: "unsigned short", array.BF16: "unsigned short",
	array.F8E4M3: "unsigned char", array.F8E5M2: "unsigned char", array.F8E8M0: "unsigned char",
	array.I4: "unsigned char", array.U4: "unsigned char", array.F4E2M1: "unsigned char",
}

// hostHelpers are the functions that expressions use, in the order in which they are printed.
var hostHelpers = []struct{ name, text string }{
	{"floor_div", `// The quotient rounded toward negative infinity; 0 for a division by zero.
template <class T> T floor_div(T x, T y) {
    if (y == 0) return 0;
    const T q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}
`},
	{"floor_mod", `// The remainder of floor_div, of the divisor's sign; 0 for a division by zero.
template <class T> T floor_mod(T x, T y) {
    if (y == 0) return 0;
    const T r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
`},
	{"shift_left", `// x << n; 0 for a count that is negative or not below the width.
template <class T> T shift_left(T x, T n) {
    return n < 0 || n >= T(8 * sizeof(T)) ? 0 : T((unsigned long long)x << n);
}
`},
	{"shift_right", `// x >> n, filled with the sign; a count that is negative or not below the width leaves the sign only.
template <class T> T shift_right(T x, T n) {
    return n < 0 || n >= T(8 * sizeof(T)) ? T(x < 0 ? -1 : 0) : T(x >> n);
}
`},
	{"truncated", `// x without its fraction, brought within the range of T; 0 for not a number.
template <class T> T truncated(double x) {
    if (x != x) return 0;
    if (x <= (double)std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
    if (x >= (double)std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    return (T)x;
}
`},
	{"from_f16", `// The value of an f16 from its bits.
float from_f16(unsigned short bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = std::ldexp((float)(exponent ? fraction + 1024 : fraction), (exponent ? exponent : 1) - 25);
    if (exponent == 31) value = fraction ? NAN : INFINITY;
    return bits >> 15 ? -value : value;
}
`},
	{"from_bf16", `// The value of a bf16 from its bits.
float from_bf16(unsigned short bits) {
    const unsigned wide = (unsigned)bits << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}
`},
}

// Binding strengths in C++ of what expressions are spelled with.
const (
	cppChoice = iota + 1
	cppOr
	cppAnd
	cppBits // & ^ |
	cppCompare
	cppSum
	cppProduct
	cppUnary
	cppPrimary
)

// hostExprs spells expressions over dimensions and scalar parameters in C++.
type hostExprs struct {
	names map[*ir.Var]string
	signs signs
	used  map[string]bool // helpers
	err   error           // the first thing that has no spelling
}

// term is spelled text and how strongly its outermost operator binds.
type term struct {
	text  string
	level int
}

// at is the text, in parentheses where its operator binds less than the level asks.
func (t term) at(level int) string {
	if t.level < level {
		return "(" + t.text + ")"
	}
	return t.text
}

// expr spells an expression.
func (h *hostExprs) expr(e *ir.Expr) string { return h.whole(e).text }

// whole spells an expression that is no part of another.
func (h *hostExprs) whole(e *ir.Expr) term { return h.term(folded(e)) }

func (h *hostExprs) use(name string) string {
	h.used[name] = true
	return name
}

// unsupported notes an expression without a spelling.
func (h *hostExprs) unsupported(e *ir.Expr) term {
	if h.err == nil {
		h.err = fmt.Errorf("not supported yet in a C++ launcher: %s", e)
	}
	return term{"0", cppPrimary}
}

var cppInfix = map[ir.ExprOp]struct {
	text  string
	level int
}{
	ir.Or: {"||", cppOr}, ir.And: {"&&", cppAnd}, ir.BitAnd: {"&", cppBits}, ir.BitOr: {"|", cppBits}, ir.BitXor: {"^", cppBits},
	ir.Eq: {"==", cppCompare}, ir.Ne: {"!=", cppCompare}, ir.Lt: {"<", cppCompare}, ir.Le: {"<=", cppCompare},
	ir.Gt: {">", cppCompare}, ir.Ge: {">=", cppCompare}, ir.Add: {"+", cppSum}, ir.Sub: {"-", cppSum}, ir.Mul: {"*", cppProduct},
	ir.Div: {"/", cppProduct}, ir.Mod: {"%", cppProduct},
}

func (h *hostExprs) term(e *ir.Expr) term {
	switch e.Op {
	case ir.Const:
		return h.constant(e)
	case ir.Ref:
		if name, ok := h.names[e.Var]; ok {
			return term{name, cppPrimary}
		}
		return h.unsupported(e)
	case ir.Cast:
		return h.cast(e)
	case ir.Select:
		c, x, y := h.term(e.Args[0]), h.term(e.Args[1]), h.term(e.Args[2])
		return term{c.at(cppOr) + " ? " + x.at(cppOr) + " : " + y.at(cppOr), cppChoice}
	case ir.Not:
		return term{"!" + h.term(e.Args[0]).at(cppUnary), cppUnary}
	case ir.Neg:
		return h.wrapped(e.Type, term{"-" + h.wide(e.Args[0]).at(cppPrimary), cppUnary})
	case ir.BitNot:
		return h.wrapped(e.Type, term{"~" + h.wide(e.Args[0]).at(cppPrimary), cppUnary})
	}
	if len(e.Args) > 0 && e.Args[0].Type.IsFloat() && e.Args[0].Type.Bits() < 32 {
		return h.unsupported(e)
	}
	if (e.Op == ir.Div || e.Op == ir.Mod) && e.Type.IsInt() && !h.signs.plain(e) {
		return h.wrapped(e.Type, h.call(map[ir.ExprOp]string{ir.Div: "floor_div", ir.Mod: "floor_mod"}[e.Op], e))
	}
	if op, ok := cppInfix[e.Op]; ok && (e.Op != ir.Mod || e.Type.IsInt()) {
		return h.infix(e, op.text, op.level)
	}
	return h.function(e)
}

// infix spells an operator; all group to the left.
func (h *hostExprs) infix(e *ir.Expr, op string, level int) term {
	left, right := level, level+1
	switch level {
	case cppBits: // as compilers ask
		left, right = cppUnary, cppUnary
	case cppCompare:
		left = cppSum
	case cppOr:
		right = cppCompare // an `and` within an `or` in parentheses
	}
	if level == cppOr && e.Args[0].Op == ir.And {
		left = cppCompare
	}
	if level == cppCompare || level == cppOr || level == cppAnd {
		x, y := h.term(e.Args[0]), h.term(e.Args[1])
		return term{x.at(left) + " " + op + " " + y.at(right), level}
	}
	x, y := h.wide(e.Args[0]), h.wide(e.Args[1])
	return h.wrapped(e.Type, term{x.at(left) + " " + op + " " + y.at(right), level})
}

// wide spells an operand of arithmetic: integers below 64 bits are computed in 64.
func (h *hostExprs) wide(e *ir.Expr) term {
	t := h.term(e)
	if e.Type.IsInt() && e.Type.Bits() < 64 && e.Op != ir.Const {
		return term{"(long long)" + t.at(cppUnary), cppUnary}
	}
	return t
}

// wrapped brings 64-bit arithmetic back to a narrower type.
func (h *hostExprs) wrapped(t ir.DType, x term) term {
	if t.IsInt() && t.Bits() < 64 {
		return term{"(" + hostTypes[t] + ")" + x.at(cppUnary), cppUnary}
	}
	return x
}

// call spells a function of 64-bit integers.
func (h *hostExprs) call(name string, e *ir.Expr) term {
	typ := "long long"
	if e.Type == array.U64 {
		typ = "unsigned long long"
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = h.term(a).text
	}
	return term{fmt.Sprintf("%s<%s>(%s)", h.use(name), typ, strings.Join(args, ", ")), cppPrimary}
}

// cppFunctions are functions of the C++ library that take f32 and f64 alike.
var cppFunctions = map[ir.ExprOp]string{
	ir.Exp: "exp", ir.Exp2: "exp2", ir.Log: "log", ir.Log2: "log2", ir.Sqrt: "sqrt", ir.Sin: "sin", ir.Cos: "cos", ir.Tanh: "tanh",
	ir.Erf: "erf", ir.Floor: "floor", ir.Ceil: "ceil", ir.Round: "nearbyint", ir.Trunc: "trunc", ir.Fma: "fma", ir.Pow: "pow",
	ir.Min: "fmin", ir.Max: "fmax", ir.Abs: "fabs",
}

func (h *hostExprs) function(e *ir.Expr) term {
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = h.term(a).text
	}
	list := strings.Join(args, ", ")
	if e.Type.IsInt() {
		switch e.Op {
		case ir.Min, ir.Max:
			return term{fmt.Sprintf("std::%s<%s>(%s)", e.Op, hostTypes[e.Type], list), cppPrimary}
		case ir.Shl, ir.Shr:
			name := map[ir.ExprOp]string{ir.Shl: "shift_left", ir.Shr: "shift_right"}[e.Op]
			return term{fmt.Sprintf("%s<%s>(%s)", h.use(name), hostTypes[e.Type], list), cppPrimary}
		case ir.Abs:
			if e.Type.IsUnsigned() {
				return h.term(e.Args[0])
			}
			return h.wrapped(e.Type, term{"std::llabs(" + list + ")", cppPrimary})
		}
	}
	if name, ok := cppFunctions[e.Op]; ok && e.Type.IsFloat() {
		return term{"std::" + name + "(" + list + ")", cppPrimary}
	}
	switch {
	case e.Op == ir.Rsqrt:
		return term{"1 / std::sqrt(" + list + ")", cppProduct}
	case e.Op == ir.Sigmoid:
		return term{"1 / (1 + std::exp(-(" + list + ")))", cppProduct}
	case e.Op == ir.Mod && e.Type.IsFloat():
		x, y := h.term(e.Args[0]), h.term(e.Args[1])
		return term{fmt.Sprintf("%s - std::floor(%s / %s) * %s", x.at(cppSum), x.at(cppProduct), y.at(cppUnary), y.at(cppUnary)), cppSum}
	}
	return h.unsupported(e)
}

func (h *hostExprs) cast(e *ir.Expr) term {
	from, to := e.Args[0].Type, e.Type
	x := h.term(e.Args[0])
	if from.IsFloat() && from.Bits() < 32 {
		if from != array.F16 && from != array.BF16 {
			return h.unsupported(e)
		}
		x, from = term{fmt.Sprintf("%s(%s)", h.use("from_"+from.String()), x.text), cppPrimary}, array.F32
	}
	switch {
	case to.Bits() < 8 || from.Bits() < 8 || to.IsFloat() && to.Bits() < 32:
		return h.unsupported(e)
	case from == to:
		return x
	case to == array.Bool:
		return term{x.at(cppSum) + " != 0", cppCompare}
	case from.IsFloat() && to.IsInt():
		return term{fmt.Sprintf("%s<%s>(%s)", h.use("truncated"), hostTypes[to], x.text), cppPrimary}
	case to == ir.Index && x.level == cppPrimary && from == array.I32 && e.Args[0].Op == ir.Ref:
		return term{"(long long)" + x.text, cppUnary}
	}
	return term{"(" + hostTypes[to] + ")" + x.at(cppUnary), cppUnary}
}

func (h *hostExprs) constant(e *ir.Expr) term {
	switch {
	case e.Type == array.Bool:
		return term{strconv.FormatBool(e.Int != 0), cppPrimary}
	case e.Type == array.F32 || e.Type == array.F64:
		return floatTerm(e)
	case e.Type.IsFloat() || e.Type.Bits() < 8:
		return h.unsupported(e)
	case e.Type == array.U64:
		return term{strconv.FormatUint(uint64(e.Int), 10) + "ull", cppPrimary}
	}
	return intTerm(array.WrapInt(e.Type, e.Int))
}

func intTerm(v int64) term {
	text := strconv.FormatInt(v, 10)
	switch {
	case v == math.MinInt64:
		return term{"-9223372036854775807ll - 1", cppSum}
	case v > math.MaxInt32 || v < -math.MaxInt32:
		text += "ll"
	}
	if v < 0 {
		return term{text, cppUnary}
	}
	return term{text, cppPrimary}
}

func floatTerm(e *ir.Expr) term {
	size, suffix := 64, ""
	if e.Type == array.F32 {
		size, suffix = 32, "f"
	}
	v := array.RoundFloat(e.Type, e.Float)
	var text string
	switch {
	case math.IsNaN(v):
		return term{"NAN", cppPrimary}
	case math.IsInf(v, 0):
		text = "INFINITY"
	default:
		text = strconv.FormatFloat(math.Abs(v), 'g', -1, size)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		text += suffix
	}
	if math.Signbit(v) {
		return term{"-" + text, cppUnary}
	}
	return term{text, cppPrimary}
}

// helpers prints the functions that expressions used.
func (h *hostExprs) helpers(w *codegen.Writer) {
	for _, f := range hostHelpers {
		if h.used[f.name] {
			w.Raw(f.text)
			w.Line("")
		}
	}
}
