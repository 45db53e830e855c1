package lower_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/lang/ast"
	"tilec/lang/lower"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// TestRun runs every test of every program in testdata/run: the kernel under
// several choices of its tunables, compared with its spec.
func TestRun(t *testing.T) {
	paths, _ := filepath.Glob("testdata/run/*.tile")
	if len(paths) == 0 {
		t.Fatal("no programs")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := load(t, path, readFile(t, path))
			for _, c := range p.Tests {
				t.Run(c.Kernel.Name+" "+c.Title.Value, func(t *testing.T) { runTest(t, p, c) })
			}
		})
	}
}

func runTest(t *testing.T, p *types.Program, c *ast.Test) {
	tc := testCase(t, p, c)
	for _, tunes := range choices(tc) {
		inst := instantiate(t, p, tc, tunes)
		f, spec := lowered(t, inst)
		args := arguments(t, f, tc)
		got := run(t, f, args)
		if spec == nil {
			continue
		}
		want := run(t, spec, args)
		for _, b := range f.Tensors() {
			if b.Kind != ir.In {
				compare(t, b, want, got, tc.Tolerance)
			}
		}
	}
}

// choices returns the first, the last and a middle choice of a kernel's tunables.
func choices(tc *types.TestCase) []map[string]int64 {
	var all []map[string]int64
	for m := range types.TuneSpace(tc.Kernel, tc.Generics, nil) {
		all = append(all, m)
	}
	if len(all) < 3 {
		return all
	}
	return []map[string]int64{all[0], all[len(all)/2], all[len(all)-1]}
}

func testCase(t *testing.T, p *types.Program, c *ast.Test) *types.TestCase {
	t.Helper()
	rep := &diag.Reporter{}
	tc, _ := types.Evaluate(p, c, rep)
	fatal(t, rep)
	return tc
}

func instantiate(t *testing.T, p *types.Program, tc *types.TestCase, tunes map[string]int64) *types.Instance {
	t.Helper()
	rep := &diag.Reporter{}
	inst, ok := types.Instantiate(p, tc.Kernel, types.Bindings{Generics: tc.Generics, Tunes: tunes}, rep)
	fatal(t, rep)
	if !ok {
		t.Fatal("Instantiate failed without a reason")
	}
	return inst
}

// lowered lowers an instance both ways and checks that the results are well
// formed.
func lowered(t *testing.T, inst *types.Instance) (f, spec *ir.Func) {
	t.Helper()
	rep := &diag.Reporter{}
	f, ok := lower.Kernel(inst, rep)
	fatal(t, rep)
	if !ok {
		t.Fatal("Kernel failed without a reason")
	}
	if err := ir.Verify(f); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(f))
	}
	if inst.Spec == nil {
		return f, nil
	}
	spec, ok = lower.Spec(inst, rep)
	fatal(t, rep)
	if !ok {
		t.Fatal("Spec failed without a reason")
	}
	if err := ir.Verify(spec); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(spec))
	}
	return f, spec
}

func run(t *testing.T, f *ir.Func, args interp.Args) *interp.Result {
	t.Helper()
	mine := interp.Args{Tensors: map[string]*array.Array{}, Ints: args.Ints, Floats: args.Floats}
	for name, a := range args.Tensors {
		mine.Tensors[name] = a.Clone()
	}
	res, err := interp.Run(context.Background(), f, mine, interp.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(f))
	}
	return res
}

// compare compares the elements that the spec has written.
func compare(t *testing.T, b *ir.Buffer, want, got *interp.Result, allowed float64) {
	t.Helper()
	w, g := want.Tensors[b.Name], got.Tensors[b.Name]
	tolerance := map[ir.DType]float64{array.F32: 1e-4, array.F16: 8e-3, array.BF16: 4e-2, array.F8E4M3: 0.13}[b.Elem]
	tolerance = max(tolerance, allowed)
	for i := range w.Len() {
		if !want.Written(b.Name, i) {
			continue
		}
		if !got.Written(b.Name, i) {
			t.Fatalf("%s[%d] is not written", b.Name, i)
		}
		x, y := w.At(i), g.At(i)
		if x != y && !(math.Abs(x-y) <= tolerance*max(1, math.Abs(x))) && !(math.IsNaN(x) && math.IsNaN(y)) {
			t.Fatalf("%s[%d] = %v, want %v", b.Name, i, y, x)
		}
	}
}

// arguments makes the arguments that a test asks for.
func arguments(t *testing.T, f *ir.Func, tc *types.TestCase) interp.Args {
	t.Helper()
	args := interp.Args{Tensors: map[string]*array.Array{}, Ints: map[string]int64{}, Floats: map[string]float64{}}
	for name, n := range tc.Dims {
		args.Ints[name] = n
	}
	for name, v := range tc.Scalars {
		args.Floats[name], _ = v.Float64()
		args.Ints[name], _ = v.Int64()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, b := range f.Tensors() {
		if b.Kind == ir.Out {
			continue
		}
		var shape []int
		for _, e := range b.Shape {
			shape = append(shape, int(evaluate(t, e, args.Ints)))
		}
		a := array.New(b.Elem, shape...)
		in, ok := tc.Inputs[b.Name]
		if !ok {
			in = types.Input{Kind: types.Normal, B: 1}
		}
		for i := range a.Len() {
			a.SetFloat(i, sample(in, rng))
		}
		args.Tensors[b.Name] = a
	}
	return args
}

func sample(in types.Input, rng *rand.Rand) float64 {
	switch in.Kind {
	case types.Normal:
		return in.A + in.B*rng.NormFloat64()
	case types.Uniform:
		return in.A + (in.B-in.A)*rng.Float64()
	case types.RandInt:
		return math.Floor(in.A + (in.B-in.A)*rng.Float64())
	}
	return in.A
}

// evaluate computes an extent.
func evaluate(t *testing.T, e *ir.Expr, dims map[string]int64) int64 {
	t.Helper()
	switch e.Op {
	case ir.Const:
		return e.Int
	case ir.Ref:
		return dims[e.Var.Name]
	}
	x, y := evaluate(t, e.Args[0], dims), evaluate(t, e.Args[1], dims)
	switch e.Op {
	case ir.Add:
		return x + y
	case ir.Sub:
		return x - y
	case ir.Mul:
		return x * y
	case ir.Div:
		return x / y
	}
	t.Fatal(fmt.Sprint("extent ", e))
	return 0
}
