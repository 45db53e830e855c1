package ptx

// count is how often an instruction ran.
type count struct{ warps, threads uint64 }

// Counters says what a launch did.
type Counters struct{}

type memCounts struct{}

func newMemCounts(*launch) memCounts { return memCounts{} }

func (w *warp) count(*access, uint32) {}

func (l *launch) collect([]*worker) *Counters { return &Counters{} }
