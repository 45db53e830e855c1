package interp

import (
	"math"

	"tilec/ir"
)

// floatOp compiles arithmetic on floats; functions are computed in float64 and
// rounded once to T.
func floatOp[T float32 | float64](c *compiler, tr *traits[T], e *ir.Expr, sub func(*ir.Expr) node[T], fma func(x, y, z T) T) node[T] {
	if f := floatFunc(e.Op); f != nil {
		return inPlace(sub(e.Args[0]), func(x T) T { return T(f(float64(x))) }, func(x []T) {
			for l, v := range x {
				x[l] = T(f(float64(v)))
			}
		})
	}
	var op binaryOp[T, T]
	switch e.Op {
	case ir.Neg:
		return inPlace(sub(e.Args[0]), func(x T) T { return -x }, nil)
	case ir.Fma:
		return ternary(tr, fma, sub(e.Args[0]), sub(e.Args[1]), sub(e.Args[2]))
	case ir.Add:
		op = addOp[T]()
	case ir.Sub:
		op = subOp[T]()
	case ir.Mul:
		op = mulOp[T]()
	case ir.Div:
		op = quoOp[T]()
	case ir.Mod:
		op.one = func(x, y T) T {
			r := math.Mod(float64(x), float64(y)) // exact
			if r != 0 && (r < 0) != (y < 0) {
				r += float64(y)
			}
			return T(r)
		}
	case ir.Min:
		op = minOp[T]()
	case ir.Max:
		op = maxOp[T]()
	case ir.Pow:
		op.one = func(x, y T) T { return T(math.Pow(float64(x), float64(y))) }
	default:
		return malformed[T](c, e)
	}
	return binary(tr, op, sub(e.Args[0]), sub(e.Args[1]))
}

// floatFunc returns the function of one float that op stands for, or nil.
func floatFunc(op ir.ExprOp) func(float64) float64 {
	switch op {
	case ir.Exp:
		return math.Exp
	case ir.Exp2:
		return math.Exp2
	case ir.Log:
		return math.Log
	case ir.Log2:
		return math.Log2
	case ir.Sqrt:
		return math.Sqrt
	case ir.Rsqrt:
		return func(x float64) float64 { return 1 / math.Sqrt(x) }
	case ir.Sin:
		return math.Sin
	case ir.Cos:
		return math.Cos
	case ir.Tanh:
		return math.Tanh
	case ir.Sigmoid:
		return func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	case ir.Erf:
		return math.Erf
	case ir.Abs:
		return math.Abs
	case ir.Floor:
		return math.Floor
	case ir.Ceil:
		return math.Ceil
	case ir.Round:
		return math.RoundToEven
	case ir.Trunc:
		return math.Trunc
	}
	return nil
}

func fma64(x, y, z float64) float64 { return math.FMA(x, y, z) }

// fma32 rounds x*y+z once. The product is exact in float64; the sum is made odd
// where it is inexact, so that rounding it to float32 comes out as if it were the
// only rounding (Boldo, Melquiond: "Emulation of FMA and correctly rounded sums").
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	// The error of the sum, exactly (Knuth's TwoSum).
	v := s - p
	err := (p - (s - v)) + (c - v)
	if err != 0 {
		b := math.Float64bits(s)
		if b&1 == 0 {
			if (err > 0) == (s > 0) {
				b++
			} else {
				b--
			}
			s = math.Float64frombits(b)
		}
	}
	return float32(s)
}
