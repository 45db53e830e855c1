package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// sharedShadow watches a block's shared memory.
type sharedShadow struct {
	*clocks
	mem  *shadow.Shared
	base int // entry of the clocks of the block's first warp
	// ended is the clock of the warps that have ended.
	ended shadow.Clock
}

// clocks are what the blocks of a cluster have in common: their time, and how vector
// clocks are laid out. A block has an entry for each warp, for the wgmma of each
// warpgroup, and for the mbarriers that bulk copies complete on.
type clocks struct {
	warps, groups, barriers int    // entries of a block
	entries                 int    // of a clock
	time                    uint32 // last stamp given out
	start                   uint32 // stamps up to here are of earlier blocks
	// flags are the clocks that strong accesses of a word have released.
	flags map[uint64]shadow.Clock
}

// maxEntries is what shadow.By can name.
const maxEntries = 1000

func newClocks(p *program, blocks, warps int) *clocks {
	c := &clocks{warps: warps, flags: map[uint64]shadow.Clock{}}
	if p.hopper {
		c.groups = (warps + 3) / 4
		c.barriers = min(64, maxEntries/blocks-warps-c.groups)
	}
	c.entries = blocks * c.perBlock()
	return c
}

func (c *clocks) perBlock() int { return c.warps + c.groups + c.barriers }

// stamp gives out a new stamp.
func (c *clocks) stamp() uint32 {
	c.time++
	return c.time
}

// reset begins a cluster: nobody has seen anything of another.
func (c *clocks) reset() {
	if c.time > shadow.MaxStamp/2 {
		c.time = 0
	}
	c.start = c.time
	clear(c.flags)
}

// warpClock is a warp's view of the others' progress.
type warpClock struct {
	acc     shadow.Access
	fence   shadow.Clock // at the last fence: what relaxed accesses release
	pending shadow.Clock // what relaxed accesses saw: acquired by the next fence
	proxy   shadow.Clock // the writes that fences have made visible to the async proxy
}

func newSharedShadow(k *clocks, size int, granule uint, rank int) *sharedShadow {
	base := rank * k.perBlock()
	return &sharedShadow{
		clocks: k, base: base, mem: shadow.NewShared(size, granule, k.warps+k.groups, base), ended: make(shadow.Clock, 2*k.entries),
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
		case *asyncStore:
			op = &x.memOp
		case *copyOp:
			op = &x.dst
		case *wmmaAccess:
			op = &x.memOp
		case *bulkOp:
			least = min(least, 16)
			continue
		case *mbarOp:
			least = min(least, 8)
			continue
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
	s.mem.Reset(s.start)
	for i := range s.ended {
		s.ended[i] = s.start
	}
	for _, w := range c.warps {
		k := &w.clock
		if k.acc.Clock == nil {
			// One array, the clock and what of it the async proxy sees, so that releasing
			// and acquiring move both.
			both := func() shadow.Clock { return make(shadow.Clock, 2*s.entries) }
			all := both()
			k.acc.Clock, k.proxy = all[:s.entries:2*s.entries], all[s.entries:]
			k.fence, k.pending = both(), both()
		}
		for i, all := 0, k.all(); i < len(all); i++ {
			all[i], k.fence[i], k.pending[i] = s.start, s.start, s.start
		}
		k.acc.Since = s.start
		k.acc.Warp, k.acc.Base = w.id, s.base
	}
	now := s.stamp()
	for _, w := range c.warps {
		w.clock.acc.Now = now
	}
}

// all is the clock followed by the proxy's.
func (k *warpClock) all() shadow.Clock { return k.acc.Clock[:2*len(k.acc.Clock)] }

// tick starts a new epoch of the warp, after a release.
func (w *warp) tick() {
	w.clock.acc.Now = w.cta.shadow.stamp()
}

// entry is the warp's in vector clocks.
func (w *warp) entry() int { return w.cta.shadow.base + w.id }

// publish joins what the warp did and knows into the clock.
func (w *warp) publish(to shadow.Clock) {
	to.Join(w.clock.all())
	to[w.entry()] = max(to[w.entry()], w.clock.acc.Now)
}

// fenceProxy makes what the warp did and knows visible to the async proxy.
func (w *warp) fenceProxy() {
	if w.cta.shadow == nil {
		return
	}
	k := &w.clock
	k.proxy.Join(k.acc.Clock)
	k.proxy[w.entry()] = k.acc.Now
	w.tick()
}

// learn makes the warp ordered after the clock.
func (w *warp) learn(from shadow.Clock) {
	s := w.cta.shadow
	w.clock.all().Join(from)
	k := &w.clock.acc
	k.Since = ^uint32(0)
	for u, t := range k.Clock[s.base : s.base+s.warps+s.groups] {
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
		b.clock = append(b.clock, make(shadow.Clock, 2*c.shadow.entries)...)
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
	key := x.addr[lane]
	if x.space == shared {
		key |= uint64(x.owner(w, lane).rank+1) << rankShift
	}
	f := s.flags[key]
	if f == nil {
		f = make(shadow.Clock, 2*s.entries)
		s.flags[key] = f
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
	own := w.cta.shadow
	pc := x.in.pc
	a := &w.clock.acc
	now := a.Now
	strong, o := x.atomic, order(0)
	load, _ := x.in.x.(*memOp)
	switch op := x.in.x.(type) {
	case *memOp:
		strong, o = op.strong || op.tested, op.order
	case *atomOp:
		o = op.order
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		owner := x.owner(w, lane)
		s := owner.shadow
		off := int(x.addr[lane]) - sharedBase
		a.By = shadow.Of(w.id*lanes.Width+lane, pc, strong)
		if owner != w.cta {
			a.By = shadow.OfRemote(w.entry(), pc, strong)
		}
		if x.store && owner.mbars.touches(off, x.bytes) {
			w.report(x.in, 1<<lane, x.misuse(lane, "writes an mbarrier that is in use"))
		}
		if strong {
			w.flagged(x, lane, o, !x.store || x.atomic, x.store)
			now = a.Now
			// Whoever acquires what the last fence released through this word comes
			// after this access too.
			if t := w.clock.fence[w.entry()]; t > own.start {
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
			if f, by = s.mem.Write(a, off, x.bytes); f == shadow.WriteAfterWrite && by.Instr() == pc && w.rewrites(x, lane) {
				f = shadow.None
			}
		case load != nil && load.bytes == x.bytes:
			load.read(func(at, n int) bool {
				if f, by = s.mem.Read(a, off+at, n); f == shadow.Unwritten && s.packed(load, off) {
					f = shadow.None
				}
				return f == shadow.None
			})
		default:
			f, by = s.mem.Read(a, off, x.bytes)
		}
		a.Now = now
		if f != shadow.None {
			w.sharedFault(x, lane, f, by, owner)
		}
	}
}

// rewrites tells that a store by a lane leaves what is there already. Programs let all
// warps store a value that they have in common.
func (w *warp) rewrites(x *access, lane int) bool {
	op, ok := x.in.x.(*memOp)
	if !ok {
		return false
	}
	for k, r := range op.regs {
		if getLE(x.mem[lane][k*op.size:(k+1)*op.size]) != w.elem(r, lane)&(^uint64(0)>>(64-8*op.size)) {
			return false
		}
	}
	return true
}

// packed reports a vector load of which every register that is used has a byte that
// was written: compilers put several small elements into one, and pick those that
// the program asks for.
func (s *sharedShadow) packed(op *memOp, off int) bool {
	if len(op.regs) < 2 {
		return false
	}
	for at := op.unusedHead; at < op.bytes-op.unusedTail; at += op.size {
		if op.wants(at) && !s.mem.Wrote(off+at, op.size) {
			return false
		}
	}
	return true
}

// sharedFault reports what the shadow found.
func (w *warp) sharedFault(x *access, lane int, fault shadow.Fault, by shadow.By, owner *cta) {
	kind := SharedRace
	switch fault {
	case shadow.Unwritten:
		kind = Unwritten
	case shadow.InFlightRead:
		kind = AsyncRead
	case shadow.InFlightWrite, shadow.Busy:
		kind = AsyncOverwrite
	case shadow.NoProxyFence:
		kind = ProxyFence
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
	case shadow.Busy:
		f.Msg = "writes what an asynchronous operation may still be reading"
	case shadow.InFlightRead:
		f.Msg = "reads what an asynchronous copy may not have brought"
	case shadow.InFlightWrite:
		f.Msg = "writes where an asynchronous copy may not have landed"
	case shadow.NoProxyFence:
		f.Msg = "the async proxy reads what ordinary stores wrote, with no fence.proxy.async between"
	}
	if by != 0 {
		f.OtherBlock, f.OtherThread = owner.whoIs(by)
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
		op, _ := x.in.x.(*memOp)
		for k, ok := range w.wrote[at : at+x.bytes] {
			if !ok && (op == nil || op.wants(k)) {
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
