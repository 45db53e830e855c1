package passes

import (
	"tilec/ir"
)

// share loads elements of tensors that several points of an operation use once: an
// element that does not depend on all of the iteration variables, such as one of a
// bias added to each row, goes into a tile of the dimensions that it depends on.
func share(ctx *Context, f *ir.Func) error {
	f.Body.Rewrite(func(op *ir.Op) []*ir.Op {
		s := &sharer{op: op, tiles: map[string]*ir.Access{}}
		if op.Code == ir.OpMap || op.Code == ir.OpReduce {
			s.rewrite()
		}
		return append(s.made, op)
	})
	return nil
}

// sharer takes the shared loads out of one operation.
type sharer struct {
	op    *ir.Op
	tiles map[string]*ir.Access // by the spelling of what they hold
	made  []*ir.Op
}

func (s *sharer) rewrite() {
	shared := map[*ir.Access][]ir.Iter{}
	s.op.Exprs(func(e *ir.Expr) bool {
		if e.Op != ir.Load {
			return true
		}
		its, fewer := s.dependsOn(e.At)
		if fewer {
			shared[e.At] = its
		}
		return !fewer // what an index of it reads goes with it
	})
	s.op.MapExprs(func(e *ir.Expr) *ir.Expr {
		if e.Op != ir.Load || shared[e.At] == nil {
			return e
		}
		return ir.LoadAt(s.tile(e.At, shared[e.At]))
	})
}

// dependsOn returns the iteration variables that a load depends on, and whether
// they are some but not all of those that run.
func (s *sharer) dependsOn(a *ir.Access) (its []ir.Iter, fewer bool) {
	if a.Buf.Kind != ir.In {
		return nil, false
	}
	x := ir.LoadAt(a)
	ok := true
	x.Walk(func(e *ir.Expr) bool {
		ok = ok && (e.Op != ir.Load || e.At.Buf.Kind == ir.In)
		return ok
	})
	for _, it := range s.op.Iters() {
		switch {
		case !it.Extent.IsConst():
			return nil, false
		case x.Uses(it.Var):
			its = append(its, it)
		case it.Extent.Int > 1:
			fewer = true
		}
	}
	return its, ok && fewer && len(its) > 0
}

// guardedAnew keeps a load inside its tensor, whatever conditions stand around it.
func guardedAnew(e *ir.Expr) *ir.Expr {
	if e.Op != ir.Load {
		return e
	}
	a := *e.At
	for d, x := range a.Index {
		if d < len(a.Buf.Shape) {
			a.Guard = ir.Conj(a.Guard, ir.Bin(ir.Ge, x, ir.Int(0)), ir.Bin(ir.Lt, x, a.Buf.Shape[d]))
		}
	}
	n := *e
	n.At = &a
	return &n
}

// tile returns the element that takes the place of a load, of a tile that is filled
// ahead of the operation. What an operation's condition kept inside the tensor is
// guarded anew.
func (s *sharer) tile(a *ir.Access, its []ir.Iter) *ir.Access {
	key := a.String()
	if t := s.tiles[key]; t != nil {
		return t
	}
	t := &ir.Buffer{Name: a.Buf.Name + "_once", Elem: a.Buf.Elem, Kind: ir.Tile, Temp: true, Span: s.op.Span}
	fill := &ir.Op{Code: ir.OpMap, Span: s.op.Span, Dst: &ir.Access{Buf: t, Span: s.op.Span}}
	use := &ir.Access{Buf: t, Span: a.Span}
	with := map[*ir.Var]*ir.Expr{}
	for _, it := range its {
		v := *it.Var
		with[it.Var] = ir.RefTo(&v)
		t.Shape = append(t.Shape, it.Extent)
		fill.Dom = append(fill.Dom, ir.Iter{Var: &v, Extent: it.Extent})
		fill.Dst.Index = append(fill.Dst.Index, ir.RefTo(&v))
		use.Index = append(use.Index, ir.RefTo(it.Var))
	}
	fill.X = []*ir.Expr{ir.LoadAt(a).Subst(with).Map(guardedAnew)}
	s.made = append(s.made, &ir.Op{Code: ir.OpAlloc, Buf: t, Span: s.op.Span}, fill)
	s.tiles[key] = use
	return use
}
