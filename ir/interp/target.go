package interp

import (
	"fmt"
	"sync/atomic"

	"tilec/ir"
)

// target is a compiled Dst: where rows of values go.
type target[T lane] struct {
	*address
	tr    *traits[T]
	guard filter
}

// targetOf compiles Dst for values of the type that its buffer holds.
func targetOf[T lane](c *compiler, tr *traits[T], a *ir.Access) *target[T] {
	return &target[T]{c.addressOf(a, true), tr, c.filterOf(a.Guard)}
}

// narrow returns the lanes of m whose elements are to be written.
func (t *target[T]) narrow(fr *frame, m mask) mask {
	if t.guard == nil || m.empty() {
		return m
	}
	return t.guard(fr, m)
}

// window returns the elements of a row as one slice with lane l at index l, when
// that is what they are and the mask has no bits.
func (t *target[T]) window(fr *frame, r run, m mask, n int) ([]T, bool) {
	cells := t.tr.cells(fr.bufs[t.buf])
	if r.offs != nil || r.step != 1 || m.bits != nil || r.off < 0 || r.off+n > len(cells) {
		return nil, false
	}
	return cells[r.off : r.off+n], true
}

// put stores the active lanes of a row; the mask is already narrowed.
func (t *target[T]) put(fr *frame, r run, m mask, row []T) {
	cells := t.tr.cells(fr.bufs[t.buf])
	switch {
	case r.offs == nil && m.bits == nil && r.step == 1:
		copy(cells[r.off+m.lo:r.off+m.hi], row[m.lo:m.hi])
	default:
		for l := m.lo; l < m.hi; l++ {
			if m.active(l) {
				cells[r.at(l)] = row[l]
			}
		}
	}
}

// claim locates a row and marks its elements as written, or reports why they
// may not be.
func (t *target[T]) claim(fr *frame, m mask) (r run, ok bool) {
	st := fr.bufs[t.buf]
	r, ok = t.locate(fr, st, m)
	return r, ok && t.mark(fr, st, r, m)
}

// mark records located elements as written.
func (t *target[T]) mark(fr *frame, st *store, r run, m mask) bool {
	switch {
	case st.writers != nil:
		me := fr.writer()
		for l := m.lo; l < m.hi; l++ {
			if !m.active(l) {
				continue
			}
			if atomic.LoadUint32(&st.writers[r.at(l)]) == me {
				continue
			}
			if other := st.claim(r.at(l), me); other != 0 && !fr.alone {
				fr.fail(t.span, "write of %s, which %s", element(st.buf, st.indices(r.at(l))), writerText(other))
				return false
			}
		}
	case st.written != nil:
		if r.offs == nil && m.bits == nil && r.step == 1 {
			marks := st.written[r.off+m.lo : r.off+m.hi]
			for l := range marks {
				marks[l] = 1
			}
			break
		}
		for l := m.lo; l < m.hi; l++ {
			if m.active(l) {
				st.written[r.at(l)] = 1
			}
		}
	case st.buf.Kind == ir.In:
		fr.fail(t.span, "%s is only read, and can't be written", st.buf.Name)
		return false
	}
	return st.watched == nil || fr.hazards.write(fr, st, t.address, r, m)
}

func writerText(w uint32) string {
	if w == byAtomics {
		return "atomic operations of grid instances update"
	}
	return fmt.Sprintf("another grid instance (number %d) writes too", w-1)
}
