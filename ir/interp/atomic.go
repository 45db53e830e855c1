package interp

import (
	"sync"
	"sync/atomic"

	"tilec/ir"
	"tilec/runtime/array"
)

// atomicLocks stripe the elements that atomics update.
const atomicLocks = 64

type locks [atomicLocks]sync.Mutex

// atomic compiles an atomic update of the elements of a domain.
func (c *compiler) atomic(op *ir.Op) step {
	switch t := c.elemOf(op.Dst.Buf); kindOf(t) {
	case kindF:
		return atomicOf(c, laneF, op, func() combiner[float32] { return floatCombiner[float32](c, op.Combine) }, func(x float32) float32 { return roundF(t, x) })
	case kindD:
		return atomicOf(c, laneD, op, func() combiner[float64] { return floatCombiner[float64](c, op.Combine) }, nil)
	case kindI:
		return atomicOf(c, laneI, op, func() combiner[int64] { return intCombiner(c, t, op.Combine) }, func(x int64) int64 { return array.WrapInt(t, x) })
	case kindB:
		return atomicOf(c, laneB, op, func() combiner[bool] { return boolCombiner(c, op.Combine) }, nil)
	}
	c.fail("%s has no element type", op.Dst.Buf.Name)
	return nil
}

func atomicOf[T lane](c *compiler, tr *traits[T], op *ir.Op, how func() combiner[T], fit func(T) T) step {
	elem := c.elemOf(op.Dst.Buf)
	one := func(_, y T) T { return y }
	if op.Combine != ir.Exchange {
		one = how().one
	}
	if op.Var != nil || op.Combine == ir.Exchange || elem.IsFloat() && (op.Combine == ir.Sum || op.Combine == ir.Prod) {
		c.inOrder = true
	}
	old := slot{}
	if op.Var != nil {
		old = c.slotOf(op.Var)
		if op.Var.Type != elem {
			c.fail("old value %s is not of type %s", op.Var.Name, elem)
		}
	}
	v := rowOf(op.Dom)
	defer c.over(op.Dom, v)()
	r := &rowAssignment[T]{
		tr: tr, dom: c.domainOf(op.Dom, v), where: c.filterOf(op.Where),
		dst: targetOf(c, tr, op.Dst), value: exprOf[T](c, ir.CastTo(elem, op.X[0])),
	}
	return func(fr *frame) {
		if op.Var != nil && (r.dom.rows(fr) != 1 || r.dom.lanes(fr) != 1) {
			fr.fail(op.Span, "old value of an atomic on more than one element")
			return
		}
		r.each(fr, func(fr *frame, _ int, m mask) {
			values := tr.arena(fr).take(m.hi)
			r.value.fill(fr, m, values)
			st := fr.bufs[r.dst.buf]
			at, ok := r.dst.locate(fr, st, m)
			if !ok || fr.fault != nil {
				return
			}
			cells := tr.cells(st)
			for l := m.lo; l < m.hi; l++ {
				if !m.active(l) {
					continue
				}
				off := at.at(l)
				if !r.dst.claimAtomic(fr, st, off) {
					return
				}
				mu := &fr.locks[off%atomicLocks]
				mu.Lock()
				before := cells[off]
				after := one(before, values[l])
				if fit != nil {
					after = fit(after)
				}
				cells[off] = after
				mu.Unlock()
				if op.Var != nil {
					tr.vars(fr)[old.at] = before
				}
			}
		})
	}
}

// claimAtomic checks that an atomic may update an element, and marks it.
func (t *target[T]) claimAtomic(fr *frame, st *store, off int) bool {
	switch {
	case st.written != nil && st.written[off] == 0:
		fr.unwritten(st, t.address, off)
		return false
	case st.writers != nil:
		w := &st.writers[off]
		switch old := atomic.LoadUint32(w); {
		case old == byAtomics:
		case old == 0 && st.buf.Kind == ir.Out:
			fr.unwritten(st, t.address, off)
			return false
		case old == 0 || old == fr.writer():
			if atomic.CompareAndSwapUint32(w, old, byAtomics) || atomic.LoadUint32(w) == byAtomics {
				break
			}
			fallthrough
		default:
			fr.fail(t.span, "atomic update of %s, which %s", element(st.buf, st.indices(off)), writerText(old))
			return false
		}
	case st.buf.Kind == ir.In:
		fr.fail(t.span, "%s is only read, and can't be updated", st.buf.Name)
		return false
	}
	if st.watched != nil {
		return fr.hazards.update(fr, st, t.address, off)
	}
	return true
}
