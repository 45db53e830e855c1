package ascend

// Rates are the model of time: each pipe takes, for each instruction, a head and its work at a rate, in order; flags carry times
// from pipe to pipe. Bytes are a cycle's. It tells how well pipes overlap; it is no measurement.
type Rates struct {
	GMRead, GMWrite            float64 // of one core
	L1ToL0A, L1ToL0B, L1ToBT   float64
	L0COut, UB                 float64
	Issue                      float64 // cycles of the scalar unit for each instruction
	Barrier, CrossFlag, GMWait float64 // cycles
	Head                       Pipes   // cycles of each instruction
	QueueDepth                 int     // instructions that wait in a pipe before the scalar unit has to
}

// Pipes is a number for each pipe.
type Pipes struct {
	S, V, M, MTE1, MTE2, MTE3, FIX float64
}

// DefaultRates has the documented rates of Atlas A2 where there are any (L1 to L0A and L0B, one repeat of 256 bytes a cycle in
// the vector unit, 16×16×16 half products a cycle in the cube), and assumptions for the rest.
func DefaultRates() Rates {
	return Rates{
		GMRead: 128, GMWrite: 64, L1ToL0A: 256, L1ToL0B: 128, L1ToBT: 64, L0COut: 128, UB: 256,
		Issue: 1, Barrier: 8, CrossFlag: 200, GMWait: 200,
		Head:       Pipes{S: 1, V: 4, M: 4, MTE1: 4, MTE2: 16, MTE3: 16, FIX: 16},
		QueueDepth: 32,
	}
}

func (r Rates) encode(q *request) {
	for _, v := range []float64{r.GMRead, r.GMWrite, r.L1ToL0A, r.L1ToL0B, r.L1ToBT, r.L0COut, r.UB, r.Issue, r.Barrier, r.CrossFlag, r.GMWait,
		r.Head.S, r.Head.V, r.Head.M, r.Head.MTE1, r.Head.MTE2, r.Head.MTE3, r.Head.FIX} {
		q.f64(v)
	}
	q.u32(r.QueueDepth)
}
