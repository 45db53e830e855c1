package ascend

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
)

// cube lowers contractions to the cube unit: operands come from global memory to L1 and from there, a part of K at a time, to L0A and
// L0B; products add up in L0C, and the fixpipe takes them to global memory. Everything that is filled while something else is worked on
// is a ring.
func cube(ctx *passes.Context, f *ir.Func) error {
	if !usesCube(f) {
		return nil
	}
	c := &cuber{ctx: ctx, f: f, tiles: map[*ir.Buffer]*cubeTile{}, init: map[*ir.Op]*ir.Expr{}, empty: map[*ir.Op][]*ir.Op{}, products: map[*ir.Op]*product{}}
	c.classify()
	if c.err == nil {
		c.block(f.Body, nil)
	}
	if c.err == nil {
		f.Body.Ops = append(c.head, f.Body.Ops...)
	}
	return c.err
}

// cubeTile is a tile of the cube: an operand in L1 or sums in L0C.
type cubeTile struct {
	buf   *ir.Buffer
	sums  bool
	ring  *ir.Buffer // with its slots
	stage *ir.Var    // the slot that is in turn
	slots int
	loop  *ir.Op      // whose iterations the slots go with
	high  [2]*ir.Expr // of an operand: where rows and columns end, nil at the tile's own end
}

type cuber struct {
	ctx   *passes.Context
	f     *ir.Func
	err   error
	head  []*ir.Op // declarations before everything
	tiles map[*ir.Buffer]*cubeTile
	sums  []*ir.Buffer
	count int // of contractions
	// init says when the sums of a contraction begin anew.
	init map[*ir.Op]*ir.Expr
	// empty are contractions in a loop that may not run at all, by the loop: their sums are zero then.
	empty    map[*ir.Op][]*ir.Op
	products map[*ir.Op]*product
}

func (c *cuber) refuse(span diag.Span, format string, args ...any) {
	if c.err == nil {
		c.ctx.Reporter.Errorf(diag.Unsupported, span, format, args...)
		c.err = passes.ErrReported
	}
}

// classify finds the tiles of contractions.
func (c *cuber) classify() {
	add := func(b *ir.Buffer) *cubeTile {
		if c.tiles[b] == nil {
			c.tiles[b] = &cubeTile{buf: b}
		}
		return c.tiles[b]
	}
	m := c.ctx.Machine
	c.f.Body.Walk(func(op *ir.Op) {
		if op.Code != ir.OpContract {
			return
		}
		c.count++
		p, ok := ir.AsProduct(op)
		if !ok || p.CTransposed || len(p.A.Index) != 2 || len(p.B.Index) != 2 || len(p.C.Index) != 2 {
			c.refuse(op.Span, "this contraction is not a matrix product of two tiles: the operands must be indexed [i, k] and [j, k] (or transposed), the sums [i, j]")
			return
		}
		a, b, s := p.A.Buf.Elem, p.B.Buf.Elem, p.C.Buf.Elem
		if at := m.Atom(a, b, s); at == nil || a != b {
			c.refuse(op.Span, "the matrix unit of %s does not multiply %s and %s into %s: it takes f16, bf16 or f32 into f32, and i8 into i32", m.Name, a, b, s)
			return
		}
		if !p.AKLast && a.Bits() != 16 {
			c.refuse(op.Span, "a left operand of %s that is transposed is not supported yet on %s: store it the other way round", a, m.Name)
			return
		}
		add(p.A.Buf)
		add(p.B.Buf)
		if t := add(p.C.Buf); !t.sums {
			t.sums = true
			c.sums = append(c.sums, p.C.Buf)
		}
	})
}

// block lowers the operations of a block; loop is the innermost one around it.
func (c *cuber) block(b *ir.Block, loop *ir.Op) {
	if b == nil || c.err != nil {
		return
	}
	var out []*ir.Op
	var rings []*cubeTile // that advance at the end of the block
	for at, op := range b.Ops {
		var t *cubeTile
		if op.Dst != nil {
			t = c.tiles[op.Dst.Buf]
		}
		switch {
		case c.err != nil:
			return
		case op.Code == ir.OpAlloc && c.tiles[op.Buf] != nil:
			if t := c.tiles[op.Buf]; t.sums {
				t.loop = loop
				c.sumRing(t)
				rings = append(rings, t)
			}
		case op.Code == ir.OpContract:
			out = append(out, c.contract(op)...)
		case t != nil && t.sums && op.Code == ir.OpMap && isZero(op):
			c.begins(b.Ops[at+1:], op)
		case t != nil && !t.sums && op.Code == ir.OpCopy:
			if t.ring == nil {
				t.loop = loop
				slots := 2
				if loop != nil {
					slots = max(slots, loop.Stages)
				}
				c.ring(t, slots, ir.L1, shared(rings, slots))
				rings = append(rings, t)
			} else if t.loop != loop {
				c.refuse(op.Span, "filling tile `%s` in different loops is not supported yet on %s", t.buf.Name, c.ctx.Machine.Name)
			}
			out = append(out, c.load(op, t))
		case (op.Code == ir.OpCopy || op.Code == ir.OpMap) && c.reads(op):
			out = append(out, c.drain(op))
		case t != nil:
			c.refuse(op.Span, "tile `%s` is worked on by both units: this is not supported yet on %s", op.Dst.Buf.Name, c.ctx.Machine.Name)
		default:
			for _, x := range c.empty[op] {
				out = append(out, c.nothing(op, x))
			}
			in := loop
			if op.Code == ir.OpFor || op.Code == ir.OpWhile {
				in = op
			}
			c.block(op.Body, in)
			c.block(op.Else, loop)
			out = append(out, op)
		}
	}
	done := map[*ir.Var]bool{}
	for _, t := range rings {
		if t.slots > 1 && !done[t.stage] {
			done[t.stage] = true
			out = append(out, advance(t.stage, t.slots))
		}
	}
	b.Ops = out
}

func isZero(op *ir.Op) bool {
	x := op.X[0]
	return x.IsConst() && x.Int == 0 && x.Float == 0 && op.Where == nil && op.Dst.Guard == nil
}

// reads reports an operation that reads sums.
func (c *cuber) reads(op *ir.Op) bool {
	found := false
	op.Loads(func(a *ir.Access) { found = found || c.tiles[a.Buf] != nil })
	return found
}

// advance makes the next slot that which is in turn.
func advance(stage *ir.Var, slots int) *ir.Op {
	next := ir.Bin(ir.Add, ir.RefTo(stage), ir.Int(1))
	return &ir.Op{Code: ir.OpAssign, Var: stage, Note: nextSlot,
		X: []*ir.Expr{ir.SelectOf(ir.Bin(ir.Eq, next, ir.Int(int64(slots))), ir.Int(0), next)}}
}

// ring declares the slots of a tile before everything, and the variable that says which one is in turn.
func (c *cuber) ring(t *cubeTile, slots int, space ir.Space, stage *ir.Var) {
	t.slots = slots
	t.ring, t.stage = c.slotted(t.buf.Name, t.buf.Elem, t.buf.Shape, slots, space, t.buf.Span, stage)
}

// shared is the variable of a ring in L1 that takes turns with the same block, nil if there is none.
func shared(rings []*cubeTile, slots int) *ir.Var {
	for _, t := range rings {
		if t.slots == slots && t.ring.Space == ir.L1 {
			return t.stage
		}
	}
	return nil
}

func (c *cuber) slotted(name string, elem ir.DType, shape []*ir.Expr, slots int, space ir.Space, span diag.Span, stage *ir.Var) (*ir.Buffer, *ir.Var) {
	b := &ir.Buffer{Name: name, Elem: elem, Kind: ir.Tile, Space: space, Pinned: true, Span: span, Shape: append([]*ir.Expr{ir.Int(int64(slots))}, shape...)}
	c.head = append(c.head, &ir.Op{Code: ir.OpAlloc, Buf: b, Span: span})
	if slots == 1 || stage != nil {
		return b, stage
	}
	v := &ir.Var{Name: name + "_slot", Type: ir.Index, Kind: ir.MutVar, Span: span}
	c.head = append(c.head, &ir.Op{Code: ir.OpVar, Var: v, X: []*ir.Expr{ir.Int(0)}, Span: span})
	return b, v
}

// sumRing gives sums two slots where all sums fit twice, so that the fixpipe drains one while the other is added up.
func (c *cuber) sumRing(t *cubeTile) {
	var all int64
	for _, b := range c.sums {
		all += aicore.Bytes(&ir.Buffer{Elem: b.Elem, Shape: b.Shape, Space: ir.L0C})
	}
	slots := 1
	if 2*all <= c.ctx.Machine.Memory(ir.L0C).Bytes {
		slots = 2
	}
	c.ring(t, slots, ir.L0C, nil)
}

// slotOf is an access to the slot of a ring that is in turn.
func slotOf(b *ir.Buffer, stage *ir.Var, index ...*ir.Expr) *ir.Access {
	at := ir.Int(0)
	if stage != nil {
		at = ir.RefTo(stage)
	}
	return &ir.Access{Buf: b, Index: append([]*ir.Expr{at}, index...), Span: b.Span}
}

// load lowers the copy of an operand to L1. What lies outside of the tensor is nobody's there: products leave it out.
func (c *cuber) load(op *ir.Op, t *cubeTile) *ir.Op {
	m, ok := aicore.MatrixCopyOf(op)
	if !ok || !m.Load || m.Tensor.Elem != t.buf.Elem || !sameOrder(op) {
		c.refuse(op.Span, "tile `%s` is an operand of a contraction, and what fills it is no plain copy of a block of rows: this is not supported yet on %s", t.buf.Name, c.ctx.Machine.Name)
		return op
	}
	t.high = [2]*ir.Expr{m.High[0], m.High[1]}
	src := *op.Src[0]
	where := ir.Conj(op.Where, src.Guard)
	src.Guard, src.Else = nil, nil
	return &ir.Op{Code: ir.OpCopy, Span: op.Span, Dom: op.Dom, Dst: slotOf(t.ring, t.stage, op.Dst.Index...), Src: []*ir.Access{&src}, Where: where, Pipe: ir.PipeMTE2}
}

// sameOrder reports a copy whose tile is indexed by the domain as it stands.
func sameOrder(op *ir.Op) bool {
	tile := op.Dst
	if tile.Buf.Outside() {
		tile = op.Src[0]
	}
	for d, x := range tile.Index {
		if x.Op != ir.Ref || x.Var != op.Dom[d].Var {
			return false
		}
	}
	return len(tile.Index) == 2
}

// begins finds the contraction with which sums that have been set to zero begin.
func (c *cuber) begins(rest []*ir.Op, fill *ir.Op) {
	acc := fill.Dst.Buf
	touches := func(op *ir.Op) bool {
		found := op.Dst != nil && op.Dst.Buf == acc
		op.Loads(func(a *ir.Access) { found = found || a.Buf == acc })
		return found
	}
	for _, op := range rest {
		if op.Code == ir.OpContract && op.Dst.Buf == acc {
			c.init[op] = ir.BoolOf(true)
			return
		}
		inside := touches(op)
		for _, b := range []*ir.Block{op.Body, op.Else} {
			b.Walk(func(o *ir.Op) { inside = inside || touches(o) })
		}
		if !inside {
			continue
		}
		if op.Code != ir.OpFor {
			break
		}
		for _, o := range op.Body.Ops {
			if o.Code == ir.OpContract && o.Dst.Buf == acc {
				c.init[o] = ir.Bin(ir.Eq, ir.RefTo(op.Var), op.X[0])
				c.empty[op] = append(c.empty[op], o)
				return
			}
		}
		break
	}
	c.refuse(fill.Span, "the sums `%s` do not begin with a contraction or a loop over one: this is not supported yet on %s", acc.Name, c.ctx.Machine.Name)
}
