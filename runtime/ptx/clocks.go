package ptx

import "tilec/runtime/ptx/shadow"

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
