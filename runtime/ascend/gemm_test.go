package ascend_test

import (
	"testing"

	"tilec/runtime/array"
	"tilec/runtime/ascend"
	"tilec/runtime/launch"
)

// gemmArgs are the arguments of gemm.
func gemmArgs(m, n, k int) (args []ascend.Arg, c *array.Array, want func(i int) float64) {
	a := filled(array.F16, func(i int) float64 { return float64(i*7%13-6) / 4 }, m, k)
	b := filled(array.F16, func(i int) float64 { return float64(i*5%11-5) / 8 }, k, n)
	c = array.New(array.F16, m, n)
	size := func(v int) launch.Arg { return launch.Int(array.I64, int64(v)) }
	return ascend.Args(launch.In(a), launch.In(b), launch.Out(c), size(m), size(n), size(k)), c, func(i int) float64 {
		sum := 0.0
		for p := range k {
			sum += a.At(i/n*k+p) * b.At(p*n+i%n)
		}
		return sum
	}
}

// TestGemm runs ragged products, and looks at how busy a long one keeps the cube.
func TestGemm(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "gemm.cpp"))
	for _, s := range [][3]int{{1, 1, 1}, {130, 300, 200}} {
		args, c, want := gemmArgs(s[0], s[1], s[2])
		clean(t, run(t, p, ascend.Config{Blocks: 2}, args...))
		near(t, c, 1e-2, want)
	}
	args, _, _ := gemmArgs(128, 512, 2048)
	r := run(t, p, ascend.Config{Blocks: 2, CountOnly: true}, args...)
	if share := r.Cores[0].Busy["M"] / r.Cores[0].Cycles; share < 0.85 {
		t.Errorf("the cube is busy %.0f%% of the time", 100*share)
	}
}
