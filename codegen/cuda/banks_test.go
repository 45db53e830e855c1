package cuda_test

import (
	"math/rand/v2"
	"testing"

	"tilec/internal/driver"
	"tilec/runtime/array"
)

// TestNoBankConflicts runs the kernels of the main loops on the PTX machine, which
// counts how often an access goes through the banks of shared memory, and which
// sectors of global memory are touched: nothing more often than it must be.
func TestNoBankConflicts(t *testing.T) {
	for _, c := range []struct {
		name, file, kernel string
		define             driver.Definitions
		shapes             map[string][]int
	}{
		{"f16", "matmul", "matmul", driver.Definitions{"BM": "128", "BN": "128", "BK": "32", "stages": "3"}, map[string][]int{"A": {128, 128}, "B": {128, 128}}},
		{"f16 deep", "matmul", "matmul", driver.Definitions{"BM": "64", "BN": "128", "BK": "64", "stages": "2"}, map[string][]int{"A": {64, 192}, "B": {192, 128}}},
		{"f16 narrow", "matmul", "matmul", driver.Definitions{"BM": "256", "BN": "64", "BK": "32", "stages": "2"}, map[string][]int{"A": {256, 96}, "B": {96, 64}}},
		{"weight by rows", "matmul", "linear_gelu", driver.Definitions{"BM": "128", "BN": "128", "BK": "32", "stages": "3"}, map[string][]int{"X": {128, 128}, "W": {128, 128}, "bias": {128}}},
		{"i8", "matmul", "matmul_i8", driver.Definitions{"BM": "128", "BN": "128", "BK": "64", "stages": "3"}, map[string][]int{"A": {128, 256}, "B": {128, 256}}},
		{"i8 deep", "matmul", "matmul_i8", driver.Definitions{"BM": "64", "BN": "64", "BK": "128", "stages": "2"}, map[string][]int{"A": {64, 256}, "B": {64, 256}}},
		{"attention 64", "attention", "attention", driver.Definitions{"D": "64", "BM": "128", "BN": "64", "stages": "2"}, map[string][]int{"Q": {1, 1, 128, 64}, "K": {1, 1, 256, 64}, "V": {1, 1, 256, 64}}},
		{"attention 128", "attention", "attention", driver.Definitions{"D": "128", "BM": "128", "BN": "64", "stages": "2"}, map[string][]int{"Q": {1, 1, 128, 128}, "K": {1, 1, 256, 128}, "V": {1, 1, 256, 128}}},
		{"attention one stage", "attention", "attention", driver.Definitions{"D": "128", "BM": "64", "BN": "32", "stages": "1"}, map[string][]int{"Q": {1, 1, 64, 128}, "K": {1, 1, 128, 128}, "V": {1, 1, 128, 128}}},
		{"softmax", "softmax", "softmax", driver.Definitions{"BM": "1", "BN": "1024", "stages": "2"}, map[string][]int{"X": {2, 4096}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, m := session(t, "sm_80")
			k := example(t, s, c.file, c.kernel)
			rng := rand.New(rand.NewPCG(1, 1))
			in := map[string]*array.Array{}
			for name, shape := range c.shapes {
				a := array.New(array.F32, shape...)
				if c.kernel == "matmul_i8" {
					a = array.New(array.I8, shape...)
				}
				for i := range a.Len() {
					a.SetFloat(i, float64(rng.IntN(15)-7))
				}
				in[name] = a
			}
			res, err := s.Run(t.Context(), driver.RunRequest{Kernel: k, Machine: m, Define: c.define, In: in, Counters: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Findings) > 0 {
				t.Fatal(res.Findings)
			}
			shared := res.Counters.Shared
			if shared.IdealWavefront == 0 {
				t.Fatal("shared memory isn't used")
			}
			if shared.Conflicts() > 0 {
				t.Errorf("%d passes through the banks where %d would do", shared.Wavefronts, shared.IdealWavefront)
				for _, l := range res.Counters.Lines {
					if l.Traffic.Conflicts() > 0 && l.Traffic.IdealWavefront > 0 {
						t.Logf("%s: %d where %d would do", l.Site, l.Traffic.Wavefronts, l.Traffic.IdealWavefront)
					}
				}
			}
			for _, l := range res.Counters.Lines {
				if l.Traffic.Sectors > l.Traffic.NeededSectors {
					t.Errorf("%s: %d sectors of global memory where %d would do", l.Site, l.Traffic.Sectors, l.Traffic.NeededSectors)
				}
			}
		})
	}
}
