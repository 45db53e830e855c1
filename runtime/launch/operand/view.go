package operand

import (
	"fmt"
	"math/bits"
	"unsafe"

	"tilec/runtime/array"
	"tilec/runtime/launch"
)

// View is a tensor argument: some elements of an array.
type View struct {
	Array   *array.Array
	Offset  int   // bytes from the array's start to the first element
	Shape   []int // extents
	Strides []int // elements from one index to the next, a dimension each; nil for contiguous rows
}

// Whole views all of an array; of no array it is the zero View.
func Whole(a *array.Array) View {
	if a == nil {
		return View{}
	}
	return View{Array: a, Shape: a.Shape}
}

// In passes the view to a kernel that reads it.
func (v View) In() launch.Arg { return launch.In(v.Array).From(v.Offset) }

// Out passes the view to a kernel that writes it.
func (v View) Out() launch.Arg { return launch.Out(v.Array).From(v.Offset) }

// InOut passes the view to a kernel that reads and writes it.
func (v View) InOut() launch.Arg { return launch.InOut(v.Array).From(v.Offset) }

// baseAlign is what every launcher aligns arrays to, at least, in bytes.
const baseAlign = 256

// Aligned reports that the view's address is a multiple of a power of two, at most 256, wherever a launcher puts its array.
func (v View) Aligned(bytes int) bool { return bytes <= baseAlign && v.Offset%bytes == 0 }

// Stride returns the elements from one index of a dimension to the next.
func (v View) Stride(axis int) int64 {
	if v.Strides != nil {
		return int64(v.Strides[axis])
	}
	n := int64(1)
	for _, d := range v.Shape[axis+1:] {
		n *= int64(d)
	}
	return n
}

// check says why a tensor parameter cannot take the view.
func (v View) check(name string, t array.DType, rank int, strided bool) error {
	switch {
	case v.Array == nil:
		return fmt.Errorf("%s: no array, one of %s with %s is needed", name, t, dimensions(rank))
	case v.Array.DType != t:
		return fmt.Errorf("%s: an array of %s, one of %s is needed", name, v.Array.DType, t)
	case len(v.Shape) != rank:
		return fmt.Errorf("%s: an array with %s %v, one with %s is needed", name, dimensions(len(v.Shape)), v.Shape, dimensions(rank))
	case v.Strides != nil && !strided:
		return fmt.Errorf("%s: a view with strides, the parameter is not strided", name)
	case v.Strides != nil && len(v.Strides) != rank:
		return fmt.Errorf("%s: %d strides for %s", name, len(v.Strides), dimensions(rank))
	case v.Strides != nil && t.Bits() < 8:
		return fmt.Errorf("%s: strides are not supported yet for elements of %d bits", name, t.Bits())
	case v.Offset*8%max(t.Bits(), 8) != 0:
		return fmt.Errorf("%s: an offset of %d bytes is not a whole number of elements of %s", name, v.Offset, t)
	}
	first, end, err := v.extent(t)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if first < 0 || end > int64(len(v.Array.Data)) {
		return fmt.Errorf("%s: shape %v%s from byte %d on takes bytes %d to %d, the array has %d", name, v.Shape, v.strideText(), v.Offset, first, end, len(v.Array.Data))
	}
	return nil
}

func (v View) strideText() string {
	if v.Strides == nil {
		return ""
	}
	return fmt.Sprintf(" with strides %v", v.Strides)
}

func dimensions(rank int) string {
	if rank == 1 {
		return "1 dimension"
	}
	return fmt.Sprintf("%d dimensions", rank)
}

// extent is the range of bytes that the view's elements take.
func (v View) extent(t array.DType) (first, end int64, err error) {
	first = int64(v.Offset)
	if v.Strides == nil {
		n, err := array.Bytes(t, v.Shape...)
		return first, first + int64(n), err
	}
	for _, d := range v.Shape {
		if d < 0 {
			return 0, 0, fmt.Errorf("negative extent in shape %v", v.Shape)
		}
	}
	for _, d := range v.Shape {
		if d == 0 {
			return first, first, nil
		}
	}
	size := int64(t.Bits() / 8)
	end = first + size
	for axis, d := range v.Shape {
		hi, lo := bits.Mul64(uint64(d-1), uint64(abs(v.Strides[axis])))
		if hi != 0 || lo > 1<<56 {
			return 0, 0, fmt.Errorf("shape %v%s is too large", v.Shape, v.strideText())
		}
		reach := int64(lo) * size
		if v.Strides[axis] < 0 {
			first -= reach
		} else {
			end += reach
		}
		if end > 1<<62 || first < -1<<62 {
			return 0, 0, fmt.Errorf("shape %v%s is too large", v.Shape, v.strideText())
		}
	}
	return first, end, nil
}

func abs(n int) int { return max(n, -n) }

// overlap reports that two views may share elements: the arrays behind them share memory.
func overlap(v, w View) bool {
	if v.Array == nil || w.Array == nil || len(v.Array.Data) == 0 || len(w.Array.Data) == 0 {
		return false
	}
	a, b := v.Array.Data, w.Array.Data
	first, second := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return first < second+uintptr(len(b)) && second < first+uintptr(len(a))
}
