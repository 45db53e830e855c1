package launcher

import (
	"fmt"
	"slices"

	"tilec/ir"
	"tilec/runtime/array"
	"tilec/runtime/launch/operand"
)

// Args are the arguments of a kernel, by the names of its parameters.
type Args struct {
	// Tensors may leave some out while dimensions are still to be known; a launch needs all.
	Tensors map[string]operand.View
	// Ints holds integer and bool parameters, and dimensions that the shapes of Tensors do not give.
	Ints map[string]int64
	// Floats holds float parameters; they are rounded to their type.
	Floats map[string]float64
}

// Arrays views whole arrays, for Args.
func Arrays(arrays map[string]*array.Array) map[string]operand.View {
	views := make(map[string]operand.View, len(arrays))
	for name, a := range arrays {
		views[name] = operand.Whole(a)
	}
	return views
}

// Binding is the arguments of a function, checked: every dimension is known, every shape agrees, every requirement holds.
type Binding struct {
	f       *ir.Func
	args    Args
	env     environment
	shapes  map[*ir.Buffer][]int
	scalars []value // by parameter; of tensors the zero value
	dims    []int64 // by dimension
}

// Bind gives every dimension of f its value, from the shapes or by name, and checks the arguments: types, shapes, scalars and
// requirements. Errors name the kernel and the parameter, and say what was expected and what was given.
func Bind(f *ir.Func, args Args) (*Binding, error) {
	b := &Binding{f: f, args: args, env: environment{}, shapes: map[*ir.Buffer][]int{}, scalars: make([]value, len(f.Params))}
	for _, step := range []func() error{b.checkNames, b.checkViews, b.bindScalars, b.bindDims, b.checkShapes, b.checkRequires, b.checkOverlap} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return b, nil
}

// checkNames refuses arguments that belong to no parameter.
func (b *Binding) checkNames() error {
	tensors, ints, floats := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range b.f.Params {
		switch {
		case p.Tensor != nil:
			tensors[p.Tensor.Name] = true
		case p.Scalar.Type.IsFloat():
			floats[p.Scalar.Name] = true
		default:
			ints[p.Scalar.Name] = true
		}
	}
	for _, d := range b.f.Dims {
		ints[d.Var.Name] = true
	}
	for _, unknown := range []struct {
		what  string
		names []string
	}{
		{"tensor", missing(b.args.Tensors, tensors)},
		{"dimension or integer parameter", missing(b.args.Ints, ints)},
		{"float parameter", missing(b.args.Floats, floats)},
	} {
		if len(unknown.names) > 0 {
			return fmt.Errorf("there is no %s %s", unknown.what, unknown.names[0])
		}
	}
	return nil
}

// missing lists the keys of given that are not in known, sorted.
func missing[V any](given map[string]V, known map[string]bool) []string {
	var names []string
	for name := range given {
		if !known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkViews checks what is given for each tensor by itself.
func (b *Binding) checkViews() error {
	for _, t := range b.f.Tensors() {
		v, ok := b.args.Tensors[t.Name]
		if !ok {
			continue
		}
		if err := v.Check(t.Name, t.Elem, len(t.Shape), t.Strides != nil); err != nil {
			return err
		}
		b.shapes[t] = v.Shape
		for axis, s := range t.Strides {
			b.env[s] = intValue(s.Type, v.Stride(axis))
		}
	}
	return nil
}

func (b *Binding) bindScalars() error {
	for i, p := range b.f.Params {
		if p.Scalar == nil {
			continue
		}
		v, err := b.scalar(p.Scalar)
		if err != nil {
			return err
		}
		b.scalars[i] = v
		b.env[p.Scalar] = v
	}
	return nil
}

func (b *Binding) scalar(s *ir.Var) (value, error) {
	if s.Type.IsFloat() {
		x, ok := b.args.Floats[s.Name]
		if !ok {
			return value{}, fmt.Errorf("no value for parameter %s of type %s", s.Name, s.Type)
		}
		return floatValue(s.Type, x), nil
	}
	i, ok := b.args.Ints[s.Name]
	if !ok {
		return value{}, fmt.Errorf("no value for parameter %s of type %s", s.Name, s.Type)
	}
	return intValue(s.Type, i), operand.Holds(s.Name, s.Type, i)
}

// bindDims takes each dimension from the tensor that binds it, from any other that has it as an extent, or by name.
func (b *Binding) bindDims() error {
	for _, d := range b.f.Dims {
		n, known := b.args.Ints[d.Var.Name]
		if from, axis := b.binder(d); from != nil {
			got := int64(b.shapes[from][axis])
			if known && got != n {
				return fmt.Errorf("%s: shape %v: dimension %d is %d, but %s = %d", from.Name, b.shapes[from], axis, got, d.Var.Name, n)
			}
			n, known = got, true
		}
		switch {
		case !known:
			return fmt.Errorf("no value for dimension %s", d.Var.Name)
		case n < 0:
			return fmt.Errorf("dimension %s is negative: %d", d.Var.Name, n)
		}
		b.env[d.Var] = intValue(d.Var.Type, n)
		b.dims = append(b.dims, n)
	}
	return nil
}

// binder finds a given tensor with the dimension as an extent, the declared one first.
func (b *Binding) binder(d ir.Dim) (*ir.Buffer, int) {
	if d.From != nil {
		if shape, ok := b.shapes[d.From]; ok && d.Axis < len(shape) {
			return d.From, d.Axis
		}
	}
	for _, t := range b.f.Tensors() {
		for axis := range b.shapes[t] {
			if e := t.Shape[axis]; e.Op == ir.Ref && e.Var == d.Var {
				return t, axis
			}
		}
	}
	return nil, 0
}

// checkShapes compares every extent with what the dimensions make of it, and completes the shapes of tensors that are
// not given.
func (b *Binding) checkShapes() error {
	for _, t := range b.f.Tensors() {
		v, given := b.args.Tensors[t.Name]
		shape := make([]int, len(t.Shape))
		for axis, e := range t.Shape {
			n, err := b.env.index(e)
			if err != nil {
				return fmt.Errorf("%s: dimension %d: %w", t.Name, axis, err)
			}
			if n < 0 {
				return fmt.Errorf("%s: dimension %d, %s, is negative: %d", t.Name, axis, e, n)
			}
			shape[axis] = int(n)
			if !given {
				continue
			}
			if err := v.Extent(t.Name, axis, e.String(), n); err != nil {
				return err
			}
		}
		if _, err := array.Bytes(t.Elem, shape...); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		b.shapes[t] = shape
	}
	return nil
}

func (b *Binding) checkRequires() error {
	for _, r := range b.f.Requires {
		v, err := b.env.eval(r.Cond)
		if err != nil {
			return fmt.Errorf("requirement %q: %w", r.Text, err)
		}
		if v.i == 0 {
			return fmt.Errorf("requirement not met: %s", r.Text)
		}
	}
	return nil
}

// checkOverlap refuses a written tensor that shares its array with another one: kernels read and write in any order.
func (b *Binding) checkOverlap() error {
	for i, p := range b.f.Params {
		for _, q := range b.f.Params[:i] {
			if p.Tensor == nil || q.Tensor == nil || p.Tensor.Kind == ir.In && q.Tensor.Kind == ir.In {
				continue
			}
			if operand.Overlap(b.args.Tensors[p.Tensor.Name], b.args.Tensors[q.Tensor.Name]) {
				return fmt.Errorf("%s and %s share memory", q.Tensor.Name, p.Tensor.Name)
			}
		}
	}
	return nil
}

// Shape returns the extents of a tensor parameter, nil if there is none of that name.
func (b *Binding) Shape(tensor string) []int {
	for _, t := range b.f.Tensors() {
		if t.Name == tensor {
			return slices.Clone(b.shapes[t])
		}
	}
	return nil
}

// Dims returns the values of the dimensions by name.
func (b *Binding) Dims() map[string]int64 {
	dims := map[string]int64{}
	for i, d := range b.f.Dims {
		dims[d.Var.Name] = b.dims[i]
	}
	return dims
}
