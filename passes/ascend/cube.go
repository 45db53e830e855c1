package ascend

import (
	"slices"

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
	c := &cuber{ctx: ctx, f: f, slots: map[*ir.Var]bool{}, edges: map[*ir.Op][2]*ir.Expr{}, tiles: map[*ir.Buffer]*cubeTile{}, init: map[*ir.Op]*ir.Expr{}, empty: map[*ir.Op][]*ir.Op{}, fresh: map[*ir.Op]*ir.Var{}, left: map[*ir.Op][]*ir.Op{}, products: map[*ir.Op]*product{}}
	c.classify()
	if c.err == nil {
		c.agree()
		c.block(f.Body, nil)
	}
	if c.err == nil {
		c.hoist(f.Body)
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
	// cleared: an operand is set to zero before it is filled, and has no edges.
	cleared bool
}

type cuber struct {
	ctx   *passes.Context
	f     *ir.Func
	err   error
	head  []*ir.Op         // declarations before everything
	slots map[*ir.Var]bool // that say which slot of a ring is in turn
	tiles map[*ir.Buffer]*cubeTile
	sums  []*ir.Buffer
	count int // of contractions
	// edges are where the rows and columns of a contraction's sums end.
	edges map[*ir.Op][2]*ir.Expr
	// init says when the sums of a contraction begin anew.
	init map[*ir.Op]*ir.Expr
	// empty are contractions in a loop that may not run at all, by the loop: their sums are zero then.
	empty map[*ir.Op][]*ir.Op
	// fresh is the variable that says whether a contraction's sums have yet to begin, where no condition on loops does.
	fresh map[*ir.Op]*ir.Var
	// left are contractions that may not have run when an operation reads their sums, which are zero then.
	left     map[*ir.Op][]*ir.Op
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
		for _, x := range c.left[op] {
			out = append(out, &ir.Op{Code: ir.OpIf, X: []*ir.Expr{ir.Bin(ir.Eq, ir.RefTo(c.fresh[x]), ir.Int(1))}, Body: &ir.Block{Ops: c.nothing(x)}, Else: &ir.Block{}, Span: x.Span})
		}
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
			if v := c.fresh[op]; v != nil {
				out = append(out, &ir.Op{Code: ir.OpAssign, Var: v, X: []*ir.Expr{ir.Int(0)}, Span: op.Span})
			}
		case t != nil && t.sums && op.Code == ir.OpMap && isZero(op):
			if v := c.begins(b.Ops[at+1:], op); v != nil {
				out = append(out, &ir.Op{Code: ir.OpAssign, Var: v, X: []*ir.Expr{ir.Int(1)}, Span: op.Span})
			}
		case t != nil && !t.sums && op.Code == ir.OpCopy:
			if t.ring == nil {
				t.loop = loop
				slots := 2
				switch {
				case !c.filledFirst(b, at, t.buf):
					slots = 1
				case loop != nil:
					slots = max(slots, loop.Stages)
				}
				c.ring(t, slots, ir.L1, shared(rings, slots))
				rings = append(rings, t)
			}
			if t.cleared {
				out = append(out, &ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: slotOf(t.ring, t.stage, op.Dst.Index...), X: []*ir.Expr{ir.ZeroOf(t.buf.Elem)}, Pipe: ir.PipeMTE2, Span: op.Span})
			}
			out = append(out, c.load(op, t))
		case (op.Code == ir.OpCopy || op.Code == ir.OpMap) && c.reads(op):
			out = append(out, c.drain(op))
		case t != nil:
			c.refuse(op.Span, "tile `%s` is worked on by both units: this is not supported yet on %s", op.Dst.Buf.Name, c.ctx.Machine.Name)
		default:
			in := loop
			if op.Code == ir.OpFor || op.Code == ir.OpWhile {
				in = op
			}
			c.block(op.Body, in)
			c.block(op.Else, loop)
			out = append(out, c.atLeastOnce(op))
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

// filledFirst reports a tile that only operations of a block from one of them on touch, so that each run of the block may fill a slot
// of its own.
func (c *cuber) filledFirst(b *ir.Block, at int, t *ir.Buffer) bool {
	all, here := 0, 0
	count := func(n *int) func(*ir.Op) {
		return func(op *ir.Op) {
			if op.Dst != nil && op.Dst.Buf == t {
				*n++
			}
			op.Loads(func(a *ir.Access) {
				if a.Buf == t {
					*n++
				}
			})
		}
	}
	c.f.Body.Walk(count(&all))
	(&ir.Block{Ops: b.Ops[at:]}).Walk(count(&here))
	return all == here
}

// hoist takes the advances of rings out of branches: a loop makes them in each iteration, so that flags of a slot are raised and
// awaited alike whichever way it goes.
func (c *cuber) hoist(b *ir.Block) {
	if b == nil {
		return
	}
	moved := map[*ir.Var]*ir.Op{}
	var order []*ir.Var
	for _, op := range b.Ops {
		c.hoist(op.Body)
		c.hoist(op.Else)
		if op.Code != ir.OpIf {
			continue
		}
		for _, branch := range []*ir.Block{op.Body, op.Else} {
			if branch == nil {
				continue
			}
			branch.Ops = slices.DeleteFunc(branch.Ops, func(o *ir.Op) bool {
				if o.Code != ir.OpAssign || !c.slots[o.Var] {
					return false
				}
				if moved[o.Var] == nil {
					moved[o.Var] = o
					order = append(order, o.Var)
				}
				return true
			})
		}
	}
	for _, v := range order {
		b.Ops = append(b.Ops, moved[v])
	}
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
	c.slots[v] = true
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
	if !t.cleared {
		t.high = [2]*ir.Expr{m.High[0], m.High[1]}
	}
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

// begins finds the contractions with which sums that have been set to zero begin. Where it takes a variable to know which one is the
// first to run, begins returns it.
func (c *cuber) begins(rest []*ir.Op, fill *ir.Op) *ir.Var {
	acc := fill.Dst.Buf
	for _, op := range rest {
		adds, other := c.touches(op, acc)
		switch {
		case len(adds) == 0 && !other:
			continue
		case op.Code == ir.OpContract && len(adds) == 1:
			c.init[op] = ir.BoolOf(true)
			return nil
		case op.Code == ir.OpFor && len(adds) == 1 && !other && slices.Contains(op.Body.Ops, adds[0]):
			c.init[adds[0]] = ir.Bin(ir.Eq, ir.RefTo(op.Var), op.X[0])
			c.empty[op] = append(c.empty[op], adds[0])
			return nil
		}
		break
	}
	v := &ir.Var{Name: acc.Name + "_fresh", Type: ir.Index, Kind: ir.MutVar, Span: fill.Span}
	var first *ir.Op
	for _, op := range rest {
		adds, other := c.touches(op, acc)
		switch {
		case other && len(adds) > 0:
			c.refuse(fill.Span, "the sums `%s` are read in the midst of adding up: this is not supported yet on %s", acc.Name, c.ctx.Machine.Name)
			return nil
		case other && first == nil:
			c.refuse(fill.Span, "the sums `%s` are read before a contraction adds to them: this is not supported yet on %s", acc.Name, c.ctx.Machine.Name)
			return nil
		case other:
			c.left[op] = append(c.left[op], first)
			c.head = append(c.head, &ir.Op{Code: ir.OpVar, Var: v, X: []*ir.Expr{ir.Int(1)}, Span: fill.Span})
			return v
		}
		for _, a := range adds {
			c.init[a] = ir.Bin(ir.Eq, ir.RefTo(v), ir.Int(1))
			c.fresh[a] = v
			if first == nil {
				first = a
			}
		}
	}
	c.refuse(fill.Span, "nothing reads the sums `%s` where they are set to zero: this is not supported yet on %s", acc.Name, c.ctx.Machine.Name)
	return nil
}

// touches returns the contractions in op that add to sums, and whether anything else in it reads or writes them.
func (c *cuber) touches(op *ir.Op, sums *ir.Buffer) (adds []*ir.Op, other bool) {
	visit := func(o *ir.Op) {
		if o.Code == ir.OpContract && o.Dst.Buf == sums {
			adds = append(adds, o)
			return
		}
		other = other || o.Dst != nil && o.Dst.Buf == sums
		o.Loads(func(a *ir.Access) { other = other || a.Buf == sums })
	}
	visit(op)
	for _, b := range []*ir.Block{op.Body, op.Else} {
		b.Walk(visit)
	}
	return adds, other
}
