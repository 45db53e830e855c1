package launcher

import (
	"fmt"
	"math"

	"tilec/ir"
	"tilec/runtime/array"
	"tilec/runtime/launch/operand"
)

// environment is the values of the scalars that a launch knows.
type environment map[*ir.Var]value

// eval computes an expression over dimensions and scalar parameters.
func (env environment) eval(e *ir.Expr) (value, error) {
	switch e.Op {
	case ir.Const:
		if e.Type.IsFloat() {
			return floatValue(e.Type, e.Float), nil
		}
		return intValue(e.Type, e.Int), nil
	case ir.Ref:
		if v, ok := env[e.Var]; ok {
			return v, nil
		}
		return value{}, fmt.Errorf("%s is not known before the launch", e.Var.Name)
	case ir.Select, ir.And, ir.Or:
		return env.choose(e)
	case ir.Load, ir.Rand:
		return value{}, fmt.Errorf("%s cannot be computed before the launch", e)
	}
	args := make([]value, len(e.Args))
	for i, a := range e.Args {
		v, err := env.eval(a)
		if err != nil {
			return value{}, err
		}
		args[i] = v
	}
	if v, ok := apply(e, args); ok {
		return v, nil
	}
	return value{}, fmt.Errorf("%s cannot be computed before the launch", e)
}

// choose evaluates an operation that needs only some of its operands.
func (env environment) choose(e *ir.Expr) (value, error) {
	c, err := env.eval(e.Args[0])
	switch {
	case err != nil:
		return value{}, err
	case e.Op == ir.Select && c.i != 0:
		return env.eval(e.Args[1])
	case e.Op == ir.Select:
		return env.eval(e.Args[2])
	case (c.i != 0) == (e.Op == ir.Or):
		return c, nil
	}
	return env.eval(e.Args[1])
}

// index computes an expression of type index.
func (env environment) index(e *ir.Expr) (int64, error) {
	v, err := env.eval(e)
	return v.i, err
}

// apply computes an operation on values; false for one that has no meaning here.
func apply(e *ir.Expr, args []value) (value, bool) {
	if len(args) == 0 || len(args) != e.Op.Info().Arity {
		return value{}, false
	}
	x := args[0]
	switch {
	case e.Op == ir.Cast:
		return x.cast(e.Type), true
	case e.Op == ir.Bitcast:
		return fromBits(e.Type, x.bits()), true
	case e.Op.Info().Flags&ir.Compares != 0:
		return compare(e.Op, x, args[1])
	case x.typ == array.Bool:
		return boolOp(e.Op, args)
	case x.typ.IsFloat():
		f, ok := floatOp(e.Op, args)
		return floatValue(e.Type, f), ok
	}
	i, ok := intOp(e.Op, args)
	return intValue(e.Type, i), ok
}

func compare(op ir.ExprOp, x, y value) (value, bool) {
	switch op {
	case ir.Eq:
		return boolValue(same(x, y)), true
	case ir.Ne:
		return boolValue(!same(x, y)), true
	case ir.Lt:
		return boolValue(less(x, y)), true
	case ir.Gt:
		return boolValue(less(y, x)), true
	case ir.Le:
		return boolValue(!less(y, x) && !unordered(x, y)), true
	case ir.Ge:
		return boolValue(!less(x, y) && !unordered(x, y)), true
	}
	return value{}, false
}

func boolOp(op ir.ExprOp, args []value) (value, bool) {
	x, y := args[0].i != 0, args[len(args)-1].i != 0
	switch op {
	case ir.Not:
		return boolValue(!x), true
	case ir.BitAnd, ir.Min:
		return boolValue(x && y), true
	case ir.BitOr, ir.Max:
		return boolValue(x || y), true
	case ir.BitXor:
		return boolValue(x != y), true
	}
	return value{}, false
}

// intOp computes in 64 bits, before wrapping to the type.
func intOp(op ir.ExprOp, args []value) (int64, bool) {
	t, x, y := args[0].typ, args[0].i, args[len(args)-1].i
	unsigned := t == array.U64
	switch op {
	case ir.Neg:
		return -x, true
	case ir.BitNot:
		return ^x, true
	case ir.Abs:
		if t.IsSigned() && x < 0 {
			return -x, true
		}
		return x, true
	case ir.Add:
		return x + y, true
	case ir.Sub:
		return x - y, true
	case ir.Mul:
		return x * y, true
	case ir.Div:
		if unsigned {
			return int64(operand.FloorDiv(uint64(x), uint64(y))), true
		}
		return operand.FloorDiv(x, y), true
	case ir.Mod:
		if unsigned {
			return int64(operand.FloorMod(uint64(x), uint64(y))), true
		}
		return operand.FloorMod(x, y), true
	case ir.Min, ir.Max:
		if less(args[0], args[1]) == (op == ir.Min) {
			return x, true
		}
		return y, true
	case ir.BitAnd:
		return x & y, true
	case ir.BitOr:
		return x | y, true
	case ir.BitXor:
		return x ^ y, true
	case ir.Shl:
		return operand.Shl(x, y), true
	case ir.Shr:
		if unsigned {
			return int64(operand.Shr(uint64(x), uint64(y))), true
		}
		return operand.Shr(x, y), true
	}
	return 0, false
}

// floatFuncs are the functions of one number.
var floatFuncs = map[ir.ExprOp]func(float64) float64{
	ir.Exp: math.Exp, ir.Exp2: math.Exp2, ir.Log: math.Log, ir.Log2: math.Log2, ir.Sqrt: math.Sqrt, ir.Sin: math.Sin, ir.Cos: math.Cos,
	ir.Tanh: math.Tanh, ir.Erf: math.Erf, ir.Abs: math.Abs, ir.Floor: math.Floor, ir.Ceil: math.Ceil, ir.Round: math.RoundToEven,
	ir.Trunc: math.Trunc,
}

// floatOp computes in f64, before rounding to the type.
func floatOp(op ir.ExprOp, args []value) (float64, bool) {
	x, y := args[0].f, args[len(args)-1].f
	switch op {
	case ir.Neg:
		return -x, true
	case ir.Add:
		return x + y, true
	case ir.Sub:
		return x - y, true
	case ir.Mul:
		return x * y, true
	case ir.Div:
		return x / y, true
	case ir.Mod:
		return operand.FloorModFloat(x, y), true
	case ir.Min, ir.Max:
		switch {
		case math.IsNaN(x):
			return y, true
		case math.IsNaN(y):
			return x, true
		case op == ir.Min:
			return math.Min(x, y), true
		}
		return math.Max(x, y), true
	case ir.Rsqrt:
		return 1 / math.Sqrt(x), true
	case ir.Sigmoid:
		return 1 / (1 + math.Exp(-x)), true
	case ir.Fma:
		return math.FMA(x, args[1].f, y), true
	case ir.Pow:
		return math.Pow(x, y), true
	}
	if f, ok := floatFuncs[op]; ok {
		return f(x), true
	}
	return 0, false
}
