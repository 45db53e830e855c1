package ptx

import (
	"math/bits"
	"slices"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
	"tilec/runtime/ptx/syntax"
	"tilec/runtime/ptx/tensor"
)

// wgmmaOp is wgmma.mma_async with its registers.
type wgmmaOp struct {
	form   *tensor.WGMMA
	d, c   []int32 // the sums, as written and as read: the same registers
	a      []int32 // empty if A is in shared memory
	descA  int32   // registers of the descriptors; none
	descB  int32
	add    pred // scale-d: without it D isn't read
	scaleA float64
	scaleB float64
	transA bool
	transB bool
	// The same registers before they got their places.
	namesD, namesA []int32
	// unfenced are those written since the last wgmma.fence, by the instructions beside them.
	unfenced *touched
	first    bool // no wgmma.fence comes before on some path
}

func (op *wgmmaOp) eachReg(f func(r *int32, write bool)) {
	for i := range op.a {
		f(&op.a[i], false)
	}
	if op.descA != none {
		f(&op.descA, false)
	}
	f(&op.descB, false)
	for i := range op.c {
		f(&op.c[i], false)
	}
	for i := range op.d {
		f(&op.d[i], true)
	}
}

func (op *wgmmaOp) eachPred(f func(p pred)) { f(op.add) }

// wgmmaWait is wgmma.wait_group.
type wgmmaWait struct{ keep int }

// wgmmaFence and wgmmaCommit mark their instructions.
type (
	wgmmaFence  struct{}
	wgmmaCommit struct{}
)

func decodeWGMMA(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	in.class = classTensor
	d.prog.hopper = true
	if len(ast.Mods) == 3 && ast.Mods[1] == "sync" && ast.Mods[2] == "aligned" {
		switch ast.Mods[0] {
		case "fence":
			in.x, in.exec = wgmmaFence{}, execNothing
			return in, d.wantArgs(r, 0, 0)
		case "commit_group":
			in.x, in.exec = wgmmaCommit{}, execGroupCommit
			return in, d.wantArgs(r, 0, 0)
		case "wait_group":
			if err := d.wantArgs(r, 1, 1); err != nil {
				return in, err
			}
			n := ast.Args[0]
			if n.Kind != syntax.Lit || n.Lit.Kind != syntax.IntLit || n.Lit.Int > 1<<20 {
				return in, d.errorf(n.Pos, "the count of wgmma.wait_group must be an immediate")
			}
			in.x, in.exec = &wgmmaWait{int(n.Lit.Int)}, execGroupWait
			return in, nil
		}
	}
	form, err := tensor.ParseWGMMA(ast.Mods)
	if err != nil {
		return in, d.errorf(ast.Pos, "%v", err)
	}
	return d.wgmmaOperands(r, in, form)
}

func (d *decoder) wgmmaOperands(r *raw, in instr, form *tensor.WGMMA) (instr, error) {
	ast := r.src.ast
	op := &wgmmaOp{form: form, descA: none, scaleA: 1, scaleB: 1}
	nd, na := form.Regs()
	if len(ast.Args) < 4 {
		return in, d.wantArgs(r, 4, 8)
	}
	inRegs := ast.Args[1].Kind == syntax.Vector
	n := 4
	if form.Scalable() {
		n += 2
	}
	if form.Transposable() {
		n += 2
		if inRegs {
			n--
		}
	}
	if err := d.wantArgs(r, n, n); err != nil {
		return in, err
	}
	if len(ast.Args[0].Elems) != nd || inRegs && len(ast.Args[1].Elems) != na {
		return in, d.errorf(ast.Pos, "%s with %d and %d registers, wants %d and %d", ast.Form(), len(ast.Args[0].Elems), len(ast.Args[1].Elems), nd, na)
	}
	for _, e := range ast.Args[0].Elems {
		reg, err := d.dest(r, e, lanes.B32)
		if err != nil {
			return in, err
		}
		op.d = append(op.d, reg)
	}
	var err error
	for _, e := range ast.Args[1].Elems {
		reg, err := d.value(r, e, lanes.B32)
		if err != nil {
			return in, err
		}
		op.a = append(op.a, reg)
	}
	if !inRegs {
		if op.descA, err = d.value(r, ast.Args[1], lanes.B64); err != nil {
			return in, err
		}
	}
	if op.descB, err = d.value(r, ast.Args[2], lanes.B64); err != nil {
		return in, err
	}
	if op.add, err = d.predicate(r, ast.Args[3]); err != nil {
		return in, err
	}
	var imm []int64
	for _, o := range ast.Args[4:] {
		if o.Kind != syntax.Lit || o.Lit.Kind != syntax.IntLit {
			return in, d.errorf(o.Pos, "operand of %s must be an immediate", ast.Form())
		}
		imm = append(imm, int64(o.Lit.Int))
	}
	if form.Scalable() {
		for _, v := range imm[:2] {
			if v != 1 && v != -1 {
				return in, d.errorf(ast.Pos, "the factors of %s must be 1 or -1", ast.Form())
			}
		}
		op.scaleA, op.scaleB = float64(imm[0]), float64(imm[1])
		imm = imm[2:]
	}
	if form.Transposable() {
		op.transB = imm[len(imm)-1] != 0
		op.transA = !inRegs && imm[0] != 0
	}
	op.c = slices.Clone(op.d)
	op.namesD, op.namesA = slices.Clone(op.d), slices.Clone(op.a)
	in.kind, in.x, in.exec = opGroup, op, execNothing
	return in, nil
}

// wgmmaState is a warp's asynchronous products.
type wgmmaState struct {
	pending []flight
	commits int
}

func (s *wgmmaState) reset() {
	s.pending = s.pending[:0]
	s.commits = 0
}

// flight is a product as one of its warps sees it.
type flight struct {
	*product
	group int
}

// product is a wgmma of a warpgroup on its way.
type product struct {
	in    *instr
	stamp uint32   // of its reading of shared memory
	reads []uint64 // offsets of the 16 bytes that it reads
	done  uint32   // stamp of its end, or 0
}

func execGroupCommit(w *warp, _ *instr, _ uint32) { w.groups.commits++ }

func execGroupWait(w *warp, in *instr, _ uint32) {
	op := in.x.(*wgmmaWait)
	kept := w.groups.pending[:0]
	for _, f := range w.groups.pending {
		if f.group >= w.groups.commits-op.keep {
			kept = append(kept, f)
			continue
		}
		f.finish(w)
	}
	w.groups.pending = kept
}

// finish ends the product, if no other warp of the warpgroup has, and orders the warp after it.
func (p *product) finish(w *warp) {
	s := w.cta.shadow
	if s == nil {
		return
	}
	row := s.warps + w.id/4
	if p.done == 0 {
		p.done = s.stamp()
		a := shadow.Access{Warp: row, Now: p.stamp}
		for _, off := range p.reads {
			s.mem.Release(&a, int(off), 16, p.done)
		}
		p.reads = nil
	}
	w.clock.acc.Clock[s.base+row] = max(w.clock.acc.Clock[s.base+row], p.done)
}

// tryGroup runs a wgmma once the four warps of the warpgroup have come to it.
func (w *warp) tryGroup(in *instr, pc int32) {
	c := w.cta
	first := w.id &^ 3
	if first+4 > len(c.warps) {
		w.report(in, w.live, Finding{Kind: SyncDivergence, Msg: "the warpgroup lacks warps: blocks need a multiple of 128 threads"})
		c.run.stop()
		return
	}
	for _, o := range c.warps[first : first+4] {
		if o.live == 0 || len(o.splits) != 1 || o.splits[0].state != atGroup || o.splits[0].pc != pc {
			return
		}
	}
	op := in.x.(*wgmmaOp)
	c.multiply(c.warps[first:first+4], in, op)
	for _, o := range c.warps[first : first+4] {
		o.splits[0].state = ready
		o.splits[0].pc++
	}
}

// multiply computes a product for the warps of a warpgroup. The results are there at
// once; touching them before the wait is a finding.
func (c *cta) multiply(warps []*warp, in *instr, op *wgmmaOp) {
	w := warps[0]
	lane := bits.TrailingZeros32(w.live)
	p := &product{in: in}
	var a *shadow.Access
	if c.shadow != nil {
		a = c.groupAccess(warps, in)
		p.stamp = a.Now
	}
	form := op.form
	need := 4*form.SizeA() + form.SizeB()
	if len(c.worker.operands) < need {
		c.worker.operands = make([]float64, need)
	}
	mb, ma := c.worker.operands[:form.SizeB()], c.worker.operands[form.SizeB():need]
	db := tensor.ParseDescriptor(w.valueAt(op.descB, true, lane))
	read := c.chunkReader(w, in, p, a, db, op.transB)
	form.Operand(mb, form.B, form.N, op.transB, op.scaleB, read, form.PlaceB)
	if op.descA != none {
		da := tensor.ParseDescriptor(w.valueAt(op.descA, true, lane))
		form.Operand(ma, form.A, 64, op.transA, op.scaleA, c.chunkReader(w, in, p, a, da, op.transA), form.PlaceA)
	}
	for i, o := range warps {
		rows := ma[i*form.SizeA() : (i+1)*form.SizeA()]
		if op.descA == none {
			var regs [16]*lanes.V32
			o.pointers(&regs, op.a)
			form.LoadA(rows, regs[:len(op.a)], op.scaleA)
		}
		if o.valueAt(op.descB, true, lane) != w.valueAt(op.descB, true, lane) {
			o.report(in, o.live, Finding{Kind: SyncDivergence, Msg: "the warps of a warpgroup give different descriptors"})
		}
		d := c.worker.sums[:0]
		for _, r := range op.d {
			d = append(d, &o.regs[r])
		}
		c.worker.sums = d
		form.Multiply(d, rows, mb, o.predOf(op.add)>>lane&1 != 0)
		o.checkFlight(in, op)
		o.groups.pending = append(o.groups.pending, flight{p, o.groups.commits})
	}
}

// groupAccess is the reading of a warpgroup's product: what comes before it came
// before it in all of its warps.
func (c *cta) groupAccess(warps []*warp, in *instr) *shadow.Access {
	s := c.shadow
	row := s.warps + warps[0].id/4
	a := &shadow.Access{
		Warp: row, Base: s.base, Now: s.stamp(), By: shadow.OfAgent(s.base+row, in.pc),
		Clock: slices.Clone(warps[0].clock.acc.Clock), Proxy: slices.Clone(warps[0].clock.proxy),
	}
	for i, w := range warps {
		k := &w.clock
		for u := range a.Clock {
			now, proxy := k.acc.Clock[u], k.proxy[u]
			if u == w.entry() {
				now = k.acc.Now
			}
			if i == 0 {
				a.Clock[u], a.Proxy[u] = now, proxy
			}
			a.Clock[u], a.Proxy[u] = min(a.Clock[u], now), min(a.Proxy[u], proxy)
		}
		w.tick()
	}
	a.Clock[s.base+row] = a.Now
	return a
}

// chunkReader reads 16 bytes of an operand, row i and chunk j by its descriptor.
func (c *cta) chunkReader(w *warp, in *instr, p *product, a *shadow.Access, d tensor.Descriptor, trans bool) func(i, j int) []byte {
	return func(i, j int) []byte {
		at := d.Chunk(i, j, trans)
		off := at - sharedBase
		if off >= uint64(len(c.shared)) || uint64(len(c.shared))-off < 16 {
			if !w.again(OutOfBounds, in, none) {
				x := &w.access
				x.in, x.space, x.bytes = in, shared, 16
				x.addr[0] = at
				w.outOfBounds(x, 0)
			}
			return zeroRow[:]
		}
		if a != nil {
			if f, by := c.shadow.mem.Hold(a, int(off), 16); f != shadow.None {
				x := &w.access
				x.in, x.space, x.bytes = in, shared, 16
				x.addr[0] = at
				w.sharedFault(x, 0, f, by, c)
			}
			p.reads = append(p.reads, off)
		}
		return c.shared[off : off+16]
	}
}
