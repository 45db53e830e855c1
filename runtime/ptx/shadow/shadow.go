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
)

// By names an access: the thread that made it, by its number in the block, the
// instruction, and whether it was strong. The zero By is nobody.
type By uint32

const (
	threadBits = 10
	// MaxInstr is the largest number of an instruction.
	MaxInstr = 1<<20 - 1

	byValid  By = 1 << 31
	byStrong By = 1 << 30
)

// Of packs an access by a thread below 1024. Strong accesses (atomic, volatile)
// don't race with each other.
func Of(thread int, instr int32, strong bool) By {
	b := byValid | By(instr)<<threadBits | By(thread)
	if strong {
		b |= byStrong
	}
	return b
}

// Thread returns the thread.
func (b By) Thread() int { return int(b & (1<<threadBits - 1)) }

// Instr returns the instruction.
func (b By) Instr() int32 { return int32(b >> threadBits & MaxInstr) }

func (b By) warp() int { return b.Thread() / 32 }

// Access is who touches the memory, and when.
type Access struct {
	Warp  int
	Now   uint32 // stamp of the warp's present epoch
	Since uint32 // the least entry of Clock for other warps
	Clock Clock
	By    By
}

// MaxStamp is the last stamp; the bit above it says that a copy is on its way.
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
}

// NewShared makes the shadow of n bytes; every access must be of whole granules of 1<<shift bytes.
func NewShared(n int, shift uint, warps int) *Shared {
	cells := (n + 1<<shift - 1) >> shift
	return &Shared{shift: shift, warps: warps, cells: make([]cell, cells), reads: make([]mark, cells*warps)}
}

// Reset forgets everything: all bytes are unwritten. Stamps from now on are over start.
func (s *Shared) Reset(start uint32) {
	if start < s.start {
		clear(s.cells)
		clear(s.reads)
	}
	s.start = start
}

// granules is the range of cells of n bytes at off.
func (s *Shared) granules(off, n int) (lo, hi int) { return off >> s.shift, (off + n) >> s.shift }

// Read checks a read of n bytes at off; the By is the other access, if any.
func (s *Shared) Read(a *Access, off, n int) (fault Fault, by By) {
	lo, hi := s.granules(off, n)
	cells := s.cells[lo:hi]
	reads := s.reads[lo*s.warps+a.Warp:]
	for i := range cells {
		c := &cells[i]
		wrote := c.wrote &^ flying
		switch {
		case wrote <= s.start:
			fault, by = Unwritten, 0
		case c.wrote&flying != 0:
			fault, by = InFlightRead, c.writer
		case wrote > a.Since && s.unordered(a, wrote, c.writer):
			fault, by = ReadAfterWrite, c.writer
		}
		reads[i*s.warps] = mark{a.Now, a.By}
		c.read = max(c.read, a.Now)
	}
	return fault, by
}

// unordered tells that an access with that stamp neither comes before a nor is of its warp.
func (s *Shared) unordered(a *Access, stamp uint32, by By) bool {
	u := by.warp()
	return u != a.Warp && stamp > a.Clock[u] && a.By&by&byStrong == 0
}

// Write checks a write and records it.
func (s *Shared) Write(a *Access, off, n int) (fault Fault, by By) { return s.write(a, off, n, a.Now) }

// Launch checks the start of a copy to n bytes at off, which are in flight until they Land.
func (s *Shared) Launch(a *Access, off, n int) (fault Fault, by By) {
	return s.write(a, off, n, a.Now|flying)
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

func (s *Shared) write(a *Access, off, n int, stamp uint32) (fault Fault, by By) {
	lo, hi := s.granules(off, n)
	cells := s.cells[lo:hi]
	for i := range cells {
		c := &cells[i]
		wrote := c.wrote &^ flying
		switch {
		case wrote <= s.start:
		case c.wrote&flying != 0:
			fault, by = InFlightWrite, c.writer
		case wrote > a.Since && s.unordered(a, wrote, c.writer):
			fault, by = WriteAfterWrite, c.writer
		}
		if c.read > a.Since && c.read > s.start {
			at := (lo + i) * s.warps
			for _, m := range s.reads[at : at+s.warps] {
				if m.stamp > s.start && s.unordered(a, m.stamp, m.by) {
					fault, by = WriteAfterRead, m.by
				}
			}
		}
		c.wrote, c.writer = stamp, a.By
	}
	return fault, by
}
