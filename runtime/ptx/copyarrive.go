package ptx

import (
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// copyArrival is an arrival on an mbarrier that a thread's asynchronous copies up to
// some point trigger when they have landed.
type copyArrival struct {
	w    *warp
	cta  *cta // of the mbarrier
	lane uint8
	upTo int // copies of the warp before this one
}

// arriveAfterCopies is cp.async.mbarrier.arrive. Without noinc the phase waits for
// one more arrival, which this one is (PTX ISA, "cp.async.mbarrier.arrive").
func (w *warp) arriveAfterCopies(b *mbar, c *cta, lane int, noinc bool) {
	if !noinc {
		b.pending++
	}
	w.async.awaited[lane] = w.async.issued
	b.copies = append(b.copies, &copyArrival{w, c, uint8(lane), w.async.issued})
	if c.shadow == nil {
		b.landAll()
	}
}

// land brings the copies and arrives. Their bytes count as written by the mbarrier's
// agent, so that whoever waits for it sees them, and nothing else of the thread.
func (a *copyArrival) land(b *mbar) {
	w := a.w
	kept := w.async.pending[:0]
	for k := range w.async.pending {
		c := &w.async.pending[k]
		if c.lane != a.lane || c.number >= a.upTo {
			kept = append(kept, *c)
			continue
		}
		at := int(c.dst) - sharedBase
		copy(w.cta.shared[at:at+int(c.bytes)], c.data[:c.bytes])
		if s := w.cta.shadow; s != nil {
			entry, now := a.cta.copyEntry(b), s.stamp()
			by := shadow.Of(w.id*lanes.Width+int(c.lane), c.in.pc, false)
			s.mem.LandAs(by, shadow.OfRemote(entry, c.in.pc, false), at, int(c.bytes), now)
			b.clock[entry] = now
		}
	}
	w.async.pending = kept
	if b.pending > 0 {
		b.pending--
	}
	b.settle(a.cta.cluster)
}
