package ptx

import (
	"math/bits"
	"slices"

	"tilec/runtime/ptx/shadow"
)

// tcCommit is tcgen05.commit.
type tcCommit struct {
	bar  memOp
	mask int32 // register of the blocks of a multicast; none
}

func (op *tcCommit) eachReg(f func(r *int32, write bool)) {
	f(&op.bar.addr, false)
	if op.mask != none {
		f(&op.mask, false)
	}
}

// tcArrival is the arrival that a commit leads to.
type tcArrival struct {
	w     *warp
	lane  int
	in    *instr
	owner *cta
	work  []*tcWork
}

// land ends the operations and arrives.
func (a *tcArrival) land(b *mbar) {
	for _, k := range a.work {
		for _, c := range k.ctas {
			for i := k.from; i < k.from+k.n; i++ {
				if c.tmem.busy[i] == k {
					c.tmem.busy[i] = nil
				}
			}
		}
		if s := a.w.cta.shadow; s != nil {
			row := s.warps + a.w.id/4
			if k.done == 0 {
				k.done = s.stamp()
				for _, off := range k.reads {
					s.mem.Release(&shadow.Access{Warp: row, Now: k.stamp}, int(off), 16, k.done)
				}
				k.reads = nil
			}
			b.clock.Join(k.clock)
			b.clock[s.base+row] = max(b.clock[s.base+row], k.done)
		}
	}
	if b.pending < 1 {
		a.w.report(a.in, 1<<a.lane, Finding{Kind: MbarrierMisuse, Msg: "one more arrival in a phase that lacks none of " + itoa(b.expected)})
		return
	}
	b.pending--
	b.settle(a.owner.cluster)
}

// ended tells that others have waited for all that the arrival stands for.
func (a *tcArrival) ended() bool {
	return !slices.ContainsFunc(a.work, func(k *tcWork) bool { return k.done == 0 })
}

// landEnded lets arrivals come whose operations have ended.
func (b *mbar) landEnded() {
	var rest []completion
	for _, c := range b.copies {
		if a, ok := c.(*tcArrival); ok && a.ended() {
			a.land(b)
		} else {
			rest = append(rest, c)
		}
	}
	b.copies = rest
}

func execTcCommit(w *warp, in *instr, m uint32) {
	op := in.x.(*tcCommit)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		b, bc, off := w.mbarAt(&op.bar, in, lane)
		if b == nil {
			continue
		}
		// All that the thread has begun, also what an earlier commit tracks.
		w.tensors.pending = slices.DeleteFunc(w.tensors.pending, func(k *tcWork) bool { return k.done != 0 })
		var work []*tcWork
		for _, k := range w.tensors.pending {
			if k.lane == lane {
				work = append(work, k)
			}
		}
		targets := []*cta{bc}
		if op.mask != none {
			targets = targets[:0]
			for r, c := range w.cta.cluster.ctas {
				if w.regs[op.mask][lane]>>r&1 != 0 {
					targets = append(targets, c)
				}
			}
		}
		for _, c := range targets {
			tb := c.mbars.at[off]
			if tb == nil {
				w.report(in, 1<<lane, w.access.misuse(lane, "block "+itoa(c.rank)+" of the multicast has no mbarrier at this place"))
				continue
			}
			arrival := &tcArrival{w, lane, in, c, work}
			if w.cta.shadow == nil {
				arrival.land(tb)
				continue
			}
			tb.copies = append(tb.copies, arrival)
		}
	}
}
