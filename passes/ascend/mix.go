package ascend

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
)

// mix divides a function that needs both units into a program for the cube core and one for the two vector cores of its group. Tiles that
// one unit makes and the other takes go through rings in global memory, ordered by cross-core flags: one says that a slot is full, one
// that it is free. The vector cores share the rows of those tiles.
func mix(ctx *passes.Context, f *ir.Func) error {
	if !usesCube(f) {
		return nil
	}
	plainCopies(f.Body)
	m := &mixer{ctx: ctx, f: f, roles: map[*ir.Buffer]*role{}, made: computedIn(f.Body)}
	m.find(f.Body)
	for b, r := range m.roles {
		if r.sums {
			r.home = homeOf(f.Body, b)
			r.midst = r.readAmid()
		}
	}
	if m.err != nil || m.pure() {
		return m.err
	}
	m.cross(f.Body)
	if m.err == nil {
		m.divide()
	}
	return m.err
}

// role is what the units do with a tile.
type role struct {
	operand, sums    bool
	loads            []*ir.Op // copies from tensors that the cube can make
	zeros, contracts []*ir.Op
	drains           []*ir.Op  // copies to tensors that the fixpipe can make
	writes, reads    []*ir.Op  // by the vector unit
	home             *ir.Block // of sums: the innermost block with all that is done with them
	midst            bool      // sums are read in the midst of adding up
}

type mixer struct {
	ctx       *passes.Context
	f         *ir.Func
	err       error
	roles     map[*ir.Buffer]*role
	order     []*ir.Buffer
	crossings []*crossing
	cube      map[*ir.Op]bool // operations of the cube; all others on tiles are the vector unit's
	head      []*ir.Op
	made      computed
	depth     int // of loops around the block that crossings are put into
}

func (m *mixer) refuse(span diag.Span, format string, args ...any) {
	if m.err == nil {
		m.ctx.Reporter.Errorf(diag.Unsupported, span, format, args...)
		m.err = passes.ErrReported
	}
}

func (m *mixer) role(b *ir.Buffer) *role {
	if m.roles[b] == nil {
		m.roles[b] = &role{}
		m.order = append(m.order, b)
	}
	return m.roles[b]
}

// find collects what is done with the tiles of contractions.
func (m *mixer) find(b *ir.Block) {
	b.Walk(func(op *ir.Op) {
		if op.Code == ir.OpContract {
			m.role(op.Src[0].Buf).operand = true
			m.role(op.Src[1].Buf).operand = true
			m.role(op.Dst.Buf).sums = true
		}
	})
	b.Walk(func(op *ir.Op) {
		if op.Code == ir.OpContract {
			r := m.roles[op.Dst.Buf]
			r.contracts = append(r.contracts, op)
			return
		}
		if op.Dst != nil {
			if r := m.roles[op.Dst.Buf]; r != nil {
				switch {
				case r.operand && !r.sums && cubeLoads(op) && !m.made.places(op):
					r.loads = append(r.loads, op)
				case r.sums && !r.operand && op.Code == ir.OpMap && isZero(op):
					r.zeros = append(r.zeros, op)
				default:
					r.writes = append(r.writes, op)
				}
			}
		}
		seen := map[*ir.Buffer]bool{}
		op.Loads(func(a *ir.Access) {
			r := m.roles[a.Buf]
			if r == nil || seen[a.Buf] {
				return
			}
			seen[a.Buf] = true
			if r.sums && fixpipeStores(op, a.Buf) && !m.made.places(op) {
				r.drains = append(r.drains, op)
			} else {
				r.reads = append(r.reads, op)
			}
		})
	})
}

// plainCopies makes copies of maps that take operands of contractions from tensors as they are, so that the cube can make them.
func plainCopies(b *ir.Block) {
	operands := map[*ir.Buffer]bool{}
	b.Walk(func(op *ir.Op) {
		if op.Code == ir.OpContract {
			operands[op.Src[0].Buf], operands[op.Src[1].Buf] = true, true
		}
	})
	b.Walk(func(op *ir.Op) {
		if op.Code != ir.OpMap || !operands[op.Dst.Buf] || op.X[0].Op != ir.Load {
			return
		}
		c := *op
		c.Code, c.Src, c.X = ir.OpCopy, []*ir.Access{op.X[0].At}, nil
		if cubeLoads(&c) {
			*op = c
		}
	})
}

// cubeLoads reports a copy that brings an operand to L1.
func cubeLoads(op *ir.Op) bool {
	if op.Code != ir.OpCopy {
		return false
	}
	c, ok := aicore.MatrixCopyOf(op)
	return ok && c.Load && c.Tensor.Elem == op.Dst.Buf.Elem && sameOrder(op)
}

// fixpipeStores reports a copy of sums to a tensor that the fixpipe makes.
func fixpipeStores(op *ir.Op, sums *ir.Buffer) bool {
	if op.Code != ir.OpCopy && op.Code != ir.OpMap || !op.Dst.Buf.Outside() {
		return false
	}
	var x *ir.Expr
	if op.Code == ir.OpCopy {
		x = ir.LoadAt(op.Src[0])
	} else {
		x = op.X[0]
		for x.Op == ir.Cast {
			x = x.Args[0]
		}
	}
	if x.Op != ir.Load || x.At.Buf != sums || x.At.Guard != nil {
		return false
	}
	n := &ir.Op{Code: ir.OpCopy, Dom: op.Dom, Dst: op.Dst, Src: []*ir.Access{x.At}, Where: op.Where}
	c, ok := aicore.MatrixCopyOf(n)
	return ok && !c.Load && sameOrder(n) && aicore.FixpipeConverts(sums.Elem, c.Tensor.Elem)
}

// pure reports that the cube needs no help.
func (m *mixer) pure() bool {
	pure := true
	for _, r := range m.roles {
		pure = pure && !r.midst
	}
	m.f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpPrint || op.Code == ir.OpAssert {
			pure = pure && len(op.Dom) == 0 && !m.made.by(op)
		}
		if op.Dst == nil || op.Code == ir.OpContract {
			return
		}
		ok := false
		for _, r := range m.roles {
			ok = ok || contains(r.loads, op) || contains(r.zeros, op) || contains(r.drains, op)
		}
		pure = pure && ok
	})
	return pure
}

func contains(ops []*ir.Op, op *ir.Op) bool {
	for _, o := range ops {
		if o == op {
			return true
		}
	}
	return false
}

// vectorSums reports sums that the vector unit also writes, or reads before they are complete: it adds the products to them.
func (r *role) vectorSums() bool { return r.sums && (len(r.writes) > 0 || r.operand || r.midst) }

// homeOf is the innermost block with all that is done with a tile.
func homeOf(b *ir.Block, t *ir.Buffer) *ir.Block {
	for {
		var inner []*ir.Block
		here := false
		for _, op := range b.Ops {
			r, w := direct(op)
			here = here || r[t] || w[t]
			for _, sub := range []*ir.Block{op.Body, op.Else} {
				if sub != nil && touches(sub, t) {
					inner = append(inner, sub)
				}
			}
		}
		if here || len(inner) != 1 {
			return b
		}
		b = inner[0]
	}
}

func touches(b *ir.Block, t *ir.Buffer) bool {
	r, w := touched(&ir.Op{Code: ir.OpIf, Body: b})
	return r[t] || w[t]
}

// readAmid reports sums that are read before all products of their round are added: a round begins where they are set to zero. The cube
// takes several rounds only to tensors.
func (r *role) readAmid() bool {
	rounds, read := 0, false
	for _, op := range r.home.Ops {
		if contains(r.zeros, op) {
			rounds++
			read = false
			continue
		}
		adds, reads := false, false
		(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
			adds = adds || contains(r.contracts, o)
			reads = reads || contains(r.reads, o) || contains(r.drains, o)
		})
		if adds && (read || reads) {
			return true
		}
		read = read || reads
	}
	return rounds > 1 && len(r.reads) > 0
}

// cross puts crossings into a block, and marks what the cube does.
func (m *mixer) cross(b *ir.Block) {
	m.cube = map[*ir.Op]bool{}
	for _, buf := range m.order {
		r := m.roles[buf]
		if !r.vectorSums() {
			for _, op := range append(append([]*ir.Op(nil), r.zeros...), r.drains...) {
				m.cube[op] = true
			}
		}
		if len(r.writes) == 0 {
			for _, op := range r.loads {
				m.cube[op] = true
			}
		}
	}
	m.crossBlock(b)
}

func (m *mixer) crossBlock(b *ir.Block) {
	if b == nil || m.err != nil {
		return
	}
	var out []*ir.Op
	last := map[*ir.Buffer]int{} // where the block is done with adding to sums
	for i, op := range b.Ops {
		visit := func(o *ir.Op) {
			if o.Code == ir.OpContract {
				last[o.Dst.Buf] = i
			}
		}
		visit(op)
		op.Body.Walk(visit)
		op.Else.Walk(visit)
	}
	for i, op := range b.Ops {
		if op.Code == ir.OpContract {
			out = append(out, m.contract(op)...)
		} else {
			inner := 0
			if op.Code == ir.OpFor || op.Code == ir.OpWhile {
				inner = 1
			}
			m.depth += inner
			m.crossBlock(op.Body)
			m.crossBlock(op.Else)
			m.depth -= inner
			out = append(out, op)
		}
		for _, buf := range m.order {
			r := m.roles[buf]
			at, done := last[buf]
			if done && at == i && r.home == b && !r.vectorSums() && len(r.reads) > 0 {
				out = append(out, m.fromCube(buf, r)...)
			}
		}
	}
	b.Ops = out
}

// fromCube takes sums that are complete to the vector unit, which reads them from a tile of its own from here on.
func (m *mixer) fromCube(sums *ir.Buffer, r *role) []*ir.Op {
	tile := &ir.Buffer{Name: sums.Name + "_v", Elem: sums.Elem, Shape: sums.Shape, Kind: ir.Tile, Temp: true, Span: sums.Span}
	rows, cols := m.bounds(r.contracts, r.addingUp())
	ops := m.carry(sums, tile, false, rows, cols)
	for _, op := range r.reads {
		op.MapExprs(func(e *ir.Expr) *ir.Expr {
			if e.Op == ir.Load && e.At.Buf == sums {
				a := *e.At
				a.Buf = tile
				return ir.LoadAt(&a)
			}
			return e
		})
		for i, a := range op.Src {
			if a.Buf == sums {
				n := *a
				n.Buf = tile
				op.Src[i] = &n
			}
		}
	}
	return ops
}

// contract gives a contraction operands of the cube's own where the vector unit makes them, and sums of the cube's own where the vector
// unit works on them too: it adds the products then.
func (m *mixer) contract(op *ir.Op) []*ir.Op {
	var before, after []*ir.Op
	for i, a := range op.Src {
		r := m.roles[a.Buf]
		if len(r.writes) == 0 && len(r.loads) > 0 && !r.sums {
			continue
		}
		tile := &ir.Buffer{Name: a.Buf.Name + "_c", Elem: a.Buf.Elem, Shape: a.Buf.Shape, Kind: ir.Tile, Temp: true, Span: a.Buf.Span}
		before = append(before, m.carry(a.Buf, tile, true, nil, nil)...)
		n := *a
		n.Buf = tile
		op.Src[i] = &n
	}
	m.cube[op] = true
	r := m.roles[op.Dst.Buf]
	if !r.vectorSums() {
		return append(before, op)
	}
	sums := op.Dst.Buf
	own := &ir.Buffer{Name: sums.Name + "_p", Elem: sums.Elem, Shape: sums.Shape, Kind: ir.Tile, Temp: true, Span: sums.Span}
	added := &ir.Buffer{Name: sums.Name + "_v", Elem: sums.Elem, Shape: sums.Shape, Kind: ir.Tile, Temp: true, Span: sums.Span}
	dst := *op.Dst
	op.Dst = &ir.Access{Buf: own, Index: dst.Index, Span: dst.Span}
	i, x := iter("i", own.Extent(0))
	j, y := iter("j", own.Extent(1))
	zero := &ir.Op{Code: ir.OpMap, Dom: []ir.Iter{i, j}, Dst: &ir.Access{Buf: own, Index: []*ir.Expr{x, y}}, X: []*ir.Expr{ir.ZeroOf(own.Elem)}, Span: op.Span}
	m.cube[zero] = true
	before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: own, Span: op.Span}, zero)
	rows, cols := m.bounds([]*ir.Op{op}, nil)
	after = m.carry(own, added, false, rows, cols)
	i, x = iter("i", own.Extent(0))
	j, y = iter("j", own.Extent(1))
	at := func(b *ir.Buffer) *ir.Access { return &ir.Access{Buf: b, Index: []*ir.Expr{x, y}, Span: op.Span} }
	after = append(after, &ir.Op{Code: ir.OpMap, Dom: []ir.Iter{i, j}, Dst: at(sums), X: []*ir.Expr{ir.Bin(ir.Add, ir.LoadAt(at(sums)), ir.LoadAt(at(added)))}, Span: op.Span})
	return append(append(before, op), after...)
}
