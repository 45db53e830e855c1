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
	check   *operand.Checks
	args    Args
	env     environment
	shapes  map[*ir.Buffer][]int
	scalars []value // by parameter; of tensors the zero value
	dims    []int64 // by dimension
}

// Bind gives every dimension of f its value, from the shapes or by name, and checks the arguments: types, shapes, scalars and
// requirements. Errors name the kernel and the parameter, and say what was expected and what was given.
func Bind(f *ir.Func, args Args) (*Binding, error) {
	b := &Binding{
		f: f, args: args, env: environment{}, shapes: map[*ir.Buffer][]int{}, scalars: make([]value, len(f.Params)),
		check: operand.Check(f.Name),
	}
	for _, step := range []func(){b.checkNames, b.checkViews, b.bindScalars, b.bindDims, b.checkShapes, b.checkRequires, b.checkApart} {
		step()
		if err := b.check.Err(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// checkNames refuses arguments that belong to no parameter.
func (b *Binding) checkNames() {
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
			b.failf("there is no %s %s", unknown.what, unknown.names[0])
		}
	}
}

func (b *Binding) failf(format string, args ...any) { b.check.Fail(fmt.Errorf(format, args...)) }

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
func (b *Binding) checkViews() {
	for _, t := range b.f.Tensors() {
		v, ok := b.args.Tensors[t.Name]
		if !ok {
			continue
		}
		b.check.View(t.Name, v, t.Elem, len(t.Shape), t.Strides != nil)
		if b.check.Err() != nil {
			return
		}
		b.shapes[t] = v.Shape
		for axis, s := range t.Strides {
			b.env[s] = intValue(s.Type, v.Stride(axis))
		}
	}
}

func (b *Binding) bindScalars() {
	for i, p := range b.f.Params {
		if p.Scalar == nil {
			continue
		}
		b.scalars[i] = b.scalar(p.Scalar)
		b.env[p.Scalar] = b.scalars[i]
	}
}

func (b *Binding) scalar(s *ir.Var) value {
	x, isFloat := b.args.Floats[s.Name]
	i, isInt := b.args.Ints[s.Name]
	switch {
	case s.Type.IsFloat() && isFloat:
		return floatValue(s.Type, x)
	case !s.Type.IsFloat() && isInt:
		b.check.Int(s.Name, s.Type, i)
		return intValue(s.Type, i)
	}
	b.failf("no value for parameter %s of type %s", s.Name, s.Type)
	return value{}
}

// bindDims takes each dimension from the tensor that binds it, from any other that has it as an extent, or by name.
func (b *Binding) bindDims() {
	for _, d := range b.f.Dims {
		name := d.Var.Name
		n, known := b.args.Ints[name]
		if from, axis := b.binder(d); from != nil {
			v := operand.View{Shape: b.shapes[from]}
			if known {
				b.check.Extent(from.Name, v, axis, name, n)
			}
			n, known = b.check.Dim(from.Name, v, axis), true
		}
		switch {
		case !known:
			b.failf("no value for dimension %s", name)
		case n < 0:
			b.failf("dimension %s is negative: %d", name, n)
		case n > operand.MaxExtent:
			b.failf("dimension %s is %d, at most %d is possible", name, n, int64(operand.MaxExtent))
		}
		b.env[d.Var] = intValue(d.Var.Type, n)
		b.dims = append(b.dims, n)
	}
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
func (b *Binding) checkShapes() {
	for _, t := range b.f.Tensors() {
		v, given := b.args.Tensors[t.Name]
		shape := make([]int, len(t.Shape))
		for axis, e := range t.Shape {
			n, err := b.env.index(e)
			switch {
			case err != nil:
				b.failf("%s: dimension %d: %w", t.Name, axis, err)
			case given:
				b.check.Extent(t.Name, v, axis, e.String(), n)
			case n < 0:
				b.failf("%s: dimension %d, %s, is negative: %d", t.Name, axis, e, n)
			}
			shape[axis] = int(n)
		}
		if b.check.Err() != nil {
			return
		}
		if _, err := array.Bytes(t.Elem, shape...); err != nil {
			b.failf("%s: %w", t.Name, err)
		}
		b.shapes[t] = shape
	}
}

func (b *Binding) checkRequires() {
	for _, r := range b.f.Requires {
		v, err := b.env.eval(r.Cond)
		if err != nil {
			b.failf("requirement %q: %w", r.Text, err)
		}
		b.check.Require(v.i != 0, r.Text)
	}
}

// checkApart refuses a written tensor that shares its array with another one.
func (b *Binding) checkApart() {
	for _, pair := range written(b.f) {
		p, q := pair[0].Name, pair[1].Name
		b.check.Apart(p, b.args.Tensors[p], q, b.args.Tensors[q])
	}
}

// written lists the pairs of tensors of which one is written.
func written(f *ir.Func) [][2]*ir.Buffer {
	var pairs [][2]*ir.Buffer
	ts := f.Tensors()
	for i, t := range ts {
		for _, other := range ts[:i] {
			if t.Kind != ir.In || other.Kind != ir.In {
				pairs = append(pairs, [2]*ir.Buffer{other, t})
			}
		}
	}
	return pairs
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

// Index computes an expression of type index over the function's dimensions and scalar parameters.
func (b *Binding) Index(e *ir.Expr) (int64, error) { return b.env.index(e) }
