package layout

import "fmt"

// Swizzle says how the 16-byte chunks of a row are permuted: chunk ^= (row >> Shift) & (1<<Bits - 1),
// as the 32B, 64B and 128B swizzles of the tensor memory access do on addresses.
type Swizzle struct {
	Bits, Shift int
}

// Shared is the memory layout of a tile: row-major with the 16-byte chunks of the
// last dimension permuted by the dimension before it. chunk is the number of
// elements in 16 bytes. Leading dimensions (pipeline stages) are plain.
// The offset is in elements.
func Shared(shape []int, chunk int, sw Swizzle) *Layout {
	rank := len(shape)
	l := &Layout{Out: []Output{{Offset, 1}}}
	stride := 1
	strides := make([]int, rank)
	for d := rank - 1; d >= 0; d-- {
		strides[d] = stride
		stride *= Pow2(shape[d])
	}
	l.Out[0].Size = stride
	for d := range rank {
		in := Input{Name: fmt.Sprintf("dim%d", d)}
		for v, b := 1, 0; v < Pow2(shape[d]); v, b = v<<1, b+1 {
			off := v * strides[d]
			if d == rank-2 && b >= sw.Shift && b-sw.Shift < sw.Bits {
				off ^= chunk << (b - sw.Shift)
			}
			in.Bases = append(in.Bases, []int{off})
		}
		l.In = append(l.In, in)
	}
	return l
}

// SwizzledRows is the period of ConflictFree: rows that far apart are permuted alike.
const SwizzledRows = 8

// ConflictFree returns the swizzle under which eight rows of 16-byte chunks, one
// below the other, fall into different bank groups: rows of rowBytes bytes,
// 128 bytes of banks.
func ConflictFree(rowBytes int) Swizzle {
	switch {
	case rowBytes >= 128:
		return Swizzle{Bits: 3, Shift: 0}
	case rowBytes == 64:
		return Swizzle{Bits: 2, Shift: 1}
	case rowBytes == 32:
		return Swizzle{Bits: 1, Shift: 2}
	}
	return Swizzle{}
}
