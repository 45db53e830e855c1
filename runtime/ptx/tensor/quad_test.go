package tensor

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// TestQuad checks mma.m8n8k4 in every layout against products of matrices whose
// fragments are filled as the tables of the PTX ISA give rows and columns.
func TestQuad(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, form := range []string{
		"row.col.f32.f16.f16.f32", "col.col.f32.f16.f16.f32", "row.row.f16.f16.f16.f16", "col.row.f16.f16.f16.f32", "row.col.f16.f16.f16.f16",
	} {
		m, err := ParseMMA(strings.Split("sync.aligned.m8n8k4."+form, "."))
		if err != nil {
			t.Fatal(err)
		}
		var a, b [4][8][4]float64 // b by columns
		var c [4][8][8]float64
		for q := range 4 {
			for i := range 8 {
				for k := range 4 {
					a[q][i][k], b[q][i][k] = float64(r.IntN(17)-8), float64(r.IntN(17)-8)/2
				}
				for j := range 8 {
					c[q][i][j] = float64(r.IntN(33) - 16)
				}
			}
		}
		var regs [3][8]lanes.V32
		half := func(reg *lanes.V32, l, i int, v float64) { reg[l] |= uint32(fp.F32ToF16(float32(v))) << (i % 2 * 16) }
		for l := range 32 {
			q, high := l%16/4, l/16*4
			for i := range 4 {
				if m.ColA { // row = i%4 (+4 in the upper lanes), col = laneid%4
					half(&regs[0][i/2], l, i, a[q][i+high][l%4])
				} else {
					half(&regs[0][i/2], l, i, a[q][l%4+high][i])
				}
				if m.RowB { // row = laneid%4, col = i (+4)
					half(&regs[1][i/2], l, i, b[q][i+high][l%4])
				} else {
					half(&regs[1][i/2], l, i, b[q][l%4+high][i])
				}
			}
			for i := range 8 {
				if m.C == F16 {
					half(&regs[2][i/2], l, i, c[q][l%4+high][i])
				} else {
					regs[2][i][l] = math.Float32bits(float32(c[q][l&1+i&2+high][i&4+l&2+i&1]))
				}
			}
		}
		list := func(v *[8]lanes.V32, n int) (p []*lanes.V32) {
			for i := range n {
				p = append(p, &v[i])
			}
			return p
		}
		na, nb, nc := m.Regs()
		nd := m.RegsD()
		if na != 2 || nb != 2 || nc != map[Type]int{F16: 4, F32: 8}[m.C] || nd != map[Type]int{F16: 4, F32: 8}[m.D] {
			t.Fatalf("%s: %d, %d, %d, %d registers", form, na, nb, nc, nd)
		}
		var d [8]lanes.V32
		m.Run(list(&d, nd), list(&regs[0], na), list(&regs[1], nb), list(&regs[2], nc))
		for l := range 32 {
			q, high := l%16/4, l/16*4
			for i := range 8 {
				row, col := l%4+high, i
				got := float64(fp.F16ToF32(uint16(d[i/2][l] >> (i % 2 * 16))))
				if m.D == F32 {
					row, col = l&1+i&2+high, i&4+l&2+i&1
					got = float64(math.Float32frombits(d[i][l]))
				}
				want := c[q][row][col]
				for k := range 4 {
					want += a[q][row][k] * b[q][col][k]
				}
				if got != want {
					t.Fatalf("%s: D%d[%d,%d] = %g, want %g", form, q, row, col, got, want)
				}
			}
		}
	}
	for _, bad := range []string{"row.col.f32.f16.f16.f16", "row.col.f32.bf16.bf16.f32", "col.col.f32.f32.f16.f32"} {
		if _, err := ParseMMA(strings.Split("sync.aligned.m8n8k4."+bad, ".")); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
