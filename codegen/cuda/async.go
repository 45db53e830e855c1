package cuda

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/layout"
)

// stream is how an asynchronous copy finds its addresses: a pointer near the
// first element that the thread copies, moved on by step elements in each iteration of
// a loop.
type stream struct {
	src  string
	step string // "" outside loops
	// bias is how many elements beyond the thread's first one src points: offsets
	// on both sides of a pointer reach more with the instruction's own offset.
	bias int64
}

// openStreams declares the pointers of the asynchronous copies in a loop before
// it; a copy whose address is not linear in the loop variable has none, and one in
// a loop within belongs to that loop.
func (k *kernel) openStreams(loop *ir.Op) []*ir.Op {
	var opened []*ir.Op
	if !loop.X[2].IsConst() {
		return nil
	}
	eachOnce(loop.Body, func(op *ir.Op) {
		if op.Code != ir.OpCopy || !op.Async {
			return
		}
		step, ok := k.stepOf(op, loop)
		if !ok {
			return
		}
		p := k.startPoints(op)
		at := p.threadOnly()
		at.vars[loop.Var] = k.expr(loop.X[0], nil)
		s := &stream{src: k.names.Take(op.Src[0].Buf.Name + "_src"), step: step}
		from := k.address(bare(op.Src[0]), at)
		if s.bias = p.bias(); s.bias != 0 {
			from = fmt.Sprintf("%s + %d", from, s.bias)
		}
		k.w.Line("const %s* %s = %s;", memoryType(op.Src[0].Buf.Elem), s.src, from)
		k.streams[op] = s
		opened = append(opened, op)
	})
	return opened
}

// eachOnce visits the operations that an iteration runs at most once.
func eachOnce(b *ir.Block, f func(*ir.Op)) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		f(op)
		if op.Code != ir.OpFor && op.Code != ir.OpWhile {
			eachOnce(op.Body, f)
			eachOnce(op.Else, f)
		}
	}
}

// mostBias is the greatest offset, in bytes, that cp.async's own offset reaches
// below an address on sm_80 [seen in what ptxas makes].
const mostBias = 0x800

// bias is the distance between a thread's first two groups, or a multiple of it that is
// still within reach, where it is a known constant.
func (p *points) bias() int64 {
	a := p.op.Src[0]
	n := int64(0)
	if p.v >= p.op.Layout.Size(layout.Reg) || a.Buf.Elem.Bits() < 8 {
		return 0
	}
	basis := p.op.Layout.Bases(layout.Reg)[layout.Log2(p.v)]
	for i, it := range p.iters {
		if basis[i] == 0 {
			continue
		}
		for d, x := range a.Index {
			if !x.Uses(it.Var) {
				continue
			}
			stride := int64(1)
			for _, e := range a.Buf.Shape[d+1:] {
				if !e.IsConst() {
					return 0
				}
				stride *= e.Int
			}
			n += int64(basis[i]) * stride
		}
	}
	bytes := int64(a.Buf.Elem.Bits()) / 8
	if n*bytes > mostBias {
		return 0
	}
	for groups := p.op.Layout.Size(layout.Reg) / p.v; groups > 2 && 2*n*bytes <= mostBias; groups /= 2 {
		n *= 2
	}
	return n
}

// advanceStreams moves the pointers on at the end of an iteration.
func (k *kernel) advanceStreams(ops []*ir.Op) {
	for _, op := range ops {
		s := k.streams[op]
		k.w.Line("%s += %s;", s.src, s.step)
		delete(k.streams, op)
	}
}

// stepOf spells how many elements (bytes for sub-byte types) a copy's source
// moves in one iteration.
func (k *kernel) stepOf(op *ir.Op, loop *ir.Op) (string, bool) {
	a := op.Src[0]
	if a.Buf.Strides != nil || !steps(op, a) {
		return "", false
	}
	var parts []string
	n := len(a.Index)
	for d, x := range a.Index {
		if !x.Uses(loop.Var) {
			continue
		}
		c, ok := coefficient(x, loop.Var)
		if !ok || c == 0 {
			return "", false
		}
		c *= loop.X[2].Int
		if d == n-1 {
			per := int64(max(8/a.Buf.Elem.Bits(), 1))
			if c%per != 0 {
				return "", false
			}
			parts = append(parts, fmt.Sprint(c/per))
			continue
		}
		parts = append(parts, k.rowsOf(a, d, fmt.Sprint(c)))
	}
	if len(parts) == 0 {
		return "", false
	}
	return sum(parts...), true
}

// rowsOf spells the offset of n steps along dimension d of a tensor.
func (k *kernel) rowsOf(a *ir.Access, d int, n string) string {
	zero := &ir.Access{Buf: a.Buf}
	at := &env{vars: map[*ir.Var]string{}}
	for i := range a.Index {
		v := &ir.Var{Name: "d", Type: ir.Index, Kind: ir.IterVar}
		at.vars[v] = "0"
		if i == d {
			at.vars[v] = n
		}
		zero.Index = append(zero.Index, ir.RefTo(v))
	}
	row, last := k.rowOffset(zero, at)
	return sum(row, last)
}

// coefficient returns c where x is c*v plus something free of v.
func coefficient(x *ir.Expr, v *ir.Var) (int64, bool) {
	if !x.Uses(v) {
		return 0, true
	}
	switch x.Op {
	case ir.Ref:
		return 1, true
	case ir.Add, ir.Sub:
		a, ok := coefficient(x.Args[0], v)
		b, ok2 := coefficient(x.Args[1], v)
		if x.Op == ir.Sub {
			b = -b
		}
		return a + b, ok && ok2
	case ir.Mul:
		for i := range 2 {
			if y := x.Args[1-i]; y.IsConst() {
				c, ok := coefficient(x.Args[i], v)
				return c * y.Int, ok
			}
		}
	}
	return 0, false
}

// steps reports that every iteration variable stands in at most one index of the
// access, with coefficient one.
func steps(op *ir.Op, a *ir.Access) bool {
	for _, it := range op.Dom {
		seen := 0
		for _, x := range a.Index {
			if !x.Uses(it.Var) {
				continue
			}
			if _, ok := ir.Without(x, it.Var); !ok {
				return false
			}
			seen++
		}
		if seen > 1 {
			return false
		}
	}
	return true
}

// threadOnly is the environment of the thread's first element, whatever group.
func (p *points) threadOnly() *env {
	v := &env{vars: map[*ir.Var]string{}}
	for i, it := range p.iters {
		c := p.k.threadPart(p.op.Layout, i, it.Var.Name)
		if c == "" {
			c = "0"
		}
		v.vars[it.Var] = c
	}
	return v
}

// fromRegisters spells what register idx adds to an access's offset, in elements
// (bytes for sub-byte types).
func (p *points) fromRegisters(a *ir.Access, idx string) string {
	n := len(a.Index)
	var parts []string
	for i, it := range p.iters {
		reg := bitsOf(idx, p.op.Layout.Size(layout.Reg), runsOf(p.op.Layout.Bases(layout.Reg), i))
		if reg == "0" {
			continue
		}
		for d, x := range a.Index {
			if !x.Uses(it.Var) {
				continue
			}
			if d == n-1 {
				if per := 8 / a.Buf.Elem.Bits(); per > 1 {
					reg = fmt.Sprintf("%s / %d", operand(reg), per)
				}
				parts = append(parts, reg)
			} else {
				parts = append(parts, p.k.rowsOf(a, d, reg))
			}
		}
	}
	return sum(parts...)
}

// destination spells the shared address of the w elements that a copy writes from
// register idx on: the thread's own offset, declared once at the top, and a constant.
func (p *points) destination(idx string, w int) string {
	k, op := p.k, p.op
	b := op.Dst.Buf
	l := b.Layout
	rank := len(op.Dst.Index)
	bits := b.Elem.Bits()
	base := k.sharedBase(b)
	// byte offset contributed by an input bit of the operation's layout
	value := func(basis []int) int {
		off := 0
		for d := range rank {
			i := op.IterOf(op.Dst.Index[d])
			if i < 0 {
				continue
			}
			for v, bit := basis[i], 0; v != 0; v, bit = v>>1, bit+1 {
				if v&1 != 0 {
					off ^= l.In[d].Bases[bit][0]
				}
			}
		}
		return off * bits / 8
	}
	thread := 0
	for _, in := range []string{layout.Lane, layout.Warp} {
		for _, basis := range op.Layout.Bases(in) {
			thread |= value(basis)
		}
	}
	at := p.threadOnly()
	trimmed := *op.Dst
	trimmed.Index = append([]*ir.Expr(nil), op.Dst.Index...)
	lead := "0"
	for d, x := range op.Dst.Index {
		if op.IterOf(x) < 0 {
			lead = sum(lead, scaledIndex(k.expr(x, nil), strideOf(l, d)*bits/8))
			trimmed.Index[d] = ir.Int(0)
		}
	}
	offset := k.sharedOffset(&trimmed, at)
	mine := sum(base, k.topValue("unsigned", k.pinned(byteOffset(offset, bits)), "t_dst"))
	regs, overlap := []run{}, false
	for bit, basis := range op.Layout.Bases(layout.Reg) {
		v := value(basis)
		if v == 0 || 1<<bit < w {
			continue
		}
		if v&(v-1) != 0 || v&thread != 0 {
			overlap = true
		}
		regs = append(regs, run{bit, layout.Log2(v), 1})
	}
	if overlap {
		return ""
	}
	return sum(mine, lead, bitsOf(idx, op.Layout.Size(layout.Reg), merge(regs)))
}

// merge joins runs that follow each other.
func merge(runs []run) []run {
	var out []run
	for _, r := range runs {
		if n := len(out); n > 0 && out[n-1].from+out[n-1].n == r.from && out[n-1].to+out[n-1].n == r.to {
			out[n-1].n += r.n
			continue
		}
		out = append(out, r)
	}
	return out
}

func byteOffset(elements string, bits int) string {
	if bits < 8 {
		return fmt.Sprintf("%s / %d", operand(elements), 8/bits)
	}
	return scaledIndex(elements, bits/8)
}

// asyncCopy prints a copy from global to shared memory through cp.async.
func (k *kernel) asyncCopy(op *ir.Op) {
	p := k.startPoints(op)
	src, dst := op.Src[0], op.Dst
	fast := dst.Index[len(dst.Index)-1].Var
	if p.fast >= 0 {
		fast = p.iters[p.fast].Var
	}
	w := min(p.v, k.align.Width(src, fast))
	bytes := w * src.Buf.Elem.Bits() / 8
	first := copies(op.Layout)
	if first != "" {
		k.w.Open("if (%s)", first)
	}
	guard := ir.Conj(src.Guard, p.rowEnd(fast, w))
	s := k.streams[op]
	if s == nil && src.Buf.Strides == nil && steps(op, src) {
		s = &stream{src: k.names.Take(src.Buf.Name + "_src")}
		k.w.Line("const %s* const %s = %s;", memoryType(src.Buf.Elem), s.src, k.address(bare(src), p.threadOnly()))
	}
	p.open()
	for c := 0; c < p.v; c += w {
		at := p.at(fmt.Sprint(c))
		idx := plus(p.group, c)
		to := p.destination(idx, w)
		if to == "" {
			to = fmt.Sprintf("%s(%s)", "shared_address", k.address(dst, at))
		}
		from := ""
		if s != nil {
			from = sum(s.src, p.fromRegisters(src, idx))
			if s.bias != 0 {
				from = fmt.Sprintf("%s - %d", from, s.bias)
			}
		} else {
			from = k.address(bare(src), at)
		}
		move := fmt.Sprintf("%s<%d>(%s, %s", "cp_async", bytes, to, from)
		inside := ""
		if p.pad != nil {
			inside = fmt.Sprintf("if (%s) ", k.expr(p.pad, at))
		}
		switch {
		case guard == nil:
			k.w.Line("%s%s);", inside, move)
		case src.Else != nil && !isZero(src.Else):
			p.asyncOrElse(c, w, guard, fast, inside, move+");")
		case k.align.UniformGuard(guard, fast, w):
			k.w.Line("%s%s, %s ? %d : 0);", inside, move, k.expr(guard, at), bytes)
		default:
			k.w.Line("%s%s, %s);", inside, move, p.bytesInside(guard, fast, c, w))
		}
	}
	p.close()
	if first != "" {
		k.w.Close("")
	}
}

// rowEnd is what ends the last group of a row that the tile ends in the midst of, where
// nothing says that the tensor goes on behind it; nil where there is no such group.
func (p *points) rowEnd(fast *ir.Var, w int) *ir.Expr {
	for _, g := range ir.Conjuncts(p.op.Src[0].Guard) {
		if g.Uses(fast) {
			return nil
		}
	}
	for _, c := range ir.Conjuncts(p.pad) {
		if c.Uses(fast) && !p.k.align.UniformGuard(c, fast, w) {
			return c
		}
	}
	return nil
}

// bytesInside counts how many bytes of a group lie inside the tensor, from the
// conjunct that ends the row.
func (p *points) bytesInside(guard *ir.Expr, fast *ir.Var, c, w int) string {
	k := p.k
	at := p.at(fmt.Sprint(c))
	bits := p.op.Src[0].Buf.Elem.Bits()
	conds, count := "", fmt.Sprint(w)
	for _, g := range ir.Conjuncts(guard) {
		if g.Uses(fast) && g.Op == ir.Lt {
			if _, ok := ir.Without(g.Args[0], fast); ok && !g.Args[1].Uses(fast) {
				left := fmt.Sprintf("%s - %s", operand(k.expr(g.Args[1], at)), operand(k.expr(g.Args[0], at)))
				if k.r.of(g.Args[1]).fits32() && k.r.of(g.Args[0]).fits32() {
					count = fmt.Sprintf("min(max(%s, 0), %s)", left, count)
				} else {
					count = fmt.Sprintf("(int)min(max((long long)(%s), 0ll), (long long)%s)", left, count)
				}
				continue
			}
		}
		if conds != "" {
			conds += " && "
		}
		conds += k.expr(g, at)
	}
	n := scaled(count, bits/8)
	if bits < 8 {
		n = fmt.Sprintf("(%s + %d) / %d", count, 8/bits-1, 8/bits)
	}
	if conds != "" {
		n = fmt.Sprintf("%s ? %s : 0", conds, n)
	}
	return n
}

// asyncOrElse copies a group if it lies inside the tensor, and otherwise writes
// its elements one by one, the program's value for those outside.
func (p *points) asyncOrElse(c, w int, guard *ir.Expr, fast *ir.Var, inside, move string) {
	k := p.k
	src, dst := p.op.Src[0], p.op.Dst
	cond := k.expr(guard, p.at(fmt.Sprint(c)))
	uniform := k.align.UniformGuard(guard, fast, w)
	if !uniform {
		first, last := p.at(fmt.Sprint(c)), p.at(fmt.Sprint(c+w-1))
		cond = fmt.Sprintf("%s && %s", k.expr(guard, first), k.expr(guard, last))
	}
	k.w.Open("%sif (%s)", inside, top(cond))
	k.w.Line("%s", move)
	k.w.Else()
	if uniform {
		p.fillShared(c, w)
	} else {
		k.w.Line("#pragma unroll")
		k.w.Open("for (int e = 0; e < %d; ++e)", w)
		at := p.at(sum(fmt.Sprint(c), "e"))
		k.w.Line("%s = %s;", k.element(dst, at), top(k.load(src, at)))
		k.w.Close("")
	}
	k.w.Close("")
}

// fillShared writes what stands for elements outside the tensor over a group.
func (p *points) fillShared(c, w int) {
	k := p.k
	src, dst := p.op.Src[0], p.op.Dst
	t := dst.Buf.Elem
	name := k.names.Take("outside")
	n, init := w, ""
	if packed(t) {
		n, init = max(w/perWord(t), 1), " = {}"
	}
	k.w.Line("alignas(16) %s %s[%d]%s;", registerType(t), name, n, init)
	at := p.at(fmt.Sprint(c))
	k.w.Line("#pragma unroll")
	k.w.Line("for (int e = 0; e < %d; ++e) %s", w, k.setLocal(t, name, "e", k.expr(k.elseOf(src), at)))
	k.w.Line("%s", k.storeBytes(dst, at, name, w*t.Bits()/8))
}

// plus adds a constant to an index expression.
func plus(idx string, c int) string {
	switch {
	case c == 0:
		return idx
	case idx == "0":
		return fmt.Sprint(c)
	}
	return fmt.Sprintf("(%s + %d)", idx, c)
}

// mostPinnedWords is how many registers tiles may take for addresses to be kept.
const mostPinnedWords = 180

// pinned spells a lane's address so that it is computed once: ptxas would rather
// compute it anew in each iteration of a loop, but cannot look through a shuffle.
// Where tiles leave few registers over, computing anew is what is wanted.
func (k *kernel) pinned(x string) string {
	if !k.narrow || k.words > mostPinnedWords {
		return x
	}
	return fmt.Sprintf("%s(%s)", "pin", x)
}
