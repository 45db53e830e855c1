package ascend

import (
	"tilec/ir"
	"tilec/passes"
)

// interior has operations decide once, by scalars, whether conditions on their indices hold at all points, as they do for all tiles but those
// at the edges of tensors: those are then loaded without being filled first, and nothing is chosen element by element.
func interior(_ *passes.Context, f *ir.Func) error {
	overwrite(f)
	split(f.Body)
	return nil
}

func split(b *ir.Block) {
	if b == nil {
		return
	}
	for i, op := range b.Ops {
		if op.Code == ir.OpCores { // the cube's program is lowered already
			split(op.Else)
			continue
		}
		split(op.Body)
		split(op.Else)
		if op.Pipe != ir.NoPipe || op.Code != ir.OpMap && op.Code != ir.OpCopy && op.Code != ir.OpReduce || op.Dst.Buf.Outside() {
			continue
		}
		inner, all := stripped(op)
		if all = all.Map(passes.Identity); all == nil || all.IsConst() && all.Int == 0 {
			continue
		}
		body := &ir.Block{}
		if !unchanged(inner) {
			body.Ops = []*ir.Op{inner}
		}
		b.Ops[i] = &ir.Op{Code: ir.OpIf, X: []*ir.Expr{all}, Body: body, Else: &ir.Block{Ops: []*ir.Op{op}}, Span: op.Span}
	}
}

// unchanged reports a map that leaves a tile as it is.
func unchanged(op *ir.Op) bool {
	return op.Code == ir.OpMap && op.X[0].Op == ir.Load && op.X[0].At.Buf == op.Dst.Buf && sameElements(op.Dst, op.X[0].At)
}

// stripped is an operation without its conditions on indices, and when they all hold; nil if it has none that can be told ahead.
func stripped(op *ir.Op) (*ir.Op, *ir.Expr) {
	dom := op.Iters()
	var all *ir.Expr
	ok := true
	see := func(c *ir.Expr) bool {
		if !uses(c, dom) {
			return false
		}
		e := everywhere(dom, c)
		if e == nil {
			ok = false
			return false
		}
		for _, known := range ir.Conjuncts(all) {
			if known.String() == e.String() {
				return true
			}
		}
		all = ir.Conj(all, e)
		return true
	}
	n := op.Clone()
	dom = n.Iters()
	n.MapExprs(func(e *ir.Expr) *ir.Expr {
		switch {
		case e.Op == ir.Select && see(e.Args[0]):
			return e.Args[1]
		case e.Op == ir.Load && e.At.Guard != nil && e.At.Buf.Outside() && apiece(dom, e.At) && see(e.At.Guard):
			a := *e.At
			a.Guard, a.Else = nil, nil
			return ir.LoadAt(&a)
		}
		return e
	})
	if g := n.Dst.Guard; g != nil && see(g) {
		bare := *n.Dst
		bare.Guard = nil
		n.Dst = &bare
	}
	for i, a := range n.Src {
		if a.Guard != nil && a.Buf.Outside() && apiece(dom, a) && see(a.Guard) {
			bare := *a
			bare.Guard, bare.Else = nil, nil
			n.Src[i] = &bare
		}
	}
	if all == nil || !ok {
		return nil, nil
	}
	return n, all
}

// apiece reports an access with at most one index of the domain in each of its own.
func apiece(dom []ir.Iter, a *ir.Access) bool {
	for _, x := range a.Index {
		if len(within(dom, x)) > 1 {
			return false
		}
	}
	return true
}

// everywhere is when a condition holds at all points of a domain: a condition without its indices, nil if that cannot be told.
func everywhere(dom []ir.Iter, c *ir.Expr) *ir.Expr {
	if !uses(c, dom) {
		if readsTile(c) {
			return nil
		}
		return c
	}
	switch c.Op {
	case ir.And, ir.Or: // of an Or, where the same side holds everywhere
		a, b := everywhere(dom, c.Args[0]), everywhere(dom, c.Args[1])
		if a == nil || b == nil {
			return nil
		}
		return ir.Bin(c.Op, a, b)
	case ir.Lt, ir.Le, ir.Gt, ir.Ge:
	default:
		return nil
	}
	x, y := c.Args[0], c.Args[1]
	if x.Type != ir.Index || readsTile(c) {
		return nil
	}
	f, _, ok1 := parts(dom, x)
	g, _, ok2 := parts(dom, y)
	if !ok1 || !ok2 {
		return nil
	}
	with := map[*ir.Var]*ir.Expr{}
	for i, it := range dom {
		most := f[i] > g[i] // the last point is that with the largest difference
		if c.Op == ir.Gt || c.Op == ir.Ge {
			most = !most
		}
		if with[it.Var] = ir.Int(0); most {
			with[it.Var] = ir.Bin(ir.Sub, it.Extent, ir.Int(1))
		}
	}
	return ir.Bin(c.Op, x.Subst(with), y.Subst(with))
}

// overwrite has a choice between a tile's elements and something else write over that tile where nothing reads it afterwards: what is
// chosen away at the edges costs nothing elsewhere.
func overwrite(f *ir.Func) {
	total := map[*ir.Buffer]int{}
	count := func(n map[*ir.Buffer]int) func(*ir.Op) {
		return func(op *ir.Op) {
			op.Loads(func(a *ir.Access) { n[a.Buf]++ })
			if op.Dst != nil {
				n[op.Dst.Buf]++
			}
		}
	}
	f.Body.Walk(count(total))
	var block func(b *ir.Block)
	block = func(b *ir.Block) {
		if b == nil {
			return
		}
		declared, so := map[*ir.Buffer]bool{}, map[*ir.Buffer]int{}
		gone := map[*ir.Buffer]bool{}
		for i, op := range b.Ops {
			block(op.Body)
			block(op.Else)
			if op.Code == ir.OpAlloc {
				declared[op.Buf] = true
			}
			before := so[bufferOf(op.Dst)]
			(&ir.Block{Ops: []*ir.Op{op}}).Walk(count(so))
			if op.Code != ir.OpMap || op.Pipe != ir.NoPipe || op.X[0].Op != ir.Select || !fills(op) || before > 0 || !declared[op.Dst.Buf] {
				continue
			}
			for _, x := range op.X[0].Args[1:] {
				if x.Op != ir.Load || !declared[x.At.Buf] || so[x.At.Buf] != total[x.At.Buf] || !sameElements(op.Dst, x.At) || !onlyAt(op, x.At) {
					continue
				}
				d, over := op.Dst.Buf, x.At.Buf
				(&ir.Block{Ops: b.Ops[i:]}).Walk(func(o *ir.Op) { rename(o, d, over) })
				total[over] += total[d]
				so[over] += so[d]
				gone[d] = true
				break
			}
		}
		kept := b.Ops[:0]
		for _, op := range b.Ops {
			if op.Code != ir.OpAlloc || !gone[op.Buf] {
				kept = append(kept, op)
			}
		}
		b.Ops = kept
	}
	block(f.Body)
}

func bufferOf(a *ir.Access) *ir.Buffer {
	if a == nil {
		return nil
	}
	return a.Buf
}

// rename has an operation access one tile in place of another.
func rename(op *ir.Op, from, to *ir.Buffer) {
	moved := func(a *ir.Access) *ir.Access {
		if a == nil || a.Buf != from {
			return a
		}
		n := *a
		n.Buf = to
		return &n
	}
	op.MapExprs(func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.Load && e.At.Buf == from {
			return ir.LoadAt(moved(e.At))
		}
		return e
	})
	op.Dst = moved(op.Dst)
	for i, a := range op.Src {
		op.Src[i] = moved(a)
	}
}
