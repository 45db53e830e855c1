// Package shadow remembers who last touched each piece of a memory, and tells
// when two accesses have no order between them.
//
// Order is happens-before, tracked by vector clocks whose entries are warps (for
// the shared memory of one block). Time is one counter for all: every release
// takes a new value, so a stamp says both when and, with the warp that made it,
// what it is ordered before. Accesses are checked as they come, as in FastTrack
// (Flanagan and Freund, 2009).
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

// By names an access: whatever the user packs into it. Zero is nobody.
type By uint64

// Access is who touches the memory, and when.
type Access struct {
	Warp  int
	Now   uint32 // stamp of the warp's present epoch
	Since uint32 // the least entry of Clock for other warps
	Clock Clock
	By    By
	// Strong accesses (atomic, volatile) don't race with each other.
	Strong bool
}

type cell struct {
	wrote  uint32 // stamp of the last write
	read   uint32 // latest stamp of a read
	warp   uint16 // of the last write
	strong bool   // the last write was
	flying bool   // a copy is on its way here
	writer By
}

type mark struct {
	stamp  uint32
	strong bool
	by     By
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

// Read checks a read of n bytes at off; the By is the other access, if any.
func (s *Shared) Read(a *Access, off, n int) (Fault, By) {
	fault, by := None, By(0)
	for g := off >> s.shift; g < (off+n)>>s.shift; g++ {
		c := &s.cells[g]
		switch {
		case c.flying && c.wrote > s.start:
			fault, by = InFlightRead, c.writer
		case c.wrote <= s.start:
			fault, by = Unwritten, 0
		case c.wrote > a.Since && int(c.warp) != a.Warp && c.wrote > a.Clock[c.warp] && !(a.Strong && c.strong):
			fault, by = ReadAfterWrite, c.writer
		}
		s.reads[g*s.warps+a.Warp] = mark{a.Now, a.Strong, a.By}
		c.read = max(c.read, a.Now)
	}
	return fault, by
}

// Write checks a write and records it.
func (s *Shared) Write(a *Access, off, n int) (Fault, By) {
	fault, by := None, By(0)
	for g := off >> s.shift; g < (off+n)>>s.shift; g++ {
		if f, b := s.write(a, g); f != None {
			fault, by = f, b
		}
		c := &s.cells[g]
		c.wrote, c.warp, c.writer, c.strong, c.flying = a.Now, uint16(a.Warp), a.By, a.Strong, false
	}
	return fault, by
}

// Launch checks the start of a copy to n bytes at off, which are in flight until they Land.
func (s *Shared) Launch(a *Access, off, n int) (Fault, By) {
	fault, by := s.Write(a, off, n)
	for g := off >> s.shift; g < (off+n)>>s.shift; g++ {
		s.cells[g].flying = true
	}
	return fault, by
}

// Land ends the flight of a copy: the bytes count as written by a, now.
func (s *Shared) Land(a *Access, off, n int) {
	for g := off >> s.shift; g < (off+n)>>s.shift; g++ {
		c := &s.cells[g]
		if c.flying && c.writer == a.By {
			c.wrote, c.warp, c.flying = a.Now, uint16(a.Warp), false
		}
	}
}

func (s *Shared) write(a *Access, g int) (Fault, By) {
	c := &s.cells[g]
	if c.flying && c.wrote > s.start {
		return InFlightWrite, c.writer
	}
	if c.wrote > s.start && c.wrote > a.Since && int(c.warp) != a.Warp && c.wrote > a.Clock[c.warp] && !(a.Strong && c.strong) {
		return WriteAfterWrite, c.writer
	}
	if c.read <= a.Since || c.read <= s.start {
		return None, 0
	}
	for u, m := range s.reads[g*s.warps : (g+1)*s.warps] {
		if u != a.Warp && m.stamp > s.start && m.stamp > a.Clock[u] && !(a.Strong && m.strong) {
			return WriteAfterRead, m.by
		}
	}
	return None, 0
}
