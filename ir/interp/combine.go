package interp

// binaryOp is an operation on two values with its loops. Loops that are nil are
// made from one.
type binaryOp[T, R lane] struct {
	one func(x, y T) R
	vv  func(out []R, x, y []T)
	vs  func(out []R, x []T, y T)
	sv  func(out []R, x T, y []T)
}

func (op *binaryOp[T, R]) complete() {
	one := op.one
	if op.vv == nil {
		op.vv = func(out []R, x, y []T) {
			for l := range out {
				out[l] = one(x[l], y[l])
			}
		}
	}
	if op.vs == nil {
		op.vs = func(out []R, x []T, y T) {
			for l := range out {
				out[l] = one(x[l], y)
			}
		}
	}
	if op.sv == nil {
		op.sv = func(out []R, x T, y []T) {
			for l := range out {
				out[l] = one(x, y[l])
			}
		}
	}
}

// binary applies op to two nodes of lane tr.
func binary[T, R lane](tr *traits[T], op binaryOp[T, R], x, y node[T]) node[R] {
	op.complete()
	xo, xr, yo, yr := x.one, x.row, y.one, y.row
	switch {
	case xr == nil && yr == nil:
		one := op.one
		return node[R]{one: func(fr *frame) R { return one(xo(fr), yo(fr)) }}
	case xr == nil:
		return node[R]{row: func(fr *frame, m mask, out []R) {
			a := tr.arena(fr)
			top := a.top
			v := a.take(m.hi)
			yr(fr, m, v)
			op.sv(out[m.lo:m.hi], xo(fr), v[m.lo:m.hi])
			a.top = top
		}}
	case yr == nil:
		return node[R]{row: func(fr *frame, m mask, out []R) {
			a := tr.arena(fr)
			top := a.top
			v := a.take(m.hi)
			xr(fr, m, v)
			op.vs(out[m.lo:m.hi], v[m.lo:m.hi], yo(fr))
			a.top = top
		}}
	}
	return node[R]{row: func(fr *frame, m mask, out []R) {
		a := tr.arena(fr)
		top := a.top
		v, w := a.take(m.hi), a.take(m.hi)
		xr(fr, m, v)
		yr(fr, m, w)
		op.vv(out[m.lo:m.hi], v[m.lo:m.hi], w[m.lo:m.hi])
		a.top = top
	}}
}

// unary applies a function to a node of lane tr; all, when not nil, is its loop.
func unary[T, R lane](tr *traits[T], x node[T], one func(T) R, all func(out []R, x []T)) node[R] {
	if x.row == nil {
		xo := x.one
		return node[R]{one: func(fr *frame) R { return one(xo(fr)) }}
	}
	if all == nil {
		all = func(out []R, x []T) {
			for l := range out {
				out[l] = one(x[l])
			}
		}
	}
	xr := x.row
	return node[R]{row: func(fr *frame, m mask, out []R) {
		a := tr.arena(fr)
		top := a.top
		v := a.take(m.hi)
		xr(fr, m, v)
		all(out[m.lo:m.hi], v[m.lo:m.hi])
		a.top = top
	}}
}

// inPlace applies a function that keeps the lane.
func inPlace[T lane](x node[T], one func(T) T, all func(x []T)) node[T] {
	if x.row == nil {
		xo := x.one
		return node[T]{one: func(fr *frame) T { return one(xo(fr)) }}
	}
	xr := x.row
	return node[T]{row: func(fr *frame, m mask, out []T) {
		xr(fr, m, out)
		out = out[m.lo:m.hi]
		if all != nil {
			all(out)
			return
		}
		for l := range out {
			out[l] = one(out[l])
		}
	}}
}

// ternary applies a function of three values.
func ternary[T lane](tr *traits[T], one func(x, y, z T) T, x, y, z node[T]) node[T] {
	if x.row == nil && y.row == nil && z.row == nil {
		return node[T]{one: func(fr *frame) T { return one(x.one(fr), y.one(fr), z.one(fr)) }}
	}
	return node[T]{row: func(fr *frame, m mask, out []T) {
		a := tr.arena(fr)
		top := a.top
		u, v, w := a.take(m.hi), a.take(m.hi), a.take(m.hi)
		x.fill(fr, m, u)
		y.fill(fr, m, v)
		z.fill(fr, m, w)
		for l := m.lo; l < m.hi; l++ {
			out[l] = one(u[l], v[l], w[l])
		}
		a.top = top
	}}
}

// choose compiles c ? x : y, evaluating of x and y only what is chosen. The
// flags say that evaluating x or y can fault, so that it has to be masked.
func choose[T lane](tr *traits[T], c *condition, x, y node[T], xFaults, yFaults bool) node[T] {
	switch {
	case c.one != nil && x.row == nil && y.row == nil:
		return node[T]{one: func(fr *frame) T {
			if c.one(fr) {
				return x.one(fr)
			}
			return y.one(fr)
		}}
	case c.one != nil:
		return node[T]{row: func(fr *frame, m mask, out []T) {
			if c.one(fr) {
				x.fill(fr, m, out)
			} else {
				y.fill(fr, m, out)
			}
		}}
	case c.span != nil:
		return node[T]{row: func(fr *frame, m mask, out []T) {
			in := c.span(fr, m)
			if !in.empty() {
				fillActive(fr, x, in, out, xFaults)
			} else {
				in.lo, in.hi = m.hi, m.hi
			}
			if below := (mask{m.lo, in.lo, m.bits}); !below.empty() {
				fillActive(fr, y, below, out, yFaults)
			}
			if above := (mask{in.hi, m.hi, m.bits}); !above.empty() {
				fillActive(fr, y, above, out, yFaults)
			}
		}}
	}
	return node[T]{row: func(fr *frame, m mask, out []T) {
		mark := fr.mark()
		bits := fr.tmpB.take(m.hi)
		c.row(fr, m, bits)
		other := tr.arena(fr).take(m.hi)
		narrow := func(want bool) mask {
			copied := fr.tmpB.take(m.hi)
			copy(copied[m.lo:m.hi], bits[m.lo:m.hi])
			return m.restrict(copied, want)
		}
		if !xFaults {
			x.fill(fr, m, out)
		} else if in := narrow(true); !in.empty() {
			x.fill(fr, in, out)
		}
		if !yFaults {
			y.fill(fr, m, other)
		} else if in := narrow(false); !in.empty() {
			y.fill(fr, in, other)
		}
		for l := m.lo; l < m.hi; l++ {
			if !bits[l] {
				out[l] = other[l]
			}
		}
		fr.release(mark)
	}}
}

// fillActive is node.fill for a mask of which no lane may be active.
func fillActive[T lane](fr *frame, n node[T], m mask, out []T, faults bool) {
	if faults && m.bits != nil {
		for m.lo < m.hi && !m.bits[m.lo] {
			m.lo++
		}
		if m.empty() {
			return
		}
	}
	n.fill(fr, m, out)
}

// condition is a compiled condition of a choice: the same in all lanes, true on
// a range of lanes, or anything.
type condition struct {
	one  func(*frame) bool
	span filter
	row  func(*frame, mask, []bool)
}
