package exec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tilec/runtime/array"
	"tilec/runtime/ptx"
)

// MapOptions are those of a tensor map over an array. Lists are in the order of the shape, outermost first.
type MapOptions struct {
	Box     []int // elements that one copy moves
	Steps   []int // through the dimensions; nil: ones
	Swizzle ptx.Swizzle
	Fill    ptx.Fill
}

var swizzles = map[string]ptx.Swizzle{"none": ptx.SwizzleNone, "32": ptx.Swizzle32B, "64": ptx.Swizzle64B, "128": ptx.Swizzle128B}

// mapBytes is the size of a tensor map that is passed by value (CUtensorMap of the CUDA Driver API).
const mapBytes = 128

// parseMap reads "ARRAY,box=64x32,swizzle=128,fill=nan,step=1x1", which stands behind "map:".
func (a *Arg) parseMap(text string) error {
	of, options, ok := strings.Cut(text, ",box=")
	if !ok {
		return fmt.Errorf("a tensor map is over an array and has a box, as in map:A=a.npy,box=64x32")
	}
	if err := a.parse(of); err != nil {
		return err
	}
	switch {
	case !a.IsPointer() || a.Map != nil:
		return fmt.Errorf("a tensor map is over an array")
	case a.Offset != 0:
		return fmt.Errorf("a tensor map is over all of an array, from its start")
	}
	a.Map = &MapOptions{}
	for option := range strings.SplitSeq("box="+options, ",") {
		name, value, _ := strings.Cut(option, "=")
		var err error
		known := true
		switch name {
		case "box":
			a.Map.Box, err = extents(value)
		case "step":
			a.Map.Steps, err = extents(value)
		case "swizzle":
			a.Map.Swizzle, known = swizzles[value]
		case "fill":
			if known = value == "zero" || value == "nan"; value == "nan" {
				a.Map.Fill = ptx.FillNaN
			}
		default:
			return fmt.Errorf("%q of a tensor map: there is box, step, swizzle and fill", option)
		}
		if err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("%q: a swizzle is none, 32, 64 or 128, a fill zero or nan", option)
		}
	}
	return nil
}

// extents reads 64x32.
func extents(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q: extents are written 64x32", text)
		}
		all = append(all, n)
	}
	return all, nil
}

// tensorMap makes the machine's map, whose lists are innermost first.
func (o *MapOptions) tensorMap(b *bound) (*ptx.TensorMap, error) {
	v := b.values
	if len(o.Box) != len(v.Shape) || o.Steps != nil && len(o.Steps) != len(v.Shape) {
		return nil, fmt.Errorf("a box and steps have the dimensions of the array, which are %d", len(v.Shape))
	}
	if v.DType.Bits() < 8 {
		return nil, fmt.Errorf("tensor maps of %s are not supported yet", v.DType)
	}
	m := &ptx.TensorMap{Buffer: b.buffer, ElemBytes: v.DType.Bits() / 8, Swizzle: o.Swizzle, Fill: o.Fill}
	switch v.DType {
	case array.F16, array.BF16, array.F32, array.F64:
		m.Type = v.DType.String()
	}
	stride := int64(m.ElemBytes)
	for i, n := range slices.Backward(v.Shape) {
		m.Dims = append(m.Dims, int64(n))
		if stride *= int64(n); i > 0 {
			m.Strides = append(m.Strides, stride)
		}
	}
	m.Box = slices.Clone(o.Box)
	slices.Reverse(m.Box)
	if o.Steps != nil {
		m.ElemStrides = slices.Clone(o.Steps)
		slices.Reverse(m.ElemStrides)
	}
	return m, nil
}
