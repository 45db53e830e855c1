package passes

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
	"tilec/runtime/array"
)

// tile splits each contract over an atom of the machine and a grid of warps,
// chooses the size of the CTA, and pads operand tiles to whole atoms.
func tile(ctx *Context, f *ir.Func) error {
	m := ctx.Machine
	f.Machine = m.Name
	ownSums(f.Body, func(op *ir.Op) bool { return len(op.Dst.Index) > len(op.Dom) })
	for _, op := range contractsOf(f.Body) {
		p, ok := ir.AsProduct(op)
		if !ok {
			return diagErrorf(ctx, op.Span, "this contraction is not a matrix product of two tiles: the operands must be indexed [i, k] and [j, k] (or transposed)")
		}
		op.Atom = atomFor(m, f, p).Name
	}
	first := map[*ir.Buffer]*ir.Op{}
	ownSums(f.Body, func(op *ir.Op) bool {
		before := first[op.Dst.Buf]
		if before == nil {
			first[op.Dst.Buf] = op
		}
		return before != nil && !sameSums(m, before, op)
	})
	ownOperands(f)
	contracts := contractsOf(f.Body)
	f.Warps = chooseWarps(m, f, contracts)
	rows := map[*ir.Buffer]bool{}
	for _, op := range contracts {
		rows[op.Dst.Buf] = rows[op.Dst.Buf] || chained(f, op)
	}
	for _, op := range contracts {
		p, at := product(m, op)
		wm, wn := warpGrid(at, p, f.Warps, rows[op.Dst.Buf])
		op.Layout = layout.Accumulator(at.LayoutC, p.M, p.N, wm, wn)
		pad(f, p, op.Layout, at)
	}
	return nil
}

// product returns a contract as a product, with its atom.
func product(m *machine.Machine, op *ir.Op) (ir.Product, *machine.Atom) {
	p, _ := ir.AsProduct(op)
	return p, m.AtomNamed(op.Atom, p.A.Buf.Elem, p.B.Buf.Elem, p.C.Buf.Elem)
}

// sameSums reports that two contracts into one tile can have it laid out alike.
func sameSums(m *machine.Machine, x, y *ir.Op) bool {
	p, a := product(m, x)
	q, b := product(m, y)
	return p.M == q.M && p.N == q.N && p.CTransposed == q.CTransposed && a.LayoutC.Equal(b.LayoutC)
}

// ownSums gives some contracts a tile of their own for the sums, which live in
// registers as the atom has them: those that add to part of a larger tile, and those
// into a tile that another contract has in another layout. The sums are copied in
// and out.
func ownSums(b *ir.Block, need func(op *ir.Op) bool) {
	b.Rewrite(func(op *ir.Op) []*ir.Op {
		if op.Code != ir.OpContract || !need(op) {
			return []*ir.Op{op}
		}
		part := op.Dst
		n := len(part.Index) - len(op.Dom)
		own := &ir.Buffer{Name: part.Buf.Name + "_part", Elem: part.Buf.Elem, Shape: part.Buf.Shape[n:], Kind: ir.Tile, Temp: true, Span: op.Span}
		op.Dst = &ir.Access{Buf: own, Index: part.Index[n:], Span: part.Span}
		in := partCopy(op, part, op.Dst)
		in.Src[0], in.Dst = in.Dst, in.Src[0]
		return []*ir.Op{{Code: ir.OpAlloc, Buf: own, Span: op.Span}, in, op, partCopy(op, part, op.Dst)}
	})
}

// partCopy copies a contract's sums to the part of a tile that they belong to.
func partCopy(op *ir.Op, part, own *ir.Access) *ir.Op {
	c := &ir.Op{Code: ir.OpCopy, Span: op.Span}
	with := map[*ir.Var]*ir.Expr{}
	for _, it := range op.Dom {
		v := *it.Var
		with[it.Var] = ir.RefTo(&v)
		c.Dom = append(c.Dom, ir.Iter{Var: &v, Extent: it.Extent})
	}
	access := func(a *ir.Access) *ir.Access {
		n := &ir.Access{Buf: a.Buf, Span: a.Span}
		for _, x := range a.Index {
			n.Index = append(n.Index, x.Subst(with))
		}
		return n
	}
	c.Dst, c.Src = access(part), []*ir.Access{access(own)}
	return c
}

// atomFor picks the machine's atom for a product, scalar multiply-adds where the
// matrix unit lacks the types or would lose accuracy.
func atomFor(m *machine.Machine, f *ir.Func, p ir.Product) *machine.Atom {
	a, b, c := p.A.Buf.Elem, p.B.Buf.Elem, p.C.Buf.Elem
	if at := m.Atom(a, b, c); at != nil && a == b && (a != array.F32 || f.AllowTF32) {
		return at
	}
	return m.FMA(a, b, c)
}

func contractsOf(b *ir.Block) []*ir.Op {
	var ops []*ir.Op
	b.Walk(func(op *ir.Op) {
		if op.Code == ir.OpContract {
			ops = append(ops, op)
		}
	})
	return ops
}

// chained reports that op's A operand is computed from the result of another
// contract, so that keeping whole rows in a warp lets A stay in registers; the
// same holds for the contract that feeds such a chain.
func chained(f *ir.Func, op *ir.Op) bool {
	from := make(map[*ir.Buffer]map[*ir.Buffer]bool) // tile → tiles it is computed from
	f.Body.Walk(func(o *ir.Op) {
		if o.Dst == nil {
			return
		}
		o.Loads(func(a *ir.Access) {
			if from[o.Dst.Buf] == nil {
				from[o.Dst.Buf] = make(map[*ir.Buffer]bool)
			}
			from[o.Dst.Buf][a.Buf] = true
		})
	})
	var reaches func(t, src *ir.Buffer, seen map[*ir.Buffer]bool) bool
	reaches = func(t, src *ir.Buffer, seen map[*ir.Buffer]bool) bool {
		if t == src {
			return true
		}
		if seen[t] {
			return false
		}
		seen[t] = true
		for u := range from[t] {
			if reaches(u, src, seen) {
				return true
			}
		}
		return false
	}
	for _, other := range contractsOf(f.Body) {
		if other == op {
			continue
		}
		if reaches(op.Src[0].Buf, other.Dst.Buf, map[*ir.Buffer]bool{}) ||
			reaches(other.Src[0].Buf, op.Dst.Buf, map[*ir.Buffer]bool{}) {
			return true
		}
	}
	return false
}

// Sizes that the choice of a CTA aims at, in elements.
const (
	accumulatorsPerWarp = 64 * 64 // of a contraction: 128 registers a thread
	leastContractWarps  = 4       // one for each sub-core of an SM
	mostWarps           = 16
	mostRowWarps        = 8
)

// chooseWarps returns the number of warps of a CTA, a power of two.
func chooseWarps(m *machine.Machine, f *ir.Func, contracts []*ir.Op) int {
	limit := min(mostWarps, m.Limits.ThreadsPerCTA/m.Limits.WarpSize)
	if len(contracts) > 0 {
		most, atoms, rows := 0, 0, 0
		for _, op := range contracts {
			p, _ := ir.AsProduct(op)
			at := m.AtomNamed(op.Atom, p.A.Buf.Elem, p.B.Buf.Elem, p.C.Buf.Elem)
			most = max(most, layout.Pow2(p.M)*layout.Pow2(p.N))
			n := ceilDiv(p.M, at.M) * ceilDiv(p.N, at.N)
			atoms = max(atoms, n)
			if chained(f, op) {
				n = ceilDiv(p.M, at.M) // whole rows stay within a warp
			}
			rows = max(rows, n)
		}
		w := min(max(most/accumulatorsPerWarp, leastContractWarps), limit)
		for w > 1 && w > rows {
			w /= 2
		}
		w = layout.Pow2(w)
		if w == limit || 2*w > atoms {
			return w
		}
		u := usesOf(f)
		for w < limit && 2*w <= atoms && u.words(f, w*m.Limits.WarpSize) > mostTileWords {
			w *= 2
		}
		return w
	}
	most := 1
	f.Body.Walk(func(op *ir.Op) {
		n := 1
		for _, it := range op.Iters() {
			n *= layout.Pow2(int(it.Extent.Int))
		}
		most = max(most, n)
	})
	return layout.Pow2(min(max(most/(m.Limits.WarpSize*elementsPerThread(f)), 1), mostRowWarps))
}

// elementsPerThread is what a thread of an elementwise kernel works on at a time:
// one widest access to the tensor with the narrowest elements, at most 8.
func elementsPerThread(f *ir.Func) int {
	bits := 32
	for _, t := range f.Tensors() {
		if t.Elem.Bits() >= 8 {
			bits = min(bits, t.Elem.Bits())
		}
	}
	return min(ir.WidestAccess*8/bits, 8)
}

// mostTileWords is how many of its registers a thread can give to tiles beside
// fragments and addresses without spilling.
const mostTileWords = 180

// words estimates the registers that the tiles of f take in each of a CTA's threads.
func (u *uses) words(f *ir.Func, threads int) int {
	return ir.PeakWords(f, func(b *ir.Buffer) int {
		x := u.tile(b)
		shared := b.Space != ir.Register && b.Space != ir.Unplaced
		if !x.sum && (shared || x.crossed || x.right || x.staged || x.left && !(x.fragment && u.chainedLeft(b))) {
			return 0
		}
		n := 1
		for _, e := range b.Shape {
			n *= layout.Pow2(int(e.Int))
		}
		each := (n + threads - 1) / threads
		if len(b.Shape) < 2 {
			each = min(n, 8) // statistics of rows: every thread of a row has them
		}
		return (each*b.Elem.Bits() + 31) / 32
	})
}

// warpGrid cuts an m × n tile over the warps so that a warp reads the fewest
// operand elements; rows keeps whole rows within a warp as far as atoms go.
func warpGrid(at *machine.Atom, p ir.Product, warps int, rows bool) (wm, wn int) {
	best := -1
	for n := 1; n <= warps; n *= 2 {
		m := warps / n
		pm, pn := layout.Pow2(max(p.M, at.M*m)), layout.Pow2(max(p.N, at.N*n))
		cost := pm/m + pn/n                                     // operand rows read for each k
		cost += 4 * (pm*pn - layout.Pow2(p.M)*layout.Pow2(p.N)) // padding is computed for nothing
		if rows && n > 1 {
			cost += 1 << 20 * n
		}
		if best < 0 || cost < best || cost == best && pm/m >= pn/n {
			best, wm, wn = cost, m, n
		}
	}
	return wm, wn
}

// pad enlarges the operand tiles of a product to what the atoms read. The new
// elements are zero from the tile's declaration on: no operation of the program
// writes them.
func pad(f *ir.Func, p ir.Product, acc *layout.Layout, at *machine.Atom) {
	k := roundUp(p.K, at.K)
	grow(f, p.A, acc.Out[0].Size, k, p.AKLast)
	grow(f, p.B, acc.Out[1].Size, k, p.BKLast)
}

func grow(f *ir.Func, a *ir.Access, rows, k int, kLast bool) {
	b := a.Buf
	n := len(b.Shape)
	r, c := rows, k
	if !kLast {
		r, c = k, rows
	}
	if b.Extent(n-2) >= r && b.Extent(n-1) >= c {
		return
	}
	r, c = max(r, b.Extent(n-2)), max(c, b.Extent(n-1))
	b.Shape = append(append([]*ir.Expr(nil), b.Shape[:n-2]...), ir.Int(int64(r)), ir.Int(int64(c)))
	insertAfterAlloc(f.Body, b, fillOp(b))
}

// fillOp is a map that zeroes a whole tile.
func fillOp(b *ir.Buffer) *ir.Op {
	op := &ir.Op{Code: ir.OpMap, Span: b.Span, Dst: &ir.Access{Buf: b, Span: b.Span}, X: []*ir.Expr{ir.ZeroOf(b.Elem)}, Note: "padding"}
	for d, ext := range b.Shape {
		v := &ir.Var{Name: string(rune('i' + d)), Type: ir.Index, Kind: ir.IterVar, Span: b.Span}
		op.Dom = append(op.Dom, ir.Iter{Var: v, Extent: ext})
		op.Dst.Index = append(op.Dst.Index, ir.RefTo(v))
	}
	return op
}

// insertAfterAlloc puts op right behind the declaration of b; a fill of b that
// already stands there is replaced.
func insertAfterAlloc(blk *ir.Block, b *ir.Buffer, op *ir.Op) bool {
	if blk == nil {
		return false
	}
	for i, o := range blk.Ops {
		if o.Code == ir.OpAlloc && o.Buf == b {
			rest := blk.Ops[i+1:]
			if len(rest) > 0 && rest[0].Note == "padding" && rest[0].Dst.Buf == b {
				rest = rest[1:]
			}
			blk.Ops = append(append(append([]*ir.Op(nil), blk.Ops[:i+1]...), op), rest...)
			return true
		}
		if insertAfterAlloc(o.Body, b, op) || insertAfterAlloc(o.Else, b, op) {
			return true
		}
	}
	return false
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func roundUp(a, b int) int { return ceilDiv(a, b) * b }

func diagErrorf(ctx *Context, span diag.Span, format string, args ...any) error {
	ctx.Reporter.Errorf(diag.Unsupported, span, format, args...)
	return ErrReported
}
