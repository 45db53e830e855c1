package ptx

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// Kind is a kind of fault.
type Kind uint8

// Kinds of faults.
const (
	OutOfBounds Kind = iota + 1
	Misaligned
	ReadOnlyWrite
	Unwritten         // a read of memory that was never written
	UndefinedRegister // an address, predicate or stored value from a register never written
	SharedRace        // accesses of shared memory by two warps, or lanes, without an order
	GlobalRace        // the same in global memory, between blocks or warps
	StaleRead         // a load past coherent memory (ld.global.nc) of what the kernel writes
	AsyncRead         // a read of what an asynchronous copy has yet to bring
	AsyncOverwrite    // a write to what an asynchronous copy is still bringing
	ProxyFence        // the async proxy reads ordinary stores without a fence.proxy.async
	MbarrierMisuse    // an mbarrier used before its init, overwritten, or with wrong counts
	BadMap            // a tensor map that is none, or that breaks the rules
	TensorMemory      // tensor memory used without an allocation, out of reach, or with a bad descriptor
	TensorRace        // accesses of tensor memory without an order
	RegisterInFlight  // a register of a wgmma touched before the wait for it, or unfenced
	BarrierDivergence // lanes of one warp at different barriers
	BarrierMismatch   // a barrier with wrong or disagreeing counts
	SyncDivergence    // a warp-wide operation without all of its lanes
	Deadlock
	Trap
	Assert
	numKinds
)

var kindNames = [numKinds]string{
	OutOfBounds: "out of bounds", Misaligned: "misaligned", ReadOnlyWrite: "write to read-only memory", Unwritten: "read of unwritten memory",
	UndefinedRegister: "undefined register", SharedRace: "race in shared memory", GlobalRace: "race in global memory", StaleRead: "possibly stale read",
	AsyncRead: "read before the copy is waited for", AsyncOverwrite: "overwritten while a copy is in flight",
	ProxyFence: "missing proxy fence", MbarrierMisuse: "misuse of an mbarrier", BadMap: "bad tensor map", TensorRace: "race in tensor memory", TensorMemory: "misuse of tensor memory", RegisterInFlight: "register of an asynchronous product",
	BarrierDivergence: "barrier in divergent code", BarrierMismatch: "barrier mismatch", SyncDivergence: "warp operation in divergent code",
	Deadlock: "deadlock", Trap: "trap", Assert: "assertion failed",
}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// Site is an instruction of a PTX text.
type Site struct {
	PTXLine int
	Form    string // the opcode with its modifiers
	File    string // of the source that line information names; empty without it
	Line    int
	Inlined []string // file:line of the calls that the source line was inlined into
}

// String returns "form (ptx:line, file:line)".
func (s Site) String() string {
	if s.File == "" {
		return fmt.Sprintf("%s at PTX line %d", s.Form, s.PTXLine)
	}
	return fmt.Sprintf("%s at %s:%d (PTX line %d)", s.Form, s.File, s.Line, s.PTXLine)
}

// Finding is a fault of the program that ran.
type Finding struct {
	Kind   Kind
	Msg    string
	At     Site
	Other  *Site // the other instruction of a race
	Block  [3]int
	Thread [3]int
	// OtherBlock and OtherThread are those of the other instruction.
	OtherBlock  [3]int
	OtherThread [3]int
	Space       string // of the memory, if any
	Addr        uint64 // in that space
	Bytes       int
	Mask        uint32 // lanes that a warp-wide operation lacks
	Count       int    // how often this pair of instructions was found at fault

	count int64 // further times, counted by the blocks
	// Of several blocks with the fault the first in the grid is the one that is named.
	order place
}

// place orders findings, whatever the order in which blocks run.
type place struct {
	block int64 // in the grid
	seq   int   // of the findings of its worker
}

func (p place) before(o place) bool { return p.block < o.block || p.block == o.block && p.seq < o.seq }

// witness takes over where another found the same.
func (f *Finding) witness(o *Finding) {
	f.Msg, f.At, f.Other = o.Msg, o.At, o.Other
	f.Block, f.Thread, f.OtherBlock, f.OtherThread = o.Block, o.Thread, o.OtherBlock, o.OtherThread
	f.Space, f.Addr, f.Bytes, f.Mask = o.Space, o.Addr, o.Bytes, o.Mask
	f.order = o.order
}

// String returns the finding as a few lines of text.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Kind, f.At)
	if f.Msg != "" {
		fmt.Fprintf(&b, ": %s", f.Msg)
	}
	fmt.Fprintf(&b, "\n  thread %s of block %s", triple(f.Thread), triple(f.Block))
	if f.Bytes > 0 {
		fmt.Fprintf(&b, ", %d bytes at %s %#x", f.Bytes, f.Space, f.Addr)
	}
	if f.Mask != 0 {
		fmt.Fprintf(&b, ", lanes %#x", f.Mask)
	}
	if f.Other != nil {
		fmt.Fprintf(&b, "\n  with %s, thread %s of block %s", *f.Other, triple(f.OtherThread), triple(f.OtherBlock))
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, "\n  %d times", f.Count)
	}
	return b.String()
}

func triple(v [3]int) string { return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2]) }

func itoa(n int) string { return strconv.Itoa(n) }

func siteAt(src *source, files map[int]string) *Site {
	s := &Site{PTXLine: src.ast.Pos.Line, Form: src.ast.Form()}
	if l := src.loc; l != nil && l.Line > 0 {
		s.File, s.Line = filepath.Base(files[l.File]), l.Line
		if files[l.File] == "" {
			s.File = ""
		}
		for at := l.Inlined; at != nil; at = at.Inlined {
			s.Inlined = append(s.Inlined, fmt.Sprintf("%s:%d", filepath.Base(files[at.File]), at.Line))
		}
	}
	return s
}

// thread gives the coordinates of a thread of the block by its number.
func (l *launch) thread(n int) [3]int {
	b := l.block
	return [3]int{n % b[0], n / b[0] % b[1], n / b[0] / b[1]}
}

// again counts a fault of instructions that was reported before, and tells whether
// it was: making a finding is slow. other is the second instruction, or none.
func (w *warp) again(k Kind, in *instr, other int32) bool {
	s, ok := w.cta.worker.seen[seenKey{k, in.pc, other}]
	if !ok || w.cta.index < s.block {
		return false
	}
	atomic.AddInt64(&s.finding.count, 1)
	return true
}

// sighting is a finding with the first block in which the worker made it.
type sighting struct {
	finding *Finding
	block   int64
}

// seenKey is a fault of one or two instructions.
type seenKey struct {
	kind      Kind
	pc, other int32
}

// report records a finding of the first of the lanes, if it is the first of its kind there.
func (w *warp) report(in *instr, m uint32, f Finding) { w.reportPair(in, none, m, f) }

// reportPair records a finding about two instructions.
func (w *warp) reportPair(in *instr, other int32, m uint32, f Finding) {
	if w.again(f.Kind, in, other) {
		return
	}
	lane := bits.TrailingZeros32(m) % lanes.Width
	run := w.cta.run
	f.At = *in.site
	f.Block = w.cta.pos
	if other != none {
		f.Other = run.prog.code[other].site
	}
	f.Thread = run.thread(w.id*lanes.Width + lane)
	wk := w.cta.worker
	f.order = place{w.cta.index, wk.reports}
	wk.reports++
	wk.seen[seenKey{f.Kind, in.pc, other}] = sighting{run.add(f), w.cta.index}
}

// outOfBounds, misaligned and readOnly report an access by one lane.
func (w *warp) outOfBounds(x *access, lane int) {
	if w.again(OutOfBounds, x.in, none) {
		return
	}
	f := x.finding(OutOfBounds, lane)
	switch x.space {
	case global, constant_:
		f.Msg = w.cta.run.space.near(x.addr[lane], uint64(x.bytes))
	case shared:
		f.Msg = fmt.Sprintf("the block has shared bytes %d to %d", sharedBase, sharedBase+len(w.cta.shared)-1)
	case local:
		f.Msg = fmt.Sprintf("the thread has %d bytes of local memory", w.cta.run.prog.local)
	}
	w.report(x.in, 1<<lane, f)
}

func (w *warp) misaligned(x *access, lane int) {
	if w.again(Misaligned, x.in, none) {
		return
	}
	f := x.finding(Misaligned, lane)
	f.Msg = fmt.Sprintf("address is no multiple of %d", x.bytes)
	w.report(x.in, 1<<lane, f)
}

func (w *warp) readOnly(x *access, lane int, a *allocation) {
	f := x.finding(ReadOnlyWrite, lane)
	f.Msg = a.name
	w.report(x.in, 1<<lane, f)
}

// finding starts a finding about a lane's access.
func (x *access) finding(k Kind, lane int) Finding {
	return Finding{Kind: k, Space: x.space.String(), Addr: x.addr[lane], Bytes: x.bytes}
}

// barrierStatus says how many threads a barrier still lacks.
func barrierStatus(b *barrier, c *cta) string {
	want := b.count
	if want == 0 {
		want = c.running * lanes.Width
	}
	return fmt.Sprintf("%d of %d threads came to the barrier", b.arrived, want)
}

// misuse starts a finding about an mbarrier.
func (x *access) misuse(lane int, msg string) Finding {
	f := x.finding(MbarrierMisuse, lane)
	f.Msg = msg
	return f
}

// whoIs gives the block and thread of an access to the block's shared memory. Of an
// asynchronous access it is the block only.
func (c *cta) whoIs(by shadow.By) (block, thread [3]int) {
	switch {
	case by.Local():
		return c.pos, c.run.thread(by.Thread())
	case by.Async():
		return c.pos, [3]int{}
	}
	k := c.shadow.clocks
	rank, entry := by.Entry()/k.perBlock(), by.Entry()%k.perBlock()
	if entry >= k.warps {
		return c.cluster.ctas[rank].pos, [3]int{}
	}
	return c.cluster.ctas[rank].pos, c.run.thread(entry * lanes.Width)
}
