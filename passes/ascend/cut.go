package ascend

import (
	"slices"

	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
	"tilec/passes/affine"
	"tilec/runtime/array"
)

// mostCuts bounds the points at which a map is cut along one index: beyond, choosing costs less than more instructions do.
const mostCuts = 3

// cut splits maps where conditions on one of their indices alone change, as that of `if d < 32 then x[d + 32] else x[d - 32]`: the pieces
// choose nothing, and touch only what they use.
func cut(_ *passes.Context, f *ir.Func) error {
	f.Body.Rewrite(func(op *ir.Op) []*ir.Op {
		if op.Code == ir.OpMap && op.Pipe == ir.NoPipe {
			return pieces(op)
		}
		return []*ir.Op{op}
	})
	return nil
}

// pieces returns a map cut along the first of its indices that can be cut, and its pieces along the others.
func pieces(op *ir.Op) []*ir.Op {
	for d, it := range op.Dom {
		at := changes(op, d)
		if len(at) == 0 || len(at) > mostCuts || d == len(op.Dom)-1 && !onBlocks(op, at) {
			continue
		}
		var all []*ir.Op
		from := int64(0)
		for _, to := range append(at, it.Extent.Int) {
			if p := piece(op, d, from, to); p != nil {
				all = append(all, pieces(p)...)
			}
			from = to
		}
		return all
	}
	return []*ir.Op{op}
}

// changes returns the points inside a map's index d at which conditions of its choices change that depend on that index alone.
func changes(op *ir.Op, d int) []int64 {
	it := op.Dom[d]
	var at []int64
	see := func(c *ir.Expr) {
		c.Walk(func(e *ir.Expr) bool {
			if e.Op.Info().Flags&ir.Compares == 0 || e.Args[0].Type != ir.Index {
				return e.Type == array.Bool
			}
			f, p, ok1 := parts(op.Dom, e.Args[0])
			g, q, ok2 := parts(op.Dom, e.Args[1])
			if !ok1 || !ok2 || !p.IsConst() || !q.IsConst() {
				return false
			}
			for i := range f {
				if f[i] -= g[i]; i != d && f[i] != 0 {
					return false
				}
			}
			holds := func(i int64) bool { return passes.Identity(ir.Bin(e.Op, ir.Int(f[d]*i+p.Int), q)).Int != 0 }
			for i := int64(1); i < it.Extent.Int; i++ {
				if holds(i) != holds(i-1) {
					at = append(at, i)
				}
			}
			return false
		})
	}
	op.X[0].Walk(func(e *ir.Expr) bool {
		if e.Op == ir.Select {
			see(e.Args[0])
		}
		return true
	})
	slices.Sort(at)
	return slices.Compact(at)
}

// onBlocks reports points at which a block of 32 bytes begins in every tile that a map works on.
func onBlocks(op *ir.Op, at []int64) bool {
	ok := true
	see := func(a *ir.Access) {
		for _, p := range at {
			ok = ok && p*int64(a.Buf.Elem.Bits())%aicore.BlockBits == 0
		}
	}
	see(op.Dst)
	op.Loads(see)
	return ok
}

// piece is the part of a map for which index d runs from a point to another; nil if there is nothing to do.
func piece(op *ir.Op, d int, from, to int64) *ir.Op {
	n := op.Clone()
	old := n.Dom[d].Var
	v := *old
	n.Dom[d] = ir.Iter{Var: &v, Extent: ir.Int(to - from)}
	p := affine.New()
	for _, it := range n.Dom {
		p.Range(it.Var, ir.Int(0), it.Extent)
	}
	index := ir.RefTo(&v)
	if from > 0 {
		index = ir.Bin(ir.Add, index, ir.Int(from))
	}
	n.MapExprs(func(e *ir.Expr) *ir.Expr {
		switch {
		case e.Op == ir.Ref && e.Var == old:
			return index
		case e.Op.Info().Flags&ir.Compares != 0 && e.Args[0].Type == ir.Index:
			if value, known := p.Decide(e); known {
				return ir.BoolOf(value)
			}
		case e.Type == ir.Index && e.Op != ir.Ref:
			return p.Simplify(e)
		case e.Type == array.Bool || e.Op == ir.Select:
			return passes.Identity(e)
		}
		return e
	})
	n.MapExprs(func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.Load && e.At.Guard != nil && e.At.Guard.IsConst() && e.At.Guard.Int != 0 {
			a := *e.At
			a.Guard, a.Else = nil, nil
			return ir.LoadAt(&a)
		}
		return e
	})
	for _, c := range []**ir.Expr{&n.Where, &n.Dst.Guard} {
		if *c != nil && (*c).IsConst() {
			if (*c).Int == 0 {
				return nil
			}
			*c = nil
		}
	}
	return n
}
