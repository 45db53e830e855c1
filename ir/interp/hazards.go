package interp

// hazards watches the shared memory of a grid instance in scheduled form, and
// the tensors through which its threads pass values.
//
// Operations run one after another here, but on the machine each is carried out
// by all threads of a CTA at their own pace. Two accesses to the same memory, one
// of them a write, are ordered only when a barrier stands between them or when
// the same thread makes both. An asynchronous copy may land at any time between
// its issue and the wait that completes its group, so until then nothing may
// touch what it writes; after the wait the element counts as written, at the
// time of the wait, by the thread that issued the copy.
//
// Memory is watched by the byte (or by the largest power of two that all
// elements are made of), not by the buffer: buffers may share bytes in turn.
type hazards struct {
	grains []grain
	// epoch counts barriers, over all instances that the frame has run.
	epoch uint32
	// Groups of asynchronous copies are numbered from 1. Those up to committed
	// are closed, those up to landed complete, from the instance's first on at
	// the epochs in landedAt.
	committed, landed, first uint32
	landedAt                 []uint32
}

// grain is the state of the smallest watched piece of memory: its last write,
// and its last read since the last barrier.
type grain struct {
	wEpoch, rEpoch   uint32
	wThread, rThread int32
	wOp, rOp         int32
	// group is that of the asynchronous copy that made the last write, or 0.
	group uint32
	// owner is one more than the number of the buffer that was written.
	owner int32
}

// Threads that are none.
const (
	manyThreads   int32 = -1 // several, or not known
	atomicThreads int32 = -2 // several, by atomic operations
)

// region is where the elements of a buffer lie in watched memory.
type region struct {
	owner int32
	// first is the first grain by element; nil for a tensor, whose grains follow
	// each other from base.
	first []int32
	base  int
	per   int // grains an element
}

func (w *region) grain(h *hazards, off, i int) *grain {
	if w.first == nil {
		return &h.grains[w.base+off]
	}
	return &h.grains[int(w.first[off])+i]
}

func newHazards(grains int) *hazards {
	return &hazards{grains: make([]grain, grains), epoch: 1, first: 1}
}

// start forgets the instance before: its accesses are ordered before those of
// the next one, its copies have landed.
func (h *hazards) start() {
	h.epoch++
	h.committed++
	h.landed, h.first = h.committed, h.committed+1
	h.landedAt = h.landedAt[:0]
}

func (h *hazards) barrier() { h.epoch++ }

func (h *hazards) commit() { h.committed++ }

// wait completes all groups but the newest n; false if there never was a group.
func (h *hazards) wait(n int) bool {
	if h.committed < h.first {
		return false
	}
	for int64(h.landed) < int64(h.committed)-int64(n) {
		h.landed++
		h.landedAt = append(h.landedAt, h.epoch)
	}
	return true
}

// written returns the epoch of a grain's last write; ok is false while it is in
// flight.
func (h *hazards) written(g *grain) (epoch uint32, ok bool) {
	switch {
	case g.group == 0 || g.group < h.first:
		return g.wEpoch, true
	case g.group > h.landed:
		return 0, false
	}
	return h.landedAt[g.group-h.first], true
}

// racing reports that thread is not ordered after an access of another.
func racing(thread, other int32) bool { return thread != other || thread == manyThreads }

// read checks that the active lanes of a row may read, and remembers it.
func (h *hazards) read(fr *frame, st *store, ad *address, r run, m mask, rec recording) bool {
	w := st.watched
	for l := m.lo; l < m.hi; l++ {
		if !m.active(l) {
			continue
		}
		off := r.at(l)
		thread := ad.shared.thread(fr, l)
		for i := range w.per {
			g := w.grain(h, off, i)
			epoch, landed := h.written(g)
			switch {
			case !landed:
				return h.inFlight(fr, st, ad, off, g)
			case g.owner != w.owner && w.first != nil:
				fr.fail(ad.span, "read of %s, whose memory %s has taken over in\n    %s", element(st.buf, st.indices(off)), fr.prog.buffers[g.owner-1].Name, fr.prog.ops[g.wOp].Header())
				return false
			case epoch == h.epoch && racing(thread, g.wThread):
				return h.race(fr, st, ad, off, "its write", g.wOp, g.group != 0)
			}
			if rec == unrecorded {
				continue
			}
			if g.rEpoch == h.epoch && g.rThread != thread {
				thread = manyThreads
			}
			g.rEpoch, g.rThread, g.rOp = h.epoch, thread, ad.shared.op
		}
	}
	return true
}

// write checks that the active lanes of a row may write, and remembers it.
func (h *hazards) write(fr *frame, st *store, ad *address, r run, m mask) bool {
	group := uint32(0)
	if ad.async {
		group = h.committed + 1
	}
	for l := m.lo; l < m.hi; l++ {
		if m.active(l) && !h.writeOne(fr, st, ad, r.at(l), ad.shared.thread(fr, l), group) {
			return false
		}
	}
	return true
}

// update is write for an atomic operation on one element.
func (h *hazards) update(fr *frame, st *store, ad *address, off int) bool {
	return h.writeOne(fr, st, ad, off, atomicThreads, 0)
}

func (h *hazards) writeOne(fr *frame, st *store, ad *address, off int, thread int32, group uint32) bool {
	w := st.watched
	packed := st.elem.Bits() < 8
	for i := range w.per {
		g := w.grain(h, off, i)
		epoch, landed := h.written(g)
		switch {
		case !landed:
			// Two elements of a copy may share a byte.
			if !packed || g.wOp != ad.shared.op || g.group != group {
				return h.inFlight(fr, st, ad, off, g)
			}
		case epoch == h.epoch && racing(thread, g.wThread) && !(packed && g.wOp == ad.shared.op):
			return h.race(fr, st, ad, off, "its write", g.wOp, g.group != 0)
		case g.rEpoch == h.epoch && racing(thread, g.rThread):
			return h.race(fr, st, ad, off, "its read", g.rOp, false)
		}
		g.wEpoch, g.wThread, g.wOp, g.group, g.owner = h.epoch, thread, ad.shared.op, group, w.owner
	}
	return true
}

// scratch is the use of a reduction's scratch memory: all threads write it, the
// operation's own barrier follows, and all threads read it.
func (h *hazards) scratch(fr *frame, w *region, op int32) {
	ad := &address{write: true, shared: &sharedAccess{op: op}}
	st := fr.bufs[w.owner-1]
	for off := range w.first {
		if !h.writeOne(fr, st, ad, off, manyThreads, 0) {
			return
		}
	}
	h.barrier()
	for _, first := range w.first {
		for i := range w.per {
			g := &h.grains[int(first)+i]
			g.rEpoch, g.rThread, g.rOp = h.epoch, manyThreads, op
		}
	}
}

// inFlight reports an access to what an asynchronous copy may still write.
func (h *hazards) inFlight(fr *frame, st *store, ad *address, off int, g *grain) bool {
	why := "no wait has completed its group"
	if g.group > h.committed {
		why = "its group is not committed"
	}
	fr.fail(ad.span, "%s of %s while a copy to it is in flight: %s\n    %s", ad.verb(), element(st.buf, st.indices(off)), why, fr.prog.ops[g.wOp].Header())
	return false
}

// race reports an access that nothing orders after another one.
func (h *hazards) race(fr *frame, st *store, ad *address, off int, what string, op int32, async bool) bool {
	since := ""
	if async {
		since = " since the wait for it"
	}
	fr.fail(ad.span, "%s of %s races with %s by another thread, no barrier%s between\n    %s", ad.verb(), element(st.buf, st.indices(off)), what, since, fr.prog.ops[op].Header())
	return false
}
