package ptx

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"
)

// kernel loads an entry of a file in testdata.
func kernel(t testing.TB, file, entry string) *Kernel {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(entry)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func floats(n int, f func(i int) float32) *Buffer {
	b := make([]byte, 0, 4*n)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f(i)))
	}
	return &Buffer{Data: b}
}

func (b *Buffer) float(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b.Data[4*i:]))
}

// launchClean runs the kernel with all checks and fails on any finding.
func launchClean(t testing.TB, k *Kernel, cfg Config, args ...any) *Report {
	t.Helper()
	cfg.Checks = CheckAll
	rep, err := k.Launch(context.Background(), cfg, args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Findings {
		t.Errorf("finding: %s", f)
	}
	return rep
}

func TestSaxpy(t *testing.T) {
	k := kernel(t, "basic.ptx", "saxpy")
	const n = 1000
	x := floats(n, func(i int) float32 { return float32(i) })
	y := floats(n, func(i int) float32 { return float32(i) * 0.5 })
	launchClean(t, k, Config{Grid: [3]int{4}, Block: [3]int{256}}, int32(n), float32(2), x, y)
	for i := range n {
		if got, want := y.float(i), float32(i)*2.5; got != want {
			t.Fatalf("y[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestReduce(t *testing.T) {
	k := kernel(t, "basic.ptx", "sum")
	x := floats(5000, func(i int) float32 { return float32(i % 7) })
	o := floats(1, func(int) float32 { return 0 })
	launchClean(t, k, Config{Block: [3]int{256}}, x, o, int32(5000))
	want := float32(0)
	for i := range 5000 {
		want += x.float(i)
	}
	if got := o.float(0); got != want { // n&3 = 0: times 1
		t.Errorf("sum %g, want %g", got, want)
	}
}

func TestPrintf(t *testing.T) {
	k := kernel(t, "basic.ptx", "sum")
	x := floats(1, func(i int) float32 { return -2.5 })
	o := floats(1, func(int) float32 { return 0 })
	var out string
	launchClean(t, k, Config{Block: [3]int{64}, Print: func(s string) { out += s }}, x, o, int32(1))
	if out != "negative -2.500000 1\n" {
		t.Errorf("printed %q", out)
	}
}
