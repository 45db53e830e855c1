package ptx

import (
	"context"
	"strings"
	"testing"

	"tilec/runtime/ptx/lanes"
)

func TestWavefronts(t *testing.T) {
	cases := []struct {
		name          string
		addr          func(l int) uint64
		n             int
		passes, ideal uint64
	}{
		{"words in a row", func(l int) uint64 { return uint64(4 * l) }, 4, 1, 1},
		{"one word for all", func(int) uint64 { return 64 }, 4, 1, 1},
		{"stride of 8 bytes", func(l int) uint64 { return uint64(8 * l) }, 4, 2, 1},
		{"one bank", func(l int) uint64 { return uint64(128 * l) }, 4, 32, 1},
		{"16 bytes in a row", func(l int) uint64 { return uint64(16 * l) }, 16, 4, 4},
		{"rows of 64 bytes, 16 each", func(l int) uint64 { return uint64(64 * l) }, 16, 16, 4},
		{"8 bytes in a row", func(l int) uint64 { return uint64(8 * l) }, 8, 2, 2},
		{"halves of words", func(l int) uint64 { return uint64(2 * l) }, 2, 1, 1},
	}
	for _, c := range cases {
		var addr [lanes.Width]uint64
		for l := range addr {
			addr[l] = c.addr(l)
		}
		if p, i := wavefronts(&addr, fullMask, c.n); p != c.passes || i != c.ideal {
			t.Errorf("%s: %d of %d, want %d of %d", c.name, p, i, c.passes, c.ideal)
		}
	}
}

func TestMatmulCounters(t *testing.T) {
	_, _, _, args := matmulArgs(128, 128, 128)
	cfg := matmulConfig(128, 128)
	cfg.Counters = true
	rep, err := kernel(t, "matmul.ptx", "matmul").Launch(context.Background(), cfg, args...)
	if err != nil {
		t.Fatal(err)
	}
	c := rep.Counters
	if len(c.Tensor) != 1 || c.Tensor[0].Ops != 128*128*128 {
		t.Errorf("tensor: %+v", c.Tensor)
	}
	if c.Async != 2*128*128*2 {
		t.Errorf("copied %d bytes, want %d", c.Async, 2*128*128*2)
	}
	if c.Shared.Conflicts() != 0 {
		t.Errorf("%d bank conflicts in a swizzled layout", c.Shared.Conflicts())
	}
	if c.Global.Stores != 128*128*2 {
		t.Errorf("stored %d bytes, want %d", c.Global.Stores, 128*128*2)
	}
	var table strings.Builder
	if err := c.WriteTable(&table); err != nil || !strings.Contains(table.String(), "tensor") {
		t.Errorf("table: %v\n%s", err, table.String())
	}
	t.Log("\n" + table.String())
}

// TestLanesAndBulk counts how full warps were, and the bytes of bulk copies.
func TestLanesAndBulk(t *testing.T) {
	_, _, _, args, cfg := gemmArgs(64, 64, 128)
	rep := launchClean(t, kernel(t, "hopper.ptx", "gemm"), cfg, args...)
	c := rep.Counters
	if want := (Moved{In: 2 * 2 * 8192, Out: 64 * 64 * 4}); c.Bulk != want {
		t.Errorf("bulk copies %+v, want %+v", c.Bulk, want)
	}
	warps, threads := uint64(0), uint64(0)
	for i, n := range c.Lanes {
		warps += n
		threads += n * uint64(i)
	}
	if warps != c.Warps || threads != c.Threads || c.Lanes[1] == 0 || c.Lanes[32] == 0 {
		t.Errorf("lanes %v of %d instructions by warps, %d by threads", c.Lanes, c.Warps, c.Threads)
	}
}
