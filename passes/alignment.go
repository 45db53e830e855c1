package passes

import (
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
)

// widest is the widest access of any path, in bytes.
const widest = 16

// Alignment knows by what powers of two the index values of a function are
// divisible, from constants and from the function's assumptions.
type Alignment struct {
	dims map[*ir.Var]int64
	base map[*ir.Buffer]int64
}

// AlignmentOf collects the assumptions of f.
func AlignmentOf(f *ir.Func) *Alignment {
	a := &Alignment{dims: map[*ir.Var]int64{}, base: map[*ir.Buffer]int64{}}
	for _, as := range f.Assumes {
		if as.Tensor != nil {
			a.base[as.Tensor] = as.Bytes
		} else if as.Multiple != nil && as.Multiple.Op == ir.Ref {
			a.dims[as.Multiple.Var] = max(a.dims[as.Multiple.Var], as.Of)
		}
	}
	return a
}

// unlimited stands for "divisible by every power of two that matters".
const unlimited = 1 << 20

// Factor returns a power of two that e is a multiple of, at most 2^20.
func (a *Alignment) Factor(e *ir.Expr) int64 {
	switch e.Op {
	case ir.Const:
		if e.Int == 0 {
			return unlimited
		}
		return min(e.Int&-e.Int, unlimited)
	case ir.Ref:
		if n := a.dims[e.Var]; n > 0 {
			return n & -n
		}
		return 1
	case ir.Add, ir.Sub, ir.Min, ir.Max:
		return min(a.Factor(e.Args[0]), a.Factor(e.Args[1]))
	case ir.Select:
		return min(a.Factor(e.Args[1]), a.Factor(e.Args[2]))
	case ir.Mul:
		return min(a.Factor(e.Args[0])*a.Factor(e.Args[1]), unlimited)
	case ir.Neg:
		return a.Factor(e.Args[0])
	}
	return 1
}

// Without returns e with v set to zero, and whether e is v plus something free
// of v (coefficient one).
func Without(e *ir.Expr, v *ir.Var) (*ir.Expr, bool) {
	switch e.Op {
	case ir.Ref:
		if e.Var == v {
			return ir.Int(0), true
		}
	case ir.Add:
		if x, ok := Without(e.Args[0], v); ok && !e.Args[1].Uses(v) {
			return ir.Bin(ir.Add, x, e.Args[1]), true
		}
		if y, ok := Without(e.Args[1], v); ok && !e.Args[0].Uses(v) {
			return ir.Bin(ir.Add, e.Args[0], y), true
		}
	case ir.Sub:
		if x, ok := Without(e.Args[0], v); ok && !e.Args[1].Uses(v) {
			return ir.Bin(ir.Sub, x, e.Args[1]), true
		}
	}
	return nil, false
}

// Width returns how many consecutive elements, a power of two, an access can
// touch at once as v runs, when v starts at multiples of it: 1 if v is not the
// last index with coefficient one, else as many as alignment allows within
// 16 bytes.
func (a *Alignment) Width(acc *ir.Access, v *ir.Var) int {
	b := acc.Buf
	n := len(acc.Index)
	if n == 0 || b.Strides != nil {
		return 1
	}
	last, ok := Without(acc.Index[n-1], v)
	if !ok {
		return 1
	}
	for _, x := range acc.Index[:n-1] {
		if x.Uses(v) {
			return 1
		}
	}
	bits := int64(b.Elem.Bits())
	var limit int64
	switch {
	case b.Kind.IsTensor():
		limit = max(a.base[b]*8/bits, 1)
	default:
		limit = widest * 8 / bits
	}
	limit = min(limit, widest*8/bits)
	limit = min(limit, a.Factor(last))
	if b.Kind.IsTensor() {
		stride := int64(1)
		for d := n - 1; d > 0; d-- {
			stride = min(stride*a.Factor(b.Shape[d]), unlimited)
			limit = min(limit, stride*a.Factor(acc.Index[d-1]))
		}
	}
	w := int64(1)
	for w*2 <= limit {
		w *= 2
	}
	return int(w)
}

// UniformGuard reports that every conjunct of the condition has one value over
// each aligned group of w values of v.
func (a *Alignment) UniformGuard(cond *ir.Expr, v *ir.Var, w int) bool {
	for _, c := range ir.Conjuncts(cond) {
		if !c.Uses(v) {
			continue
		}
		if len(c.Args) != 2 {
			return false
		}
		x, y := c.Args[0], c.Args[1]
		switch c.Op {
		case ir.Lt, ir.Ge: // x < y, x >= y: whole groups on one side of a multiple
		case ir.Gt, ir.Le:
			x, y = y, x
		default:
			return false
		}
		rest, ok := Without(x, v)
		if !ok || y.Uses(v) || a.Factor(rest) < int64(w) || a.Factor(y) < int64(w) {
			return false
		}
	}
	return true
}

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
	w := AlignmentOf(f).Width(src, fast.Var)
	w = min(w, layout.Pow2(dst.Buf.Extent(len(dst.Index)-1)))
	for _, bytes := range path.Bytes {
		if n := bytes * 8 / dst.Buf.Elem.Bits(); n <= w {
			return n
		}
	}
	return 0
}

// Variants returns the functions to emit for a kernel, fastest first: one that
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
		return []*ir.Func{f}
	}
	return []*ir.Func{fast, f}
}
