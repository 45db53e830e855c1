package ptx

import "tilec/runtime/ptx/lanes"

// Matrices of bytes are loaded and stored transposed only (PTX ISA, "ldmatrix",
// .m16n16 and "stmatrix", .m16n8; which byte of which lane is where is as in the
// layouts of CUTLASS's SM100_U8x8_LDSM_T and SM100_U8x4_STSM_T).

// loadedByte is the row of 16 bytes, as lanes give their addresses, and the column of
// byte i of register k of a lane after ldmatrix.
func loadedByte(lane, k, i int) (row, col int) {
	return k>>1*16 + lane&3*4 + k&1*2 + i&1, lane>>2 + i>>1*8
}

// storedByte is that of stmatrix.
func storedByte(lane, k, i int) (row, col int) {
	return k*8 + lane&3*2 + i&1, lane>>2 + i>>1*8
}

func execLoadBytes(w *warp, in *instr, m uint32) {
	op := in.x.(*matrixOp)
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, op.space, 16, false
	w.addresses(op.addr, op.wide, op.off, &x.addr)
	ok := w.resolve(x, m&op.rows())
	for k, r := range op.regs {
		var d lanes.V32
		for l := range d {
			for i := range 4 {
				if row, col := loadedByte(l, k, i); ok>>row&1 != 0 {
					d[l] |= uint32(x.mem[row][col]) << (8 * i)
				}
			}
		}
		blend(&w.regs[r.reg], &d, m)
	}
}

func execStoreBytes(w *warp, in *instr, m uint32) {
	op := in.x.(*matrixOp)
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, op.space, 16, true
	w.addresses(op.addr, op.wide, op.off, &x.addr)
	ok := w.resolve(x, m&op.rows())
	for k, r := range op.regs {
		for l, v := range w.regs[r.reg] {
			for i := range 4 {
				if row, col := storedByte(l, k, i); ok>>row&1 != 0 {
					x.mem[row][col] = byte(v >> (8 * i))
				}
			}
		}
	}
}
