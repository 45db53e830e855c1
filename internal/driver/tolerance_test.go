package driver

import (
	"testing"

	"tilec/codegen/launcher"
	"tilec/ir"
)

// A state of 16 bits that a loop hands on loosens the tolerance; one that each iteration makes anew does not, nor one of f32.
func TestLongestRecurrence(t *testing.T) {
	for _, c := range []struct {
		elem, body string
		want       float64
	}{
		{"f16", "map (i: 8) h[i] = f16(f32(h[i]) * 2_f32)", 5},
		{"f16", "map (i: 8) h[i] = f16(f32(X[i]) * 2_f32)", 1},
		{"f32", "map (i: 8) h[i] = h[i] * 2_f32", 1},
	} {
		f, err := ir.Parse("in.tir", `tile func k {
  dim N = X[0]
  param in X: f16[N] in global
  param out Y: `+c.elem+`[N] in global
  grid (b: 1)
  alloc h: `+c.elem+`[8]
  map (i: 8) h[i] = 0_`+c.elem+`
  for t in 0 .. N {
    `+c.body+`
  }
  map (i: 8) Y[i] = h[i] where i < N
}
`)
		if err != nil {
			t.Fatal(err)
		}
		b, err := launcher.Bind(f, launcher.Args{Ints: map[string]int64{"N": 5}})
		if err != nil {
			t.Fatal(err)
		}
		if got := longestRecurrence(f, b); got != c.want {
			t.Errorf("%s: %v iterations, want %v", c.body, got, c.want)
		}
	}
}
