package interp

import (
	"math"
	"sync/atomic"

	"tilec/ir"
	"tilec/runtime/array"
)

// store is the contents of one buffer, decoded, row-major.
type store struct {
	buf    *ir.Buffer
	elem   ir.DType // what is stored; in a spec an out tensor may be wider than declared
	ext    []int
	stride []int
	f      []float32
	d      []float64
	i      []int64
	b      []bool
	// written is 1 for each element of a tile that holds a value; nil where
	// every element does.
	written []byte
	// writers is, for each element of a tensor that is written, 0 or one more
	// than the grid instance that wrote it.
	writers []uint32
	// watched is where the elements lie in watched memory, nil elsewhere.
	watched *region
}

// byAtomics is the writer of an element that atomics have updated.
const byAtomics = math.MaxUint32

// maxElements is the largest tensor that is run, maxTile the largest tile, both
// in elements. No machine has memory on chip for so large a tile.
const (
	maxElements = 1 << 31
	maxTile     = 1 << 24
)

// elements returns the number of elements of a shape; ok is false if it is more
// than maxElements.
func elements(ext []int) (n int, ok bool) {
	n = 1
	for _, e := range ext {
		if e == 0 {
			return 0, true
		}
	}
	for _, e := range ext {
		if e > maxElements || n*e > maxElements {
			return 0, false
		}
		n *= e
	}
	return n, true
}

// newStore makes a store; ext must pass elements.
func newStore(buf *ir.Buffer, elem ir.DType, ext []int) *store {
	s := &store{buf: buf, elem: elem, ext: ext, stride: make([]int, len(ext))}
	n := 1
	for d := len(ext) - 1; d >= 0; d-- {
		s.stride[d] = n
		n *= ext[d]
	}
	switch kindOf(elem) {
	case kindF:
		s.f = make([]float32, n)
	case kindD:
		s.d = make([]float64, n)
	case kindI:
		s.i = make([]int64, n)
	case kindB:
		s.b = make([]bool, n)
	}
	return s
}

func (s *store) len() int { return len(s.f) + len(s.d) + len(s.i) + len(s.b) }

// indices returns the coordinates of an element.
func (s *store) indices(off int) []int64 {
	at := make([]int64, len(s.ext))
	for d := range at {
		at[d] = int64(off / s.stride[d])
		off %= s.stride[d]
	}
	return at
}

// load decodes an array of the store's shape.
func (s *store) load(a *array.Array) {
	switch kindOf(s.elem) {
	case kindF:
		if s.elem != array.F8E5M2 {
			s.f = a.Floats32()
			break
		}
		for i := range s.f {
			s.f[i] = valueF(s.elem, a.Bits(i))
		}
	case kindD:
		s.d = a.Floats64()
	case kindI:
		s.i = a.Ints()
	case kindB:
		for i := range s.b {
			s.b[i] = a.Bits(i) != 0
		}
	}
}

// save encodes the elements that were written.
func (s *store) save(a *array.Array) {
	for i, w := range s.writers {
		if w != 0 {
			a.SetBits(i, s.bits(i))
		}
	}
}

// bits returns the stored pattern of element i.
func (s *store) bits(i int) uint64 {
	switch kindOf(s.elem) {
	case kindF:
		return bitsOfF(s.elem, s.f[i])
	case kindD:
		return math.Float64bits(s.d[i])
	case kindI:
		return array.EncodeInt(s.elem, s.i[i])
	}
	if s.b[i] {
		return 1
	}
	return 0
}

// bitsOfF returns the pattern of a value that type t holds exactly; infinities
// and nans, of which conversions make other values, keep theirs.
func bitsOfF(t ir.DType, v float32) uint64 {
	b := math.Float32bits(v)
	if b&0x7f800000 == 0x7f800000 {
		sign := b >> 16 & 0x8000
		switch t {
		case array.F32:
			return uint64(b)
		case array.F16:
			return uint64(sign | b>>13&0x7fff)
		case array.BF16:
			return uint64(b >> 16)
		case array.F8E5M2: // the upper half of an f16
			return uint64(sign|b>>13&0x7fff) >> 8
		case array.F8E4M3: // has no infinities
			return uint64(sign>>8 | 0x7f)
		}
	}
	switch t {
	case array.F32:
		return uint64(b)
	case array.F16:
		return uint64(array.F32ToF16(v))
	case array.BF16:
		return uint64(b >> 16)
	}
	return array.EncodeFloat(t, float64(v))
}

// valueF returns the value of a pattern of a float of 32 bits or less.
func valueF(t ir.DType, b uint64) float32 {
	switch t {
	case array.F32:
		return math.Float32frombits(uint32(b))
	case array.F16:
		return array.F16ToF32(uint16(b))
	case array.BF16:
		return array.BF16ToF32(uint16(b))
	case array.F8E5M2:
		return array.F16ToF32(uint16(b) << 8)
	}
	return float32(array.DecodeFloat(t, b))
}

// claim records that a grid instance writes element off of a tensor; the result
// is another writer that had the element before, or 0.
func (s *store) claim(off int, writer uint32) (other uint32) {
	w := &s.writers[off]
	for {
		switch old := atomic.LoadUint32(w); {
		case old == writer:
			return 0
		case old != 0:
			return old
		case atomic.CompareAndSwapUint32(w, 0, writer):
			return 0
		}
	}
}
