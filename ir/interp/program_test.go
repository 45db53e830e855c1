package interp

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tilec/ir"
	"tilec/runtime/array"
)

// TestPrograms runs small functions: X[3, 4] holds 0, 1, …, 11 as f32, ids holds
// 2, 0, 2, -1, 7 as i32; Y is what comes out.
func TestPrograms(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		name, decl, body string
		want             []float64
		fault            string
	}{
		{"map", "out Y: f32[3, 4]", "map (i: 3, j: 4) Y[i, j] = X[i, j] * 2_f32", []float64{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}, ""},
		{"transpose", "out Y: f32[4, 3]", "copy (i: 4, j: 3) Y[i, j] = X[j, i]", []float64{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, ""},
		{"rounds into f16", "out Y: f16[1]", "copy (i: 1) Y[i] = Z[i]", []float64{65504}, ""},
		{"rounds into i8", "out Y: i8[2]", "copy (i: 2) Y[i] = Z[i]", []float64{127, -3}, ""},
		{"guarded", "out Y: f32[6]", "copy (i: 6) Y[i] = X[0, i] guard(i < 4) else(-1_f32)", []float64{0, 1, 2, 3, -1, -1}, ""},
		{"guarded write", "out Y: f32[2]", "map (i: 6) Y[i] guard(i < 2) = 1_f32", []float64{1, 1}, ""},
		{"where", "inout Y: f32[4]", "map (i: 4) Y[i] = 1_f32 where X[0, i] >= 2_f32", []float64{9, 9, 1, 1}, ""},
		{"gather", "out Y: f32[5]", "map (i: 5) Y[i] = X[i64(ids[i]), 1] guard(ids[i] >= 0_i32 and ids[i] < 3_i32)", []float64{9, 1, 9, 0, 0}, ""},
		{"gather outside", "out Y: f32[5]", "map (i: 5) Y[i] = X[i64(ids[i]), 1]", nil, "read of X[-1, 1] is outside its shape [3, 4]"},
		{"write outside", "out Y: f32[5]", "map (i: 5) Y[i + 1] = 0_f32", nil, "write of Y[5] is outside its shape [5]"},
		{"lazy select", "out Y: f32[6]", "map (i: 6) Y[i] = select(i < 4, X[2, i * 1], 7_f32)", []float64{8, 9, 10, 11, 7, 7}, ""},
		{"lazy and", "out Y: bool[6]", "map (i: 6) Y[i] = i < 4 and X[2, i * 1] > 9_f32", []float64{0, 0, 1, 1, 0, 0}, ""},
		{"lazy or", "out Y: bool[6]", "map (i: 6) Y[i] = i >= 4 or X[2, i * 1] > 9_f32", []float64{0, 0, 1, 1, 1, 1}, ""},
		{"shift in place", "inout Y: f32[4]", "map (i: 4) Y[i] = f32(i)\nmap (i: 3) Y[i + 1] = Y[i]", []float64{0, 0, 1, 2}, ""},
		{"reverse in place", "inout Y: f32[4]", "map (i: 4) Y[i] = f32(i)\nmap (i: 4) Y[3 - i] = Y[i]", []float64{3, 2, 1, 0}, ""},
		{"transpose in place", "inout Y: f32[2, 2]", "map (i: 2, j: 2) Y[i, j] = f32(i * 2 + j)\nmap (i: 2, j: 2) Y[i, j] = Y[j, i]", []float64{0, 2, 1, 3}, ""},
		{"narrow index wraps", "out Y: i32[3]", "map (i i8: 3) Y[i64(i)] = i32(i + 126_i8)", []float64{126, 127, -128}, ""},
		{"narrow index out of range", "out Y: i32[3]", "map (i i8: 3) Y[i64(i + 126_i8) - 126] = 1_i32", nil, "write of Y[-254] is outside"},
		{"narrow condition wraps between", "out Y: f32[6]", "map (i i8: 6) Y[i64(i)] = select(i + 126_i8 > -127_i8, 1_f32, 2_f32)", []float64{1, 1, 2, 2, 1, 1}, ""},
		{"remainders near a multiple", "out Y: f32[2]", "map (i: 2) Y[i] = (16777215_f32 + f32(i)) % 3_f32", []float64{0, 1}, ""},
		{"narrow condition wraps", "out Y: f32[4]", "map (i i8: 4) Y[i64(i)] = select(i + 126_i8 > 0_i8, 1_f32, 2_f32)", []float64{1, 1, 2, 2}, ""},

		{"row sums", "out Y: f32[3]", "reduce sum (i: 3) over (j: 4) Y[i] = X[i, j]", []float64{6, 22, 38}, ""},
		{"column maxima", "out Y: f32[4]", "reduce max (j: 4) over (i: 3) Y[j] = X[i, j]", []float64{8, 9, 10, 11}, ""},
		{"accumulate", "inout Y: f32[4]", "reduce sum accumulate (j: 4) over (i: 3) Y[j] = X[i, j]", []float64{21, 24, 27, 30}, ""},
		{"everything", "out Y: f32[]", "reduce prod () over (i: 2, j: 2) Y[] = X[i + 1, j + 1]", []float64{5 * 6 * 9 * 10}, ""},
		{"sum of products", "out Y: f32[3, 3]", "reduce sum (i: 3, j: 3) over (k: 4) Y[i, j] = X[i, k] * X[j, k]", []float64{14, 38, 62, 38, 126, 214, 62, 214, 366}, ""},
		{"over nothing", "out Y: f32[2]", "reduce max (i: 2) over (j: 4) Y[i] = X[i, j] where j > 4", []float64{-inf, -inf}, ""},
		{"over nothing, integers", "out Y: i8[1]", "reduce min (i: 1) over (j: 4) Y[i] = i8(j) where j > 4", []float64{127}, ""},
		{"where on both", "inout Y: f32[3]", "reduce sum (i: 3) over (j: 4) Y[i] guard(i != 1) = X[i, j] where j != 1 and i + j != 5", []float64{5, 9, 18}, ""},
		{"max skips nan", "out Y: f32[1]", "reduce max (i: 1) over (j: 4) Y[i] = select(j == 1, nan_f32, X[i, j])", []float64{3}, ""},
		{"argmax", "out Y: i32[1]", "reduce argmax () over (i: 3, j: 4) Y[0] = select(j == 2, 5_f32, select(j == 3, nan_f32, X[i, j]))", []float64{9}, ""},
		{"argmin on ties", "out Y: i32[3]", "reduce argmin (i: 3) over (j: 4) Y[i] = max(X[i, j], 2_f32)", []float64{0, 0, 0}, ""},
		{"argmax of nans", "out Y: i32[3]", "reduce argmax (i: 3) over (j: 4) Y[i] = nan_f32", []float64{0, 0, 0}, ""},
		{"any", "out Y: bool[3]", "reduce any (i: 3) over (j: 4) Y[i] = X[i, j] == 6_f32", []float64{0, 1, 0}, ""},
		{"all", "out Y: bool[3]", "reduce all (i: 3) over (j: 4) Y[i] = X[i, j] > 3_f32", []float64{0, 1, 1}, ""},
		{"xor", "out Y: i32[3]", "reduce xor (i: 3) over (j: 4) Y[i] = i32(i * 4 + j)", []float64{0, 0, 0}, ""},
		{"wrapping sum", "out Y: i8[1]", "reduce sum (i: 1) over (j: 4) Y[i] = 100_i8", []float64{-112}, ""},

		{"cumsum", "out Y: f32[3, 4]", "scan sum axis 1 (i: 3, j: 4) Y[i, j] = X[i, j]", []float64{0, 1, 3, 6, 4, 9, 15, 22, 8, 17, 27, 38}, ""},
		{"cummax along rows", "out Y: f32[3, 4]", "scan max (i: 3, j: 4) Y[i, j] = X[i, j]", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, ""},
		{"contract adds", "inout Y: f32[2, 2]", "contract (i: 2, j: 2) over (k: 3) Y[i, j] += X[i, k] * X[j, k]", []float64{14, 26, 26, 86}, ""},
		{"contract with transposed result", "inout Y: f32[2, 3]", "contract (i: 3, j: 2) over (k: 2) Y[j, i] += X[i, k] * X[k, j]", []float64{13, 29, 45, 14, 38, 62}, ""},

		{"atomic", "inout Y: i32[3]", "atomic sum (i: 5) Y[i64(ids[i])] guard(ids[i] >= 0_i32 and ids[i] < 3_i32) = 1_i32", []float64{10, 9, 11}, ""},
		{"atomic old values", "inout Y: i32[2]", "atomic max () Y[0] = 20_i32 old a: i32\natomic exchange () Y[1] = a + 1_i32", []float64{20, 10}, ""},

		{"atomic, then written", "inout Y: i32[1]", "map () Y[0] = 1_i32\natomic sum () Y[0] = 2_i32\nmap () Y[0] = Y[0] * 2_i32", []float64{6}, ""},

		{"loop", "out Y: f32[4]", "var s: f32 = 0_f32\nfor k in 0 .. 12 step 3 {\nassign s = s + f32(k)\nmap () Y[k / 3] = s\n}", []float64{0, 3, 9, 18}, ""},
		{"empty loop", "out Y: f32[]", "for k in 3 .. 3 {\nmap () Y[] = 0_f32\n}", []float64{nan}, ""},
		{"bad step", "out Y: f32[]", "let z: i64 = 0\nfor k in 0 .. 3 step z {\nmap () Y[] = 0_f32\n}", nil, "step of loop over k is 0"},
		{"while", "out Y: i64[]", "var n: i64 = 1\nwhile n < 100 {\nassign n = n * 3\n}\nmap () Y[] = n", []float64{243}, ""},
		{"if", "out Y: i64[3]", "for k in 0 .. 3 {\nif k == 1 {\nmap () Y[k] = 5\n} else {\nmap () Y[k] = 6\n}\n}", []float64{6, 5, 6}, ""},
		{"let of an element", "out Y: f32[]", "let x: f32 = X[1, 1]\nmap () Y[] = x", []float64{5}, ""},
		{"tile partly written", "out Y: f32[4]", "alloc t: f32[4]\nmap (i: 4) t[i] = 0_f32 where i != 2\ncopy (i: 4) Y[i] = t[i]", nil, "read of t[2], which nothing has written"},
		{"tile forgotten", "out Y: f32[4]", "for k in 0 .. 2 {\nalloc t: f32[4]\nif k == 0 {\nmap (i: 4) t[i] = 0_f32\n}\ncopy (i: 4) Y[i] = t[i]\n}", nil, "read of t[0], which nothing has written"},
		{"output not written yet", "out Y: f32[4]", "map (i: 4) Y[i] = 0_f32 where i < 2\nmap (i: 4) Y[i] = Y[i]", nil, "read of Y[2], which nothing has written"},
		{"assert", "out Y: f32[3, 4]", `assert (i: 3, j: 4) X[i, j] < 6_f32 text ["too large"]`, nil, "assertion failed: too large (at i = 1, j = 2)"},
		{"assert holds", "out Y: f32[]", "assert () true text [\"no\"]\nmap () Y[] = 1_f32", []float64{1}, ""},
		{"rand", "out Y: f32[2]", "map (i: 2) Y[i] = rand(i, 0)", []float64{float64(uniform(0, 0)), float64(uniform(1, 0))}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := parse(t, "tile func f {\n param in X: f32[3, 4]\n param in Z: f32[2]\n param in ids: i32[5]\n param "+c.decl+"\n grid ()\n"+c.body+"\n}")
			args := Args{Tensors: map[string]*array.Array{
				"X":   values(array.F32, func(i int) float64 { return float64(i) }, 3, 4),
				"Z":   array.FromFloats64(array.F32, []float64{65519, -3.7}, 2),
				"ids": array.FromInts(array.I32, []int64{2, 0, 2, -1, 7}, 5),
			}}
			y := f.Params[3].Tensor
			if y.Kind == ir.InOut {
				args.Tensors["Y"] = values(y.Elem, func(int) float64 { return 9 }, y.Extents()...)
			}
			res, err := Run(context.Background(), f, args, Options{Workers: 2})
			if c.fault != "" {
				var fault *Fault
				if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.fault) || fault.Op == nil || !fault.Span.IsValid() {
					t.Fatalf("got %v, want a placed fault with %q", err, c.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := res.Tensors["Y"].Floats64()
			for i := range got {
				if !res.Written("Y", i) && y.Kind == ir.Out {
					got[i] = nan
				}
			}
			if !slices.EqualFunc(got, c.want, func(x, y float64) bool { return x == y || x != x && y != y }) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestWritersMeet(t *testing.T) {
	f := parse(t, `tile func f {
  param out Y: f32[4]
  grid (b: 4)
  map (i: 2) Y[b + i] guard(b + i < 4) = 1_f32
}`)
	_, err := Run(context.Background(), f, Args{}, Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "write of Y[1], which another grid instance (number 0) writes too") || !strings.Contains(err.Error(), "at grid (b = 1)") {
		t.Error(err)
	}
}

func TestAtomicsAndWritesMeet(t *testing.T) {
	f := parse(t, `tile func f {
  param inout Y: f32[4]
  grid (b: 4)
  atomic sum () Y[0] = f32(b)
  map () Y[b] = 1_f32 where b == 3 or b == 0
}`)
	y := Args{Tensors: map[string]*array.Array{"Y": array.New(array.F32, 4)}}
	_, err := Run(context.Background(), f, y, Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "write of Y[0], which atomic operations of grid instances update") {
		t.Error(err)
	}
}

func TestReadOfAnotherInstance(t *testing.T) {
	f := parse(t, `tile func f {
  param inout Y: f32[4]
  grid (b: 4)
  map () Y[b] = select(b > 0, Y[max(b - 1, 0)], 0_f32)
}`)
	_, err := Run(context.Background(), f, Args{Tensors: map[string]*array.Array{"Y": array.New(array.F32, 4)}}, Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "read of Y[0], which another grid instance (number 0) writes") {
		t.Error(err)
	}
}

func TestPrintInOrder(t *testing.T) {
	f := parse(t, `tile func f {
  grid (x: 3, y: 2)
  print (x, f32(y) / 2_f32, x == y) text ["x = ", ", y/2 = ", " ", ""]
}`)
	var out bytes.Buffer
	if _, err := Run(context.Background(), f, Args{}, Options{Workers: 4, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	want := "x = 0, y/2 = 0 true\nx = 1, y/2 = 0 false\nx = 2, y/2 = 0 false\nx = 0, y/2 = 0.5 false\nx = 1, y/2 = 0.5 true\nx = 2, y/2 = 0.5 false\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestArguments(t *testing.T) {
	f := parse(t, `tile func f {
  dim M = X[0]
  dim N = X[1]
  param in X: f32[M, N]
  param in W: f32[2 * N]
  param out Y: f32[M]
  param eps: f32
  param n: i32
  param on: bool
  require M % 2 == 0 text "M must be even"
  grid ()
  map (i: 1) Y[i] guard(i < M) = W[i] + eps
}`)
	good := func() Args {
		return Args{
			Tensors: map[string]*array.Array{"X": array.New(array.F32, 4, 3), "W": array.New(array.F32, 6)},
			Ints:    map[string]int64{"n": 1, "on": 1}, Floats: map[string]float64{"eps": 0.1},
		}
	}
	res, err := Run(context.Background(), f, good(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if y := res.Tensors["Y"]; y.At(0) != float64(float32(0.1)) || !slices.Equal(y.Shape, []int{4}) || !res.Written("Y", 0) || res.Written("Y", 1) {
		t.Errorf("Y = %v", y.Floats32())
	}
	for _, c := range []struct {
		change func(a *Args)
		want   string
	}{
		{func(a *Args) { delete(a.Tensors, "W") }, "no array for tensor W"},
		{func(a *Args) { a.Tensors["W"] = array.New(array.F32, 5) }, "tensor W must have shape [6], its array has [5]"},
		{func(a *Args) { a.Tensors["W"] = array.New(array.F16, 6) }, "tensor W is f32, its array f16"},
		{func(a *Args) { a.Tensors["X"] = array.New(array.F32, 4) }, "tensor X has rank 2, its array 1"},
		{func(a *Args) { a.Tensors["Y"] = array.New(array.F32, 5) }, "tensor Y must have shape [4], its array has [5]"},
		{func(a *Args) { delete(a.Floats, "eps") }, "no value for parameter eps of type f32"},
		{func(a *Args) { delete(a.Ints, "on") }, "no value for parameter on of type bool"},
		{func(a *Args) { a.Ints["M"] = 7 }, "dimension M is 7, but dimension 0 of X is 4"},
		{func(a *Args) { a.Tensors["X"] = array.New(array.F32, 3, 3) }, "requirement not met: M must be even"},
	} {
		a := good()
		c.change(&a)
		if _, err := Run(context.Background(), f, a, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestSpec(t *testing.T) {
	f := parse(t, `spec func softmax {
  dim M = X[0]
  dim N = X[1]
  param in X: f16[M, N]
  param out Y: f16[M, N]
  grid ()
  alloc m: f64[M] temporary
  reduce max (i: M) over (j: N) m[i] = f64(X[i, j])
  alloc e: f64[M, N] temporary
  map (i: M, j: N) e[i, j] = exp(f64(X[i, j]) - m[i])
  alloc l: f64[M] temporary
  reduce sum (i: M) over (j: N) l[i] = e[i, j]
  map (i: M, j: N) Y[i, j] = e[i, j] / l[i] where j != 1
}`)
	const m, n = 300, 200
	x := values(array.F16, func(i int) float64 { return math.Sin(float64(i * i)) }, m, n)
	res, err := Run(context.Background(), f, Args{Tensors: map[string]*array.Array{"X": x}}, Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	y := res.Tensors["Y"]
	if y.DType != array.F64 {
		t.Fatalf("a spec's result is %s", y)
	}
	for i := range m {
		sum, largest := 0.0, math.Inf(-1)
		for j := range n {
			largest = max(largest, x.At(i*n+j))
		}
		for j := range n {
			sum += math.Exp(x.At(i*n+j) - largest)
		}
		for j := range n {
			if res.Written("Y", i*n+j) != (j != 1) {
				t.Fatalf("Y[%d, %d] is written: %v", i, j, j == 1)
			}
			if want := math.Exp(x.At(i*n+j)-largest) / sum; j != 1 && y.At(i*n+j) != want {
				t.Fatalf("Y[%d, %d] = %v, want %v", i, j, y.At(i*n+j), want)
			}
		}
	}
	narrow := array.New(array.F16, m, n)
	if _, err := Run(context.Background(), f, Args{Tensors: map[string]*array.Array{"X": x, "Y": narrow}}, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := array.RoundFloat(array.F16, y.At(0)); narrow.At(0) != want {
		t.Errorf("into f16: %v, want %v", narrow.At(0), want)
	}
}

func TestEmpty(t *testing.T) {
	f := parse(t, `tile func f {
  dim N = X[0]
  param in X: f32[N]
  param out Y: f32[N]
  grid (b: (N + 3) / 4)
  copy (i: 4) Y[b * 4 + i] guard(b * 4 + i < N) = X[b * 4 + i] guard(b * 4 + i < N)
}`)
	res, err := Run(context.Background(), f, Args{Tensors: map[string]*array.Array{"X": array.New(array.F32, 0)}}, Options{})
	if err != nil || res.Instances != 0 {
		t.Error(res, err)
	}
}

func TestCancel(t *testing.T) {
	f := parse(t, `tile func f {
  param out Y: i64[]
  grid ()
  var n: i64 = 0
  while n >= 0 {
    assign n = n + 1
    assign n = n % 1000
  }
  map () Y[] = n
}`)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, f, Args{}, Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// With several faults, that of the first grid instance is reported.
func TestFirstFault(t *testing.T) {
	f := parse(t, `tile func f {
  param out Y: f32[64]
  grid (b: 64)
  assert () b < 37 text ["late"]
  map () Y[b] = 0_f32
}`)
	for range 20 {
		_, err := Run(context.Background(), f, Args{}, Options{Workers: 4})
		if err == nil || !strings.Contains(err.Error(), "b = 37") {
			t.Fatal(err)
		}
	}
}
