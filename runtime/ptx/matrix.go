package ptx

import (
	"encoding/binary"
	"slices"

	"tilec/runtime/ptx/lanes"
)

// matrixOp is ldmatrix and stmatrix: n matrices of 8 rows of 16 bytes, whose
// addresses the lanes 8i … 8i+7 give.
type matrixOp struct {
	memOp
	trans bool
}

// rows are the lanes whose addresses count.
func (op *matrixOp) rows() uint32 { return uint32(uint64(1)<<(8*len(op.regs)) - 1) }

func decodeMatrixAccess(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	mods := slices.Clone(ast.Mods)
	op := &matrixOp{memOp: memOp{store: ast.Op == "stmatrix", size: 4, bytes: 16}}
	n := 0
	seen := map[string]bool{}
	for _, m := range mods {
		if seen[m] {
			return in, d.unsupported(r)
		}
		seen[m] = true
		switch m {
		case "sync", "aligned", "m8n8", "m16n16", "m16n8", "b16", "b8":
		case "x1":
			n = 1
		case "x2":
			n = 2
		case "x4":
			n = 4
		case "trans":
			op.trans = true
		case "shared", "shared::cta":
			op.space = shared
		default:
			return in, d.unsupported(r)
		}
	}
	shape := map[bool]string{false: "m16n16", true: "m16n8"}[op.store]
	halves := seen["m8n8"] && seen["b16"] && !seen["b8"] && !seen[shape]
	bytes := seen[shape] && seen["b8"] && !seen["b16"] && !seen["m8n8"] && op.trans && (op.store || n <= 2)
	if n == 0 || !seen["sync"] || !seen["aligned"] || !halves && !bytes || seen["m16n16"] && seen["m16n8"] || seen["m16n16"] && op.store || seen["m16n8"] && !op.store {
		return in, d.unsupported(r)
	}
	if bytes && !op.store {
		n *= 2 // registers of a matrix
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	addr, data := ast.Args[1], ast.Args[0]
	if op.store {
		addr, data = data, addr
	}
	if err := d.memAddress(r, &op.memOp, addr); err != nil {
		return in, err
	}
	if op.regs, err = d.memRegisters(r, data, accessMods{vec: n, typ: lanes.B32}, op.store); err != nil {
		return in, err
	}
	in.kind, in.c, in.class, in.x = opSync, wholeWarp, classMatrixLoad, op
	switch {
	case bytes && op.store:
		in.exec = execStoreBytes
	case bytes:
		in.exec = execLoadBytes
	case op.store:
		in.exec = execStoreMatrix
	default:
		in.exec = execLoadMatrix
	}
	return in, nil
}

func execLoadMatrix(w *warp, in *instr, m uint32) {
	op := in.x.(*matrixOp)
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, op.space, 16, false
	w.addresses(op.addr, op.wide, op.off, &x.addr)
	ok := w.resolve(x, m&op.rows())
	for k, r := range op.regs {
		var rows [8][]byte
		for j := range rows {
			if ok>>(8*k+j)&1 != 0 {
				rows[j] = x.mem[8*k+j]
			} else {
				rows[j] = zeroRow[:]
			}
		}
		d := &w.regs[r.reg]
		if m != fullMask {
			d = w.scratch()
		}
		if op.trans {
			for l := range d {
				at := l >> 2 * 2
				lo := binary.LittleEndian.Uint16(rows[l&3*2][at:])
				hi := binary.LittleEndian.Uint16(rows[l&3*2+1][at:])
				d[l] = uint32(lo) | uint32(hi)<<16
			}
		} else {
			for j, row := range rows {
				to, from := d[4*j:][:4], row[:16]
				to[0], to[1] = binary.LittleEndian.Uint32(from), binary.LittleEndian.Uint32(from[4:])
				to[2], to[3] = binary.LittleEndian.Uint32(from[8:]), binary.LittleEndian.Uint32(from[12:])
			}
		}
		if m != fullMask {
			blend(&w.regs[r.reg], d, m)
		}
	}
}

// zeroRow stands for a row that could not be read.
var zeroRow [16]byte

func execStoreMatrix(w *warp, in *instr, m uint32) {
	op := in.x.(*matrixOp)
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, op.space, 16, true
	w.addresses(op.addr, op.wide, op.off, &x.addr)
	ok := w.resolve(x, m&op.rows())
	for k, r := range op.regs {
		s := &w.regs[r.reg]
		for j := range 8 {
			if ok>>(8*k+j)&1 == 0 {
				continue
			}
			row := x.mem[8*k+j]
			for t := range 4 {
				v := s[4*j+t]
				if op.trans {
					v = half(s, 4*(2*t)+j>>1, j&1) | half(s, 4*(2*t+1)+j>>1, j&1)<<16
				}
				binary.LittleEndian.PutUint32(row[4*t:], v)
			}
		}
	}
}

// half is one 16-bit half of a lane's register.
func half(v *lanes.V32, lane, h int) uint32 { return v[lane] >> (16 * h) & 0xffff }

func decodeMoveMatrix(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if !slices.Equal(ast.Mods, []string{"sync", "aligned", "m8n8", "trans", "b16"}) {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	if in.d, err = d.dest(r, ast.Args[0], lanes.B32); err != nil {
		return in, err
	}
	in.a, err = d.value(r, ast.Args[1], lanes.B32)
	in.kind, in.c, in.class = opSync, wholeWarp, classMatrixLoad
	in.exec = func(w *warp, in *instr, m uint32) {
		s := &w.regs[in.a]
		var out lanes.V32
		for l := range out {
			row, t := l>>2, l&3
			out[l] = half(s, 4*(2*t)+row>>1, row&1) | half(s, 4*(2*t+1)+row>>1, row&1)<<16
		}
		blend(&w.regs[in.d], &out, m)
	}
	return in, err
}
