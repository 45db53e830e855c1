package ptx

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"text/tabwriter"

	"tilec/runtime/ptx/lanes"
)

// count is how often an instruction ran, and with Counters what its accesses cost.
type count struct {
	warps, threads uint64
	moved          uint64 // bytes of bulk copies
	mem            *memCount
}

// memCount is the cost of an instruction's accesses to memory.
type memCount struct {
	accesses  uint64 // by warps
	bytes     uint64 // that threads asked for
	sectors   uint64 // global: of 32 bytes, touched
	needed    uint64 // global: sectors if the bytes lay together
	wavefront uint64 // shared: passes through the banks
	ideal     uint64 // shared: passes without conflicts
}

// Counters says what a launch did.
type Counters struct {
	Warps   uint64 // instructions that warps executed
	Threads uint64 // instructions that threads executed
	Classes []ClassCount
	Global  Traffic
	Shared  Traffic
	Local   uint64 // bytes
	Async   uint64 // bytes copied by cp.async
	Bulk    Moved
	// Lanes are the instructions of warps by the number of threads that took part.
	Lanes  [lanes.Width + 1]uint64
	Tensor []TensorCount
	Lines  []LineCount // instructions that ran, in program order
}

// Moved are the bytes of bulk copies.
type Moved struct{ In, Out uint64 } // to shared memory, and from it

// ClassCount counts the instructions of a class.
type ClassCount struct {
	Class          string
	Warps, Threads uint64
}

// Traffic is what accesses to a memory cost. Sectors are counted for global
// memory, wavefronts for shared, both only with Config.Counters.
type Traffic struct {
	Loads, Stores  uint64 // bytes that threads asked for
	Sectors        uint64 // of 32 bytes, asked for by warps
	NeededSectors  uint64 // the fewest that hold the bytes
	Wavefronts     uint64
	IdealWavefront uint64 // without bank conflicts
}

// Conflicts returns the passes lost to bank conflicts.
func (t Traffic) Conflicts() uint64 { return t.Wavefronts - t.IdealWavefront }

// TensorCount counts the uses of one form of mma; each does Ops multiplications and as many additions.
type TensorCount struct {
	Form  string
	Warps uint64
	Ops   uint64
}

// LineCount counts one instruction.
type LineCount struct {
	Site
	Class          string
	Warps, Threads uint64
	Traffic        Traffic
}

// count adds what an access costs.
func (w *warp) count(x *access, m uint32) {
	if m == 0 {
		return
	}
	c := &w.cta.worker.counts[x.in.pc]
	if c.mem == nil {
		c.mem = &memCount{}
	}
	mem := c.mem
	mem.accesses++
	n := bits.OnesCount32(m)
	mem.bytes += uint64(n * x.bytes)
	switch x.space {
	case global, constant_:
		mem.sectors += sectors(&x.addr, m, x.bytes)
		mem.needed += uint64(n*x.bytes+31) / 32
	case shared:
		passes, ideal := wavefronts(&x.addr, m, x.bytes)
		mem.wavefront += passes
		mem.ideal += ideal
	}
}

// sectors counts the distinct 32-byte sectors that the lanes touch.
func sectors(addr *[lanes.Width]uint64, m uint32, n int) uint64 {
	var seen [2 * lanes.Width]uint64
	found := 0
	for ; m != 0; m &= m - 1 {
		a := addr[bits.TrailingZeros32(m)]
		for s := a / 32; s <= (a+uint64(n)-1)/32; s++ {
			if found > 0 && seen[found-1] == s || slices.Contains(seen[:found], s) {
				continue
			}
			seen[found] = s
			found++
		}
	}
	return uint64(found)
}

// wavefronts counts the passes of a shared access through the 32 banks of 4
// bytes. Accesses of 8 bytes go by half warps and of 16 by quarters; a bank serves
// one word a pass to all that want it.
func wavefronts(addr *[lanes.Width]uint64, m uint32, n int) (passes, ideal uint64) {
	group := lanes.Width
	if n > 4 {
		group = lanes.Width * 4 / n
	}
	for first := 0; first < lanes.Width; first += group {
		part := m >> first & uint32(uint64(1)<<group-1)
		if part == 0 {
			continue
		}
		var words [32][lanes.Width]uint64
		var used [32]int
		most := 1
		for ; part != 0; part &= part - 1 {
			a := addr[first+bits.TrailingZeros32(part)]
			for word := a / 4; word <= (a+uint64(n)-1)/4; word++ {
				bank := word % 32
				if slices.Contains(words[bank][:used[bank]], word) {
					continue
				}
				words[bank][used[bank]] = word
				used[bank]++
				most = max(most, used[bank])
			}
		}
		passes += uint64(most)
		ideal++
	}
	return passes, ideal
}

// collect adds up the workers' counts.
func (l *launch) collect(workers []*worker) *Counters {
	c := &Counters{}
	classes := make([]ClassCount, numClasses)
	tensor := map[string]*TensorCount{}
	for _, wk := range workers {
		for i, n := range wk.lanes {
			c.Lanes[i] += n
		}
	}
	for pc := range l.prog.code {
		in := &l.prog.code[pc]
		var n count
		var mem memCount
		for _, wk := range workers {
			k := &wk.counts[pc]
			n.warps += k.warps
			n.threads += k.threads
			n.moved += k.moved
			if k.mem != nil {
				mem.add(k.mem)
			}
		}
		if n.warps == 0 {
			continue
		}
		c.Warps += n.warps
		c.Threads += n.threads
		k := &classes[in.class]
		k.Warps += n.warps
		k.Threads += n.threads
		t := c.traffic(in, n, mem)
		c.Lines = append(c.Lines, LineCount{*in.site, in.class.String(), n.warps, n.threads, t})
		ops := 0 // of a warp
		switch op := in.x.(type) {
		case *mmaOp:
			ops = op.form.M * op.form.N * op.form.K
		case *wmmaOp:
			ops = op.m * op.n * op.k
		case *wgmmaOp:
			ops = 16 * op.form.N * op.form.K
		}
		if ops > 0 {
			form := in.src.ast.Form()
			if tensor[form] == nil {
				tensor[form] = &TensorCount{Form: form}
			}
			tensor[form].Warps += n.warps
			tensor[form].Ops += n.warps * uint64(ops)
		}
	}
	for i, k := range classes {
		if k.Warps > 0 {
			k.Class = class(i).String()
			c.Classes = append(c.Classes, k)
		}
	}
	slices.SortStableFunc(c.Classes, func(a, b ClassCount) int { return cmp.Compare(b.Warps, a.Warps) })
	for _, form := range slices.Sorted(maps.Keys(tensor)) {
		c.Tensor = append(c.Tensor, *tensor[form])
	}
	return c
}

func (m *memCount) add(o *memCount) {
	m.accesses += o.accesses
	m.bytes += o.bytes
	m.sectors += o.sectors
	m.needed += o.needed
	m.wavefront += o.wavefront
	m.ideal += o.ideal
}

// traffic adds an instruction's accesses to the totals and returns them.
func (c *Counters) traffic(in *instr, n count, mem memCount) Traffic {
	t := Traffic{Sectors: mem.sectors, NeededSectors: mem.needed, Wavefronts: mem.wavefront, IdealWavefront: mem.ideal}
	bytes, store := n.threads, false
	sp := generic
	switch x := in.x.(type) {
	case *memOp:
		sp, store, bytes = x.space, x.store, bytes*uint64(x.bytes)
	case *atomOp:
		sp, store, bytes = x.space, true, bytes*uint64(x.bytes)
	case *matrixOp:
		sp, store, bytes = x.space, x.store, n.warps*uint64(128*len(x.regs))
	case *wmmaAccess:
		sp, store, bytes = x.space, x.store, n.warps*uint64(x.frag.rows*x.frag.cols*x.size)
	case *copyOp:
		sp, bytes = global, bytes*uint64(x.src.bytes)
		c.Async += bytes
		c.Shared.Stores += bytes
	case *bulkOp:
		if x.load {
			t.Loads = n.moved
			c.Bulk.In += n.moved
		} else {
			t.Stores = n.moved
			c.Bulk.Out += n.moved
		}
		return t
	default:
		return t
	}
	if store {
		t.Stores = bytes
	} else {
		t.Loads = bytes
	}
	switch sp {
	case shared:
		c.Shared.add(t)
	case local:
		c.Local += bytes
	case global, generic:
		c.Global.add(t)
	}
	return t
}

func (t *Traffic) add(o Traffic) {
	t.Loads += o.Loads
	t.Stores += o.Stores
	t.Sectors += o.Sectors
	t.NeededSectors += o.NeededSectors
	t.Wavefronts += o.Wavefronts
	t.IdealWavefront += o.IdealWavefront
}

// WriteTable writes the counters for people.
func (c *Counters) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "instructions\tby warps\tby threads\t\n")
	for _, k := range c.Classes {
		fmt.Fprintf(w, "%s\t%d\t%d\t\n", k.Class, k.Warps, k.Threads)
	}
	fmt.Fprintf(w, "total\t%d\t%d\t\n", c.Warps, c.Threads)
	fmt.Fprintf(w, "\nbytes\tloaded\tstored\t\n")
	fmt.Fprintf(w, "global\t%d\t%d\t\n", c.Global.Loads, c.Global.Stores)
	fmt.Fprintf(w, "shared\t%d\t%d\t\n", c.Shared.Loads, c.Shared.Stores)
	fmt.Fprintf(w, "copied asynchronously\t%d\t\t\n", c.Async)
	if c.Bulk != (Moved{}) {
		fmt.Fprintf(w, "bulk copies, to and from shared\t%d\t%d\t\n", c.Bulk.In, c.Bulk.Out)
	}
	if c.Local > 0 {
		fmt.Fprintf(w, "local\t%d\t\t\n", c.Local)
	}
	if c.Global.Sectors > 0 || c.Shared.Wavefronts > 0 {
		fmt.Fprintf(w, "\n\tasked\tneeded\t\n")
		fmt.Fprintf(w, "global sectors\t%d\t%d\t\n", c.Global.Sectors, c.Global.NeededSectors)
		fmt.Fprintf(w, "shared wavefronts\t%d\t%d\t\n", c.Shared.Wavefronts, c.Shared.IdealWavefront)
	}
	for i, t := range c.Tensor {
		if i == 0 {
			fmt.Fprintf(w, "\ntensor\tby warps\tmultiplications\t\n")
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t\n", t.Form, t.Warps, t.Ops)
	}
	c.writeLanes(w)
	return w.Flush()
}

// writeLanes tells how full the warps were, if they were not always.
func (c *Counters) writeLanes(w io.Writer) {
	if c.Lanes[lanes.Width] == c.Warps {
		return
	}
	fmt.Fprintf(w, "\nactive lanes\tby warps\t\n")
	for _, r := range [][2]int{{32, 32}, {17, 31}, {9, 16}, {5, 8}, {2, 4}, {1, 1}, {0, 0}} {
		n := uint64(0)
		for i := r[0]; i <= r[1]; i++ {
			n += c.Lanes[i]
		}
		switch {
		case n == 0:
		case r[0] == r[1]:
			fmt.Fprintf(w, "%d\t%d\t\n", r[0], n)
		default:
			fmt.Fprintf(w, "%d to %d\t%d\t\n", r[0], r[1], n)
		}
	}
}
