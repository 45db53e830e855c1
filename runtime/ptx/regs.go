package ptx

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"tilec/runtime/ptx/lanes"
)

// alignedRegs makes registers aligned for 64-bit use.
func alignedRegs(n int) []lanes.V32 {
	if n == 0 {
		return nil
	}
	pairs := make([]lanes.V64, (n+1)/2)
	return unsafe.Slice((*lanes.V32)(unsafe.Pointer(&pairs[0])), n)
}

// operands is implemented by what instructions carry in x and names registers.
type operands interface {
	eachReg(f func(r *int32, write bool))
}

// eachReg visits the registers of an instruction: those it reads, then those it writes.
func (in *instr) eachReg(f func(r *int32, write bool)) {
	f(&in.a, false)
	f(&in.b, false)
	if in.c != wholeWarp {
		f(&in.c, false)
	}
	if x, ok := in.x.(operands); ok {
		x.eachReg(f)
	}
	f(&in.d, true)
}

// predOperands is implemented by what instructions carry in x and reads predicates.
type predOperands interface {
	eachPred(f func(p pred))
}

// eachPred visits the predicates of an instruction: the guard and others that it
// reads, then those it writes.
func (in *instr) eachPred(f func(id int32, write bool)) {
	if in.guard != none {
		f(in.guard, false)
	}
	if x, ok := in.x.(predOperands); ok {
		x.eachPred(func(p pred) { f(p.id, false) })
	}
	if in.p != none {
		f(in.p, true)
	}
	if in.q != none {
		f(in.q, true)
	}
}

// finish gives virtual registers places in the register file, shared by those
// that are never live together, and fixes the sizes of the thread's memories.
func (d *decoder) finish() {
	p := d.prog
	live := newLiveness(p.code, len(d.widths), d.preds)
	spans := live.spans()
	fixed := map[int32]bool{0: true} // register 0 stands for absent operands
	for _, c := range d.consts {
		fixed[c.reg] = true
	}
	for _, s := range p.special {
		fixed[s.reg] = true
	}
	p.undefined, p.watchedWide = watchUndefined(p.code, live, d.widths, fixed)
	p.fragments = keepFragments(p.code)
	markTested(p.code, d.consts)
	markUnused(p.code, live)
	watchFlights(p.code, fixed)
	place := allocate(spans, d.widths, fixed)
	p.regs = place.size
	for i := range p.code {
		p.code[i].eachReg(func(r *int32, _ bool) { *r = place.of[*r] })
	}
	var consts []constant
	for _, c := range d.consts {
		if spans[c.reg].used() {
			c.reg = place.of[c.reg]
			consts = append(consts, c)
		}
	}
	var special []specialReg
	for _, s := range p.special {
		if spans[s.reg].used() {
			s.reg = place.of[s.reg]
			special = append(special, s)
		}
	}
	p.consts, p.special = consts, special
	p.preds = d.preds
	p.local = roundUp(d.localTop, 16)
	p.globals = d.globals
}

// liveness is what registers each basic block needs at its start.
type liveness struct {
	code   []instr
	starts []int // first instruction of each block
	succs  [][]int
	in     []bitset // of registers, then predicates
	regs   int
}

type bitset []uint64

func (s bitset) add(i int32)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }

// newLiveness solves the flow equations: a register is live where a read may
// follow before every lane of a thread's path has written it anew. Writes under a
// guard leave the old value in some lanes and so end no life.
func newLiveness(code []instr, regs, preds int) *liveness {
	l := &liveness{code: code, regs: regs}
	block := l.split()
	n := len(l.starts)
	words := (regs + preds + 63) / 64
	use, def := make([]bitset, n), make([]bitset, n)
	l.in = make([]bitset, n)
	for b := range n {
		use[b], def[b], l.in[b] = make(bitset, words), make(bitset, words), make(bitset, words)
		for i := l.starts[b]; i < l.end(b); i++ {
			in := &code[i]
			visit := func(r int32, write bool) {
				switch {
				case write && in.guard == none:
					def[b].add(r)
				case !write && !def[b].has(r):
					use[b].add(r)
				}
			}
			in.eachReg(func(r *int32, write bool) { visit(*r, write) })
			in.eachPred(func(p int32, write bool) { visit(int32(regs)+p, write) })
		}
		for _, s := range successors(code, l.end(b)-1) {
			l.succs[b] = append(l.succs[b], block[s])
		}
	}
	for changed := true; changed; {
		changed = false
		for b := n - 1; b >= 0; b-- {
			for w := range words {
				v := uint64(0)
				for _, s := range l.succs[b] {
					v |= l.in[s][w]
				}
				v = v&^def[b][w] | use[b][w]
				if v != l.in[b][w] {
					l.in[b][w] = v
					changed = true
				}
			}
		}
	}
	return l
}

// split finds the basic blocks and returns the block of each instruction.
func (l *liveness) split() []int {
	leader := leaders(l.code)
	block := make([]int, len(l.code))
	for i := range l.code {
		if leader[i] {
			l.starts = append(l.starts, i)
		}
		block[i] = len(l.starts) - 1
	}
	l.succs = make([][]int, len(l.starts))
	return block
}

func (l *liveness) end(b int) int {
	if b+1 < len(l.starts) {
		return l.starts[b+1]
	}
	return len(l.code)
}

// span is the stretch of instructions over which a register is live.
type span struct{ from, to int32 }

func (s span) used() bool { return s.to >= s.from }

func (s *span) cover(i int) {
	s.from, s.to = min(s.from, int32(i)), max(s.to, int32(i))
}

// spans gives each register one stretch that covers all of its life.
func (l *liveness) spans() []span {
	spans := make([]span, l.regs)
	for i := range spans {
		spans[i] = span{int32(len(l.code)), -1}
	}
	for i := range l.code {
		l.code[i].eachReg(func(r *int32, _ bool) { spans[*r].cover(i) })
	}
	for b := range l.starts {
		each(l.in[b], l.regs, func(r int32) { spans[r].cover(l.starts[b]) })
		for _, s := range l.succs[b] {
			each(l.in[s], l.regs, func(r int32) { spans[r].cover(l.end(b) - 1) })
		}
	}
	return spans
}

// each visits the members below n.
func each(s bitset, n int, f func(r int32)) {
	for w, v := range s {
		for ; v != 0; v &= v - 1 {
			if i := w*64 + bits.TrailingZeros64(v); i < n {
				f(int32(i))
			}
		}
	}
}

// placement says where each virtual register is.
type placement struct {
	of   []int32
	size int // of the register file
}

// allocate is a linear scan. Fixed registers keep their places throughout. A
// register is free again only after its last use, so that no instruction's result
// overlaps its operands. A place keeps its width: lanes that have diverged may hold
// different registers in it, and lane i of a pair is not lane i of its halves.
func allocate(spans []span, widths []uint8, fixed map[int32]bool) placement {
	p := placement{of: make([]int32, len(spans))}
	var free [3][]int32 // by width
	next := int32(0)
	take := func(width int) int32 {
		if n := len(free[width]); n > 0 {
			at := free[width][n-1]
			free[width] = free[width][:n-1]
			return at
		}
		at := next
		if width > 1 {
			at = (next + 1) &^ 1
			if at > next {
				free[1] = append(free[1], next)
			}
		}
		next = at + int32(width)
		return at
	}
	var order []int32
	for r := range spans {
		switch r := int32(r); {
		case fixed[r] && (spans[r].used() || r == 0):
			p.of[r] = take(int(widths[r]))
		case spans[r].used():
			order = append(order, r)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(spans[a].from, spans[b].from) })
	var active []int32 // by the end of their spans
	for _, r := range order {
		for len(active) > 0 && spans[active[0]].to < spans[r].from {
			old := active[0]
			active = active[1:]
			free[widths[old]] = append(free[widths[old]], p.of[old])
		}
		p.of[r] = take(int(widths[r]))
		at, _ := slices.BinarySearchFunc(active, r, func(a, b int32) int { return cmp.Compare(spans[a].to, spans[b].to) })
		active = slices.Insert(active, at, r)
	}
	p.size = int(next) + 2
	return p
}
