package ptx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// gemmArgs makes the operands of gemm in testdata/hopper.cu: C = A·Bᵀ.
func gemmArgs(m, n, k int) (a, b, c *Buffer, args []any, cfg Config) {
	r := rand.New(rand.NewPCG(1, 2))
	value := func(int) float32 { return float32(r.IntN(17)-8) / 8 }
	a, b, c = halves(m*k, value), halves(n*k, value), floats(m*n, func(int) float32 { return 0 })
	a.Name, b.Name, c.Name = "A", "B", "C"
	a.ReadOnly, b.ReadOnly, c.Undefined = true, true, true
	tile := func(buf *Buffer, rows, cols, size, box int) *TensorMap {
		return &TensorMap{
			Buffer: buf, ElemBytes: size, Dims: []int64{int64(cols), int64(rows)}, Strides: []int64{int64(cols * size)},
			Box: []int{box, 64}, Swizzle: Swizzle128B,
		}
	}
	args = []any{tile(a, m, k, 2, 64), tile(b, n, k, 2, 64), tile(c, m, n, 4, 32), int32(k)}
	return a, b, c, args, Config{Grid: [3]int{(n + 63) / 64, (m + 63) / 64}, Block: [3]int{160}, SharedBytes: 4*16384 + 1024}
}

func TestWarpSpecialisedGEMM(t *testing.T) {
	const m, n, k = 96, 128, 320 // the last rows are half a tile
	kn := kernel(t, "hopper.ptx", "gemm")
	for seed := range uint64(3) {
		a, b, c, args, cfg := gemmArgs(m, n, k)
		cfg.Seed = seed
		launchClean(t, kn, cfg, args...)
		for i := range m {
			for j := range n {
				want := float32(0)
				for l := range k {
					want += a.half(i*k+l) * b.half(j*k+l)
				}
				if got := c.float(i*n + j); got != want {
					t.Fatalf("seed %d: C[%d,%d] = %g, want %g", seed, i, j, got, want)
				}
			}
		}
	}
}

func TestDescriptorLayouts(t *testing.T) {
	for mode := range 8 {
		kn := kernel(t, "hopper.ptx", fmt.Sprintf("layout%d", mode))
		r := rand.New(rand.NewPCG(3, uint64(mode)))
		value := func(int) float32 { return float32(r.IntN(17)-8) / 8 }
		a, b, c := halves(64*64, value), halves(64*64, value), floats(64*64, func(int) float32 { return 0 })
		launchClean(t, kn, Config{Block: [3]int{128}, SharedBytes: 16384 + 1024}, a, b, c)
		for i := range 64 {
			for j := range 64 {
				want := float32(0)
				for l := range 64 {
					want += a.half(i*64+l) * b.half(j*64+l)
				}
				if got := c.float(i*64 + j); got != want {
					t.Fatalf("mode %d: C[%d,%d] = %g, want %g", mode, i, j, got, want)
				}
			}
		}
	}
}

func TestBulkCopies(t *testing.T) {
	kn := kernel(t, "hopper.ptx", "bulk")
	x, y := floats(512, func(i int) float32 { return float32(i) }), floats(512, func(int) float32 { return 0 })
	sum := floats(256, func(i int) float32 { return 0.5 })
	launchClean(t, kn, Config{Grid: [3]int{2}, Block: [3]int{64}}, x, y, sum)
	for i := range 512 {
		if got, want := y.float(i), float32(2*i+1); got != want {
			t.Fatalf("y[%d] = %g, want %g", i, got, want)
		}
	}
	for i := range 256 {
		if got, want := sum.float(i), float32(2*i+1+2*(i+256)+1)+0.5; got != want {
			t.Fatalf("sum[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestClusters(t *testing.T) {
	out := words(8*32, func(int) uint32 { return 0 })
	launchClean(t, kernel(t, "hopper.ptx", "neighbours"), Config{Grid: [3]int{8}, Block: [3]int{32}}, out)
	for i := range 8 * 32 {
		block := i / 32
		want := (block&^3+(block+1)&3)*100 + i%32
		if block%4 == 0 {
			want += 128 * 100000
		}
		if got := int(out.word(i)); got != want {
			t.Fatalf("out[%d] = %d, want %d", i, got, want)
		}
	}
}

func TestMulticast(t *testing.T) {
	const n = 5
	x := floats(32*8*n, func(i int) float32 { return float32(i) })
	out := floats(n*2*32, func(int) float32 { return 0 })
	m := &TensorMap{Buffer: x, ElemBytes: 4, Dims: []int64{32, 8 * n}, Strides: []int64{128}, Box: []int{32, 8}}
	launchClean(t, kernel(t, "hopper.ptx", "multicast"), Config{Grid: [3]int{2}, Block: [3]int{32}}, m, out, int32(n))
	for i := range n * 2 * 32 {
		step, rank, l := i/64, i/32%2, i%32
		if got, want := out.float(i), float32(step*256+l%8*32+l+rank); got != want {
			t.Fatalf("out[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestCountedCopies(t *testing.T) {
	x, y := words(64, func(i int) uint32 { return uint32(i * 3) }), words(64, func(int) uint32 { return 0 })
	launchClean(t, kernel(t, "hopper.ptx", "counted"), Config{Block: [3]int{64}}, x, y)
	for i := range 64 {
		if got := y.word(i); got != uint32(63-i)*3 {
			t.Fatalf("y[%d] = %d", i, got)
		}
	}
}

// TestHopperFaults changes one thing in a kernel: that must be found where it shows.
func TestHopperFaults(t *testing.T) {
	text, err := os.ReadFile("testdata/hopper.ptx")
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, gemm, gemmCfg := gemmArgs(64, 64, 320)
	x, y := floats(256, func(i int) float32 { return float32(i) }), floats(256, func(int) float32 { return 0 })
	sum := floats(256, func(int) float32 { return 0 })
	bulkCfg := Config{Block: [3]int{64}}
	cases := []struct {
		name, entry string
		old, new    string
		nth         int // which occurrence in the entry
		cfg         Config
		args        []any
		kind        Kind
		at          string // a part of the form of one of the instructions
	}{
		{"no proxy fence", "gemm", "fence.proxy.async.shared::cta;", "", 0, gemmCfg, gemm, ProxyFence, "cp.async.bulk.tensor.2d.global"},
		{"no proxy fence before wgmma", "layout3", "fence.proxy.async.shared::cta;", "", 0, Config{Block: [3]int{128}, SharedBytes: 17408},
			[]any{halves(4096, func(int) float32 { return 1 }), halves(4096, func(int) float32 { return 1 }), floats(4096, func(int) float32 { return 0 })}, ProxyFence, "wgmma.mma_async"},
		{"too few bytes expected", "gemm", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r", "8192", operand, gemmCfg, gemm, MbarrierMisuse, "cp.async.bulk.tensor.2d.shared::cluster"},
		{"too many bytes expected", "gemm", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r", "16400", operand, gemmCfg, gemm, Deadlock, "mbarrier.try_wait"},
		{"wrong parity", "gemm", "mbarrier.try_wait.parity.shared::cta.b64 P1, [%r229]", "0", operand, gemmCfg, gemm, Deadlock, "mbarrier.try_wait"},
		{"wrong parity of a reader", "gemm", "mbarrier.try_wait.parity.shared::cta.b64 P1, [%r60]", "1", operand, gemmCfg, gemm, Deadlock, "mbarrier.try_wait"},
		{"wait that is over at once", "bulk", "mbarrier.try_wait.parity.shared::cta.b64 P1, [%r", "1", operand, bulkCfg, []any{x, y, sum}, Unwritten, "ld.shared"},
		{"wait for one group less", "gemm", "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;", all, gemmCfg, gemm, RegisterInFlight, "wgmma.mma_async"},
		{"no wait for products", "gemm", "wgmma.wait_group.sync.aligned 0;", "", 0, gemmCfg, gemm, AsyncOverwrite, "wgmma.mma_async"},
		{"sums written without a fence", "layout3", "{\n.reg .pred p;", "add.f32 SUM, SUM, SUM;\n{\n.reg .pred p;", 0, Config{Block: [3]int{128}, SharedBytes: 17408},
			[]any{halves(4096, func(int) float32 { return 1 }), halves(4096, func(int) float32 { return 1 }), floats(4096, func(int) float32 { return 0 })}, RegisterInFlight, "add.f32"},
		{"no wait for the reading", "bulk", "cp.async.bulk.wait_group.read 0;", "", 0, bulkCfg, []any{x, y, sum}, AsyncOverwrite, "st.shared"},
		{"no barrier after the fence", "bulk", "bar.sync", "//", 1, bulkCfg, []any{x, y, sum}, SharedRace, "cp.reduce.async.bulk.global"},
		{"no barrier after init", "bulk", "bar.sync", "//", 0, bulkCfg, []any{x, y, sum}, SharedRace, "mbarrier.try_wait"},
		{"no barrier of the cluster", "neighbours", "barrier.cluster.wait.aligned;", "", 0, Config{Grid: [3]int{4}, Block: [3]int{32}},
			[]any{words(128, func(int) uint32 { return 0 })}, Unwritten, "ld.shared::cluster"},
	}
	for _, c := range cases {
		if strings.Contains(c.new, "SUM") { // the first register of the entry's products
			part := string(text)[strings.Index(string(text), ".entry "+c.entry+"("):]
			sum, _, _ := strings.Cut(part[strings.Index(part, ".f16.f16 {")+len(".f16.f16 {"):], ",")
			c.new = strings.ReplaceAll(c.new, "SUM", sum)
		}
		src := mutate(t, string(text), c.entry, c.old, c.new, c.nth)
		m, err := Parse("hopper.ptx", src)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		k, err := m.Kernel(c.entry)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		c.cfg.Checks = CheckAll
		rep, err := k.Launch(context.Background(), c.cfg, c.args...)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		found := false
		for _, f := range rep.Findings {
			found = found || f.Kind == c.kind && (strings.Contains(f.At.Form, c.at) || f.Other != nil && strings.Contains(f.Other.Form, c.at))
		}
		if !found {
			t.Errorf("%s: no finding of %q at %s; found:", c.name, c.kind, c.at)
			for _, f := range rep.Findings {
				t.Errorf("  %s", f)
			}
		}
	}
}

// In place of a number: every occurrence, or the last operand of the first.
const (
	all     = -1
	operand = -2
)

// mutate replaces the n-th occurrence of old in the text of an entry.
func mutate(t *testing.T, text, entry, old, with string, n int) string {
	t.Helper()
	start := strings.Index(text, ".entry "+entry+"(")
	end := len(text)
	if k := strings.Index(text[start+1:], ".entry "); k >= 0 {
		end = start + 1 + k
	}
	body := text[start:end]
	if !strings.Contains(body, old) {
		t.Fatalf("%s: no %q", entry, old)
	}
	if n == all {
		return text[:start] + strings.ReplaceAll(body, old, with) + text[end:]
	}
	at := 0
	for i := 0; i <= max(n, 0); i++ {
		at += strings.Index(body[at:], old) + 1
	}
	at--
	stop := at + len(old)
	if n == operand {
		stop = at + strings.Index(body[at:], ";")
		at += strings.LastIndex(body[at:stop], ",") + 1
		with = " " + with
	}
	return text[:start] + body[:at] + with + body[stop:] + text[end:]
}
