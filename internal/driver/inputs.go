package driver

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"tilec/codegen/launcher"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// inputs makes the arguments of a test, out tensors left to whoever runs it. They
// depend on the seed, the parameters' names and the test's values only. Paths of
// files are relative to dir.
func inputs(f *ir.Func, tc *types.TestCase, seed uint64, dir string) (interp.Args, error) {
	args := interp.Args{Tensors: map[string]*array.Array{}, Ints: maps.Clone(tc.Dims), Floats: map[string]float64{}}
	for _, p := range f.Params {
		if p.Scalar == nil {
			continue
		}
		if err := setScalar(&args, p.Scalar, tc.Scalars[p.Scalar.Name]); err != nil {
			return args, err
		}
	}
	b, err := launcher.Bind(f, launcher.Args{Ints: args.Ints, Floats: args.Floats})
	if err != nil {
		return args, err
	}
	if err := fits(f, b); err != nil {
		return args, err
	}
	for _, t := range f.Tensors() {
		if t.Kind == ir.Out {
			continue
		}
		in, given := tc.Inputs[t.Name]
		if !given {
			in = defaultInput(t.Elem)
		}
		if args.Tensors[t.Name], err = fill(t, b.Shape(t.Name), in, seed, dir); err != nil {
			return args, fmt.Errorf("input %s: %w", t.Name, err)
		}
	}
	return args, nil
}

// maxTensors bounds the memory of all tensors of a run together, in bytes.
const maxTensors = 4 << 30

// fits refuses tensors that this machine had better not make.
func fits(f *ir.Func, b *launcher.Binding) error {
	total := 0.0
	for _, t := range f.Tensors() {
		n := float64(t.Elem.Bits()) / 8
		for _, d := range b.Shape(t.Name) {
			n *= float64(d)
		}
		total += n
	}
	if total > maxTensors {
		return fmt.Errorf("the tensors take %.1f GiB together, more than a run here may take (%d GiB)", total/(1<<30), maxTensors>>30)
	}
	return nil
}

// setScalar gives a scalar parameter its value.
func setScalar(args *interp.Args, p *ir.Var, v types.Value) error {
	switch x, isNumber := v.Float64(); {
	case p.Type.IsFloat() && isNumber:
		args.Floats[p.Name] = x
		return nil
	case v.Kind == types.BoolValue:
		args.Ints[p.Name] = 0
		if v.Bool {
			args.Ints[p.Name] = 1
		}
		return nil
	}
	n, ok := v.Bits64()
	if !ok {
		return fmt.Errorf("parameter %s cannot be %s", p.Name, v)
	}
	args.Ints[p.Name] = n
	return nil
}

// defaultInput is how a tensor is filled that a test says nothing about: floats
// from normal(0, 1); integers of 8 bits and below over their whole range, wider
// ones within ±100 (0 … 100 if unsigned), so that sums and products stay in range.
func defaultInput(t ir.DType) types.Input {
	switch {
	case t.IsFloat():
		return types.Input{Kind: types.Normal, A: 0, B: 1}
	case t == array.Bool:
		return types.Input{Kind: types.RandInt, A: 0, B: 2}
	case t.Bits() <= 8 && t.IsSigned():
		return types.Input{Kind: types.RandInt, A: -math.Ldexp(1, t.Bits()-1), B: math.Ldexp(1, t.Bits()-1)}
	case t.Bits() <= 8:
		return types.Input{Kind: types.RandInt, A: 0, B: math.Ldexp(1, t.Bits())}
	case t.IsUnsigned():
		return types.Input{Kind: types.RandInt, A: 0, B: 101}
	}
	return types.Input{Kind: types.RandInt, A: -100, B: 101}
}

// fill makes an array by a test's generator.
func fill(t *ir.Buffer, shape []int, in types.Input, seed uint64, dir string) (*array.Array, error) {
	if in.Kind == types.FileInput {
		return loadInput(t, shape, filepath.Join(dir, filepath.FromSlash(in.Path)))
	}
	h := fnv.New64a()
	h.Write([]byte(t.Name))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	a := array.New(t.Elem, shape...)
	for i := range a.Len() {
		switch in.Kind {
		case types.Normal:
			a.SetFloat(i, in.A+in.B*r.NormFloat64())
		case types.Uniform:
			a.SetFloat(i, in.A+(in.B-in.A)*r.Float64())
		case types.RandInt:
			a.SetInt(i, int64(in.A)+r.Int64N(max(int64(in.B)-int64(in.A), 1)))
		case types.Arange:
			a.SetFloat(i, in.A+float64(i)*in.B)
		case types.ConstantInput:
			a.SetFloat(i, in.A)
		case types.ValuesInput:
			a.SetFloat(i, in.Values[i])
		default:
			return nil, fmt.Errorf("no such generator")
		}
	}
	return a, nil
}

// loadInput reads a tensor from an .npy file, converted to the tensor's type.
func loadInput(t *ir.Buffer, shape []int, name string) (*array.Array, error) {
	a, err := array.LoadNpy(name)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(a.Shape, shape) {
		return nil, fmt.Errorf("%s has shape %s, %s is needed", name, shapeText(a.Shape), shapeText(shape))
	}
	return convertInput(a, t.Elem)
}

// convertInput gives an array the type of a parameter: floats round, everything
// else must be the type already or an integer that fits.
func convertInput(a *array.Array, t ir.DType) (*array.Array, error) {
	switch {
	case a.DType == t:
		return a, nil
	case t.IsFloat():
		return a.Convert(t), nil
	case a.DType.IsFloat():
		return nil, fmt.Errorf("it holds %s, %s is needed", a.DType, t)
	}
	b := a.Convert(t)
	for i := range a.Len() {
		v := a.Int(i)
		high := a.DType == array.U64 && v < 0 // 2^63 and above
		if v != b.Int(i) || high && t != array.U64 || !high && v < 0 && t.IsUnsigned() {
			return nil, fmt.Errorf("it holds %d, which is no %s", v, t)
		}
	}
	return b, nil
}
