package ptx

import (
	"context"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"tilec/runtime/ptx/fp"
)

func words(n int, f func(i int) uint32) *Buffer {
	b := make([]byte, 0, 4*n)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, f(i))
	}
	return &Buffer{Data: b}
}

func (b *Buffer) word(i int) uint32 { return binary.LittleEndian.Uint32(b.Data[4*i:]) }

func halves(n int, f func(i int) float32) *Buffer {
	b := make([]byte, 0, 2*n)
	for i := range n {
		b = binary.LittleEndian.AppendUint16(b, fp.F32ToF16(f(i)))
	}
	return &Buffer{Data: b}
}

func (b *Buffer) half(i int) float32 { return fp.F16ToF32(binary.LittleEndian.Uint16(b.Data[2*i:])) }

func TestCollatz(t *testing.T) {
	k := kernel(t, "basic.ptx", "collatz")
	const n = 300
	x := words(n, func(i int) uint32 { return uint32(i*7 + 1) })
	out := words(n, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Grid: [3]int{3}, Block: [3]int{128}}, x, out, int32(n))
	for i := range n {
		v, s := uint32(i*7+1), uint32(0)
		for v != 1 {
			if v&1 == 1 {
				v = 3*v + 1
				if s > 100 {
					break
				}
			} else {
				v >>= 1
			}
			s++
		}
		switch s % 5 {
		case 0:
			s += 10
		case 1:
			s *= 3
		case 2:
			s ^= 0xff
		case 3:
			s = s<<2 | 1
		default:
			s -= 7
		}
		if got := out.word(i); got != s {
			t.Fatalf("steps[%d] = %d, want %d", i, got, s)
		}
	}
}

func TestHistogram(t *testing.T) {
	k := kernel(t, "basic.ptx", "histogram")
	x := &Buffer{Data: make([]byte, 10001)}
	want := make([]uint32, 256)
	for i := range x.Data {
		x.Data[i] = byte(i * i)
		want[x.Data[i]]++
	}
	bins := words(256, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Grid: [3]int{8}, Block: [3]int{128}}, x, bins, int32(len(x.Data)))
	for i := range want {
		if bins.word(i) != want[i] {
			t.Fatalf("bin %d: %d, want %d", i, bins.word(i), want[i])
		}
	}
}

func TestLock(t *testing.T) {
	k := kernel(t, "basic.ptx", "locked")
	lock, count := words(1, func(int) uint32 { return 0 }), words(1, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Grid: [3]int{5}, Block: [3]int{96}}, lock, count)
	if got := count.word(0); got != 5*96 {
		t.Errorf("count %d, want %d", got, 5*96)
	}
}

func TestLastBlock(t *testing.T) {
	k := kernel(t, "basic.ptx", "lastblock")
	x := floats(1000, func(i int) float32 { return float32(i % 10) })
	partial := floats(40, func(int) float32 { return 0 })
	partial.Undefined = true
	out := floats(1, func(int) float32 { return 0 })
	launchClean(t, k, Config{Grid: [3]int{40}, Block: [3]int{32}}, x, partial, out, int32(1000))
	if got := out.float(0); got != 4500 {
		t.Errorf("sum %g, want 4500", got)
	}
}

func TestGridWide(t *testing.T) {
	k := kernel(t, "basic.ptx", "gridwide")
	arrived, out := words(1, func(int) uint32 { return 0 }), words(30, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Grid: [3]int{30}, Block: [3]int{32}}, arrived, out)
	for i := range 30 {
		if out.word(i) != 30 {
			t.Errorf("block %d saw %d blocks", i, out.word(i))
		}
	}
}

func TestCalls(t *testing.T) {
	k := kernel(t, "basic.ptx", "calls")
	x := floats(64, func(i int) float32 { return float32(i) / 64 })
	y := floats(64, func(int) float32 { return 0 })
	launchClean(t, k, Config{Block: [3]int{64}}, x, y, int32(20))
	poly := func(x float32, n int) float32 {
		s := float32(0)
		for i := range n {
			s = float32(float64(s)*float64(x) + float64(i))
		}
		return s
	}
	for i := range 64 {
		var a [8]float32
		for k := range a {
			a[k] = poly(x.float(i), k)
		}
		want := float32(0)
		for k := range 20 {
			want += a[(k*3+i)&7]
		}
		if i == 40 {
			want = poly(1, 3)
		}
		if got := y.float(i); got-want > 1e-4 || want-got > 1e-4 {
			t.Fatalf("y[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestNamedBarriers(t *testing.T) {
	k := kernel(t, "basic.ptx", "named")
	x := floats(128, func(i int) float32 { return float32(i) })
	launchClean(t, k, Config{Block: [3]int{128}}, x)
	for i := range 128 {
		want := float32(63 - i)
		if i >= 64 {
			want = float32(i) + 1
		}
		if got := x.float(i); got != want {
			t.Fatalf("x[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestVotes(t *testing.T) {
	k := kernel(t, "basic.ptx", "votes")
	v := func(i int) uint32 { return uint32(i*i+i/3) % 8 }
	x, out := words(64, v), words(64, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Block: [3]int{64}}, x, out)
	count := uint32(0)
	for i := range 64 {
		count += v(i) & 1
	}
	for i := range 64 {
		var ballot, match, sum, most, odd uint32
		anySeven := uint32(0)
		for l := range 32 {
			u := v(i&^31 + l)
			if u > 3 {
				ballot |= 1 << l
			}
			if u == v(i) {
				match |= 1 << l
			}
			if u == 7 {
				anySeven = 1
			}
			sum, most, odd = sum+u, max(most, u), odd+u&1
		}
		h := uint32(0)
		if v(i)&1 == 1 {
			h = odd
		}
		want := ballot ^ anySeven<<1 ^ 1<<2 ^ match ^ count<<8 ^ 1<<17 ^ sum<<20 ^ most ^ h<<24
		if got := out.word(i); got != want {
			t.Fatalf("thread %d: %#x, want %#x (differ in %d bits)", i, got, want, bits.OnesCount32(got^want))
		}
	}
}

// matmulArgs makes the operands of testdata/matmul.cu.
func matmulArgs(m, n, k int) (a, b, c *Buffer, args []any) {
	r := rand.New(rand.NewPCG(1, 1))
	a = halves(m*k, func(int) float32 { return float32(r.IntN(17)-8) / 8 })
	b = halves(k*n, func(int) float32 { return float32(r.IntN(17)-8) / 8 })
	c = halves(m*n, func(int) float32 { return 0 })
	a.Name, b.Name, c.Name = "A", "B", "C"
	a.ReadOnly, b.ReadOnly, c.Undefined = true, true, true
	return a, b, c, []any{a, b, c, int32(m), int32(n), int32(k)}
}

func matmulConfig(m, n int) Config {
	return Config{Grid: [3]int{n / 128, m / 128}, Block: [3]int{128}, SharedBytes: 3 * (128*32 + 32*128) * 2}
}

func TestMatmul(t *testing.T) {
	const m, n, k = 256, 128, 160
	kn := kernel(t, "matmul.ptx", "matmul")
	a, b, c, args := matmulArgs(m, n, k)
	launchClean(t, kn, matmulConfig(m, n), args...)
	for i := range m {
		for j := range n {
			want := float32(0)
			for l := range k {
				want += a.half(i*k+l) * b.half(l*n+j)
			}
			if got := c.half(i*n + j); got != fp.F16ToF32(fp.F32ToF16(want)) {
				t.Fatalf("C[%d,%d] = %g, want %g", i, j, got, want)
			}
		}
	}
}

// TestFaults runs programs with one fault each: it must be found, at its line.
func TestFaults(t *testing.T) {
	line := func(file, text string) int {
		src, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		return 1 + slices.IndexFunc(strings.Split(string(src), "\n"), func(s string) bool { return strings.Contains(s, text) })
	}
	_, _, _, args := matmulArgs(128, 128, 160)
	x := floats(100, func(int) float32 { return 1 })
	out := floats(1, func(int) float32 { return 0 })
	cases := []struct {
		file, entry string
		cfg         Config
		args        []any
		kind        Kind
		line        int
	}{
		{"matmul_fault1.ptx", "matmul", matmulConfig(128, 128), args, SharedRace, line("matmul.cu", `"ldmatrix.sync`)},
		{"matmul_fault2.ptx", "matmul", matmulConfig(128, 128), args, AsyncRead, line("matmul.cu", `"ldmatrix.sync`)},
		{"matmul_fault3.ptx", "matmul", matmulConfig(128, 128), args, OutOfBounds, line("matmul.cu", `"cp.async.cg`)},
		{"basic_nobarrier.ptx", "sum", Config{Block: [3]int{64}}, []any{x, out, int32(100)}, SharedRace, line("basic.cu", "? part[threadIdx.x]")},
	}
	for _, c := range cases {
		c.cfg.Checks = CheckAll
		rep, err := kernel(t, c.file, c.entry).Launch(context.Background(), c.cfg, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range rep.Findings {
			found = found || f.Kind == c.kind && (f.At.Line == c.line || f.Other != nil && f.Other.Line == c.line)
		}
		if !found {
			t.Errorf("%s: no finding of %q at line %d; found:", c.file, c.kind, c.line)
			for _, f := range rep.Findings {
				t.Errorf("  %s", f)
			}
		}
	}
}
