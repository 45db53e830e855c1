package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// region lowers a block of an array at the points of dom: an access whose
// subscripts are the block's start plus an index, and the condition under which
// it is inside.
func (l *lowerer) region(r *types.Region, dom []ir.Iter, node ast.Node) (at *ir.Access, inside *ir.Expr) {
	b := l.lookupArray(r.Array)
	if b == nil {
		l.bug(node.Span(), "no buffer for %s", r.Array.Name)
		return &ir.Access{Buf: &ir.Buffer{}}, nil
	}
	at = &ir.Access{Buf: b, Index: make([]*ir.Expr, len(b.Shape)), Span: node.Span()}
	var cs []*ir.Expr
	for axis := range at.Index {
		at.Index[axis] = ir.Int(0)
		if axis < len(r.Start) && r.Start[axis] != nil {
			at.Index[axis] = l.expr(r.Start[axis], ir.Index)
			cs = append(cs, l.origin(r.Start[axis]), l.inside(at.Index[axis]))
		}
	}
	for d, axis := range r.Axes {
		if i := ir.RefTo(dom[d].Var); isInt(at.Index[axis], 0) {
			at.Index[axis] = i
		} else {
			at.Index[axis] = bin(ir.Add, at.Index[axis], l.facts.fixed(i))
		}
	}
	for axis, x := range at.Index {
		cs = append(cs, l.inDimension(x, b.Shape[axis], false))
	}
	return at, conj(cs...)
}

// blockPoints returns the points of a block of constant extents.
func (l *lowerer) blockPoints(shape []int64) []ir.Iter {
	extents := make([]*ir.Expr, len(shape))
	for d, n := range shape {
		extents[d] = ir.Int(n)
	}
	dom, _ := l.points(extents)
	return dom
}

func (l *lowerer) copy(s *ast.Copy) {
	c := l.info().Copies[s]
	if c == nil {
		l.bug(s.Span(), "nothing is known about this copy")
		return
	}
	dom := l.blockPoints(c.Shape)
	src, inside := l.region(&c.Src, dom, s.Src)
	dst, where := l.region(&c.Dst, dom, s.Dst)
	src.Guard = inside
	if inside != nil && s.Else != nil {
		if v := l.expr(s.Else, src.Buf.Elem); !isZero(v) {
			src.Else = v
		}
	}
	if src.Buf == dst.Buf && !sameIndex(src.Index, dst.Index) {
		// The blocks may overlap: go through a tile.
		between := l.temp(src.Buf.Name+"_next", src.Buf.Elem, extentsOf(dom), s.Span())
		first, with := l.again(dom)
		l.move(&ir.Access{Buf: between, Index: refs(first), Span: s.Span()}, substAccess(src, with), first, s.Span())
		src = &ir.Access{Buf: between, Index: refs(dom), Span: s.Span()}
	}
	if !affineAccess(src, dom) || !affineAccess(dst, dom) {
		x := cast(dst.Buf.Elem, located(ir.LoadAt(src), s.Src.Span()))
		l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, X: []*ir.Expr{x}, Dst: dst, Where: where, Span: s.Span()})
		return
	}
	l.emit(&ir.Op{Code: ir.OpCopy, Dom: dom, Dst: dst, Src: []*ir.Access{src}, Where: where, Span: s.Span()})
}

func (l *lowerer) fill(s *ast.Fill) {
	f := l.info().Fills[s]
	if f == nil {
		l.bug(s.Span(), "nothing is known about this fill")
		return
	}
	dom := l.blockPoints(f.Shape)
	dst, where := l.region(&f.Dst, dom, s.Dst)
	x := l.expr(s.Value, dst.Buf.Elem)
	l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, X: []*ir.Expr{x}, Dst: dst, Where: where, Span: s.Span()})
}

func (l *lowerer) gemm(s *ast.Gemm) {
	g := l.info().Gemms[s]
	if g == nil {
		l.bug(s.Span(), "nothing is known about this gemm")
		return
	}
	a, b, acc := l.lookupArray(g.A), l.lookupArray(g.B), l.lookupArray(g.Acc)
	if a == nil || b == nil || acc == nil {
		l.bug(s.Span(), "an operand of this gemm is no tile")
		return
	}
	elem, ok := operandType(a.Elem, b.Elem)
	if !ok {
		l.unsupported(s.Span(), "a gemm of %s and %s", a.Elem, b.Elem)
		return
	}
	its := l.blockPoints([]int64{g.M, g.N, g.K})
	m := &matrix{row: its[0], col: its[1], k: its[2], acc: accumulator(elem)}
	l.within(its, func() {
		m.a = l.operand(ir.LoadAt(tileAt(a, m.row, m.k, g.TransA, s.A)), elem, m.row, m)
		m.b = l.operand(ir.LoadAt(tileAt(b, m.k, m.col, g.TransB, s.B)), elem, m.col, m)
	})
	dst := &ir.Access{Buf: acc, Index: refs(its[:2]), Span: s.Acc.Span()}
	if acc.Elem == m.acc && acc != m.a.Buf && acc != m.b.Buf {
		l.contract(m, dst, s.Span())
		return
	}
	r := &reduction{combine: ir.Sum, elem: m.acc, matrix: m, name: a.Name + "_" + b.Name, span: s.Span()}
	l.within(its[:2], func() {
		t := arithmetic(wider(acc.Elem, m.acc))
		x := ir.Bin(ir.Add, cast(t, ir.LoadAt(dst)), cast(t, l.hoist(r)))
		l.assignPoints(&target{at: dst, span: s.Span()}, cast(acc.Elem, x))
	})
}

// tileAt is t[x, y], or t[y, x] where the tile is transposed.
func tileAt(t *ir.Buffer, x, y ir.Iter, transposed bool, node ast.Node) *ir.Access {
	if transposed {
		x, y = y, x
	}
	return &ir.Access{Buf: t, Index: []*ir.Expr{ir.RefTo(x.Var), ir.RefTo(y.Var)}, Span: node.Span()}
}

// accumulator is the type in which products of operands of type t are added.
func accumulator(t ir.DType) ir.DType {
	switch {
	case !t.IsFloat():
		return array.I32
	case t.Bits() == 64:
		return t
	}
	return array.F32
}
