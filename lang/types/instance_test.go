package types_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/parser"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// loadText loads a program that must be free of errors.
func loadText(t testing.TB, text string) *types.Program {
	t.Helper()
	rep := &diag.Reporter{}
	p := types.Load("test.tile", func(string) (string, error) { return text, nil }, parser.Parse, rep)
	types.Check(p, rep)
	for _, d := range rep.Sorted() {
		t.Fatal(d.Text(diag.TextOptions{}))
	}
	return p
}

func instantiate(t testing.TB, p *types.Program, kernel string, b types.Bindings) *types.Instance {
	t.Helper()
	rep := &diag.Reporter{}
	in, ok := types.Instantiate(p, p.Kernel(kernel), b, rep)
	if !ok {
		t.Fatal(rep.Sorted())
	}
	return in
}

const attention = `
kernel attention[T: dtype in [f16, bf16] = f16, D: int = 128, causal: bool = false](
    Q: T[B, H, S, D], K: T[B, G, L, D], O: out T[B, H, S, D], P: out f32[B, 2*H], eps: f32)
{
    require H % G == 0
    let groups = H / G
    tune BM in [64, 128], BN in [32, 64] where BN < BM
    grid (qb: ceildiv(S, BM), h: H, b: B) {
        tile q: T[BM, D]
        tile k: T[BN, D]
        tile acc: f32[BM] = 0
        copy Q[b, h, qb*BM, 0] -> q
        for n in 0 .. ceildiv(L, BN) {
            copy K[b, h / groups, n*BN, 0] -> k
            let s[i, j] = sum[d](q[i, d] * k[j, d])
            let w[i, j] = if causal then s[i, j] * 0.5 else s[i, j]
            acc[i] += sum[j](T(w[i, j]))
        }
        O[b, h, qb*BM + i, d] = q[i, d] + acc[i]
    }
    spec { let x[b, h, s, d] = Q[b, h, s, d] * 2 O[b, h, s, d] = x[b, h, s, d] }
}
`

// find returns the statement whose source starts with a text.
func find[N ast.Node](t testing.TB, k *ast.Kernel, start string) N {
	t.Helper()
	var found N
	ok := false
	ast.Inspect(k, func(n ast.Node) bool {
		if x, is := n.(N); is && !ok && strings.HasPrefix(n.Span().Text(), start) {
			found, ok = x, true
		}
		return true
	})
	if !ok {
		t.Fatalf("no %T starts with %q", found, start)
	}
	return found
}

func scalarNames(xs []*types.Scalar) string {
	var parts []string
	for _, x := range xs {
		text := x.Name
		if x.Kind == types.FreeIndex {
			text += ":" + x.Extent.String()
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func TestInstance(t *testing.T) {
	p := loadText(t, attention)
	in := instantiate(t, p, "attention", types.Bindings{Tunes: map[string]int64{"BM": 128}})
	k := in.Kernel.Decl
	if got := fmt.Sprint(in.Bindings.Generics, in.Bindings.Tunes); got != "map[D:128 T:f16 causal:false] map[BM:128 BN:32]" {
		t.Error(got)
	}
	if got := scalarNames(in.Dims); got != "B H S G L" {
		t.Errorf("dims %s", got)
	}
	if d := in.Dims[3]; d.Tensor.Name != "K" || d.Axis != 1 {
		t.Errorf("G is bound by %s axis %d", d.Tensor.Name, d.Axis)
	}
	var params []string
	for _, x := range in.Params {
		if x.Array != nil {
			params = append(params, x.Array.Name+": "+x.Array.Type().String())
		} else {
			params = append(params, x.Scalar.Name+": "+x.Scalar.Type.String())
		}
	}
	want := []string{"Q: f16[B, H, S, 128]", "K: f16[B, G, L, 128]", "O: f16[B, H, S, 128]", "P: f32[B, 2*H]", "eps: f32"}
	if d := cmp.Diff(want, params); d != "" {
		t.Error(d)
	}
	if len(in.Grid) != 3 || in.Grid[0].Var.Name != "qb" || len(in.Requires) != 1 || len(in.Lets) != 1 {
		t.Errorf("grid %v", in.Grid)
	}

	s := in.Body.Index[find[*ast.LetTile](t, k, "let s[")]
	if !s.New || s.Array.Type().String() != "f32[128, 32]" || scalarNames(s.Free) != "i:128 j:32" {
		t.Errorf("s is %s over %s", s.Array.Type(), scalarNames(s.Free))
	}
	r := in.Body.Reductions[find[*ast.Reduce](t, k, "sum[d]")]
	if r.Elem != array.F32 || r.Product == nil || !r.Product.Matrix || scalarNames(r.Product.Rows) != "i:128" ||
		scalarNames(r.Product.Cols) != "j:32" || scalarNames(r.Product.Sum) != "d:128" || r.Product.Acc != array.F32 {
		t.Errorf("reduction %+v", r)
	}
	// causal is false: the condition is constant, and nothing is said about the other branch.
	w := find[*ast.Cond](t, k, "if causal")
	if v := in.Body.Consts[w.If]; v.Kind != types.BoolValue || v.Bool {
		t.Errorf("causal is %v", v)
	}
	if _, ok := in.Body.Types[w.Then]; ok {
		t.Error("the dead branch has a type")
	}
	copyQ := in.Body.Copies[find[*ast.Copy](t, k, "copy Q")]
	if d := cmp.Diff([]int64{128, 128}, copyQ.Shape); d != "" || !slices.Equal(copyQ.Src.Axes, []int{2, 3}) {
		t.Errorf("copy %v %v", copyQ.Shape, copyQ.Src.Axes)
	}
	if sum := find[*ast.Reduce](t, k, "sum[j]"); in.Body.Types[sum.Body].Elem != array.F16 || in.Body.Types[sum].Elem != array.F32 {
		t.Error("a sum of f16 is in f32")
	}
	spec := in.Spec.Index[find[*ast.LetTile](t, k, "let x[")]
	if spec.Array.Kind != types.Temporary || spec.Array.Type().String() != "f64[B, H, S, 128]" {
		t.Errorf("x is %s", spec.Array.Type())
	}
}

func TestTuneSpace(t *testing.T) {
	p := loadText(t, `
kernel k[D: int = 64](A: f32[N], C: out f32[N]) {
    tune BM = 32 in [16, 32, 64] on ascend in [8, 48], BN in [16, 32, D] where BN < BM or BM == 16, stages in [1, 2] where BM * BN < 1024
    grid (b: ceildiv(N, BM)) { C[b*BM + i] = A[b*BM + i] over i: BM }
}`)
	list := func(fixed map[string]int64, targets ...string) (all []string) {
		for m := range types.TuneSpace(p.Kernel("k"), nil, fixed, targets...) {
			all = append(all, fmt.Sprintf("%d/%d/%d", m["BM"], m["BN"], m["stages"]))
		}
		return all
	}
	want := []string{"32/16/1", "32/16/2", "16/16/1", "16/16/2", "16/32/1", "16/32/2"}
	if d := cmp.Diff(want, list(nil)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"16/32/1", "16/32/2"}, list(map[string]int64{"BN": 32})); d != "" {
		t.Error(d)
	}
	if got := list(nil, "sm_80", "cuda"); len(got) != len(want) {
		t.Error(got)
	}
	if got := list(nil, "ascend"); !slices.Equal(got, []string{"48/16/1", "48/16/2"}) { // the default is no candidate there
		t.Error(got)
	}
	ts := types.Tunables(p.Kernel("k"), map[string]types.Value{"D": types.IntOf(48)})
	if len(ts) != 3 || !ts[0].HasDefault || ts[0].Default != 32 || !slices.Equal(ts[1].Candidates, []int64{16, 32, 48}) {
		t.Errorf("%+v", ts)
	}
}

func TestStageTunables(t *testing.T) {
	p := loadText(t, `
kernel f(A: f32[M, N], B: out f32[M, N]) {
    tune BM in [4, 8], s in [1, 2, 3] where s * BM < 24, deep in [2, 3], plain in [2, 4] where plain > 1, other in [1, 2]
    grid (b: ceildiv(M, BM)) {
        pipeline n in 0 .. ceildiv(N, 32), s {
            tile a: f32[BM, 32]
            copy A[b*BM, n*32] -> a
            pipeline k in 0 .. 4, deep { a[i, j] = a[i, j] + f32(plain) }
            pipeline k in 0 .. 4, other + 1 { a[i, j] = a[i, j] + 1 }
            copy a -> B[b*BM, n*32]
        }
    }
}`)
	if diff := cmp.Diff([]string{"s", "deep"}, types.StageTunables(p.Kernels[0])); diff != "" {
		t.Error(diff)
	}
}

func TestSet(t *testing.T) {
	p := loadText(t, attention)
	k := p.Kernel("attention")
	var b types.Bindings
	for _, s := range []string{"T=bf16", "D=64", "causal=true", "BM=128"} {
		name, value, _ := strings.Cut(s, "=")
		if err := b.Set(k, name, value); err != nil {
			t.Error(err)
		}
	}
	if got := fmt.Sprint(b.Generics, b.Tunes); got != "map[D:64 T:bf16 causal:true] map[BM:128]" {
		t.Error(got)
	}
	for text, want := range map[string]string{
		"T=x":      `T: "x" is not a type`,
		"D=1x":     `D: "1x" is not an integer`,
		"causal=1": `causal: "1" is neither true nor false`,
		"cousal=1": "attention has no generic or tunable named cousal; did you mean causal?",
		"zzzzz=1":  "attention has no generic or tunable named zzzzz",
	} {
		name, value, _ := strings.Cut(text, "=")
		if err := b.Set(k, name, value); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestInstantiateErrors: bindings from the command line may be wrong, too.
func TestInstantiateErrors(t *testing.T) {
	p := loadText(t, attention)
	for want, b := range map[string]types.Bindings{
		"T cannot be f32: it is one of f16, bf16":                    {Generics: map[string]types.Value{"T": types.DTypeOf(array.F32)}},
		"attention has no generic named E":                           {Generics: map[string]types.Value{"E": types.IntOf(1)}},
		"T is a dtype generic, it cannot be 3":                       {Generics: map[string]types.Value{"T": types.IntOf(3)}},
		"attention has no tunable named BK":                          {Tunes: map[string]int64{"BK": 1}},
		"BN = 256 is not legal: BN < BM never holds":                 {Tunes: map[string]int64{"BN": 256}},
		"an extent of a tile must be at least 1, not BN, which is 0": {Tunes: map[string]int64{"BN": 0}},
	} {
		rep := &diag.Reporter{}
		in, ok := types.Instantiate(p, p.Kernel("attention"), b, rep)
		if ok || in != nil || len(rep.Sorted()) == 0 || rep.Sorted()[0].Message != want {
			t.Errorf("got %v, want %s", rep.Sorted(), want)
		}
	}
}

func TestEvaluate(t *testing.T) {
	p := loadText(t, attention+`
test "all" attention {
    B = 1, H = 2*2, S = 10, G = 2, L = S + 3, eps = 1e-6, D = 32, T = bf16, BM = 64, tolerance = 1e-3,
    Q = uniform(0, 0.5), K = file("k.npy")
}
`)
	rep := &diag.Reporter{}
	tc, ok := types.Evaluate(p, p.Tests[0], rep)
	if !ok {
		t.Fatal(rep.Sorted())
	}
	if tc.Title != "all" || tc.Kernel.Name != "attention" || tc.Tolerance != 1e-3 || !tc.HasTolerance {
		t.Errorf("%+v", tc)
	}
	if d := cmp.Diff(map[string]int64{"B": 1, "H": 4, "S": 10, "G": 2, "L": 13}, tc.Dims); d != "" {
		t.Error(d)
	}
	if got := fmt.Sprint(tc.Generics, tc.Tunes, tc.Scalars); got != "map[D:32 T:bf16 causal:false] map[BM:64] map[eps:9.999999974752427e-07]" {
		t.Error(got)
	}
	want := map[string]types.Input{"Q": {Kind: types.Uniform, A: 0, B: 0.5}, "K": {Kind: types.FileInput, B: 1, Path: "k.npy"}}
	want["K"] = types.Input{Kind: types.FileInput, Path: "k.npy"}
	if d := cmp.Diff(want, tc.Inputs); d != "" {
		t.Error(d)
	}
}

// TestConcurrent: one program may be instantiated by several goroutines at once.
func TestConcurrent(t *testing.T) {
	p := loadText(t, attention)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			rep := &diag.Reporter{}
			causal := types.BoolOf(i%2 == 0)
			if _, ok := types.Instantiate(p, p.Kernel("attention"), types.Bindings{Generics: map[string]types.Value{"causal": causal}}, rep); !ok {
				t.Error(rep.Sorted())
			}
			types.Check(p, rep)
		})
	}
	wg.Wait()
}

func BenchmarkCheck(b *testing.B) {
	p := loadText(b, attention)
	b.ReportAllocs()
	for b.Loop() {
		types.Check(p, &diag.Reporter{})
	}
}

func BenchmarkInstantiate(b *testing.B) {
	p := loadText(b, attention)
	b.ReportAllocs()
	for b.Loop() {
		instantiate(b, p, "attention", types.Bindings{})
	}
}
