package passes

import (
	"testing"

	"tilec/ir"
	"tilec/runtime/array"
)

// TestIdentitiesEnd rewrites operations on two constants until nothing changes:
// those that can't be folded (of u64, of narrow floats) must stay as they are.
func TestIdentitiesEnd(t *testing.T) {
	constants := func(typ array.DType) []*ir.Expr {
		if typ.IsFloat() {
			return []*ir.Expr{ir.FloatOf(typ, 0), ir.FloatOf(typ, 1), ir.FloatOf(typ, -2)}
		}
		return []*ir.Expr{ir.IntOf(typ, 0), ir.IntOf(typ, 1), ir.IntOf(typ, 7)}
	}
	for _, typ := range []array.DType{array.Bool, array.I8, array.I64, array.U8, array.U64, array.F16, array.BF16, array.F32, array.F64} {
		for _, op := range []ir.ExprOp{ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max, ir.And, ir.Or, ir.BitAnd, ir.BitOr, ir.BitXor, ir.Shl, ir.Shr, ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge} {
			for _, x := range constants(typ) {
				for _, y := range constants(typ) {
					result := typ
					if op.Info().Flags&ir.Compares != 0 {
						result = array.Bool
					}
					e := &ir.Expr{Op: op, Type: result, Args: []*ir.Expr{x, y}}
					for n := 0; ; n++ {
						next := Identity(e)
						if next == e {
							break
						}
						if n == 10 {
							t.Fatalf("%s of type %s is rewritten without end", e, typ)
						}
						e = next
					}
				}
			}
		}
	}
}
