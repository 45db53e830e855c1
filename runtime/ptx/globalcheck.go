package ptx

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// written is a set of bytes of a buffer, shared by the blocks that run at once.
type written struct{ words []atomic.Uint32 }

func newWritten(n int) *written { return &written{make([]atomic.Uint32, n/32+2)} }

// position is where sets keep the byte of the allocation at off: aligned as its address is.
func (a *allocation) position(off uint64) uint64 { return off + a.base%32 }

// add marks n bytes at off; n is at most 32 and the bytes are aligned to n.
func (s *written) add(off uint64, n int) {
	word := &s.words[off/32]
	mask := uint32(uint64(1)<<n-1) << (off % 32)
	if word.Load()&mask != mask {
		word.Or(mask)
	}
}

// all tells whether n bytes at off are marked, for n and off as in add.
func (s *written) all(off uint64, n int) bool {
	mask := uint32(uint64(1)<<n-1) << (off % 32)
	return s.words[off/32].Load()&mask == mask
}

// maxWatched bounds the buffers whose races are watched, in bytes: the shadow
// takes ten times as much.
const maxWatched = 256 << 20

// watchGlobal gives buffers that the kernel may write their shadows.
func (l *launch) watchGlobal() {
	if l.total > 1<<31-1 {
		return
	}
	l.global = shadow.NewGlobal()
	room := uint64(maxWatched)
	for _, a := range l.space.allocs {
		if a.readOnly || a.constant || a.size > room {
			continue
		}
		room -= a.size
		a.races = shadow.NewWords(int(a.size) + 32)
	}
}

// checkGlobal watches global accesses.
func (w *warp) checkGlobal(x *access, m uint32) {
	run := w.cta.run
	strong, o := x.atomic, order(0)
	switch op := x.in.x.(type) {
	case *memOp:
		strong, o = op.strong, op.order
	case *atomOp:
		o = op.order
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := x.alloc[lane]
		off := x.addr[lane] - a.base
		if strong && w.cta.shadow != nil {
			w.flagged(x, lane, o, !x.store || x.atomic, x.store)
		}
		if strong && x.store && run.global != nil {
			run.global.Flag(&w.cta.view, x.addr[lane], false, true, false, o&releases != 0)
		}
		if !x.store || x.atomic {
			w.checkGlobalRead(x, lane, a, off, x.bytes)
		}
		if !x.store {
			continue
		}
		w.wroteGlobal(x, lane, a, off, x.bytes, strong, func() bool { return w.rewrites(x, lane) })
	}
}

// acquired notes that lanes have read words of global memory by strong operations. Other blocks
// run at the same time: what they release they publish before they write, and what a read
// acquires is looked up after it, so that whoever sees a value knows what led to it.
func (w *warp) acquired(x *access, o order, m uint32) {
	run := w.cta.run
	if run.global == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		run.global.Flag(&w.cta.view, x.addr[bits.TrailingZeros32(m)], true, false, o&acquires != 0, false)
	}
}

// wroteGlobal notes a write of n bytes at off, at most 32 of them. rewrites tells that they hold
// already what is written: see the warp's rewrites.
func (w *warp) wroteGlobal(x *access, lane int, a *allocation, off uint64, n int, strong bool, rewrites func() bool) {
	if a.valid != nil {
		a.valid.add(a.position(off), n)
	}
	c := w.race(x, lane, a, off, n, true, strong)
	if c.Fault == shadow.WriteAfterWrite && rewrites() {
		return
	}
	w.reportRace(c, x, lane, a)
}

// different is for writes whose bytes are not compared with what is there.
func different() bool { return false }

// checkGlobalRead finds reads of bytes of undefined buffers that nobody wrote, and
// of what another block writes.
func (w *warp) checkGlobalRead(x *access, lane int, a *allocation, off uint64, n int) {
	op, ok := x.in.x.(*memOp)
	if a.valid != nil {
		for k := range n {
			if (!ok || op.wants(k)) && !a.valid.all(a.position(off)+uint64(k), 1) {
				f := x.finding(Unwritten, lane)
				f.Msg = a.name
				f.Addr += uint64(k)
				f.Bytes = n - k
				w.report(x.in, 1<<lane, f)
				break
			}
		}
	}
	if x.atomic || a.races == nil {
		return
	}
	w.reportRace(w.race(x, lane, a, off, n, false, ok && (op.strong || op.tested)), x, lane, a)
	if ok && op.stale {
		if by, written := a.races.Written(a.position(off), n); written && !w.again(StaleRead, x.in, by.Instr()) {
			f := x.finding(StaleRead, lane)
			f.Msg = "ld.global.nc of what the kernel itself writes, in " + a.name
			w.reportPair(x.in, by.Instr(), 1<<lane, f)
		}
	}
}

// race finds accesses of different blocks or warps to one byte, one of them a
// write, that nothing orders.
func (w *warp) race(x *access, lane int, a *allocation, off uint64, n int, write, strong bool) shadow.Clash {
	if a.races == nil {
		return shadow.Clash{}
	}
	acc := &w.clock.acc
	acc.By = shadow.Of(w.id*lanes.Width+lane, x.in.pc, strong)
	now := acc.Now
	if strong && w.cta.shadow != nil {
		// As for flags in shared memory.
		if t := w.clock.fence[w.entry()]; t > w.cta.shadow.start {
			acc.Now = t
		}
	}
	c := a.races.Access(&w.cta.view, acc, a.position(off), n, write)
	acc.Now = now
	return c
}

func (w *warp) reportRace(c shadow.Clash, x *access, lane int, a *allocation) {
	if c.Fault == shadow.None || w.again(GlobalRace, x.in, c.By.Instr()) {
		return
	}
	f := x.finding(GlobalRace, lane)
	f.OtherBlock = w.cta.run.position(int64(c.Block))
	f.OtherThread = w.cta.run.thread(c.By.Thread())
	who := "block"
	if c.Block == w.cta.view.ID {
		who = "warp"
	}
	f.Msg = fmt.Sprintf(map[shadow.Fault]string{
		shadow.ReadAfterWrite:  "reads what another %s wrote in %s, with nothing to order them",
		shadow.WriteAfterRead:  "writes what another %s reads in %s, with nothing to order them",
		shadow.WriteAfterWrite: "writes what another %s wrote in %s, with nothing to order them",
	}[c.Fault], who, a.name)
	w.reportPair(x.in, c.By.Instr(), 1<<lane, f)
}

// position gives a block's coordinates by its place in launch order.
func (l *launch) position(index int64) [3]int {
	g := l.grid
	return [3]int{int(index % int64(g[0])), int(index / int64(g[0]) % int64(g[1])), int(index / int64(g[0]) / int64(g[1]))}
}
