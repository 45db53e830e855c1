package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/shadow"
)

// bulkOp is cp.async.bulk and cp.reduce.async.bulk, of plain bytes or of a tensor's box.
type bulkOp struct {
	shared memOp // the side in shared memory of a copy between it and global memory; else the destination
	other  memOp // global memory, the tensor map, or the source in shared memory
	bar    memOp
	load   bool // into shared memory
	local  bool // from shared memory to shared memory
	tensor bool
	pair   bool   // cta_group::2: the mbarrier may be of the other block of the pair
	picks  string // gather4 and scatter4: the copy is of four rows by number
	rank   int
	coords []int32
	// im2col copies have offsets of the filter for the inner dimensions.
	im2col  bool
	offsets []int32
	size    int32 // register of the bytes; none for a tensor
	mask    int32 // register of the blocks of a multicast; none
	reduce  func(old, b, c uint64) uint64
	elem    int // bytes of an element of a reduction
	// function is the reduction of a tensor, whose element type its map tells.
	function string
}

func (op *bulkOp) eachReg(f func(r *int32, write bool)) {
	f(&op.shared.addr, false)
	f(&op.other.addr, false)
	if op.bar.bytes != 0 {
		f(&op.bar.addr, false)
	}
	for i := range op.coords {
		f(&op.coords[i], false)
	}
	for i := range op.offsets {
		f(&op.offsets[i], false)
	}
	if op.size != none {
		f(&op.size, false)
	}
	if op.mask != none {
		f(&op.mask, false)
	}
}

// bulkLoad is a copy to shared memory on its way.
type bulkLoad struct {
	w     *warp
	lane  int
	in    *instr
	phase uint64 // of the mbarrier
	owner *cta
	off   int
	data  []byte
}

// land brings the bytes and tells the mbarrier.
func (c *bulkLoad) land(b *mbar) {
	copy(c.owner.shared[c.off:], c.data)
	if s := c.owner.shadow; s != nil {
		entry, now := c.owner.copyEntry(b), s.stamp()
		s.mem.Land(&shadow.Access{Now: now, By: shadow.OfAgent(entry, c.in.pc)}, c.off, len(c.data))
		b.clock[entry] = now
	}
	c.arrived(b)
}

// arrived tells the mbarrier of the bytes.
func (c *bulkLoad) arrived(b *mbar) {
	if b.phase != c.phase {
		c.w.reportPair(c.in, b.expecter, 1<<c.lane, Finding{Kind: MbarrierMisuse, Msg: "the phase of the mbarrier ended before the copy: too few bytes were expected"})
	}
	b.tx -= len(c.data)
	b.settle(c.owner.cluster)
}

func execBulk(w *warp, in *instr, m uint32) {
	op := in.x.(*bulkOp)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		switch {
		case op.load:
			w.bulkLoad(op, in, lane)
		default:
			w.bulkStore(op, in, lane)
		}
	}
}

// window finds n bytes of shared memory at the lane's address, in whichever block.
func (w *warp) window(op *memOp, in *instr, lane, n, align int) (c *cta, off int, ok bool) {
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, shared, n, false
	a := w.laneAddress(op, lane)
	x.addr[lane] = a
	sp := shared
	if op.space == generic {
		sp, a = splitGeneric(a)
	}
	c, a = w.cta.blockOf(a)
	if sp != shared || c == nil || a-sharedBase >= uint64(len(c.shared)) || uint64(len(c.shared))-(a-sharedBase) < uint64(n) {
		w.outOfBounds(x, lane)
		return nil, 0, false
	}
	x.addr[lane] = a
	if a%uint64(align) != 0 {
		if !w.again(Misaligned, in, none) {
			f := x.finding(Misaligned, lane)
			f.Msg = "address in shared memory is no multiple of " + itoa(align)
			w.report(in, 1<<lane, f)
		}
		return nil, 0, false
	}
	return c, int(a - sharedBase), true
}

// bulkBytes is the size operand of a copy of plain bytes: a multiple of 16.
func (w *warp) bulkBytes(op *bulkOp, in *instr, lane int) int {
	n := w.regs[op.size][lane]
	if n%16 != 0 {
		w.report(in, 1<<lane, Finding{Kind: Misaligned, Msg: itoa(int(n)) + " bytes: the size of a bulk copy must be a multiple of 16"})
	}
	return int(n &^ 15)
}

// mapAt reads the tensor map that the lane names and its coordinates.
func (w *warp) mapAt(op *bulkOp, in *instr, lane int) (m *tensorMap, at [5]int64, ok bool) {
	addr := w.laneAddress(&op.other, lane)
	x := &w.access
	x.in, x.space, x.bytes = in, generic, mapBytes
	x.addr[lane] = addr
	sp, a := splitGeneric(addr)
	if op.other.space != generic {
		sp, a = op.other.space, addr
	}
	var b []byte
	switch sp {
	case paramSpace:
		if p := w.cta.run.params; a+mapBytes <= uint64(len(p)) {
			b = p[a : a+mapBytes]
		}
	case global, constant_:
		if al := w.cta.run.space.find(a, mapBytes); al != nil {
			b = al.data[a-al.base:][:mapBytes]
		}
	}
	m, ok = decodeMap(b)
	if sp == global {
		w.staleMap(in, lane, a)
	}
	wrong := ""
	switch {
	case !ok:
		wrong = "there is no tensor map at this address"
	case m.rank != op.rank:
		wrong = "a copy of " + itoa(op.rank) + " dimensions by a tensor map of " + itoa(m.rank)
	case m.im2col != op.im2col:
		wrong = "a copy in one of the modes tile and im2col by a tensor map made for the other"
	case op.picks != "" && m.count(1) != 1:
		wrong = "a copy of four rows by a tensor map whose box has " + itoa(m.count(1))
	default:
		wrong = m.wrong()
	}
	if wrong != "" {
		w.reportMap(in, lane, wrong)
		return nil, at, false
	}
	m.picks = op.picks != ""
	for i, r := range op.offsets {
		m.offsets[i] = int64(w.regs[r][lane] & 0xffff)
	}
	for i, r := range op.coords {
		at[i] = int64(int32(w.regs[r][lane]))
	}
	return m, at, true
}

// bulkSource reads what a copy brings to shared memory.
func (w *warp) bulkSource(op *bulkOp, in *instr, lane int) (data []byte, swizzle Swizzle, ok bool) {
	if op.tensor {
		m, at, ok := w.mapAt(op, in, lane)
		if !ok {
			return nil, 0, false
		}
		data = make([]byte, m.bytes())
		width := m.count(0) * m.elem
		m.rows(at, func(off int, addr uint64, lo, hi int) {
			row := data[off : off+width]
			if lo != 0 || hi*m.elem != width {
				m.fillRow(row)
			}
			if lo < hi {
				w.bulkRead(in, lane, addr+uint64(lo*m.elem), row[lo*m.elem:hi*m.elem])
			}
		})
		return data, m.swizzle, true
	}
	data = make([]byte, w.bulkBytes(op, in, lane))
	if op.local {
		c, off, ok := w.window(&op.other, in, lane, len(data), 16)
		if !ok {
			return nil, 0, false
		}
		copy(data, c.shared[off:])
		w.asyncRead(in, lane, c, off, len(data))
		return data, 0, true
	}
	w.bulkRead(in, lane, w.laneAddress(&op.other, lane), data)
	return data, 0, true
}

// asyncRead checks a read by the async proxy that is over at once.
func (w *warp) asyncRead(in *instr, lane int, c *cta, off, n int) {
	if c.shadow == nil || n == 0 {
		return
	}
	a := *w.accessor(in, lane, c)
	a.Proxy = w.clock.proxy
	if f, by := c.shadow.mem.Read(&a, off, n); f != shadow.None {
		w.sharedFault(&w.access, lane, f, by, c)
	}
}

// bulkLoad starts a copy into shared memory, of one block or of several.
func (w *warp) bulkLoad(op *bulkOp, in *instr, lane int) {
	data, swizzle, ok := w.bulkSource(op, in, lane)
	if !ok {
		return
	}
	align := 16
	if op.tensor {
		align = 128
	}
	targets := []*cta{nil}
	if op.mask != none {
		targets = targets[:0]
		for r, c := range w.cta.cluster.ctas {
			if w.regs[op.mask][lane]>>r&1 != 0 {
				targets = append(targets, c)
			}
		}
	}
	c, off, ok := w.window(&op.shared, in, lane, len(data), align)
	if !ok {
		return
	}
	b, bc, barOff := w.mbarAt(&op.bar, in, lane)
	if b == nil {
		return
	}
	placed := make([]byte, len(data))
	for i := 0; i < len(data); i += 16 {
		a := uint64(off + i + sharedBase)
		copy(placed[int(swizzle.apply(a))-sharedBase-off:], data[i:i+16])
	}
	w.access.addr[lane] = uint64(off + sharedBase)
	w.access.bytes = len(data)
	w.cta.worker.counts[in.pc].moved += uint64(len(data) * len(targets))
	for _, t := range targets {
		if t != nil {
			c, bc = t, t
			if b = t.mbars.at[barOff]; b == nil {
				w.report(in, 1<<lane, w.access.misuse(lane, "block "+itoa(t.rank)+" of the multicast has no mbarrier at this place"))
				continue
			}
		}
		if bc != c && !(op.pair && bc.rank^1 == c.rank) {
			w.report(in, 1<<lane, w.access.misuse(lane, "the mbarrier of a bulk copy must be in the block of the destination"))
			return
		}
		w.startLoad(&bulkLoad{w, lane, in, b.phase, c, off, placed}, b)
	}
}

// startLoad puts bytes on their way to shared memory; mbarrier b is told when they land.
func (w *warp) startLoad(load *bulkLoad, b *mbar) {
	in, lane, c, off, n := load.in, load.lane, load.owner, load.off, len(load.data)
	if c.shadow == nil {
		load.land(b)
		return
	}
	if c.mbars.touches(off, n) {
		w.report(in, 1<<lane, w.access.misuse(lane, "copies over an mbarrier that is in use"))
	}
	if f, by := c.shadow.mem.LaunchAs(w.accessor(in, lane, c), off, n, shadow.OfAgent(c.copyEntry(b), in.pc)); f != shadow.None {
		w.sharedFault(&w.access, lane, f, by, c)
	}
	for i := range n {
		c.shared[off+i] = poison
	}
	b.copies = append(b.copies, load)
}
