package ptx

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"tilec/runtime/ptx/fp"
)

// The kernels of testdata/async.cu, compiled by NVRTC for sm_80.

const asyncTiles = 7

func asyncInput(n int) (x *Buffer) {
	return floats(n, func(i int) float32 { return float32(i*37%101) - 50 })
}

func checkHandover(t *testing.T, x, out *Buffer) {
	t.Helper()
	for i := range 128 {
		want := float32(0)
		for k := range asyncTiles {
			want += x.float(128*k + i)
		}
		if got := out.float(i); got != want {
			t.Fatalf("out[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestBlockBarrier(t *testing.T) {
	k := kernel(t, "async.ptx", "handover")
	for seed := range uint64(4) {
		x, out := asyncInput(128*asyncTiles), floats(128, func(int) float32 { return 0 })
		launchClean(t, k, Config{Block: [3]int{160}, Seed: seed}, x, out, int32(asyncTiles))
		checkHandover(t, x, out)
	}
}

func TestPipeline(t *testing.T) {
	k := kernel(t, "async.ptx", "stages")
	for seed := range uint64(4) {
		x, out := asyncInput(512*asyncTiles), floats(128, func(int) float32 { return 0 })
		launchClean(t, k, Config{Block: [3]int{128}, Seed: seed}, x, out, int32(asyncTiles))
		for i := range 128 {
			want := float32(0)
			for n := range asyncTiles {
				for e := range 4 {
					want += x.float(512*n + (i+1)%128*4 + e)
				}
			}
			if got := out.float(i); got != want {
				t.Fatalf("out[%d] = %g, want %g", i, got, want)
			}
		}
	}
}

func TestSplitKDequant(t *testing.T) {
	const k = 256
	kn := kernel(t, "async.ptx", "splitk4")
	a := halves(16*k, func(i int) float32 { return float32(i%7) - 3 })
	w := &Buffer{Data: make([]byte, 8*k/2)}
	for i := range w.Data {
		w.Data[i] = byte(i * 29)
	}
	scale := halves(8*k/32, func(i int) float32 { return float32(i%4+1) / 4 })
	c := floats(16*8, func(int) float32 { return 0 })
	launchClean(t, kn, Config{Grid: [3]int{4}, Block: [3]int{32}}, a, w, scale, c, int32(k))
	for i := range 16 {
		for j := range 8 {
			want := 0.0
			for l := range k {
				q := int(w.Data[(j*k+l)/2]>>(l%2*4)&15) - 8
				v := fp.F16().ToFloat64(fp.F16().FromFloat64(float64(q)*float64(scale.half(j*(k/32)+l/32)), fp.RN, false))
				want += float64(a.half(i*k+l)) * v
			}
			if got := float64(c.float(i*8 + j)); math.Abs(got-want) > 1e-4*math.Abs(want) {
				t.Fatalf("C[%d,%d] = %g, want %g", i, j, got, want)
			}
		}
	}
}

// TestAsyncFaults breaks the synchronisation of the sources above, one place at a time.
func TestAsyncFaults(t *testing.T) {
	text, err := os.ReadFile("testdata/async.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, entry, old, with string
		n                      int
		kind, at               string
	}{
		{"initialised without a barrier", "handover", "barrier.sync", "//", all, "race in shared memory", "mbarrier"},
		{"an arrival less", "handover", "mbarrier.arrive.shared.b64", "//", 2, "deadlock", "mbarrier.test_wait"},
		{"a tile read too early", "stages", "mbarrier.test_wait.parity.shared.b64 P_OUT, [%r15], %r14;", "setp.eq.u32 P_OUT, 0, 0;", 0, "read before the copy is waited for", "ld.shared"},
		{"an arrival that does not wait for the copies", "stages", "cp.async.mbarrier.arrive.shared.b64", "//", all, "read before the copy is waited for", "ld.shared"},
	} {
		broken := mutate(t, string(text), c.entry, c.old, c.with, c.n)
		m, err := Parse("async.ptx", broken)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel(c.entry)
		if err != nil {
			t.Fatal(err)
		}
		threads := 128
		if c.entry == "handover" {
			threads = 160
		}
		rep, err := k.Launch(context.Background(), Config{Block: [3]int{threads}, Checks: CheckAll}, asyncInput(512*asyncTiles), floats(128, func(int) float32 { return 0 }), int32(asyncTiles))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range rep.Findings {
			found = found || f.Kind.String() == c.kind && strings.Contains(f.String(), c.at)
		}
		if !found {
			t.Errorf("%s: found %v, want %s at %s", c.name, rep.Findings, c.kind, c.at)
		}
	}
}
