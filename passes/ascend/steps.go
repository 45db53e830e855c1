package ascend

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
	"tilec/runtime/array"
)

// steps cuts every operation into steps that one unit carries out: copies between global memory and tiles, vector instructions on
// tiles, and for what the vector unit lacks loops of the scalar unit. Every step says which pipe runs it.
func steps(ctx *passes.Context, f *ir.Func) error {
	s := &stepper{ctx: ctx, f: f, partly: partly(f), knows: knowledge{passes.Knowing(f)}, ramps: map[int]*ir.Buffer{}}
	s.block(f.Body)
	program := vectorProgram(f)
	program.Ops = append(s.head, program.Ops...)
	return s.err
}

type stepper struct {
	ctx *passes.Context
	f   *ir.Func
	err error

	out  []*ir.Op // of the block that is being rewritten
	span diag.Span
	name string // of the tile that is being computed
	// where limits the points at which the operation at hand matters.
	where  *ir.Expr
	memo   map[string]*ir.Expr
	knows  knowledge           // what scalars can be
	partly map[*ir.Buffer]bool // tiles that are filled where they are declared
	head   []*ir.Op            // before the program
	ramps  map[int]*ir.Buffer  // that are there from the beginning, by their length
}

// vectorProgram is what the vector unit runs.
func vectorProgram(f *ir.Func) *ir.Block {
	programs := aicore.Programs(f)
	return programs[len(programs)-1]
}

// refuse reports an operation that cannot be lowered yet.
func (s *stepper) refuse(format string, args ...any) {
	if s.err == nil {
		s.ctx.Reporter.Errorf(diag.Unsupported, s.span, format, args...)
		s.err = passes.ErrReported
	}
}

func (s *stepper) block(b *ir.Block) {
	if b == nil || s.err != nil {
		return
	}
	outer, mark := s.out, s.knows.Mark()
	s.out = nil
	for _, op := range b.Ops {
		s.span, s.where = op.Span, nil
		s.memo = map[string]*ir.Expr{}
		start := len(s.out)
		s.op(op)
		s.out = append(s.out[:start], inPlace(s.out[start:])...)
	}
	s.knows.Release(mark)
	b.Ops, s.out = s.fused(s.out), outer
}

func (s *stepper) emit(op *ir.Op) *ir.Op {
	if !op.Span.IsValid() {
		op.Span = s.span
	}
	s.out = append(s.out, op)
	return op
}

func (s *stepper) op(op *ir.Op) {
	if op.Pipe != ir.NoPipe { // lowered already
		s.emit(op)
		return
	}
	if (op.Code == ir.OpMap || op.Code == ir.OpReduce) && s.portioned(op) {
		return
	}
	switch op.Code {
	case ir.OpAlloc:
		s.emit(op)
		if s.partly[op.Buf] && s.err == nil {
			s.cleared(op.Buf)
		}
	case ir.OpCores: // the cube's program is lowered already
		s.emit(op)
		s.block(op.Else)
	case ir.OpCrossSet, ir.OpCrossWait:
		s.emit(op)
	case ir.OpLet, ir.OpVar, ir.OpAssign, ir.OpIf:
		s.name = "value"
		for i, x := range op.X {
			op.X[i] = s.scalar(x)
		}
		s.emit(op)
		s.knows.under(op, s.block)
	case ir.OpFor:
		s.name = "value"
		for i, x := range op.X {
			op.X[i] = s.scalar(x)
		}
		s.emit(op)
		s.knows.under(op, s.block)
	case ir.OpWhile:
		s.while(op)
	case ir.OpMap:
		s.assign(op, op.X[0])
	case ir.OpCopy:
		s.copy(op)
	case ir.OpReduce:
		s.reduce(op)
	case ir.OpAtomic:
		s.atomic(op)
	case ir.OpScan:
		s.scan(op)
	case ir.OpPrint:
		s.name = "printed"
		for i, x := range op.X {
			op.X[i] = s.scalarLoads(nil, s.scalar(x))
		}
		s.emit(op)
	case ir.OpAssert:
		s.assert(op)
	default:
		s.refuse("%s is not supported yet on %s", op.Code, s.ctx.Machine.Name)
	}
}

// while lowers a loop: a condition that reads tiles, or that the scalar unit cannot compute, is computed ahead of the loop and at the end
// of its body.
func (s *stepper) while(op *ir.Op) {
	c := op.X[0]
	if !s.plain(nil, c) || readsTile(c) {
		more := &ir.Var{Name: "more", Type: array.Bool, Kind: ir.MutVar, Span: op.Span}
		s.name = "value"
		s.emit(&ir.Op{Code: ir.OpVar, Var: more, X: []*ir.Expr{s.scalar(c)}})
		op.X[0] = ir.RefTo(more)
		op.Body.Ops = append(op.Body.Ops, &ir.Op{Code: ir.OpAssign, Var: more, X: []*ir.Expr{c}, Span: op.Span})
	}
	s.emit(op)
	s.block(op.Body)
}

// copy lowers a copy: between a tensor and a tile as it is where the copying engines can, else as a map.
func (s *stepper) copy(op *ir.Op) {
	src, dst := op.Src[0], op.Dst
	if src.Buf.Outside() && !dst.Buf.Outside() && src.Buf.Elem == dst.Buf.Elem && op.Where == nil && dst.Guard == nil {
		s.name = dst.Buf.Name
		s.load(op.Dom, dst, src)
		return
	}
	s.assign(op, ir.CastTo(dst.Buf.Elem, ir.LoadAt(src)))
}

// assign lowers a map or copy of the value x.
func (s *stepper) assign(op *ir.Op, x *ir.Expr) {
	s.name = op.Dst.Buf.Name
	dom := op.Dom
	dst := op.Dst
	where := ir.Conj(dst.Guard, op.Where)
	if dst.Guard != nil {
		d := *dst
		d.Guard = nil
		dst = &d
	}
	if len(dom) == 0 { // one element: a domain of one point
		dom = []ir.Iter{{Var: &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(1)}}
		dst = s.widened(dst, dom[0].Var)
	}
	if dst.Buf.Outside() {
		s.where = where
		v := s.tile(dom, x)
		s.store(dom, dst, v, where)
		return
	}
	if x.Op == ir.Load && x.At.Buf.Outside() && where == nil && x.Type == dst.Buf.Elem && len(within(dom, x)) == len(dom) {
		s.load(dom, dst, x.At)
		return
	}
	if where != nil {
		if _, walks := aicore.ViewOf(dom, dst); !walks { // where the condition does not hold there may be no such element
			s.where = where
			if v := s.tile(dom, x); s.err == nil {
				s.pointwise(&ir.Op{Code: ir.OpMap, Dom: dom, Dst: dst, X: []*ir.Expr{ir.LoadAt(v)}, Where: where, Span: s.span}, nil)
			}
			return
		}
		x = ir.SelectOf(where, x, ir.LoadAt(dst))
	}
	s.into(dom, dst, x)
}

// widened lets the last index of an access run over a domain of one point.
func (s *stepper) widened(a *ir.Access, v *ir.Var) *ir.Access {
	n := *a
	n.Index = append([]*ir.Expr(nil), a.Index...)
	if k := len(n.Index); k > 0 {
		n.Index[k-1] = ir.Bin(ir.Add, n.Index[k-1], ir.RefTo(v))
	}
	return &n
}

// into computes x at every point of a domain into an element of a tile.
func (s *stepper) into(dom []ir.Iter, dst *ir.Access, x *ir.Expr) {
	x = s.operands(dom, x)
	if s.err != nil {
		return
	}
	op := &ir.Op{Code: ir.OpMap, Dom: dom, Dst: dst, X: []*ir.Expr{x}, Where: s.limit(dom), Span: s.span}
	if s.vector(op) {
		return
	}
	// Through a tile of the domain's own shape, if that is what the vector unit needs.
	if x.Op != ir.Load && !isScalar(dom, x) {
		v := s.step(dom, x)
		if s.err != nil {
			return
		}
		op.X[0] = v
		if s.vector(op) {
			return
		}
	}
	s.byElement(op)
}

// vector emits a map as one vector step, outer indices as loops around it where they have to be; false if it is none.
func (s *stepper) vector(op *ir.Op) bool {
	if v, ok := aicore.VectorOf(op); ok {
		op.Pipe = ir.PipeV
		op.Scratch = s.scratch(&v)
		s.emit(op)
		return true
	}
	if len(op.Dom) < 2 {
		return false
	}
	inner, v := peeled(op)
	saved := s.out
	s.out = nil
	ok := s.vector(inner)
	body := s.out
	s.out = saved
	if ok {
		s.emit(loopOver(v, op.Dom[0].Extent, body))
	}
	return ok
}

// peeled is an operation without its first index, which becomes the variable of a loop.
func peeled(op *ir.Op) (*ir.Op, *ir.Var) {
	first := op.Dom[0].Var
	v := &ir.Var{Name: first.Name, Type: ir.Index, Kind: ir.LoopVar, Span: op.Span}
	n := *op
	n.X = append([]*ir.Expr(nil), op.X...)
	n.Src = append([]*ir.Access(nil), op.Src...)
	n.Dom = append([]ir.Iter(nil), op.Dom[1:]...)
	n.Red = append([]ir.Iter(nil), op.Red...)
	n.MapExprs(func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.Ref && e.Var == first {
			return ir.RefTo(v)
		}
		return e
	})
	return &n, v
}

func loopOver(v *ir.Var, extent *ir.Expr, body []*ir.Op) *ir.Op {
	return &ir.Op{Code: ir.OpFor, Var: v, X: []*ir.Expr{ir.Int(0), extent, ir.Int(1)}, Body: &ir.Block{Ops: body}}
}

// scratch is what a vector step needs beside its operands: a column is spread over blocks first, a comparison leaves bits.
func (s *stepper) scratch(v *aicore.Vector) *ir.Buffer {
	name, elems, elem := "", 0, v.Dst.Buf.Elem
	switch v.Form {
	case aicore.Spread, aicore.Binary, aicore.Fused:
		for _, o := range v.Src {
			if v.Column(o) {
				name, elem = "column", o.Buf.Elem
				elems = (v.Rows + 7) / 8 * 8 * 256 / elem.Bits()
			}
		}
	case aicore.Choose:
		name, elem = "chosen", array.U8
		elems = (v.Rows*aicore.Pitch(v.Dst.Buf) + 63) / 64 * 8
	}
	if name == "" {
		return nil
	}
	return &ir.Buffer{Name: name, Elem: elem, Shape: []*ir.Expr{ir.Int(int64(elems))}, Kind: ir.Tile, Temp: true, Span: s.span}
}

// scalarLoop emits a map that the scalar unit runs over, element by element.
func (s *stepper) scalarLoop(op *ir.Op) {
	for _, x := range op.X {
		s.plainScalar(x)
	}
	op.Pipe = ir.PipeS
	s.emit(op)
}

// plainScalar refuses functions that the scalar unit lacks.
func (s *stepper) plainScalar(x *ir.Expr) {
	x.Walk(func(e *ir.Expr) bool {
		if vectorOnly(e) {
			s.refuse("%s of elements that the vector unit cannot reach is not supported yet on %s", e.Op, s.ctx.Machine.Name)
		}
		return true
	})
}

// byElement has the scalar unit compute the elements of a tile; those of less than a byte are put beside others, which must be there.
func (s *stepper) byElement(op *ir.Op) {
	if op.Dst.Buf.Elem.Bits() < 8 && fresh(op) {
		zero := &ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: op.Dst, X: []*ir.Expr{ir.ZeroOf(op.Dst.Buf.Elem)}, Span: s.span}
		s.vector(zero.Clone())
	}
	s.scalarLoop(op)
}

// fresh reports a map over all of a tile that keeps nothing of what was there, but where it does not matter.
func fresh(op *ir.Op) bool {
	all := *op
	all.Where = nil
	kept := false
	op.Loads(func(a *ir.Access) { kept = kept || a.Buf == op.Dst.Buf })
	return fills(&all) && !kept
}
