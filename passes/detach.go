package passes

import "tilec/ir"

// detach takes operations apart that read the buffer which they write at other
// elements than the one written: every point must see the values from before the
// operation, but threads come to their points at different times. What they compute
// goes to a tile of its own first, and from there to its place.
func detach(ctx *Context, f *ir.Func) error {
	f.Body.Rewrite(func(op *ir.Op) []*ir.Op {
		if readsElsewhere(op) {
			return detached(op)
		}
		return []*ir.Op{op}
	})
	return nil
}

// readsElsewhere reports that op reads the buffer that it writes, not only at the
// element that it writes.
func readsElsewhere(op *ir.Op) bool {
	switch op.Code {
	case ir.OpMap, ir.OpCopy, ir.OpReduce:
	default:
		return false
	}
	found := false
	op.Loads(func(a *ir.Access) { found = found || a.Buf == op.Dst.Buf && !sameElement(a, op.Dst) })
	return found
}

// detached is op in parts: into a new tile, and from there to where op writes.
func detached(op *ir.Op) []*ir.Op {
	t := &ir.Buffer{Name: op.Dst.Buf.Name + "_new", Elem: op.Dst.Buf.Elem, Kind: ir.Tile, Temp: true, Span: op.Span}
	at := &ir.Access{Buf: t, Span: op.Span}
	for _, it := range op.Dom {
		t.Shape = append(t.Shape, it.Extent)
		at.Index = append(at.Index, ir.RefTo(it.Var))
	}
	where := ir.Conj(op.Dst.Guard, op.WhereWritten())
	dst := *op.Dst
	dst.Guard = nil
	ops := []*ir.Op{{Code: ir.OpAlloc, Buf: t, Span: op.Span}}
	if op.Accumulate {
		ops = append(ops, move(op, at, &dst, where))
	}
	compute := *op
	kept := *at
	kept.Guard = op.Dst.Guard
	compute.Dst = &kept
	return append(ops, &compute, move(op, &dst, at, where))
}

// move is a map from one element to another over the domain of op, on iteration
// variables of its own.
func move(op *ir.Op, to, from *ir.Access, where *ir.Expr) *ir.Op {
	with := map[*ir.Var]*ir.Expr{}
	m := &ir.Op{Code: ir.OpMap, Span: op.Span}
	for _, it := range op.Dom {
		v := *it.Var
		m.Dom = append(m.Dom, ir.Iter{Var: &v, Extent: it.Extent})
		with[it.Var] = ir.RefTo(&v)
	}
	subst := func(a *ir.Access) *ir.Access {
		b := &ir.Access{Buf: a.Buf, Span: a.Span}
		for _, x := range a.Index {
			b.Index = append(b.Index, x.Subst(with))
		}
		return b
	}
	m.Dst, m.X = subst(to), []*ir.Expr{ir.LoadAt(subst(from))}
	if where != nil {
		m.Where = where.Subst(with)
	}
	return m
}
