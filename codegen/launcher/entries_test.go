package launcher

import (
	"strings"
	"testing"

	"tilec/codegen/cuda"
	"tilec/ir"
	"tilec/runtime/array"
)

// program is a function in text form: the head up to the grid, what its fast variant assumes, and the rest.
type program struct{ head, assumes, rest string }

var matmul = program{
	head: `scheduled func matmul {
  doc "C = A · B, accumulated in f32."
  dim M = A[0]
  dim K = A[1]
  dim N = B[1]
  param in A: f16[M, K]
  param in B: f16[K, N]
  param out C: f16[M, N]
  generic T = "f16"
  tune BM = "128"
  tune BN = "64"
`,
	assumes: `  assume A aligned 16
  assume B aligned 16
  assume C aligned 16
  assume multiple K of 8
  assume multiple N of 8
`,
	rest: `  grid (bx: (N + 63) / 64, by: (M + 127) / 128) panel 8
}
`,
}

// odd has an extent that is a formula, one that is a constant, scalars, a strided tensor, requirements, and a persistent grid.
var odd = program{
	head: `scheduled func odd {
  dim M = X[0]
  dim N = Y[1]
  param in X: f32[M, 2 * N + 1] strided (X_s0, X_s1)
  param inout Y: i8[3, N]
  param in Z: i4[N, M / 2 + min(M, 5)]
  param eps: f32
  param big: i32
  param on: bool
  param out W: bf16[M]
  require M % 4 != 3 and N - M / 3 < 1000 text "M is not \"odd\""
  require eps > 0_f32 or on text "eps is positive"
  require select(big < 10_i32, big, big / 3_i32) * 2_i32 != 14_i32 text "big is fine"
`,
	assumes: `  assume W aligned 16
  assume Z aligned 16
  assume multiple M of 4
`,
	rest: `  grid (a: M - 1, b: N, c: 2) persistent
}
`,
}

// unit describes the compiled variants of a program as codegen/cuda does.
func (p program) unit(t *testing.T) *cuda.Unit {
	t.Helper()
	u := &cuda.Unit{Entries: []cuda.Entry{p.entry(t, true), p.entry(t, false)}}
	u.Entries[1].Name += "_any"
	return u
}

func (p program) entry(t *testing.T, fast bool) cuda.Entry {
	t.Helper()
	text := p.head + p.rest
	if fast {
		text = p.head + p.assumes + p.rest
	}
	f, err := ir.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	f.Warps, f.SharedBytes = 4, 49152
	if fast {
		f.SharedBytes = 98304
	}
	e := cuda.Entry{Name: f.Name, Func: f, Threads: 32 * f.Warps, Shared: f.SharedBytes, Narrow: fast}
	for _, p := range f.Params {
		if p.Tensor != nil {
			e.Params = append(e.Params, cuda.Param{Name: p.Tensor.Name, Tensor: p.Tensor})
		} else {
			e.Params = append(e.Params, cuda.Param{Name: p.Scalar.Name, Scalar: p.Scalar, Type: p.Scalar.Type})
		}
	}
	dim := array.I64
	if fast {
		dim = array.I32
	}
	for _, d := range f.Dims {
		e.Params = append(e.Params, cuda.Param{Name: d.Var.Name, Scalar: d.Var, Type: dim})
	}
	for _, b := range f.Tensors() {
		for _, s := range b.Strides {
			e.Params = append(e.Params, cuda.Param{Name: s.Name, Scalar: s, Type: array.I64})
		}
	}
	return e
}

// wantError fails unless err is nil for an empty want, or contains it.
func wantError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want != "":
		t.Errorf("%s: no error, want %q", name, want)
	case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %q, want %q", name, err, want)
	}
}
