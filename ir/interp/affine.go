package interp

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// affine is an integer expression that changes by the same step from lane to
// lane: start + coef*lane.
type affine struct {
	start func(*frame) int64
	coef  int64
	// narrow are the parts that are computed in integers below 64 bits; where
	// one of them wraps along a row, the row is not affine.
	narrow []narrowPart
}

type narrowPart struct {
	affine
	t ir.DType
}

// exact reports that no part of a wraps in the lanes of m.
func (a *affine) exact(fr *frame, m mask) bool {
	for _, p := range a.narrow {
		s := p.start(fr)
		first, last := s+p.coef*int64(m.lo), s+p.coef*int64(m.hi-1)
		if array.WrapInt(p.t, first) != first || array.WrapInt(p.t, last) != last {
			return false
		}
	}
	return true
}

// affineOf compiles e as an affine expression; ok is false if it is not one.
func (c *compiler) affineOf(e *ir.Expr) (a affine, ok bool) {
	if !e.Type.IsInt() || e.Type == array.U64 {
		return a, false
	}
	a.coef, ok = c.coefficient(e, ir.Index, &a.narrow)
	if ok = ok && a.coef < 1<<31 && a.coef > -1<<31; ok { // no product with a lane wraps

		a.start = c.ints(c.atLane0(e)).one
	}
	return a, ok
}

// coefficient returns by how much e grows with the row variable, and lists the
// narrow parts; within is the type of what e is part of.
func (c *compiler) coefficient(e *ir.Expr, within ir.DType, narrow *[]narrowPart) (k int64, ok bool) {
	if !c.varies(e) {
		return 0, true
	}
	arg := func(i int) int64 {
		if !ok {
			return 0
		}
		var k int64
		k, ok = c.coefficient(e.Args[i], e.Type, narrow)
		return k
	}
	ok = true
	switch e.Op {
	case ir.Ref:
		k = 1
	case ir.Neg:
		k = -arg(0)
	case ir.Add:
		k = arg(0) + arg(1)
	case ir.Sub:
		k = arg(0) - arg(1)
	case ir.Cast:
		if x := e.Args[0].Type; !x.IsInt() || x == array.U64 {
			return 0, false
		}
		k = arg(0)
	case ir.Mul:
		x, y := arg(0), arg(1)
		switch {
		case e.Args[0].IsConst():
			k = e.Args[0].Int * y
		case e.Args[1].IsConst():
			k = x * e.Args[1].Int
		default:
			return 0, false
		}
	default:
		return 0, false
	}
	if ok && e.Type != ir.Index && e.Type != within {
		*narrow = append(*narrow, narrowPart{affine{start: c.ints(c.atLane0(e)).one, coef: k}, e.Type})
	}
	return k, ok
}

// atLane0 is e with the row variable zero.
func (c *compiler) atLane0(e *ir.Expr) *ir.Expr {
	if !c.varies(e) {
		return e
	}
	return e.Subst(map[*ir.Var]*ir.Expr{c.rowVar: ir.Int(0)})
}

// filter narrows a mask to the lanes for which a condition holds. The bits of
// the result may be scratch space of the frame.
type filter func(*frame, mask) mask

// filterOf compiles a condition; nil stands for true and gives nil.
func (c *compiler) filterOf(cond *ir.Expr) filter {
	if cond == nil {
		return nil
	}
	var all filter
	for _, x := range ir.Conjuncts(cond) {
		f, ok := c.rangeFilter(x, false)
		if !ok {
			f = c.bitsFilter(x)
		}
		if first := all; first != nil {
			all = func(fr *frame, m mask) mask {
				if m = first(fr, m); m.empty() {
					return m
				}
				return f(fr, m)
			}
		} else {
			all = f
		}
	}
	return all
}

// rangeFilter compiles conditions that hold on a range of lanes. Where a narrow
// integer may wrap, lanes within the range may drop out of the mask; with whole
// such conditions are left to others.
func (c *compiler) rangeFilter(cond *ir.Expr, whole bool) (f filter, ok bool) {
	if !c.varies(cond) {
		n := c.bools(cond)
		return func(fr *frame, m mask) mask {
			if !n.one(fr) {
				m.hi = m.lo
			}
			return m
		}, true
	}
	if cond.Op == ir.And {
		f, ok1 := c.rangeFilter(cond.Args[0], whole)
		g, ok2 := c.rangeFilter(cond.Args[1], whole)
		if !ok1 || !ok2 {
			return nil, false
		}
		return func(fr *frame, m mask) mask {
			if m = f(fr, m); m.empty() {
				return m
			}
			return g(fr, m)
		}, true
	}
	var small, big *ir.Expr // small + slack <= big
	slack := int64(0)
	switch cond.Op {
	case ir.Lt:
		small, big, slack = cond.Args[0], cond.Args[1], 1
	case ir.Le:
		small, big = cond.Args[0], cond.Args[1]
	case ir.Gt:
		small, big, slack = cond.Args[1], cond.Args[0], 1
	case ir.Ge:
		small, big = cond.Args[1], cond.Args[0]
	default:
		return nil, false
	}
	x, ok1 := c.affineOf(small)
	y, ok2 := c.affineOf(big)
	if !ok1 || !ok2 {
		return nil, false
	}
	k := y.coef - x.coef
	if len(x.narrow)+len(y.narrow) == 0 {
		return func(fr *frame, m mask) mask {
			return m.atLeast(k, distance(x.start(fr), y.start(fr), slack))
		}, true
	}
	if whole {
		return nil, false
	}
	exact := c.bitsFilter(cond)
	return func(fr *frame, m mask) mask {
		if x.exact(fr, m) && y.exact(fr, m) {
			return m.atLeast(k, distance(x.start(fr), y.start(fr), slack))
		}
		return exact(fr, m)
	}, true
}

// distance is x + slack - y, kept within ±2^62, which is beyond any lane; slack
// is 0 or 1.
func distance(x, y, slack int64) int64 {
	const far = 1 << 62
	d := x - y
	switch {
	case x >= 0 && y < 0 && d < 0:
		return far
	case x < 0 && y >= 0 && d >= 0:
		return -far
	}
	return max(min(d, far-1)+slack, -far)
}

// atLeast narrows m to the lanes l with k*l >= low.
func (m mask) atLeast(k, low int64) mask {
	switch {
	case k == 0:
		if low > 0 {
			m.hi = m.lo
		}
	case k > 0:
		m.lo = int(max(int64(m.lo), min(-ir.FloorDiv(-low, k), int64(m.hi))))
	default:
		// l <= low / k, rounded down.
		m.hi = int(min(int64(m.hi), max(ir.FloorDiv(low, k)+1, int64(m.lo))))
	}
	return m
}

// bitsFilter compiles any condition.
func (c *compiler) bitsFilter(cond *ir.Expr) filter {
	row := c.bools(cond).row
	return func(fr *frame, m mask) mask {
		bits := fr.tmpB.take(m.hi)
		row(fr, m, bits)
		return m.restrict(bits, true)
	}
}

// restrict narrows m to the lanes whose bit is want; bits may be overwritten.
func (m mask) restrict(bits []bool, want bool) mask {
	if m.bits != nil {
		for l := m.lo; l < m.hi; l++ {
			bits[l] = (bits[l] == want) && m.bits[l]
		}
		want = true
	}
	if !want {
		for l := m.lo; l < m.hi; l++ {
			bits[l] = !bits[l]
		}
	}
	for m.lo < m.hi && !bits[m.lo] {
		m.lo++
	}
	for m.lo < m.hi && !bits[m.hi-1] {
		m.hi--
	}
	m.bits = bits
	return m
}

// floorMod has the sign of y; by zero gives 0.
func floorMod(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}
