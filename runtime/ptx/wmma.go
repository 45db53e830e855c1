package ptx

import (
	"math/bits"
	"strings"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// Which element of a matrix is where in the fragments of wmma is unspecified (PTX
// ISA, "Matrix Fragments for WMMA"). Here slot j of lane l holds element 32j+l, rows
// first; slots of 16 and 8 bits are packed in order. A fragment with more room than
// the matrix has elements, as those of f16 operands, repeats them.

// fragment is a matrix in registers.
type fragment struct {
	typ        string
	rows, cols int
	regs       []memReg
}

// wmmaBits is the width of the element types that wmma knows here.
var wmmaBits = map[string]int{"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32}

// wmmaShapes are the shapes of each operand type (PTX ISA, "wmma").
var wmmaShapes = map[string]string{
	"f16": "m16n16k16 m8n32k16 m32n8k16", "bf16": "m16n16k16 m8n32k16 m32n8k16", "s8": "m16n16k16 m8n32k16 m32n8k16",
	"u8": "m16n16k16 m8n32k16 m32n8k16", "tf32": "m16n16k8", "f64": "m8n8k4",
	"s4": "m8n8k32", "u4": "m8n8k32", "b1": "m8n8k128",
}

// slots is the number of a lane's elements.
func (f *fragment) slots() int { return f.rows * f.cols / lanes.Width }

// registers is the number of registers of a fragment.
func (f *fragment) registers(operand bool) int {
	if f.typ == "f16" && operand {
		return 8
	}
	b := wmmaBits[f.typ]
	return f.slots() * b / max(b, 32)
}

// get and put move the bits of a lane's slot.
func (f *fragment) get(w *warp, lane, slot int) uint64 {
	b := wmmaBits[f.typ]
	per := max(32/b, 1)
	return w.elem(f.regs[slot/per], lane) >> (slot % per * b) & (^uint64(0) >> (64 - b))
}

func (f *fragment) put(w *warp, lane, slot int, v uint64) {
	b := wmmaBits[f.typ]
	per := max(32/b, 1)
	for ; slot/per < len(f.regs); slot += f.slots() {
		if b == 64 {
			lanes.Wide(&w.regs[f.regs[slot].reg])[lane] = v
			continue
		}
		r := &w.regs[f.regs[slot/per].reg][lane]
		shift := slot % per * b
		*r = *r&^uint32((uint64(1)<<b-1)<<shift) | uint32(v<<shift)
	}
}

// wmmaAccess is wmma.load or store.
type wmmaAccess struct {
	memOp
	frag   fragment
	col    bool
	stride int32 // register of the elements between rows or columns; none
}

func (op *wmmaAccess) eachReg(f func(r *int32, write bool)) {
	f(&op.addr, false)
	if op.stride != none {
		f(&op.stride, false)
	}
	for i := range op.frag.regs {
		f(&op.frag.regs[i].reg, !op.store)
	}
}

// decodeWMMA decodes wmma.load, mma and store.
func decodeWMMA(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	mods := r.src.ast.Mods
	if len(mods) < 5 {
		return in, d.unsupported(r)
	}
	in.kind, in.c = opSync, wholeWarp
	switch mods[0] {
	case "load", "store":
		return d.wmmaAccess(r, in, mods[0] == "store")
	case "mma":
		return d.wmmaMultiply(r, in)
	}
	return in, d.unsupported(r)
}

// shapeOf splits a shape.
func shapeOf(s string) (m, n, k int, ok bool) {
	v := [3]int{}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == 'm' || r == 'n' || r == 'k' })
	if len(parts) != 3 || !strings.HasPrefix(s, "m") {
		return 0, 0, 0, false
	}
	for i, p := range parts {
		for _, c := range p {
			if c < '0' || c > '9' || v[i] > 1000 {
				return 0, 0, 0, false
			}
			v[i] = v[i]*10 + int(c-'0')
		}
	}
	return v[0], v[1], v[2], true
}

func (d *decoder) wmmaAccess(r *raw, in instr, store bool) (instr, error) {
	ast := r.src.ast
	op := &wmmaAccess{stride: none}
	op.store = store
	shape := ""
	for _, m := range ast.Mods[2:] {
		sp, isSpace := parseSpace(m)
		switch {
		case m == "sync" || m == "aligned" || m == "row":
		case m == "col":
			op.col = true
		case isSpace:
			op.space = sp
		case shape == "" && strings.HasPrefix(m, "m"):
			shape = m
		case op.frag.typ == "" && wmmaBits[m] != 0:
			op.frag.typ = m
		default:
			return in, d.unsupported(r)
		}
	}
	m, n, k, ok := shapeOf(shape)
	operand, known := true, wmmaShapes[op.frag.typ]
	switch ast.Mods[1] {
	case "a":
		op.frag.rows, op.frag.cols = m, k
	case "b":
		op.frag.rows, op.frag.cols = k, n
	case "c", "d":
		op.frag.rows, op.frag.cols = m, n
		operand = false
		if op.frag.typ != "f16" && op.frag.typ != "f64" {
			known = ""
		}
		if op.frag.typ == "f32" || op.frag.typ == "s32" {
			known = "m16n16k16 m8n32k16 m32n8k16 m16n16k8"
		}
		if op.frag.typ == "s32" {
			known += " m8n8k32 m8n8k128"
		}
	default:
		return in, d.unsupported(r)
	}
	if !ok || !strings.Contains(" "+known+" ", " "+shape+" ") {
		return in, d.unsupported(r)
	}
	if wmmaBits[op.frag.typ] < 8 && op.col != (ast.Mods[1] == "b") { // rows of A, columns of B
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 2, 3); err != nil {
		return in, err
	}
	addr, data := ast.Args[1], ast.Args[0]
	if store {
		addr, data = data, addr
	}
	op.size = max(wmmaBits[op.frag.typ]/8, 1)
	op.bytes = op.size
	if err := d.memAddress(r, &op.memOp, addr); err != nil {
		return in, err
	}
	var err error
	if op.frag.regs, err = d.wmmaRegs(r, data, &op.frag, operand, store); err != nil {
		return in, err
	}
	if len(ast.Args) == 3 {
		if op.stride, err = d.value(r, ast.Args[2], lanes.U32); err != nil {
			return in, err
		}
	}
	in.class, in.x, in.exec = classMatrixLoad, op, execWMMAAccess
	return in, nil
}

// wmmaRegs resolves the registers of a fragment.
func (d *decoder) wmmaRegs(r *raw, o syntax.Operand, f *fragment, operand, read bool) ([]memReg, error) {
	t := lanes.B32
	if f.typ == "f64" {
		t = lanes.B64
	}
	n := f.registers(operand)
	elems := 1
	if o.Kind == syntax.Vector {
		elems = len(o.Elems)
	}
	if elems != n {
		return nil, d.errorf(o.Pos, "%s with a fragment of %d registers, wants %d", r.src.ast.Form(), elems, n)
	}
	return d.memRegisters(r, o, accessMods{vec: n, typ: t}, read)
}

func execWMMAAccess(w *warp, in *instr, m uint32) {
	op := in.x.(*wmmaAccess)
	f := &op.frag
	x := &w.access
	b := uint64(wmmaBits[f.typ])
	var shift [lanes.Width]uint64 // of elements below a byte
	for j := range f.slots() {
		x.in, x.space, x.bytes, x.store = in, op.space, op.size, op.store
		for l := range lanes.Width {
			e := j*lanes.Width + l
			major, minor, width := e/f.cols, e%f.cols, f.cols
			if op.col {
				major, minor, width = minor, major, f.rows
			}
			stride := uint64(width)
			if op.stride != none {
				stride = uint64(w.regs[op.stride][l])
			}
			at := (uint64(major)*stride + uint64(minor)) * b
			x.addr[l], shift[l] = w.laneAddress(&op.memOp, l)+at/8, at%8
		}
		ok := w.resolve(x, m)
		for ; ok != 0; ok &= ok - 1 {
			l := bits.TrailingZeros32(ok)
			if op.store {
				putLE(x.mem[l], f.get(w, l, j))
			} else {
				f.put(w, l, j, getLE(x.mem[l])>>shift[l]&(^uint64(0)>>(64-b)))
			}
		}
	}
}
