package aicore

import "tilec/ir"

// leavesOf is what an operation itself touches: of tensors those that the program writes.
func (c *orderChecker) leavesOf(op *ir.Op) []leaf {
	if op.Code.Info().Fields&ir.HasPipe != 0 || op.Code == ir.OpAlloc || op.Code == ir.OpCrossWait {
		return nil
	}
	pipe := op.Pipe
	if pipe == ir.NoPipe {
		pipe = ir.PipeS
	}
	var all []leaf
	add := func(b *ir.Buffer, at *ir.Access, write bool) {
		if b.Outside() && !c.written[b] {
			return
		}
		l := leaf{pipe: pipe, write: write, buf: b}
		if at != nil && len(at.Index) > 0 && !b.Outside() {
			l.slot = at.Index[0]
		}
		all = append(all, l)
	}
	op.Loads(func(a *ir.Access) { add(a.Buf, a, false) })
	if op.Dst != nil {
		add(op.Dst.Buf, op.Dst, true)
	}
	if op.Scratch != nil {
		add(op.Scratch, nil, true)
	}
	return all
}

// site numbers a leaf with the slot that it touches.
func (c *orderChecker) site(op *ir.Op, at int, l leaf, k *knowledge) int {
	key := site{op, at, -1}
	if l.slot != nil {
		if n, ok := k.value(c, l.slot); ok && n >= 0 && n < int64(l.buf.Extent(0)) {
			key.slot = n
		}
	}
	if s, ok := c.sites[key]; ok {
		return s
	}
	p := piece{leaf: l, op: op, lo: l.buf.Offset, hi: l.buf.Offset + Bytes(l.buf)}
	if key.slot >= 0 && len(l.buf.Shape) > 1 {
		size := Bytes(l.buf) / int64(l.buf.Extent(0))
		if l.buf.Space == ir.UB {
			size = int64(Stride(l.buf, 0)) * int64(l.buf.Elem.Bits()) / 8
		}
		p.lo += key.slot * size
		p.hi = p.lo + size
	}
	s := len(c.pieces)
	c.sites[key] = s
	c.pieces = append(c.pieces, p)
	c.of[p.pipe].set(s)
	c.meets = append(c.meets, nil)
	for o := range c.pieces {
		if mustOrder(p, c.pieces[o]) {
			c.meets[s].set(o)
		}
		if o != s && mustOrder(c.pieces[o], p) {
			c.meets[o].set(s)
		}
	}
	return s
}

// wait numbers the waiting for a flag, which its pipe does in turn like any other work.
func (c *orderChecker) wait(op *ir.Op, n flagName) int {
	key := site{op, -1, n.id}
	if s, ok := c.sites[key]; ok {
		return s
	}
	s := len(c.pieces)
	c.sites[key] = s
	c.pieces = append(c.pieces, piece{leaf: leaf{pipe: n.to}, op: op})
	c.of[n.to].set(s)
	c.meets = append(c.meets, nil)
	c.waits[c.number(n)].set(s)
	return s
}

// number is the number of a flag.
func (c *orderChecker) number(n flagName) int {
	i, ok := c.flagNumbers[n]
	if !ok {
		i = len(c.names)
		c.flagNumbers[n] = i
		c.names, c.waits = append(c.names, n), append(c.waits, nil)
	}
	return i
}

// mustOrder reports that an access must come after an earlier one, and that its pipe does not see to it by itself.
func mustOrder(now, before piece) bool {
	switch {
	case now.buf == nil || before.buf == nil:
		return false // waits for flags
	case !now.write && !before.write || now.buf.Space != before.buf.Space:
		return false
	case now.buf.Space == ir.Global:
		if now.buf != before.buf {
			return false
		}
	case now.lo >= before.hi || before.lo >= now.hi:
		return false
	}
	return now.pipe != before.pipe || OverlapsItself(now.pipe, now.buf.Space, now.write, before.write)
}

// OverlapsItself reports that a pipe does not order two of its own accesses to the same bytes of a core's memory: the vector unit overlaps
// its instructions, as copies of one engine do. Of tensors it says nothing: which elements two copies write takes other means.
func OverlapsItself(p ir.Pipe, s ir.Space, write, before bool) bool {
	switch {
	case s == ir.Global:
		return false
	case p == ir.PipeV:
		return before // what was written is read or written again
	case p == ir.PipeMTE2:
		return write && before
	}
	return false
}
