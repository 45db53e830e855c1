package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
)

// syncMask gives the lanes that must be together to execute in: those that the
// active ones name, which may be several groups.
func (w *warp) syncMask(in *instr, m uint32) uint32 {
	if in.c == wholeWarp {
		return w.live
	}
	need := uint32(0)
	for i, mask := range &w.regs[in.c] {
		if m>>i&1 != 0 {
			need |= mask
		}
	}
	return need & w.live
}

// execSync executes in for the lanes m, each group that names the same members by itself.
func (w *warp) execSync(in *instr, m uint32) {
	if in.c == wholeWarp {
		in.exec(w, in, m)
		return
	}
	members := &w.regs[in.c]
	for m != 0 {
		first := members[bits.TrailingZeros32(m)]
		group := uint32(0)
		for i, mask := range members {
			if mask == first {
				group |= 1 << i
			}
		}
		in.exec(w, in, m&group)
		m &^= group
	}
}

// wholeWarp in place of a mask's register stands for all lanes: what .aligned
// operations such as mma want.
const wholeWarp = none

// trySync runs the sync at pc if all lanes that it wants have come.
func (w *warp) trySync(pc int32) {
	in := &w.cta.run.prog.code[pc]
	have, need := uint32(0), uint32(0)
	for k := range w.splits {
		if s := &w.splits[k]; s.state == atSync && s.pc == pc {
			have |= s.mask
			need |= s.need
		}
	}
	if have == 0 || need&w.live&^have != 0 {
		return
	}
	w.doSync(in, pc, have)
}

// doSync executes in for the lanes waiting at pc and lets them go on.
func (w *warp) doSync(in *instr, pc int32, m uint32) {
	if in.guard >= 0 {
		p := w.preds[in.guard]
		if in.neg {
			p = ^p
		}
		m &= p
	}
	w.execSync(in, m)
	for k := range w.splits {
		if s := &w.splits[k]; s.state == atSync && s.pc == pc {
			s.state = ready
			s.pc++
		}
	}
}

// stuckSync handles a warp that can't go on although no barrier holds it: lanes
// wait for others that wait elsewhere. It reports that and lets one group go on.
func (w *warp) stuckSync() bool {
	for k := range w.splits {
		s := w.splits[k]
		if s.state != atSync {
			continue
		}
		in := &w.cta.run.prog.code[s.pc]
		have := uint32(0)
		for _, o := range w.splits {
			if o.state == atSync && o.pc == s.pc {
				have |= o.mask
			}
		}
		w.report(in, have, Finding{Kind: SyncDivergence, Msg: "waits for lanes that are elsewhere", Bytes: 0, Mask: s.need & w.live &^ have})
		w.doSync(in, s.pc, have)
		return true
	}
	return false
}

// barrierOp is bar and barrier.
type barrierOp struct {
	arrive  bool
	aligned bool
	reduce  string // "", "popc", "and", "or"
	id      int32  // register
	count   int32  // register, or none
	pred    pred   // what is reduced
}

func (b *barrierOp) eachReg(f func(r *int32, write bool)) {
	f(&b.id, false)
	if b.count != none {
		f(&b.count, false)
	}
}

func (b *barrierOp) eachPred(f func(p pred)) { f(b.pred) }

// tryBarrier brings the warp to a barrier once all its lanes wait there.
func (w *warp) tryBarrier() {
	all, first := uint32(0), -1
	for k := range w.splits {
		s := &w.splits[k]
		if s.state != atBarrier {
			return
		}
		all |= s.mask
		if first < 0 {
			first = k
		}
	}
	if first < 0 || all != w.live {
		return
	}
	code := w.cta.run.prog.code
	in := &code[w.splits[first].pc]
	op := in.x.(*barrierOp)
	id := w.barrierID(in, w.splits[first].mask)
	for k := range w.splits {
		s := &w.splits[k]
		other := &code[s.pc]
		if w.barrierID(other, s.mask) != id {
			w.reportPair(in, other.pc, w.splits[first].mask, Finding{Kind: BarrierDivergence, Msg: "lanes of one warp wait at different barriers"})
			w.cta.run.stop()
			return
		}
		if s.pc != w.splits[first].pc && op.aligned {
			w.reportPair(in, other.pc, w.splits[first].mask, Finding{Kind: BarrierDivergence, Msg: "barrier in divergent code: the lanes of a warp come to it at two places"})
		}
	}
	w.cta.barrierArrive(w, in, op, id)
}

// barrierID reads the number of the barrier.
func (w *warp) barrierID(in *instr, m uint32) int {
	id := w.regs[in.x.(*barrierOp).id][bits.TrailingZeros32(m)]
	if id > 15 {
		w.report(in, m, Finding{Kind: BarrierMismatch, Msg: "barrier number over 15"})
		id &= 15
	}
	return int(id)
}

// passBarrier lets the lanes that wait at a barrier go on.
func (w *warp) passBarrier() {
	for k := range w.splits {
		if s := &w.splits[k]; s.state == atBarrier {
			s.state = ready
			s.pc++
		}
	}
}

// guarded returns the active lanes of the split among those that execute in.
func (w *warp) guarded(in *instr, m uint32) uint32 {
	if in.guard >= 0 {
		p := w.preds[in.guard]
		if in.neg {
			p = ^p
		}
		m &= p
	}
	return m
}

// decodeBarrier decodes bar and barrier. bar.warp.sync and the forms with arrive, sync, red.
func decodeBarrier(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	in.class = classBarrier
	mods := ast.Mods
	if len(mods) > 0 && mods[0] == "cluster" {
		return d.decodeClusterBarrier(r, in)
	}
	if len(mods) > 0 && mods[0] == "cta" {
		mods = mods[1:]
	}
	op := &barrierOp{aligned: ast.Op == "bar", count: none}
	var kind string
	for _, m := range mods {
		switch {
		case m == "aligned":
			op.aligned = true
		case m == "warp" && ast.Op == "bar":
			kind = "warp"
		case m == "sync" && kind == "", m == "arrive" && kind == "", m == "red" && kind == "":
			kind = m
		case m == "sync" && kind == "warp":
			return d.decodeWarpSync(r, in)
		case kind == "red" && (m == "popc" || m == "and" || m == "or"):
			op.reduce = m
		case kind == "red" && (m == "u32" && op.reduce == "popc" || m == "pred" && op.reduce != "popc"):
		default:
			return in, d.unsupported(r)
		}
	}
	args := ast.Args
	op.arrive = kind == "arrive"
	switch kind {
	case "sync":
		err = d.wantArgs(r, 1, 2)
	case "arrive":
		err = d.wantArgs(r, 2, 2)
	case "red":
		if op.reduce == "" {
			return in, d.unsupported(r)
		}
		if err = d.wantArgs(r, 3, 4); err != nil {
			return in, err
		}
		if op.pred, err = d.predicate(r, args[len(args)-1]); err != nil {
			return in, err
		}
		if op.reduce == "popc" {
			in.d, err = d.dest(r, args[0], lanes.U32)
		} else {
			in.p, err = d.destPred(r, args[0])
		}
		args = args[1 : len(args)-1]
	default:
		return in, d.unsupported(r)
	}
	if err != nil {
		return in, err
	}
	if op.id, err = d.value(r, args[0], lanes.U32); err != nil {
		return in, err
	}
	if len(args) > 1 {
		if op.count, err = d.value(r, args[1], lanes.U32); err != nil {
			return in, err
		}
	}
	in.kind, in.x = opBarrier, op
	return in, nil
}

func (d *decoder) decodeWarpSync(r *raw, in instr) (instr, error) {
	if err := d.wantArgs(r, 1, 1); err != nil {
		return in, err
	}
	var err error
	in.c, err = d.value(r, r.src.ast.Args[0], lanes.B32)
	in.kind, in.exec = opSync, execNothing
	return in, err
}
