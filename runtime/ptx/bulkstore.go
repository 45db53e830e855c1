package ptx

import (
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// bulkState is a warp's copies out of shared memory, in groups of its threads.
type bulkState struct {
	pending []*bulkStore
	commits [lanes.Width]int
}

func (s *bulkState) reset() {
	s.pending = s.pending[:0]
	s.commits = [lanes.Width]int{}
}

// bulkStore is a copy to global memory: it reads shared memory until a wait for the
// read of its group, and its bytes arrive at a full wait.
type bulkStore struct {
	in     *instr
	lane   int
	group  int
	off, n int    // what it reads
	stamp  uint32 // of the reading
	read   bool   // is over
	runs   []stretch
	reduce func(old, b, c uint64) uint64 // nil: the bytes are stored
	elem   int
}

// stretch is a piece of global memory that a copy writes.
type stretch struct {
	addr uint64
	data []byte
}

// bulkStore starts a copy from shared to global memory.
func (w *warp) bulkStore(op *bulkOp, in *instr, lane int) {
	st := &bulkStore{in: in, lane: lane, group: w.bulk.commits[lane], reduce: op.reduce, elem: op.elem}
	var c *cta
	var ok bool
	if op.tensor {
		m, at, good := w.mapAt(op, in, lane)
		if !good {
			return
		}
		st.n = m.bytes()
		if op.function != "" {
			st.elem = m.elem
			if st.reduce, ok = tensorReduction(op.function, mapFloats[m.float], m.elem); !ok {
				w.report(in, 1<<lane, Finding{Kind: Trap, Msg: "elements of the tensor map's type have no such reduction"})
				return
			}
		}
		if c, st.off, ok = w.window(&op.shared, in, lane, st.n, 128); !ok {
			return
		}
		width := m.count(0) * m.elem
		m.rows(at, func(off int, addr uint64, lo, hi int) {
			row := make([]byte, width)
			for i := 0; i < width; i += 16 {
				from := int(m.swizzle.apply(uint64(st.off+off+i+sharedBase))) - sharedBase
				copy(row[i:], c.shared[from:][:min(16, width-i)])
			}
			if lo < hi {
				st.runs = append(st.runs, stretch{addr + uint64(lo*m.elem), row[lo*m.elem : hi*m.elem]})
			}
		})
	} else {
		st.n = w.bulkBytes(op, in, lane)
		if c, st.off, ok = w.window(&op.shared, in, lane, st.n, 16); !ok {
			return
		}
		data := append([]byte(nil), c.shared[st.off:st.off+st.n]...)
		st.runs = []stretch{{w.laneAddress(&op.other, lane), data}}
	}
	w.cta.worker.counts[in.pc].moved += uint64(st.n)
	if c.shadow != nil && st.n > 0 {
		a := *w.accessor(in, lane, c)
		st.stamp = c.shadow.stamp()
		a.Now, a.Proxy = st.stamp, w.clock.proxy
		if f, by := c.shadow.mem.Hold(&a, st.off, st.n); f != shadow.None {
			w.access.bytes = st.n
			w.sharedFault(&w.access, lane, f, by, c)
		}
		w.tick()
	}
	w.bulk.pending = append(w.bulk.pending, st)
}

// finishRead ends the reading of shared memory.
func (st *bulkStore) finishRead(w *warp) {
	if s := w.cta.shadow; s != nil && !st.read && st.n > 0 {
		s.mem.Release(&shadow.Access{Warp: w.id, Now: st.stamp}, st.off, st.n, w.clock.acc.Now)
	}
	st.read = true
}

// finish makes the bytes visible.
func (st *bulkStore) finish(w *warp) {
	st.finishRead(w)
	for _, r := range st.runs {
		w.bulkWrite(st, r.addr, r.data)
	}
}

// drain completes what is left when the warp ends.
func (s *bulkState) drain(w *warp) {
	for _, st := range s.pending {
		st.finish(w)
	}
	s.pending = s.pending[:0]
}

// bulkWaitOp is cp.async.bulk.wait_group.
type bulkWaitOp struct {
	keep int
	read bool // only until the sources have been read
}

func execBulkCommit(w *warp, _ *instr, m uint32) {
	for i := range lanes.Width {
		if m>>i&1 != 0 {
			w.bulk.commits[i]++
		}
	}
}

func execBulkWait(w *warp, in *instr, m uint32) {
	op := in.x.(*bulkWaitOp)
	kept := w.bulk.pending[:0]
	for _, st := range w.bulk.pending {
		due := m>>st.lane&1 != 0 && st.group < w.bulk.commits[st.lane]-op.keep
		switch {
		case due && !op.read:
			st.finish(w)
			continue
		case due:
			st.finishRead(w)
		}
		kept = append(kept, st)
	}
	w.bulk.pending = kept
}
