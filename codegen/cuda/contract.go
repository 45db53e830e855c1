package cuda

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
	"tilec/runtime/array"
)

// product is a contract being printed on a matrix-unit atom.
type product struct {
	k      *kernel
	op     *ir.Op
	p      ir.Product
	at     *machine.Atom
	mt, nt int // atoms of one warp along m and n
	kt     int // atoms along k
}

// contract prints a contraction.
func (k *kernel) contract(op *ir.Op) {
	p, ok := ir.AsProduct(op)
	if !ok {
		ir.Bugf("contract is not a product")
	}
	at := k.m.AtomNamed(op.Atom, p.A.Buf.Elem, p.B.Buf.Elem, p.C.Buf.Elem)
	if !sumsIn(op, p) {
		ir.Bugf("the sums of %s are laid out for another contraction", p.C.Buf.Name)
	}
	if at.Name == machine.FMAName {
		k.multiplyAdd(op, p)
		return
	}
	c := &product{k: k, op: op, p: p, at: at, kt: (p.K + at.K - 1) / at.K}
	c.mt, c.nt = c.atoms()
	c.print()
}

// sumsIn reports that Dst is laid out as the operation is.
func sumsIn(op *ir.Op, p ir.Product) bool {
	want := op.Layout
	if p.CTransposed {
		want = want.Project(1, 0)
	}
	return want.Equal(p.C.Buf.Layout)
}

// atoms counts the atoms along m and n that one warp holds.
func (c *product) atoms() (mt, nt int) {
	mt, nt = 1, 1
	own := len(c.at.LayoutC.Bases(layout.Reg))
	for _, b := range c.op.Layout.Bases(layout.Reg)[own:] {
		if b[0] != 0 {
			mt *= 2
		} else {
			nt *= 2
		}
	}
	return mt, nt
}

func (c *product) print() {
	k := c.k
	w := k.w
	w.Line("#pragma unroll")
	w.Open("for (int kk = 0; kk < %d; ++kk)", c.kt)
	regsA := 16 * c.at.K * c.at.A.Bits() / 32 / 32
	regsB := 8 * c.at.K * c.at.B.Bits() / 32 / 32
	a := c.leftFromRegisters(regsA)
	if a == "" {
		w.Line("unsigned fa[%d][%d];", c.mt, regsA)
		c.loadLeft()
		c.roundTF32("fa", c.mt, regsA)
		a = "fa[i]"
	}
	// right fragments are loaded two atoms at a time, next to their use: few are live at once
	pair := min(c.nt, 2)
	if pair < c.nt {
		w.Line("#pragma unroll")
		w.Open("for (int j = 0; j < %d; j += %d)", c.nt, pair)
	} else {
		w.Scope()
	}
	w.Line("unsigned fb[%d][%d];", pair, regsB)
	c.loadRight()
	c.roundTF32("fb", pair, regsB)
	w.Line("#pragma unroll")
	w.Open("for (int i = 0; i < %d; ++i)", c.mt)
	for n := range pair {
		w.Line("%s(%s + (i * %d + %s) * 4, %s, fb[%d]);", mmaHelper(c.at), k.bufName(c.p.C.Buf), c.nt, c.column(n), a, n)
	}
	w.Close("")
	w.Close("")
	w.Close("")
}

// roundTF32 rounds f32 fragments to what the matrix unit reads of them; it would
// cut the rest off.
func (c *product) roundTF32(frag string, n, regs int) {
	if c.at.A != array.F32 {
		return
	}
	c.k.w.Line("#pragma unroll")
	c.k.w.Line("for (int x = 0; x < %d; ++x) %s[x / %d][x %% %d] = %s(%s[x / %d][x %% %d]);", n*regs, frag, regs, regs, "round_tf32", frag, regs, regs)
}

// column spells the number of a pair's atom along n.
func (c *product) column(n int) string {
	if c.nt <= 2 {
		return fmt.Sprint(n)
	}
	return plus("j", n)
}

// mmaHelper names the device function of an atom.
func mmaHelper(at *machine.Atom) string {
	t := at.A.String()
	if at.A == array.F32 {
		t = "tf32"
	}
	return fmt.Sprintf("mma_m%dn%dk%d_%s", at.M, at.N, at.K, t)
}

// leftFromRegisters spells the fragment of a left operand that lives in
// registers; "" if it lives in memory.
func (c *product) leftFromRegisters(regs int) string {
	b := c.p.A.Buf
	if b.Space != ir.Register {
		return ""
	}
	per := perWord(b.Elem)
	frag := layout.Operand(c.at.LayoutA, c.op.Layout, 0, c.p.K)
	tile := b.Layout
	if !c.p.AKLast {
		tile = tile.Project(1, 0)
	}
	if !frag.Equal(tile) {
		ir.Bugf("left operand %s is not laid out as fragments", b.Name)
	}
	kt := frag.Out[1].Size / c.at.K
	_ = per
	return fmt.Sprintf("%s + (i * %d + kk) * %d", c.k.bufName(b), kt, regs)
}

// rows describes how an operand is read: which coordinate is the memory row.
type operandShape struct {
	b       *ir.Buffer
	access  *ir.Access
	kLast   bool
	dim     int            // dimension of the accumulator that the operand spans
	frag    *layout.Layout // one atom's fragment, coordinates (row, k)
	step    int            // rows of one atom
	repeats int            // atoms along the rows to load
	first   string         // the first of them, "" for 0
	unit    int            // rows that one step of the loop variable moves
}

func (c *product) left() operandShape {
	return operandShape{c.p.A.Buf, c.p.A, c.p.AKLast, 0, c.at.LayoutA, c.at.M, c.mt, "", 16}
}

func (c *product) right() operandShape {
	return operandShape{c.p.B.Buf, c.p.B, c.p.BKLast, 1, c.at.LayoutB, c.at.N, c.nt, "", 8}
}

// warpRows is what the warp's position adds to an operand's row coordinate.
func (c *product) warpRows(dim int) string {
	l := c.op.Layout
	return bitsOf("warp", 1<<len(l.Bases(layout.Warp)), runsOf(l.Bases(layout.Warp), dim))
}

// base spells the 32-bit shared address of an operand's current block.
func (c *product) base(o operandShape) string {
	k := c.k
	e := k.sharedBase(o.b)
	for d := range len(o.access.Index) - 2 {
		x := k.expr(o.access.Index[d], nil)
		if x != "0" {
			e = sum(e, scaledIndex(x, strideOf(o.b.Layout, d)*o.b.Elem.Bits()/8))
		}
	}
	return e
}

// lanes spells the byte offset in an operand's block of the row that the lane
// passes to ldmatrix, declared once at the top of the kernel: the memory row and
// column are C++ expressions of lane and warp.
func (c *product) lanes(o operandShape, row, col, hint string) string {
	size := o.b.Elem.Bits() / 8
	n := len(o.b.Layout.In)
	stride := strideOf(o.b.Layout, n-2) * size
	r := c.k.topValue("int", row, "row")
	e := scaledIndex(r, stride)
	x := scaledIndex(operand(col), size)
	if sw := swizzleOf(o.b.Layout); sw.Bits > 0 {
		x = fmt.Sprintf("(%s ^ %s)", operand(x), swizzleTerm(r, sw, ir.WidestAccess))
	}
	return c.k.topValue("unsigned", c.k.pinned(sum(e, x)), hint)
}

// stepped adds the atom (row step i, k step kk) to a lane offset. Steps along the
// contiguous dimension are exclusive ors, because the swizzle permutes it.
func (c *product) stepped(o operandShape, lane, i string, rowStep int) string {
	size := o.b.Elem.Bits() / 8
	n := len(o.b.Layout.In)
	stride := strideOf(o.b.Layout, n-2) * size
	kStep := c.at.K
	var xor, add string
	if o.kLast {
		xor, add = scaledIndex("kk", kStep*size), scaledIndex(i, rowStep*stride)
		if c.kt == 1 {
			xor = "0"
		}
	} else {
		xor, add = scaledIndex(i, rowStep*size), scaledIndex("kk", kStep*stride)
		if c.kt == 1 {
			add = "0"
		}
	}
	if i == "0" {
		if o.kLast {
			add = "0"
		} else {
			xor = "0"
		}
	}
	low, high := c.splitStep(o, xor, i)
	e := lane
	if low != "0" {
		e = c.permuted(o, lane, low)
	}
	return sum(e, c.base(o), high, add)
}

// permuted spells a lane offset with the exclusive or of a step. Where registers
// allow, the few values that it takes are kept.
func (c *product) permuted(o operandShape, lane, low string) string {
	k := c.k
	per, size := c.stepsInSpan(o)
	if !k.narrow || k.words > mostKeptWords || per > mostKeptSteps {
		return fmt.Sprintf("(%s ^ %s)", lane, operand(low))
	}
	x := "kk"
	if !o.kLast {
		x = "j"
		if o.dim == 0 {
			x = "i"
		}
	}
	stride := 1
	if !o.kLast && o.unit == 8 {
		stride = 2 // right fragments go in pairs
	}
	values := make([]string, 0, per)
	for n := 0; n < per; n += stride {
		values = append(values, k.pinned(fmt.Sprintf("%s ^ %d", lane, n*size)))
	}
	name := k.topArray("unsigned", values, "steps")
	idx := fmt.Sprintf("%s & %d", x, per-1)
	if stride > 1 {
		idx = fmt.Sprintf("(%s & %d) >> 1", x, per-1)
	}
	return fmt.Sprintf("%s[%s]", name, idx)
}

// Limits within which the values of an exclusive or are kept in registers.
const (
	mostKeptWords = 160
	mostKeptSteps = 8
)

// stepsInSpan returns how many steps the swizzle's span has, and a step's bytes.
func (c *product) stepsInSpan(o operandShape) (steps, bytes int) {
	bytes = c.at.K * o.b.Elem.Bits() / 8
	if !o.kLast {
		bytes = o.unit * o.b.Elem.Bits() / 8
	}
	span := ir.WidestAccess << swizzleOf(o.b.Layout).Bits
	return span / bytes, bytes
}

// splitStep cuts steps along the contiguous dimension into the part that the
// swizzle permutes, which must be an exclusive or, and the rest, which is a
// plain sum and so becomes an immediate offset.
func (c *product) splitStep(o operandShape, step, i string) (low, high string) {
	if step == "0" {
		return "0", "0"
	}
	x := "kk"
	if !o.kLast {
		x = i
	}
	per, size := c.stepsInSpan(o)
	if swizzleOf(o.b.Layout).Bits == 0 || per <= 1 {
		return "0", step
	}
	span := per * size
	return scaledIndex(fmt.Sprintf("(%s & %d)", x, per-1), size), scaledIndex(fmt.Sprintf("(%s >> %d)", x, layout.Log2(per)), span)
}

// loadLeft prints the loads of the left fragments.
func (c *product) loadLeft() {
	k, o := c.k, c.left()
	bits := o.b.Elem.Bits()
	half := c.at.K / 2 // columns of one 16-byte matrix row
	warp := c.warpRows(0)
	k.w.Line("#pragma unroll")
	switch {
	case o.kLast && bits <= 32 && bits >= 8:
		lane := c.lanes(o, sum(warp, "(lane & 15)"), fmt.Sprintf("(lane >> 4) * %d", half), "frag")
		k.w.Line("for (int i = 0; i < %d; ++i) %s(fa[i], %s);", c.mt, "ldmatrix_x4", c.stepped(o, lane, "i", 16))
	case !o.kLast && bits == 16:
		lane := c.lanes(o, "(lane & 7) + (lane >> 4) * 8", sum(warp, "(lane >> 3 & 1) * 8"), "frag")
		k.w.Line("for (int i = 0; i < %d; ++i) %s(fa[i], %s);", c.mt, "ldmatrix_x4_trans", c.stepped(o, lane, "i", 16))
	default:
		c.loadElements(o, "fa", "i")
	}
}

// loadRight prints the loads of a pair of right fragments.
func (c *product) loadRight() {
	k, o := c.k, c.right()
	bits := o.b.Elem.Bits()
	half := c.at.K / 2
	warp := c.warpRows(1)
	pair, x := c.nt > 1, "x2"
	if pair {
		x = "x4"
	}
	j := "j"
	if c.nt <= 2 {
		j = "0"
	}
	switch {
	case o.kLast && bits <= 32 && bits >= 8:
		row := "(lane & 7)"
		if pair {
			row = "(lane & 7) + (lane >> 4) * 8"
		}
		lane := c.lanes(o, sum(warp, row), fmt.Sprintf("(lane >> 3 & 1) * %d", half), "frag")
		k.w.Line("%s(fb[0], %s);", "ldmatrix_"+x, c.stepped(o, lane, j, 8))
	case !o.kLast && bits == 16:
		row, col := "(lane & 15)", warp
		if pair {
			col = sum(warp, "(lane >> 4) * 8")
		}
		lane := c.lanes(o, row, col, "frag")
		k.w.Line("%s(fb[0], %s);", "ldmatrix_"+x+"_trans", c.stepped(o, lane, j, 8))
	default:
		o.repeats, o.first = min(c.nt, 2), j
		k.w.Line("#pragma unroll")
		c.loadElements(o, "fb", "n")
	}
}

// loadElements gathers fragments element by element: for operands whose memory
// order ldmatrix does not transpose.
func (c *product) loadElements(o operandShape, frag, i string) {
	k := c.k
	per := perWord(o.b.Elem)
	n := o.frag.Size(layout.Reg)
	k.w.Open("for (int %s = 0; %s < %d; ++%s)", i, i, o.repeats, i)
	k.w.Line("#pragma unroll")
	k.w.Open("for (int r = 0; r < %d; ++r)", n/per)
	if per > 1 {
		k.w.Line("unsigned word = 0;")
		k.w.Line("#pragma unroll")
		k.w.Open("for (int e = 0; e < %d; ++e)", per)
	}
	idx := "r"
	if per > 1 {
		idx = fmt.Sprintf("(r * %d + e)", per)
	}
	row := sum(c.warpRows(o.dim), k.coordinate(o.frag, 0, idx, "row"), scaledIndex(operand(sum(o.first, i)), o.step))
	col := sum(k.coordinate(o.frag, 1, idx, "k"), scaledIndex("kk", c.at.K))
	at := &env{vars: map[*ir.Var]string{}}
	rowVar := c.p.I
	if o.dim == 1 {
		rowVar = c.p.J
	}
	at.vars[rowVar], at.vars[c.p.R] = row, col
	value := k.element(o.access, at)
	if per > 1 {
		k.w.Line("word |= (unsigned)%s << (e * %d);", k.bitsOfElement(o.b.Elem, value), o.b.Elem.Bits())
		k.w.Close("")
		k.w.Line("%s[%s][r] = word;", frag, i)
	} else {
		k.w.Line("%s[%s][r] = __float_as_uint(%s);", frag, i, value)
	}
	k.w.Close("")
	k.w.Close("")
}

// bitsOfElement spells the bits of a narrow element as an unsigned integer.
func (k *kernel) bitsOfElement(t ir.DType, x string) string {
	if t.IsFloat() || t.Bits() < 8 {
		return operand(x) + ".bits"
	}
	if t.Bits() == 8 {
		return "(unsigned char)" + operand(x)
	}
	return "(unsigned short)" + operand(x)
}
