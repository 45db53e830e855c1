package launch

import "slices"

// TensorMap says how a kernel's bulk copies see an array: as a tensor of which each moves
// a box (CUDA Driver API, cuTensorMapEncodeTiled). Lists are innermost first.
type TensorMap struct {
	Dims    []int64 // elements
	Strides []int64 // bytes from one to the next, of dimensions 1 and up; nil: packed
	Box     []int   // elements that a copy moves
	Steps   []int   // elements from one that is copied to the next; nil: ones
	Swizzle int     // bytes of the pattern in shared memory: 0, 32, 64 or 128
	NaN     bool    // elements outside the tensor are NaN, not zero
}

// Tiled passes an array argument as a tensor map over it, from the argument's offset on.
func (a Arg) Tiled(m TensorMap) Arg {
	a.Map = &m
	return a
}

// Packed is a map of a tensor whose elements lie one behind the other. Shape and box are
// in the order of arrays, outermost first.
func Packed(shape, box []int, swizzle int) TensorMap {
	m := TensorMap{Box: slices.Clone(box), Swizzle: swizzle}
	slices.Reverse(m.Box)
	for _, n := range slices.Backward(shape) {
		m.Dims = append(m.Dims, int64(n))
	}
	return m
}
