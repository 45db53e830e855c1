package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
)

// agree makes the edges of sums the same for all contractions that add to them.
//
// Products leave out what lies beyond the edges of tensors: rows and columns that an operand does not have are not in the sums either, and
// how sums lie in L0C depends on how many rows they have. A contraction that knows of no edge takes the others'. Where edges differ, or
// change while sums are added up, operands are cleared before they are filled, and multiplied as a whole.
func (c *cuber) agree() {
	edge := c.operandEdges()
	sums := c.summings(c.f.Body)
	for again := true; again; {
		again = false
		for _, s := range sums {
			for _, side := range s.sides {
				if _, ok := s.common(side, edge); ok {
					continue
				}
				for _, o := range side {
					again = again || edge(o) != nil
					c.tiles[o.tile].cleared = true
				}
			}
		}
	}
	for _, s := range sums {
		for side := range s.sides {
			e, _ := s.common(s.sides[side], edge)
			for _, op := range s.adds {
				edges := c.edges[op]
				edges[side] = e
				c.edges[op] = edges
			}
		}
	}
}

// operand is a dimension of an operand that is one of the sums, too.
type operand struct {
	tile *ir.Buffer
	dim  int
}

// operandEdges returns where operands end, nil at the end of their tile. Those that are filled from several places are cleared if the edges
// differ, and those that may not be filled at all, as what lies in no matrix of their tensor: a product does not know what has happened.
func (c *cuber) operandEdges() func(operand) *ir.Expr {
	edges, several := loadedEdges(c.f)
	for t, tile := range c.tiles {
		tile.cleared = tile.cleared || several[t]
	}
	return func(o operand) *ir.Expr {
		if e := edges[o.tile]; e != nil && !c.tiles[o.tile].cleared {
			return e[o.dim]
		}
		return nil
	}
}

// loadedEdges returns where the matrices end that are copied from tensors to tiles, rows and columns, by tile; and the tiles which have
// several such edges, or may not be filled at all.
func loadedEdges(f *ir.Func) (edges map[*ir.Buffer][]*ir.Expr, several map[*ir.Buffer]bool) {
	edges, several = map[*ir.Buffer][]*ir.Expr{}, map[*ir.Buffer]bool{}
	f.Body.Walk(func(op *ir.Op) {
		if op.Code != ir.OpCopy {
			return
		}
		if m, ok := aicore.MatrixCopyOf(op); ok && m.Load {
			t := op.Dst.Buf
			known := edges[t]
			several[t] = several[t] || m.Cond != nil || known != nil && !(sameEdge(known[0], m.High[0]) && sameEdge(known[1], m.High[1]))
			edges[t] = m.High
		}
	})
	return edges, several
}

// summing is the adding up of sums from where they are set to zero.
type summing struct {
	adds     []*ir.Op     // contractions
	sides    [2][]operand // their rows and columns, by contraction
	changing map[*ir.Var]bool
}

// summings finds where sums are added up.
func (c *cuber) summings(b *ir.Block) (all []*summing) {
	if b == nil {
		return nil
	}
	for at, op := range b.Ops {
		all = append(all, c.summings(op.Body)...)
		all = append(all, c.summings(op.Else)...)
		if op.Code != ir.OpMap || c.tiles[op.Dst.Buf] == nil || !c.tiles[op.Dst.Buf].sums {
			continue
		}
		s := &summing{changing: variables(b.Ops[at+1:])}
		(&ir.Block{Ops: b.Ops[at+1:]}).Walk(func(o *ir.Op) {
			if o.Code != ir.OpContract || o.Dst.Buf != op.Dst.Buf {
				return
			}
			p, _ := ir.AsProduct(o)
			rows, cols := operand{p.A.Buf, 1}, operand{p.B.Buf, 1}
			if p.AKLast {
				rows.dim = 0
			}
			if p.BKLast {
				cols.dim = 0
			}
			s.adds = append(s.adds, o)
			s.sides[0], s.sides[1] = append(s.sides[0], rows), append(s.sides[1], cols)
		})
		all = append(all, s)
	}
	return all
}

// common is the one edge of operands, nil if there is none. It is not ok if there are several, or one that changes.
func (s *summing) common(side []operand, edge func(operand) *ir.Expr) (e *ir.Expr, ok bool) {
	var all []*ir.Expr
	for _, o := range side {
		all = append(all, edge(o))
	}
	return commonEdge(all, s.changing)
}

// commonEdge is the one edge among several, of which nil says nothing; nil if there is none. It is not ok if there are different ones, or
// one that changes.
func commonEdge(all []*ir.Expr, changing map[*ir.Var]bool) (e *ir.Expr, ok bool) {
	for _, x := range all {
		switch {
		case x == nil:
		case e == nil:
			e = x
		case !sameEdge(e, x):
			return nil, false
		}
	}
	if e != nil && usesAny(e, changing) {
		return nil, false
	}
	return e, true
}

func sameEdge(a, b *ir.Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.String() == b.String()
}
