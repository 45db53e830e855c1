package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/ir/machine"
)

// Cost estimates the time of a function in tile form from its tiles alone: each instance pays for starting its instructions, and
// tiles that fill little of their memory make many of them. Candidates that do not fit are found out by lowering them.
func Cost(m *machine.Machine, f *ir.Func) float64 {
	elements, bytes := int64(0), int64(0)
	f.Body.Walk(func(op *ir.Op) {
		if op.Code != ir.OpAlloc {
			return
		}
		n := int64(1)
		for _, e := range op.Buf.Extents() {
			n *= int64(e)
		}
		elements += n
		bytes += aicore.Bytes(op.Buf)
	})
	var work int64
	f.Body.Walk(func(op *ir.Op) {
		n := int64(1)
		for _, it := range op.Iters() {
			n *= it.Extent.Int
		}
		work = max(work, n)
	})
	cost := 1 / float64(max(work, elements, 1))
	if bytes > m.Memory(ir.UB).Bytes && !usesCube(f) {
		cost = float64(bytes)
	}
	return cost
}
