package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// asyncStore is st.async and red.async: values from registers to shared memory of the
// cluster, which an mbarrier beside them is told of.
type asyncStore struct {
	memOp
	bar    memOp
	reduce func(old, b, c uint64) uint64 // nil: st.async
}

func (op *asyncStore) eachReg(f func(r *int32, write bool)) {
	op.memOp.eachReg(f)
	f(&op.bar.addr, false)
}

func (d *decoder) decodeAsyncStore(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	m, rest := accessModifiers(ast.Mods[1:])
	op := &asyncStore{memOp: memOp{space: m.space, store: true, size: m.typ.Bytes(), bytes: m.typ.Bytes() * m.vec}}
	mechanism, name := false, ""
	for _, s := range rest {
		switch {
		case s == "mbarrier::complete_tx::bytes":
			mechanism = true
		case name == "" && ast.Op == "red":
			name = s
		default:
			return in, d.unsupported(r)
		}
	}
	if !mechanism || m.space != shared && m.space != generic || m.typ.Bits() != 32 && m.typ.Bits() != 64 || m.vec > 4 {
		return in, d.unsupported(r)
	}
	if ast.Op == "red" {
		if op.reduce, _ = atomicFunc(name, m.typ, false); op.reduce == nil || m.vec != 1 || !m.typ.IsInt() || name == "exch" || name == "cas" {
			return in, d.unsupported(r)
		}
	}
	if err := d.wantArgs(r, 3, 3); err != nil {
		return in, err
	}
	d.prog.hopper = true
	op.bar = memOp{space: m.space, size: 8, bytes: 8}
	if err := d.memAddress(r, &op.memOp, ast.Args[0]); err != nil {
		return in, err
	}
	var err error
	if op.regs, err = d.memRegisters(r, ast.Args[1], m, true); err != nil {
		return in, err
	}
	in.x, in.class, in.exec = op, classAsync, execAsyncStore
	return in, d.memAddress(r, &op.bar, ast.Args[2])
}

func execAsyncStore(w *warp, in *instr, m uint32) {
	op := in.x.(*asyncStore)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		b, bc, _ := w.mbarAt(&op.bar, in, lane)
		if b == nil {
			continue
		}
		c, off, ok := w.window(&op.memOp, in, lane, op.bytes, op.bytes)
		if !ok {
			continue
		}
		if bc != c {
			w.report(in, 1<<lane, w.access.misuse(lane, "the mbarrier must be in the block of the destination"))
			continue
		}
		data := make([]byte, op.bytes)
		for k, r := range op.regs {
			putLE(data[k*op.size:(k+1)*op.size], w.elem(r, lane))
		}
		load := &bulkLoad{w, lane, in, b.phase, c, off, data}
		if op.reduce == nil {
			w.startLoad(load, b)
			continue
		}
		red := &asyncReduction{load, op.reduce}
		if c.shadow == nil {
			red.land(b)
			continue
		}
		if f, by := c.shadow.mem.Read(strongly(w.accessor(in, lane, c)), off, op.bytes); f != shadow.None && f != shadow.InFlightRead {
			w.sharedFault(&w.access, lane, f, by, c)
		}
		b.copies = append(b.copies, red)
	}
}

// strongly makes the access one that needs no order with others of its kind.
func strongly(a *shadow.Access) *shadow.Access {
	b := *a
	b.By = a.By.Strong()
	return &b
}

// asyncReduction is red.async on its way.
type asyncReduction struct {
	*bulkLoad
	reduce func(old, b, c uint64) uint64
}

// land changes the value and tells the mbarrier.
func (r *asyncReduction) land(b *mbar) {
	at := r.owner.shared[r.off:][:len(r.data)]
	putLE(at, r.reduce(getLE(at), getLE(r.data), 0))
	if s := r.owner.shadow; s != nil {
		entry, now := r.owner.copyEntry(b), s.stamp()
		s.mem.Update(shadow.OfAgent(entry, r.in.pc).Strong(), r.off, len(r.data), now)
		b.clock[entry] = now
	}
	r.arrived(b)
}

// decodeMultimem decodes multimem: the machine has one device, so that a multicast
// address is that of its only copy.
func decodeMultimem(d *decoder, r *raw) (instr, error) {
	ast := *r.src.ast
	if len(ast.Mods) == 0 {
		return instr{}, d.unsupported(r)
	}
	kind := ast.Mods[0]
	mods := make([]string, 0, len(ast.Mods))
	halves, function := false, ""
	for _, m := range ast.Mods[1:] {
		t := lanes.ParseType(m)
		halves = halves || t == lanes.F16 || t == lanes.BF16 || t == lanes.F16x2 || t == lanes.BF16x2
		switch m {
		case "acc::f32", "acc::f16":
			continue
		case "add", "min", "max", "and", "or", "xor":
			function = m
			if kind == "ld_reduce" {
				continue
			}
		}
		mods = append(mods, m)
	}
	if (function == "") != (kind == "st") {
		return instr{}, d.unsupported(r)
	}
	decode := decodeAccess
	switch kind {
	case "ld_reduce":
		ast.Op = "ld"
	case "st":
		ast.Op = "st"
	case "red":
		ast.Op, decode = "red", decodeAtomic
		if halves {
			mods = append(mods, "noftz")
		}
	default:
		return instr{}, d.unsupported(r)
	}
	ast.Mods = mods
	src, plain := *r.src, *r
	src.ast = &ast
	plain.src = &src
	in, err := decode(d, &plain)
	in.src = r.src
	return in, err
}
