package interp

import (
	"tilec/ir"
	"tilec/ir/layout"
)

// sharedAccess says which thread makes an access of an operation at each point
// of its domain.
type sharedAccess struct {
	op int32 // number of the operation
	// threads is by point, row-major over Dom then Red; nil if not known.
	threads []int32
	// slots and strides are those of the iteration variables, rowStride that of
	// the row variable.
	slots, strides []int
	rowStride      int
}

// thread is the thread that handles a lane of the current row.
func (s *sharedAccess) thread(fr *frame, lane int) int32 {
	if s.threads == nil {
		return manyThreads
	}
	at := lane * s.rowStride
	for i, slot := range s.slots {
		at += int(fr.varI[slot]) * s.strides[i]
	}
	return s.threads[at]
}

// sharedAccess compiles who makes an access; nil where nothing is watched. Of the
// threads that hold an element alike, the first writes it.
func (c *compiler) sharedAccess(a *ir.Access, write bool) *sharedAccess {
	if !c.watching || a.Buf.Space != ir.Shared && !c.exchanged[a.Buf] {
		return nil
	}
	s := &sharedAccess{op: int32(len(c.ops) - 1)}
	its, l := c.iters, c.op.Layout
	if l == nil || c.op.Code == ir.OpContract || len(l.Out) != len(c.op.Dom)+len(c.op.Red) {
		return s
	}
	if len(its) != len(l.Out) { // the result of a reduction
		dims := make([]int, len(c.op.Dom))
		for d := range dims {
			dims[d] = d
		}
		l = l.Project(dims...)
	}
	ext := make([]int, len(its))
	for i, it := range its {
		if !it.Extent.IsConst() {
			return s
		}
		ext[i] = int(it.Extent.Int)
	}
	stride := 1
	for i := len(its) - 1; i >= 0; i-- {
		if its[i].Var == c.rowVar {
			s.rowStride = stride
		} else {
			s.slots = append(s.slots, c.slotOf(its[i].Var).at)
			s.strides = append(s.strides, stride)
		}
		stride *= ext[i]
	}
	s.threads = threadsOf(l, ext, write)
	return s
}

// threadsOf lists, by point of a domain, the thread that a register layout over
// it gives the point to; of several the first, if that is asked for.
func threadsOf(l *layout.Layout, ext []int, first bool) []int32 {
	n := 1
	for _, e := range ext {
		n *= e
	}
	const none = -3
	threads := make([]int32, n)
	for i := range threads {
		threads[i] = none
	}
	in := make([]int, len(l.In))
	out := make([]int, len(l.Out))
	total := 1
	for i := range l.In {
		total *= 1 << len(l.In[i].Bases)
	}
	for v := range total {
		rest := v
		lane, warp := 0, 0
		for i := range l.In {
			bits := len(l.In[i].Bases)
			in[i] = rest & (1<<bits - 1)
			rest >>= bits
			switch l.In[i].Name {
			case layout.Lane:
				lane = in[i]
			case layout.Warp:
				warp = in[i]
			}
		}
		l.ApplyTo(out, in...)
		at, inside := 0, true
		for d, x := range out {
			inside = inside && x < ext[d]
			at = at*ext[d] + x
		}
		if !inside {
			continue
		}
		switch t, other := int32(warp*32+lane), threads[at]; other {
		case none:
			threads[at] = t
		case t:
		default:
			if threads[at] = manyThreads; first {
				threads[at] = min(other, t)
			}
		}
	}
	for i, t := range threads {
		if t == none {
			threads[i] = manyThreads
		}
	}
	return threads
}

// exchanges finds the tensors that a scheduled function both reads and writes.
func exchanges(f *ir.Func) map[*ir.Buffer]bool {
	read, both := map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	f.Body.Walk(func(op *ir.Op) {
		op.Loads(func(a *ir.Access) { read[a.Buf] = a.Buf.Kind.IsTensor() })
	})
	f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil && read[op.Dst.Buf] {
			both[op.Dst.Buf] = true
		}
	})
	return both
}

// watchTensor adds a tensor to the memory that fr watches.
func (fr *frame) watchTensor(st *store, number int) {
	h := fr.hazards
	st.watched = &region{owner: int32(number) + 1, base: len(h.grains), per: 1}
	h.grains = append(h.grains, make([]grain, st.len())...)
}

// watch lays out the watched memory of a scheduled function. Buffers lie at the
// offsets that were planned, or apart from each other before there is a plan.
func (p *program) watch() {
	if !p.watching {
		return
	}
	var bufs []*ir.Buffer
	grain := 16 // bytes
	for _, b := range p.buffers {
		if b.Space == ir.Shared {
			bufs = append(bufs, b)
			grain = min(grain, max(b.Elem.Bits()/8, 1))
		}
	}
	p.regions = map[*ir.Buffer]*region{}
	end := 0
	for _, b := range bufs {
		bits := b.Elem.Bits()
		ext := b.Extents()
		r := &region{owner: int32(p.number[b]) + 1, per: max(bits/8, 1) / grain}
		base := int(b.Offset)
		if p.fn.SharedBytes == 0 {
			base = end * grain
		}
		at := make([]int, len(ext))
		n := 1
		for _, e := range ext {
			n *= e
		}
		for i := range n {
			rest := i
			for d := len(ext) - 1; d >= 0; d-- {
				at[d] = rest % ext[d]
				rest /= ext[d]
			}
			off := i
			if b.Layout != nil && len(b.Layout.In) == len(ext) && len(b.Layout.Out) == 1 {
				off = b.Layout.Apply(at...)[0]
			}
			first := (base + off*bits/8) / grain
			r.first = append(r.first, int32(first))
			end = max(end, first+r.per)
		}
		p.regions[b] = r
	}
	p.grains = end
}

// order compiles commit, wait and barrier.
func (c *compiler) order(op *ir.Op) step {
	if !c.watching {
		return func(*frame) {}
	}
	switch op.Code {
	case ir.OpCommit:
		return func(fr *frame) { fr.hazards.commit() }
	case ir.OpBarrier:
		return func(fr *frame) { fr.hazards.barrier() }
	}
	return func(fr *frame) {
		if !fr.hazards.wait(op.N) {
			fr.fail(op.Span, "wait before any group of copies was committed")
		}
	}
}

// scratch compiles what an operation does with its scratch memory.
func (c *compiler) scratch(op *ir.Op) step {
	if op.Scratch == nil || !c.watching || op.Scratch.Space != ir.Shared {
		return func(*frame) {}
	}
	c.bufferNumber(op.Scratch)
	number := int32(len(c.ops) - 1)
	return func(fr *frame) { fr.hazards.scratch(fr, fr.prog.regions[op.Scratch], number) }
}
