package ascend

import (
	"maps"

	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

// transfer is an operation of the kind of another one between a tile and a tensor: a copy, or an atomic one.
func transfer(like *ir.Op, dom []ir.Iter, dst, src *ir.Access, where *ir.Expr) *ir.Op {
	n := &ir.Op{Code: like.Code, Dom: dom, Dst: dst, Where: where, Combine: like.Combine, Span: like.Span}
	if like.Code == ir.OpAtomic {
		n.X = []*ir.Expr{ir.LoadAt(src)}
	} else {
		n.Src = []*ir.Access{src}
	}
	return n
}

// elements copies one by one: into UB by the scalar unit, out of it through a block of its own.
func (s *stepper) elements(op *ir.Op) {
	src := aicore.SourceOf(op)
	if op.Dst.Buf.Outside() && op.Dst.Buf.Elem.Bits() < 8 {
		s.refuse("storing single elements of %s is not supported yet on %s: store rows of them that begin at whole bytes, or use bytes", op.Dst.Buf.Elem, s.ctx.Machine.Name)
		return
	}
	if src.Buf.Outside() {
		s.scalarLoop(&ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: op.Dst, X: []*ir.Expr{ir.LoadAt(src)}, Where: op.Where, Span: s.span})
		return
	}
	inner, v := peeled(op)
	one := ir.Iter{Var: &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(1)}
	body := s.within(func() {
		s.when(inner.Where, func() {
			t := s.temp([]ir.Iter{one}, op.Dst.Buf.Elem)
			at := &ir.Access{Buf: t.Buf, Index: []*ir.Expr{ir.Int(0)}, Span: s.span}
			s.emit(&ir.Op{Code: ir.OpMap, Dst: at, X: []*ir.Expr{ir.LoadAt(aicore.SourceOf(inner))}, Pipe: ir.PipeS})
			dst := s.scalarIndices(nil, inner.Dst)
			out := transfer(op, []ir.Iter{one}, s.widened(dst, one.Var), t, nil)
			out.Pipe = ir.PipeMTE3
			if _, ok := aicore.CopyOf(out); !ok {
				s.refuse("storing to these elements is not supported yet on %s", s.ctx.Machine.Name)
			}
			s.emit(out)
		})
	})
	s.emit(loopOver(v, op.Dom[0].Extent, body))
}

// within returns what f emits.
func (s *stepper) within(f func()) []*ir.Op {
	saved := s.out
	s.out = nil
	f()
	body := s.out
	s.out = saved
	return body
}

// when emits what f emits under a condition. Of that, what reads tiles comes after what does not, which may say that they hold nothing.
func (s *stepper) when(cond *ir.Expr, f func()) {
	var plain, tiles *ir.Expr
	for _, c := range ir.Conjuncts(cond) {
		if readsTile(c) {
			tiles = ir.Conj(tiles, c)
		} else {
			plain = ir.Conj(plain, c)
		}
	}
	for _, c := range []*ir.Expr{tiles, plain} {
		if c == nil {
			continue
		}
		inner := f
		f = func() {
			s.emit(&ir.Op{Code: ir.OpIf, X: []*ir.Expr{c}, Body: &ir.Block{Ops: s.within(inner)}, Else: &ir.Block{}})
		}
	}
	f()
}

func readsTile(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load && x.At.Buf.Kind == ir.Tile
		return !found
	})
	return found
}

// scalarIndices has the scalar unit read ahead what indices take from tiles, if that is the same for all of a domain.
func (s *stepper) scalarIndices(dom []ir.Iter, a *ir.Access) *ir.Access {
	n := *a
	n.Index = nil
	for _, x := range a.Index {
		n.Index = append(n.Index, s.scalarIndex(dom, x))
	}
	return &n
}

func (s *stepper) scalarIndex(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	switch {
	case !readsTile(x):
		return x
	case !uses(x, dom):
		v := &ir.Var{Name: s.name + "_at", Type: x.Type, Kind: ir.LetVar, Span: s.span}
		s.emit(&ir.Op{Code: ir.OpLet, Var: v, X: []*ir.Expr{x}})
		return ir.RefTo(v)
	}
	n := *x
	n.Args = nil
	for _, a := range x.Args {
		n.Args = append(n.Args, s.scalarIndex(dom, a))
	}
	return &n
}

// ahead moves a copy whose indices or conditions come from tiles, the same for all of it: the scalar unit reads them ahead. It reports
// false if there is nothing of the kind.
func (s *stepper) ahead(op *ir.Op) bool {
	src := aicore.SourceOf(op)
	tensor := op.Dst
	if src.Buf.Outside() {
		tensor = src
	}
	split := func(cond *ir.Expr) (same, rest *ir.Expr) {
		for _, c := range ir.Conjuncts(cond) {
			if readsTile(c) && !uses(c, op.Dom) {
				same = ir.Conj(same, c)
			} else {
				rest = ir.Conj(rest, c)
			}
		}
		return same, rest
	}
	same, where := split(op.Where)
	inside, guard := split(src.Guard)
	found := same != nil || inside != nil
	for _, x := range tensor.Index {
		x.Walk(func(e *ir.Expr) bool {
			found = found || e.Op == ir.Load && e.At.Buf.Kind == ir.Tile && !uses(e, op.Dom)
			return !found
		})
	}
	if !found {
		return false
	}
	// What holds for all of the copy without reading tiles says whether those hold anything.
	cond := ir.Conj(same, inside)
	for _, c := range append(ir.Conjuncts(where), ir.Conjuncts(guard)...) {
		if !readsTile(c) && !uses(c, op.Dom) {
			cond = ir.Conj(cond, c)
		}
	}
	s.when(cond, func() {
		from := *src
		if from.Guard = guard; guard == nil {
			from.Else = nil
		}
		dst := op.Dst
		if tensor == src {
			from = *s.scalarIndices(op.Dom, &from)
		} else {
			dst = s.scalarIndices(op.Dom, dst)
		}
		s.move(transfer(op, op.Dom, dst, &from, where))
	})
	return true
}

// atomic lowers an atomic operation: its value into a tile, which copies combine with what is in global memory.
func (s *stepper) atomic(op *ir.Op) {
	s.name = op.Dst.Buf.Name
	elem := op.Dst.Buf.Elem
	switch {
	case !op.Dst.Buf.Kind.IsTensor():
		s.inTurn(op)
		return
	case op.Var != nil:
		s.refuse("the old value of an atomic operation is not there on %s, whose copies combine and return nothing: let a kernel count, and a second one that is launched after it go on from there", s.ctx.Machine.Name)
		return
	case !aicore.CombinesAtomically(op.Combine, elem):
		s.refuse("%s has no atomic %s of %s: it adds and takes maxima and minima of f32, f16, bf16 and i32", s.ctx.Machine.Name, op.Combine, elem)
		return
	}
	dom, dst := op.Dom, *op.Dst
	where := ir.Conj(dst.Guard, op.Where)
	dst.Guard = nil
	to := &dst
	if len(dom) == 0 {
		dom = []ir.Iter{{Var: &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(1)}}
		to = s.widened(to, dom[0].Var)
	}
	s.where = where
	v := s.tile(dom, ir.CastTo(elem, op.X[0]))
	if s.err != nil {
		return
	}
	s.move(transfer(op, dom, to, v, where))
}

// inTurn lowers an atomic operation on a tile, which is the core's own: the scalar unit does it at one point after another.
func (s *stepper) inTurn(op *ir.Op) {
	elem := op.Dst.Buf.Elem
	two, ok := op.Combine.Op()
	if !ok {
		s.refuse("an atomic %s on a tile is not supported yet on %s", op.Combine, s.ctx.Machine.Name)
		return
	}
	dst := *op.Dst
	s.where = ir.Conj(dst.Guard, op.Where)
	dst.Guard = nil
	value := ir.CastTo(elem, op.X[0])
	if len(op.Dom) > 0 {
		v := s.tile(op.Dom, value)
		if s.err != nil {
			return
		}
		value = ir.LoadAt(v)
	} else {
		value = s.scalarLoads(nil, s.scalar(value))
	}
	wide := elem
	if elem.IsFloat() {
		wide = array.F32
	}
	sum := ir.CastTo(elem, ir.Bin(two, ir.CastTo(wide, ir.LoadAt(&dst)), ir.CastTo(wide, value)))
	s.pointwise(&ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: &dst, X: []*ir.Expr{sum}, Where: s.where, Span: s.span}, op.Var)
}

// pointwise has the scalar unit run a map at one point after another; old is the value that was there before, if there is one point.
func (s *stepper) pointwise(op *ir.Op, old *ir.Var) {
	if len(op.Dom) > 0 {
		inner, v := peeled(op)
		s.emit(loopOver(v, op.Dom[0].Extent, s.within(func() { s.pointwise(inner, nil) })))
		return
	}
	s.when(op.Where, func() {
		if old != nil {
			s.emit(&ir.Op{Code: ir.OpLet, Var: old, X: []*ir.Expr{ir.LoadAt(op.Dst)}})
		}
		s.emit(&ir.Op{Code: ir.OpMap, Dst: op.Dst, X: op.X, Pipe: ir.PipeS})
	})
}

// partly finds the tiles that are first written under a condition: what is left keeps what it had, so that must be something.
func partly(f *ir.Func) map[*ir.Buffer]bool {
	first, conditional := map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	firstWrites(f.Body, first, conditional)
	found := map[*ir.Buffer]bool{}
	for b := range conditional {
		if !first[b] && !elsewhere(b.Space) {
			found[b] = true
		}
	}
	return found
}

// firstWrites adds tiles that a block writes: whether the first write is of the whole tile, in both branches of an if, and which are
// written under conditions anywhere.
func firstWrites(b *ir.Block, whole, conditional map[*ir.Buffer]bool) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		if op.Code == ir.OpIf {
			then, other := maps.Clone(whole), maps.Clone(whole)
			firstWrites(op.Body, then, conditional)
			firstWrites(op.Else, other, conditional)
			for _, branch := range []map[*ir.Buffer]bool{then, other} {
				for t := range branch {
					if _, seen := whole[t]; !seen {
						whole[t] = then[t] && other[t]
					}
				}
			}
			continue
		}
		firstWrites(op.Body, whole, conditional)
		firstWrites(op.Else, whole, conditional)
		if op.Dst == nil || op.Dst.Buf.Kind != ir.Tile {
			continue
		}
		t := op.Dst.Buf
		limited := op.Where != nil || op.Dst.Guard != nil
		if limited {
			conditional[t] = true
		}
		if _, seen := whole[t]; !seen {
			whole[t] = !limited && pointsOf(op.Dom) == elementsOf(t)
		}
	}
}

func pointsOf(dom []ir.Iter) int64 {
	n := int64(1)
	for _, it := range dom {
		n *= it.Extent.Int
	}
	return n
}

func elementsOf(b *ir.Buffer) int64 {
	n := int64(1)
	for _, e := range b.Extents() {
		n *= int64(e)
	}
	return n
}

// elsewhere reports memories that the vector unit does not work on. Hints for another target's memories mean UB.
func elsewhere(s ir.Space) bool {
	switch s {
	case ir.Global, ir.L1, ir.L0A, ir.L0B, ir.L0C, ir.BT:
		return true
	}
	return false
}

// cleared fills a tile with zeros.
func (s *stepper) cleared(b *ir.Buffer) {
	s.name = b.Name
	a := &ir.Access{Buf: b, Span: s.span}
	var dom []ir.Iter
	for _, e := range b.Shape {
		v := &ir.Var{Name: "c", Type: ir.Index, Kind: ir.IterVar}
		dom = append(dom, ir.Iter{Var: v, Extent: e})
		a.Index = append(a.Index, ir.RefTo(v))
	}
	zero := ir.ZeroOf(b.Elem)
	if b.Elem == array.Bool {
		zero = ir.BoolOf(false)
	}
	op := &ir.Op{Code: ir.OpMap, Dom: dom, Dst: a, X: []*ir.Expr{zero}, Span: s.span}
	if !s.vector(op) {
		s.scalarLoop(op)
	}
}
