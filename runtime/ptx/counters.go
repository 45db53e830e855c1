package ptx

// count is how often an instruction ran.
type count struct{ warps, threads uint64 }

// Counters says what a launch did.
type Counters struct {
	Warps   uint64 // instructions that warps executed
	Threads uint64 // instructions that threads executed
}

type memCounts struct{}

func newMemCounts(*launch) memCounts { return memCounts{} }

func (w *warp) count(*access, uint32) {}

func (l *launch) collect(workers []*worker) *Counters {
	c := &Counters{}
	for _, wk := range workers {
		for _, n := range wk.counts {
			c.Warps += n.warps
			c.Threads += n.threads
		}
	}
	return c
}
