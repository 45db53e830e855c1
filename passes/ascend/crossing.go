package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
)

// crossing is a tile's way from one unit to the other.
type crossing struct {
	ring       *ir.Buffer // in global memory
	full, free int64      // flags, its own until they are numbered
	toCube     bool
	depth      int // of loops around it
}

// ringSlots is how many tiles may be on their way from one unit to the other.
const ringSlots = 4

// bounds are where the rows and columns of sums end, nil at the end of the tile: beyond, operands lie outside of their tensors, and the
// sums are zero. As among the cube's products, those that know of no end take the others', and where ends differ, or change while sums
// are added up, there is none.
func (m *mixer) bounds(contracts []*ir.Op, changing map[*ir.Var]bool) (rows, cols *ir.Expr) {
	var ends [2][]*ir.Expr
	for _, op := range contracts {
		p, ok := ir.AsProduct(op)
		if !ok {
			return nil, nil
		}
		ends[0] = append(ends[0], m.end(p.A.Buf, p.AKLast))
		ends[1] = append(ends[1], m.end(p.B.Buf, p.BKLast))
	}
	rows, _ = commonEdge(ends[0], changing)
	cols, _ = commonEdge(ends[1], changing)
	return rows, cols
}

// end is where an operand ends along what is not summed over, nil if that is not the same wherever it is filled.
func (m *mixer) end(b *ir.Buffer, kLast bool) *ir.Expr {
	r := m.roles[b]
	if r == nil || len(r.writes) > 0 { // the vector unit makes it, to its very end
		return nil
	}
	var end *ir.Expr
	for n, load := range r.loads {
		c, ok := aicore.MatrixCopyOf(load)
		if !ok {
			return nil
		}
		e := c.High[1]
		if kLast {
			e = c.High[0]
		}
		if n > 0 && !sameEdge(e, end) {
			return nil
		}
		end = e
	}
	return end
}

// addingUp are the scalars that change while sums are added up: from where they are set to zero on.
func (r *role) addingUp() map[*ir.Var]bool {
	for at, op := range r.home.Ops {
		if contains(r.zeros, op) {
			return variables(r.home.Ops[at+1:])
		}
	}
	return variables(r.home.Ops)
}

// variables are those that operations define or assign.
func variables(ops []*ir.Op) map[*ir.Var]bool {
	all := map[*ir.Var]bool{}
	(&ir.Block{Ops: ops}).Walk(func(o *ir.Op) {
		if o.Var != nil {
			all[o.Var] = true
		}
	})
	return all
}

func usesAny(e *ir.Expr, changing map[*ir.Var]bool) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Ref && changing[x.Var]
		return !found
	})
	return found
}

// carry takes a tile from one unit to the other, into a tile there: its rows and columns up to where they end, beyond which it is zero.
func (m *mixer) carry(from, to *ir.Buffer, toCube bool, rows, cols *ir.Expr) []*ir.Op {
	if len(from.Shape) != 2 {
		m.refuse(from.Span, "tile `%s` goes from one unit to the other and has %d dimensions: only matrices are supported yet on %s", from.Name, len(from.Shape), m.ctx.Machine.Name)
		return nil
	}
	n := int64(len(m.crossings))
	c := &crossing{full: 2 * n, free: 2*n + 1, toCube: toCube, depth: m.depth}
	c.ring = &ir.Buffer{Name: from.Name + "_ring", Elem: from.Elem, Kind: ir.Tile, Space: ir.Global, Pinned: true, Span: from.Span, Shape: append([]*ir.Expr{ir.Int(ringSlots)}, from.Shape...)}
	m.crossings = append(m.crossings, c)
	put, get := m.half(c, from, true, rows, cols), m.half(c, to, false, rows, cols)
	if toCube {
		for _, op := range get {
			m.cube[op] = true
		}
	} else {
		for _, op := range put {
			m.cube[op] = true
		}
	}
	ops := append(put, &ir.Op{Code: ir.OpAlloc, Buf: to, Span: from.Span})
	return append(ops, get...)
}

// half is one side of a crossing: into the ring, or out of it.
func (m *mixer) half(c *crossing, b *ir.Buffer, put bool, rows, cols *ir.Expr) []*ir.Op {
	side := "_get"
	wait, set := c.full, c.free
	pipe := ir.PipeMTE2
	if put {
		side, wait, set = "_put", c.free, c.full
		pipe = ir.PipeFix
		if c.toCube {
			pipe = ir.PipeMTE3
		}
	}
	v := &ir.Var{Name: c.ring.Name + side, Type: ir.Index, Kind: ir.MutVar, Span: b.Span}
	i, x := iter("i", b.Extent(0))
	j, y := iter("j", b.Extent(1))
	tile := &ir.Access{Buf: b, Index: []*ir.Expr{x, y}, Span: b.Span}
	ring := &ir.Access{Buf: c.ring, Index: []*ir.Expr{ir.RefTo(v), x, y}, Span: b.Span}
	move := &ir.Op{Code: ir.OpCopy, Dom: []ir.Iter{i, j}, Dst: tile, Src: []*ir.Access{ring}, Span: b.Span}
	inside := ir.Conj(below(x, ir.Int(0), rows), below(y, ir.Int(0), cols))
	if put {
		move.Dst, move.Src, move.Where = ring, []*ir.Access{tile}, inside
	} else {
		ring.Guard = inside
	}
	first := &ir.Op{Code: ir.OpVar, Var: v, X: []*ir.Expr{ir.Int(0)}}
	m.head = append(m.head, first)
	ops := []*ir.Op{
		{Code: ir.OpCrossWait, X: []*ir.Expr{ir.Int(wait)}, Span: b.Span},
		move,
		{Code: ir.OpCrossSet, Pipe: pipe, X: []*ir.Expr{ir.Int(set)}, Span: b.Span},
		advance(v, ringSlots),
	}
	if put == !c.toCube {
		m.cube[first] = true
	}
	return ops
}
