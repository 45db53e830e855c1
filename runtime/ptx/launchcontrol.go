package ptx

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// pair resolves a register of 128 bits, or two of 64: the low half first.
func (d *decoder) pair(r *raw, o syntax.Operand, write bool) ([]int32, error) {
	if o.Kind == syntax.Vector && len(o.Elems) == 2 {
		var regs []int32
		for _, e := range o.Elems {
			reg, err := d.value(r, e, lanes.B64)
			if write {
				reg, err = d.dest(r, e, lanes.B64)
			}
			if err != nil {
				return nil, err
			}
			regs = append(regs, reg)
		}
		return regs, nil
	}
	if b := d.lookup(r.scope, o.Name); o.Kind == syntax.Name && b != nil && b.typ == lanes.B128 && o.Sel == "" && o.Offset == 0 {
		return []int32{b.id, b.id + 1}, nil
	}
	return nil, d.errorf(o.Pos, "operand of %s is not a register of 128 bits", r.src.ast.Form())
}

// decodeWideAccess decodes ld and st of 128 bits.
func (d *decoder) decodeWideAccess(r *raw, in instr, op *memOp, data syntax.Operand) (instr, error) {
	regs, err := d.pair(r, data, !op.store)
	if err != nil {
		return in, err
	}
	op.size, op.bytes = 8, 16
	op.regs = []memReg{{regs[0], 64}, {regs[1], 64}}
	in.finishAccess(op)
	return in, nil
}

// wideMove is mov.b128.
type wideMove struct{ to, from []int32 }

func (x *wideMove) eachReg(f func(r *int32, write bool)) {
	for i := range x.from {
		f(&x.from[i], false)
	}
	for i := range x.to {
		f(&x.to[i], true)
	}
}

func (d *decoder) decodeWideMove(r *raw, in instr) (instr, error) {
	x := &wideMove{}
	var err error
	if x.from, err = d.pair(r, r.src.ast.Args[1], false); err != nil {
		return in, err
	}
	if x.to, err = d.pair(r, r.src.ast.Args[0], true); err != nil {
		return in, err
	}
	in.x, in.exec = x, func(w *warp, in *instr, m uint32) {
		lo, hi := *lanes.Wide(&w.regs[x.from[0]]), *lanes.Wide(&w.regs[x.from[1]])
		blendWide(lanes.Wide(&w.regs[x.to[0]]), &lo, m)
		blendWide(lanes.Wide(&w.regs[x.to[1]]), &hi, m)
	}
	return in, nil
}

// cancelOp is clusterlaunchcontrol.try_cancel: it takes the next cluster that has not started.
type cancelOp struct {
	dst, bar  memOp
	multicast bool
}

func (op *cancelOp) eachReg(f func(r *int32, write bool)) {
	f(&op.dst.addr, false)
	f(&op.bar.addr, false)
}

// queryOp is clusterlaunchcontrol.query_cancel on a response: three words with the
// coordinates of a block, then one that tells whether there is such.
type queryOp struct {
	from []int32
	to   []int32 // of x, y, z; 0 if discarded
}

func (op *queryOp) eachReg(f func(r *int32, write bool)) {
	for i := range op.from {
		f(&op.from[i], false)
	}
	for i := range op.to {
		f(&op.to[i], true)
	}
}

// responseBytes is the size of a response.
const responseBytes = 16

func decodeLaunchControl(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	mods := ast.Mods
	switch {
	case len(mods) > 2 && mods[0] == "try_cancel" && mods[1] == "async":
		return d.decodeCancel(r, in)
	case len(mods) > 2 && mods[0] == "query_cancel" && mods[len(mods)-1] == "b128":
	default:
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	op := &queryOp{}
	if op.from, err = d.pair(r, ast.Args[1], false); err != nil {
		return in, err
	}
	in.class, in.x, in.exec = classInt, op, execQueryCancel
	which := mods[1]
	switch {
	case which == "is_canceled" && mods[2] == "pred":
		in.p, err = d.destPred(r, ast.Args[0])
		return in, err
	case which == "get_first_ctaid" && slices.Equal(mods[2:], []string{"v4", "b32", "b128"}):
		if ast.Args[0].Kind != syntax.Vector || len(ast.Args[0].Elems) != 4 {
			return in, d.unsupported(r)
		}
		for _, e := range ast.Args[0].Elems[:3] {
			reg := int32(0)
			if e.Kind != syntax.Discard {
				if reg, err = d.dest(r, e, lanes.B32); err != nil {
					return in, err
				}
			}
			op.to = append(op.to, reg)
		}
		return in, nil
	}
	axis := slices.Index([]string{"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"}, which)
	if axis < 0 || !slices.Equal(mods[2:], []string{"b32", "b128"}) {
		return in, d.unsupported(r)
	}
	op.to = make([]int32, axis+1)
	op.to[axis], err = d.dest(r, ast.Args[0], lanes.B32)
	return in, err
}

func (d *decoder) decodeCancel(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &cancelOp{dst: memOp{bytes: responseBytes}, bar: memOp{size: 8, bytes: 8}}
	for _, m := range ast.Mods[2:] {
		switch m {
		case "shared::cta":
			op.dst.space, op.bar.space = shared, shared
		case "multicast::cluster::all":
			op.multicast = true
		case "mbarrier::complete_tx::bytes", "b128":
		default:
			return in, d.unsupported(r)
		}
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	d.prog.hopper = true
	if err := d.memAddress(r, &op.dst, ast.Args[0]); err != nil {
		return in, err
	}
	in.class, in.x, in.exec = classAsync, op, execCancel
	return in, d.memAddress(r, &op.bar, ast.Args[1])
}

func execCancel(w *warp, in *instr, m uint32) {
	op := in.x.(*cancelOp)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		b, bc, barOff := w.mbarAt(&op.bar, in, lane)
		if b == nil {
			continue
		}
		c, off, ok := w.window(&op.dst, in, lane, responseBytes, responseBytes)
		if !ok {
			continue
		}
		if bc != c {
			w.report(in, 1<<lane, w.access.misuse(lane, "the mbarrier must be in the block of the response"))
			continue
		}
		data := w.cta.run.cancelNext()
		targets := []*cta{c}
		if op.multicast {
			targets = w.cta.cluster.ctas
		}
		for _, t := range targets {
			tb := t.mbars.at[barOff]
			if tb == nil {
				w.report(in, 1<<lane, w.access.misuse(lane, "block "+itoa(t.rank)+" of the cluster has no mbarrier at this place"))
				continue
			}
			w.startLoad(&bulkLoad{w, lane, in, tb.phase, t, off, slices.Clone(data)}, tb)
		}
	}
}

// cancelNext takes a cluster from those to start and gives the response.
func (l *launch) cancelNext() []byte {
	data := make([]byte, responseBytes)
	i := l.next.Add(1) - 1
	if i >= l.total {
		return data
	}
	for k, v := range l.firstBlock(l.permuted(i)) {
		binary.LittleEndian.PutUint32(data[4*k:], uint32(v))
	}
	data[12] = 1
	return data
}

func execQueryCancel(w *warp, in *instr, m uint32) {
	op := in.x.(*queryOp)
	lo, hi := *lanes.Wide(&w.regs[op.from[0]]), *lanes.Wide(&w.regs[op.from[1]])
	if in.p != none {
		v := uint32(0)
		for i := range hi {
			v |= uint32(hi[i]>>32&1) << i
		}
		w.setPred(in.p, v, m)
	}
	for k, reg := range op.to {
		if reg == 0 {
			continue
		}
		for i := range lanes.Width {
			if m>>i&1 != 0 {
				w.regs[reg][i] = [3]uint32{uint32(lo[i]), uint32(lo[i] >> 32), uint32(hi[i])}[k]
			}
		}
	}
}
