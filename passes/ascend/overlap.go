package ascend

import (
	"maps"

	"tilec/ir"
)

// distances are how many iterations the cube and the vector unit run ahead of what they wait for, the best first. The cube multiplies for
// later iterations before it takes what the vector unit has made, so that copies and flags on the way there and back cost nothing; the
// vector unit lets iterations pass until it takes the second product. Not all go with all orders of the crossings in a loop.
var distances = [][2]int{{3, 3}, {2, 2}, {1, 2}, {1, 1}}

// ahead has both programs run ahead as far as they can without waiting for one another for ever.
func (m *mixer) ahead(cube, vector *ir.Block, half *ir.Var, numbers map[int64]int64) (*ir.Block, *ir.Block) {
	for _, d := range distances {
		c, v := cube.Clone(), vector.Clone()
		m.overlap(c, c, int64(d[0]))
		m.overlap(v, v, int64(d[1]))
		r := &rehearsal{half: half, numbers: numbers, ahead: d}
		if r.inStep(c, v) {
			return c, v
		}
	}
	return cube, vector
}

// overlap has the loops of one unit's program run ahead: where an iteration sends tiles to the other unit and then waits for what that
// makes of them, what depends on the answer runs iterations later, beside what comes before it in those.
func (m *mixer) overlap(program, b *ir.Block, ahead int64) {
	if b == nil {
		return
	}
	var out []*ir.Op
	for _, op := range b.Ops {
		m.overlap(program, op.Body, ahead)
		m.overlap(program, op.Else, ahead)
		if op.Code == ir.OpFor && op.X[2].IsInt(1) {
			s := &shift{crossings: m.crossings, loop: op, ahead: ahead}
			if s.find(program) {
				out = append(out, s.rewrite()...)
			}
		}
		out = append(out, op)
	}
	b.Ops = out
}

// shift is a loop of which a part runs iterations later.
type shift struct {
	crossings []*crossing
	loop      *ir.Op
	ahead     int64
	ends      []end // by operation of the loop's body
	late      []bool
	local     map[*ir.Buffer]bool // of an iteration alone
	delayed   []*ir.Buffer        // made early and read late
}

// end is one side of a crossing that an operation belongs to.
type end struct {
	c   *crossing
	put bool
}

// find says which operations run late; false if there are none, or if the rest depends on them.
func (s *shift) find(program *ir.Block) bool {
	s.sides()
	s.within(program)
	get := -1
	put := false
	for i, e := range s.ends {
		switch {
		case e.c != nil && e.put:
			put = true
		case e.c != nil && put && get < 0:
			get = i
		}
	}
	if get < 0 || !s.simple() {
		return false
	}
	s.late = make([]bool, len(s.ends))
	s.mark(s.ends[get])
	s.follow()
	s.sink()
	first := end{}
	for _, e := range s.ends {
		if e.c != nil && e.put {
			first = e
			break
		}
	}
	for i, e := range s.ends {
		if e == first && s.late[i] {
			return false
		}
	}
	return s.delays()
}

// sides finds what belongs to which crossing.
func (s *shift) sides() {
	s.ends, s.local = make([]end, len(s.loop.Body.Ops)), map[*ir.Buffer]bool{}
	counters := map[*ir.Var]end{}
	for i, op := range s.loop.Body.Ops {
		switch op.Code {
		case ir.OpAlloc:
			s.local[op.Buf] = true
		case ir.OpCrossWait, ir.OpCrossSet:
			for _, c := range s.crossings {
				if op.X[0].IsInt(c.full) || op.X[0].IsInt(c.free) {
					s.ends[i] = end{c, op.X[0].IsInt(c.full) == (op.Code == ir.OpCrossSet)}
				}
			}
		case ir.OpCopy, ir.OpIf: // one of the two vector cores may make it alone
			if op.Code == ir.OpIf {
				if len(op.Body.Ops) != 1 || op.Body.Ops[0].Code != ir.OpCopy {
					continue
				}
				op = op.Body.Ops[0]
			}
			for _, c := range s.crossings {
				if op.Dst.Buf == c.ring {
					s.ends[i] = end{c, true}
					counters[op.Dst.Index[0].Var] = s.ends[i]
				}
				if op.Src[0].Buf == c.ring {
					s.ends[i] = end{c, false}
					counters[op.Src[0].Index[0].Var] = s.ends[i]
				}
			}
		case ir.OpAssign:
			s.ends[i] = counters[op.Var]
		}
	}
}

// within finds the tiles that are declared before the loop, and yet hold nothing from one iteration to the next: each fills them anew.
func (s *shift) within(program *ir.Block) {
	inside, all := map[*ir.Buffer]int{}, map[*ir.Buffer]int{}
	count := func(n map[*ir.Buffer]int) func(*ir.Op) {
		return func(op *ir.Op) {
			r, w := direct(op)
			for b := range r {
				n[b]++
			}
			for b := range w {
				n[b]++
			}
		}
	}
	s.loop.Body.Walk(count(inside))
	program.Walk(count(all))
	seen := map[*ir.Buffer]bool{}
	for _, op := range s.loop.Body.Ops {
		r, w := touched(op)
		for b := range r {
			seen[b] = true
		}
		for b := range w {
			if !seen[b] && b.Kind == ir.Tile && !b.Outside() && inside[b] == all[b] && fills(op) {
				s.local[b] = true
			}
			seen[b] = true
		}
	}
}

// fills reports an operation that writes all of a tile.
func fills(op *ir.Op) bool {
	if op.Code != ir.OpCopy && op.Code != ir.OpMap || op.Where != nil || op.Dst.Guard != nil || len(op.Dom) != len(op.Dst.Buf.Shape) {
		return false
	}
	for d, x := range op.Dst.Index {
		if x.Op != ir.Ref || x.Var != op.Dom[d].Var || op.Dom[d].Extent.Int != op.Dst.Buf.Shape[d].Int {
			return false
		}
	}
	return true
}

// simple reports a body whose scalars depend on the iteration alone, so that they can be computed anew.
func (s *shift) simple() bool {
	ok := true
	for i, op := range s.loop.Body.Ops {
		switch op.Code {
		case ir.OpAssign:
			ok = ok && s.ends[i].c != nil
		case ir.OpVar, ir.OpWhile:
			ok = false
		case ir.OpLet:
			op.Loads(func(*ir.Access) { ok = false })
		default:
			for _, b := range []*ir.Block{op.Body, op.Else} {
				b.Walk(func(o *ir.Op) { ok = ok && o.Code != ir.OpAssign })
			}
		}
	}
	return ok
}

func (s *shift) mark(e end) {
	for i := range s.ends {
		if s.ends[i] == e {
			s.late[i] = true
		}
	}
}

// touched are the buffers that an operation and its blocks read and write.
func touched(op *ir.Op) (reads, writes map[*ir.Buffer]bool) {
	reads, writes = map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
		r, w := direct(o)
		maps.Copy(reads, r)
		maps.Copy(writes, w)
	})
	return reads, writes
}

// direct are the buffers that an operation itself reads and writes.
func direct(op *ir.Op) (reads, writes map[*ir.Buffer]bool) {
	reads, writes = map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	op.Loads(func(a *ir.Access) { reads[a.Buf] = true })
	if op.Dst != nil {
		writes[op.Dst.Buf] = true
	}
	return reads, writes
}

func meet(a, b map[*ir.Buffer]bool) bool {
	for x := range a {
		if b[x] {
			return true
		}
	}
	return false
}

// each calls f for the operations that are late, or for the others, with what they touch.
func (s *shift) each(late bool, f func(i int, op *ir.Op, reads, writes map[*ir.Buffer]bool)) {
	for i, op := range s.loop.Body.Ops {
		if s.late[i] == late && op.Code != ir.OpAlloc && op.Code != ir.OpLet {
			r, w := touched(op)
			f(i, op, r, w)
		}
	}
}

// follow marks what touches something that late operations write.
func (s *shift) follow() {
	for again := true; again; {
		again = false
		written := map[*ir.Buffer]bool{}
		s.each(true, func(_ int, _ *ir.Op, _, w map[*ir.Buffer]bool) {
			for b := range w {
				written[b] = true
			}
		})
		s.each(false, func(i int, _ *ir.Op, r, w map[*ir.Buffer]bool) {
			if meet(r, written) || meet(w, written) {
				again = true
				s.late[i] = true
				if s.ends[i].c != nil {
					s.mark(s.ends[i])
				}
			}
		})
	}
}

// sink marks what fills tiles for late operations alone, from what the loop does not change.
func (s *shift) sink() {
	for again := true; again; {
		again = false
		changed, needed := map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
		for _, op := range s.loop.Body.Ops {
			_, w := touched(op)
			for b := range w {
				changed[b] = true
			}
		}
		s.each(false, func(_ int, _ *ir.Op, r, _ map[*ir.Buffer]bool) {
			for b := range r {
				needed[b] = true
			}
		})
		s.each(false, func(i int, op *ir.Op, r, w map[*ir.Buffer]bool) {
			own := len(w) > 0 && s.ends[i].c == nil
			for b := range w {
				own = own && s.local[b] && !needed[b]
			}
			if own && !meet(r, changed) {
				s.late[i] = true
				again = true
			}
		})
	}
}

// delays finds the tiles that wait for late operations; false if one of them cannot.
func (s *shift) delays() bool {
	ok := true
	made := map[*ir.Buffer]bool{}
	s.each(false, func(_ int, _ *ir.Op, _, w map[*ir.Buffer]bool) {
		for b := range w {
			made[b] = true
		}
	})
	seen := map[*ir.Buffer]bool{}
	operand := map[*ir.Buffer]bool{}
	s.loop.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpContract {
			r, w := touched(op)
			for b := range r {
				operand[b] = true
			}
			for b := range w {
				operand[b] = true
			}
		}
	})
	s.each(true, func(_ int, op *ir.Op, _, _ map[*ir.Buffer]bool) {
		(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
			o.Loads(func(a *ir.Access) {
				b := a.Buf
				if !made[b] || seen[b] {
					return
				}
				seen[b] = true
				ok = ok && s.local[b] && !operand[b] && b.Kind == ir.Tile
				s.delayed = append(s.delayed, b)
			})
			// Sums that go through all iterations begin with the first, which the cube looks for in the loop itself.
			ok = ok && (o.Code != ir.OpContract || s.local[o.Dst.Buf])
		})
	})
	s.each(false, func(_ int, op *ir.Op, _, _ map[*ir.Buffer]bool) {
		(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) { ok = ok && (o.Code != ir.OpContract || s.local[o.Dst.Buf]) })
	})
	return ok
}

// rewrite makes two parts of the body, and returns what the loop needs before it.
func (s *shift) rewrite() []*ir.Op {
	var before []*ir.Op
	var slot *ir.Var
	slots := int(s.ahead) + 1
	rings := map[*ir.Buffer]*ir.Buffer{}
	for _, b := range s.delayed {
		r := &ir.Buffer{Name: b.Name, Elem: b.Elem, Kind: ir.Tile, Temp: b.Temp, Span: b.Span, Shape: append([]*ir.Expr{ir.Int(int64(slots))}, b.Shape...)}
		rings[b] = r
		before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: r, Span: b.Span})
	}
	if len(rings) > 0 {
		slot = &ir.Var{Name: s.delayed[0].Name + "_slot", Type: ir.Index, Kind: ir.MutVar, Span: s.loop.Span}
		before = append(before, &ir.Op{Code: ir.OpVar, Var: slot, X: []*ir.Expr{ir.Int(0)}})
	}
	part := func(late bool) *ir.Block {
		b := &ir.Block{}
		used := map[*ir.Buffer]bool{}
		s.each(late, func(_ int, _ *ir.Op, r, w map[*ir.Buffer]bool) {
			for x := range r {
				used[x] = true
			}
			for x := range w {
				used[x] = true
			}
		})
		for i, op := range s.loop.Body.Ops {
			switch op.Code {
			case ir.OpLet:
				b.Ops = append(b.Ops, op)
			case ir.OpAlloc:
				if used[op.Buf] && rings[op.Buf] == nil {
					b.Ops = append(b.Ops, op)
				}
			default:
				if s.late[i] == late {
					b.Ops = append(b.Ops, op)
				}
			}
		}
		return b
	}
	n, end := ir.RefTo(s.loop.Var), s.loop.X[1]
	early, late := part(false), part(true)
	now := &ir.Var{Name: s.loop.Var.Name + "_late", Type: ir.Index, Kind: ir.LetVar, Span: s.loop.Span}
	late = late.CloneWith(map[*ir.Var]*ir.Expr{s.loop.Var: ir.RefTo(now)})
	lets := []*ir.Op{{Code: ir.OpLet, Var: now, X: []*ir.Expr{ir.Bin(ir.Sub, n, ir.Int(s.ahead))}}}
	if slot != nil {
		redirect(early, rings, ir.RefTo(slot))
		old := &ir.Var{Name: slot.Name + "_late", Type: ir.Index, Kind: ir.LetVar, Span: s.loop.Span}
		lets = append(lets, &ir.Op{Code: ir.OpLet, Var: old, X: advance(slot, slots).X})
		redirect(late, rings, ir.RefTo(old))
	}
	late.Ops = append(lets, late.Ops...)
	dropUnused(early)
	dropUnused(late)
	when := func(note string, c *ir.Expr, b *ir.Block) *ir.Op {
		return &ir.Op{Code: ir.OpIf, X: []*ir.Expr{c}, Body: b, Else: &ir.Block{}, Span: s.loop.Span, Note: note}
	}
	body := []*ir.Op{
		when(aheadPart, ir.Bin(ir.Lt, n, end), early),
		when(behindPart, ir.Bin(ir.Ge, n, ir.Bin(ir.Add, s.loop.X[0], ir.Int(s.ahead))), late),
	}
	if slot != nil {
		body = append(body, advance(slot, slots))
	}
	s.loop.X[1] = ir.Bin(ir.Add, end, ir.Int(s.ahead))
	s.loop.Body = &ir.Block{Ops: body}
	return before
}

// dropUnused drops scalars that a part of the body does not use.
func dropUnused(b *ir.Block) {
	for i := len(b.Ops) - 1; i >= 0; i-- {
		op := b.Ops[i]
		if op.Code != ir.OpLet {
			continue
		}
		used := false
		(&ir.Block{Ops: b.Ops[i+1:]}).Walk(func(o *ir.Op) {
			o.Exprs(func(e *ir.Expr) bool {
				used = used || e.Op == ir.Ref && e.Var == op.Var
				return !used
			})
		})
		if !used {
			b.Ops = append(b.Ops[:i:i], b.Ops[i+1:]...)
		}
	}
}

// redirect has accesses to tiles go to a slot of their rings.
func redirect(b *ir.Block, rings map[*ir.Buffer]*ir.Buffer, slot *ir.Expr) {
	to := func(a *ir.Access) *ir.Access {
		if a == nil || rings[a.Buf] == nil {
			return a
		}
		n := *a
		n.Buf, n.Index = rings[a.Buf], append([]*ir.Expr{slot}, a.Index...)
		return &n
	}
	b.Walk(func(op *ir.Op) {
		op.MapExprs(func(e *ir.Expr) *ir.Expr {
			if e.Op == ir.Load && rings[e.At.Buf] != nil {
				return ir.LoadAt(to(e.At))
			}
			return e
		})
		op.Dst = to(op.Dst)
		for i, a := range op.Src {
			op.Src[i] = to(a)
		}
	})
}
