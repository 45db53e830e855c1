package interp

import (
	"fmt"
	"slices"

	"tilec/ir"
	"tilec/runtime/array"
)

// Args are the arguments of a run, by the names of the parameters.
type Args struct {
	// Tensors holds an array for every In and InOut tensor. An Out tensor that
	// has one is written into it, its other elements kept; one that has none is
	// allocated. In a spec an out array may be of type f64 (i64 for integers)
	// instead of the declared one, and allocated ones are, so that results are
	// not rounded.
	Tensors map[string]*array.Array
	// Ints holds integer and bool parameters, and dimensions; dimensions that
	// are missing are taken from the shapes. Strides may be given too.
	Ints map[string]int64
	// Floats holds float parameters; they are rounded to their type.
	Floats map[string]float64
}

// wide is the type in which a spec keeps elements of type t.
func wide(t ir.DType) ir.DType {
	switch {
	case t.IsFloat():
		return array.F64
	case t.IsInt():
		return ir.Index
	}
	return t
}

// elemTypes returns the types that the stores of out tensors get where they
// differ from the declared ones, and checks the types of all arrays.
func elemTypes(f *ir.Func, args Args) (map[*ir.Buffer]ir.DType, error) {
	elem := map[*ir.Buffer]ir.DType{}
	for _, t := range f.Tensors() {
		a := args.Tensors[t.Name]
		spec := f.Form == ir.SpecForm && t.Kind == ir.Out
		switch {
		case a == nil && t.Kind != ir.Out:
			return nil, fmt.Errorf("no array for tensor %s", t.Name)
		case a == nil && spec:
			elem[t] = wide(t.Elem)
		case a == nil || a.DType == t.Elem:
		case spec && a.DType == wide(t.Elem):
			elem[t] = a.DType
		default:
			return nil, fmt.Errorf("tensor %s is %s, its array %s", t.Name, t.Elem, a.DType)
		}
	}
	return elem, nil
}

// bindScalars gives a frame the values of dimensions and scalar parameters.
func bindScalars(fr *frame, f *ir.Func, args Args) error {
	set := func(v *ir.Var, i int64, x float64) { fr.setVar(fr.prog.slots[v], v.Type, i, x) }
	for _, d := range f.Dims {
		v, given := args.Ints[d.Var.Name]
		if d.From != nil {
			if a := args.Tensors[d.From.Name]; a != nil {
				if d.Axis >= len(a.Shape) {
					return fmt.Errorf("tensor %s has rank %d, its array %d", d.From.Name, len(d.From.Shape), len(a.Shape))
				}
				n := int64(a.Shape[d.Axis])
				if given && v != n {
					return fmt.Errorf("dimension %s is %d, but dimension %d of %s is %d", d.Var.Name, v, d.Axis, d.From.Name, n)
				}
				v, given = n, true
			}
		}
		if !given {
			return fmt.Errorf("no value for dimension %s", d.Var.Name)
		}
		if v < 0 {
			return fmt.Errorf("dimension %s is negative: %d", d.Var.Name, v)
		}
		set(d.Var, v, 0)
	}
	for _, p := range f.Params {
		s := p.Scalar
		if s == nil {
			continue
		}
		i, isInt := args.Ints[s.Name]
		x, isFloat := args.Floats[s.Name]
		switch {
		case s.Type.IsFloat() && isFloat, !s.Type.IsFloat() && isInt:
			set(s, i, x)
		default:
			return fmt.Errorf("no value for parameter %s of type %s", s.Name, s.Type)
		}
	}
	return nil
}

// bindTensors makes the stores of tensors, and the arrays that results go to.
func bindTensors(fr *frame, f *ir.Func, args Args) (map[string]*array.Array, error) {
	arrays := map[string]*array.Array{}
	for _, t := range f.Tensors() {
		ext := make([]int, len(t.Shape))
		for d, n := range fr.prog.shapes[t] {
			v := n.one(fr)
			if v < 0 {
				return nil, fmt.Errorf("dimension %d of tensor %s is %d", d, t.Name, v)
			}
			ext[d] = int(v)
		}
		if _, ok := elements(ext); !ok {
			return nil, fmt.Errorf("tensor %s of shape %s is too large", t.Name, shapeText(ext))
		}
		elem := fr.prog.elemOf(t)
		a := args.Tensors[t.Name]
		switch {
		case a == nil:
			a = array.New(elem, ext...)
		case !slices.Equal(a.Shape, ext):
			return nil, fmt.Errorf("tensor %s must have shape %s, its array has %s", t.Name, shapeText(ext), shapeText(a.Shape))
		}
		arrays[t.Name] = a
		st := newStore(t, elem, ext)
		if t.Kind != ir.Out {
			st.load(a)
		}
		if t.Kind != ir.In {
			st.writers = make([]uint32, st.len())
		}
		if fr.prog.exchanged[t] {
			fr.watchTensor(st, fr.prog.number[t])
		}
		fr.bufs[fr.prog.number[t]] = st
		// Strides are those of a contiguous tensor unless they are given.
		for d, v := range t.Strides {
			s, ok := fr.prog.slots[v]
			if !ok {
				continue // not used
			}
			n, given := args.Ints[v.Name]
			if !given {
				n = int64(st.stride[d])
			}
			fr.setVar(s, v.Type, n, 0)
		}
	}
	return arrays, nil
}
