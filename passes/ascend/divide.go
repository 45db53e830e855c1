package ascend

import "tilec/ir"

// divide makes two programs of one: each has the scalars and the loops, and the operations of its own unit.
func (m *mixer) divide() {
	body := &ir.Block{Ops: append(append([]*ir.Op(nil), m.head...), m.f.Body.Ops...)}
	cube, vector := m.part(body, true), m.part(body, false).Clone()
	half := &ir.Var{Name: "half", Type: ir.Index, Kind: ir.LetVar, Span: m.f.Span}
	m.share(vector, half)
	flag := func(code ir.Opcode, n int64) []*ir.Op {
		var ops []*ir.Op
		for range ringSlots {
			op := &ir.Op{Code: code, X: []*ir.Expr{ir.Int(n)}, Span: m.f.Span}
			if code == ir.OpCrossSet {
				op.Pipe = ir.PipeMTE2
			}
			ops = append(ops, op)
		}
		return ops
	}
	var rings []*ir.Op
	for _, c := range m.crossings {
		rings = append(rings, &ir.Op{Code: ir.OpAlloc, Buf: c.ring, Span: c.ring.Span})
	}
	sets := flagSets(m.crossings)
	for _, s := range sets {
		from, to := cube, vector
		if s[0].toCube {
			from, to = vector, cube
		}
		to.Ops = append(flag(ir.OpCrossSet, s[0].free), to.Ops...)
		from.Ops = append(from.Ops, flag(ir.OpCrossWait, s[0].free)...)
	}
	numbers := numbered(sets)
	cube, vector = m.ahead(cube, vector, half, numbers)
	renumber(cube, numbers)
	renumber(vector, numbers)
	m.f.Body = &ir.Block{Ops: append(rings, &ir.Op{Code: ir.OpCores, Var: half, Body: cube, Else: vector, Span: m.f.Span})}
}

// part keeps what one unit needs of a block.
func (m *mixer) part(b *ir.Block, cube bool) *ir.Block {
	out := &ir.Block{}
	for _, op := range b.Ops {
		if op := m.keep(op, cube); op != nil {
			out.Ops = append(out.Ops, op)
		}
	}
	used := map[*ir.Buffer]bool{}
	out.Walk(func(op *ir.Op) {
		op.Loads(func(a *ir.Access) { used[a.Buf] = true })
		if op.Dst != nil {
			used[op.Dst.Buf] = true
		}
	})
	kept := out.Ops[:0]
	for _, op := range out.Ops {
		if op.Code != ir.OpAlloc || used[op.Buf] {
			kept = append(kept, op)
		}
	}
	out.Ops = kept
	return out
}

func (m *mixer) keep(op *ir.Op, cube bool) *ir.Op {
	known := !cube || !m.made.by(op)
	switch op.Code {
	case ir.OpAlloc:
		return op
	case ir.OpLet, ir.OpVar, ir.OpAssign:
		if op.Note == nextSlot && m.cube[op] != cube || op.Code == ir.OpVar && m.isHead(op) && m.cube[op] != cube || !known {
			return nil
		}
		return op
	case ir.OpFor, ir.OpIf, ir.OpWhile:
		n := *op
		n.Body = m.part(op.Body, cube)
		if op.Else != nil {
			n.Else = m.part(op.Else, cube)
		}
		switch {
		case !works(n.Body) && !works(n.Else):
			return nil
		case !known:
			m.refuse(op.Span, "whether contractions run depends on values that the vector unit computes: this is not supported yet on %s; take the value from a tensor", m.ctx.Machine.Name)
			return nil
		}
		return &n
	}
	if m.cube[op] != cube {
		// a load that both need
		if cube || !m.vectorNeeds(op) {
			return nil
		}
	}
	return op
}

func (m *mixer) isHead(op *ir.Op) bool { return contains(m.head, op) }

// works reports a block that does anything but compute scalars.
func works(b *ir.Block) bool {
	found := false
	b.Walk(func(op *ir.Op) {
		switch op.Code {
		case ir.OpLet, ir.OpVar, ir.OpAlloc, ir.OpFor, ir.OpIf, ir.OpWhile:
		default:
			found = true
		}
	})
	return found
}

// vectorNeeds reports a copy of the cube's that the vector unit reads the result of, too.
func (m *mixer) vectorNeeds(op *ir.Op) bool {
	if op.Dst == nil || op.Code == ir.OpContract {
		return false
	}
	r := m.roles[op.Dst.Buf]
	return r != nil && contains(r.loads, op) && len(r.reads) > 0
}

// share has each of two vector cores work on half of the rows of what goes from unit to unit. Where the rows are not independent one
// core does all, and the other only what keeps the flags in step.
func (m *mixer) share(b *ir.Block, half *ir.Var) {
	s := newSharing(b)
	if s.split(m.crossings) {
		s.rewrite(b, half)
		return
	}
	all := &ir.Block{Ops: b.Ops}
	first := ir.Bin(ir.Eq, ir.RefTo(half), ir.Int(0))
	if computedIn(b).steers(b) {
		firstStores(all, first)
		return
	}
	idle := flagsOnly(all.Clone())
	b.Ops = []*ir.Op{{Code: ir.OpIf, X: []*ir.Expr{first}, Body: &ir.Block{Ops: all.Ops}, Else: idle, Span: m.f.Span}}
}

// firstStores has both vector cores compute everything, and the first one alone store it.
func firstStores(b *ir.Block, first *ir.Expr) {
	if b == nil {
		return
	}
	for i, op := range b.Ops {
		firstStores(op.Body, first)
		firstStores(op.Else, first)
		if op.Code == ir.OpPrint || op.Dst != nil && op.Dst.Buf.Outside() {
			b.Ops[i] = &ir.Op{Code: ir.OpIf, X: []*ir.Expr{first}, Body: &ir.Block{Ops: []*ir.Op{op}}, Else: &ir.Block{}, Span: op.Span}
		}
	}
}

// flagsOnly keeps the loops and the cross-core flags of a block, and the scalars that do not depend on tiles.
func flagsOnly(b *ir.Block) *ir.Block { return computedIn(b).flags(b) }

func (c computed) flags(b *ir.Block) *ir.Block {
	out := &ir.Block{}
	for _, op := range b.Ops {
		switch op.Code {
		case ir.OpFor, ir.OpIf, ir.OpWhile:
			n := *op
			n.Body = c.flags(op.Body)
			if op.Else != nil {
				n.Else = c.flags(op.Else)
			}
			if !c.by(op) {
				out.Ops = append(out.Ops, &n)
			}
		case ir.OpCrossSet, ir.OpCrossWait:
			out.Ops = append(out.Ops, op)
		case ir.OpLet, ir.OpVar, ir.OpAssign:
			if op.Note != nextSlot && !c[op.Var] {
				out.Ops = append(out.Ops, op)
			}
		}
	}
	return out
}

// sharing finds which indices run over the same rows.
type sharing struct {
	parent map[any]any
	bad    map[any]bool
	extent map[any]int64
	rows   map[any]bool // classes that are split
	size   int64
}

type side struct {
	buf *ir.Buffer
	dim int
}

func newSharing(b *ir.Block) *sharing {
	s := &sharing{parent: map[any]any{}, bad: map[any]bool{}, extent: map[any]int64{}, rows: map[any]bool{}}
	b.Walk(func(op *ir.Op) {
		for _, it := range op.Iters() {
			s.extent[it.Var] = it.Extent.Int
		}
		see := func(a *ir.Access) {
			if a.Buf.Kind != ir.Tile {
				return
			}
			for d, x := range a.Index {
				k := side{a.Buf, d}
				s.extent[k] = a.Buf.Shape[d].Int
				if x.Op == ir.Ref && x.Var.Kind == ir.IterVar {
					s.join(k, x.Var)
					continue
				}
				s.ruin(k) // a row by its number
				for _, it := range op.Iters() {
					if x.Uses(it.Var) {
						s.ruin(it.Var)
					}
				}
			}
		}
		op.Loads(see)
		if op.Dst != nil {
			see(op.Dst)
		}
		for _, it := range op.Red {
			s.ruin(it.Var)
		}
		if op.Code == ir.OpAtomic && op.Dst.Buf.Kind == ir.Tile {
			for _, it := range op.Dom {
				s.ruin(it.Var)
			}
		}
		if op.Code == ir.OpScan {
			s.ruin(op.Dom[op.Axis].Var)
		}
	})
	return s
}

func (s *sharing) root(k any) any {
	for s.parent[k] != nil {
		k = s.parent[k]
	}
	return k
}

func (s *sharing) join(a, b any) {
	a, b = s.root(a), s.root(b)
	if a != b {
		s.parent[a] = b
		s.bad[b] = s.bad[b] || s.bad[a]
	}
}

func (s *sharing) ruin(k any) { s.bad[s.root(k)] = true }

// split chooses the rows of all rings, and reports whether they can be split.
func (s *sharing) split(cs []*crossing) bool {
	for _, c := range cs {
		k := side{c.ring, 1}
		s.rows[s.root(k)] = true
		s.size = max(s.size, s.extent[k])
	}
	if s.size%2 != 0 || s.size < 2 {
		return false
	}
	for k, n := range s.extent {
		if s.rows[s.root(k)] && (s.bad[s.root(k)] || n != s.size) {
			return false
		}
	}
	return true
}

// rewrite halves the rows: tiles have half of them, and everything outside of the core counts from where its half begins.
func (s *sharing) rewrite(b *ir.Block, half *ir.Var) {
	done := map[*ir.Buffer]bool{}
	start := ir.Bin(ir.Mul, ir.RefTo(half), ir.Int(s.size/2))
	b.Walk(func(op *ir.Op) {
		if op.Buf != nil && !done[op.Buf] {
			done[op.Buf] = true
			shape := append([]*ir.Expr(nil), op.Buf.Shape...)
			for d := range shape {
				if s.rows[s.root(side{op.Buf, d})] {
					shape[d] = ir.Int(s.size / 2)
				}
			}
			op.Buf.Shape = shape
		}
		with := map[*ir.Var]*ir.Expr{}
		for _, its := range [][]ir.Iter{op.Dom, op.Red} {
			for i, it := range its {
				if s.rows[s.root(it.Var)] {
					its[i].Extent = ir.Int(s.size / 2)
					with[it.Var] = ir.Bin(ir.Add, start, ir.RefTo(it.Var))
				}
			}
		}
		if len(with) == 0 {
			return
		}
		for i, x := range op.X {
			op.X[i] = outside(x, with)
		}
		op.Where = outside(op.Where, with)
		op.Dst = outsideAccess(op.Dst, with)
		for i, a := range op.Src {
			op.Src[i] = outsideAccess(a, with)
		}
	})
	s.once(b, half)
}

// outside replaces indices everywhere but where they name an element of a tile of the core's own.
func outside(x *ir.Expr, with map[*ir.Var]*ir.Expr) *ir.Expr {
	if x == nil {
		return nil
	}
	if x.Op == ir.Ref {
		if y := with[x.Var]; y != nil {
			return y
		}
		return x
	}
	n := *x
	n.Args = nil
	for _, a := range x.Args {
		n.Args = append(n.Args, outside(a, with))
	}
	n.At = outsideAccess(x.At, with)
	return &n
}

func outsideAccess(a *ir.Access, with map[*ir.Var]*ir.Expr) *ir.Access {
	if a == nil {
		return nil
	}
	n := *a
	n.Index = append([]*ir.Expr(nil), a.Index...)
	if a.Buf.Outside() {
		for d, x := range n.Index {
			n.Index[d] = outside(x, with)
		}
	}
	n.Guard, n.Else = outside(a.Guard, with), outside(a.Else, with)
	return &n
}

// once has one core alone store what both compute.
func (s *sharing) once(b *ir.Block, half *ir.Var) {
	if b == nil {
		return
	}
	for i, op := range b.Ops {
		s.once(op.Body, half)
		s.once(op.Else, half)
		if op.Code != ir.OpPrint && (op.Dst == nil || !op.Dst.Buf.Kind.IsTensor()) {
			continue
		}
		mine := false
		for _, it := range op.Dom {
			mine = mine || s.rows[s.root(it.Var)]
		}
		if !mine {
			b.Ops[i] = &ir.Op{Code: ir.OpIf, X: []*ir.Expr{ir.Bin(ir.Eq, ir.RefTo(half), ir.Int(0))}, Body: &ir.Block{Ops: []*ir.Op{op}}, Else: &ir.Block{}, Span: op.Span}
		}
	}
}
