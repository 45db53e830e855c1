package passes

import (
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/passes/live"
)

// coalesce sends stores to tensors through shared memory where the threads of a warp
// hold too little side by side to fill the sectors in which global memory is
// written: sums as a matrix unit leaves them, in a type of less than 32 bits. The
// tile takes the bytes of operands that are no longer needed; if it would cost the
// multiprocessor a CTA, the stores stay as they are.
func coalesce(ctx *Context, f *ir.Func) error {
	mem := ctx.Machine.Memory(ir.Global)
	if mem == nil || mem.Sector == 0 || ctx.Machine.Memory(ir.Shared) == nil {
		return nil
	}
	c := &coalescer{ctx: ctx, f: f, sector: mem.Sector, layouts: &layouts{f: f, machine: ctx.Machine, align: ir.AlignmentOf(f)}}
	c.residents = c.resident()
	c.block(f.Body)
	return nil
}

type coalescer struct {
	ctx       *Context
	f         *ir.Func
	sector    int // bytes
	layouts   *layouts
	residents int // CTAs on a multiprocessor
}

func (c *coalescer) block(b *ir.Block) {
	if b == nil {
		return
	}
	for i := 0; i < len(b.Ops); i++ {
		op := b.Ops[i]
		c.block(op.Body)
		c.block(op.Else)
		if !c.scattered(op) {
			continue
		}
		was := b.Ops
		through := c.through(op)
		b.Ops = append(append(append([]*ir.Op(nil), was[:i]...), through...), was[i+1:]...)
		if c.resident() < c.residents {
			b.Ops = was
			continue
		}
		i += len(through) - 1
	}
}

// scattered reports a store to a tensor that could fill whole sectors but, as its
// threads are laid out, does not.
func (c *coalescer) scattered(op *ir.Op) bool {
	if op.Code != ir.OpMap && op.Code != ir.OpCopy || op.Async || op.Accumulate || op.Layout == nil {
		return false
	}
	t := op.Dst.Buf
	if !t.Kind.IsTensor() || t.Strides != nil || t.Elem.Bits() < 8 || op.Where != nil && loads(op.Where) {
		return false
	}
	fast := c.layouts.lastIter(op)
	if fast < 0 {
		return false
	}
	points := 1
	for _, it := range op.Dom {
		if !it.Extent.IsConst() {
			return false
		}
		points *= int(it.Extent.Int)
	}
	// a tile of less than a word for each thread is stored at once as it is
	size := t.Elem.Bits() / 8
	threads := c.f.Warps * c.ctx.Machine.Limits.WarpSize
	if points*size < 4*threads {
		return false
	}
	most := c.layouts.align.Width(op.Dst, op.Dom[fast].Var)
	now := sideBySide(op.Layout, fast, most)
	return now*size < c.sector && now < sideBySide(c.layouts.forMemory(op), fast, most)
}

// sideBySide is how many elements along a dimension a warp stores at once, of which
// each thread stores most at most.
func sideBySide(l *layout.Layout, dim, most int) int {
	n := 1
	for _, basis := range l.Bases(layout.Reg) {
		if n < most && basis[dim] == n && alone(basis, dim) {
			n *= 2
		}
	}
	lanes := l.Bases(layout.Lane)
	for again := true; again; {
		again = false
		for _, basis := range lanes {
			if basis[dim] == n && alone(basis, dim) {
				n, again = n*2, true
			}
		}
	}
	return n
}

// alone reports a basis that moves along one dimension only.
func alone(basis []int, dim int) bool {
	for d, v := range basis {
		if v != 0 && d != dim {
			return false
		}
	}
	return true
}

// through makes the store in two steps: into a tile as the threads hold the values,
// and from there as memory takes them best.
func (c *coalescer) through(op *ir.Op) []*ir.Op {
	fast := c.layouts.lastIter(op)
	t := op.Dst.Buf
	s := &ir.Buffer{Name: t.Name + "_tile", Elem: t.Elem, Kind: ir.Tile, Space: ir.Shared, Temp: true, Span: op.Span}
	order := make([]int, 0, len(op.Dom))
	for i := range op.Dom {
		if i != fast {
			order = append(order, i)
		}
	}
	order = append(order, fast) // rows of the tile are those of the tensor
	with := map[*ir.Var]*ir.Expr{}
	for _, it := range op.Dom {
		v := *it.Var
		with[it.Var] = ir.RefTo(&v)
	}
	put := &ir.Access{Buf: s, Span: op.Span}
	get := &ir.Access{Buf: s, Span: op.Span}
	for _, i := range order {
		s.Shape = append(s.Shape, op.Dom[i].Extent)
		put.Index = append(put.Index, ir.RefTo(op.Dom[i].Var))
		get.Index = append(get.Index, with[op.Dom[i].Var])
	}
	s.Layout = sharedLayout(s)

	fill := *op
	fill.Code, fill.Src, fill.Dst = ir.OpMap, nil, put
	value := op.X
	if op.Code == ir.OpCopy {
		value = []*ir.Expr{ir.CastTo(t.Elem, ir.LoadAt(op.Src[0]))}
	}
	fill.X = value
	where := op.WhereWritten()
	fill.Where = where
	if c.defined(value[0]) && (!slow(value[0]) || c.layouts.align.Width(op.Dst, op.Dom[fast].Var) > 1) {
		// What lies outside may be computed too. But single elements that take long need the
		// branches between them: a straight line has too many of them in flight for the registers.
		fill.Where = nil
	}
	store := &ir.Op{Code: ir.OpMap, Span: op.Span, X: []*ir.Expr{ir.LoadAt(get)}, Where: subst(where, with)}
	store.Dst = &ir.Access{Buf: t, Span: op.Dst.Span}
	for _, x := range op.Dst.Index {
		store.Dst.Index = append(store.Dst.Index, x.Subst(with))
	}
	for _, it := range op.Dom {
		store.Dom = append(store.Dom, ir.Iter{Var: with[it.Var].Var, Extent: it.Extent})
	}
	store.Layout = c.layouts.forMemory(store)
	return []*ir.Op{{Code: ir.OpAlloc, Buf: s, Span: op.Span}, &fill, store}
}

func subst(e *ir.Expr, with map[*ir.Var]*ir.Expr) *ir.Expr {
	if e == nil {
		return nil
	}
	return e.Subst(with)
}

// slow reports that an expression has functions of many instructions.
func slow(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || isSlow(x.Op)
		return !found
	})
	return found
}

// defined reports that an expression has a value at every element of the tiles that it
// reads: each was written as a whole, and no tensor, which might end, is read.
func (c *coalescer) defined(e *ir.Expr) bool {
	read := map[*ir.Buffer]bool{}
	ok := true
	e.Walk(func(x *ir.Expr) bool {
		if x.Op == ir.Load {
			read[x.At.Buf] = true
			ok = ok && !x.At.Buf.Kind.IsTensor()
		}
		return ok
	})
	c.f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil && read[op.Dst.Buf] && op.Code != ir.OpContract {
			ok = ok && op.WhereWritten() == nil && op.Dst.Guard == nil && wholeTile(op, op.Dst)
		}
	})
	return ok
}

// resident estimates how many CTAs a multiprocessor holds at once; 0 if not even one.
func (c *coalescer) resident() int {
	m := c.ctx.Machine
	mem := m.Memory(ir.Shared)
	_, bytes := live.Pack(sharedTiles(c.f), mem.Align)
	if bytes > mem.Bytes {
		return 0
	}
	registers := (ir.RegisterWords(c.f) + addressRegisters) * m.Limits.WarpSize * c.f.Warps
	return min(m.Limits.CTAsPerSM, m.Limits.WarpsPerSM/c.f.Warps, int(mem.PerSM/(bytes+mem.Reserved)), max(m.Limits.RegistersPerSM/registers, 1))
}
