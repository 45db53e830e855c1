package passes

import (
	"math"

	"tilec/ir"
	"tilec/runtime/array"
)

// constantOf computes an operation on constants as the interpreter does; nil if
// it has other operands or isn't one that is computed ahead.
func constantOf(e *ir.Expr) *ir.Expr {
	if len(e.Args) == 0 {
		return nil
	}
	for _, a := range e.Args {
		if !a.IsConst() {
			return nil
		}
	}
	x := e.Args[0]
	switch {
	case e.Op == ir.Cast:
		return castConstant(e.Type, x)
	case e.Op == ir.Select:
		if x.Int != 0 {
			return e.Args[1]
		}
		return e.Args[2]
	case e.Op == ir.Bitcast || e.Op == ir.Rand:
		return nil
	case e.Op.Info().Flags&ir.Compares != 0:
		return compareConstants(e.Op, x, e.Args[1])
	case x.Type == array.Bool:
		return boolConstant(e)
	case x.Type == array.F32:
		if v, ok := float32Op(e.Op, e.Args); ok {
			return ir.FloatOf(array.F32, float64(v))
		}
	case x.Type == array.F64:
		if v, ok := float64Op(e.Op, e.Args); ok {
			return ir.FloatOf(array.F64, v)
		}
	case x.Type.IsInt() && x.Type != array.U64:
		if v, ok := intOp(e.Type, e.Op, e.Args); ok {
			return ir.IntOf(e.Type, array.WrapInt(e.Type, v))
		}
	}
	return nil
}

func castConstant(t ir.DType, x *ir.Expr) *ir.Expr {
	switch {
	case x.Type.IsFloat() && t.IsFloat():
		return ir.FloatOf(t, x.Float)
	case x.Type.IsFloat() && t == array.Bool:
		return ir.BoolOf(x.Float != 0)
	case x.Type.IsFloat():
		return ir.IntOf(t, array.DecodeInt(t, array.EncodeFloat(t, x.Float)))
	case x.Type == array.U64 && x.Int < 0:
		return nil
	case t.IsFloat():
		return ir.FloatOf(t, array.DecodeFloat(t, array.EncodeInt(t, x.Int)))
	case t == array.Bool:
		return ir.BoolOf(x.Int != 0)
	}
	return ir.IntOf(t, array.WrapInt(t, x.Int))
}

func compareConstants(op ir.ExprOp, x, y *ir.Expr) *ir.Expr {
	var less, equal bool
	switch {
	case x.Type.IsFloat():
		if math.IsNaN(x.Float) || math.IsNaN(y.Float) {
			return ir.BoolOf(op == ir.Ne)
		}
		less, equal = x.Float < y.Float, x.Float == y.Float
	case x.Type == array.U64:
		less, equal = uint64(x.Int) < uint64(y.Int), x.Int == y.Int
	default:
		less, equal = x.Int < y.Int, x.Int == y.Int
	}
	switch op {
	case ir.Eq:
		return ir.BoolOf(equal)
	case ir.Ne:
		return ir.BoolOf(!equal)
	case ir.Lt:
		return ir.BoolOf(less)
	case ir.Le:
		return ir.BoolOf(less || equal)
	case ir.Gt:
		return ir.BoolOf(!less && !equal)
	}
	return ir.BoolOf(!less)
}

func boolConstant(e *ir.Expr) *ir.Expr {
	x, y := e.Args[0].Int != 0, e.Args[len(e.Args)-1].Int != 0
	switch e.Op {
	case ir.Not:
		return ir.BoolOf(!x)
	case ir.And, ir.BitAnd:
		return ir.BoolOf(x && y)
	case ir.Or, ir.BitOr:
		return ir.BoolOf(x || y)
	case ir.BitXor:
		return ir.BoolOf(x != y)
	}
	return nil
}

// intOp computes on integers of at most 64 signed bits, before wrapping.
func intOp(t ir.DType, op ir.ExprOp, args []*ir.Expr) (int64, bool) {
	x, y := args[0].Int, args[len(args)-1].Int
	switch op {
	case ir.Neg:
		return -x, true
	case ir.BitNot:
		return ^x, true
	case ir.Abs:
		if x < 0 {
			x = -x
		}
		return x, true
	case ir.Add:
		return x + y, true
	case ir.Sub:
		return x - y, true
	case ir.Mul:
		return x * y, true
	case ir.Div, ir.Mod:
		var q, r int64
		if y == 0 {
			return 0, true
		}
		q, r = x/y, x%y
		if r != 0 && (r < 0) != (y < 0) {
			q, r = q-1, r+y
		}
		if op == ir.Div {
			return q, true
		}
		return r, true
	case ir.Min:
		return min(x, y), true
	case ir.Max:
		return max(x, y), true
	case ir.BitAnd:
		return x & y, true
	case ir.BitOr:
		return x | y, true
	case ir.BitXor:
		return x ^ y, true
	case ir.Shl, ir.Shr:
		switch inRange := uint64(y) < uint64(t.Bits()); {
		case inRange && op == ir.Shl:
			return x << uint64(y), true
		case inRange:
			return x >> uint64(y), true
		case op == ir.Shr && x < 0:
			return -1, true
		}
		return 0, true
	}
	return 0, false
}

// float32Op computes in single precision; conversions stand where the language
// would otherwise be free to fuse.
func float32Op(op ir.ExprOp, args []*ir.Expr) (float32, bool) {
	x, y := float32(args[0].Float), float32(args[len(args)-1].Float)
	switch op {
	case ir.Add:
		return float32(x + y), true
	case ir.Sub:
		return float32(x - y), true
	case ir.Mul:
		return float32(x * y), true
	case ir.Div:
		return float32(x / y), true
	case ir.Fma:
		return 0, false // rounds once: no such operation in single precision
	}
	v, ok := float64Op(op, args)
	return float32(v), ok
}

// float64Op computes in double precision. Functions of one operand are what
// single precision rounds, too.
func float64Op(op ir.ExprOp, args []*ir.Expr) (float64, bool) {
	x, y := args[0].Float, args[len(args)-1].Float
	switch op {
	case ir.Neg:
		return -x, true
	case ir.Add:
		return float64(x + y), true
	case ir.Sub:
		return float64(x - y), true
	case ir.Mul:
		return float64(x * y), true
	case ir.Div:
		return float64(x / y), true
	case ir.Min, ir.Max:
		switch {
		case math.IsNaN(x):
			return y, true
		case math.IsNaN(y):
			return x, true
		case op == ir.Min:
			return min(x, y), true
		}
		return max(x, y), true
	case ir.Exp:
		return math.Exp(x), true
	case ir.Exp2:
		return math.Exp2(x), true
	case ir.Log:
		return math.Log(x), true
	case ir.Log2:
		return math.Log2(x), true
	case ir.Sqrt:
		return math.Sqrt(x), true
	case ir.Rsqrt:
		return 1 / math.Sqrt(x), true
	case ir.Abs:
		return math.Abs(x), true
	case ir.Floor:
		return math.Floor(x), true
	case ir.Ceil:
		return math.Ceil(x), true
	case ir.Round:
		return math.RoundToEven(x), true
	case ir.Trunc:
		return math.Trunc(x), true
	}
	return 0, false
}
