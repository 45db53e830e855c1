package interp

import (
	"bytes"
	"sync/atomic"

	"tilec/ir"
)

// recording says whether hazards remember a read; a read whose element the same
// thread goes on to write needs no memory of its own.
type recording bool

const (
	recorded   recording = true
	unrecorded recording = false
)

// loadOf compiles a read of an element as a value of type t, the lane of tr.
func loadOf[T lane](c *compiler, tr *traits[T], a *ir.Access, t ir.DType) node[T] {
	var zero T
	if a == nil || a.Buf == nil {
		return malformed[T](c, &ir.Expr{Op: ir.Load, Type: t})
	}
	if stored := c.elemOf(a.Buf); kindOf(stored) != kindOf(t) {
		wide := &ir.Expr{Op: ir.Load, Type: stored, At: a}
		return exprOf[T](c, ir.CastTo(t, wide))
	}
	ad := c.addressOf(a, false)
	rec := recording(c.updated == nil || c.updated.Buf != a.Buf || !sameIndices(c.updated, a))
	guard := c.filterOf(a.Guard)
	fallback := constant(zero)
	if a.Else != nil {
		fallback = exprOf[T](c, ir.CastTo(t, a.Else))
	}
	if !ad.varies() && (a.Guard == nil || !c.varies(a.Guard)) && fallback.row == nil {
		return loadOne(tr, ad, guard, fallback.one, rec)
	}
	elseFaults := a.Else != nil && faults(a.Else)
	return node[T]{row: func(fr *frame, m mask, out []T) {
		mark := fr.mark()
		defer fr.release(mark)
		if guard != nil {
			in := guard(fr, m)
			fillElse(fr, fallback, elseFaults, m, in, out)
			if in.empty() {
				return
			}
			m = in
		}
		st := fr.bufs[ad.buf]
		r, ok := ad.locate(fr, st, m)
		if !ok || !readable(fr, st, ad, r, m, rec) {
			return
		}
		cells := tr.cells(st)
		switch {
		case r.offs == nil && m.bits == nil && r.step == 1:
			copy(out[m.lo:m.hi], cells[r.off+m.lo:r.off+m.hi])
		case r.offs == nil && m.bits == nil:
			for l := m.lo; l < m.hi; l++ {
				out[l] = cells[r.off+r.step*l]
			}
		default:
			for l := m.lo; l < m.hi; l++ {
				if m.active(l) {
					out[l] = cells[r.at(l)]
				}
			}
		}
	}}
}

// loadOne is a load of the same element in every lane.
func loadOne[T lane](tr *traits[T], ad *address, guard filter, fallback func(*frame) T, rec recording) node[T] {
	return node[T]{one: func(fr *frame) (v T) {
		mark := fr.mark()
		defer fr.release(mark)
		m := mask{hi: 1}
		if guard != nil && guard(fr, m).empty() {
			return fallback(fr)
		}
		st := fr.bufs[ad.buf]
		r, ok := ad.locate(fr, st, m)
		if !ok || !readable(fr, st, ad, r, m, rec) {
			return v
		}
		return tr.cells(st)[r.at(0)]
	}}
}

// fillElse gives the lanes of m that are not in its part in their fallback; the
// lanes of in may be overwritten, for they are loaded next.
func fillElse[T lane](fr *frame, fallback node[T], faults bool, m, in mask, out []T) {
	switch {
	case in.empty():
		fallback.fill(fr, m, out)
	case faults:
		bits := fr.tmpB.take(m.hi)
		clear(bits[m.lo:m.hi])
		for l := in.lo; l < in.hi; l++ {
			bits[l] = in.active(l)
		}
		if left := m.restrict(bits, false); !left.empty() {
			fallback.fill(fr, left, out)
		}
	default:
		if m.lo < in.lo {
			fallback.fill(fr, mask{m.lo, in.lo, m.bits}, out)
		}
		if in.hi < m.hi {
			fallback.fill(fr, mask{in.hi, m.hi, m.bits}, out)
		}
		if in.bits != nil {
			fallback.fill(fr, mask{lo: in.lo, hi: in.hi}, out)
		}
	}
}

// readable checks that the active lanes may read what they touch.
func readable(fr *frame, st *store, ad *address, r run, m mask, rec recording) bool {
	switch {
	case st.written == nil:
	case r.offs == nil && m.bits == nil && r.step == 1:
		if l := bytes.IndexByte(st.written[r.off+m.lo:r.off+m.hi], 0); l >= 0 {
			fr.unwritten(st, ad, r.at(m.lo+l))
			return false
		}
	default:
		for l := m.lo; l < m.hi; l++ {
			if m.active(l) && st.written[r.at(l)] == 0 {
				fr.unwritten(st, ad, r.at(l))
				return false
			}
		}
	}
	if st.writers != nil {
		me := fr.writer()
		for l := m.lo; l < m.hi; l++ {
			if !m.active(l) {
				continue
			}
			switch w := atomic.LoadUint32(&st.writers[r.at(l)]); {
			case w == 0 && st.buf.Kind == ir.Out:
				fr.unwritten(st, ad, r.at(l))
				return false
			case w != 0 && w != me && w != byAtomics:
				fr.fail(ad.span, "read of %s, which another grid instance (number %d) writes", element(st.buf, st.indices(r.at(l))), w-1)
				return false
			}
		}
	}
	if st.watched != nil {
		return fr.hazards.read(fr, st, ad, r, m, rec)
	}
	return true
}

func (fr *frame) unwritten(st *store, ad *address, off int) {
	fr.fail(ad.span, "read of %s, which nothing has written", element(st.buf, st.indices(off)))
}
