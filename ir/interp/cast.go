package interp

import (
	"math"

	"tilec/ir"
	"tilec/runtime/array"
)

// castF compiles a cast to a float of 32 bits or less.
func (c *compiler) castF(e *ir.Expr) node[float32] {
	x, t := e.Args[0], e.Type
	switch kindOf(x.Type) {
	case kindF:
		n := c.floats(x)
		if t == array.F32 || t == x.Type {
			return n
		}
		return rounded(t, n)
	case kindD:
		return unary(laneD, c.doubles(x), func(v float64) float32 { return valueF(t, array.EncodeFloat(t, v)) }, nil)
	case kindI:
		return unary(laneI, c.ints(x), intToF(x.Type, t), nil)
	case kindB:
		return unary(laneB, c.bools(x), func(v bool) float32 { return float32(oneIf(v)) }, nil)
	}
	return malformed[float32](c, e)
}

// intToF converts integers of type from to float type t, rounding once.
func intToF(from, t ir.DType) func(int64) float32 {
	switch {
	case from == array.U64:
		return func(v int64) float32 {
			if v >= 0 {
				return float32(array.DecodeFloat(t, array.EncodeInt(t, v)))
			}
			if t == array.F32 {
				return float32(uint64(v))
			}
			// 53 bits, the last one sticky, round as the whole would.
			top := uint64(v)>>11 | uint64(oneIf(v&0x7ff != 0))
			return float32(array.RoundFloat(t, float64(top)*0x1p11))
		}
	case t == array.F32:
		return func(v int64) float32 { return float32(v) }
	}
	return func(v int64) float32 { return float32(array.DecodeFloat(t, array.EncodeInt(t, v))) }
}

// castD compiles a cast to f64.
func (c *compiler) castD(e *ir.Expr) node[float64] {
	x := e.Args[0]
	switch kindOf(x.Type) {
	case kindF:
		return unary(laneF, c.floats(x), func(v float32) float64 { return float64(v) }, func(out []float64, x []float32) {
			for l, v := range x {
				out[l] = float64(v)
			}
		})
	case kindD:
		return c.doubles(x)
	case kindI:
		if x.Type == array.U64 {
			return unary(laneI, c.ints(x), func(v int64) float64 { return float64(uint64(v)) }, nil)
		}
		return unary(laneI, c.ints(x), func(v int64) float64 { return float64(v) }, nil)
	case kindB:
		return unary(laneB, c.bools(x), func(v bool) float64 { return float64(oneIf(v)) }, nil)
	}
	return malformed[float64](c, e)
}

// castI compiles a cast to an integer type: floats truncate and saturate, nan
// gives 0, integers wrap.
func (c *compiler) castI(e *ir.Expr) node[int64] {
	x, t := e.Args[0], e.Type
	switch kindOf(x.Type) {
	case kindF:
		return unary(laneF, c.floats(x), func(v float32) int64 { return floatToI(t, float64(v)) }, nil)
	case kindD:
		return unary(laneD, c.doubles(x), func(v float64) int64 { return floatToI(t, v) }, nil)
	case kindI:
		n := c.ints(x)
		if t == x.Type || t.Bits() == 64 || t.Bits() > x.Type.Bits() && t.IsSigned() {
			return n
		}
		return wrapped(t, n)
	case kindB:
		return unary(laneB, c.bools(x), oneIf, nil)
	}
	return malformed[int64](c, e)
}

func floatToI(t ir.DType, v float64) int64 { return array.DecodeInt(t, array.EncodeFloat(t, v)) }

// castB compiles a cast to bool, that is != 0.
func (c *compiler) castB(e *ir.Expr) node[bool] {
	x := e.Args[0]
	switch kindOf(x.Type) {
	case kindF:
		return unary(laneF, c.floats(x), func(v float32) bool { return v != 0 }, nil)
	case kindD:
		return unary(laneD, c.doubles(x), func(v float64) bool { return v != 0 }, nil)
	case kindI:
		return unary(laneI, c.ints(x), func(v int64) bool { return v != 0 }, nil)
	case kindB:
		return c.bools(x)
	}
	return malformed[bool](c, e)
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// rounded rounds a node's values to a float type below f32.
func rounded(t ir.DType, n node[float32]) node[float32] {
	return inPlace(n, func(x float32) float32 { return roundF(t, x) }, func(x []float32) { roundRow(t, x) })
}

func roundF(t ir.DType, x float32) float32 {
	switch t {
	case array.F16:
		return array.F16ToF32(array.F32ToF16(x))
	case array.BF16:
		return array.BF16ToF32(array.F32ToBF16(x))
	}
	return valueF(t, array.EncodeFloat(t, float64(x)))
}

func roundRow(t ir.DType, x []float32) {
	switch t {
	case array.F32:
	case array.F16:
		for l, v := range x {
			x[l] = array.F16ToF32(array.F32ToF16(v))
		}
	case array.BF16:
		for l, v := range x {
			x[l] = array.BF16ToF32(array.F32ToBF16(v))
		}
	default:
		for l, v := range x {
			x[l] = roundF(t, v)
		}
	}
}

// patterns compiles an expression as the pattern of its value.
func (c *compiler) patterns(x *ir.Expr) node[int64] {
	if x == nil {
		return malformed[int64](c, &ir.Expr{Op: ir.Bitcast})
	}
	t := x.Type
	switch kindOf(t) {
	case kindF:
		return unary(laneF, c.floats(x), func(v float32) int64 { return int64(bitsOfF(t, v)) }, nil)
	case kindD:
		return unary(laneD, c.doubles(x), func(v float64) int64 { return int64(math.Float64bits(v)) }, nil)
	case kindI:
		return inPlace(c.ints(x), func(v int64) int64 { return int64(array.EncodeInt(t, v)) }, nil)
	case kindB:
		return unary(laneB, c.bools(x), oneIf, nil)
	}
	return malformed[int64](c, x)
}

func valueD(b int64) float64 { return math.Float64frombits(uint64(b)) }
