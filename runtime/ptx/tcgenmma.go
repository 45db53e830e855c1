package ptx

import (
	"math"
	"math/bits"
	"slices"

	"tilec/runtime/ptx/shadow"
	"tilec/runtime/ptx/tensor"
)

// tcMMA is tcgen05.mma with its registers.
type tcMMA struct {
	kind, vector string
	pair         bool
	addr         int32 // of D in tensor memory
	off          uint32
	descA        int32 // none if A is in tensor memory
	addrA        int32
	offA         uint32
	descB, idesc int32
	factors      []tcFactors // of A, then of B
	skip         []int32     // masks of lanes
	add          pred
	scaleD       int // D counts by 2 to the minus that
}

type tcFactors struct {
	addr int32
	off  uint32
}

func (op *tcMMA) eachReg(f func(r *int32, write bool)) {
	f(&op.addr, false)
	if op.descA != none {
		f(&op.descA, false)
	} else {
		f(&op.addrA, false)
	}
	f(&op.descB, false)
	f(&op.idesc, false)
	for i := range op.factors {
		f(&op.factors[i].addr, false)
	}
	for i := range op.skip {
		f(&op.skip[i], false)
	}
}

func (op *tcMMA) eachPred(f func(p pred)) { f(op.add) }

// tcWork is an asynchronous operation of the tensor cores until the mbarrier of a
// commit tells its end.
type tcWork struct {
	*product
	lane int
	// columns that it writes, of one block or of two
	ctas    []*cta
	from, n int
	// clock is what came before it, and so before whatever its end is told to.
	clock  shadow.Clock
	issuer *warp
	row    int // entry of the clocks that stands for it
}

// tcState are a warp's operations that are not known to have ended.
type tcState struct{ pending []*tcWork }

// startWork begins an operation that writes n columns of the blocks.
func (w *warp) startWork(in *instr, lane int, ctas []*cta, from, n int) (*tcWork, *shadow.Access) {
	k := &tcWork{product: &product{in: in}, lane: lane, ctas: ctas, from: from, n: n, issuer: w}
	for _, c := range ctas {
		w.untouched(in, lane, c, from, n)
	}
	s := w.cta.shadow
	if s == nil {
		return k, nil
	}
	row := s.warps + w.id/4
	k.stamp, k.row = s.stamp(), s.base+row
	a := &shadow.Access{
		Warp: row, Base: s.base, Now: k.stamp, By: shadow.OfAgent(s.base+row, in.pc), Clock: slices.Clone(w.clock.acc.Clock), Proxy: slices.Clone(w.clock.proxy),
	}
	a.Clock[w.entry()], a.Clock[s.base+row] = w.clock.acc.Now, a.Now
	k.clock = a.Clock
	w.tick()
	for _, c := range ctas {
		for i := from; i < from+n; i++ {
			c.tmem.busy[i], c.tmem.last[i] = k, k
		}
	}
	w.tensors.pending = append(w.tensors.pending, k)
	return k, a
}

// group is the blocks whose tensor memory an operation touches: this one, or the pair,
// the even one first.
func (w *warp) group(in *instr, lane int, pair bool) []*cta {
	c := w.cta
	if !pair {
		c.tmem.make()
		return []*cta{c}
	}
	first := c.rank &^ 1
	if first+1 >= len(c.cluster.ctas) {
		w.reportTmem(in, lane, "cta_group::2 needs a cluster of an even number of blocks")
		return nil
	}
	ctas := c.cluster.ctas[first : first+2]
	for _, o := range ctas {
		o.tmem.make()
	}
	return ctas
}

// tcDescriptor takes a descriptor of shared memory apart (PTX ISA, "Shared memory
// descriptor" of tcgen05).
func (w *warp) tcDescriptor(in *instr, lane int, x uint64) (d tensor.Descriptor, ok bool) {
	mode := x >> 61
	swizzle, known := map[uint64]uint{0: 0, 2: 3, 4: 2, 6: 1}[mode]
	if !known || x>>52&1 != 0 {
		w.reportTmem(in, lane, "the descriptor of a matrix in shared memory asks for layout "+itoa(int(mode))+", which is not supported yet or does not exist")
		return d, false
	}
	return tensor.Descriptor{Start: x & 0x3fff << 4, Leading: x >> 16 & 0x3fff << 4, Stride: x >> 32 & 0x3fff << 4, Base: x >> 49 & 7, Swizzle: swizzle}, true
}

func execTcMMA(w *warp, in *instr, m uint32) {
	op := in.x.(*tcMMA)
	for ; m != 0; m &= m - 1 {
		w.tcMultiply(op, in, bits.TrailingZeros32(m))
	}
}

func (w *warp) tcMultiply(op *tcMMA, in *instr, lane int) {
	u, err := tensor.ParseUMMA(op.kind, op.vector, w.regs[op.idesc][lane], op.pair)
	if err != nil {
		w.reportTmem(in, lane, err.Error())
		return
	}
	ctas := w.group(in, lane, op.pair)
	if ctas == nil {
		return
	}
	addr := w.regs[op.addr][lane] + op.off
	width := u.N
	if op.pair && u.M == 128 {
		width /= 2
	}
	column, ok := w.columns(in, lane, addr, width)
	if !ok {
		return
	}
	add := w.predOf(op.add)>>lane&1 != 0
	if b := w.tensorMemory().busyIn(column, width); b != nil && b.lane != lane && w.cta.run.cfg.Checks&CheckShared != 0 && !w.again(AsyncOverwrite, in, b.in.pc) {
		w.reportPair(in, b.in.pc, 1<<lane, Finding{Kind: AsyncOverwrite, Msg: "writes tensor memory that an operation of another thread may still be using"})
	}
	work, a := w.startWork(in, lane, ctas, column, width)
	// Each block of a pair holds half of the rows of A and half of the columns of B.
	rows, columns := u.M/len(ctas), u.N/len(ctas)
	ma, mb := make([]float64, u.M*u.K), make([]float64, u.N*u.K)
	db, ok := w.tcDescriptor(in, lane, w.valueAt(op.descB, true, lane))
	if !ok {
		return
	}
	for i, c := range ctas {
		watch := a
		if c != w.cta {
			watch = nil
		}
		u.Operand(mb[i*columns*u.K:], u.B, columns, u.TransB, u.NegB, c.chunkReader(w, in, work.product, watch, db, u.TransB))
		part := ma[i*rows*u.K : (i+1)*rows*u.K]
		if op.descA != none {
			da, ok := w.tcDescriptor(in, lane, w.valueAt(op.descA, true, lane))
			if !ok {
				return
			}
			u.Operand(part, u.A, rows, u.TransA, u.NegA, c.chunkReader(w, in, work.product, watch, da, u.TransA))
			continue
		}
		at := w.regs[op.addrA][lane] + op.offA
		col, ok := w.columns(in, lane, at, u.Words())
		if !ok {
			return
		}
		w.untouched(in, lane, c, col, u.Words())
		for r := range rows {
			l := tcLane(u, r, int(addr>>16))
			u.Row(part[r*u.K:(r+1)*u.K], w.tmemRow(in, lane, c, l, col, u.Words()))
		}
	}
	if u.Scale != nil && !w.tcScale(op, in, lane, u, ctas, ma, mb) {
		return
	}
	w.tcStore(op, in, lane, u, ctas, ma, mb, column, int(addr>>16), add)
}

// tcLane is the lane of row r of a block's part of D, or of A in tensor memory. 64 rows
// by one block take 16 lanes of each 32, from the lane of the address on (PTX ISA, "Data
// Path Layout Organization").
func tcLane(u *tensor.UMMA, r, first int) int {
	if u.M == 64 && !u.Pair {
		return first + r/16*32 + r%16
	}
	return r
}

// tcStore computes D.
func (w *warp) tcStore(op *tcMMA, in *instr, lane int, u *tensor.UMMA, ctas []*cta, ma, mb []float64, column, first int, add bool) {
	rows := u.M / len(ctas)
	factor := math.Ldexp(1, -op.scaleD)
	for i, c := range ctas {
		t := &c.tmem
		for r := range rows {
			row := ma[(i*rows+r)*u.K:][:u.K]
			for j := range u.N {
				l, col := tcLane(u, r, first), column+j
				if op.pair && u.M == 128 { // the right half of D below the left
					l, col = r+j/(u.N/2)*64, column+j%(u.N/2)
				}
				if l >= tmemLanes {
					w.reportTmem(in, lane, "the rows of the product reach beyond the lanes of tensor memory")
					return
				}
				if op.skip != nil && w.regs[op.skip[i*4+l/32]][lane]>>(l%32)&1 != 0 {
					continue
				}
				at := l*tmemColumns + col
				if add && !t.wrote[at] && w.cta.run.cfg.Checks&CheckUnwritten != 0 && !w.again(Unwritten, in, none) {
					w.report(in, 1<<lane, Finding{Kind: Unwritten, Msg: "the sums in tensor memory, lane " + itoa(l) + ", column " + itoa(col)})
				}
				t.words[at] = u.Dot(row, mb[j*u.K:], t.words[at], add, factor)
				t.wrote[at] = true
			}
		}
	}
}

// tmemRow reads words of tensor memory for a product.
func (w *warp) tmemRow(in *instr, lane int, c *cta, l, column, n int) []uint32 {
	t := &c.tmem
	if l >= tmemLanes {
		w.reportTmem(in, lane, "the rows of an operand reach beyond the lanes of tensor memory")
		l = 0
	}
	at := l*tmemColumns + column
	if slices.Contains(t.wrote[at:at+n], false) && w.cta.run.cfg.Checks&CheckUnwritten != 0 && !w.again(Unwritten, in, none) {
		w.report(in, 1<<lane, Finding{Kind: Unwritten, Msg: "an operand in tensor memory, lane " + itoa(l) + ", from column " + itoa(column) + " on"})
	}
	return t.words[at : at+n]
}

// tcScale multiplies the operands by their factors, which lie in tensor memory: those of
// row r in lane r modulo 32, column r / 32, the same in the lanes of all warps.
func (w *warp) tcScale(op *tcMMA, in *instr, lane int, u *tensor.UMMA, ctas []*cta, ma, mb []float64) bool {
	rows := u.M / len(ctas)
	for side, f := range op.factors {
		n, first, values := rows, u.FactorA, ma
		if side == 1 {
			n, first, values = u.N, u.FactorB, mb
		}
		at, ok := w.columns(in, lane, w.regs[f.addr][lane]+f.off, (n+31)/32)
		if !ok {
			return false
		}
		for i, c := range ctas {
			if side == 1 && i > 0 {
				break // both blocks hold the factors of all of B
			}
			for r := range n {
				word := w.tmemRow(in, lane, c, r%32, at+r/32, 1)[0]
				row := values[(i*n+r)*u.K:][:u.K]
				for k := range row {
					row[k] *= u.Scale.Factor(word >> (8 * (first + k*u.Scale.Stretches/u.K)) & 0xff)
				}
			}
		}
	}
	return true
}
