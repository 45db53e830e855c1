package ptx

import "testing"

// The kernels of testdata/cooperative.cu, compiled by NVRTC for sm_80.

// TestGridGroup lets blocks that run at the same time meet at barriers of the grid. What orders
// them must be known whatever the interleaving, so it is done many times.
func TestGridGroup(t *testing.T) {
	k := kernel(t, "cooperative.ptx", "rotate")
	const n, rounds = 256, 3
	for range 50 {
		data := words(n, func(i int) uint32 { return uint32(i) })
		launchClean(t, k, Config{Grid: [3]int{4}, Block: [3]int{n / 4}, Workers: 4}, data, int32(rounds))
		for i := range n {
			if got, want := data.word(i), uint32((i+rounds)%n+rounds); got != want {
				t.Fatalf("data[%d] = %d, want %d", i, got, want)
			}
		}
	}
}

// TestCopiesAhead has a warp end while its copies are on their way to an mbarrier that the others wait for.
func TestCopiesAhead(t *testing.T) {
	k := kernel(t, "cooperative.ptx", "ahead")
	const tiles = 5
	x := floats(128*tiles, func(i int) float32 { return float32(i*7%31) - 15 })
	y := floats(128, func(int) float32 { return 0 })
	y.Undefined = true
	launchClean(t, k, Config{Block: [3]int{160}}, x, y, int32(tiles))
	for i := range 128 {
		want := float32(0)
		for j := range tiles {
			want += x.float(j*128 + i ^ 1)
		}
		if got := y.float(i); got != want {
			t.Fatalf("y[%d] = %g, want %g", i, got, want)
		}
	}
}
