package driver

import (
	"math"

	"tilec/codegen/launcher"
	"tilec/ir"
	"tilec/runtime/array"
)

// tolerance is the rtol of the package documentation for one out tensor; longest is
// the length of the longest reduction, carried the number of iterations that hand
// rounded values to each other.
func tolerance(t *ir.Buffer, tile *ir.Func, longest, carried float64) float64 {
	if !t.Elem.IsFloat() {
		return 0
	}
	mid := roundoff(coarsest(tile)) * math.Sqrt(carried)
	if tile.AllowTF32 {
		mid = max(mid, math.Ldexp(1, -10)) // both operands of every product are rounded
	}
	unit := roundoff(array.F32)
	if t.Elem == array.F64 && mid == 0 && !usesF32(tile) {
		unit = roundoff(array.F64)
	}
	if t.Elem == array.F32 || t.Elem == array.F64 {
		return 2*mid + unit*(64+8*math.Sqrt(longest))
	}
	return 2*roundoff(t.Elem) + 2*mid + unit*(64+8*math.Sqrt(longest))
}

// roundoff is half the distance from 1 to the next number of a float type, 0 for
// any other.
func roundoff(t ir.DType) float64 {
	switch t {
	case array.F64:
		return math.Ldexp(1, -53)
	case array.F32:
		return math.Ldexp(1, -24)
	case array.F16:
		return math.Ldexp(1, -11)
	case array.BF16:
		return math.Ldexp(1, -8)
	case array.F8E4M3:
		return math.Ldexp(1, -4)
	case array.F8E5M2:
		return math.Ldexp(1, -3)
	case array.F4E2M1:
		return math.Ldexp(1, -2)
	case array.F8E8M0:
		return math.Ldexp(1, -1)
	}
	return 0
}

// coarsest returns the coarsest float type below f32 that a kernel rounds values
// to on the way, Invalid if there is none. Storing into a parameter does not
// count, nor does moving values of a type into a tile of that type.
func coarsest(f *ir.Func) ir.DType {
	worst := array.Invalid
	note := func(t ir.DType) {
		if t.IsFloat() && t.Bits() <= 16 && roundoff(t) > roundoff(worst) {
			worst = t
		}
	}
	f.Body.Walk(func(op *ir.Op) {
		toTile := op.Dst != nil && !op.Dst.Buf.Kind.IsTensor()
		if op.Code == ir.OpCopy && toTile && op.Src[0].Buf.Elem != op.Dst.Buf.Elem {
			note(op.Dst.Buf.Elem)
		}
		op.Exprs(func(e *ir.Expr) bool {
			last := op.Code == ir.OpMap && len(op.X) == 1 && op.X[0] == e
			if e.Op == ir.Cast && (!last || toTile) {
				note(e.Type)
			}
			return true
		})
		if (op.Code == ir.OpReduce || op.Code == ir.OpContract || op.Code == ir.OpScan) && toTile {
			note(op.Dst.Buf.Elem)
		}
	})
	return worst
}

// usesF32 reports a kernel that computes anything in f32.
func usesF32(f *ir.Func) bool {
	found := false
	f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil && op.Dst.Buf.Elem == array.F32 {
			found = true
		}
		op.Exprs(func(e *ir.Expr) bool {
			found = found || e.Type == array.F32
			return !found
		})
	})
	return found
}

// longestReduction is the number of elements that the longest reduction of a kernel
// combines, read off its spec; or, where there is none, off its tile form, where a
// reduction inside loops counts once for every iteration.
func longestReduction(f *ir.Func, values *launcher.Binding) float64 {
	rounds := func(op *ir.Op) float64 {
		if op.Code == ir.OpFor {
			return trips(op, values)
		}
		n := 1.0
		for _, it := range op.Red {
			n *= max(estimate(it.Extent, values), 1)
		}
		return n
	}
	return longestChain(f.Body, 1, rounds, func(op *ir.Op) bool { return op.Code != ir.OpFor })
}

// longestRecurrence is the number of iterations of the longest chain of loops, one
// inside the other, that hand on a tile of a float type below f32: one that they
// read before they write it.
func longestRecurrence(f *ir.Func, values *launcher.Binding) float64 {
	rounds := func(op *ir.Op) float64 {
		switch op.Code {
		case ir.OpFor:
			return trips(op, values)
		case ir.OpWhile:
			return estimate(op.X[0], values)
		}
		return 1
	}
	return longestChain(f.Body, 1, rounds, func(op *ir.Op) bool { return rounds(op) > 1 && handsOn(op.Body) })
}

// longestChain is the most rounds, one operation inside the other, of an operation
// that counts; those around it take so many times already.
func longestChain(b *ir.Block, times float64, rounds func(*ir.Op) float64, counts func(*ir.Op) bool) float64 {
	longest := 1.0
	if b == nil {
		return longest
	}
	for _, op := range b.Ops {
		n := times * max(rounds(op), 1)
		if counts(op) {
			longest = max(longest, n)
		}
		longest = max(longest, longestChain(op.Body, n, rounds, counts), longestChain(op.Else, n, rounds, counts))
	}
	return longest
}

// handsOn reports a loop's body that reads a tile of a float type below f32 which it
// writes later on, or in the same statement.
func handsOn(body *ir.Block) bool {
	found := false
	read, written := map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAlloc {
			written[op.Buf] = true
		}
		op.Loads(func(a *ir.Access) {
			read[a.Buf] = read[a.Buf] || !written[a.Buf]
		})
		if op.Dst == nil || op.Dst.Buf.Kind.IsTensor() {
			return
		}
		t := op.Dst.Buf.Elem
		found = found || t.IsFloat() && t.Bits() <= 16 && read[op.Dst.Buf]
		written[op.Dst.Buf] = true
	})
	return found
}

func trips(loop *ir.Op, values *launcher.Binding) float64 {
	return (estimate(loop.X[1], values) - estimate(loop.X[0], values)) / max(estimate(loop.X[2], values), 1)
}

// estimate evaluates an extent; one that depends on more than the launch counts as
// the largest dimension.
func estimate(e *ir.Expr, values *launcher.Binding) float64 {
	if n, err := values.Index(e); err == nil {
		return float64(n)
	}
	most := int64(1)
	for _, n := range values.Dims() {
		most = max(most, n)
	}
	return float64(most)
}
