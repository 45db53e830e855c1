package cuda

import (
	"math"

	"tilec/ir"
)

// span is a range of integer values, both ends included, saturated at ±2^62.
type span struct{ lo, hi int64 }

const wide = int64(1) << 62

var everything = span{-wide, wide}

func (s span) fits32() bool { return s.lo >= math.MinInt32 && s.hi <= math.MaxInt32 }

func clampWide(v float64) int64 {
	return int64(max(min(v, float64(wide)), -float64(wide)))
}

// ranges bounds the integer scalars of a kernel.
type ranges struct {
	vars map[*ir.Var]span
}

// mostDim is the largest dimension that the narrow variant of a kernel accepts.
const mostDim = 1 << 30

func newRanges(f *ir.Func, narrow bool) *ranges {
	r := &ranges{vars: map[*ir.Var]span{}}
	limit := wide
	if narrow {
		limit = mostDim
	}
	for _, d := range f.Dims {
		r.vars[d.Var] = span{0, limit}
	}
	for _, b := range f.Tensors() {
		for _, s := range b.Strides {
			r.vars[s] = everything
		}
	}
	for _, g := range f.Grid {
		n := r.of(g.Extent)
		r.vars[g.Var] = span{0, max(n.hi-1, 0)}
	}
	r.block(f.Body)
	return r
}

func (r *ranges) block(b *ir.Block) {
	b.Walk(func(op *ir.Op) {
		for _, it := range op.Iters() {
			r.vars[it.Var] = span{0, max(r.of(it.Extent).hi-1, 0)}
		}
		switch op.Code {
		case ir.OpLet:
			r.vars[op.Var] = r.of(op.X[0])
		case ir.OpFor:
			lo, hi := r.of(op.X[0]), r.of(op.X[1])
			r.vars[op.Var] = span{lo.lo, max(hi.hi-1, lo.lo)}
		case ir.OpVar:
			r.vars[op.Var] = r.mutable(b, op)
		}
	})
}

// mutable bounds a variable by its first value and by assignments that wrap it
// within a ring; anything else is unknown.
func (r *ranges) mutable(b *ir.Block, def *ir.Op) span {
	s := r.of(def.X[0])
	known := true
	b.Walk(func(op *ir.Op) {
		if op.Code != ir.OpAssign || op.Var != def.Var {
			return
		}
		x := op.X[0]
		if x.Op == ir.Ref && x.Var != def.Var && r.isRing(x.Var) {
			s.hi = max(s.hi, r.vars[x.Var].hi)
			s.lo = min(s.lo, r.vars[x.Var].lo)
			return
		}
		ring := x.Op == ir.Select && x.Args[0].Op == ir.Eq && x.Args[0].Args[1].IsConst() && x.Args[1].IsInt(0)
		if !ring {
			known = false
			return
		}
		s.hi = max(s.hi, x.Args[0].Args[1].Int-1)
		s.lo = min(s.lo, 0)
	})
	if !known {
		return typeSpan(def.Var.Type)
	}
	return s
}

// isRing reports a variable whose bounds are known although it is assigned to.
func (r *ranges) isRing(v *ir.Var) bool {
	s, ok := r.vars[v]
	return ok && v.Kind == ir.MutVar && s != typeSpan(v.Type)
}

func typeSpan(t ir.DType) span {
	if t.IsInt() && t.Bits() < 63 {
		if t.IsSigned() {
			return span{-1 << (t.Bits() - 1), 1<<(t.Bits()-1) - 1}
		}
		return span{0, 1<<t.Bits() - 1}
	}
	return everything
}

// of bounds an integer expression.
func (r *ranges) of(e *ir.Expr) span {
	switch e.Op {
	case ir.Const:
		return span{e.Int, e.Int}
	case ir.Ref:
		if s, ok := r.vars[e.Var]; ok {
			return s
		}
	case ir.Cast:
		if e.Args[0].Type.IsInt() {
			x, t := r.of(e.Args[0]), typeSpan(e.Type)
			if x.lo >= t.lo && x.hi <= t.hi {
				return x
			}
		}
	case ir.Select:
		a, b := r.of(e.Args[1]), r.of(e.Args[2])
		return span{min(a.lo, b.lo), max(a.hi, b.hi)}
	case ir.Neg:
		a := r.of(e.Args[0])
		return bounded(e.Type, span{-a.hi, -a.lo})
	case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max:
		return bounded(e.Type, r.binary(e.Op, r.of(e.Args[0]), r.of(e.Args[1])))
	}
	return typeSpan(e.Type)
}

// bounded gives up on a range that the type would wrap.
func bounded(t ir.DType, s span) span {
	if l := typeSpan(t); s.lo < l.lo || s.hi > l.hi {
		return l
	}
	return s
}

func (r *ranges) binary(op ir.ExprOp, a, b span) span {
	switch op {
	case ir.Add:
		return span{clampWide(float64(a.lo) + float64(b.lo)), clampWide(float64(a.hi) + float64(b.hi))}
	case ir.Sub:
		return span{clampWide(float64(a.lo) - float64(b.hi)), clampWide(float64(a.hi) - float64(b.lo))}
	case ir.Mul:
		p := [4]float64{float64(a.lo) * float64(b.lo), float64(a.lo) * float64(b.hi), float64(a.hi) * float64(b.lo), float64(a.hi) * float64(b.hi)}
		lo, hi := p[0], p[0]
		for _, v := range p[1:] {
			lo, hi = min(lo, v), max(hi, v)
		}
		return span{clampWide(lo), clampWide(hi)}
	case ir.Div:
		if b.lo == b.hi && b.lo > 0 {
			return span{ir.FloorDiv(a.lo, b.lo), ir.FloorDiv(a.hi, b.lo)}
		}
		if a.lo >= 0 && b.lo >= 0 {
			return span{0, a.hi}
		}
		return span{-max(a.hi, -a.lo), max(a.hi, -a.lo)}
	case ir.Mod:
		if b.lo > 0 {
			if a.lo >= 0 {
				return span{0, min(a.hi, b.hi-1)}
			}
			return span{0, b.hi - 1}
		}
	case ir.Min:
		return span{min(a.lo, b.lo), min(a.hi, b.hi)}
	case ir.Max:
		return span{max(a.lo, b.lo), max(a.hi, b.hi)}
	}
	return everything
}
