package cuda

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tilec/ir"
	"tilec/runtime/array"
)

// env says how the names of an expression are spelled at one place: the values of
// iteration variables, and loads that have been done ahead.
type env struct {
	vars map[*ir.Var]string
	// load spells an access that is not a plain load at this place.
	load func(a *ir.Access) (string, bool)
	// index spells the register of a tile that an access touches.
	index func(a *ir.Access) string
	// own is what the register adds to iteration variables, and thread spells the rest; of
	// points of an operation.
	own    map[*ir.Var]string
	thread *env
}

// expr spells an expression in C++. Every result is a single term or in
// parentheses: what it becomes an operand of relies on that.
func (k *kernel) expr(e *ir.Expr, at *env) string {
	if computesSubBytes(e) {
		return k.expr(widened(e), at)
	}
	s := k.spelled(e, at)
	if operand(s) != s {
		ir.Bugf("%s is spelled without parentheses: %s", e, s)
	}
	return s
}

func (k *kernel) spelled(e *ir.Expr, at *env) string {
	switch e.Op {
	case ir.Const:
		return k.constant(e)
	case ir.Ref:
		if at != nil {
			if s, ok := at.vars[e.Var]; ok {
				return operand(s)
			}
		}
		return k.varName(e.Var)
	case ir.Load:
		return k.load(e.At, at)
	case ir.Cast:
		return k.cast(e, at)
	case ir.Bitcast:
		return k.bitcast(e, at)
	case ir.Select:
		return fmt.Sprintf("(%s ? %s : %s)", within(orLevel, k.expr(e.Args[0], at)), within(orLevel, k.expr(e.Args[1], at)), within(orLevel, k.expr(e.Args[2], at)))
	case ir.And:
		return "(" + within(andLevel, k.expr(e.Args[0], at)) + " && " + within(equalLevel, k.expr(e.Args[1], at)) + ")"
	case ir.Or:
		return fmt.Sprintf("(%s || %s)", within(equalLevel, k.expr(e.Args[0], at)), within(equalLevel, k.expr(e.Args[1], at)))
	case ir.Not:
		return "!" + k.expr(e.Args[0], at)
	case ir.Neg:
		if k.wraps(e) {
			return wrapping(e.Type, "-", "0", k.arg(e, 0, at))
		}
		return k.narrowed(e.Type, "(-"+k.arg(e, 0, at)+")")
	case ir.BitNot:
		return k.narrowed(e.Type, "(~"+k.arg(e, 0, at)+")")
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if s, ok := k.comparison(e, at); ok {
			return s
		}
		return "(" + within(shiftLevel, k.expr(e.Args[0], at)) + " " + e.Op.Info().Infix + " " + within(shiftLevel, k.expr(e.Args[1], at)) + ")"
	case ir.Add, ir.Sub, ir.Mul:
		x, y := k.arg(e, 0, at), k.arg(e, 1, at)
		if k.wraps(e) {
			return wrapping(e.Type, e.Op.Info().Infix, x, y)
		}
		if e.Type == ir.Index {
			if s, ok := foldIndex(e.Op, x, y); ok {
				return s
			}
		}
		left, right := sumLevel, productLevel
		if e.Op == ir.Mul {
			left, right = productLevel, termLevel
		}
		return k.narrowed(e.Type, "("+within(left, x)+" "+e.Op.Info().Infix+" "+within(right, y)+")")
	case ir.BitAnd, ir.BitOr, ir.BitXor:
		return k.narrowed(e.Type, fmt.Sprintf("(%s %s %s)", within(sumLevel, k.arg(e, 0, at)), e.Op.Info().Infix, within(sumLevel, k.arg(e, 1, at))))
	case ir.Div, ir.Mod:
		return k.division(e, at)
	case ir.Shl, ir.Shr:
		name := map[ir.ExprOp]string{ir.Shl: "shl", ir.Shr: "shr"}[e.Op]
		return fmt.Sprintf("%s<%s>(%s, %s)", name, cTypes[e.Type], k.expr(e.Args[0], at), k.expr(e.Args[1], at))
	case ir.Min, ir.Max:
		return k.minMax(e, at)
	}
	return k.call(e, at)
}

// foldIndex spells arithmetic with a neutral or absorbing operand, or of two constants.
func foldIndex(op ir.ExprOp, x, y string) (string, bool) {
	a, okA := number(x)
	b, okB := number(y)
	switch {
	case okA && okB && max(a, -a, b, -b) < 1<<15:
		switch op {
		case ir.Add:
			return strconv.Itoa(a + b), a+b >= 0
		case ir.Sub:
			return strconv.Itoa(a - b), a-b >= 0
		}
		return strconv.Itoa(a * b), a*b >= 0
	case op == ir.Mul && (x == "0" || y == "0"):
		return "0", true
	case op == ir.Mul && x == "1", op == ir.Add && x == "0":
		return y, true
	case op == ir.Mul && y == "1", op != ir.Mul && y == "0":
		return x, true
	}
	return "", false
}

// arg spells operand i of an arithmetic node. Where a result needs 64 bits and all
// operands were kept in 32, one of them is widened: C++ widens the other.
func (k *kernel) arg(e *ir.Expr, i int, at *env) string {
	s := k.expr(e.Args[i], at)
	if e.Type != ir.Index || k.r.of(e).fits32() {
		return s
	}
	widened := 0
	if e.Args[0].IsConst() {
		widened = len(e.Args) - 1
	}
	for _, x := range e.Args {
		if !k.r.of(x).fits32() {
			return s
		}
	}
	if i != widened {
		return s
	}
	return "(long long)" + operand(s)
}

// exact spells an expression whose C++ type matters: of indices kept in 32 bits too it
// is that of 64.
func (k *kernel) exact(e *ir.Expr, at *env) string {
	s := k.expr(e, at)
	if e.Type == ir.Index && k.r.of(e).fits32() {
		return "(long long)" + operand(s)
	}
	return s
}

// narrowed brings the result of C++'s int arithmetic back to a type below int.
func (k *kernel) narrowed(t ir.DType, s string) string {
	if t.IsInt() && t.Bits() < 32 && t.Bits() >= 8 {
		return "(" + cTypes[t] + ")" + s
	}
	return s
}

// wraps reports arithmetic that may leave the signed type in which C++ computes it,
// where that would be undefined. In 64 bits only values of which nothing is known
// count.
func (k *kernel) wraps(e *ir.Expr) bool {
	if e.Type == array.U16 {
		return e.Op == ir.Mul // 65535 * 65535 is no int
	}
	if e.Type != array.I32 && e.Type != array.I64 {
		return false
	}
	a := k.r.of(e.Args[0])
	b := span{}
	if e.Op == ir.Neg {
		a, b = b, a
	} else {
		b = k.r.of(e.Args[1])
	}
	if e.Type == array.I64 {
		return a.lo <= -wide || b.lo <= -wide
	}
	op := e.Op
	if op == ir.Neg {
		op = ir.Sub
	}
	return !k.r.binary(op, a, b).fits32()
}

// wrapping spells signed arithmetic that wraps, through the unsigned type.
func wrapping(t ir.DType, op, x, y string) string {
	if t == array.I64 {
		return fmt.Sprintf("(long long)((unsigned long long)%s %s %s)", x, op, y)
	}
	return fmt.Sprintf("(%s)((unsigned)%s %s %s)", cTypes[t], x, op, y)
}

// fitted brings an index computed from 64-bit operands to the type that its own
// range calls for.
func (k *kernel) fitted(e *ir.Expr, s string) string {
	if e.Type != ir.Index || !k.r.of(e).fits32() {
		return s
	}
	for _, x := range e.Args {
		if !k.r.of(x).fits32() {
			return "(int)" + operand(s)
		}
	}
	return s
}

// scalarType is the C++ type of a scalar variable.
func (k *kernel) scalarType(v *ir.Var) string {
	if v.Type == ir.Index && k.r.of(ir.RefTo(v)).fits32() {
		return "int"
	}
	return cTypes[v.Type]
}

func (k *kernel) constant(e *ir.Expr) string {
	switch {
	case e.Type == array.Bool:
		return strconv.FormatBool(e.Int != 0)
	case e.Type == array.F64:
		return floatText(e.Float, "__longlong_as_double(0x7ff0000000000000ll)", "__longlong_as_double(0x7ff8000000000000ll)", "")
	case e.Type == array.F32:
		return floatText(float64(float32(e.Float)), "__int_as_float(0x7f800000)", "__int_as_float(0x7fffffff)", "f")
	case e.Type.IsFloat():
		return fmt.Sprintf("%s{%#x}", cTypes[e.Type], array.EncodeFloat(e.Type, e.Float))
	case e.Type.Bits() < 8:
		return fmt.Sprintf("%s{%d}", cTypes[e.Type], e.Int)
	case e.Type == ir.Index && (span{e.Int, e.Int}).fits32() && e.Int != math.MinInt32:
		return strconv.FormatInt(e.Int, 10)
	case e.Type == array.I64:
		if e.Int == math.MinInt64 {
			return "(-9223372036854775807ll - 1)"
		}
		return strconv.FormatInt(e.Int, 10) + "ll"
	case e.Type == array.U64:
		return strconv.FormatUint(uint64(e.Int), 10) + "ull"
	case e.Type == array.U32:
		return strconv.FormatUint(uint64(uint32(e.Int)), 10) + "u"
	case e.Type == array.I32 && e.Int == math.MinInt32:
		return "(-2147483647 - 1)"
	case e.Type == array.I32:
		return strconv.FormatInt(e.Int, 10)
	}
	return fmt.Sprintf("(%s)%d", cTypes[e.Type], e.Int)
}

func floatText(v float64, inf, nan, suffix string) string {
	switch {
	case math.IsInf(v, 1):
		return inf
	case math.IsInf(v, -1):
		return "-" + inf
	case math.IsNaN(v):
		return nan
	case v == 0 && math.Signbit(v):
		return "-0.0" + suffix
	}
	bits := 64
	if suffix == "f" {
		bits = 32
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	if strings.HasPrefix(s, "-") {
		return "(" + s + suffix + ")"
	}
	return s + suffix
}

// cast spells a conversion between element types.
func (k *kernel) cast(e *ir.Expr, at *env) string {
	from, to := e.Args[0].Type, e.Type
	x := k.expr(e.Args[0], at)
	switch {
	case to == array.Bool && from.IsFloat():
		return fmt.Sprintf("(%s != 0)", k.toArithmetic(from, x))
	case to == array.Bool:
		return fmt.Sprintf("(%s != 0)", k.toArithmetic(from, x))
	case to.IsFloat() && from.IsFloat():
		return k.floatCast(from, to, x)
	case to.IsFloat():
		x = k.toArithmetic(from, x)
		if to == array.F64 || to == array.F32 {
			return fmt.Sprintf("(%s)%s", cTypes[to], operand(x))
		}
		if from.IsInt() && from.Bits() > 16 {
			// through f64, which holds every i32: one rounding
			return k.floatCast(array.F64, to, "(double)"+operand(x))
		}
		return k.floatCast(array.F32, to, "(float)"+operand(x))
	case from.IsFloat():
		return k.floatToInt(from, to, x)
	}
	x = k.toArithmetic(from, x)
	if to.Bits() < 8 {
		return fmt.Sprintf("%s(%s)", "to_"+to.String(), x)
	}
	if to == ir.Index && k.r.of(e).fits32() {
		if from.Bits() < 32 || from == array.I32 {
			return x
		}
		return "(int)" + operand(x)
	}
	return fmt.Sprintf("(%s)%s", cTypes[to], operand(x))
}

// toArithmetic turns a stored value into one that C++ can compute with.
func (k *kernel) toArithmetic(t ir.DType, x string) string {
	switch {
	case t.Bits() < 8 && t.IsInt():
		return fmt.Sprintf("%s(%s)", "from_"+t.String(), x)
	case t.IsFloat() && t.Bits() < 32:
		return k.floatCast(t, array.F32, x)
	}
	return x
}

func (k *kernel) floatCast(from, to ir.DType, x string) string {
	switch {
	case from == to:
		return x
	case from.Bits() >= 32 && to.Bits() >= 32:
		return fmt.Sprintf("(%s)%s", cTypes[to], operand(x))
	case from.Bits() < 32 && to == array.F64:
		return "(double)" + k.floatCast(from, array.F32, x)
	case from.Bits() < 32 && to == array.F32:
		return fmt.Sprintf("%s(%s)", "from_"+from.String(), top(x))
	case from.Bits() < 32:
		return k.floatCast(array.F32, to, k.floatCast(from, array.F32, x))
	case from == array.F64 && (to == array.F16 || to == array.BF16):
		return fmt.Sprintf("%s(%s(%s))", "to_"+to.String(), "round_odd", x)
	case from == array.F64:
		return fmt.Sprintf("%s(%s(%s))", "to_"+to.String(), "round_odd", x)
	}
	return fmt.Sprintf("%s(%s)", "to_"+to.String(), top(x))
}

// floatToInt truncates and saturates; nan gives 0.
func (k *kernel) floatToInt(from, to ir.DType, x string) string {
	x = k.toArithmetic(from, x)
	if from == array.F64 {
		x = operand(x)
	}
	switch to {
	case array.I32, array.U32, array.I64, array.U64:
		return fmt.Sprintf("%s(%s)", "truncate_"+to.String(), x)
	}
	lo, hi := "0", fmt.Sprint(1<<to.Bits()-1)
	if to.IsSigned() {
		lo, hi = fmt.Sprint(-(1 << (to.Bits() - 1))), fmt.Sprint(1<<(to.Bits()-1)-1)
	}
	v := fmt.Sprintf("min(max(%s(%s), %s), %s)", "truncate_i32", x, lo, hi)
	if to.Bits() < 8 {
		return fmt.Sprintf("%s(%s)", "to_"+to.String(), v)
	}
	return fmt.Sprintf("(%s)%s", cTypes[to], v)
}

func (k *kernel) bitcast(e *ir.Expr, at *env) string {
	from, to := e.Args[0].Type, e.Type
	if from == to {
		return k.expr(e.Args[0], at)
	}
	x := top(k.exact(e.Args[0], at))
	return fmt.Sprintf("%s<%s>(%s)", "bitcast", cTypes[to], x)
}

// division is floor division and its remainder; operands known not to be
// negative use the machine's.
func (k *kernel) division(e *ir.Expr, at *env) string {
	x, y := k.arg(e, 0, at), k.arg(e, 1, at)
	if e.Type.IsFloat() {
		if d := k.shareds[e]; d != nil && at != nil && at.index != nil {
			return k.sharedQuotient(e, d, at)
		}
		if e.Op == ir.Div {
			return fmt.Sprintf("(%s / %s)", within(productLevel, x), within(termLevel, y))
		}
		return fmt.Sprintf("%s(%s, %s)", "mod_"+e.Type.String(), x, y)
	}
	a, b := k.r.of(e.Args[0]), k.r.of(e.Args[1])
	if a.lo >= 0 && b.lo > 0 {
		return k.fitted(e, k.narrowed(e.Type, fmt.Sprintf("(%s %s %s)", x, e.Op.Info().Infix, y)))
	}
	typ := cTypes[e.Type]
	if e.Type == ir.Index && k.r.of(e).fits32() && a.fits32() && b.fits32() {
		typ = "int"
	}
	name := "floor_div"
	if e.Op == ir.Mod {
		name = "floor_mod"
	}
	s := fmt.Sprintf("%s<%s>(%s, %s)", name, typ, x, y)
	if typ == "int" {
		return s
	}
	return k.fitted(e, s)
}

func (k *kernel) minMax(e *ir.Expr, at *env) string {
	x, y := k.arg(e, 0, at), k.arg(e, 1, at)
	name := e.Op.String()
	switch e.Type {
	case array.F32:
		return fmt.Sprintf("f%sf(%s, %s)", name, top(x), top(y))
	case array.F64:
		return fmt.Sprintf("f%s(%s, %s)", name, top(x), top(y))
	case ir.Index:
		a, b := k.r.of(e.Args[0]).fits32(), k.r.of(e.Args[1]).fits32()
		if a != b {
			return k.fitted(e, fmt.Sprintf("%s((long long)%s, (long long)%s)", name, operand(x), operand(y)))
		}
	}
	if e.Type.IsInt() && e.Type.Bits() < 32 {
		return fmt.Sprintf("(%s)%s((int)%s, (int)%s)", cTypes[e.Type], name, operand(x), operand(y))
	}
	return fmt.Sprintf("%s(%s, %s)", name, top(x), top(y))
}

// calls are scalar functions by type: f32 ones are within a few units in the last
// place through the hardware's approximations, f64 ones the library's.
var calls = map[ir.ExprOp][2]string{
	ir.Exp: {"exp_f32", "exp"}, ir.Exp2: {"exp2_f32", "exp2"}, ir.Log: {"logf", "log"}, ir.Log2: {"log2f", "log2"},
	ir.Sqrt: {"sqrtf", "sqrt"}, ir.Rsqrt: {"rsqrt_f32", "rsqrt"}, ir.Sin: {"sinf", "sin"}, ir.Cos: {"cosf", "cos"},
	ir.Tanh: {"tanhf", "tanh"}, ir.Sigmoid: {"sigmoid_f32", "sigmoid_f64"}, ir.Erf: {"erff", "erf"},
	ir.Floor: {"floorf", "floor"}, ir.Ceil: {"ceilf", "ceil"}, ir.Round: {"rintf", "rint"}, ir.Trunc: {"truncf", "trunc"},
	ir.Fma: {"fmaf", "fma"}, ir.Pow: {"powf", "pow"}, ir.Abs: {"fabsf", "fabs"},
}

func (k *kernel) call(e *ir.Expr, at *env) string {
	args := make([]string, len(e.Args))
	for i := range e.Args {
		args[i] = top(k.expr(e.Args[i], at))
	}
	list := strings.Join(args, ", ")
	if e.Op == ir.Abs && e.Type.IsInt() {
		if e.Type.IsUnsigned() {
			return k.expr(e.Args[0], at)
		}
		return fmt.Sprintf("%s<%s>(%s)", "abs_int", cTypes[e.Type], args[0])
	}
	if e.Op == ir.Rand {
		return fmt.Sprintf("%s(%s)", "philox", list)
	}
	names, ok := calls[e.Op]
	if !ok {
		ir.Bugf("no CUDA spelling of %s", e.Op)
	}
	name := names[0]
	if e.Type == array.F64 {
		name = names[1]
	}
	return fmt.Sprintf("%s(%s)", name, list)
}
