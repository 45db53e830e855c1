package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// sharedShadow watches a block's shared memory.
type sharedShadow struct {
	mem   *shadow.Shared
	time  uint32 // last stamp given out
	start uint32 // stamps up to here are of earlier blocks
	// flags are the clocks that strong accesses of a word have released.
	flags map[uint64]shadow.Clock
	// ended is the clock of the warps that have ended.
	ended shadow.Clock
}

// warpClock is a warp's view of the others' progress.
type warpClock struct {
	acc     shadow.Access
	fence   shadow.Clock // at the last fence: what relaxed accesses release
	pending shadow.Clock // what relaxed accesses saw: acquired by the next fence
}

func newSharedShadow(size, warps int, granule uint) *sharedShadow {
	return &sharedShadow{
		mem: shadow.NewShared(size, granule, warps), flags: map[uint64]shadow.Clock{},
		ended: make(shadow.Clock, warps),
	}
}

// sharedGranule is the logarithm of the smallest access to shared memory in the program.
func (p *program) sharedGranule() uint {
	least := 16
	for i := range p.code {
		var op *memOp
		switch x := p.code[i].x.(type) {
		case *memOp:
			op = x
		case *atomOp:
			op = &x.memOp
		case *matrixOp:
			op = &x.memOp
		case *copyOp:
			op = &x.dst
		default:
			continue
		}
		if op.space == shared || op.space == generic {
			least = min(least, op.bytes)
		}
	}
	return uint(bits.TrailingZeros(uint(least)))
}

// startClocks begins a block: no warp has seen anything of another.
func (c *cta) startClocks() {
	s := c.shadow
	if s == nil {
		return
	}
	if s.time > shadow.MaxStamp/2 {
		s.time = 0
	}
	s.start = s.time
	s.mem.Reset(s.start)
	clear(s.flags)
	for i := range s.ended {
		s.ended[i] = s.time
	}
	for _, w := range c.warps {
		k := &w.clock
		if k.acc.Clock == nil {
			n := len(c.warps)
			k.acc.Clock, k.fence, k.pending = make(shadow.Clock, n), make(shadow.Clock, n), make(shadow.Clock, n)
		}
		for i := range k.acc.Clock {
			k.acc.Clock[i], k.fence[i], k.pending[i] = s.time, s.time, s.time
		}
		k.acc.Since = s.time
		k.acc.Warp = w.id
	}
	s.time++
	for _, w := range c.warps {
		w.clock.acc.Now = s.time
	}
}

// tick starts a new epoch of the warp, after a release.
func (w *warp) tick() {
	s := w.cta.shadow
	s.time++
	w.clock.acc.Now = s.time
}

// publish joins what the warp did and knows into the clock.
func (w *warp) publish(to shadow.Clock) {
	to.Join(w.clock.acc.Clock)
	to[w.id] = max(to[w.id], w.clock.acc.Now)
}

// learn makes the warp ordered after the clock.
func (w *warp) learn(from shadow.Clock) {
	k := &w.clock.acc
	k.Clock.Join(from)
	k.Since = ^uint32(0)
	for u, t := range k.Clock {
		if u != w.id {
			k.Since = min(k.Since, t)
		}
	}
}

// syncArrive and syncRelease order the warps that meet at a barrier.
func (c *cta) syncArrive(w *warp, b *barrier) {
	if c.shadow == nil {
		return
	}
	if len(b.clock) == 0 {
		b.clock = append(b.clock, make(shadow.Clock, len(c.warps))...)
	}
	w.publish(b.clock)
	w.tick()
}

func (c *cta) syncRelease(w *warp, b *barrier) {
	if c.shadow == nil {
		return
	}
	w.learn(b.clock)
	if b.count == 0 {
		w.learn(c.shadow.ended)
	}
}

// fence is a membar or fence by the warp; wide ones reach beyond the block.
func (w *warp) fence(wide bool) {
	if wide && w.cta.run.global != nil {
		w.cta.run.global.Fence(&w.cta.view)
	}
	if w.cta.shadow == nil {
		return
	}
	w.learn(w.clock.pending)
	w.publish(w.clock.fence)
	w.tick()
}

// flagged orders warps through strong accesses of one shared word.
func (w *warp) flagged(x *access, lane int, o order, reads, writes bool) {
	s := w.cta.shadow
	f := s.flags[x.addr[lane]]
	if f == nil {
		f = make(shadow.Clock, len(w.cta.warps))
		s.flags[x.addr[lane]] = f
	}
	if reads {
		w.clock.pending.Join(f)
		if o&acquires != 0 {
			w.learn(f)
		}
	}
	if writes {
		f.Join(w.clock.fence)
		if o&releases != 0 {
			w.publish(f)
			w.tick()
		}
	}
}

// check watches an access whose lanes m are in bounds.
func (w *warp) check(x *access, m uint32) {
	switch x.space {
	case shared:
		if w.cta.shadow != nil {
			w.checkShared(x, m)
		}
	case local:
		w.checkLocal(x, m)
	case global, constant_:
		w.checkGlobal(x, m)
	}
}

func (w *warp) checkShared(x *access, m uint32) {
	s := w.cta.shadow
	pc := x.in.pc
	a := &w.clock.acc
	now := a.Now
	strong, o := x.atomic, order(0)
	switch op := x.in.x.(type) {
	case *memOp:
		strong, o = op.strong || op.tested, op.order
	case *atomOp:
		o = op.order
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := int(x.addr[lane]) - sharedBase
		a.By = shadow.Of(w.id*lanes.Width+lane, pc, strong)
		if strong {
			w.flagged(x, lane, o, !x.store || x.atomic, x.store)
			now = a.Now
			// Whoever acquires what the last fence released through this word comes
			// after this access too.
			if t := w.clock.fence[w.id]; t > s.start {
				a.Now = t
			}
		}
		var f shadow.Fault
		var by shadow.By
		switch {
		case x.async:
			f, by = s.mem.Launch(a, off, x.bytes)
		case x.atomic:
			f, by = s.mem.Read(a, off, x.bytes)
			if f2, by2 := s.mem.Write(a, off, x.bytes); f == shadow.None {
				f, by = f2, by2
			}
		case x.store:
			f, by = s.mem.Write(a, off, x.bytes)
		default:
			f, by = s.mem.Read(a, off, x.bytes)
		}
		a.Now = now
		if f != shadow.None {
			w.sharedFault(x, lane, f, by)
		}
	}
}

// sharedFault reports what the shadow found.
func (w *warp) sharedFault(x *access, lane int, fault shadow.Fault, by shadow.By) {
	kind := SharedRace
	switch fault {
	case shadow.Unwritten:
		kind = Unwritten
	case shadow.InFlightRead:
		kind = AsyncRead
	case shadow.InFlightWrite:
		kind = AsyncOverwrite
	}
	other := int32(none)
	if by != 0 {
		other = by.Instr()
	}
	if w.again(kind, x.in, other) {
		return
	}
	f := x.finding(kind, lane)
	switch fault {
	case shadow.ReadAfterWrite:
		f.Msg = "reads what another warp wrote, with no barrier between"
	case shadow.WriteAfterRead:
		f.Msg = "writes what another warp reads, with no barrier between"
	case shadow.WriteAfterWrite:
		f.Msg = "writes what another warp wrote, with no barrier between"
	}
	if by != 0 {
		f.OtherThread = w.cta.run.thread(by.Thread())
		f.OtherBlock = w.cta.pos
	}
	w.reportPair(x.in, other, 1<<lane, f)
}

// land marks the bytes of a copy as written, now.
func (s *sharedShadow) land(w *warp, c *asyncCopy) {
	a := &w.clock.acc
	a.By = shadow.Of(w.id*lanes.Width+int(c.lane), c.in.pc, false)
	s.mem.Land(a, int(c.dst)-sharedBase, int(c.bytes))
}

// sameLaneStores finds lanes of one store that give one address different values.
func (w *warp) sameLaneStores(x *access, op *memOp, m uint32) {
	last, ordered := uint64(0), true
	for b := m; b != 0; b &= b - 1 {
		a := x.addr[bits.TrailingZeros32(b)] + 1
		if a <= last {
			ordered = false
			break
		}
		last = a
	}
	if ordered {
		return
	}
	for b := m; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b)
		for c := b & (b - 1); c != 0; c &= c - 1 {
			j := bits.TrailingZeros32(c)
			if x.addr[i] != x.addr[j] {
				continue
			}
			for _, r := range op.regs {
				if w.elem(r, i) != w.elem(r, j) {
					f := x.finding(SharedRace, i)
					if x.space == global {
						f.Kind = GlobalRace
					}
					f.Msg = "lanes of one warp store different values to one address"
					f.Mask = 1<<i | 1<<j
					w.report(x.in, 1<<i, f)
					return
				}
			}
		}
	}
}

// checkLocal finds reads of local memory that was never written.
func (w *warp) checkLocal(x *access, m uint32) {
	if w.wrote == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if x.store {
			w.wroteLocal(lane, x.addr[lane], x.bytes)
			continue
		}
		at := lane*w.cta.run.prog.local + int(x.addr[lane])
		for _, ok := range w.wrote[at : at+x.bytes] {
			if !ok {
				w.report(x.in, 1<<lane, x.finding(Unwritten, lane))
				break
			}
		}
	}
}

// wroteLocal marks local bytes as written.
func (w *warp) wroteLocal(lane int, off uint64, n int) {
	if w.wrote == nil {
		return
	}
	at := lane*w.cta.run.prog.local + int(off)
	for i := range n {
		w.wrote[at+i] = true
	}
}
