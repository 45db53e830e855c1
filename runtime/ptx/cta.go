package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// cta is a thread block while it runs. A worker reuses it for one block after another.
type cta struct {
	run      *launch
	worker   *worker
	cluster  *cluster
	rank     int // in the cluster
	pos      [3]int
	index    int64 // position in the grid, x first
	warps    []*warp
	running  int // warps that have not ended
	shared   []byte
	barriers [16]barrier
	clock    uint64
	shuffled []*warp
	mbars    mbarriers
	shadow   *sharedShadow
	view     shadow.Block
	tmem     tensorMemory
	maps     map[uint64]int // of the changed tensor maps, what fences have brought
}

// barrier is one of a block's barriers.
type barrier struct {
	warps   uint32 // those waiting
	arrived int    // threads, of the present round
	count   int    // threads wanted; 0: all of the block
	first   *instr // whoever came first
	popc    int
	and, or bool
	clock   shadow.Clock
}

// newCTA makes the block's memory; reset prepares it for a block.
func newCTA(cl *cluster, rank int) *cta {
	run, wk := cl.run, cl.worker
	c := &cta{run: run, worker: wk, cluster: cl, rank: rank}
	threads := run.block[0] * run.block[1] * run.block[2]
	c.shared = make([]byte, run.sharedBytes())
	p := run.prog
	for id := range (threads + lanes.Width - 1) / lanes.Width {
		w := &warp{cta: c, id: id, hint: &allocation{}}
		w.regs = alignedRegs(p.regs)
		w.tmp = alignedRegs(2)
		w.fragments = make([]float64, p.fragments)
		w.preds = make([]uint32, p.preds)
		w.local = make([]byte, p.local*lanes.Width)
		if run.cfg.Checks&CheckRegisters != 0 && len(p.undefined) > 0 {
			w.undef = alignedRegs(2 * len(p.undefined))
		}
		if run.cfg.Checks&CheckUnwritten != 0 {
			w.wrote = make([]bool, len(w.local))
		}
		for _, k := range p.consts {
			v := k.value
			if k.global != nil {
				v += run.space.symbol[k.global]
			}
			r := &w.regs[k.reg]
			for i := range lanes.Width {
				if k.wide {
					lanes.Wide(r)[i] = v
				} else {
					r[i] = uint32(v)
				}
			}
		}
		c.warps = append(c.warps, w)
	}
	if run.cfg.Checks&CheckShared != 0 {
		c.shadow = newSharedShadow(cl.clocks, len(c.shared), p.sharedGranule(), rank)
	}
	return c
}

// poison is what memory holds before it is written, in checking mode.
const poison = 0xcd

// reset starts the block at that place of the grid.
func (c *cta) reset(index int64) {
	c.index = index
	c.pos = c.run.position(index)
	c.view.Reset(int32(index))
	for i := range c.shared {
		c.shared[i] = poison
	}
	c.barriers = [16]barrier{}
	c.mbars.reset()
	clear(c.maps)
	c.tmem.reset()
	c.clock = 0
	c.running = len(c.warps)
	threads := c.run.block[0] * c.run.block[1] * c.run.block[2]
	for _, w := range c.warps {
		n := min(threads-w.id*lanes.Width, lanes.Width)
		w.fillSpecials(c.run.prog.special)
		for i := range w.local {
			w.local[i] = poison
		}
		clear(w.wrote)
		w.async.reset()
		w.bulk.reset()
		w.groups.reset()
		w.tensors.pending = w.tensors.pending[:0]
		w.clusterArrived, w.clusterRound = 0, none
		w.forget()
		w.start(uint32(uint64(1)<<n - 1))
	}
	c.startClocks()
}

// missing says what a warp at a barrier waits for.
func (c *cta) missing(w *warp, in *instr, s split) string {
	switch op := in.x.(type) {
	case *barrierOp:
	case *mbarOp:
		return w.mbarStatus(op, in, s.mask)
	case *clusterOp:
		return c.cluster.status()
	case *wgmmaOp:
		return "the other warps of the warpgroup"
	default:
		return "other lanes of the warp"
	}
	b := &c.barriers[w.barrierID(in, s.mask)]
	return barrierStatus(b, c)
}

// warpEnded counts a warp out and completes barriers that waited only for it.
func (c *cta) warpEnded(w *warp) {
	c.running--
	w.async.drain(w)
	w.bulk.drain(w)
	if c.shadow != nil {
		w.publish(c.shadow.ended)
	}
	for id := range c.barriers {
		if b := &c.barriers[id]; b.arrived > 0 && b.count == 0 {
			c.tryRelease(id)
		}
	}
	c.cluster.tryRelease()
}

// barrierArrive brings warp w to barrier id.
func (c *cta) barrierArrive(w *warp, in *instr, op *barrierOp, id int) {
	b := &c.barriers[id]
	count := 0
	if op.count != none {
		lane := bits.TrailingZeros32(w.live)
		count = int(w.regs[op.count][lane])
		if count == 0 || count%lanes.Width != 0 || count > len(c.warps)*lanes.Width {
			w.report(in, w.live, Finding{Kind: BarrierMismatch, Msg: "thread count " + itoa(count) + " of a barrier in a block of " + itoa(len(c.warps)*lanes.Width)})
			c.run.stop()
			return
		}
	}
	if b.arrived == 0 {
		*b = barrier{count: count, first: in, and: true, clock: b.clock[:0]}
	} else if b.count != count {
		w.reportPair(in, b.first.pc, w.live, Finding{Kind: BarrierMismatch, Msg: "thread count " + itoa(count) + " at a barrier where others came with " + itoa(b.count)})
	}
	c.syncArrive(w, b)
	b.arrived += lanes.Width
	if op.reduce != "" {
		v := w.predOf(op.pred)
		for k := range w.splits {
			m := w.guarded(in, w.splits[k].mask)
			b.popc += bits.OnesCount32(v & m)
			b.and = b.and && v&m == m
			b.or = b.or || v&m != 0
		}
	}
	if op.arrive {
		w.passBarrier()
	} else {
		b.warps |= 1 << w.id
	}
	c.tryRelease(id)
}

// tryRelease completes the barrier's round if all have come.
func (c *cta) tryRelease(id int) {
	b := &c.barriers[id]
	want := b.count
	if want == 0 {
		want = c.running * lanes.Width
	}
	if b.arrived < want || b.arrived == 0 {
		return
	}
	waiting := b.warps
	c.cluster.events++
	for m := waiting; m != 0; m &= m - 1 {
		w := c.warps[bits.TrailingZeros32(m)]
		c.syncRelease(w, b)
		for k := range w.splits {
			s := &w.splits[k]
			if s.state == atBarrier {
				in := &c.run.prog.code[s.pc]
				w.barrierResult(in, w.guarded(in, s.mask), b)
			}
		}
		w.passBarrier()
	}
	b.arrived, b.warps = 0, 0
}

// barrierResult writes what bar.red gives.
func (w *warp) barrierResult(in *instr, m uint32, b *barrier) {
	v := uint32(0)
	switch in.x.(*barrierOp).reduce {
	case "popc":
		for i := range lanes.Width {
			if m>>i&1 != 0 {
				w.regs[in.d][i] = uint32(b.popc)
			}
		}
		return
	case "and":
		if b.and {
			v = fullMask
		}
	case "or":
		if b.or {
			v = fullMask
		}
	default:
		return
	}
	w.setPred(in.p, v, m)
}
