package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
)

// isScalar reports an expression that is the same at every point of a domain and reads no tile of more than one element.
func isScalar(dom []ir.Iter, x *ir.Expr) bool {
	ok := true
	x.Walk(func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.Ref:
			for _, it := range dom {
				ok = ok && e.Var != it.Var
			}
		case e.Op == ir.Load && !e.At.Buf.Outside():
			for _, i := range e.At.Index {
				ok = ok && !uses(i, dom)
			}
		}
		return ok
	})
	return ok
}

func uses(x *ir.Expr, dom []ir.Iter) bool {
	for _, it := range dom {
		if x.Uses(it.Var) {
			return true
		}
	}
	return false
}

// within returns the indices of a domain that an expression depends on.
func within(dom []ir.Iter, x *ir.Expr) []ir.Iter {
	var sub []ir.Iter
	for _, it := range dom {
		if x.Uses(it.Var) {
			sub = append(sub, it)
		}
	}
	return sub
}

// temp declares a tile over a domain, and returns it with its element at each point.
func (s *stepper) temp(dom []ir.Iter, elem ir.DType) *ir.Access {
	t := &ir.Buffer{Name: s.name + "_t", Elem: elem, Kind: ir.Tile, Temp: true, Span: s.span}
	a := &ir.Access{Buf: t, Span: s.span}
	for _, it := range dom {
		t.Shape = append(t.Shape, it.Extent)
		a.Index = append(a.Index, ir.RefTo(it.Var))
	}
	s.emit(&ir.Op{Code: ir.OpAlloc, Buf: t})
	return a
}

// step computes one operation, its operands there, into a tile of its own, and returns the tile's element.
func (s *stepper) step(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	key := x.String() // names of tiles are not unique, their addresses are
	for _, a := range x.Args {
		a.Walk(func(e *ir.Expr) bool {
			if e.Op == ir.Load {
				key += address(e.At.Buf)
			}
			return true
		})
	}
	sub := within(dom, x)
	if len(sub) == 0 { // one value for all: a tile of one element
		sub = dom[len(dom)-1:]
		if !sub[0].Extent.IsInt(1) {
			sub = []ir.Iter{{Var: &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(1)}}
		}
	}
	if v := s.memo[key]; v != nil {
		return v
	}
	dst := s.temp(sub, x.Type)
	if s.err != nil {
		return x
	}
	op := &ir.Op{Code: ir.OpMap, Dom: sub, Dst: dst, X: []*ir.Expr{x}, Where: s.limit(sub), Span: s.span}
	if !s.vector(op) && !s.spread(sub, dst, x) {
		s.byElement(op)
	}
	v := ir.LoadAt(s.point(dst, sub, dom))
	s.memo[key] = v
	return v
}

// point is an element of a tile over sub as seen from a domain that has it.
func (s *stepper) point(a *ir.Access, sub, dom []ir.Iter) *ir.Access {
	n := *a
	n.Index = nil
	for i, it := range sub {
		if uses(ir.RefTo(it.Var), dom) {
			n.Index = append(n.Index, a.Index[i])
		} else {
			n.Index = append(n.Index, ir.Int(0))
		}
	}
	return &n
}

// limit is the part of the operation's condition that a domain without its other indices can hold.
func (s *stepper) limit(sub []ir.Iter) *ir.Expr {
	var all *ir.Expr
	for _, c := range ir.Conjuncts(s.where) {
		ok := true
		c.Walk(func(e *ir.Expr) bool {
			if e.Op == ir.Ref && e.Var.Kind == ir.IterVar && !uses(e, sub) || e.Op == ir.Load {
				ok = false
			}
			return ok
		})
		if ok {
			all = ir.Conj(all, c)
		}
	}
	return all
}

// spread tries a two-operand step with operands of lower rank laid out in full first.
func (s *stepper) spread(dom []ir.Iter, dst *ir.Access, x *ir.Expr) bool {
	if len(x.Args) < 2 || s.err != nil {
		return false
	}
	n := *x
	n.Args = append([]*ir.Expr(nil), x.Args...)
	full := func(e *ir.Expr) *ir.Expr {
		if e.Op.Info().Flags&ir.Compares != 0 {
			c := *e
			c.Args = append([]*ir.Expr(nil), e.Args...)
			c.Args[0] = s.full(dom, c.Args[0], false)
			c.Args[1] = s.full(dom, c.Args[1], true)
			return &c
		}
		return e
	}
	for i, a := range n.Args {
		if x.Op == ir.Select && i == 0 {
			n.Args[i] = full(a)
			continue
		}
		n.Args[i] = s.full(dom, a, i == len(n.Args)-1 && x.Op != ir.Div) // nothing divides by a scalar
	}
	if s.err != nil {
		return false
	}
	return s.vector(&ir.Op{Code: ir.OpMap, Dom: dom, Dst: dst, X: []*ir.Expr{&n}, Where: s.limit(dom), Span: s.span})
}

// full returns an operand laid out over the whole domain; a scalar may stay one if that is allowed.
func (s *stepper) full(dom []ir.Iter, x *ir.Expr, scalar bool) *ir.Expr {
	plain := x.Op != ir.Load && isScalar(dom, x)
	if plain && scalar {
		return x
	}
	if !plain && x.Op == ir.Load {
		if v, ok := aicore.ViewOf(dom, x.At); ok && !x.At.Buf.Outside() && v.Full(aicore.ShapeOf(dom).Rows) && len(x.At.Index) == len(dom) && v.Base == nil {
			return x
		}
	}
	t := s.temp(dom, x.Type)
	if s.err != nil {
		return x
	}
	op := &ir.Op{Code: ir.OpMap, Dom: dom, Dst: t, X: []*ir.Expr{x}, Where: s.limit(dom), Span: s.span}
	if !s.vector(op) {
		s.scalarLoop(op)
	}
	return ir.LoadAt(t)
}

// tile computes x at every point of a domain into a tile of the domain's shape.
func (s *stepper) tile(dom []ir.Iter, x *ir.Expr) *ir.Access {
	x = s.operands(dom, x)
	if s.err == nil && x.Op != ir.Load && !isScalar(dom, x) {
		x = s.step(dom, x)
	}
	if s.err != nil {
		return nil
	}
	return s.full(dom, x, false).At
}
