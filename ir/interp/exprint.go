package interp

import (
	"math/bits"

	"tilec/ir"
	"tilec/runtime/array"
)

// intOp compiles arithmetic on integers, wrapped to the node's type.
func (c *compiler) intOp(e *ir.Expr) node[int64] {
	t := e.Type
	switch e.Op {
	case ir.Neg:
		return wrapped(t, inPlace(c.ints(e.Args[0]), func(x int64) int64 { return -x }, nil))
	case ir.BitNot:
		return wrapped(t, inPlace(c.ints(e.Args[0]), func(x int64) int64 { return ^x }, nil))
	case ir.Abs:
		if t.IsUnsigned() {
			return c.ints(e.Args[0])
		}
		return wrapped(t, inPlace(c.ints(e.Args[0]), func(x int64) int64 {
			if x < 0 {
				return -x
			}
			return x
		}, nil))
	}
	op, ok := intBinary(t, e.Op)
	if !ok {
		return malformed[int64](c, e)
	}
	return wrapped(t, binary(laneI, op, c.ints(e.Args[0]), c.ints(e.Args[1])))
}

// intBinary returns an operation on integers of type t, before wrapping.
func intBinary(t ir.DType, code ir.ExprOp) (op binaryOp[int64, int64], ok bool) {
	unsigned64 := t == array.U64
	switch code {
	case ir.Add:
		op = addOp[int64]()
	case ir.Sub:
		op = subOp[int64]()
	case ir.Mul:
		op = mulOp[int64]()
	case ir.Div:
		op.one = ir.FloorDiv
		if unsigned64 {
			op.one = func(x, y int64) int64 {
				if y == 0 {
					return 0
				}
				return int64(uint64(x) / uint64(y))
			}
		}
	case ir.Mod:
		op.one = floorMod
		if unsigned64 {
			op.one = func(x, y int64) int64 {
				if y == 0 {
					return 0
				}
				return int64(uint64(x) % uint64(y))
			}
		}
	case ir.Min:
		op.one = func(x, y int64) int64 { return min(x, y) }
		if unsigned64 {
			op.one = func(x, y int64) int64 { return int64(min(uint64(x), uint64(y))) }
		}
	case ir.Max:
		op.one = func(x, y int64) int64 { return max(x, y) }
		if unsigned64 {
			op.one = func(x, y int64) int64 { return int64(max(uint64(x), uint64(y))) }
		}
	case ir.BitAnd:
		op.one = func(x, y int64) int64 { return x & y }
	case ir.BitOr:
		op.one = func(x, y int64) int64 { return x | y }
	case ir.BitXor:
		op.one = func(x, y int64) int64 { return x ^ y }
	case ir.Shl:
		width := uint64(t.Bits())
		op.one = func(x, y int64) int64 {
			if uint64(y) >= width { // negative counts too
				return 0
			}
			return x << uint64(y)
		}
	case ir.Shr:
		width := uint64(t.Bits())
		op.one = func(x, y int64) int64 {
			switch {
			case unsigned64 && uint64(y) < width:
				return int64(uint64(x) >> uint64(y))
			case uint64(y) < width:
				return x >> uint64(y)
			case x < 0 && !unsigned64:
				return -1
			}
			return 0
		}
	default:
		return op, false
	}
	return op, true
}

// wrapped wraps a node's values into type t.
func wrapped(t ir.DType, n node[int64]) node[int64] {
	switch t {
	case array.I64, array.U64:
		return n
	case array.I32:
		return inPlace(n, func(x int64) int64 { return int64(int32(x)) }, func(x []int64) {
			for l, v := range x {
				x[l] = int64(int32(v))
			}
		})
	}
	return inPlace(n, func(x int64) int64 { return array.WrapInt(t, x) }, nil)
}

// uniform is a number in [0, 1) from Philox 4x32-10 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", 2011).
func uniform(seed, offset int64) float32 {
	word := philox([4]uint32{uint32(offset), uint32(uint64(offset) >> 32)}, [2]uint32{uint32(seed), uint32(uint64(seed) >> 32)})[0]
	return float32(word>>8) * 0x1p-24
}

func philox(ctr [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(0xD2511F53, ctr[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, ctr[2])
		ctr = [4]uint32{hi1 ^ ctr[1] ^ key[0], lo1, hi0 ^ ctr[3] ^ key[1], lo0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return ctr
}
