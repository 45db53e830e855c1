package ptx

// markUnused notes the elements at either end of a vector load whose registers
// nothing reads: compilers widen loads beyond what a program asks for, where
// alignment allows it, and what lies there need not have been written.
func markUnused(code []instr, live *liveness) {
	for b := range live.starts {
		var after bitset // live behind the instruction; made when it is first needed
		for i := live.end(b) - 1; i >= live.starts[b]; i-- {
			in := &code[i]
			if op, ok := in.x.(*memOp); ok && !op.store && len(op.regs) > 1 {
				if after == nil {
					after = live.behind(b, i)
				}
				op.trim(after)
			}
			if after != nil {
				live.before(in, after)
			}
		}
	}
}

// behind is what is live after instruction i of a block.
func (l *liveness) behind(b, i int) bitset {
	s := make(bitset, len(l.in[b]))
	for _, next := range l.succs[b] {
		for w, v := range l.in[next] {
			s[w] |= v
		}
	}
	for j := l.end(b) - 1; j > i; j-- {
		l.before(&l.code[j], s)
	}
	return s
}

// before turns what is live after an instruction into what is live in front of it.
func (l *liveness) before(in *instr, s bitset) {
	if in.guard == none {
		in.eachReg(func(r *int32, write bool) {
			if write {
				s[*r/64] &^= 1 << (*r % 64)
			}
		})
	}
	in.eachReg(func(r *int32, write bool) {
		if !write {
			s.add(*r)
		}
	})
}

// read calls f for the runs of bytes that a load is made for, until f returns false.
func (op *memOp) read(f func(at, n int) bool) {
	end := op.bytes - op.unusedTail
	for at := op.unusedHead; at < end; {
		n := 0
		for at+n < end && op.wants(at+n) {
			n++
		}
		if n > 0 && !f(at, n) {
			return
		}
		at += max(n, 1)
	}
}

// wants reports that no pragma says that a byte is not used.
func (op *memOp) wants(at int) bool { return op.used == 0 || op.used>>at&1 != 0 }

// trim leaves out elements at the ends that are not used.
func (op *memOp) trim(after bitset) {
	last := len(op.regs)
	for last > 1 && !after.has(op.regs[last-1].reg) {
		last--
	}
	first := 0
	for first < last-1 && !after.has(op.regs[first].reg) {
		first++
	}
	op.unusedHead, op.unusedTail = first*op.size, (len(op.regs)-last)*op.size
}
