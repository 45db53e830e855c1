package ptx

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// cluster is the blocks of one cluster while they run, together on one worker. A grid
// without clusters has one block in each.
type cluster struct {
	run    *launch
	worker *worker
	ctas   []*cta
	clocks *clocks    // nil: shared memory isn't watched
	random *rand.Rand // of a random schedule; nil: the fixed one

	// The barrier of the cluster.
	rounds int          // completed
	clock  shadow.Clock // released by those who arrived
	done   shadow.Clock // of the rounds completed

	// events counts what may let a waiting thread go on.
	events int
	stalls int // times that all threads waited since the last event
	seen   int // events at the last stall
}

func newCluster(run *launch, wk *worker) *cluster {
	cl := &cluster{run: run, worker: wk}
	n := run.cluster[0] * run.cluster[1] * run.cluster[2]
	if run.cfg.Checks&CheckShared != 0 {
		threads := run.block[0] * run.block[1] * run.block[2]
		cl.clocks = newClocks(run.prog, n, (threads+lanes.Width-1)/lanes.Width)
		cl.clock, cl.done = make(shadow.Clock, 2*cl.clocks.entries), make(shadow.Clock, 2*cl.clocks.entries)
	}
	for rank := range n {
		cl.ctas = append(cl.ctas, newCTA(cl, rank))
	}
	return cl
}

// reset starts the cluster at that place among the clusters of the grid.
func (cl *cluster) reset(index int64) {
	if seed := cl.run.cfg.Seed; seed != 0 {
		cl.random = rand.New(rand.NewPCG(seed, uint64(index)))
	}
	cl.rounds, cl.events, cl.stalls, cl.seen = 0, 0, 0, 0
	if cl.clocks != nil {
		cl.clocks.reset()
		clear(cl.clock)
		clear(cl.done)
	}
	d, g := cl.run.cluster, cl.run.grid
	at := cl.run.firstBlock(index)
	for _, c := range cl.ctas {
		r := c.rank
		x, y, z := at[0]+r%d[0], at[1]+r/d[0]%d[1], at[2]+r/d[0]/d[1]
		c.reset(int64(x) + int64(g[0])*(int64(y)+int64(g[1])*int64(z)))
	}
}

// firstBlock gives the coordinates of the first block of a cluster.
func (l *launch) firstBlock(index int64) (at [3]int) {
	for i := range at {
		n := int64(l.grid[i] / l.cluster[i])
		at[i] = int(index%n) * l.cluster[i]
		index /= n
	}
	return at
}

// execute runs the blocks to their end, or until it looks as if they waited for
// others; it reports whether they have ended.
func (cl *cluster) execute() bool {
	budget, polls := blockBudget, 0
	for running := true; running; {
		if cl.run.ctx.Err() != nil {
			cl.run.stop()
			return true
		}
		progress := false
		running = false
		for _, c := range cl.ctas {
			for _, w := range c.order() {
				if w.live == 0 {
					continue
				}
				running = true
				did := w.run(cl.turn())
				progress = progress || did > 0
				budget -= did
				polls += w.polls
				if cl.run.stopped.Load() {
					return true
				}
			}
		}
		if !progress && running && !cl.unblock() {
			return true
		}
		if (budget <= 0 || polls >= pollBudget) && running {
			return false
		}
	}
	return true
}

// order is the order of the warps' turns.
func (c *cta) order() []*warp {
	r := c.cluster.random
	if r == nil {
		return c.warps
	}
	c.shuffled = append(c.shuffled[:0], c.warps...)
	r.Shuffle(len(c.shuffled), func(i, j int) { c.shuffled[i], c.shuffled[j] = c.shuffled[j], c.shuffled[i] })
	return c.shuffled
}

// turn is the number of instructions that a warp may execute before the next.
func (cl *cluster) turn() int {
	if cl.random == nil {
		return quantum
	}
	return 1 << cl.random.IntN(10)
}

// maxStalls is how often in a row waits on mbarriers may time out with nothing
// happening in between.
const maxStalls = 8

// unblock is called when no warp can go on: it finds out why, reports it, and
// tells whether going on makes sense.
func (cl *cluster) unblock() bool {
	if cl.stuckSync(false) {
		return true
	}
	if cl.events != cl.seen {
		cl.stalls, cl.seen = 0, cl.events
	}
	if cl.stalls++; cl.stalls <= maxStalls {
		// A wait may end without success: some programs then do something else.
		timed := false
		for _, c := range cl.ctas {
			for _, w := range c.warps {
				timed = w.timeOut() || timed
			}
		}
		if timed {
			return true
		}
	}
	if cl.stuckSync(true) {
		return true
	}
	cl.deadlock()
	cl.run.stop()
	return false
}

// stuckSync lets lanes go on that wait for others of their warp which can't come.
// Those that wait for an mbarrier may come yet, unless they have waited for ever.
func (cl *cluster) stuckSync(ever bool) bool {
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			awaits := slices.ContainsFunc(w.splits, func(s split) bool { return s.state == atAwait })
			if w.live != 0 && (ever || !awaits) && w.stuckSync() {
				return true
			}
		}
	}
	return false
}

// deadlock reports the threads that wait for ever: those of mbarriers first, which
// say most, one finding an instruction.
func (cl *cluster) deadlock() {
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			if w.live == 0 || len(w.splits) == 0 {
				continue
			}
			s := w.splits[0]
			in := &cl.run.prog.code[s.pc]
			w.report(in, s.mask, Finding{Kind: Deadlock, Msg: "waits for ever: " + c.missing(w, in, s)})
		}
	}
}

// clusterOp is barrier.cluster.arrive or wait.
type clusterOp struct{ wait, relaxed bool }

func (d *decoder) decodeClusterBarrier(r *raw, in instr) (instr, error) {
	op := &clusterOp{}
	kind := ""
	for _, m := range r.src.ast.Mods[1:] {
		switch m {
		case "arrive", "wait":
			kind = m
		case "relaxed":
			op.relaxed = true
		case "release", "acquire", "aligned":
		default:
			return in, d.unsupported(r)
		}
	}
	in.x, in.exec = op, execClusterArrive
	switch kind {
	case "wait":
		op.wait = true
		in.kind, in.exec = opAwait, execClusterWait
	case "arrive":
	default:
		return in, d.unsupported(r)
	}
	return in, d.wantArgs(r, 0, 0)
}

// flagOf is the pseudo-address of a cluster's barrier, for the order of its blocks in global memory.
func (cl *cluster) flagOf() uint64 { return uint64(cl.ctas[0].index) }

func execClusterArrive(w *warp, in *instr, m uint32) {
	cl := w.cta.cluster
	if again := w.clusterArrived & m; again != 0 {
		w.report(in, again, Finding{Kind: BarrierMismatch, Msg: "arrives twice at the barrier of the cluster without a wait", Mask: again})
	}
	w.clusterArrived |= m
	w.clusterRound = cl.rounds
	if op := in.x.(*clusterOp); !op.relaxed {
		if cl.clocks != nil {
			w.publish(cl.clock)
			w.tick()
		}
		if g := cl.run.global; g != nil {
			g.Flag(&w.cta.view, cl.flagOf(), false, true, false, true)
		}
	}
	cl.tryRelease()
}

// tryRelease completes the round of the cluster's barrier if all threads have come.
func (cl *cluster) tryRelease() {
	come := false
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			if w.live&^w.clusterArrived != 0 {
				return
			}
			come = come || w.clusterArrived != 0
		}
	}
	if !come {
		return
	}
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			w.clusterArrived = 0
		}
	}
	cl.events++
	cl.rounds++
	if cl.clocks != nil {
		cl.done.Join(cl.clock)
	}
}

// ready tells that the round in which the warp arrived is over.
func (op *clusterOp) ready(w *warp, in *instr, m uint32) bool {
	return w.clusterArrived&m == 0 && (w.cta.cluster.rounds > w.clusterRound || w.clusterRound < 0)
}

func execClusterWait(w *warp, in *instr, m uint32) {
	cl := w.cta.cluster
	if w.clusterRound < 0 {
		w.report(in, m, Finding{Kind: BarrierMismatch, Msg: "waits at the barrier of the cluster without having arrived"})
	}
	if cl.clocks != nil {
		w.learn(cl.done)
	}
	if g := cl.run.global; g != nil {
		g.Flag(&w.cta.view, cl.flagOf(), true, false, true, false)
	}
}

// status says how many threads the cluster's barrier lacks.
func (cl *cluster) status() string {
	lacks := 0
	for _, c := range cl.ctas {
		for _, w := range c.warps {
			lacks += bits.OnesCount32(w.live &^ w.clusterArrived)
		}
	}
	return fmt.Sprintf("%d threads have not come to the barrier of the cluster", lacks)
}

// decodeMapa decodes mapa, the address of a variable in another block of the cluster,
// and getctarank, the reverse.
func decodeMapa(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	wide, inShared := false, false
	for _, m := range ast.Mods {
		sp, isSpace := parseSpace(m)
		switch {
		case isSpace && sp == shared:
			inShared = true
		case m == "u64":
			wide = true
		case m == "u32":
		default:
			return in, d.unsupported(r)
		}
	}
	t := lanes.U32
	if wide {
		t = lanes.U64
	}
	in.class, in.wide = classInt, wide
	if ast.Op == "getctarank" {
		at := lanes.U32
		if !inShared || wide {
			at = lanes.U64
		}
		if err := d.wantArgs(r, 2, 2); err != nil {
			return in, err
		}
		if in.d, err = d.dest(r, ast.Args[0], lanes.U32); err != nil {
			return in, err
		}
		in.x = at == lanes.U64
		in.a, err = d.value(r, ast.Args[1], at)
		in.exec = execRank
		return in, err
	}
	if err := d.wantArgs(r, 3, 3); err != nil {
		return in, err
	}
	if in.d, err = d.dest(r, ast.Args[0], t); err != nil {
		return in, err
	}
	if in.a, err = d.value(r, ast.Args[1], t); err != nil {
		return in, err
	}
	in.b, err = d.value(r, ast.Args[2], lanes.U32)
	in.exec = execMapa
	return in, err
}

func execMapa(w *warp, in *instr, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		rank := w.regs[in.b][lane]
		if int(rank) >= len(w.cta.cluster.ctas) {
			w.report(in, 1<<lane, Finding{Kind: OutOfBounds, Msg: fmt.Sprintf("block %d of a cluster of %d", rank, len(w.cta.cluster.ctas))})
		}
		v := w.valueAt(in.a, in.wide, lane)&^(0xff<<rankShift) | uint64(rank+1)<<rankShift
		if in.wide {
			lanes.Wide(&w.regs[in.d])[lane] = v
		} else {
			w.regs[in.d][lane] = uint32(v)
		}
	}
}

func execRank(w *warp, in *instr, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		rank := uint32(w.valueAt(in.a, in.x.(bool), lane) >> rankShift & 0xff)
		if rank == 0 {
			rank = uint32(w.cta.rank) + 1
		}
		w.regs[in.d][lane] = rank - 1
	}
}
