package ascend

import (
	"tilec/ir"
	"tilec/passes"
	"tilec/passes/affine"
)

// rewrites tells which copies to global memory may write bytes that an earlier copy of the same engine has written: an engine does not keep
// their order by itself (Ascend C API, DataCopy: overlapping destinations need a PipeBarrier).
type rewrites struct {
	f     *ir.Func
	loops []*ir.Op             // outer ones first
	lets  map[*ir.Var]*ir.Expr // that read nothing
	known map[rewrite]bool
}

type rewrite struct {
	x, y  *ir.Op
	block *ir.Block
	later bool
}

func newRewrites(f *ir.Func, body *ir.Block) *rewrites {
	r := &rewrites{f: f, lets: map[*ir.Var]*ir.Expr{}, known: map[rewrite]bool{}}
	body.Walk(func(op *ir.Op) {
		switch {
		case op.Code == ir.OpFor:
			r.loops = append(r.loops, op)
		case op.Code == ir.OpLet && passes.Settled(op.X[0]):
			r.lets[op.Var] = op.X[0]
		}
	})
	return r
}

// possible reports that y, in block b, may write what x has written: in the same iteration of the loop that b is the body of, or in an
// earlier one.
func (r *rewrites) possible(x, y *ir.Op, b *ir.Block, loop *ir.Op, later bool) bool {
	if later && r.overInstances(loop) {
		return false // one instance does not write what another does
	}
	key := rewrite{x, y, b, later}
	if known, ok := r.known[key]; ok {
		return known
	}
	r.known[key] = !r.apart(x, y, b, loop, later)
	return r.known[key]
}

// overInstances reports the loop over a core's instances of the grid.
func (r *rewrites) overInstances(loop *ir.Op) bool {
	if loop == nil || loop.Code != ir.OpFor || len(r.f.Grid) == 0 {
		return false
	}
	first := loop.X[0]
	return first.Op == ir.Ref && first.Var == r.f.Grid[0].Var
}

// apart proves that two copies write different elements.
func (r *rewrites) apart(x, y *ir.Op, b *ir.Block, loop *ir.Op, later bool) bool {
	if later && loop.Code != ir.OpFor {
		return false
	}
	own := map[*ir.Var]*ir.Expr{} // scalars that y has values of its own of
	rename := func(v *ir.Var) {
		n := *v
		own[v] = ir.RefTo(&n)
	}
	for _, it := range y.Iters() {
		rename(it.Var)
	}
	for _, op := range b.Ops {
		if later && op.Var != nil && op.Code != ir.OpAssign {
			rename(op.Var)
		}
		for _, inner := range []*ir.Block{op.Body, op.Else} {
			if op.Code == ir.OpFor {
				rename(op.Var)
			}
			inner.Walk(func(o *ir.Op) {
				if o.Var != nil && o.Code != ir.OpAssign {
					rename(o.Var)
				}
			})
		}
	}
	if later {
		rename(loop.Var)
	}
	here := func(e *ir.Expr) *ir.Expr { return passes.Expand(e, r.lets) }
	there := func(e *ir.Expr) *ir.Expr { return here(e).Subst(own) }
	p := passes.Knowing(r.f)
	for _, l := range r.loops {
		r.declare(p, l, l.Var, here)
		if v := own[l.Var]; v != nil {
			r.declare(p, l, v.Var, there)
		}
	}
	for _, it := range x.Iters() {
		p.Range(it.Var, ir.Int(0), it.Extent)
	}
	for _, it := range y.Iters() {
		p.Range(own[it.Var].Var, ir.Int(0), it.Extent)
	}
	if later {
		p.Assume(ir.Bin(ir.Ge, own[loop.Var], ir.Bin(ir.Add, ir.RefTo(loop.Var), loop.X[2])))
	}
	for d := range x.Dst.Index {
		a, c := here(x.Dst.Index[d]), there(y.Dst.Index[d])
		if !passes.Settled(a) || !passes.Settled(c) {
			continue
		}
		if p.Holds(ir.Bin(ir.Lt, a, c)) || p.Holds(ir.Bin(ir.Lt, c, a)) {
			return true
		}
	}
	return false
}

func (r *rewrites) declare(p *affine.Prover, l *ir.Op, v *ir.Var, with func(*ir.Expr) *ir.Expr) {
	bound := func(e *ir.Expr) *ir.Expr {
		if e = with(e); passes.Settled(e) {
			return e
		}
		return nil
	}
	p.Range(v, bound(l.X[0]), bound(l.X[1]))
}
