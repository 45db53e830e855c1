package ptx

// watch lists the registers and predicates of an instruction that may lack a
// value, by their numbers among the watched.
type watch struct {
	guard int32
	// needed must have values: addresses, what is stored or multiplied.
	needed []int32
	reads  []int32
	writes []int32
	// choice is the predicate of selp, whose operands first and second are.
	choice        pred
	first, second int32
}

// watchUndefined finds what may be used before it is written, by path analysis,
// and all that is computed from it, and marks the instructions concerned. Most
// programs have none. The result tells which watched ones start without a value.
func watchUndefined(code []instr, live *liveness, fixed map[int32]bool) []bool {
	var undefined []bool
	number := map[int32]int32{} // of registers, then predicates
	add := func(r int32, start bool) bool {
		if _, ok := number[r]; ok {
			return false
		}
		number[r] = int32(len(undefined))
		undefined = append(undefined, start)
		return true
	}
	if len(live.in) == 0 {
		return nil
	}
	regs := int32(live.regs)
	each(live.in[0], len(live.in[0])*64, func(r int32) {
		if !fixed[r] && r != regs+falsePred {
			add(r, true)
		}
	})
	if len(undefined) == 0 {
		return nil
	}
	for changed := true; changed; {
		changed = false
		for i := range code {
			in := &code[i]
			if tainted := in.touches(regs, number, false); !tainted || !in.carries() {
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
	return undefined
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

// carries tells that a result is undefined if an operand is: so it is for
// arithmetic, not for what comes from memory or other lanes.
func (in *instr) carries() bool {
	switch in.class {
	case classMove, classInt, classFloat, classSpecial, classConvert:
		return true
	}
	return false
}

func (in *instr) newWatch(regs int32, number map[int32]int32) *watch {
	w := &watch{guard: none, first: none, second: none}
	need := map[int32]bool{}
	switch x := in.x.(type) {
	case *memOp:
		need[x.addr] = true
		if x.store {
			for _, r := range x.regs {
				need[r.reg] = true
			}
		}
	case *atomOp:
		need[x.addr] = true
		for _, r := range x.regs {
			need[r.reg] = true
		}
	case *matrixOp:
		need[x.addr] = true
		if x.store {
			for _, r := range x.regs {
				need[r.reg] = true
			}
		}
	case *copyOp:
		need[x.dst.addr], need[x.src.addr] = true, true
	case *mmaOp:
		for _, list := range [][]int32{x.a, x.b, x.c} {
			for _, r := range list {
				need[r] = true
			}
		}
	case *predOperand: // selp
		w.choice = x.p
		if n, ok := number[in.a]; ok {
			w.first = n
		}
		if n, ok := number[in.b]; ok {
			w.second = n
		}
		need[none] = true
	}
	selp := need[none]
	in.eachUse(regs, func(r int32, write bool) {
		n, ok := number[r]
		switch {
		case !ok:
		case in.guard != none && r == regs+in.guard && !write && w.guard == none:
			w.guard = n
		case write:
			w.writes = append(w.writes, n)
		case need[r]:
			w.needed = append(w.needed, n)
		case selp && r < regs:
		default:
			w.reads = append(w.reads, n)
		}
	})
	return w
}

// forget makes the registers that no instruction has written yet undefined.
func (w *warp) forget() {
	for i := range w.undef {
		w.undef[i] = 0
		if w.cta.run.prog.undefined[i] {
			w.undef[i] = fullMask
		}
	}
}

// watchUse checks an instruction about to execute in lanes m of those that came to it.
func (w *warp) watchUse(in *instr, came, m uint32) {
	x := in.watch
	if x.guard != none {
		if bad := w.undef[x.guard] & came; bad != 0 {
			w.report(in, bad, Finding{Kind: UndefinedRegister, Msg: "the predicate of the instruction depends on a register never written", Mask: bad})
			w.undef[x.guard] &^= bad
		}
	}
	for _, n := range x.needed {
		if bad := w.undef[n] & m; bad != 0 {
			w.report(in, bad, Finding{Kind: UndefinedRegister, Msg: "uses a register never written", Mask: bad})
			w.undef[n] &^= bad
		}
	}
	u := uint32(0)
	if in.carries() {
		for _, n := range x.reads {
			u |= w.undef[n]
		}
		p := uint32(0)
		if x.first != none || x.second != none {
			p = w.predOf(x.choice)
		}
		if x.first != none {
			u |= w.undef[x.first] & p
		}
		if x.second != none {
			u |= w.undef[x.second] &^ p
		}
	}
	for _, n := range x.writes {
		w.undef[n] = w.undef[n]&^m | u&m
	}
}
