package passes

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
)

// pipeline overlaps the copies of a pipelined loop with its work: each tile that
// the loop fills from global memory becomes a ring of as many stages, and each
// iteration waits for its own stage, starts the copies of the iteration that is
// stages-1 ahead, and works. Copies from global to shared memory elsewhere start
// where they stand and are waited for before their first use.
func pipeline(ctx *Context, f *ir.Func) error {
	path := ctx.Machine.Path(ir.Global, ir.Shared, true)
	p := &pipeliner{f: f, path: path, shared: ctx.Machine.Memory(ir.Shared)}
	f.Body.Rewrite(func(op *ir.Op) []*ir.Op {
		if op.Code == ir.OpFor && op.Loop == ir.Pipeline && op.Stages > 1 {
			if ops := p.loop(op); ops != nil {
				return ops
			}
		}
		return []*ir.Op{op}
	})
	dropDead(f) // tiles that rings have taken the place of
	p.stray(f.Body)
	f.Form = ir.ScheduledForm
	return nil
}

type pipeliner struct {
	f      *ir.Func
	path   *machine.Path
	shared *machine.Memory
}

// loop rewrites one pipelined loop; nil if it has no copy to run ahead.
func (p *pipeliner) loop(loop *ir.Op) []*ir.Op {
	for _, op := range loop.Body.Ops {
		if c := asCopy(op); c != nil && p.canAsync(c) && p.fits(c.Dst.Buf, loop) {
			*op = *c
		}
	}
	ahead, lets := p.ahead(loop)
	if len(ahead) == 0 {
		return nil
	}
	lo, hi, step := loop.X[0], loop.X[1], loop.X[2]
	stages := loop.Stages
	var pre []*ir.Op
	rings := map[*ir.Buffer]*ir.Buffer{}
	for _, c := range ahead {
		t := c.Dst.Buf
		r := &ir.Buffer{Name: t.Name, Elem: t.Elem, Kind: ir.Tile, Space: t.Space, Pinned: t.Pinned, Span: t.Span,
			Shape: append([]*ir.Expr{ir.Int(int64(stages))}, t.Shape...)}
		r.Layout = ringLayout(r)
		rings[t] = r
		pre = append(pre, &ir.Op{Code: ir.OpAlloc, Buf: r, Span: c.Span})
		if needsPadding(c) {
			fill := fillOp(r)
			fill.Layout = layout.Blocked(r.Extents(), layout.RowMajor(len(r.Shape)), 1, p.f.Warps)
			pre = append(pre, fill)
		}
	}
	name := "stage"
	read := &ir.Var{Name: name, Type: ir.Index, Kind: ir.MutVar, Span: loop.Span}
	write := &ir.Var{Name: name + "_ahead", Type: ir.Index, Kind: ir.MutVar, Span: loop.Span}

	copiesFor := func(k *ir.Expr, stage *ir.Expr) *ir.Op {
		body := &ir.Block{}
		for _, c := range ahead {
			body.Ops = append(body.Ops, p.start(c, lets, map[*ir.Var]*ir.Expr{loop.Var: k}, rings[c.Dst.Buf], stage))
		}
		return &ir.Op{Code: ir.OpIf, Span: loop.Span, X: []*ir.Expr{ir.Bin(ir.Lt, k, hi)}, Body: body}
	}
	async := false
	for _, c := range ahead {
		async = async || p.canAsync(c)
	}
	group := func(op *ir.Op) []*ir.Op {
		if !async {
			return nil // copies that complete where they stand need no groups
		}
		op.Span = loop.Span
		return []*ir.Op{op}
	}
	for s := range stages - 1 {
		k := lo
		if s > 0 {
			k = ir.Bin(ir.Add, lo, ir.Bin(ir.Mul, ir.Int(int64(s)), step))
		}
		pre = append(append(pre, copiesFor(fold(k), ir.Int(int64(s)))), group(&ir.Op{Code: ir.OpCommit})...)
	}
	pre = append(pre,
		&ir.Op{Code: ir.OpVar, Var: read, X: []*ir.Expr{ir.Int(0)}, Span: loop.Span},
		&ir.Op{Code: ir.OpVar, Var: write, X: []*ir.Expr{ir.Int(int64(stages - 1))}, Span: loop.Span})

	next := fold(ir.Bin(ir.Add, ir.RefTo(loop.Var), ir.Bin(ir.Mul, ir.Int(int64(stages-1)), step)))
	body := append(group(&ir.Op{Code: ir.OpWait, N: stages - 2}), copiesFor(next, ir.RefTo(write)))
	body = append(body, group(&ir.Op{Code: ir.OpCommit})...)
	isAhead := map[*ir.Op]bool{}
	for _, c := range ahead {
		isAhead[c] = true
	}
	for _, op := range loop.Body.Ops {
		if isAhead[op] || op.Code == ir.OpAlloc && rings[op.Buf] != nil || op.Note == "padding" && rings[op.Dst.Buf] != nil {
			continue
		}
		onStage(op, rings, read)
		body = append(body, op)
	}
	// the stage just read is the next one to be filled
	body = append(body,
		&ir.Op{Code: ir.OpAssign, Var: write, X: []*ir.Expr{ir.RefTo(read)}, Span: loop.Span},
		advance(read, stages, loop))
	run := *loop
	run.Loop = ir.Serial
	run.Body = &ir.Block{Ops: body}
	run.Note = fmt.Sprintf("%d stages", stages)
	return append(pre, &run)
}

// asCopy returns an operation that fills a tile with elements of a tensor, wherever they lie
// there, as a copy; nil if it does more.
func asCopy(op *ir.Op) *ir.Op {
	if op.Code != ir.OpMap || op.Where != nil || op.X[0].Op != ir.Load || op.Dst.Guard != nil {
		return nil
	}
	from := op.X[0].At
	if !from.Buf.Kind.IsTensor() || from.Buf.Elem != op.Dst.Buf.Elem || op.Dst.Buf.Space != ir.Shared {
		return nil
	}
	if _, ok := op.Aligned(op.Dst); !ok {
		return nil
	}
	c := *op
	c.Code, c.Src, c.X = ir.OpCopy, []*ir.Access{from}, nil
	return &c
}

// fits reports that a tile can become a ring of a loop, as those have to that the loop copies
// into, beside all other tiles of the function.
func (p *pipeliner) fits(t *ir.Buffer, loop *ir.Op) bool {
	rings := map[*ir.Buffer]bool{t: true}
	for _, op := range loop.Body.Ops {
		if op.Code == ir.OpCopy {
			rings[op.Dst.Buf] = true
		}
	}
	total := int64(0)
	p.f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAlloc && op.Buf.Space == ir.Shared {
			n := op.Buf.Bytes()
			if rings[op.Buf] {
				n *= int64(loop.Stages)
			}
			total += n
		}
	})
	return p.shared != nil && total <= p.shared.Bytes
}

// ringLayout is that of a tile once for each stage; stages are never permuted.
func ringLayout(ring *ir.Buffer) *layout.Layout {
	if len(ring.Shape) == 2 {
		return layout.Shared(ring.Extents(), 1, layout.Swizzle{})
	}
	return sharedLayout(ring)
}

// ahead returns the copies at the top of the loop's body that can be started in
// an earlier iteration, and the lets that they read.
func (p *pipeliner) ahead(loop *ir.Op) (copies []*ir.Op, lets map[*ir.Var]*ir.Expr) {
	lets = map[*ir.Var]*ir.Expr{}
	changing := map[*ir.Var]bool{} // scalars that the body computes from what it reads
	written := map[*ir.Buffer]int{}
	loop.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil && op.Note != "padding" {
			written[op.Dst.Buf]++
		}
		if op.Var != nil && op.Code != ir.OpLet {
			changing[op.Var] = true
		}
	})
	touched := map[*ir.Buffer]bool{}
	for _, op := range loop.Body.Ops {
		if op.Code == ir.OpLet {
			if stable(op.X[0], changing, written, lets) {
				lets[op.Var] = op.X[0]
			} else {
				changing[op.Var] = true
			}
		}
		if op.Code == ir.OpCopy && op.Src[0].Buf.Kind.IsTensor() && written[op.Src[0].Buf] == 0 &&
			op.Dst.Buf.Space == ir.Shared && op.Where == nil && written[op.Dst.Buf] == 1 && !touched[op.Dst.Buf] &&
			stableAccess(op, changing, written, lets) && !liveOutside(p.f, loop, op) {
			copies = append(copies, op)
		}
		touch(op, touched)
	}
	return copies, lets
}

// touch adds the buffers that op and its blocks touch.
func touch(op *ir.Op, touched map[*ir.Buffer]bool) {
	touchAlone(op, touched)
	for _, b := range []*ir.Block{op.Body, op.Else} {
		b.Walk(func(o *ir.Op) { touchAlone(o, touched) })
	}
}

// stable reports that e has the same value in an earlier iteration with the
// loop variable set to this one's.
func stable(e *ir.Expr, changing map[*ir.Var]bool, written map[*ir.Buffer]int, lets map[*ir.Var]*ir.Expr) bool {
	ok := true
	e.Walk(func(x *ir.Expr) bool {
		switch x.Op {
		case ir.Ref:
			ok = ok && !changing[x.Var]
		case ir.Load:
			// a tile that the loop does not write holds what it did before
			ok = ok && (x.At.Buf.Kind == ir.In || x.At.Buf.Kind == ir.Tile) && written[x.At.Buf] == 0
		}
		return ok
	})
	return ok
}

func stableAccess(op *ir.Op, changing map[*ir.Var]bool, written map[*ir.Buffer]int, lets map[*ir.Var]*ir.Expr) bool {
	ok := true
	check := func(a *ir.Access) {
		for _, x := range a.Index {
			ok = ok && stable(x, changing, written, lets)
		}
		if a.Guard != nil {
			ok = ok && stable(a.Guard, changing, written, lets)
		}
		if a.Else != nil {
			ok = ok && stable(a.Else, changing, written, lets)
		}
	}
	check(op.Src[0])
	check(op.Dst)
	return ok
}

// liveOutside reports that the tile which c fills in the loop may be read outside
// with what the loop left in it: a read without another copy over all of that before
// it, behind the loop.
func liveOutside(f *ir.Func, loop, c *ir.Op) bool {
	t := c.Dst.Buf
	live := false
	// block goes through b; fresh says that a copy filled t since the loop last ran.
	var block func(b *ir.Block, fresh bool)
	block = func(b *ir.Block, fresh bool) {
		if b == nil {
			return
		}
		for _, op := range b.Ops {
			if op == loop {
				fresh = false
				continue
			}
			op.Loads(func(a *ir.Access) { live = live || a.Buf == t && !fresh })
			if op.Code == ir.OpCopy && op.Dst.Buf == t && op.Where == nil && covers(op, c) {
				fresh = true
			}
			around := contains(op, loop)
			again := around && op.Code != ir.OpIf // comes back to its start from behind the loop
			block(op.Body, fresh && !again)
			block(op.Else, fresh && !again)
			fresh = fresh && !around
		}
	}
	block(f.Body, false)
	return live
}

// covers reports that a copy writes all that another one into the same tile does.
func covers(op, c *ir.Op) bool {
	for d, x := range op.Dst.Index {
		i, j := op.IterOf(x), c.IterOf(c.Dst.Index[d])
		if i < 0 || j < 0 || op.Dom[i].Extent.Int < c.Dom[j].Extent.Int {
			return false
		}
	}
	_, ok := op.Aligned(op.Dst)
	return ok
}

func contains(op, other *ir.Op) bool {
	found := false
	for _, b := range []*ir.Block{op.Body, op.Else} {
		b.Walk(func(o *ir.Op) { found = found || o == other })
	}
	return found
}

// start makes the copy of another iteration, into a stage of its ring.
func (p *pipeliner) start(c *ir.Op, lets map[*ir.Var]*ir.Expr, at map[*ir.Var]*ir.Expr, ring *ir.Buffer, stage *ir.Expr) *ir.Op {
	n := *c
	with := map[*ir.Var]*ir.Expr{}
	n.Dom = nil
	for _, it := range c.Dom {
		v := *it.Var
		n.Dom = append(n.Dom, ir.Iter{Var: &v, Extent: it.Extent})
		with[it.Var] = ir.RefTo(&v)
	}
	rewrite := func(e *ir.Expr) *ir.Expr {
		for range len(lets) + 1 { // lets may read lets
			next := e.Subst(lets)
			if next == e {
				break
			}
			e = next
		}
		return fold(e.Subst(at).Subst(with))
	}
	access := func(a *ir.Access) *ir.Access {
		b := *a
		b.Index = nil
		for _, x := range a.Index {
			b.Index = append(b.Index, rewrite(x))
		}
		if a.Guard != nil {
			b.Guard = rewrite(a.Guard)
		}
		if a.Else != nil {
			b.Else = rewrite(a.Else)
		}
		return &b
	}
	n.Src = []*ir.Access{access(c.Src[0])}
	n.Dst = access(c.Dst)
	n.Dst.Buf = ring
	n.Dst.Index = append([]*ir.Expr{stage}, n.Dst.Index...)
	n.Async = p.canAsync(c)
	return &n
}

// canAsync reports that a copy can run beside the program.
func (p *pipeliner) canAsync(c *ir.Op) bool {
	return p.path != nil && c.Src[0].Buf.Kind.IsTensor() && c.Dst.Buf.Space == ir.Shared && asyncWidth(p.f, c, p.path) > 0
}

// onStage makes an operation of the body read the current stage of the rings.
func onStage(op *ir.Op, rings map[*ir.Buffer]*ir.Buffer, stage *ir.Var) {
	swap := func(a *ir.Access) *ir.Access {
		r := rings[a.Buf]
		if r == nil {
			return a
		}
		b := *a
		b.Buf = r
		b.Index = append([]*ir.Expr{ir.RefTo(stage)}, a.Index...)
		return &b
	}
	op.MapExprs(func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.Load && rings[e.At.Buf] != nil {
			c := *e
			c.At = swap(e.At)
			return &c
		}
		return e
	})
	for i, s := range op.Src {
		op.Src[i] = swap(s)
	}
	for _, b := range []*ir.Block{op.Body, op.Else} {
		if b != nil {
			for _, o := range b.Ops {
				onStage(o, rings, stage)
			}
		}
	}
}

// advance moves a stage index on by one in a ring.
func advance(v *ir.Var, stages int, at *ir.Op) *ir.Op {
	next := ir.Bin(ir.Add, ir.RefTo(v), ir.Int(1))
	return &ir.Op{Code: ir.OpAssign, Var: v, Span: at.Span,
		X: []*ir.Expr{ir.SelectOf(ir.Bin(ir.Eq, next, ir.Int(int64(stages))), ir.Int(0), next)}}
}

// advances recognises what advance makes.
func advances(op *ir.Op) bool {
	if op.Code != ir.OpAssign {
		return false
	}
	x := op.X[0]
	return x.Op == ir.Select && x.Args[0].Op == ir.Eq && x.Args[1].IsInt(0) && x.Args[2].Op == ir.Add &&
		x.Args[2].Args[0].Op == ir.Ref && x.Args[2].Args[0].Var == op.Var && x.Args[2].Args[1].IsInt(1)
}

// needsPadding reports that a copy leaves part of its tile unwritten.
func needsPadding(c *ir.Op) bool {
	n := 1
	for _, it := range c.Dom {
		n *= int(it.Extent.Int)
	}
	for _, e := range c.Dst.Buf.Extents() {
		if n%e != 0 {
			return true
		}
		n /= e
	}
	return n != 1
}

// stray starts the other copies into shared memory asynchronously too, and waits
// where their tiles are first used.
func (p *pipeliner) stray(b *ir.Block) {
	if b == nil {
		return
	}
	var out []*ir.Op
	pending := map[*ir.Buffer]bool{}
	since := 0 // groups committed after the newest pending copy
	for _, op := range b.Ops {
		if len(pending) > 0 && waitsFirst(op, since) {
			// the loop's own wait is enough, and one behind it if it does not run
			p.stray(op.Body)
			out = append(out, op, &ir.Op{Code: ir.OpWait, N: 0, Span: op.Span})
			clear(pending)
			continue
		}
		if len(pending) > 0 && usesAny(op, pending) {
			out = append(out, &ir.Op{Code: ir.OpWait, N: since, Span: op.Span})
			clear(pending)
		}
		if op.Code == ir.OpFor || op.Code == ir.OpWhile || op.Code == ir.OpIf {
			if len(pending) > 0 && commits(op) {
				out = append(out, &ir.Op{Code: ir.OpWait, N: since, Span: op.Span})
				clear(pending)
			}
			p.stray(op.Body)
			p.stray(op.Else)
		}
		if op.Code == ir.OpCommit && len(pending) > 0 {
			since++
		}
		if op.Code == ir.OpCopy && !op.Async && p.canAsync(op) {
			op.Async = true
			pending[op.Dst.Buf] = true
			if op.Src[0].Buf.Kind != ir.In {
				pending[op.Src[0].Buf] = true // what follows may write it
			}
			since = 0
			out = append(out, op, &ir.Op{Code: ir.OpCommit, Span: op.Span})
			continue
		}
		out = append(out, op)
	}
	if len(pending) > 0 {
		span := b.Ops[len(b.Ops)-1].Span
		out = append(out, &ir.Op{Code: ir.OpWait, N: since, Span: span})
	}
	b.Ops = out
}

// waitsFirst reports a loop that starts each iteration with a wait for groups which as
// many others have been committed after.
func waitsFirst(op *ir.Op, since int) bool {
	if op.Code != ir.OpFor || len(op.Body.Ops) == 0 {
		return false
	}
	first := op.Body.Ops[0]
	return first.Code == ir.OpWait && first.N <= since
}

// commits reports that a block within op closes groups of its own.
func commits(op *ir.Op) bool {
	found := false
	for _, b := range []*ir.Block{op.Body, op.Else} {
		b.Walk(func(o *ir.Op) {
			found = found || o.Code == ir.OpCommit || o.Code == ir.OpWait || o.Code == ir.OpCopy && !o.Async
		})
	}
	return found
}

func usesAny(op *ir.Op, set map[*ir.Buffer]bool) bool {
	found := false
	look := func(o *ir.Op) {
		o.Loads(func(a *ir.Access) { found = found || set[a.Buf] })
		if o.Dst != nil {
			found = found || set[o.Dst.Buf]
		}
	}
	look(op)
	for _, b := range []*ir.Block{op.Body, op.Else} {
		b.Walk(look)
	}
	return found
}

// touchAlone adds the buffers that op itself touches; padding does not count.
func touchAlone(op *ir.Op, used map[*ir.Buffer]bool) {
	if op.Note == "padding" {
		return
	}
	op.Loads(func(a *ir.Access) { used[a.Buf] = true })
	if op.Dst != nil {
		used[op.Dst.Buf] = true
	}
}
