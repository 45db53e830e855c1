package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
)

// tcCopy is tcgen05.cp: rows of shared memory to lanes of tensor memory, and again to others.
type tcCopy struct {
	addr          int32
	off           uint32
	desc          int32
	pair          bool
	rows, columns int
	copies        []int // lanes further; nil: one
}

func (op *tcCopy) eachReg(f func(r *int32, write bool)) {
	f(&op.addr, false)
	f(&op.desc, false)
}

func execTcCopy(w *warp, in *instr, m uint32) {
	op := in.x.(*tcCopy)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		ctas := w.group(in, lane, op.pair)
		if ctas == nil {
			continue
		}
		column, ok := w.columns(in, lane, w.regs[op.addr][lane]+op.off, op.columns)
		if !ok {
			continue
		}
		d, ok := w.tcDescriptor(in, lane, w.valueAt(op.desc, true, lane))
		if !ok {
			continue
		}
		work, a := w.startWork(in, lane, ctas, column, op.columns)
		for _, c := range ctas {
			watch := a
			if c != w.cta {
				watch = nil
			}
			read := c.chunkReader(w, in, work.product, watch, d, false)
			for r := range op.rows {
				for k := range op.columns / 4 {
					b := read(r, k)
					for j := range 4 {
						for _, l := range op.lanes(r) {
							i := l*tmemColumns + column + 4*k + j
							c.tmem.words[i], c.tmem.wrote[i] = uint32(getLE(b[4*j:4*j+4])), true
						}
					}
				}
			}
		}
	}
}

// lanes are those that row r goes to.
func (op *tcCopy) lanes(r int) []int {
	switch {
	case op.rows == 4: // one to each warp's part
		return []int{32 * r}
	case op.copies == nil:
		return []int{r}
	case len(op.copies) == 2 && op.copies[1] == 32: // warps 0 and 1, 2 and 3, share
		r += r / 32 * 32
	}
	to := make([]int, len(op.copies))
	for i, c := range op.copies {
		to[i] = r + c
	}
	return to
}

// tcShift is tcgen05.shift.down: 32 lanes of 8 columns move down by one.
type tcShift struct {
	addr int32
	off  uint32
	pair bool
}

func (op *tcShift) eachReg(f func(r *int32, write bool)) { f(&op.addr, false) }

func execTcShift(w *warp, in *instr, m uint32) {
	op := in.x.(*tcShift)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		ctas := w.group(in, lane, op.pair)
		addr := w.regs[op.addr][lane] + op.off
		column, ok := w.columns(in, lane, addr, 8)
		if ctas == nil || !ok {
			continue
		}
		first := int(addr >> 16)
		if first%lanes.Width != 0 || first >= tmemLanes {
			w.reportTmem(in, lane, "the lane of the address of a shift must be a multiple of 32")
			continue
		}
		w.startWork(in, lane, ctas, column, 8)
		for _, c := range ctas {
			for l := first + lanes.Width - 1; l > first; l-- {
				to, from := l*tmemColumns+column, (l-1)*tmemColumns+column
				copy(c.tmem.words[to:to+8], c.tmem.words[from:from+8])
				copy(c.tmem.wrote[to:to+8], c.tmem.wrote[from:from+8])
			}
		}
	}
}
