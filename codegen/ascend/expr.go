package ascend

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tilec/codegen"
	"tilec/ir"
	"tilec/runtime/array"
)

// expr spells a scalar expression; vars are spellings of iteration variables. Every result is a single term or in parentheses.
func (k *kernel) expr(e *ir.Expr, vars map[*ir.Var]string) string {
	s := k.spelled(e, vars)
	if codegen.Operand(s) != s {
		ir.Bugf("%s is spelled without parentheses: %s", e, s)
	}
	return s
}

func (k *kernel) spelled(e *ir.Expr, vars map[*ir.Var]string) string {
	arg := func(i int) string { return k.expr(e.Args[i], vars) }
	switch e.Op {
	case ir.Const:
		return k.constant(e)
	case ir.Ref:
		if s, ok := vars[e.Var]; ok {
			return s
		}
		if e.Var.Kind == ir.GridVar && k.mixed == nil {
			return "GetBlockIdx()"
		}
		return k.varName(e.Var)
	case ir.Load:
		return k.load(e.At, vars)
	case ir.Cast:
		return k.cast(e, vars)
	case ir.Select:
		return fmt.Sprintf("(%s ? %s : %s)", codegen.Within(codegen.OrLevel, arg(0)), codegen.Within(codegen.OrLevel, arg(1)), codegen.Within(codegen.OrLevel, arg(2)))
	case ir.And:
		return fmt.Sprintf("(%s && %s)", codegen.Within(codegen.AndLevel, arg(0)), codegen.Within(codegen.EqualLevel, arg(1)))
	case ir.Or:
		return fmt.Sprintf("(%s || %s)", codegen.Within(codegen.EqualLevel, arg(0)), codegen.Within(codegen.EqualLevel, arg(1)))
	case ir.Not:
		return "!" + codegen.Operand(arg(0))
	case ir.Neg:
		return wrap(e.Type, fmt.Sprintf("(-%s)", codegen.Operand(arg(0))))
	case ir.BitNot:
		return wrap(e.Type, fmt.Sprintf("(~%s)", codegen.Operand(arg(0))))
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		return fmt.Sprintf("(%s %s %s)", codegen.Within(codegen.ShiftLevel, arg(0)), e.Op.Info().Infix, codegen.Within(codegen.ShiftLevel, arg(1)))
	case ir.Add, ir.Sub, ir.Mul:
		left, right := codegen.SumLevel, codegen.ProductLevel
		if e.Op == ir.Mul {
			left, right = codegen.ProductLevel, codegen.TermLevel
		}
		return wrap(e.Type, fmt.Sprintf("(%s %s %s)", codegen.Within(left, arg(0)), e.Op.Info().Infix, codegen.Within(right, arg(1))))
	case ir.BitAnd, ir.BitOr, ir.BitXor:
		if e.Type == array.Bool {
			return fmt.Sprintf("(%s %s %s)", arg(0), map[ir.ExprOp]string{ir.BitAnd: "&&", ir.BitOr: "||", ir.BitXor: "!="}[e.Op], arg(1))
		}
		return wrap(e.Type, fmt.Sprintf("(%s %s %s)", arg(0), e.Op.Info().Infix, arg(1)))
	case ir.Shl, ir.Shr:
		return k.shift(e, arg(0), arg(1))
	case ir.Div, ir.Mod:
		return k.division(e, arg(0), arg(1))
	case ir.Min, ir.Max:
		name := "minimum"
		if e.Op == ir.Max {
			name = "maximum"
		}
		k.helpers[name] = true
		if e.Type.IsFloat() {
			// the other operand where one is no number
			x, y := arg(0), arg(1)
			return fmt.Sprintf("(%s != %s ? %s : %s != %s ? %s : %s(%s, %s))", x, x, y, y, y, x, name, codegen.Top(x), codegen.Top(y))
		}
		return fmt.Sprintf("%s<%s>(%s, %s)", name, cTypes[e.Type], codegen.Top(arg(0)), codegen.Top(arg(1)))
	case ir.Bitcast:
		k.helpers["bits_to"] = true
		return fmt.Sprintf("bits_to<%s>(%s)", cTypes[e.Type], codegen.Top(arg(0)))
	case ir.Rand:
		k.helpers["philox"] = true
		return fmt.Sprintf("philox(%s, %s)", codegen.Top(arg(0)), codegen.Top(arg(1)))
	case ir.Abs:
		return fmt.Sprintf("(%s < 0 ? -%s : %s)", arg(0), arg(0), arg(0))
	}
	ir.Bugf("no scalar spelling of %s in Ascend C", e.Op)
	return ""
}

// wrap brings C++'s int arithmetic back to a type below int.
func wrap(t ir.DType, s string) string {
	if t.IsInt() && t.Bits() < 32 {
		return fmt.Sprintf("static_cast<%s>%s", cTypes[t], s)
	}
	return s
}

func (k *kernel) shift(e *ir.Expr, x, n string) string {
	op := "<<"
	lost := "0"
	if e.Args[0].IsConst() {
		x = fmt.Sprintf("static_cast<%s>(%s)", cTypes[e.Type], codegen.Top(x))
	}
	if e.Op == ir.Shr {
		op = ">>"
		if e.Type.IsSigned() {
			lost = fmt.Sprintf("(%s < 0 ? -1 : 0)", x)
		}
	}
	return fmt.Sprintf("static_cast<%s>(static_cast<uint64_t>(%s) >= %d ? %s : (%s %s %s))", cTypes[e.Type], codegen.Top(n), e.Type.Bits(), lost, x, op, n)
}

func (k *kernel) division(e *ir.Expr, x, y string) string {
	if e.Type.IsFloat() {
		if e.Op == ir.Mod {
			ir.Bugf("no scalar spelling of %s of floats in Ascend C", e.Op)
		}
		return fmt.Sprintf("(%s / %s)", codegen.Within(codegen.ProductLevel, x), codegen.Within(codegen.TermLevel, y))
	}
	if natural(e.Args[0]) && e.Args[1].IsConst() && e.Args[1].Int > 0 {
		return fmt.Sprintf("(%s %s %s)", codegen.Within(codegen.ProductLevel, x), e.Op.Info().Infix, codegen.Within(codegen.TermLevel, y))
	}
	name := "floor_div"
	if e.Op == ir.Mod {
		name = "floor_mod"
	}
	k.helpers[name] = true
	return fmt.Sprintf("%s<%s>(%s, %s)", name, cTypes[e.Type], codegen.Top(x), codegen.Top(y))
}

// natural reports an index value that is never negative.
func natural(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return e.Int >= 0
	case ir.Ref:
		return e.Var.Kind == ir.DimVar || e.Var.Kind == ir.GridVar
	case ir.Add, ir.Mul, ir.Min, ir.Max:
		return natural(e.Args[0]) && natural(e.Args[1])
	case ir.Div, ir.Mod:
		return natural(e.Args[0]) && natural(e.Args[1])
	}
	return false
}

func (k *kernel) constant(e *ir.Expr) string {
	switch {
	case e.Type.Bits() < 8 && e.Type != array.Bool:
		return fmt.Sprint(e.Int)
	case e.Type == array.Bool:
		return strconv.FormatBool(e.Int != 0)
	case e.Type == array.F32:
		return k.float(e.Float)
	case e.Type == array.BF16:
		return fmt.Sprintf("ToBfloat16(%s)", k.float(e.Float))
	case e.Type.IsFloat():
		return fmt.Sprintf("static_cast<%s>(%s)", cTypes[e.Type], k.float(e.Float))
	case e.Type == array.I64 && e.Int == math.MinInt64:
		return "(-9223372036854775807 - 1)"
	case e.Type == array.I64, e.Type == array.I32:
		if e.Int < 0 {
			return fmt.Sprintf("(%d)", e.Int)
		}
		return strconv.FormatInt(e.Int, 10)
	case e.Type == array.U64:
		return strconv.FormatUint(uint64(e.Int), 10) + "ull"
	case e.Type == array.U32:
		return strconv.FormatUint(uint64(uint32(e.Int)), 10) + "u"
	}
	return fmt.Sprintf("static_cast<%s>(%d)", cTypes[e.Type], e.Int)
}

func (k *kernel) float(v float64) string {
	f := float32(v)
	if math.IsInf(v, 0) || math.IsNaN(v) || f == 0 && math.Signbit(v) {
		k.helpers["bits_float"] = true
		return fmt.Sprintf("bits_float(%#xu)", math.Float32bits(f))
	}
	s := strconv.FormatFloat(float64(f), 'g', -1, 32)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	if strings.HasPrefix(s, "-") {
		return "(" + s + "f)"
	}
	return s + "f"
}

// cast spells a conversion of a scalar.
func (k *kernel) cast(e *ir.Expr, vars map[*ir.Var]string) string {
	from, to := e.Args[0].Type, e.Type
	x := k.expr(e.Args[0], vars)
	switch {
	case to == array.Bool:
		return fmt.Sprintf("(%s != 0)", x)
	case from == array.BF16:
		x = fmt.Sprintf("ToFloat(%s)", codegen.Top(x))
	case from == array.F16:
		x = fmt.Sprintf("static_cast<float>(%s)", codegen.Top(x))
	}
	switch {
	case to.Bits() < 8 && to.IsInt() && from.IsInt() && to.IsSigned(): // the lowest bits, with their sign
		return fmt.Sprintf("(static_cast<int8_t>(%s << %d) >> %d)", codegen.Within(codegen.ShiftLevel, x), 8-to.Bits(), 8-to.Bits())
	case to.Bits() < 8 && to.IsInt() && from.IsInt():
		return fmt.Sprintf("(%s & %d)", codegen.Within(codegen.ShiftLevel, x), 1<<to.Bits()-1)
	case to == array.BF16:
		return fmt.Sprintf("ToBfloat16(static_cast<float>(%s))", codegen.Top(x))
	case to == array.F16 && !from.IsFloat():
		return fmt.Sprintf("static_cast<half>(static_cast<float>(%s))", codegen.Top(x)) // half has no constructor for 64 bits
	case to.IsInt() && from.IsFloat():
		k.helpers["to_int"] = true
		lo, hi := -math.Ldexp(1, to.Bits()-1), math.Ldexp(1, to.Bits()-1)
		least, most := fmt.Sprintf("INT%d_MIN", to.Bits()), fmt.Sprintf("INT%d_MAX", to.Bits())
		if to.Bits() < 8 {
			least, most = fmt.Sprint(-1<<(to.Bits()-1)), fmt.Sprint(1<<(to.Bits()-1)-1)
		}
		if !to.IsSigned() {
			lo, hi, least, most = 0, math.Ldexp(1, to.Bits()), "0", fmt.Sprintf("UINT%d_MAX", to.Bits())
			if to.Bits() < 8 {
				most = fmt.Sprint(1<<to.Bits() - 1)
			}
		}
		return fmt.Sprintf("to_int<%s>(%s, %s, %s, %s, %s)", cTypes[to], codegen.Top(x), k.float(lo), k.float(hi), least, most)
	}
	return fmt.Sprintf("static_cast<%s>(%s)", cTypes[to], codegen.Top(x))
}
