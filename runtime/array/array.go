package array

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// Array is a dense row-major array, its elements stored little-endian. Elements narrower than a byte are
// packed along the last dimension, the first in the low bits, and every row starts on a byte.
type Array struct {
	DType DType
	Shape []int
	Data  []byte
}

// New returns a zeroed array. No dimensions make a scalar of one element. It panics on the invalid type or
// a negative extent, which are faults of the caller; Bytes checks sizes that come from users.
func New(t DType, shape ...int) *Array {
	n, err := Bytes(t, shape...)
	if err != nil {
		panic("array: " + err.Error())
	}
	return &Array{DType: t, Shape: slices.Clone(shape), Data: make([]byte, n)}
}

// Bytes returns the stored size of an array, or an error for the invalid type, a negative extent,
// or a size that does not fit an int.
func Bytes(t DType, shape ...int) (int, error) {
	if t.Bits() == 0 {
		return 0, fmt.Errorf("invalid element type")
	}
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("negative extent in shape %v", shape)
		}
	}
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	row, rows := 1, []int(nil)
	if len(shape) > 0 {
		row, rows = shape[len(shape)-1], shape[:len(shape)-1]
	}
	if row > (math.MaxInt-7)/t.Bits() {
		return 0, fmt.Errorf("shape %v is too large", shape)
	}
	total := t.RowBytes(row)
	for _, d := range rows {
		if total > math.MaxInt/d {
			return 0, fmt.Errorf("shape %v is too large", shape)
		}
		total *= d
	}
	return total, nil
}

// Len returns the number of elements.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Clone returns a copy that shares nothing.
func (a *Array) Clone() *Array {
	return &Array{DType: a.DType, Shape: slices.Clone(a.Shape), Data: slices.Clone(a.Data)}
}

// Equal reports the same type, shape and bits of every element (so -0 differs from 0, and a NaN equals the
// same NaN). Padding between packed rows does not count.
func (a *Array) Equal(b *Array) bool {
	if a.DType != b.DType || !slices.Equal(a.Shape, b.Shape) {
		return false
	}
	if bytes.Equal(a.Data, b.Data) {
		return true
	}
	if a.DType.Bits() >= 8 {
		return false
	}
	for i := range a.Len() {
		if a.Bits(i) != b.Bits(i) {
			return false
		}
	}
	return true
}

// row is the length of the last dimension, 1 for a scalar.
func (a *Array) row() int {
	if len(a.Shape) == 0 {
		return 1
	}
	return a.Shape[len(a.Shape)-1]
}

// String describes the array without its elements, such as f16[32, 64].
func (a *Array) String() string {
	var b bytes.Buffer
	b.WriteString(a.DType.String())
	b.WriteByte('[')
	for i, d := range a.Shape {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d)
	}
	b.WriteByte(']')
	return b.String()
}
