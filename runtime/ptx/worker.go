package ptx

import "tilec/runtime/ptx/lanes"

// worker runs clusters of blocks one after another.
type worker struct {
	launch  *launch
	counts  []count
	lanes   [lanes.Width + 1]uint64 // instructions by active lanes
	seen    map[seenKey]sighting
	reports int        // findings so far
	idle    []*cluster // to use again
	// Room for the operands of a wgmma and the registers of its sums.
	operands []float64
	sums     []*lanes.V32
}

func newWorker(l *launch) *worker {
	return &worker{launch: l, counts: make([]count, len(l.prog.code)), seen: map[seenKey]sighting{}}
}

// A block that may be waiting for others is put aside and the next one started, up
// to maxResident of them by a worker. What it waits for it can only see by reading
// global memory with a strong operation: pollBudget of these make one suspect, and
// as a last resort blockBudget instructions.
const (
	pollBudget  = 1 << 10
	blockBudget = 1 << 26
	maxResident = 128
)

func (wk *worker) run() {
	l := wk.launch
	var waiting []*cluster
	for !l.stopped.Load() {
		if l.ctx.Err() != nil {
			l.stop()
			return
		}
		var c *cluster
		if len(waiting) < maxResident {
			if i := l.next.Add(1) - 1; i < l.total {
				c = wk.take()
				c.reset(l.permuted(i))
			}
		}
		if c == nil {
			if len(waiting) == 0 {
				return
			}
			c, waiting = waiting[0], waiting[1:]
		}
		if c.execute() {
			wk.idle = append(wk.idle, c)
		} else {
			waiting = append(waiting, c)
		}
	}
}

func (wk *worker) take() *cluster {
	if n := len(wk.idle); n > 0 {
		c := wk.idle[n-1]
		wk.idle = wk.idle[:n-1]
		return c
	}
	return newCluster(wk.launch, wk)
}
