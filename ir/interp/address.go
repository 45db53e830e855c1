package interp

import (
	"tilec/internal/diag"
	"tilec/ir"
)

// address is where an access goes, a row at a time.
type address struct {
	buf  int
	span diag.Span
	// index is the indices; affine is them too, or nil because one of them is
	// not affine in the row variable.
	index  []node[int64]
	affine []affine
	write  bool
	// async says that it is written by an asynchronous copy.
	async bool
	// shared says who touches which element of watched memory.
	shared *sharedAccess
}

// addressOf compiles the indices of an access.
func (c *compiler) addressOf(a *ir.Access, write bool) *address {
	ad := &address{buf: c.bufferNumber(a.Buf), span: a.Span, write: write, async: write && c.op != nil && c.op.Async, shared: c.sharedAccess(a, write)}
	if len(a.Index) != len(a.Buf.Shape) {
		c.fail("%s has %d indices, not %d", a.Buf.Name, len(a.Index), len(a.Buf.Shape))
		return ad
	}
	for _, x := range a.Index {
		ad.index = append(ad.index, c.ints(x))
		if f, ok := c.affineOf(x); ok {
			ad.affine = append(ad.affine, f)
		}
	}
	if len(ad.affine) < len(ad.index) {
		ad.affine = nil
	}
	return ad
}

// varies reports that lanes touch different elements.
func (ad *address) varies() bool {
	for _, x := range ad.index {
		if x.row != nil {
			return true
		}
	}
	return false
}

// run is the elements that a row touches: off + step*lane, all in bounds in the
// active lanes; or, when offs is not nil, offs[lane].
type run struct {
	off, step int
	offs      []int64
}

func (r run) at(l int) int {
	if r.offs != nil {
		return int(r.offs[l])
	}
	return r.off + r.step*l
}

// locate finds the elements that the active lanes touch; ok is false after a
// fault. offs is scratch space of the frame.
func (ad *address) locate(fr *frame, st *store, m mask) (r run, ok bool) {
	if ad.affine == nil && len(ad.index) > 0 {
		return ad.gather(fr, st, m)
	}
	inside := true
	for d := range ad.affine {
		x := &ad.affine[d]
		s, k := x.start(fr), x.coef
		first, last, n := s+k*int64(m.lo), s+k*int64(m.hi-1), int64(st.ext[d])
		inside = inside && 0 <= first && first < n && 0 <= last && last < n && (x.narrow == nil || x.exact(fr, m))
		r.off += int(s) * st.stride[d]
		r.step += int(k) * st.stride[d]
	}
	if inside {
		return r, true
	}
	return ad.gather(fr, st, m)
}

// gather locates lane by lane.
func (ad *address) gather(fr *frame, st *store, m mask) (r run, ok bool) {
	offs := fr.tmpI.take(m.hi)
	clear(offs[m.lo:m.hi])
	top := fr.tmpI.top
	defer func() { fr.tmpI.top = top }()
	for d := range st.ext {
		idx := fr.tmpI.take(m.hi)
		ad.index[d].fill(fr, m, idx)
		if fr.fault != nil {
			return r, false
		}
		for l := m.lo; l < m.hi; l++ {
			switch {
			case !m.active(l):
				continue
			case idx[l] < 0 || idx[l] >= int64(st.ext[d]):
				ad.outside(fr, st, l)
				return r, false
			}
			offs[l] += idx[l] * int64(st.stride[d])
		}
	}
	return run{offs: offs}, true
}

// outside reports the element that lane l touches.
func (ad *address) outside(fr *frame, st *store, l int) {
	at := make([]int64, len(st.ext))
	one := mask{lo: l, hi: l + 1}
	for d := range at {
		idx := fr.tmpI.take(l + 1)
		ad.index[d].fill(fr, one, idx)
		at[d] = idx[l]
	}
	fr.fail(ad.span, "%s of %s is outside its shape %s", ad.verb(), element(st.buf, at), shapeText(st.ext))
}

func (ad *address) verb() string {
	if ad.write {
		return "write"
	}
	return "read"
}
