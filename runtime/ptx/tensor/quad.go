package tensor

import (
	"math"
	"slices"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// parseQuad reads the modifiers of mma.m8n8k4 on f16, in which eight lanes, four of
// each half of the warp, multiply matrices of their own (PTX ISA, "Matrix Fragments
// for mma.m8n8k4 with .f16 floating point type"). It returns nil for others.
func parseQuad(mods []string) *MMA {
	if len(mods) != 9 || !slices.Equal(mods[:3], []string{"sync", "aligned", "m8n8k4"}) || !slices.Equal(mods[6:8], []string{"f16", "f16"}) {
		return nil
	}
	m := &MMA{M: 8, N: 8, K: 4, A: F16, B: F16, D: typeNames[mods[5]], C: typeNames[mods[8]], Quad: true, ColA: mods[3] == "col", RowB: mods[4] == "row"}
	layout := func(s string) bool { return s == "row" || s == "col" }
	sum := func(t Type) bool { return t == F16 || t == F32 }
	if !layout(mods[3]) || !layout(mods[4]) || !sum(m.D) || !sum(m.C) || m.D == F32 && m.C != F32 {
		return nil
	}
	return m
}

// quadElem is the place in an operand of 8 by 4, by its rows of 4 along k, of element i of
// the lane's fragment; lane is 0 to 7 within the eight. Strided operands hold k lane by lane.
func quadElem(lane, i int, strided bool) (row, k int) {
	if strided {
		return i + lane&4, lane & 3
	}
	return lane, i
}

// quadSum is the place in C or D of element i of a lane's fragment.
func quadSum(t Type, lane, i int) (row, col int) {
	if t == F16 {
		return lane, i
	}
	return lane&1 + i&2 + lane&4, i&4 + lane&2 + i&1
}

// runQuad multiplies the four pairs of matrices. Sums are of exact products in the
// order of k, begun with C and rounded once.
func (m *MMA) runQuad(d, a, b, c []*lanes.V32) {
	var out [8]lanes.V32 // D may be C in another order
	for q := range 4 {
		var ma, mb [8][4]float64
		var sum [8][8]float64
		for lane := range 8 {
			l := q*4 + lane&3 + lane>>2*16
			for i := range 4 {
				row, k := quadElem(lane, i, m.ColA)
				ma[row][k] = float64(fp.F16ToF32(uint16(a[i/2][l] >> (i % 2 * 16))))
				row, k = quadElem(lane, i, m.RowB)
				mb[row][k] = float64(fp.F16ToF32(uint16(b[i/2][l] >> (i % 2 * 16))))
			}
			for i := range 8 {
				row, col := quadSum(m.C, lane, i)
				if m.C == F16 {
					sum[row][col] = float64(fp.F16ToF32(uint16(c[i/2][l] >> (i % 2 * 16))))
				} else {
					sum[row][col] = float64(math.Float32frombits(c[i][l]))
				}
			}
		}
		for row := range 8 {
			for col := range 8 {
				for k := range 4 {
					sum[row][col] = math.FMA(ma[row][k], mb[col][k], sum[row][col])
				}
			}
		}
		for lane := range 8 {
			l := q*4 + lane&3 + lane>>2*16
			for i := range 8 {
				row, col := quadSum(m.D, lane, i)
				if m.D == F16 {
					out[i/2][l] |= fp.F16().FromFloat64(sum[row][col], fp.RN, false) << (i % 2 * 16)
				} else {
					out[i][l] = single(sum[row][col])
				}
			}
		}
	}
	for r := range d {
		*d[r] = out[r]
	}
}
