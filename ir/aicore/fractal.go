package aicore

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// A fractal is 16 rows of 32 bytes.
const (
	fractalRows  = 16
	fractalBytes = 512
)

// Strip is the elements of a fractal's row: C0 in the vendor's words.
func Strip(t ir.DType) int { return 32 * 8 / t.Bits() }

// Slots is how many matrices a tile of the cube's memories holds: those of its leading dimension.
func Slots(b *ir.Buffer) int {
	n := 1
	for d := 0; d+2 < len(b.Shape); d++ {
		n *= b.Extent(d)
	}
	return n
}

// PaddedRows is the rows of a matrix in fractals. Bytes are transposed in squares of 32.
func PaddedRows(b *ir.Buffer) int {
	unit := fractalRows
	if b.Elem.Bits() == 8 {
		unit = 32
	}
	return roundUp(b.Extent(len(b.Shape)-2), unit)
}

// PaddedCols is the columns of a matrix in fractals.
func PaddedCols(b *ir.Buffer) int {
	return roundUp(b.Extent(len(b.Shape)-1), max(Strip(b.Elem), fractalRows))
}

// SlotElements is the elements from one matrix of a tile to the next.
func SlotElements(b *ir.Buffer) int { return PaddedRows(b) * PaddedCols(b) }

// FractalElements is the elements of a fractal.
func FractalElements(t ir.DType) int { return fractalBytes * 8 / t.Bits() }

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// Bounds reads the condition of an operation as bounds of its indices, Dom then Red, from above: nil where there is none. It is not ok
// where the condition is anything else.
func Bounds(its []ir.Iter, where *ir.Expr) (high []*ir.Expr, ok bool) {
	c := Copy{Low: make([]*ir.Expr, len(its)), High: make([]*ir.Expr, len(its))}
	if !c.clip(where, its) || c.Cond != nil {
		return nil, false
	}
	for _, l := range c.Low {
		if l != nil {
			return nil, false
		}
	}
	return c.High, true
}

// MatrixCopyOf reads a copy between a tensor and a matrix in L1 or L0C: [i, j] over its domain, i and j along two dimensions of the
// tensor, j without gaps. It is not ok for others.
func MatrixCopyOf(op *ir.Op) (c Copy, ok bool) {
	if op.Code != ir.OpCopy && op.Code != ir.OpMap || len(op.Dom) != 2 {
		return c, false
	}
	src := op.Dst
	if op.Code == ir.OpCopy {
		src = op.Src[0]
	}
	dst := op.Dst
	c.Load = src.Buf.Outside()
	tensor := dst
	if c.Load {
		tensor = src
	}
	c.Tensor = tensor.Buf
	c.Strides = make([]*ir.Expr, 2)
	c.Low, c.High = make([]*ir.Expr, 2), make([]*ir.Expr, 2)
	if !tensor.Buf.Outside() || !c.tensor(op.Dom, tensor) || !c.clip(ir.Conj(op.Where, src.Guard, dst.Guard), op.Dom) {
		return c, false
	}
	if src.Else != nil && !(src.Else.IsConst() && src.Else.Int == 0 && src.Else.Float == 0) {
		return c, false
	}
	if tensor.Buf.Strides != nil || c.Low[0] != nil || c.Low[1] != nil {
		return c, false
	}
	return c, c.Strides[0] != nil && c.Strides[1] != nil && c.Strides[1].IsInt(1)
}

// FixpipeConverts reports that the fixpipe takes sums of one type to another on their way to global memory.
func FixpipeConverts(from, to ir.DType) bool {
	return from == to && (from == array.F32 || from == array.I32) || from == array.F32 && (to == array.F16 || to == array.BF16)
}
