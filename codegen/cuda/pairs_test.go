package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tilec/internal/driver"
	"tilec/runtime/array"
)

// widened is a kernel that widens narrow numbers by themselves, in a product, and, where a
// difference of two is exact, in that.
func widened(from, to array.DType) string {
	third := "f32(X[b*512 + i]) * f32(F[b*512 + i])"
	if from.IsInt() {
		third = "(f32(X[b*512 + i]) - f32(Z[b*512 + i])) * f32(F[b*512 + i])"
	}
	return fmt.Sprintf(`kernel widen(X: %[1]s[N], Z: %[1]s[N], F: %[2]s[N], A: out %[2]s[N], P: out %[2]s[N], D: out %[2]s[N]) {
    grid (b: ceildiv(N, 512)) {
        A[b*512 + i] = %[2]s(X[b*512 + i]) over i: 512
        P[b*512 + i] = %[2]s(f32(F[b*512 + i]) * f32(X[b*512 + i])) over i: 512
        D[b*512 + i] = %[2]s(%[3]s) over i: 512
    }
}
`, from, to, third)
}

// TestWideningIsExact widens every value of the narrow types, two at a time, and compares every bit
// with the interpreter.
func TestWideningIsExact(t *testing.T) {
	const n = 4096
	for _, to := range []array.DType{array.F16, array.BF16} {
		for _, from := range []array.DType{array.I8, array.U8, array.I4, array.U4, array.F8E4M3, array.F8E5M2} {
			t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
				t.Parallel()
				s, m := session(t, "sm_80")
				file := filepath.Join(t.TempDir(), "widen.tile")
				if err := os.WriteFile(file, []byte(widened(from, to)), 0o666); err != nil {
					t.Fatal(err)
				}
				p := s.Load(file)
				if p.Reporter.HasErrors() {
					t.Fatal(p.Reporter.Sorted())
				}
				k := p.Pick("")[0]
				r := rand.New(rand.NewPCG(1, uint64(from)))
				x, z, f := array.New(from, n), array.New(from, n), array.New(to, n)
				for i := range n {
					x.SetBits(i, uint64(i))
					z.SetBits(i, r.Uint64())
					f.SetBits(i, r.Uint64())
				}
				request := driver.RunRequest{Kernel: k, Machine: m, Set: map[string]string{"N": fmt.Sprint(n)}, In: map[string]*array.Array{"X": x, "Z": z, "F": f}}
				got, err := s.Run(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				request.Interpret = true
				want, err := s.Run(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range []string{"A", "P", "D"} {
					g, w := got.Tensors[name], want.Tensors[name]
					for i := range n {
						if g.Bits(i) != w.Bits(i) && !(math.IsNaN(g.At(i)) && math.IsNaN(w.At(i))) {
							t.Fatalf("%s[%d] is %v, not %v", name, i, g.At(i), w.At(i))
						}
					}
				}
				wide := "widen_" + from.String() + "_" + to.String()
				_, units, err := s.Build(t.Context(), driver.BuildRequest{Program: p, Kernels: []driver.Kernel{k}, Machines: []*driver.Machine{m}, Kinds: []driver.Kind{driver.Text}})
				if err != nil {
					t.Fatal(err)
				}
				if pairs := strings.Count(units[0].Text, wide); (from.IsInt() || to == array.F16) && pairs == 0 {
					t.Errorf("%s is not used", wide)
				}
			})
		}
	}
}
