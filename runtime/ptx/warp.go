package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
)

// warp is 32 threads that share an instruction stream while they agree, and
// split when they don't.
type warp struct {
	cta   *cta
	id    int
	regs  []lanes.V32
	preds []uint32
	carry uint32 // the carry flag of each lane
	live  uint32 // lanes that have not ended
	local []byte // each lane's frame in turn

	splits []split
	joins  []join
	free   []int32 // unused entries of joins

	tmp    []lanes.V32 // results of masked lanes
	access access
	// fragments are values of matrix operands that mma has read from registers.
	fragments []float64
	hint      *allocation // where the last global access went
	async     asyncState
	bulk      bulkState
	groups    wgmmaState
	tensors   tcState
	// Lanes that arrived at the cluster's barrier in the present round, and the round of the last arrival.
	clusterArrived uint32
	clusterRound   int
	polls          int // strong reads of global memory in this turn
	clock          warpClock
	undef          []lanes.V32 // undefined bits of watched registers, two a register; nil: not watched
	wrote          []bool      // which bytes of local memory have been written; nil: not watched
}

// split is a set of lanes that are at one place.
type split struct {
	pc    int32
	mask  uint32
	join  int32 // the join that they head for, or none
	state splitState
	need  uint32 // the lanes that a waiting sync wants
	timed bool   // has waited long enough
}

type splitState uint8

const (
	ready splitState = iota
	atSync
	atBarrier
	atAwait
	atGroup
)

// join is a place where diverged lanes wait for each other.
type join struct {
	pc      int32
	pending uint32 // lanes still under way
	arrived uint32
	outer   int32
}

// scratch returns a register for results before they are masked.
func (w *warp) scratch() *lanes.V32 { return &w.tmp[0] }

// start puts all lanes at the first instruction.
func (w *warp) start(mask uint32) {
	w.live = mask
	w.carry = 0
	w.joins = w.joins[:0]
	w.free = w.free[:0]
	w.splits = append(w.splits[:0], split{mask: mask, join: none})
}

// quantum bounds how long one split runs while others could, so that lanes and
// warps that wait for each other by looking at memory all get on.
const quantum = 1 << 14

// run executes until the warp has no split that can go on, or the budget is used
// up. It returns the number of instructions executed.
func (w *warp) run(budget int) int {
	did := 0
	w.polls = 0
	for did < budget && w.polls < pollBudget {
		i := w.pick()
		if i < 0 {
			return did
		}
		did += w.runSplit(i, min(budget-did, quantum))
		if w.cta.run.stopped.Load() {
			return did
		}
	}
	return did
}

// pick chooses a split that can go on: the youngest, so that a branch is finished
// before what waits for it; one that used up its quantum goes to the back.
func (w *warp) pick() int {
	for i := len(w.splits) - 1; i >= 0; i-- {
		if w.splits[i].state == ready {
			return i
		}
	}
	for i := range w.splits {
		s := &w.splits[i]
		if s.state != atAwait {
			continue
		}
		in := &w.cta.run.prog.code[s.pc]
		if in.x.(awaited).ready(w, in, w.guarded(in, s.mask)) {
			s.state = ready
			return i
		}
	}
	return -1
}

// awaited is what opAwait waits for.
type awaited interface {
	ready(w *warp, in *instr, m uint32) bool
}

// timeOut ends the waits of the warp's lanes that may end without success, and tells whether there were any.
func (w *warp) timeOut() bool {
	any := false
	for i := range w.splits {
		s := &w.splits[i]
		if s.state != atAwait {
			continue
		}
		if op, ok := w.cta.run.prog.code[s.pc].x.(*mbarOp); ok && op.kind == mbarTest {
			s.state, s.timed, any = ready, true, true
		}
	}
	return any
}

// runSplit executes split i for at most n instructions and returns how many it did.
func (w *warp) runSplit(i, n int) int {
	s := w.splits[i]
	code := w.cta.run.prog.code
	counts, hist := w.cta.worker.counts, &w.cta.worker.lanes
	used := 0
	for ; used < n && w.polls < pollBudget; used++ {
		if s.join != none && w.joins[s.join].pc == s.pc {
			w.remove(i)
			w.arrive(s.join, s.mask)
			return used + 1
		}
		in := &code[s.pc]
		m := s.mask
		if in.guard >= 0 {
			p := w.preds[in.guard]
			if in.neg {
				p = ^p
			}
			m &= p
		}
		c := &counts[s.pc]
		c.warps++
		active := bits.OnesCount32(m)
		c.threads += uint64(active)
		hist[active]++
		if in.watch != nil && w.undef != nil {
			w.watchUse(in, s.mask, m)
		}
		if in.flying != nil && len(w.groups.pending) > 0 && m != 0 && w.cta.run.cfg.Checks&CheckRegisters != 0 {
			w.checkTouch(in, m)
		}
		switch in.kind {
		case opPlain:
			if m != 0 {
				in.exec(w, in, m)
			}
			s.pc++
		case opBranch:
			switch m {
			case s.mask:
				s.pc = in.target
			case 0:
				s.pc++
			default:
				w.diverge(i, s, in, m)
				return used + 1
			}
		case opIndex:
			w.branchIndexed(i, s, in, m)
			return used + 1
		case opExit:
			if m == 0 {
				s.pc++
				continue
			}
			if in.exec != nil {
				in.exec(w, in, m)
			}
			w.splits[i] = s
			if w.exit(i, s, m) {
				return used + 1
			}
			s.mask &^= m
			s.pc++
		case opSync:
			if m == 0 {
				s.pc++
				continue
			}
			need := w.syncMask(in, m)
			if off := need & s.mask &^ m; off != 0 {
				w.report(in, m, Finding{Kind: SyncDivergence, Msg: "waits for lanes that skip it by its predicate", Mask: off})
			}
			if need&^s.mask != 0 {
				s.state, s.need = atSync, need
				w.splits[i] = s
				w.trySync(s.pc)
				return used + 1
			}
			w.execSync(in, m)
			s.pc++
		case opAwait:
			if m != 0 {
				if !s.timed && !in.x.(awaited).ready(w, in, m) {
					s.state = atAwait
					w.splits[i] = s
					return used
				}
				s.timed = false
				in.exec(w, in, m)
			}
			s.pc++
		case opGroup:
			if m == 0 {
				s.pc++
				continue
			}
			if m != w.live {
				w.report(in, m, Finding{Kind: SyncDivergence, Msg: "needs all lanes of the warp", Mask: w.live &^ m})
			}
			s.state = atGroup
			w.splits[i] = s
			w.tryGroup(in, s.pc)
			return used + 1
		case opBarrier:
			if m == 0 {
				s.pc++
				continue
			}
			rest := s.mask &^ m
			s.state, s.mask = atBarrier, m
			w.splits[i] = s
			if rest != 0 {
				w.push(split{pc: s.pc + 1, mask: rest, join: s.join})
			}
			w.tryBarrier()
			return used + 1
		}
	}
	w.splits[i] = s
	if len(w.splits) > 1 { // let the others run first
		copy(w.splits[1:i+1], w.splits[:i])
		w.splits[0] = s
	}
	return used
}

func (w *warp) remove(i int) { w.splits = append(w.splits[:i], w.splits[i+1:]...) }

// newJoin makes a join for the lanes.
func (w *warp) newJoin(pc int32, lanes uint32, outer int32) int32 {
	j := join{pc: pc, pending: lanes, outer: outer}
	if n := len(w.free); n > 0 {
		id := w.free[n-1]
		w.free = w.free[:n-1]
		w.joins[id] = j
		return id
	}
	w.joins = append(w.joins, j)
	return int32(len(w.joins) - 1)
}

// joinFor returns the join of lanes that diverge in s and come together at pc.
func (w *warp) joinFor(s split, pc int32) int32 {
	if pc == none || s.join != none && w.joins[s.join].pc == pc {
		return s.join // a loop's lanes leave it at different times for one place
	}
	return w.newJoin(pc, s.mask, s.join)
}

// diverge splits s, whose lanes m branch and whose others go on.
func (w *warp) diverge(i int, s split, in *instr, m uint32) {
	j := w.joinFor(s, in.rejoin)
	w.remove(i)
	w.push(split{pc: in.target, mask: m, join: j})
	w.push(split{pc: s.pc + 1, mask: s.mask &^ m, join: j})
}

// push adds a split, or hands its lanes to the join if they are there already.
func (w *warp) push(s split) {
	if s.join != none && w.joins[s.join].pc == s.pc {
		w.arrive(s.join, s.mask)
		return
	}
	w.splits = append(w.splits, s)
}

// branchIndexed is brx.idx: lanes part by their index.
func (w *warp) branchIndexed(i int, s split, in *instr, m uint32) {
	targets := in.x.([]int32)
	j := w.joinFor(s, in.rejoin)
	w.remove(i)
	if rest := s.mask &^ m; rest != 0 {
		w.push(split{pc: s.pc + 1, mask: rest, join: j})
	}
	idx := &w.regs[in.a]
	for m != 0 {
		k := idx[bits.TrailingZeros32(m)]
		part := uint32(0)
		for l := range lanes.Width {
			if m>>l&1 != 0 && idx[l] == k {
				part |= 1 << l
			}
		}
		m &^= part
		if int(k) >= len(targets) {
			w.report(in, part, Finding{Kind: OutOfBounds, Msg: "brx.idx past the end of its target list"})
			k = 0
			if len(targets) == 0 {
				w.cta.run.stop()
				return
			}
		}
		w.push(split{pc: targets[k], mask: part, join: j})
	}
}

// arrive brings lanes to a join; the last ones go on together.
func (w *warp) arrive(id int32, mask uint32) {
	j := &w.joins[id]
	j.pending &^= mask
	j.arrived |= mask
	w.tryJoin(id)
}

func (w *warp) tryJoin(id int32) {
	j := w.joins[id]
	if j.pending != 0 {
		return
	}
	w.free = append(w.free, id)
	if j.arrived != 0 {
		w.push(split{pc: j.pc, mask: j.arrived, join: j.outer})
	} else if j.outer != none {
		w.tryJoin(j.outer)
	}
}

// exit ends lanes m of split i, and reports whether none are left in it.
func (w *warp) exit(i int, s split, m uint32) bool {
	w.live &^= m
	gone := s.mask&^m == 0
	if gone {
		w.remove(i)
	}
	for id := s.join; id != none; id = w.joins[id].outer {
		w.joins[id].pending &^= m
	}
	if gone && s.join != none {
		w.tryJoin(s.join)
	}
	if w.live == 0 {
		w.cta.warpEnded(w)
	} else if len(w.splits) > 0 {
		// Lanes that waited for those which ended may go on.
		for k := range w.splits {
			if w.splits[k].state == atSync {
				w.trySync(w.splits[k].pc)
				break
			}
		}
		w.tryBarrier()
	}
	return gone
}
