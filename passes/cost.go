package passes

import (
	"math"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
)

// Cost estimates the time that a kernel in tile form, which is used up, takes on a
// machine, in cycles of the whole chip, for sizes that are typical of a large launch; it is
// for comparing choices of tunables, not for telling the time. +Inf means that a
// hard limit of the machine is broken.
//
// The model: each grid instance takes the longest of its tensor, scalar, shared
// and global work, plus what an iteration of a loop cannot overlap; instances
// share a multiprocessor as far as shared memory, threads and registers let them,
// and run in waves.
func Cost(m *machine.Machine, f *ir.Func) float64 {
	ctx := &Context{Machine: m, Reporter: &diag.Reporter{}}
	if tile(ctx, f) != nil || place(ctx, f) != nil {
		return math.Inf(1)
	}
	c := &costs{m: m, f: f, sizes: nominalSizes(f), shared: map[*ir.Buffer]int64{}}
	c.words = usesOf(f).words(f, f.Warps*m.Limits.WarpSize)
	c.block(f.Body, 1)
	return c.total()
}

type costs struct {
	m     *machine.Machine
	f     *ir.Func
	sizes map[*ir.Var]float64
	words int // registers of a thread that tiles take
	// of one instance, in cycles of a multiprocessor
	tensor, scalar, sharedPort, overhead float64
	globalBytes                          float64
	shared                               map[*ir.Buffer]int64
	// flight is the most registers that one operation of a loop takes for values
	// on their way from a memory and back: a thread's loads are issued together.
	flight int
}

// nominalDim stands for every dimension of a large launch.
const nominalDim = 4096

func nominalSizes(f *ir.Func) map[*ir.Var]float64 {
	sizes := map[*ir.Var]float64{}
	for _, d := range f.Dims {
		sizes[d.Var] = nominalDim
	}
	return sizes
}

// value estimates an index expression; 8 where it depends on data.
func (c *costs) value(e *ir.Expr) float64 {
	switch e.Op {
	case ir.Const:
		return float64(e.Int)
	case ir.Ref:
		if v, ok := c.sizes[e.Var]; ok {
			return v
		}
		return 8
	case ir.Select:
		return max(c.value(e.Args[1]), c.value(e.Args[2]))
	}
	if len(e.Args) != 2 {
		return 8
	}
	x, y := c.value(e.Args[0]), c.value(e.Args[1])
	switch e.Op {
	case ir.Add:
		return x + y
	case ir.Sub:
		return x - y
	case ir.Mul:
		return x * y
	case ir.Div:
		return math.Floor(x / max(y, 1))
	case ir.Min:
		return min(x, y)
	case ir.Max:
		return max(x, y)
	}
	return 8
}

func (c *costs) block(b *ir.Block, times float64) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		switch op.Code {
		case ir.OpAlloc:
			if op.Buf.Space == ir.Shared {
				c.shared[op.Buf] = paddedBytes(op.Buf)
			}
		case ir.OpLet:
			c.sizes[op.Var] = c.value(op.X[0])
		case ir.OpFor:
			n := max(math.Ceil((c.value(op.X[1])-c.value(op.X[0]))/max(c.value(op.X[2]), 1)), 0)
			c.sizes[op.Var] = n / 2
			c.loop(op, times*n)
			continue
		case ir.OpWhile:
			c.block(op.Body, times*8)
			continue
		case ir.OpContract:
			c.contract(op, times)
		default:
			c.elementwise(op, times)
		}
		c.block(op.Body, times)
		c.block(op.Else, times)
	}
}

// Cycles that an iteration of a loop costs beyond its work: the barrier and the
// start of the next copies when pipelined, the latency of memory when not.
const (
	barrierCycles = 60
	memoryLatency = 800
	launchCycles  = 1500 // of an instance: start, first copies, last stores
)

func (c *costs) loop(op *ir.Op, times float64) {
	stages := 1
	if op.Loop == ir.Pipeline {
		stages = max(op.Stages, 1)
	}
	staged := map[*ir.Buffer]bool{}
	op.Body.Walk(func(o *ir.Op) {
		if o.Code == ir.OpCopy && o.Dst.Buf.Space == ir.Shared && o.Src[0].Buf.Kind.IsTensor() {
			staged[o.Dst.Buf] = true
		}
	})
	before := c.tensor + c.scalar + c.sharedPort
	bytesBefore := c.globalBytes
	c.block(op.Body, times)
	work := (c.tensor + c.scalar + c.sharedPort - before) / max(times, 1)
	traffic := (c.globalBytes - bytesBefore) / max(times, 1) / c.bytesPerCycle()
	for b := range staged {
		c.shared[b] = paddedBytes(b) * int64(stages)
	}
	// A ring hides as much latency as the iterations ahead have work. The CTAs
	// beside this one do so too, but where they want the same tensor cores only
	// as far as they are out of step.
	resident := float64(max(c.resident(), 1))
	if contracts(op.Body) {
		c.overhead += times * max(memoryLatency-float64(stages-1)*work, 0) / resident
	} else {
		c.overhead += times * max(memoryLatency-(float64(stages)*resident-1)*max(work, traffic), 0)
	}
	if len(staged) > 0 {
		c.overhead += times * barrierCycles
	}
}

func contracts(b *ir.Block) bool {
	found := false
	b.Walk(func(op *ir.Op) { found = found || op.Code == ir.OpContract })
	return found
}

func paddedBytes(b *ir.Buffer) int64 {
	n := int64(1)
	for _, e := range b.Extents() {
		n *= int64(layout.Pow2(e))
	}
	return max(n*int64(b.Elem.Bits())/8, 1)
}

func (c *costs) contract(op *ir.Op, times float64) {
	p, _ := ir.AsProduct(op)
	at := c.m.AtomNamed(op.Atom, p.A.Buf.Elem, p.B.Buf.Elem, p.C.Buf.Elem)
	m, n := float64(op.Layout.Out[0].Size), float64(op.Layout.Out[1].Size)
	k := float64(roundUp(p.K, at.K))
	c.tensor += times * m * n * k / at.Rate
	wm, wn := 1.0, 1.0
	for _, b := range op.Layout.Bases(layout.Warp) {
		if b[0] != 0 {
			wm *= 2
		} else {
			wn *= 2
		}
	}
	bytes := k * (m*wn*float64(p.A.Buf.Elem.Bits()) + n*wm*float64(p.B.Buf.Elem.Bits())) / 8
	if p.A.Buf.Space == ir.Register {
		bytes -= k * m * wn * float64(p.A.Buf.Elem.Bits()) / 8
	}
	c.sharedPort += times * bytes / c.m.Rates.SharedBPC
}

func (c *costs) elementwise(op *ir.Op, times float64) {
	points := 1.0
	for _, it := range op.Iters() {
		points *= float64(it.Extent.Int)
	}
	if len(op.Dom)+len(op.Red) == 0 {
		return
	}
	ops, slow := 1.0, 0.0
	op.Exprs(func(e *ir.Expr) bool {
		switch {
		case isSlow(e.Op):
			slow++
		case e.Op == ir.Const || e.Op == ir.Ref || e.Op == ir.Load:
		case e.Type != ir.Index:
			ops++
		}
		return true
	})
	if op.Code == ir.OpReduce {
		ops += 5 * 32 * float64(c.f.Warps) / points // shuffles
	}
	c.scalar += times * points * (ops/c.m.Rates.FMA32 + slow/c.m.Rates.MUFU)
	threads := float64(c.f.Warps * c.m.Limits.WarpSize)
	words := 0.0
	move := func(a *ir.Access) {
		if op.Code == ir.OpMap && a.Buf.Space != ir.Register && times > 1 {
			words += points * float64(a.Buf.Elem.Bits()) / 32 / threads
		}
		switch {
		case a.Buf.Kind.IsTensor():
			c.globalBytes += times * points * float64(a.Buf.Elem.Bits()) / 8 * c.reuse(op, a)
		case a.Buf.Space == ir.Shared:
			c.sharedPort += times * points * float64(a.Buf.Elem.Bits()) / 8 / c.m.Rates.SharedBPC
		}
	}
	op.Loads(move)
	if op.Dst != nil {
		move(op.Dst)
	}
	c.flight = max(c.flight, int(words))
}

// isSlow reports functions that the special unit, or many instructions, compute.
func isSlow(op ir.ExprOp) bool {
	switch op {
	case ir.Exp, ir.Exp2, ir.Log, ir.Log2, ir.Rsqrt, ir.Sin, ir.Cos, ir.Tanh, ir.Sigmoid, ir.Erf, ir.Sqrt, ir.Div, ir.Pow:
		return true
	}
	return false
}

// reuse is the part of an access's bytes that come from device memory rather than
// from a cache: tiles that other instances read at the same time are shared.
func (c *costs) reuse(op *ir.Op, a *ir.Access) float64 {
	part := 1.0
	for _, g := range c.f.Grid {
		used := false
		for _, x := range a.Index {
			used = used || x.Uses(g.Var)
		}
		if !used {
			part = 0.25
		}
	}
	return part
}

// resident is how many CTAs a multiprocessor holds at once; 0 if not even one.
func (c *costs) resident() int {
	m, mem := c.m, c.m.Memory(ir.Shared)
	bytes := c.sharedBytes()
	if bytes > mem.Bytes {
		return 0
	}
	n := min(m.Limits.CTAsPerSM, m.Limits.WarpsPerSM/c.f.Warps)
	n = min(n, int(mem.PerSM/(bytes+mem.Reserved)))
	regs := c.registers()
	if regs+spareRegisters > m.Limits.RegistersThread || regs*32*c.f.Warps > m.Limits.RegistersPerSM {
		return 0
	}
	return max(min(n, m.Limits.RegistersPerSM/(regs*m.Limits.WarpSize*c.f.Warps)), 1)
}

func (c *costs) sharedBytes() int64 {
	total := int64(0)
	for _, n := range c.shared {
		total += n
	}
	return total
}

// spareRegisters are left for what the estimate does not know.
const spareRegisters = 16

// addressRegisters is what a thread needs beside its tiles.
const addressRegisters = 40

// registers estimates a thread's registers.
func (c *costs) registers() int {
	return c.words + addressRegisters + c.flight
}

// bytesPerCycle is a multiprocessor's share of the memory's bandwidth.
func (c *costs) bytesPerCycle() float64 {
	r := c.m.Rates
	return r.GlobalGBs / r.ClockGHz / float64(r.SMs)
}

func (c *costs) total() float64 {
	resident := c.resident()
	if resident == 0 {
		return math.Inf(1)
	}
	instances := 1.0
	for _, g := range c.f.Grid {
		instances *= max(c.value(g.Extent), 1)
	}
	r := c.m.Rates
	global := c.globalBytes / c.bytesPerCycle()
	busy := max(c.tensor, c.sharedPort, c.scalar*1.2, global)
	// the units overlap only as far as there is other work to issue
	rest := (c.tensor + c.sharedPort + c.scalar + global - busy) / float64(resident+1)
	each := busy + rest + (c.overhead+launchCycles)/float64(resident)
	// warps that do not fill the sub-cores leave them idle
	warps := float64(min(resident*c.f.Warps, c.m.Limits.WarpsPerSM))
	if warps < 8 {
		each *= 1 + (8-warps)/32
	}
	waves := math.Ceil(instances / float64(r.SMs*resident))
	return waves * float64(resident) * each
}
