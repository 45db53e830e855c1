package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
)

// product is a contraction being lowered: its operands in L0A and L0B.
type product struct {
	ir.Product
	op          *ir.Op
	left, right *ir.Buffer
	side        *ir.Var // slot of both
	slots       int
	part        int // of K
}

// product declares the operands of a contraction: as much of K as goes into its share of L0A and L0B, twice if that is the only one.
func (c *cuber) product(op *ir.Op) *product {
	if p := c.products[op]; p != nil {
		return p
	}
	p := &product{op: op, slots: 1}
	c.products[op] = p
	p.Product, _ = ir.AsProduct(op)
	if c.count == 1 {
		p.slots = 2
	}
	elem := p.A.Buf.Elem
	unit := max(aicore.Strip(elem), 16)
	tile := func(rows, k int, space ir.Space) *ir.Buffer {
		return &ir.Buffer{Elem: elem, Space: space, Shape: []*ir.Expr{ir.Int(int64(p.slots)), ir.Int(int64(rows)), ir.Int(int64(k))}}
	}
	room := func(s ir.Space) int64 { return c.ctx.Machine.Memory(s).Bytes / int64(c.count) }
	p.part = (p.K + unit - 1) / unit * unit
	for p.part > unit && (aicore.Bytes(tile(p.M, p.part, ir.L0A)) > room(ir.L0A) || aicore.Bytes(tile(p.N, p.part, ir.L0B)) > room(ir.L0B)) {
		p.part = (p.part/2 + unit - 1) / unit * unit
	}
	shape := func(rows int) []*ir.Expr { return []*ir.Expr{ir.Int(int64(rows)), ir.Int(int64(p.part))} }
	p.left, p.side = c.slotted(p.A.Buf.Name+"_l0", elem, shape(p.M), p.slots, ir.L0A, op.Span, nil)
	p.right = &ir.Buffer{Name: p.B.Buf.Name + "_l0", Elem: elem, Kind: ir.Tile, Space: ir.L0B, Pinned: true, Span: op.Span, Shape: append([]*ir.Expr{ir.Int(int64(p.slots))}, shape(p.N)...)}
	c.head = append(c.head, &ir.Op{Code: ir.OpAlloc, Buf: p.right, Span: op.Span})
	return p
}

// contract lowers a contraction: a part of K at a time to L0A and L0B, and from there into the sums.
func (c *cuber) contract(op *ir.Op) []*ir.Op {
	a, b, s := c.tiles[op.Src[0].Buf], c.tiles[op.Src[1].Buf], c.tiles[op.Dst.Buf]
	if a.ring == nil || b.ring == nil || s.ring == nil {
		c.refuse(op.Span, "operands of a contraction that are not copied from tensors are not supported yet on %s", c.ctx.Machine.Name)
		return nil
	}
	p := c.product(op)
	init := c.init[op]
	at := ir.Int(0)
	var kk *ir.Var
	parts := (p.K + p.part - 1) / p.part
	if parts > 1 {
		kk = &ir.Var{Name: "part", Type: ir.Index, Kind: ir.LoopVar, Span: op.Span}
		at = ir.Bin(ir.Mul, ir.RefTo(kk), ir.Int(int64(p.part)))
		if init != nil {
			init = ir.Conj(init, ir.Bin(ir.Eq, ir.RefTo(kk), ir.Int(0)))
		}
	}
	if init != nil && init.IsConst() && parts > 1 {
		init = ir.Bin(ir.Eq, ir.RefTo(kk), ir.Int(0))
	}
	last := func(t *cubeTile, kLast bool) *ir.Expr {
		if kLast {
			return t.high[1]
		}
		return t.high[0]
	}
	k := tighter(last(a, p.AKLast), last(b, p.BKLast))
	rows, cols := c.edges[op][0], c.edges[op][1]
	if p.K%p.part != 0 {
		k = tighter(k, ir.Int(int64(p.K)))
	}
	body := []*ir.Op{
		c.feed(p, p.left, a, p.AKLast, p.M, rows, k, at),
		c.feed(p, p.right, b, p.BKLast, p.N, cols, k, at),
		c.multiply(p, s, rows, cols, k, at, init),
	}
	if p.side != nil {
		body = append(body, advance(p.side, p.slots))
	}
	if kk == nil {
		return body
	}
	all := ir.Int(int64(parts))
	if k != nil { // a part beyond the edge has no depth
		all = ir.Bin(ir.Min, all, ir.Bin(ir.Div, ir.Bin(ir.Add, k, ir.Int(int64(p.part-1))), ir.Int(int64(p.part))))
	}
	return []*ir.Op{{Code: ir.OpFor, Var: kk, X: []*ir.Expr{ir.Int(0), all, ir.Int(1)}, Body: &ir.Block{Ops: body}, Span: op.Span}}
}

func tighter(a, b *ir.Expr) *ir.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.String() == b.String():
		return a
	}
	return ir.Bin(ir.Min, a, b)
}

func iter(name string, extent int) (ir.Iter, *ir.Expr) {
	v := &ir.Var{Name: name, Type: ir.Index, Kind: ir.IterVar}
	return ir.Iter{Var: v, Extent: ir.Int(int64(extent))}, ir.RefTo(v)
}

// below is x < high, shifted by a part's begin; nil if there is no bound.
func below(x, at, high *ir.Expr) *ir.Expr {
	if high == nil {
		return nil
	}
	if !at.IsInt(0) {
		x = ir.Bin(ir.Add, at, x)
	}
	return ir.Bin(ir.Lt, x, high)
}

// feed copies a part of an operand from L1 to L0A or L0B.
func (c *cuber) feed(p *product, to *ir.Buffer, t *cubeTile, kLast bool, rows int, high, k, at *ir.Expr) *ir.Op {
	i, x := iter("i", rows)
	d, y := iter("d", p.part)
	from := y
	if !at.IsInt(0) {
		from = ir.Bin(ir.Add, at, y)
	}
	index := []*ir.Expr{x, from}
	if !kLast {
		index = []*ir.Expr{from, x}
	}
	return &ir.Op{Code: ir.OpCopy, Dom: []ir.Iter{i, d}, Dst: slotOf(to, p.side, x, y), Src: []*ir.Access{slotOf(t.ring, t.stage, index...)},
		Where: ir.Conj(below(x, ir.Int(0), high), below(y, at, k)), Pipe: ir.PipeMTE1, Span: p.op.Span}
}

// multiply adds up the products of a part.
func (c *cuber) multiply(p *product, s *cubeTile, rows, cols, k, at, init *ir.Expr) *ir.Op {
	i, x := iter("i", p.M)
	j, y := iter("j", p.N)
	d, z := iter("d", p.part)
	return &ir.Op{Code: ir.OpContract, Dom: []ir.Iter{i, j}, Red: []ir.Iter{d}, Dst: slotOf(s.ring, s.stage, x, y),
		Src:  []*ir.Access{slotOf(p.left, p.side, x, z), slotOf(p.right, p.side, y, z)},
		Init: init, Where: ir.Conj(below(x, ir.Int(0), rows), below(y, ir.Int(0), cols), below(z, at, k)),
		Atom: c.ctx.Machine.Atom(p.A.Buf.Elem, p.B.Buf.Elem, p.C.Buf.Elem).Name, Pipe: ir.PipeM, Span: p.op.Span}
}

// nothing makes the sums of a contraction that has not run: a product of zeros.
func (c *cuber) nothing(op *ir.Op) []*ir.Op {
	p := c.product(op)
	zero := func(rows int, b *ir.Buffer) *ir.Op {
		i, x := iter("i", rows)
		d, y := iter("d", p.part)
		return &ir.Op{Code: ir.OpMap, Dom: []ir.Iter{i, d}, Dst: slotOf(b, p.side, x, y), X: []*ir.Expr{ir.ZeroOf(b.Elem)}, Pipe: ir.PipeMTE1, Span: op.Span}
	}
	return []*ir.Op{zero(p.M, p.left), zero(p.N, p.right), c.multiply(p, c.tiles[op.Dst.Buf], nil, nil, nil, ir.Int(0), ir.BoolOf(true))}
}

// atLeastOnce makes the sums of a loop's contractions zero where it does not run at all.
func (c *cuber) atLeastOnce(loop *ir.Op) *ir.Op {
	zeros := &ir.Block{}
	for _, x := range c.empty[loop] {
		zeros.Ops = append(zeros.Ops, c.nothing(x)...)
	}
	if len(zeros.Ops) == 0 {
		return loop
	}
	return &ir.Op{Code: ir.OpIf, X: []*ir.Expr{ir.Bin(ir.Ge, loop.X[0], loop.X[1])}, Body: zeros, Else: &ir.Block{Ops: []*ir.Op{loop}}, Span: loop.Span}
}

// drain lowers the copy of sums to a tensor, which the fixpipe makes.
func (c *cuber) drain(op *ir.Op) *ir.Op {
	var x *ir.Expr
	if op.Code == ir.OpCopy {
		x = ir.LoadAt(op.Src[0])
	} else {
		x = op.X[0]
		for x.Op == ir.Cast {
			x = x.Args[0]
		}
	}
	if x.Op != ir.Load || c.tiles[x.At.Buf] == nil || x.At.Guard != nil {
		c.refuse(op.Span, "work on the sums of a contraction is not supported yet on %s", c.ctx.Machine.Name)
		return op
	}
	s := c.tiles[x.At.Buf]
	n := &ir.Op{Code: ir.OpCopy, Dom: op.Dom, Dst: op.Dst, Src: []*ir.Access{x.At}, Where: op.Where, Span: op.Span}
	m, ok := aicore.MatrixCopyOf(n)
	if !ok || m.Load || !sameOrder(n) || !aicore.FixpipeConverts(x.At.Buf.Elem, m.Tensor.Elem) {
		c.refuse(op.Span, "storing the sums `%s` so is not supported yet on %s", x.At.Buf.Name, c.ctx.Machine.Name)
		return op
	}
	n.Src = []*ir.Access{slotOf(s.ring, s.stage, x.At.Index...)}
	n.Pipe = ir.PipeFix
	return n
}
