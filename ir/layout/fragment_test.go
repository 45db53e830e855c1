package layout

import (
	"slices"
	"testing"
)

// sums is the C fragment of the m16n8 atoms (PTX ISA, "Matrix Fragments for
// mma.m16n8k16"): with g = lane/4 and t = lane%4, element i is in row
// g + 8·(i/2) and column 2t + i%2.
func sums() *Layout {
	return Distributed([]int{16, 8}, [][]int{{0, 1}, {8, 0}}, [][]int{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, nil)
}

// left and right are the operand fragments of m16n8k16 in 16-bit types.
func left() *Layout {
	return Distributed([]int{16, 16}, [][]int{{0, 1}, {8, 0}, {0, 8}}, [][]int{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, nil)
}

func right() *Layout {
	return Distributed([]int{8, 16}, [][]int{{0, 1}, {0, 8}}, [][]int{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, nil)
}

// TestAccumulatorRepeatsTheAtom compares every register with the formula: warps
// have blocks of their own, within one registers run through the atom, then the
// atoms along n, then those along m.
func TestAccumulatorRepeatsTheAtom(t *testing.T) {
	for _, c := range []struct{ m, n, wm, wn int }{{16, 8, 1, 1}, {64, 64, 2, 2}, {128, 128, 2, 2}, {64, 32, 4, 1}, {128, 256, 2, 4}, {12, 20, 1, 2}} {
		l := Accumulator(sums(), c.m, c.n, c.wm, c.wn)
		pm, pn := Pow2(max(c.m, 16*c.wm)), Pow2(max(c.n, 8*c.wn))
		if !slices.Equal(l.Shape(), []int{pm, pn}) || !l.Covers() || !l.Simple() {
			t.Errorf("%v: %s of shape %v covers %v, simple %v", c, l, l.Shape(), l.Covers(), l.Simple())
		}
		each(l, func(in, out []int) {
			r, lane, warp := in[0], in[1], in[2]
			atom := r / 4
			atomN, atomM := atom%(pn/c.wn/8), atom/(pn/c.wn/8)
			row := warp/c.wn*(pm/c.wm) + atomM*16 + lane/4 + 8*(r>>1&1)
			col := warp%c.wn*(pn/c.wn) + atomN*8 + 2*(lane%4) + r&1
			if out[0] != row || out[1] != col {
				t.Fatalf("%v: register %d of lane %d, warp %d holds %v, not (%d, %d)", c, r, lane, warp, out, row, col)
			}
		})
	}
}

// TestOperandsRepeatTheFragments: a warp holds the operand rows of its own block
// of sums, registers running through the atom, then along k, then along rows.
func TestOperandsRepeatTheFragments(t *testing.T) {
	for _, c := range []struct{ m, n, k, wm, wn int }{{16, 8, 16, 1, 1}, {64, 64, 32, 2, 2}, {64, 32, 64, 4, 1}, {64, 32, 20, 4, 1}} {
		acc := Accumulator(sums(), c.m, c.n, c.wm, c.wn)
		k := Pow2(max(c.k, 16))
		a := Operand(left(), acc, 0, c.k)
		each(a, func(in, out []int) {
			r, lane, warp := in[0], in[1], in[2]
			atom := r / 8
			row := warp/c.wn*(c.m/c.wm) + atom/(k/16)*16 + lane/4 + 8*(r>>1&1)
			col := atom%(k/16)*16 + 2*(lane%4) + r&1 + 8*(r>>2&1)
			if out[0] != row || out[1] != col {
				t.Fatalf("%v: A register %d of lane %d, warp %d holds %v, not (%d, %d)", c, r, lane, warp, out, row, col)
			}
		})
		b := Operand(right(), acc, 1, c.k)
		each(b, func(in, out []int) {
			r, lane, warp := in[0], in[1], in[2]
			atom := r / 4
			row := warp%c.wn*(c.n/c.wn) + atom/(k/16)*8 + lane/4
			col := atom%(k/16)*16 + 2*(lane%4) + r&1 + 8*(r>>1&1)
			if out[0] != row || out[1] != col {
				t.Fatalf("%v: B register %d of lane %d, warp %d holds %v, not (%d, %d)", c, r, lane, warp, out, row, col)
			}
		})
	}
}

// TestSumsAreTheNextLeftOperand: the sums of one product, rounded to 16 bits,
// lie as the A fragments of the next, without a value changing its thread.
func TestSumsAreTheNextLeftOperand(t *testing.T) {
	first := Accumulator(sums(), 64, 32, 4, 1)
	second := Accumulator(sums(), 64, 128, 4, 1)
	if a := Operand(left(), second, 0, 32); !first.SameThreads(a) {
		t.Errorf("the sums %s are not the operand %s", first, a)
	}
	split := Accumulator(sums(), 64, 32, 2, 2)
	if a := Operand(left(), Accumulator(sums(), 64, 128, 2, 2), 0, 32); split.SameThreads(a) {
		t.Errorf("the sums %s of half a row are taken for the operand %s", split, a)
	}
}
