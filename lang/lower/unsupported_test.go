package lower_test

import (
	"strings"
	"testing"

	"tilec/internal/diag"
	"tilec/lang/lower"
	"tilec/lang/types"
)

// TestUnsupported holds programs which the checker accepts and lowering refuses,
// with a place.
func TestUnsupported(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"tile in a pointwise fn", `fn f(t: f32[C], x: f32) -> f32 {
    let u[j] = t[j] * x
    return sum[j](u[j])
}
kernel k(Y: out f32[16]) {
    grid (b: 1) {
        tile t: f32[16] = 1
        Y[i] = f(t, t[i])
    }
}
`, "x.tile:2:5: error E0207: this statement in a fn that is called at each point of an index statement is not supported yet"},
		{"gemm on wide integers", `kernel k(Y: out i32[16, 16]) {
    grid (b: 1) {
        tile t: i32[16, 16] = 1
        tile acc: i32[16, 16] = 0
        gemm t, t -> acc
        copy acc -> Y[0, 0]
    }
}
`, "x.tile:5:9: error E0207: a gemm of i32 and i32 is not supported yet"},
		{"prologue", `kernel k(X: f32[N], Y: out f32[N]) {
    let a = N*N + N
    let c = a*a + a
    let d = c*c + c
    let e = d*d + d
    let f = e*e + e
    let g = f*f + f
    let h = g*g + g
    let i = h*h + h
    require i > 0
    grid (b: 1) { Y[0] = X[0] }
}
`, "x.tile:8:5: error E0207: a let of the prologue that comes to more than 4096 operations is not supported yet"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, "x.tile", test.text)
			rep := &diag.Reporter{}
			inst, ok := types.Instantiate(p, p.Kernels[0], types.Bindings{}, rep)
			fatal(t, rep)
			if !ok {
				t.Fatal("Instantiate failed without a reason")
			}
			_, ok = lower.Kernel(inst, rep)
			var got []string
			for _, d := range rep.Sorted() {
				got = append(got, d.Error())
			}
			if ok || strings.Join(got, "\n") != test.want {
				t.Errorf("ok %v, got\n%s\nwant\n%s", ok, strings.Join(got, "\n"), test.want)
			}
		})
	}
}

func BenchmarkAttention(b *testing.B) {
	text := readFile(b, "testdata/run/attention.tile")
	p := load(b, "attention.tile", text)
	rep := &diag.Reporter{}
	inst, _ := types.Instantiate(p, p.Kernels[0], types.Bindings{}, rep)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := lower.Kernel(inst, rep); !ok {
			b.Fatal("failed")
		}
	}
}
