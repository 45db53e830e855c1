package interp

import "tilec/ir"

// assignment is Dst = x at the points of a domain where a condition holds.
type assignment struct {
	dom    []ir.Iter
	rowVar *ir.Var
	dst    *ir.Access
	where  *ir.Expr
	x      *ir.Expr
}

// aliasing says how an assignment reads the buffer that it writes.
type aliasing uint8

const (
	apart     aliasing = iota // not at all
	samePoint                 // only the element that it writes at the same point
	elsewhere                 // other elements too
)

// aliasing finds how dst's buffer is read by a condition and an operand.
func (a *assignment) aliasing() aliasing {
	found := apart
	see := func(e *ir.Expr) bool {
		if e.Op == ir.Load && e.At != nil && e.At.Buf == a.dst.Buf {
			if sameIndices(e.At, a.dst) {
				found = max(found, samePoint)
			} else {
				found = elsewhere
			}
		}
		return true
	}
	a.x.Walk(see)
	a.where.Walk(see)
	a.dst.Guard.Walk(see)
	for _, x := range a.dst.Index {
		x.Walk(see)
	}
	return found
}

// assign compiles an assignment into a buffer of any lane.
func (c *compiler) assign(a assignment) step {
	elem := c.elemOf(a.dst.Buf)
	switch kindOf(elem) {
	case kindF:
		return assignOf(c, laneF, a)
	case kindD:
		return assignOf(c, laneD, a)
	case kindI:
		return assignOf(c, laneI, a)
	case kindB:
		return assignOf(c, laneB, a)
	}
	c.fail("%s has no element type", a.dst.Buf.Name)
	return func(*frame) {}
}

// rowAssignment is an assignment compiled for rows of lane T.
type rowAssignment[T lane] struct {
	tr    *traits[T]
	dom   *domain
	where filter
	dst   *target[T]
	value node[T]
	// apart says that rows write different elements, and may run at once.
	apart bool
}

func assignOf[T lane](c *compiler, tr *traits[T], a assignment) step {
	updated := c.updated
	defer func() { c.updated = updated }()
	defer c.over(a.dom, a.rowVar)()
	if updated == nil {
		c.updated = a.dst
	}
	r := &rowAssignment[T]{
		tr:    tr,
		dom:   c.domainOf(a.dom, a.rowVar),
		where: c.filterOf(a.where),
		dst:   targetOf(c, tr, a.dst),
		value: exprOf[T](c, ir.CastTo(c.elemOf(a.dst.Buf), a.x)),
		apart: oneToOne(a.dom, a.dst),
	}
	switch a.aliasing() {
	case apart:
		return r.direct
	case samePoint:
		return r.byRow
	}
	return r.staged
}

// mask returns the lanes of the current row that are assigned.
func (r *rowAssignment[T]) mask(fr *frame, n int) mask {
	m := mask{hi: n}
	if r.where != nil {
		m = r.where(fr, m)
	}
	return r.dst.narrow(fr, m)
}

// each runs f on every row that has something to assign.
func (r *rowAssignment[T]) each(fr *frame, f func(fr *frame, row int, m mask)) {
	n, rows := r.dom.lanes(fr), r.dom.rows(fr)
	if n == 0 || rows == 0 {
		return
	}
	some := func(fr *frame, lo, hi int) {
		mark := fr.mark()
		defer fr.release(mark)
		r.dom.seek(fr, lo)
		for row := lo; row < hi; row++ {
			if m := r.mask(fr, n); !m.empty() {
				f(fr, row, m)
			}
			if fr.halted() {
				return
			}
			fr.release(mark)
			r.dom.next(fr)
		}
	}
	if r.apart {
		fr.split(rows, n, some)
	} else {
		some(fr, 0, rows)
	}
}

// direct evaluates rows into the buffer itself where they are contiguous.
func (r *rowAssignment[T]) direct(fr *frame) {
	n := r.dom.lanes(fr)
	r.each(fr, func(fr *frame, _ int, m mask) {
		at, ok := r.dst.claim(fr, m)
		if !ok {
			return
		}
		if out, ok := r.dst.window(fr, at, m, n); ok {
			r.value.fill(fr, m, out)
			return
		}
		out := r.tr.arena(fr).take(n)
		r.value.fill(fr, m, out)
		r.dst.put(fr, at, m, out)
	})
}

// byRow evaluates a row before storing it.
func (r *rowAssignment[T]) byRow(fr *frame) {
	n := r.dom.lanes(fr)
	r.each(fr, func(fr *frame, _ int, m mask) {
		out := r.tr.arena(fr).take(n)
		r.value.fill(fr, m, out)
		if fr.fault != nil {
			return
		}
		if at, ok := r.dst.claim(fr, m); ok {
			r.dst.put(fr, at, m, out)
		}
	})
}

// staged evaluates all rows, and where they go, before storing any.
func (r *rowAssignment[T]) staged(fr *frame) {
	mark := fr.mark()
	defer fr.release(mark)
	n, rows := r.dom.lanes(fr), r.dom.rows(fr)
	if _, ok := elements([]int{n, rows}); !ok {
		fr.fail(r.dst.span, "a domain of %d by %d points is too large", rows, n)
		return
	}
	values := r.tr.arena(fr).take(n * rows)
	active := fr.tmpB.take(n * rows)
	offs := fr.tmpI.take(n * rows)
	clear(active)
	st := fr.bufs[r.dst.buf]
	r.each(fr, func(fr *frame, row int, m mask) {
		r.value.fill(fr, m, values[row*n:row*n+n])
		at, ok := r.dst.locate(fr, st, m)
		if !ok {
			return
		}
		for l := m.lo; l < m.hi; l++ {
			active[row*n+l] = m.active(l)
			offs[row*n+l] = int64(at.at(l))
		}
	})
	if fr.fault != nil {
		return
	}
	// Who writes what depends on the row.
	r.dom.seek(fr, 0)
	for row := range rows {
		m := mask{hi: n}.restrict(active[row*n:row*n+n], true)
		at := run{offs: offs[row*n : row*n+n]}
		if !m.empty() {
			if !r.dst.mark(fr, st, at, m) {
				return
			}
			r.dst.put(fr, at, m, values[row*n:row*n+n])
		}
		r.dom.next(fr)
	}
}

// oneToOne reports that different points of a domain certainly touch different
// elements.
func oneToOne(dom []ir.Iter, a *ir.Access) bool {
	for _, it := range dom {
		found := it.Extent.IsInt(1)
		for _, x := range a.Index {
			found = found || x.Op == ir.Ref && x.Var == it.Var
		}
		if !found {
			return false
		}
	}
	return true
}

// sameIndices reports two accesses whose indices are spelled alike.
func sameIndices(a, b *ir.Access) bool {
	if len(a.Index) != len(b.Index) {
		return false
	}
	for i := range a.Index {
		if !sameExpr(a.Index[i], b.Index[i]) {
			return false
		}
	}
	return true
}

func sameExpr(x, y *ir.Expr) bool {
	if x == y {
		return true
	}
	if x == nil || y == nil || x.Op != y.Op || x.Type != y.Type || x.Int != y.Int || x.Float != y.Float ||
		x.Var != y.Var || x.At != nil || y.At != nil || len(x.Args) != len(y.Args) {
		return false
	}
	for i := range x.Args {
		if !sameExpr(x.Args[i], y.Args[i]) {
			return false
		}
	}
	return true
}
