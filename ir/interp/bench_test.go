package interp

import (
	"context"
	"math"
	"testing"

	"tilec/ir"
	"tilec/runtime/array"
)

func bench(b *testing.B, f *ir.Func, args Args) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Run(context.Background(), f, args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func wave(t ir.DType, shape ...int) *array.Array {
	return values(t, func(i int) float64 { return math.Sin(float64(i)) }, shape...)
}

// A matmul of 1024³ in tiles of 128×128×32.
func BenchmarkMatmulTile(b *testing.B) {
	x := wave(array.F16, 1024, 1024)
	bench(b, matmulFunc(b), Args{Tensors: map[string]*array.Array{"A": x, "B": x}})
}

func BenchmarkMatmulScheduled(b *testing.B) {
	x := wave(array.F16, 256, 256)
	bench(b, parse(b, pipeline{}.text()), Args{Tensors: map[string]*array.Array{"A": x, "B": x}})
}

func BenchmarkMatmulSpec(b *testing.B) {
	f := parse(b, `spec func f {
  dim M = A[0]
  dim K = A[1]
  dim N = B[1]
  param in A: f16[M, K]
  param in B: f16[K, N]
  param out C: f16[M, N]
  grid ()
  reduce sum (m: M, n: N) over (k: K) C[m, n] = f64(A[m, k]) * f64(B[k, n])
}`)
	x := wave(array.F16, 512, 512)
	bench(b, f, Args{Tensors: map[string]*array.Array{"A": x, "B": x}})
}

// Softmax of 4096 columns, blocks of 4 rows and 1024 columns.
func BenchmarkSoftmax(b *testing.B) {
	f := parse(b, `tile func f {
  dim M = X[0]
  dim N = X[1]
  param in X: f16[M, N]
  param out Y: f16[M, N]
  grid (b: (M + 3) / 4)
  alloc m: f32[4]
  alloc l: f32[4]
  map (i: 4) m[i] = -inf_f32
  map (i: 4) l[i] = 0_f32
  alloc x: f16[4, 1024]
  for k in 0 .. (N + 1023) / 1024 {
    copy (i: 4, j: 1024) x[i, j] = X[b * 4 + i, k * 1024 + j] guard(b * 4 + i < M and k * 1024 + j < N) else(-inf_f16)
    alloc new: f32[4]
    map (i: 4) new[i] = m[i]
    reduce max accumulate (i: 4) over (j: 1024) new[i] = f32(x[i, j])
    map (i: 4) l[i] = l[i] * exp(m[i] - new[i])
    reduce sum accumulate (i: 4) over (j: 1024) l[i] = exp(f32(x[i, j]) - new[i])
    map (i: 4) m[i] = new[i]
  }
  for k in 0 .. (N + 1023) / 1024 {
    copy (i: 4, j: 1024) x[i, j] = X[b * 4 + i, k * 1024 + j] guard(b * 4 + i < M and k * 1024 + j < N) else(-inf_f16)
    map (i: 4, j: 1024) Y[b * 4 + i, k * 1024 + j] = f16(exp(f32(x[i, j]) - m[i]) / l[i]) where b * 4 + i < M and k * 1024 + j < N
  }
}`)
	bench(b, f, Args{Tensors: map[string]*array.Array{"X": wave(array.F16, 256, 4096)}})
}
