package ptx

import (
	"fmt"
	"math/bits"

	"tilec/runtime/ptx/shadow"
)

// mbarriers are the mbarrier objects of a block, by their offset in shared memory.
// What the word itself holds is opaque (PTX ISA, "mbarrier").
type mbarriers struct {
	at    map[int]*mbar
	words []uint64 // a bit for each 8 bytes that are an mbarrier
	next  int      // number of the next one
}

// mbar is one mbarrier.
type mbar struct {
	number   int
	expected int // arrivals of a phase
	pending  int // arrivals still to come
	tx       int // bytes still to come
	phase    uint64
	copies   []completion // what will complete here, yet to land
	clock    shadow.Clock // released in the present phase
	done     shadow.Clock // released in the phases completed
	expecter int32        // the last instruction that expected bytes, or none
	used     []use        // by the warps of the cluster, by their entries of the clocks
}

// use is the last use of an mbarrier by a warp.
type use struct {
	stamp uint32
	by    shadow.By
}

// completion is an asynchronous operation that signals an mbarrier when it is over.
type completion interface{ land(b *mbar) }

// Limits of an mbarrier's counts (PTX ISA, "Contents of the mbarrier object").
const (
	maxArrivals = 1<<20 - 1
	maxTx       = 1<<20 - 1
)

func (s *mbarriers) reset() {
	clear(s.at)
	clear(s.words)
	s.next = 0
}

// touches tells whether any of n bytes at off belong to an mbarrier.
func (s *mbarriers) touches(off, n int) bool {
	if len(s.at) == 0 {
		return false
	}
	for word := off / 8; word <= (off+n-1)/8; word++ {
		if word/64 < len(s.words) && s.words[word/64]>>(word%64)&1 != 0 {
			return true
		}
	}
	return false
}

func (s *mbarriers) add(c *cta, off, count int) *mbar {
	if s.at == nil {
		s.at = map[int]*mbar{}
		s.words = make([]uint64, len(c.shared)/512+1)
	}
	b := &mbar{number: s.next, expected: count, pending: count, expecter: none}
	if c.shadow != nil {
		b.clock, b.done = make(shadow.Clock, 2*c.shadow.entries), make(shadow.Clock, 2*c.shadow.entries)
		b.used = make([]use, c.shadow.entries)
	}
	s.next++
	s.at[off] = b
	s.words[off/512] |= 1 << (off / 8 % 64)
	return b
}

func (s *mbarriers) remove(off int) {
	delete(s.at, off)
	s.words[off/512] &^= 1 << (off / 8 % 64)
}

// settle ends the phase if all have arrived and all bytes have come.
func (b *mbar) settle(cl *cluster) {
	cl.events++
	if b.pending != 0 || b.tx != 0 {
		return
	}
	b.phase++
	b.pending = b.expected
	b.done.Join(b.clock)
	clear(b.clock)
}

// landAll lets what is in flight to the mbarrier arrive.
func (b *mbar) landAll() {
	for len(b.copies) > 0 {
		c := b.copies[0]
		b.copies = b.copies[1:]
		c.land(b)
	}
}

// entry is the clocks' entry of the copies that complete on the block's mbarrier b.
func (c *cta) copyEntry(b *mbar) int {
	k := c.shadow.clocks
	return c.shadow.base + k.warps + k.groups + b.number%k.barriers
}

// mbarKind is what an mbarrier instruction does.
type mbarKind uint8

const (
	mbarInit mbarKind = iota
	mbarInval
	mbarArrive
	mbarExpect
	mbarComplete
	mbarTest
	mbarCopies // cp.async.mbarrier.arrive
)

// mbarOp is an mbarrier instruction on the object at addr.
type mbarOp struct {
	memOp
	kind    mbarKind
	expect  bool // arrive.expect_tx
	drop    bool // arrive_drop
	partial bool // noComplete
	noinc   bool
	parity  bool
	relaxed bool
	count   int32 // register: arrivals, bytes, parity or state; none
}

func (op *mbarOp) eachReg(f func(r *int32, write bool)) {
	f(&op.addr, false)
	if op.count != none {
		f(&op.count, false)
	}
}

// mbarAt finds the lane's mbarrier, or reports that there is none.
func (w *warp) mbarAt(op *memOp, in *instr, lane int) (*mbar, *cta, int) {
	c, off, ok := w.mbarWord(op, in, lane)
	if !ok {
		return nil, nil, 0
	}
	b := c.mbars.at[off]
	if b == nil {
		w.report(in, 1<<lane, w.access.misuse(lane, "there is no mbarrier here: none was initialised, or it was invalidated"))
		return nil, nil, 0
	}
	if c.shadow != nil {
		if ok, by := c.shadow.mem.Ordered(w.accessor(in, lane, c), off, 8); !ok && !w.again(SharedRace, in, by.Instr()) {
			f := w.access.finding(SharedRace, lane)
			f.Msg = "uses an mbarrier that another warp initialised, with no barrier between"
			f.OtherBlock, f.OtherThread = c.whoIs(by)
			w.reportPair(in, by.Instr(), 1<<lane, f)
		}
		b.used[w.entry()] = use{w.clock.acc.Now, w.clock.acc.By}
	}
	return b, c, off
}

// checkUnused finds uses of an mbarrier by other warps that nothing orders before its end.
func (w *warp) checkUnused(b *mbar, c *cta, in *instr, lane int) {
	for entry, u := range b.used {
		if entry == w.entry() || u.stamp <= w.clock.acc.Clock[entry] || w.again(SharedRace, in, u.by.Instr()) {
			continue
		}
		f := w.access.finding(SharedRace, lane)
		f.Msg = "invalidates an mbarrier that another warp uses, with no barrier between"
		f.OtherBlock, f.OtherThread = c.whoIs(u.by)
		w.reportPair(in, u.by.Instr(), 1<<lane, f)
	}
}

// accessor is the lane's access by in to the shared memory of block c.
func (w *warp) accessor(in *instr, lane int, c *cta) *shadow.Access {
	a := &w.clock.acc
	a.By = shadow.Of(w.id*32+lane, in.pc, false)
	if c != w.cta {
		a.By = shadow.OfRemote(w.entry(), in.pc, false)
	}
	return a
}

// mbarWord finds the block and offset of the 8 bytes of an mbarrier.
func (w *warp) mbarWord(op *memOp, in *instr, lane int) (c *cta, off int, ok bool) {
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, shared, 8, false
	a := w.laneAddress(op, lane)
	x.addr[lane] = a
	sp := shared
	if op.space == generic {
		sp, a = splitGeneric(a)
	}
	c, a = w.cta.blockOf(a)
	if sp != shared || c == nil || a-sharedBase >= uint64(len(c.shared)) || uint64(len(c.shared))-(a-sharedBase) < 8 {
		w.outOfBounds(x, lane)
		return nil, 0, false
	}
	x.addr[lane] = a
	if a%8 != 0 {
		w.misaligned(x, lane)
		return nil, 0, false
	}
	return c, int(a - sharedBase), true
}

// laneAddress is the address that a lane gives.
func (w *warp) laneAddress(op *memOp, lane int) uint64 {
	a := w.valueAt(op.addr, op.wide, lane)
	if !op.wide {
		return uint64(uint32(a) + uint32(op.off))
	}
	return a + uint64(op.off)
}

func execMbarrier(w *warp, in *instr, m uint32) {
	op := in.x.(*mbarOp)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		switch op.kind {
		case mbarInit:
			w.mbarInit(op, in, lane)
		case mbarInval:
			b, c, off := w.mbarAt(&op.memOp, in, lane)
			if b == nil {
				continue
			}
			b.landEnded()
			if len(b.copies) > 0 {
				w.report(in, 1<<lane, w.access.misuse(lane, "invalidates an mbarrier that copies are still to complete on"))
				b.landAll()
			}
			w.checkUnused(b, c, in, lane)
			c.mbars.remove(off)
		case mbarArrive:
			w.mbarArrive(op, in, lane)
		case mbarCopies:
			if b, c, _ := w.mbarAt(&op.memOp, in, lane); b != nil {
				w.arriveAfterCopies(b, c, lane, op.noinc)
			}
		case mbarExpect, mbarComplete:
			b, c, _ := w.mbarAt(&op.memOp, in, lane)
			if b == nil {
				continue
			}
			n := int(int32(w.regs[op.count][lane]))
			if op.kind == mbarComplete {
				n = -n
			}
			w.mbarExpect(b, in, lane, n)
			b.settle(c.cluster)
		}
	}
}

func (w *warp) mbarInit(op *mbarOp, in *instr, lane int) {
	c, off, ok := w.mbarWord(&op.memOp, in, lane)
	if !ok {
		return
	}
	n := int(w.regs[op.count][lane])
	if n < 1 || n > maxArrivals {
		w.report(in, 1<<lane, w.access.misuse(lane, fmt.Sprintf("count %d: it must be 1 to %d", n, maxArrivals)))
		n = 1
	}
	if old := c.mbars.at[off]; old != nil {
		w.report(in, 1<<lane, w.access.misuse(lane, "initialises an mbarrier that is in use: invalidate it first"))
	}
	if c.shadow != nil {
		if f, by := c.shadow.mem.Write(w.accessor(in, lane, c), off, 8); f != shadow.None {
			w.sharedFault(&w.access, lane, f, by, c)
		}
	}
	c.mbars.add(c, off, n)
}

// mbarArrive is arrive and its variants. The state that it gives holds the phase and,
// in its low bits, the arrivals that were pending.
func (w *warp) mbarArrive(op *mbarOp, in *instr, lane int) {
	b, c, _ := w.mbarAt(&op.memOp, in, lane)
	if b == nil {
		return
	}
	n := 1
	if op.expect {
		w.mbarExpect(b, in, lane, int(int32(w.regs[op.count][lane])))
	} else if op.count != none {
		n = int(w.regs[op.count][lane])
	}
	if n < 1 || n > b.pending {
		w.report(in, 1<<lane, w.access.misuse(lane, fmt.Sprintf("%d more arrivals in a phase that lacks %d of %d", n, b.pending, b.expected)))
		n = min(max(n, 0), b.pending)
	}
	if in.d != 0 {
		v := b.phase<<32 | uint64(b.pending)
		w.putElem(&memOp{size: 8}, memReg{in.d, 64}, lane, v)
	}
	if c.shadow != nil && !op.relaxed {
		w.publish(b.clock)
		w.tick()
	}
	if op.drop {
		b.expected = max(b.expected-n, 0)
	}
	b.pending -= n
	if op.partial && b.pending == 0 {
		w.report(in, 1<<lane, w.access.misuse(lane, "the last arrival of a phase, by arrive.noComplete"))
	}
	b.settle(c.cluster)
}

// mbarExpect changes the bytes that the phase waits for.
func (w *warp) mbarExpect(b *mbar, in *instr, lane, n int) {
	b.tx += n
	if n > 0 {
		b.expecter = in.pc
	}
	if b.tx > maxTx || b.tx < -maxTx {
		w.report(in, 1<<lane, w.access.misuse(lane, fmt.Sprintf("a transaction count of %d bytes: the limit is %d", b.tx, maxTx)))
	}
}

// passed tells whether the phase that a lane asks about is over.
func (op *mbarOp) passed(w *warp, b *mbar, lane int) bool {
	if op.parity {
		return uint64(w.regs[op.count][lane]&1) != b.phase&1
	}
	return b.phase > w.valueAt(op.count, true, lane)>>32
}

// ready lets the copies on their way arrive, for a wait has come, and tells whether
// the wait is over for all lanes.
func (op *mbarOp) ready(w *warp, in *instr, m uint32) bool {
	last := ^uint64(0)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := w.laneAddress(&op.memOp, lane)
		if a == last && op.parity {
			continue
		}
		last = a
		b, _, _ := w.mbarAt(&op.memOp, in, lane)
		if b == nil {
			continue
		}
		b.landAll()
		if !op.passed(w, b, lane) {
			return false
		}
	}
	return true
}

// execMbarTest gives what test_wait and try_wait have found.
func execMbarTest(w *warp, in *instr, m uint32) {
	op := in.x.(*mbarOp)
	v := uint32(0)
	for r := m; r != 0; r &= r - 1 {
		lane := bits.TrailingZeros32(r)
		b, c, _ := w.mbarAt(&op.memOp, in, lane)
		if b == nil {
			v |= 1 << lane // or the thread would ask for ever
			continue
		}
		if !op.passed(w, b, lane) {
			continue
		}
		v |= 1 << lane
		if c.shadow != nil && !op.relaxed {
			w.learn(b.done)
		}
	}
	w.setPred(in.p, v, m)
}

// mbarStatus says what the mbarrier that a warp waits for still lacks.
func (w *warp) mbarStatus(op *mbarOp, in *instr, m uint32) string {
	lane := bits.TrailingZeros32(m)
	b, _, _ := w.mbarAt(&op.memOp, in, lane)
	switch {
	case b == nil:
		return "there is no mbarrier"
	case b.tx > 0 || b.tx < 0:
		return fmt.Sprintf("phase %d of the mbarrier at %#x lacks %d of %d arrivals and %d bytes", b.phase, w.access.addr[lane], b.pending, b.expected, b.tx)
	case op.parity:
		return fmt.Sprintf("phase %d of the mbarrier at %#x, parity %d awaited, lacks %d of %d arrivals", b.phase, w.access.addr[lane], w.regs[op.count][lane]&1, b.pending, b.expected)
	}
	return fmt.Sprintf("phase %d of the mbarrier at %#x lacks %d of %d arrivals", b.phase, w.access.addr[lane], b.pending, b.expected)
}
