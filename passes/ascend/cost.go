package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/ir/machine"
)

// Cost estimates the time of a function in tile form from its tiles alone: each instance pays for starting its instructions, and
// tiles that fill little of their memory make many of them. Candidates that do not fit are found out by lowering them.
func Cost(m *machine.Machine, f *ir.Func) float64 {
	if usesCube(f) {
		return cubeCost(m, f)
	}
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
	copied := int64(0)
	seen := map[*ir.Buffer]bool{}
	f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpCopy && op.Src[0].Buf.Outside() && !op.Dst.Buf.Outside() && !seen[op.Dst.Buf] {
			seen[op.Dst.Buf] = true
			copied += aicore.Bytes(op.Dst.Buf)
		}
	})
	room := m.Memory(ir.UB).Bytes
	cost := 1 + startCost/float64(max(work, elements, 1))
	if bytes+copied+4*work > room { // with a tile for what is computed
		cost *= waiting
	}
	if bytes > room {
		cost = float64(bytes)
	}
	return cost
}

// What the cost of vector work reckons with.
const (
	startCost = 4096.0 // of the instructions for a tile, in elements
	waiting   = 1.4    // where there is no room for a second slot, work waits for copies
)

// What the cost of products reckons with, in cycles and bytes a cycle of one core.
const (
	loadRate  = 128.0 // from global memory
	drainRate = 128.0 // of the fixpipe
	loadStart = 16.0  // of each copy
	nominalK  = 4096.0
)

// cubeCost estimates the cycles of a product: those of the cube or of the copies that feed it, and the drain of the sums.
func cubeCost(m *machine.Machine, f *ir.Func) float64 {
	total := 0.0
	var sums int64
	f.Body.Walk(func(op *ir.Op) {
		if op.Code != ir.OpContract {
			return
		}
		p, ok := ir.AsProduct(op)
		if !ok {
			return
		}
		up := func(n, unit int) float64 { return float64((n + unit - 1) / unit) }
		strip := aicore.Strip(p.A.Buf.Elem)
		cube := up(p.M, 16) * up(p.N, 16) * up(p.K, strip)
		if p.A.Buf.Elem.Bits() == 32 {
			cube *= 2
		}
		bytes := float64((p.M+p.N)*p.K) * float64(p.A.Buf.Elem.Bits()) / 8
		load := bytes/loadRate + 2*loadStart
		steps := nominalK / float64(p.K)
		total += (max(cube, load) + loadStart) * steps / float64(p.M*p.N)
		total += float64(4) / drainRate
		sums += aicore.Bytes(&ir.Buffer{Elem: p.C.Buf.Elem, Shape: p.C.Buf.Shape, Space: ir.L0C})
	})
	if sums > m.Memory(ir.L0C).Bytes {
		total += 1e6 * float64(sums)
	}
	for _, b := range f.Config {
		if b.Tune && b.Name == "stages" && b.Value != "1" {
			total *= 0.999 // copies run ahead
		}
	}
	return total
}
