package lower_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"tilec/ir"
	"tilec/lang/types"
)

// TestShapes runs kernels at random shapes, empty and tiny ones among them, and
// random choices of their tunables, against their specs.
func TestShapes(t *testing.T) {
	sizes := []int64{0, 1, 2, 7, 16, 33, 65}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for _, file := range []string{"matmul", "norms", "pointwise", "softmax", "attention", "vector_add"} {
		path := "testdata/run/" + file + ".tile"
		p := load(t, path, readFile(t, path))
		seen := map[string]bool{}
		for _, c := range p.Tests {
			if seen[c.Kernel.Name] {
				continue
			}
			seen[c.Kernel.Name] = true
			t.Run(c.Kernel.Name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(3, uint64(len(c.Kernel.Name))))
				tc := testCase(t, p, c)
				for range rounds {
					for _, name := range slices.Sorted(maps.Keys(tc.Dims)) {
						tc.Dims[name] = sizes[rng.IntN(len(sizes))]
					}
					if h, ok := tc.Dims["H"]; ok && tc.Kernel.Decl.Name.Name == "attention" {
						tc.Dims["G"] = []int64{1, max(h, 1)}[rng.IntN(2)]
						tc.Dims["B"], tc.Dims["H"] = min(tc.Dims["B"], 2), min(h, 4)
						tc.Dims["G"] = min(tc.Dims["G"], max(tc.Dims["H"], 1))
					}
					if v, ok := tc.Dims["V"]; ok {
						tc.Inputs["ids"] = types.Input{Kind: types.RandInt, A: -2, B: float64(v + 2)}
					}
					t.Log(tc.Dims)
					all := choices(tc)
					f, spec := lowered(t, instantiate(t, p, tc, all[rng.IntN(len(all))]))
					args := arguments(t, f, tc)
					got, want := run(t, f, args), run(t, spec, args)
					for _, b := range f.Tensors() {
						if b.Kind != ir.In {
							compare(t, b, want, got, tc.Tolerance)
						}
					}
				}
			})
		}
	}
}
