package ptx

import (
	"fmt"
	"sort"
	"unsafe"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
	"tilec/runtime/ptx/syntax"
)

// Buffer is device memory passed to a kernel: exactly len(Data) bytes, with
// memory that belongs to nobody on both sides.
type Buffer struct {
	Name string // for findings; may be empty
	Data []byte
	// ReadOnly makes stores a finding.
	ReadOnly bool
	// Undefined says that the bytes have no value before the kernel writes them:
	// reading one first is a finding.
	Undefined bool
	// Misalign is added to the address, otherwise a multiple of 256.
	Misalign int
}

// Pointer is an address inside a buffer, as a kernel argument.
type Pointer struct {
	Buffer *Buffer
	Offset int64 // bytes
}

// Allocations keep this distance, so that an index out of range does not land in a neighbour.
const (
	guardGap  = 1 << 20
	baseAlign = 256
)

// allocation is a buffer with its device address.
type allocation struct {
	base, size uint64
	data       []byte
	name       string
	readOnly   bool
	constant   bool          // a .const variable
	valid      *written      // which bytes have been written; nil if all count as written
	races      *shadow.Words // who touched it, if that is watched
	copyBack   []byte        // where the data goes at the end, if it was copied to align it
}

// addressSpace is the global memory of a launch.
type addressSpace struct {
	allocs []*allocation // by base
	next   uint64
	symbol map[*syntax.Var]uint64
}

func newAddressSpace() *addressSpace {
	return &addressSpace{next: globalStart + guardGap, symbol: map[*syntax.Var]uint64{}}
}

// add places memory of the given alignment, off by misalign.
func (s *addressSpace) add(name string, data []byte, align, misalign int) *allocation {
	base := (s.next+uint64(align)-1)&^uint64(align-1) + uint64(align) + uint64(misalign)
	a := &allocation{base: base, size: uint64(len(data)), data: data, name: name}
	s.next = base + a.size + guardGap
	// Host and device address agree modulo 16, so that atomic operations of the host can serve the device.
	if len(data) > 0 && (uint64(uintptr(unsafe.Pointer(&data[0])))-base)%16 != 0 {
		a.copyBack = data
		room := make([]byte, len(data)+32)
		skip := (base - uint64(uintptr(unsafe.Pointer(&room[0])))) % 16
		a.data = room[skip : skip+a.size : skip+a.size]
		copy(a.data, data)
	}
	s.allocs = append(s.allocs, a)
	return a
}

// find returns the allocation that holds n bytes at the address, or nil.
func (s *addressSpace) find(addr, n uint64) *allocation {
	i := sort.Search(len(s.allocs), func(i int) bool { return s.allocs[i].base > addr }) - 1
	if i < 0 {
		return nil
	}
	if a := s.allocs[i]; addr-a.base < a.size && a.size-(addr-a.base) >= n {
		return a
	}
	return nil
}

// near describes where an address that no allocation holds lies.
func (s *addressSpace) near(addr, n uint64) string {
	i := sort.Search(len(s.allocs), func(i int) bool { return s.allocs[i].base > addr }) - 1
	if i >= 0 {
		a := s.allocs[i]
		if past := addr + n - a.base - a.size; addr-a.base < a.size+guardGap/2 || i == len(s.allocs)-1 && past < guardGap {
			if addr < a.base+a.size {
				return fmt.Sprintf("%d bytes past the end of %s (%d bytes)", past, a.name, a.size)
			}
			return fmt.Sprintf("%d bytes past the end of %s (%d bytes)", addr-a.base-a.size, a.name, a.size)
		}
	}
	if i+1 < len(s.allocs) && s.allocs[i+1].base-addr <= guardGap {
		a := s.allocs[i+1]
		return fmt.Sprintf("%d bytes before the start of %s (%d bytes)", a.base-addr, a.name, a.size)
	}
	return "in no allocation"
}

// placeGlobals gives the module's variables memory and their initial values.
func (s *addressSpace) placeGlobals(mod *syntax.Module, vars []*syntax.Var) error {
	var placed []*allocation
	for _, v := range vars {
		size := v.Elems() * elemBytes(v)
		if v.Extern {
			return fmt.Errorf("%s: variable %s is declared .extern and has no definition", mod.Name, v.Name)
		}
		if size > 1<<32 {
			return fmt.Errorf("%s: variable %s has %d bytes", mod.Name, v.Name, size)
		}
		a := s.add(v.Name, make([]byte, size), max(align(v), baseAlign), 0)
		a.copyBack = nil
		a.constant = v.Space == "const"
		s.symbol[v] = a.base
		placed = append(placed, a)
	}
	byName := map[string]uint64{}
	for v, base := range s.symbol {
		byName[v.Name] = base
	}
	for i, v := range vars {
		n := int(elemBytes(v))
		for k, init := range v.Init {
			if (k+1)*n > len(placed[i].data) {
				return &syntax.Error{File: mod.Name, Pos: v.Pos, Msg: "too many initial values for " + v.Name}
			}
			x := literalBits(init.Lit, lanes.ParseType(v.Type))
			if init.Symbol != "" {
				base, ok := byName[init.Symbol]
				if !ok {
					return &syntax.Error{File: mod.Name, Pos: v.Pos, Msg: "initial value " + init.Symbol + " is not a variable in global memory"}
				}
				x = (base + init.Lit.Int) >> init.Shift
			}
			putLE(placed[i].data[k*n:(k+1)*n], x)
		}
	}
	return nil
}

// literalBits gives an initial value as the bits of an element.
func literalBits(l syntax.Literal, t lanes.Type) uint64 {
	switch {
	case l.Kind == syntax.F64Lit && t == lanes.F32:
		return uint64(f32bits(l.F64))
	case l.Kind == syntax.F32Lit && t == lanes.F64:
		return f64bits(l.F64)
	}
	return l.Int
}

func putLE(p []byte, x uint64) {
	for i := range p {
		p[i] = byte(x)
		x >>= 8
	}
}

func getLE(p []byte) (x uint64) {
	for i := range p {
		x |= uint64(p[i]) << (8 * i)
	}
	return x
}
