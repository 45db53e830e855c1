// Package shadow remembers who last touched each piece of a memory, and tells
// when two accesses have no order between them.
//
// Order is happens-before, tracked by vector clocks whose entries are warps (for
// the shared memory of one block) or blocks (for global memory). In shared memory
// time is one counter for all: every release takes a new value, so a stamp says
// both when and, with the warp that made it, what it is ordered before. Accesses
// are checked as they come, as in FastTrack (Flanagan and Freund, 2009).
package shadow

// Clock is a vector clock: for each warp, the last time up to which its accesses
// come before ours.
type Clock []uint32

// Join makes the clock at least as late as o everywhere.
func (c Clock) Join(o Clock) {
	for i, t := range o {
		c[i] = max(c[i], t)
	}
}

// Fault is what is wrong with an access.
type Fault uint8

// Faults. The zero Fault is none.
const (
	None           Fault = iota
	Unwritten            // reads what nobody wrote
	ReadAfterWrite       // of another warp, unordered
	WriteAfterRead
	WriteAfterWrite
	InFlightRead  // reads what a copy has yet to bring
	InFlightWrite // writes where a copy will land
	Busy          // writes what an asynchronous operation is still reading
	NoProxyFence  // the async proxy reads what the generic proxy wrote, unfenced
)

// By names an access: who made it, the instruction, and how. Who is a thread of the
// block, by its number; or, of asynchronous and remote accesses, the entry of vector
// clocks that stands for them. The zero By is nobody.
type By uint32

const (
	whoBits   = 10
	instrBits = 19
	// MaxInstr is the largest number of an instruction.
	MaxInstr = 1<<instrBits - 2

	byStrong By = 1 << 29
	byAsync  By = 1 << 30
	byRemote By = 1 << 31
)

// Of packs an access by a thread below 1024. Strong accesses (atomic, volatile)
// don't race with each other.
func Of(thread int, instr int32, strong bool) By {
	b := By(instr+1)<<whoBits | By(thread)
	if strong {
		b |= byStrong
	}
	return b
}

// OfAgent packs an access by the asynchronous agent at that entry of the clocks.
func OfAgent(entry int, instr int32) By { return Of(entry, instr, false) | byAsync }

// OfRemote packs an access by a warp of another block of the cluster.
func OfRemote(entry int, instr int32, strong bool) By { return Of(entry, instr, strong) | byRemote }

// Strong makes the access one that needs no order with others that are.
func (b By) Strong() By { return b | byStrong }

// Local tells that the access was by a thread of the block itself.
func (b By) Local() bool { return b&(byAsync|byRemote) == 0 }

// Async tells that the access was by the async proxy.
func (b By) Async() bool { return b&byAsync != 0 }

// Thread returns the thread of a local access.
func (b By) Thread() int { return int(b & (1<<whoBits - 1)) }

// Entry returns the entry of the clocks of an access that isn't local.
func (b By) Entry() int { return int(b & (1<<whoBits - 1)) }

// Instr returns the instruction.
func (b By) Instr() int32 { return int32(b>>whoBits&(1<<instrBits-1)) - 1 }

func (b By) warp() int { return b.Thread() / 32 }

// Access is who touches the memory, and when.
type Access struct {
	Warp  int    // the row of reads that the access is marked in
	Base  int    // entry of the clocks of the block's first warp
	Now   uint32 // stamp of the warp's present epoch
	Since uint32 // the least entry of Clock for other readers of the block
	Clock Clock
	By    By
	// Proxy is, for reads by the async proxy, what fences have made visible to it; nil: all.
	Proxy Clock
}

// MaxStamp is the last stamp; the bit above it says that a copy is on its way, or
// that an asynchronous read is not over.
const (
	MaxStamp = 1<<31 - 1
	flying   = 1 << 31
)

// cell is a granule's last write and the latest time that anybody read it.
type cell struct {
	wrote  uint32
	writer By
	read   uint32
}

// mark is a warp's last read of a granule.
type mark struct {
	stamp uint32
	by    By
}

// Shared is the shadow of a block's shared memory.
type Shared struct {
	shift uint
	warps int
	start uint32 // stamps up to here are of earlier blocks
	cells []cell
	reads []mark // cells × warps
	base  int    // entry of the clocks of row 0
	// remote are the reads by warps of other blocks, by cell and entry.
	remote map[int]map[int]mark
}

// NewShared makes the shadow of n bytes; every access must be of whole granules of
// 1<<shift bytes. Reads are remembered for so many rows: the warps, then agents that
// read asynchronously; their entries of the clocks begin at base.
func NewShared(n int, shift uint, rows, base int) *Shared {
	warps := rows
	cells := (n + 1<<shift - 1) >> shift
	return &Shared{shift: shift, warps: warps, base: base, cells: make([]cell, cells), reads: make([]mark, cells*warps)}
}

// Reset forgets everything: all bytes are unwritten. Stamps from now on are over start.
func (s *Shared) Reset(start uint32) {
	if start < s.start {
		clear(s.cells)
		clear(s.reads)
	}
	s.start = start
	s.remote = nil
}

// granules is the range of cells of n bytes at off.
func (s *Shared) granules(off, n int) (lo, hi int) { return off >> s.shift, (off + n) >> s.shift }

// Read checks a read of n bytes at off; the By is the other access, if any.
func (s *Shared) Read(a *Access, off, n int) (fault Fault, by By) { return s.read(a, off, n, a.Now) }

// Wrote reports that any of n bytes was written in this block.
func (s *Shared) Wrote(off, n int) bool {
	lo, hi := s.granules(off, n)
	for i := range s.cells[lo:hi] {
		if s.cells[lo+i].wrote&^flying > s.start {
			return true
		}
	}
	return false
}

// Hold checks a read of n bytes at off that goes on until they are Released.
func (s *Shared) Hold(a *Access, off, n int) (fault Fault, by By) {
	return s.read(a, off, n, a.Now|flying)
}

// Release ends the reads of n bytes at off that were held with a's stamp: they count as of now.
func (s *Shared) Release(a *Access, off, n int, now uint32) {
	lo, hi := s.granules(off, n)
	for i := lo; i < hi; i++ {
		if m := &s.reads[i*s.warps+a.Warp]; m.stamp == a.Now|flying {
			m.stamp = now
			last := uint32(0)
			for _, o := range s.reads[i*s.warps : (i+1)*s.warps] {
				last = max(last, o.stamp)
			}
			s.cells[i].read = last
		}
	}
}

// Ordered tells whether the last write of the n bytes at off comes before a, and whose it was.
func (s *Shared) Ordered(a *Access, off, n int) (bool, By) {
	lo, hi := s.granules(off, n)
	for i := lo; i < hi; i++ {
		if c := &s.cells[i]; c.wrote&^flying > s.start && s.unordered(a, c.wrote&^flying, c.writer) {
			return false, c.writer
		}
	}
	return true, 0
}

func (s *Shared) read(a *Access, off, n int, stamp uint32) (fault Fault, by By) {
	lo, hi := s.granules(off, n)
	cells := s.cells[lo:hi]
	remote := a.By&byRemote != 0
	for i := range cells {
		c := &cells[i]
		wrote := c.wrote &^ flying
		switch {
		case wrote <= s.start:
			fault, by = Unwritten, 0
		case c.wrote&flying != 0:
			fault, by = InFlightRead, c.writer
		case (wrote > a.Since || !c.writer.Local() || remote) && s.unordered(a, wrote, c.writer):
			fault, by = ReadAfterWrite, c.writer
		case a.Proxy != nil && !c.writer.Async() && wrote > a.Proxy[s.entry(c.writer)]:
			fault, by = NoProxyFence, c.writer
		}
		c.read = max(c.read, stamp) // one that goes on is later than all
		if remote {
			s.readRemote(a, lo+i)
			continue
		}
		if m := &s.reads[(lo+i)*s.warps+a.Warp]; m.stamp&flying == 0 || stamp&flying != 0 || m.stamp&^flying <= s.start {
			*m = mark{stamp, a.By}
		}
	}
	return fault, by
}

func (s *Shared) readRemote(a *Access, cell int) {
	if s.remote == nil {
		s.remote = map[int]map[int]mark{}
	}
	if s.remote[cell] == nil {
		s.remote[cell] = map[int]mark{}
	}
	s.remote[cell][a.By.Entry()] = mark{a.Now, a.By}
}

// entry is the clocks' entry of whoever made an access.
func (s *Shared) entry(by By) int {
	if by.Local() {
		return s.base + by.warp()
	}
	return by.Entry()
}

// unordered tells that an access with that stamp neither comes before a nor is of its warp.
func (s *Shared) unordered(a *Access, stamp uint32, by By) bool {
	u := s.entry(by)
	return u != a.entry() && stamp > a.Clock[u] && a.By&by&byStrong == 0
}

// entry is the clocks' entry of the one who accesses.
func (a *Access) entry() int {
	if a.By.Local() {
		return a.Base + a.Warp
	}
	return a.By.Entry()
}

// Write checks a write and records it.
func (s *Shared) Write(a *Access, off, n int) (fault Fault, by By) { return s.write(a, off, n, a.Now) }

// Launch checks the start of a copy to n bytes at off, which are in flight until they Land.
func (s *Shared) Launch(a *Access, off, n int) (fault Fault, by By) {
	return s.write(a, off, n, a.Now|flying)
}

// LaunchAs is Launch of a copy that an agent carries out: its bytes will be by.
func (s *Shared) LaunchAs(a *Access, off, n int, by By) (Fault, By) {
	fault, other := s.Launch(a, off, n)
	lo, hi := s.granules(off, n)
	for i := lo; i < hi; i++ {
		s.cells[i].writer = by
	}
	return fault, other
}

// Update marks n bytes at off as changed by an agent, now.
func (s *Shared) Update(by By, off, n int, now uint32) {
	lo, hi := s.granules(off, n)
	for i := lo; i < hi; i++ {
		s.cells[i].wrote, s.cells[i].writer = now, by
	}
}

// Land ends the flight of a copy: the bytes count as written by a, now. What
// somebody else wrote over it meanwhile stays.
func (s *Shared) Land(a *Access, off, n int) {
	lo, hi := s.granules(off, n)
	for i := range s.cells[lo:hi] {
		if c := &s.cells[lo+i]; c.wrote&flying != 0 && c.writer == a.By {
			c.wrote = a.Now
		}
	}
}

// LandAs ends the flight of a copy launched by: its bytes count as written by another.
func (s *Shared) LandAs(by, as By, off, n int, now uint32) {
	lo, hi := s.granules(off, n)
	for i := lo; i < hi; i++ {
		if c := &s.cells[i]; c.wrote&flying != 0 && c.writer == by {
			c.wrote, c.writer = now, as
		}
	}
}

func (s *Shared) write(a *Access, off, n int, stamp uint32) (fault Fault, by By) {
	lo, hi := s.granules(off, n)
	cells := s.cells[lo:hi]
	remote := a.By&byRemote != 0
	for i := range cells {
		c := &cells[i]
		wrote := c.wrote &^ flying
		switch {
		case wrote <= s.start:
		case c.wrote&flying != 0:
			fault, by = InFlightWrite, c.writer
		case (wrote > a.Since || !c.writer.Local() || remote) && s.unordered(a, wrote, c.writer):
			fault, by = WriteAfterWrite, c.writer
		}
		if (c.read > a.Since || remote || c.read&flying != 0) && c.read > s.start {
			at := (lo + i) * s.warps
			for _, m := range s.reads[at : at+s.warps] {
				switch {
				case m.stamp&^flying <= s.start:
				case m.stamp&flying != 0:
					fault, by = Busy, m.by
				case s.unordered(a, m.stamp, m.by):
					fault, by = WriteAfterRead, m.by
				}
			}
		}
		for _, m := range s.remote[lo+i] {
			if s.unordered(a, m.stamp, m.by) {
				fault, by = WriteAfterRead, m.by
			}
		}
		c.wrote, c.writer = stamp, a.By
	}
	return fault, by
}
