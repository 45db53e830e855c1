package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
)

// forget makes the registers that no instruction has written yet undefined.
func (w *warp) forget() {
	for i := range w.undef {
		w.undef[i] = lanes.V32{}
		if w.cta.run.prog.undefined[i/2] {
			for l := range w.undef[i] {
				w.undef[i][l] = ^uint32(0)
			}
		}
	}
}

// missing returns the undefined bits of a lane of a watched register, 64 bits wide or not.
func (w *warp) missing(n int32, wide bool, lane int) uint64 {
	switch {
	case n == none:
		return 0
	case wide:
		return lanes.Wide(&w.undef[2*n])[lane]
	}
	return uint64(w.undef[2*n][lane])
}

// setMissing sets the undefined bits of a lane.
func (w *warp) setMissing(n int32, wide bool, lane int, bits uint64) {
	switch {
	case n == none:
	case wide:
		lanes.Wide(&w.undef[2*n])[lane] = bits
	default:
		w.undef[2*n][lane] = uint32(bits)
	}
}

// lacking gives the lanes where any of the bits is undefined, whatever the width.
func (w *warp) lacking(n int32, wide bool, bits uint64) uint32 {
	m := uint32(0)
	for l := range lanes.Width {
		if w.missing(n, wide, l)&bits != 0 {
			m |= 1 << l
		}
	}
	return m
}

// watchUse checks an instruction about to execute in lanes m of those that came to
// it, and passes undefined bits on to its results.
func (w *warp) watchUse(in *instr, came, m uint32) {
	x := in.watch
	if x.guard != none {
		if bad := w.lacking(x.guard, false, ^uint64(0)) & came; bad != 0 {
			w.report(in, bad, Finding{Kind: UndefinedRegister, Msg: "the predicate of the instruction depends on a register never written", Mask: bad})
		}
	}
	for _, n := range x.needed {
		if bad := w.lacking(n.n, w.cta.run.prog.watchedWide[n.n], n.bits) & m; bad != 0 {
			w.report(in, bad, Finding{Kind: UndefinedRegister, Msg: "uses a register never written", Mask: bad})
		}
	}
	if len(x.writes) == 0 {
		return
	}
	switch x.pass {
	case passMove:
		w.passMoved(in, m)
	case passPack, passUnpack:
		w.passPacked(in, m)
	default:
		for ; m != 0; m &= m - 1 {
			w.passLane(in, bits.TrailingZeros32(m))
		}
	}
}

// passMoved lets the instruction itself move the undefined bits. Operands that say
// where to must be defined, or all is lost.
func (w *warp) passMoved(in *instr, m uint32) {
	x := in.watch
	var defined [3]lanes.V64
	operand := func(i int, n, reg int32) *lanes.V32 {
		switch {
		case i >= x.data:
			return &w.regs[reg]
		case n == none:
			return lanes.Narrow(&defined[i])
		}
		return &w.undef[2*n]
	}
	wide := w.cta.run.prog.watchedWide[x.d]
	spoilt := uint32(0)
	for i, n := range [3]int32{x.a, x.b, x.c} {
		if i >= x.data && n != none {
			spoilt |= w.lacking(n, false, ^uint64(0))
		}
	}
	t := w.scratch()
	in.fn(t, operand(0, x.a, in.a), operand(1, x.b, in.b), operand(2, x.c, in.c))
	for l := range lanes.Width {
		switch {
		case m>>l&1 == 0:
		case spoilt>>l&1 != 0:
			w.setMissing(x.d, wide, l, ^uint64(0))
		case wide:
			w.setMissing(x.d, wide, l, lanes.Wide(t)[l])
		default:
			w.setMissing(x.d, wide, l, uint64(t[l]))
		}
	}
}

// passPacked moves bits between a register and its parts.
func (w *warp) passPacked(in *instr, m uint32) {
	x := in.watch
	for l := range lanes.Width {
		if m>>l&1 == 0 {
			continue
		}
		switch op := in.x.(type) {
		case *joinOp:
			all := uint64(0)
			for k, n := range x.parts {
				all |= w.missing(n, false, l) & (1<<op.bits - 1) << (k * op.bits)
			}
			w.setMissing(x.d, op.wide, l, all)
		case *unpackOp:
			all := w.missing(x.a, op.wide, l)
			for k, n := range x.parts {
				w.setMissing(n, false, l, all>>(k*op.bits)&(1<<op.bits-1))
			}
		}
	}
}

// passLane computes the undefined bits of a lane's result from those of its operands.
func (w *warp) passLane(in *instr, lane int) {
	x := in.watch
	any := uint64(0)
	for _, n := range x.reads {
		any |= w.missing(n, w.cta.run.prog.watchedWide[n], lane)
	}
	out := uint64(0)
	a, b := w.missing(x.a, in.wide, lane), w.missing(x.b, in.wide, lane)
	switch {
	case any == 0 || x.pass == passNothing:
	case x.pass == passBits:
		out = a | b
	case x.pass == passAnd:
		out = (a | b) & (w.valueAt(in.a, in.wide, lane) | a) & (w.valueAt(in.b, in.wide, lane) | b)
	case x.pass == passOr:
		out = (a | b) & (^w.valueAt(in.a, in.wide, lane) | a) & (^w.valueAt(in.b, in.wide, lane) | b)
	case x.pass == passEqual:
		if differ := (w.valueAt(in.a, in.wide, lane) ^ w.valueAt(in.b, in.wide, lane)) &^ (a | b) & in.comparedBits(); differ == 0 {
			out = ^uint64(0)
		}
	case x.pass == passLogic:
		out = w.passLogic(in, lane)
	case x.pass == passUp:
		out = -(any & -any)
	case x.pass == passChoice:
		p := in.x.(*predOperand).p
		switch {
		case w.predOf(p)>>lane&1 != 0:
			out = a
		default:
			out = b
		}
		for _, n := range x.reads { // the predicate itself may be undefined
			if n != x.a && n != x.b && w.missing(n, false, lane) != 0 {
				out = ^uint64(0)
			}
		}
	default:
		out = ^uint64(0)
	}
	for _, n := range x.writes {
		w.setMissing(n, w.cta.run.prog.watchedWide[n], lane, out)
	}
}

// passLogic tells whether logic on predicates lacks a value: not if an operand that
// has one decides.
func (w *warp) passLogic(in *instr, lane int) uint64 {
	op := in.x.(*predLogic)
	decides := func(p pred, n int32) bool {
		v := w.predOf(p)>>lane&1 != 0
		return w.missing(n, false, lane) == 0 && (op.op == "and" && !v || op.op == "or" && v)
	}
	if decides(op.a, in.watch.parts[0]) || decides(op.b, in.watch.parts[1]) {
		return 0
	}
	return ^uint64(0)
}

// valueAt reads a lane of a register.
func (w *warp) valueAt(reg int32, wide bool, lane int) uint64 {
	if wide {
		return lanes.Wide(&w.regs[reg])[lane]
	}
	return uint64(w.regs[reg][lane])
}
