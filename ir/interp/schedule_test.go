package interp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tilec/ir/layout"
	"tilec/runtime/array"
)

// pipeline is a scheduled matmul of 16×16 tiles with three stages; every field
// is a way to get its schedule wrong.
type pipeline struct {
	waitMore   int    // groups that the wait leaves in flight too many
	noWait     bool   // no wait in the loop
	noBarrier  bool   // none before the contraction
	noCommit   bool   // none in the loop
	noPrologue bool   // no commits before the loop
	issue      string // stage that the loop copies into
	read       string // stage that the contraction reads
	lateCopy   bool   // the copies of the next stage come before the wait
	overlap    bool   // both rings share memory
}

func (p pipeline) text() string {
	rows := layout.Blocked([]int{16, 16}, layout.RowMajor(2), 8, 1)
	shared := layout.Shared([]int{3, 16, 16}, 8, layout.ConflictFree(32))
	issue, read := "(k + 2) % 3", "k % 3"
	if p.issue != "" {
		issue = p.issue
	}
	if p.read != "" {
		read = p.read
	}
	copies := func(k, stage string) string {
		return fmt.Sprintf(`    if %[1]s < (K + 15) / 16 {
      copy (i: 16, j: 16) a[%[2]s, i, j] = A[by * 16 + i, (%[1]s) * 16 + j] guard(by * 16 + i < M and (%[1]s) * 16 + j < K) async layout %[3]s
      copy (i: 16, j: 16) b[%[2]s, i, j] = B[(%[1]s) * 16 + i, bx * 16 + j] guard((%[1]s) * 16 + i < K and bx * 16 + j < N) async layout %[3]s
    }
`, k, stage, rows)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `scheduled func matmul {
  dim M = A[0]
  dim K = A[1]
  dim N = B[1]
  param in A: f16[M, K]
  param in B: f16[K, N]
  param out C: f32[M, N]
  machine sm_80
  warps 1
  shared 3584
  grid (bx: (N + 15) / 16, by: (M + 15) / 16)
  alloc acc: f32[16, 16] in register layout %s
  alloc a: f16[3, 16, 16] in shared layout %s
`, rows, shared)
	offset := " offset 1536"
	if p.overlap {
		offset = ""
	}
	fmt.Fprintf(&b, "  alloc b: f16[3, 16, 16] in shared%s layout %s\n", offset, shared)
	fmt.Fprintf(&b, "  map (i: 16, j: 16) acc[i, j] = 0_f32 layout %s\n", rows)
	for s := range 2 {
		b.WriteString(copies(fmt.Sprint(s), fmt.Sprint(s)))
		if !p.noPrologue {
			b.WriteString("  commit\n")
		}
	}
	b.WriteString("  for k in 0 .. (K + 15) / 16 {\n")
	next := copies("k + 2", issue)
	if !p.noCommit {
		next += "    commit\n"
	}
	if p.lateCopy {
		b.WriteString(next)
	}
	if !p.noWait {
		fmt.Fprintf(&b, "    wait %d\n", 1+p.waitMore)
	}
	if !p.noBarrier {
		b.WriteString("    barrier\n")
	}
	if !p.lateCopy {
		b.WriteString(next)
	}
	fmt.Fprintf(&b, "    contract (i: 16, j: 16) over (r: 16) acc[i, j] += a[%[1]s, i, r] * b[%[1]s, r, j] atom m16n8k16\n  }\n", read)
	fmt.Fprintf(&b, "  copy (i: 16, j: 16) C[by * 16 + i, bx * 16 + j] guard(by * 16 + i < M and bx * 16 + j < N) = acc[i, j] layout %s\n}\n", rows)
	return b.String()
}

func TestPipeline(t *testing.T) {
	cases := []struct {
		name string
		p    pipeline
		want string // part of the fault; empty: runs
	}{
		{"right", pipeline{}, ""},
		{"wait leaves one more", pipeline{waitMore: 1}, "read of a[0, 0, 0] while a copy to it is in flight: no wait has completed its group"},
		{"no wait", pipeline{noWait: true}, "in flight: no wait has completed its group"},
		{"no barrier", pipeline{noBarrier: true}, "read of a[0, 0, 0] races with its write by another thread, no barrier since the wait for it between"},
		{"no commit in the loop", pipeline{noCommit: true}, "in flight"},
		{"no commit before the loop", pipeline{noPrologue: true}, "wait before any group"},
		{"copies into the stage being read", pipeline{issue: "k % 3"}, "read of a[0, 0, 0] while a copy to it is in flight"},
		{"copies into the stage read next", pipeline{issue: "(k + 1) % 3"}, "in flight"},
		{"reads the stage before", pipeline{read: "(k + 2) % 3"}, "in flight"},
		{"copies before the barrier", pipeline{lateCopy: true, waitMore: 1}, "write of a[0, 0, 0] races with its read by another thread"},
		{"rings share memory", pipeline{overlap: true}, "write of b[0, 0, 0] while a copy to it is in flight"},
	}
	const m, n, k = 20, 33, 100
	a := values(array.F16, func(i int) float64 { return math.Sin(float64(i)) }, m, k)
	b := values(array.F16, func(i int) float64 { return math.Cos(float64(i)) }, k, n)
	args := Args{Tensors: map[string]*array.Array{"A": a, "B": b}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := parse(t, c.p.text())
			res, err := Run(context.Background(), f, args, Options{})
			if c.want != "" {
				var fault *Fault
				if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("got %v, want a fault with %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range m * n {
				var sum float32
				for r := range k {
					sum += float32(a.At(i/n*k+r)) * float32(b.At(r*n+i%n))
				}
				if got := res.Tensors["C"].At(i); got != float64(sum) {
					t.Fatalf("C[%d, %d] = %v, want %v", i/n, i%n, got, sum)
				}
			}
		})
	}
}
