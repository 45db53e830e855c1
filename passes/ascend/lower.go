package ascend

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

func address(b *ir.Buffer) string { return fmt.Sprintf("%p", b) }

// operand lowers an expression to a scalar or to an element of a tile.
func (s *stepper) operand(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	if s.err != nil {
		return x
	}
	x = s.operands(dom, x)
	if x.Op == ir.Load || s.plain(dom, x) || s.err != nil {
		return x
	}
	return s.step(dom, x)
}

// plain reports a scalar that the scalar unit can compute.
func (s *stepper) plain(dom []ir.Iter, x *ir.Expr) bool {
	return isScalar(dom, x) && !hasVectorOnly(x)
}

// operands lowers what an expression is computed from, so that itself is one step.
func (s *stepper) operands(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	if s.err != nil {
		return x
	}
	if x.Op == ir.Cast && x.Args[0].Op == ir.Load && x.Args[0].Type.Bits() < 8 && x.Args[0].At.Buf.Outside() && !s.inRows(dom, x.Args[0].At) {
		return s.operands(dom, ir.CastTo(x.Type, s.bytes(dom, x.Args[0])))
	}
	if y := expand(x); y != nil {
		return s.operands(dom, y)
	}
	switch {
	case x.Op == ir.Const:
		return x
	case x.Op == ir.Load:
		return s.loaded(dom, x)
	case s.plain(dom, x):
		return s.scalarLoads(dom, x)
	case isScalar(dom, x):
		return s.scalarLoads(dom, s.scalar(x))
	case x.Type == array.Bool:
		return s.truth(dom, x)
	case x.Op == ir.Ref: // an index as a value
		return s.index(dom, x)
	case x.Op == ir.Cast && x.Args[0].Type == ir.Index && x.Type == array.F32 && s.affine(dom, x.Args[0]):
		return s.affineFloat(dom, x.Args[0])
	case x.Op == ir.Select:
		return s.choice(dom, x)
	}
	n := *x
	n.Args = nil
	for _, a := range x.Args {
		if x.Op == ir.Cast && a.Op == ir.Bitcast && a.Type == array.I4 { // one instruction with the conversion
			b := *a
			b.Args = []*ir.Expr{s.operand(dom, a.Args[0])}
			n.Args = append(n.Args, &b)
			continue
		}
		n.Args = append(n.Args, s.operand(dom, a))
	}
	return &n
}

// loaded lowers a load: one of a tile stays if the vector unit can walk over it so, all else goes through a tile.
func (s *stepper) loaded(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	a := x.At
	if !a.Buf.Outside() && a.Guard == nil {
		if isScalar(dom, x) {
			return s.scalarLoads(dom, x)
		}
		if _, ok := aicore.ViewOf(dom, a); ok && (s.where == nil || s.knows.inside(dom, a)) {
			return x
		}
	}
	if !a.Buf.Outside() {
		return s.picked(dom, a)
	}
	a = s.fenced(dom, a)
	x = ir.LoadAt(a)
	key := x.String()
	if v := s.memo[key]; v != nil {
		return v
	}
	sub := within(dom, x)
	if len(sub) == 0 && isScalar(dom, x) {
		if x.Type == array.F32 || x.Type.IsInt() && x.Type.Bits() >= 8 {
			return s.scalarLoads(dom, x)
		}
	}
	if len(sub) == 0 {
		one := ir.Iter{Var: &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(1)}
		t := s.temp([]ir.Iter{one}, x.Type)
		s.load([]ir.Iter{one}, t, s.widened(a, one.Var))
		v := ir.LoadAt(&ir.Access{Buf: t.Buf, Index: []*ir.Expr{ir.Int(0)}, Span: s.span})
		s.memo[key] = v
		return v
	}
	t := s.temp(sub, x.Type)
	if s.err == nil {
		s.load(sub, t, a)
	}
	v := ir.LoadAt(t)
	s.memo[key] = v
	return v
}

// load fills a tile from a tensor: what lies outside first, then what is there.
func (s *stepper) load(dom []ir.Iter, dst, src *ir.Access) {
	from := *src
	if src.Guard == nil && src.Buf.Elem.Bits() < 8 { // elements are put beside others, which must be there
		s.into(dom, dst, ir.ZeroOf(src.Buf.Elem))
	}
	if src.Guard != nil {
		els := s.operand(dom, src.Otherwise())
		op := &ir.Op{Code: ir.OpMap, Dom: dom, Dst: dst, X: []*ir.Expr{els}, Span: s.span}
		if s.err == nil && !s.vector(op) {
			s.scalarLoop(op)
		}
		from.Else = els
	}
	s.move(&ir.Op{Code: ir.OpCopy, Dom: dom, Dst: dst, Src: []*ir.Access{&from}, Where: s.limit(dom), Span: s.span})
}

// store copies a tile to a tensor.
func (s *stepper) store(dom []ir.Iter, dst, src *ir.Access, where *ir.Expr) {
	if s.err != nil {
		return
	}
	s.move(&ir.Op{Code: ir.OpCopy, Dom: dom, Dst: dst, Src: []*ir.Access{src}, Where: where, Span: s.span})
}

// move emits a copy between a tensor and a tile, with loops around what the copying engines cannot do at once.
func (s *stepper) move(op *ir.Op) {
	if s.err != nil || s.ahead(op) {
		return
	}
	c, ok := aicore.CopyOf(op)
	switch {
	case ok && c.Load:
		op.Pipe = ir.PipeMTE2
		s.emit(op)
	case ok:
		op.Pipe = ir.PipeMTE3
		s.emit(op)
	case len(op.Dom) > 1 || len(op.Dom) == 1 && !op.Dom[0].Extent.IsInt(1):
		if len(op.Dom) == 1 {
			s.elements(op)
			return
		}
		inner, v := peeled(op)
		saved := s.out
		s.out = nil
		s.move(inner)
		body := s.out
		s.out = saved
		s.emit(loopOver(v, op.Dom[0].Extent, body))
	default:
		s.elements(op)
	}
}

// scalarLoads has the scalar unit compute a scalar ahead if that reads memory.
func (s *stepper) scalarLoads(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	reads := false
	x.Walk(func(e *ir.Expr) bool {
		reads = reads || e.Op == ir.Load
		return !reads
	})
	if !reads || s.err != nil {
		return x
	}
	key := "scalar " + x.String()
	if v := s.memo[key]; v != nil {
		return v
	}
	v := &ir.Var{Name: s.name + "_value", Type: x.Type, Kind: ir.LetVar, Span: s.span}
	s.emit(&ir.Op{Code: ir.OpLet, Var: v, X: []*ir.Expr{x}})
	s.memo[key] = ir.RefTo(v)
	return s.memo[key]
}

// scalar lowers the value of a scalar variable: functions that the scalar unit lacks go through a tile of one element.
func (s *stepper) scalar(x *ir.Expr) *ir.Expr {
	if s.plain(nil, x) || s.err != nil {
		return x
	}
	one := []ir.Iter{{Var: &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(1)}}
	y := expand(x)
	if y == nil {
		y = x
	}
	if !vectorOnly(y) { // look for it below
		n := *y
		n.Args = nil
		for _, a := range y.Args {
			n.Args = append(n.Args, s.scalar(a))
		}
		return &n
	}
	n := *y
	n.Args = nil
	for _, a := range y.Args {
		t := s.temp(one, a.Type)
		s.scalarLoop(&ir.Op{Code: ir.OpMap, Dom: one, Dst: t, X: []*ir.Expr{s.scalar(a)}, Span: s.span})
		n.Args = append(n.Args, ir.LoadAt(t))
	}
	v := s.step(one, &n)
	if s.err != nil {
		return x
	}
	return ir.LoadAt(&ir.Access{Buf: v.At.Buf, Index: []*ir.Expr{ir.Int(0)}, Span: s.span})
}

// reduce lowers a reduction: its value into a tile first, then one step, then what it is added to.
func (s *stepper) reduce(op *ir.Op) {
	s.name = op.Dst.Buf.Name
	switch op.Combine {
	case ir.AnyOf, ir.AllOf:
		s.anyOrAll(op)
		return
	case ir.ArgMax, ir.ArgMin:
		if s.argument(op) {
			return
		}
	}
	all := op.Iters()
	if across(op) {
		all = append(append([]ir.Iter(nil), op.Red...), op.Dom...)
	}
	dst := op.Dst
	direct := !dst.Buf.Outside() && dst.Guard == nil && !op.Accumulate
	if direct && s.reduction(op) {
		return
	}
	x := op.X[0]
	where := ir.Conj(dst.Guard, op.Where) // beyond, what is read may not be there
	if where != nil {
		left := op.Combine.Neutral(x.Type)
		if op.Combine == ir.ArgMax || op.Combine == ir.ArgMin {
			s.refuse("%s of %s under a condition is not supported yet on %s: convert the values to f32", op.Combine, x.Type, s.ctx.Machine.Name)
			return
		}
		x = ir.SelectOf(where, x, left)
	}
	v := s.tile(all, x)
	if s.err != nil {
		return
	}
	r := *op
	r.X, r.Where, r.Accumulate = []*ir.Expr{ir.LoadAt(v)}, nil, false
	if !direct {
		t := s.temp(op.Dom, dst.Buf.Elem)
		r.Dst = t
	}
	if !s.reduction(&r) {
		r.Pipe = ir.PipeS
		s.emit(&r)
	}
	if direct || s.err != nil {
		return
	}
	bare := *dst
	bare.Guard = nil
	result := ir.LoadAt(r.Dst)
	if op.Accumulate {
		two, ok := op.Combine.Op()
		if !ok {
			s.refuse("adding up by %s is not supported yet on %s", op.Combine, s.ctx.Machine.Name)
			return
		}
		result = ir.Bin(two, ir.LoadAt(&bare), result)
	}
	s.assign(&ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: dst, Span: op.Span}, result)
}

// across reports a reduction over rows: what it reads has the indices that are reduced before the one that stays.
func across(op *ir.Op) bool {
	if len(op.Dom) != 1 || len(op.Red) == 0 {
		return false
	}
	found := false
	op.Loads(func(a *ir.Access) {
		reduced := false
		for _, x := range a.Index {
			found = found || reduced && x.Uses(op.Dom[0].Var)
			reduced = reduced || uses(x, op.Red)
		}
	})
	return found
}

// reduction emits a reduce as a vector step, outer indices as loops around it where they have to be.
func (s *stepper) reduction(op *ir.Op) bool {
	if r, ok := aicore.ReductionOf(op); ok {
		op.Pipe = ir.PipeV
		if !r.Across && r.Cols > 64 {
			op.Scratch = &ir.Buffer{Name: "folded", Elem: array.F32, Shape: []*ir.Expr{ir.Int(int64(r.Rows)), ir.Int(64)}, Kind: ir.Tile, Temp: true, Span: s.span}
		}
		s.emit(op)
		return true
	}
	if len(op.Dom) < 2 || op.Where != nil || op.Accumulate {
		return false
	}
	inner, v := peeled(op)
	saved := s.out
	s.out = nil
	ok := s.reduction(inner)
	body := s.out
	s.out = saved
	if ok {
		s.emit(loopOver(v, op.Dom[0].Extent, body))
	}
	return ok
}

// inRows reports elements of a tensor of which the copying engines take runs.
func (s *stepper) inRows(dom []ir.Iter, a *ir.Access) bool {
	sub := within(dom, ir.LoadAt(a))
	if len(sub) == 0 || len(a.Index) == 0 {
		return false
	}
	last := sub[len(sub)-1].Var
	_, plain := ir.Without(a.Index[len(a.Index)-1], last)
	return plain
}

// bytes reads elements of less than a byte one by one, into a tile of bytes.
func (s *stepper) bytes(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	sub := within(dom, x)
	if len(sub) == 0 {
		sub = []ir.Iter{{Var: &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(1)}}
	}
	t := array.U8
	if x.Type.IsSigned() {
		t = array.I8
	}
	tile := s.temp(sub, t)
	s.scalarLoop(&ir.Op{Code: ir.OpMap, Dom: sub, Dst: tile, X: []*ir.Expr{ir.CastTo(t, x)}, Where: s.limit(sub), Span: s.span})
	return ir.LoadAt(s.point(tile, sub, dom))
}
