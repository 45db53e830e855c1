package aicore

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// Reduction is a reduce as the vector unit carries it out.
type Reduction struct {
	Rows, Cols int
	Src, Dst   View
	Combine    ir.Combine
	Across     bool // over rows: the result is a row. Otherwise over columns: one element a row.
}

// ReductionOf reads a reduce of a tile in UB as what the vector unit does: a sum, maximum or minimum of floats along rows; across
// them products and whole numbers too.
func ReductionOf(op *ir.Op) (r Reduction, ok bool) {
	if op.Code != ir.OpReduce || op.Where != nil || op.Accumulate || op.Dst.Buf.Outside() {
		return r, false
	}
	t := op.Dst.Buf.Elem
	two, ok := op.Combine.Op()
	if !ok || !binaries[two] || !computes(two, t) {
		return r, false
	}
	x := op.X[0]
	if x.Op != ir.Load || x.At.Buf.Outside() || x.At.Buf.Elem != t || x.At.Guard != nil {
		return r, false
	}
	r.Combine = op.Combine
	r.Dst, ok = ViewOf(op.Dom, op.Dst)
	if !ok || r.Dst.Base != nil && !r.Dst.Base.IsConst() && !r.Dst.Aligned() {
		return r, false
	}
	// Along rows: the reduced indices are the columns.
	if len(op.Red) == 1 && t == array.F32 && op.Combine != ir.Prod {
		along := append(append([]ir.Iter(nil), op.Dom...), op.Red...)
		s := ShapeOf(along)
		if v, ok := ViewOf(along, x.At); ok && v.Aligned() && (v.Col == 1 || s.Cols == 1) && (s.Rows == 1 || v.Row%8 == 0 && v.Row != 0) {
			d := ShapeOf(op.Dom)
			if d.Rows == 1 && (r.Dst.Col == 1 || d.Cols == 1) {
				r.Src, r.Rows, r.Cols = v, s.Rows, s.Cols
				return r, true
			}
		}
	}
	// Across rows.
	if len(op.Dom) == 1 {
		across := append(append([]ir.Iter(nil), op.Red...), op.Dom...)
		s := ShapeOf(across)
		if v, ok := ViewOf(across, x.At); ok && v.Aligned() && r.Dst.Aligned() && (v.Col == 1 || s.Cols == 1) && (r.Dst.Col == 1 || s.Cols == 1) && (s.Rows == 1 || v.Row%8 == 0 && v.Row != 0) {
			r.Src, r.Rows, r.Cols, r.Across = v, s.Rows, s.Cols, true
			return r, true
		}
	}
	return r, false
}
