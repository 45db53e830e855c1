package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
)

// watch lists the registers and predicates of an instruction that may lack a
// value, by their numbers among the watched, and how a lack passes on.
type watch struct {
	guard  int32
	needed []need
	a      int32 // of the operands and results; none if not watched
	b      int32
	c      int32
	d      int32
	p      int32
	q      int32
	reads  []int32 // all that is read
	writes []int32 // all that is written
	parts  []int32 // elements of a packed register
	pass   passing
	data   int // passMove: how many of the operands are data, the rest saying where to
}

// need is what must have a value: an address, or what is stored or multiplied.
type need struct {
	n    int32
	bits uint64
}

// passing is how undefined bits of operands make bits of the result undefined.
type passing uint8

const (
	passNothing passing = iota // the result comes from memory or other lanes
	passAll                    // one undefined bit spoils all
	passUp                     // it spoils those from its place up: sums
	passBits                   // each bit by itself
	passAnd                    // the same, but a zero decides
	passOr                     // a one decides
	passMove                   // bits move as the instruction moves them
	passChoice                 // selp
	passPack
	passUnpack
)

// passes tells how an instruction passes undefined bits on.
func (in *instr) passes() (p passing, data int) {
	switch in.class {
	case classMove, classInt, classFloat, classSpecial, classConvert:
	default:
		return passNothing, 0
	}
	switch in.x.(type) {
	case *joinOp:
		return passPack, 0
	case *unpackOp:
		return passUnpack, 0
	case *predOperand:
		return passChoice, 0
	}
	if in.fn == nil || in.p != none {
		return passAll, 0
	}
	switch in.src.ast.Op {
	case "mov", "brev", "call":
		return passMove, 1
	case "shl", "shr", "bfe":
		return passMove, 1
	case "prmt", "shf":
		return passMove, 2
	case "cvt":
		for _, m := range in.src.ast.Mods {
			if t := lanes.ParseType(m); !t.IsInt() {
				return passAll, 0
			}
		}
		return passMove, 1
	case "and":
		return passAnd, 0
	case "or":
		return passOr, 0
	case "xor", "not":
		return passBits, 0
	case "add", "sub":
		if in.class == classInt {
			return passUp, 0
		}
	}
	return passAll, 0
}

// watchUndefined finds what may be used before it is written, by path analysis,
// and all that is computed from it, and marks the instructions concerned. Most
// programs have none. The results tell which watched ones start without a value,
// and which are 64 bits wide.
func watchUndefined(code []instr, live *liveness, widths []uint8, fixed map[int32]bool) (undefined, wide []bool) {
	number := map[int32]int32{} // of registers, then predicates
	add := func(r int32, start bool) bool {
		if _, ok := number[r]; ok {
			return false
		}
		number[r] = int32(len(undefined))
		undefined = append(undefined, start)
		wide = append(wide, int(r) < len(widths) && widths[r] == 2)
		return true
	}
	if len(live.in) == 0 {
		return nil, nil
	}
	regs := int32(live.regs)
	each(live.in[0], len(live.in[0])*64, func(r int32) {
		if !fixed[r] && r != regs+falsePred {
			add(r, true)
		}
	})
	if len(undefined) == 0 {
		return nil, nil
	}
	for changed := true; changed; {
		changed = false
		for i := range code {
			in := &code[i]
			if p, _ := in.passes(); p == passNothing || !in.touches(regs, number, false) {
				continue
			}
			in.eachUse(regs, func(r int32, write bool) {
				if write && !fixed[r] && r != 0 {
					changed = add(r, false) || changed
				}
			})
		}
	}
	for i := range code {
		if in := &code[i]; in.touches(regs, number, true) {
			in.watch = in.newWatch(regs, number)
		}
	}
	return undefined, wide
}

// eachUse visits registers and, numbered after them, predicates.
func (in *instr) eachUse(regs int32, f func(r int32, write bool)) {
	in.eachReg(func(r *int32, write bool) { f(*r, write) })
	in.eachPred(func(p int32, write bool) { f(regs+p, write) })
}

// touches tells that the instruction reads a watched register or, if asked, writes one.
func (in *instr) touches(regs int32, number map[int32]int32, writes bool) bool {
	found := false
	in.eachUse(regs, func(r int32, write bool) {
		_, ok := number[r]
		found = found || ok && (writes || !write)
	})
	return found
}

// needs lists the registers that must have values, with the bits that count.
func (in *instr) needs() map[int32]uint64 {
	need := map[int32]uint64{}
	stored := func(op *memOp) {
		need[op.addr] = ^uint64(0)
		// What a thread keeps for itself may be padding; it counts as written.
		if op.store && op.space != local {
			for _, r := range op.regs {
				need[r.reg] = ^uint64(0) >> (64 - 8*op.size)
			}
		}
	}
	switch x := in.x.(type) {
	case *memOp:
		stored(x)
	case *atomOp:
		stored(&x.memOp)
	case *matrixOp:
		stored(&x.memOp)
	case *copyOp:
		need[x.dst.addr], need[x.src.addr] = ^uint64(0), ^uint64(0)
	case *mmaOp:
		for _, list := range [][]int32{x.a, x.b, x.c} {
			for _, r := range list {
				need[r] = ^uint64(0)
			}
		}
	}
	return need
}

func (in *instr) newWatch(regs int32, number map[int32]int32) *watch {
	watched := func(r int32) int32 {
		if n, ok := number[r]; ok {
			return n
		}
		return none
	}
	w := &watch{guard: none, p: none, q: none, a: watched(in.a), b: watched(in.b), c: watched(in.c), d: watched(in.d)}
	w.pass, w.data = in.passes()
	if in.guard != none {
		w.guard = watched(regs + in.guard)
	}
	if in.p != none {
		w.p = watched(regs + in.p)
	}
	if in.q != none {
		w.q = watched(regs + in.q)
	}
	var list []int32
	switch x := in.x.(type) {
	case *joinOp:
		list = x.regs
	case *unpackOp:
		list = x.regs
	}
	for _, r := range list {
		w.parts = append(w.parts, watched(r))
	}
	needs := in.needs()
	in.eachUse(regs, func(r int32, write bool) {
		n, ok := number[r]
		switch bits, needed := needs[r]; {
		case !ok:
		case write:
			w.writes = append(w.writes, n)
		case needed:
			w.needed = append(w.needed, need{n, bits})
		case in.guard == none || r != regs+in.guard:
			w.reads = append(w.reads, n)
		}
	})
	return w
}

// Each watched register has a mask of undefined bits for every lane, in the layout
// of the register itself; a predicate has all bits of a lane's word or none.

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

// valueAt reads a lane of a register.
func (w *warp) valueAt(reg int32, wide bool, lane int) uint64 {
	if wide {
		return lanes.Wide(&w.regs[reg])[lane]
	}
	return uint64(w.regs[reg][lane])
}
