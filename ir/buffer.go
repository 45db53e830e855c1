package ir

import (
	"tilec/internal/diag"
	"tilec/ir/layout"
)

// Buffer is a tensor parameter, a tile, or a whole-tensor temporary of a spec.
// Identity is the pointer.
type Buffer struct {
	Name string
	Elem DType
	// Shape is the extents: constants for tiles, expressions of dimensions for
	// tensors and spec temporaries. A rank-0 buffer holds one element.
	Shape []*Expr
	Kind  BufferKind
	// Strides, for a strided tensor, are one DimVar a dimension, in elements.
	Strides []*Var
	// Space is where the buffer lives; Unplaced in tile form unless pinned.
	Space Space
	// Pinned says that the program itself chose Space.
	Pinned bool
	// Layout, once placed: for a register tile (register, lane, warp) → element;
	// for a shared tile element → offset in elements.
	Layout *layout.Layout
	// Offset is the byte offset within Space that was planned for the buffer.
	Offset int64
	// Temp marks a tile that a pass made (a conversion buffer, a reduction's
	// partial sums), not the program.
	Temp bool
	Span diag.Span
}

// BufferKind says what a buffer is to the kernel's caller.
type BufferKind uint8

// Kinds of buffers.
const (
	InvalidBuffer BufferKind = iota
	In                       // a tensor that is only read
	Out                      // a tensor that is only written, from undefined contents
	InOut                    // a tensor that is read and written
	Tile                     // local to a grid instance
	Temporary                // local to a spec, of dynamic shape
)

// Outside reports a buffer in global memory: a parameter, or a tile that has been placed there.
func (b *Buffer) Outside() bool { return b.Kind.IsTensor() || b.Space == Global }

// IsTensor reports a parameter, which lives in global memory.
func (k BufferKind) IsTensor() bool { return k == In || k == Out || k == InOut }

// Space is a kind of memory, in the vocabulary of all targets together; the
// machine description says which ones a target has.
type Space uint8

// Memory spaces.
const (
	Unplaced Space = iota
	Global         // device memory
	Shared         // CUDA shared memory
	Register       // spread over the registers of a CTA's threads
	UB             // Ascend unified buffer
	L1             // Ascend L1
	L0A
	L0B
	L0C
	BT // Ascend bias table
	numSpaces
)

var spaceNames = [numSpaces]string{"unplaced", "global", "shared", "register", "ub", "l1", "l0a", "l0b", "l0c", "bt"}

// String returns the space's name in the language.
func (s Space) String() string {
	if s >= numSpaces {
		return "invalid"
	}
	return spaceNames[s]
}

// ParseSpace returns the space of that name.
func ParseSpace(name string) (Space, bool) {
	for s := Global; s < numSpaces; s++ {
		if spaceNames[s] == name {
			return s, true
		}
	}
	return Unplaced, false
}

// Extent returns a tile's extent along dimension d; the shape must be constant.
func (b *Buffer) Extent(d int) int { return int(b.Shape[d].Int) }

// Extents returns a tile's constant shape.
func (b *Buffer) Extents() []int {
	ext := make([]int, len(b.Shape))
	for d := range ext {
		ext[d] = b.Extent(d)
	}
	return ext
}

// Bytes is the size of a placed tile in a memory: its layout's, but for the
// stages of a ring, of which there are as many as the tile has.
func (b *Buffer) Bytes() int64 {
	n := int64(b.Layout.Out[0].Size)
	if len(b.Shape) > 2 {
		n = n / int64(layout.Pow2(b.Extent(0))) * int64(b.Extent(0))
	}
	return max(n*int64(b.Elem.Bits())/8, 1)
}
