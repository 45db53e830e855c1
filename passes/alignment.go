package passes

import (
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
)

// widest is the widest access of any path, in bytes.
const widest = ir.WidestAccess

// asyncWidth returns how many elements one access of an asynchronous path moves
// for a copy, 0 if the copy cannot take the path.
func asyncWidth(f *ir.Func, op *ir.Op, path *machine.Path) int {
	src, dst := op.Src[0], op.Dst
	if src.Buf.Elem != dst.Buf.Elem || op.Where != nil || len(dst.Index) == 0 {
		return 0
	}
	fast := dst.Index[len(dst.Index)-1]
	if fast.Op != ir.Ref {
		return 0
	}
	if _, ok := op.Aligned(dst); !ok {
		return 0
	}
	w := ir.AlignmentOf(f).Width(src, fast.Var)
	w = min(w, layout.Pow2(dst.Buf.Extent(len(dst.Index)-1)))
	if op.Layout != nil {
		w = min(w, inThread(op, op.IterOf(fast)))
	}
	for _, bytes := range path.Bytes {
		if n := bytes * 8 / dst.Buf.Elem.Bits(); n <= w {
			return n
		}
	}
	return 0
}

// Variants returns the functions to emit for a kernel, all of them new, fastest first: one that
// assumes aligned addresses and row lengths, where that widens any access, and
// one that assumes nothing.
func Variants(f *ir.Func) []*ir.Func {
	fast := ir.Clone(f)
	dims := map[*ir.Var]int64{}
	for _, t := range fast.Tensors() {
		if t.Strides != nil || t.Elem.Bits() > widest*8 {
			continue
		}
		fast.Assumes = append(fast.Assumes, ir.Assumption{Tensor: t, Bytes: widest})
		if len(t.Shape) < 2 {
			continue
		}
		w := int64(widest * 8 / t.Elem.Bits())
		last := t.Shape[len(t.Shape)-1]
		opaque := false
		last.Walk(func(e *ir.Expr) bool {
			opaque = opaque || e.Op == ir.Div || e.Op == ir.Mod
			return true
		})
		if opaque {
			continue
		}
		last.Walk(func(e *ir.Expr) bool {
			if e.Op == ir.Ref && e.Var.Kind == ir.DimVar {
				dims[e.Var] = max(dims[e.Var], w)
			}
			return true
		})
	}
	for _, d := range fast.Dims {
		if n := dims[d.Var]; n > 1 {
			fast.Assumes = append(fast.Assumes, ir.Assumption{Multiple: ir.RefTo(d.Var), Of: n})
		}
	}
	if len(fast.Assumes) == 0 {
		return []*ir.Func{fast}
	}
	return []*ir.Func{fast, ir.Clone(f)}
}
