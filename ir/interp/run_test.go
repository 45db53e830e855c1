package interp

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"tilec/ir"
	"tilec/runtime/array"
)

func parse(t testing.TB, text string) *ir.Func {
	t.Helper()
	f, err := ir.Parse("test.tir", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// values makes an array from a function of the element's number.
func values(t ir.DType, f func(i int) float64, shape ...int) *array.Array {
	a := array.New(t, shape...)
	for i := range a.Len() {
		a.SetFloat(i, f(i))
	}
	return a
}

func matmulFunc(t testing.TB) *ir.Func {
	text, err := os.ReadFile("../testdata/matmul.tir")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func TestMatmul(t *testing.T) {
	const m, n, k = 130, 200, 45
	a := values(array.F16, func(i int) float64 { return math.Sin(float64(i)) }, m, k)
	b := values(array.F16, func(i int) float64 { return math.Cos(float64(i)) }, k, n)
	res, err := Run(context.Background(), matmulFunc(t), Args{Tensors: map[string]*array.Array{"A": a, "B": b}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := res.Tensors["C"]
	for i := range m {
		for j := range n {
			var sum float32
			for p := range k {
				sum += float32(a.At(i*k+p)) * float32(b.At(p*n+j))
			}
			if want := float64(array.F16ToF32(array.F32ToF16(sum))); c.At(i*n+j) != want {
				t.Fatalf("C[%d, %d] = %v, want %v", i, j, c.At(i*n+j), want)
			}
			if !res.Written("C", i*n+j) {
				t.Fatalf("C[%d, %d] is not marked as written", i, j)
			}
		}
	}
}

func TestOutOfBounds(t *testing.T) {
	f := parse(t, `tile func f {
  dim N = X[0]
  param in X: f32[N]
  param out Y: f32[N]
  grid (b: (N + 3) / 4)
  map (i: 4) Y[b * 4 + i] guard(b * 4 + i < N) = X[b * 4 + i + 1]
}`)
	x := values(array.F32, func(i int) float64 { return float64(i) }, 7)
	_, err := Run(context.Background(), f, Args{Tensors: map[string]*array.Array{"X": x}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "read of X[7] is outside its shape [7]") || !strings.Contains(err.Error(), "b = 1") {
		t.Fatal(err)
	}
}
