package interp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tilec/ir/layout"
	"tilec/runtime/array"
)

func TestRaces(t *testing.T) {
	rows := layout.Blocked([]int{32, 8}, layout.RowMajor(2), 4, 2).String()
	cols := layout.Blocked([]int{32, 8}, []int{0, 1}, 1, 2).String()
	half := layout.Blocked([]int{16, 8}, layout.RowMajor(2), 2, 2).String()
	plain := layout.Shared([]int{32, 8}, 4, layout.Swizzle{}).String()
	write := "map (i: 32, j: 8) s[i, j] = X[i, j] layout " + rows + "\n"
	again := "map (i: 32, j: 8) s[i, j] = X[i, j] layout " + cols + "\n"
	own := "map (i: 32, j: 8) Y[i, j] = s[i, j] layout " + rows + "\n"
	other := "map (i: 32, j: 8) Y[i, j] = s[i, j] layout " + cols + "\n"
	inPlace := "map (i: 32, j: 8) s[i, j] = s[i, j] * 2_f32 layout " + rows + "\n"
	fill := "map (i: 32, j: 8) Y[i, j] = 2_f32 layout " + rows + "\n"
	sums := "reduce sum (i: 32) over (j: 8) r[i] = X[i, j] layout " + cols + " scratch (warps: f32[2, 32] in shared made"
	scratch := sums + " layout " + layout.Shared([]int{2, 32}, 4, layout.Swizzle{}).String() + ")\n"
	scratch2 := sums + " offset 1280 layout " + layout.Shared([]int{2, 32}, 4, layout.Swizzle{}).String() + ")\n"
	cases := []struct {
		name, body string
		want       string
	}{
		{"own elements", write + own, ""},
		{"in place", write + inPlace + own, ""},
		{"others' elements", write + other, "read of s[0, 1] races with its write by another thread"},
		{"barrier between", write + "barrier\n" + other, ""},
		{"overwrites what others read", write + "barrier\n" + other + write, "write of s[0, 1] races with its read by another thread"},
		{"overwrites what others read, one barrier", write + "barrier\n" + other + "barrier\n" + write + own, ""},
		{"two writers", write + again, "write of s[0, 1] races with its write by another thread"},
		{"shifted", write + "map (i: 31, j: 8) Y[i, j] = s[i + 1, j] layout " + rows + "\n", "read of s[1, 0] races"},
		{"barrier in the wrong place", "barrier\n" + write + other, "races"},
		{"scalar read", write + "let x: f32 = s[3, 3]\n", "read of s[3, 3] races with its write"},
		{"scalar read behind a barrier", write + "barrier\nlet x: f32 = s[3, 3]\n" + own, ""},
		{"takes over memory", write + "map (i: 32, j: 8) u[i, j] = 1_f32 layout " + rows + "\nbarrier\n" + own,
			"read of s[0, 0], whose memory u has taken over"},
		{"takes over memory that others read", write + "barrier\n" + other + "map (i: 32, j: 8) u[i, j] = 1_f32 layout " + rows + "\n",
			"write of u[0, 1] races with its read"},
		{"through a tensor", fill + "map (i: 32, j: 8) s[i, j] = Y[i, j] layout " + cols + "\n", "read of Y[0, 1] races with its write"},
		{"through a tensor, ordered", fill + "barrier\nmap (i: 32, j: 8) s[i, j] = Y[i, j] layout " + cols + "\n", ""},
		{"unwritten", "map (i: 16, j: 8) s[i, j] = 0_f32 layout " + half + "\nbarrier\n" + other, "read of s[16, 0], which nothing has written"},
		{"scratch", write + "barrier\n" + scratch + "barrier\n" + write + own, ""},
		{"scratch over what others read", write + "barrier\n" + other + scratch, "write of warps[0, 0] races with its read by another thread"},
		{"scratch over what is still needed", write + "barrier\n" + scratch + "barrier\n" + own, "read of s[0, 0], whose memory warps has taken over"},
		{"scratch orders", write + scratch2 + other, ""},
		{"reduction's result", write + "reduce sum (i: 32) over (j: 8) v[i] = s[i, j] layout " + rows + "\nbarrier\nlet x: f32 = v[5]\n", ""},
		{"reduction's result without barrier", write + "reduce sum (i: 32) over (j: 8) v[i] = s[i, j] layout " + rows + "\nlet x: f32 = v[5]\n",
			"read of v[5] races with its write"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := parse(t, fmt.Sprintf(`scheduled func f {
  param in X: f32[32, 8]
  param inout Y: f32[32, 8]
  machine sm_80
  warps 2
  shared 2048
  grid ()
  alloc s: f32[32, 8] in shared layout %[1]s
  alloc u: f32[32, 8] in shared layout %[1]s
  alloc v: f32[32] in shared offset 1024 layout %[2]s
  alloc r: f32[32] in register layout %[4]s
  %[3]s
}`, plain, layout.Shared([]int{32}, 4, layout.Swizzle{}), c.body, layout.Blocked([]int{32}, layout.RowMajor(1), 1, 2)))
			x := values(array.F32, func(i int) float64 { return float64(i) }, 32, 8)
			_, err := Run(context.Background(), f, Args{Tensors: map[string]*array.Array{"X": x, "Y": x.Clone()}}, Options{})
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Fatalf("got %v, want %q", err, c.want)
			}
		})
	}
}
