package ptx

import (
	"maps"
	"slices"
)

// touched are registers by number, with the instructions that touched them.
type touched struct{ by map[int32]int32 }

// flightState is what path analysis knows of the asynchronous products at a place:
// the registers that may be in flight with the groups committed since, and those
// written by other instructions since the last wgmma.fence.
type flightState struct {
	age   map[int32]int   // of registers in flight: 0 not committed
	dirty map[int32]int32 // registers and their writers
	fixed map[int32]bool  // registers that hold constants throughout
	// open tells that a wgmma.fence came after the last group: compilers put constants into
	// sums there, after the fence of the program text, and the hardware's assembler allows for it.
	open bool
	// fenced tells that there was a wgmma.fence at all, as the first wgmma must have one.
	fenced bool
}

func (s flightState) clone() flightState {
	s.age, s.dirty = maps.Clone(s.age), maps.Clone(s.dirty)
	return s
}

// join adds what another path leads to and tells whether that changed anything.
func (s *flightState) join(o flightState) bool {
	changed := s.open && !o.open || s.fenced && !o.fenced
	s.open, s.fenced = s.open && o.open, s.fenced && o.fenced
	for r, n := range o.age {
		if old, ok := s.age[r]; !ok || n < old {
			s.age[r] = n
			changed = true
		}
	}
	for r, pc := range o.dirty {
		if _, ok := s.dirty[r]; !ok {
			s.dirty[r] = pc
			changed = true
		}
	}
	return changed
}

// maxAge bounds the groups counted: older registers are in flight all the same.
const maxAge = 64

// step is what an instruction makes of the state. Moves between registers are how
// compilers join values, and become no instructions: they carry what they copy.
func (s *flightState) step(in *instr) {
	switch x := in.x.(type) {
	case wgmmaFence:
		clear(s.dirty)
		s.open, s.fenced = true, true
		return
	case wgmmaCommit:
		s.open = false
		for r, n := range s.age {
			s.age[r] = min(n+1, maxAge)
		}
		return
	case *wgmmaWait:
		for r, n := range s.age {
			if n > x.keep {
				delete(s.age, r)
			}
		}
		return
	case *wgmmaOp:
		for _, list := range [][]int32{x.d, x.a} {
			for _, r := range list {
				s.age[r] = 0
				delete(s.dirty, r)
			}
		}
		return
	}
	if in.copies() {
		writer, dirty := s.dirty[in.a]
		switch {
		case s.fixed[in.a] && s.open:
		case s.fixed[in.a]:
			s.dirty[in.d] = in.pc
		case dirty:
			s.dirty[in.d] = writer
		case in.guard == none:
			delete(s.dirty, in.d)
		}
		return
	}
	in.eachReg(func(r *int32, write bool) {
		if write && *r != 0 {
			s.dirty[*r] = in.pc
		}
	})
}

// copies tells a move from a register to another.
func (in *instr) copies() bool {
	return in.src.ast.Op == "mov" && in.fn != nil && in.a != 0 && in.d != 0
}

// watchFlights marks the instructions that may touch registers of a product before it
// is waited for, and the products whose registers no fence covers. Registers are
// still virtual.
func watchFlights(code []instr, fixed map[int32]bool) {
	if !slices.ContainsFunc(code, func(in instr) bool { _, ok := in.x.(*wgmmaOp); return ok }) {
		return
	}
	leader := leaders(code)
	at := make([]flightState, len(code))
	at[0] = flightState{map[int32]int{}, map[int32]int32{}, fixed, false, false}
	work := []int{0}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		s := at[i].clone()
		for {
			s.step(&code[i])
			next := successors(code, i)
			if len(next) == 1 && next[0] == i+1 && !leader[i+1] {
				i++
				continue
			}
			for _, n := range next {
				if at[n].age == nil {
					at[n] = s.clone()
					work = append(work, n)
				} else if at[n].join(s) {
					work = append(work, n)
				}
			}
			break
		}
	}
	for i := range code {
		if at[i].age == nil || i > 0 && !leader[i] {
			continue
		}
		for s := at[i].clone(); ; {
			s.mark(&code[i])
			s.step(&code[i])
			if i++; i >= len(code) || leader[i] {
				break
			}
		}
	}
}

// mark notes what the instruction does to registers in flight or without a fence.
func (s flightState) mark(in *instr) {
	if x, ok := in.x.(*wgmmaOp); ok {
		x.first = !s.fenced
		for _, list := range [][]int32{x.d, x.a} {
			for _, r := range list {
				if pc, ok := s.dirty[r]; ok {
					if x.unfenced == nil {
						x.unfenced = &touched{map[int32]int32{}}
					}
					x.unfenced.by[r] = pc
				}
			}
		}
		return
	}
	if len(s.age) == 0 {
		return
	}
	in.eachReg(func(r *int32, _ bool) {
		if _, ok := s.age[*r]; ok && *r != 0 {
			in.flying = append(in.flying, *r)
		}
	})
}

// checkTouch finds registers of products in flight that an instruction touches.
func (w *warp) checkTouch(in *instr, m uint32) {
	for _, f := range w.groups.pending {
		op := f.in.x.(*wgmmaOp)
		for _, r := range in.flying {
			msg := ""
			switch {
			case slices.Contains(op.namesD, r):
				msg = "touches a sum of a wgmma in flight: no wgmma.wait_group has waited for it"
			case slices.Contains(op.namesA, r):
				msg = "touches an operand of a wgmma in flight: no wgmma.wait_group has waited for it"
			default:
				continue
			}
			w.reportPair(in, f.in.pc, m, Finding{Kind: RegisterInFlight, Msg: msg})
			return
		}
	}
}

// checkFlight finds sums that overlap those of a product in flight of another shape,
// and registers that other instructions wrote with no wgmma.fence since.
func (w *warp) checkFlight(in *instr, op *wgmmaOp) {
	if w.cta.run.cfg.Checks&CheckRegisters == 0 {
		return
	}
	if op.unfenced != nil {
		first := slices.Min(slices.Collect(maps.Keys(op.unfenced.by)))
		w.reportPair(in, op.unfenced.by[first], w.live, Finding{Kind: RegisterInFlight, Msg: "reads registers that were written with no wgmma.fence since"})
	}
	if op.first {
		w.report(in, w.live, Finding{Kind: RegisterInFlight, Msg: "the first wgmma, with no wgmma.fence before"})
	}
	for _, f := range w.groups.pending {
		o := f.in.x.(*wgmmaOp)
		if o == op || slices.Equal(o.namesD, op.namesD) && *o.form == *op.form {
			continue
		}
		for _, r := range op.namesD {
			if slices.Contains(o.namesD, r) || slices.Contains(o.namesA, r) {
				w.reportPair(in, f.in.pc, w.live, Finding{Kind: RegisterInFlight, Msg: "its sums are registers of a wgmma of another kind in flight"})
				return
			}
		}
		for _, r := range op.namesA {
			if slices.Contains(o.namesD, r) {
				w.reportPair(in, f.in.pc, w.live, Finding{Kind: RegisterInFlight, Msg: "its operand is a sum of a wgmma in flight"})
				return
			}
		}
	}
}
