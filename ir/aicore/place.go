package aicore

import "tilec/ir"

// pitchElements is what the rows of a tile in UB are padded to: 32 elements fill whole blocks of 32 bytes in every type, so that
// tiles of one shape lie alike whatever their types.
const pitchElements = 32

// globalAlign is what tiles in global memory are padded to, so that bursts are whole.
const globalAlign = 512

// Pitch is the elements between two rows of a tile in UB.
func Pitch(b *ir.Buffer) int {
	cols := 1
	if n := len(b.Shape); n > 0 {
		cols = b.Extent(n - 1)
	}
	unit := pitchElements
	if b.Elem.Bits() < 8 {
		unit = 2 * pitchElements
	}
	return (cols + unit - 1) / unit * unit
}

// Rows is the rows of a tile: the product of all its extents but the last.
func Rows(b *ir.Buffer) int {
	rows := 1
	for d := 0; d+1 < len(b.Shape); d++ {
		rows *= b.Extent(d)
	}
	return rows
}

// compareBytes is what comparisons work on at least (Compare: whole repeats).
const compareBytes = 256

// Bytes is what a tile takes in its memory. In UB it ends on a whole repeat, as comparisons read and write those; elsewhere it is made of
// whole fractals. A tile without a memory is reckoned as one in UB.
func Bytes(b *ir.Buffer) int64 {
	if b.Space == ir.Global {
		n := int64(b.Elem.Bits())
		for _, e := range b.Extents() {
			n *= int64(e)
		}
		return (n/8 + globalAlign - 1) / globalAlign * globalAlign
	}
	switch b.Space {
	case ir.L1, ir.L0A, ir.L0B, ir.L0C:
		return int64(Slots(b)) * int64(SlotElements(b)) * int64(b.Elem.Bits()) / 8
	}
	n := int64(Rows(b)) * int64(Pitch(b)) * int64(b.Elem.Bits()) / 8
	return (n + compareBytes - 1) / compareBytes * compareBytes
}

// Stride is the elements between neighbours along dimension d of a tile in UB.
func Stride(b *ir.Buffer, d int) int {
	n := len(b.Shape)
	if d == n-1 {
		return 1
	}
	stride := Pitch(b)
	for k := n - 2; k > d; k-- {
		stride *= b.Extent(k)
	}
	return stride
}
