//go:build unix

package ptx

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// userTime is what the process has used of processors, which does not depend on
// what else runs on the machine.
func userTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}

// benchmark measures a launch on one processor, with all checks and with none, in
// instructions of threads a second of processor time.
func benchmark(b *testing.B, k *Kernel, cfg Config, args ...any) {
	for _, c := range []struct {
		name   string
		checks Check
	}{{"checks", CheckAll}, {"fast", 0}} {
		b.Run(c.name, func(b *testing.B) {
			cfg := cfg
			cfg.Checks, cfg.Workers = c.checks, 1
			n := uint64(0)
			start := userTime(b)
			for b.Loop() {
				rep, err := k.Launch(context.Background(), cfg, args...)
				if err != nil || len(rep.Findings) > 0 {
					b.Fatal(err, rep.Findings)
				}
				n += rep.Counters.Threads
			}
			b.ReportMetric(float64(n)/(userTime(b)-start).Seconds()/1e6, "Mthread-instr/s")
		})
	}
}

func BenchmarkMatmul(b *testing.B) {
	_, _, _, args := matmulArgs(128, 128, 512)
	benchmark(b, kernel(b, "matmul.ptx", "matmul"), matmulConfig(128, 128), args...)
}

func BenchmarkAttention(b *testing.B) {
	const n, d = 256, 64
	r := rand.New(rand.NewPCG(4, 4))
	random := func(int) float32 { return float32(r.NormFloat64()) }
	args := []any{halves(n*d, random), halves(n*d, random), halves(n*d, random), halves(n*d, random), int32(n), float32(0.18), nil, nil}
	benchmark(b, kernel(b, "triton_attention.ptx", "attention"), Config{Grid: [3]int{n / 64}, Block: [3]int{128}, SharedBytes: 40960}, args...)
}

func BenchmarkSoftmax(b *testing.B) {
	const rows, n = 64, 1000
	x := floats(rows*n, func(i int) float32 { return float32(i % 37) })
	y := floats(rows*n, func(int) float32 { return 0 })
	benchmark(b, kernel(b, "triton_softmax.ptx", "softmax"), Config{Grid: [3]int{rows}, Block: [3]int{128}, SharedBytes: 16}, x, y, int32(n), nil, nil)
}

func BenchmarkSaxpy(b *testing.B) {
	const n = 100000
	x := floats(n, func(i int) float32 { return float32(i) })
	y := floats(n, func(i int) float32 { return 0 })
	benchmark(b, kernel(b, "basic.ptx", "saxpy"), Config{Grid: [3]int{(n + 255) / 256}, Block: [3]int{256}}, int32(n), float32(2), x, y)
}

func BenchmarkHopperGEMM(b *testing.B) {
	_, _, _, args, cfg := gemmArgs(64, 64, 1024)
	benchmark(b, kernel(b, "hopper.ptx", "gemm"), cfg, args...)
}
