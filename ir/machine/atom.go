package machine

import (
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/runtime/array"
)

// Atom is one matrix instruction of a warp: C[M, N] += A[M, K] · B[K, N].
type Atom struct {
	// Name of the instruction without operands, as in the PTX ISA.
	Name    string
	M, N, K int
	A, B, C ir.DType
	// Rate is multiply-adds a cycle and SM.
	Rate float64
	// LayoutA, LayoutB and LayoutC spread the operands over (reg, lane); A has
	// coordinates (m, k), B (n, k), C (m, n). A register here is one element;
	// elements of consecutive k share a 32-bit register, lower k lower.
	LayoutA, LayoutB, LayoutC *layout.Layout
	Source                    string
}

// Atom returns the fastest atom for operand types a and b and sums in c, nil if
// the machine has none.
func (m *Machine) Atom(a, b, c ir.DType) *Atom {
	var best *Atom
	for i := range m.Atoms {
		t := &m.Atoms[i]
		if t.A == a && t.B == b && t.C == c && (best == nil || t.Rate > best.Rate || t.Rate == best.Rate && t.K > best.K) {
			best = t
		}
	}
	return best
}

// Fragment layouts of mma.sync: with g = lane/4 and t = lane%4, PTX ISA, "Matrix
// fragments for mma.m16n8k16" and its siblings. pack is how many elements share
// a 32-bit register.
func mmaLayouts(k, pack int) (a, b, c *layout.Layout) {
	lanesRowK := [][]int{{0, pack}, {0, 2 * pack}, {1, 0}, {2, 0}, {4, 0}}
	var regA, regB [][]int
	for v := 1; v < pack; v <<= 1 {
		regA = append(regA, []int{0, v})
		regB = append(regB, []int{0, v})
	}
	regA = append(regA, []int{8, 0})
	for v := 4 * pack; v < k; v <<= 1 {
		regA = append(regA, []int{0, v})
		regB = append(regB, []int{0, v})
	}
	a = layout.Distributed([]int{16, k}, regA, lanesRowK, nil)
	b = layout.Distributed([]int{8, k}, regB, lanesRowK, nil)
	c = layout.Distributed([]int{16, 8}, [][]int{{0, 1}, {8, 0}},
		[][]int{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, nil)
	return a, b, c
}

func mma(name string, k int, ab, c ir.DType, rate float64) Atom {
	pack := 32 / ab.Bits()
	at := Atom{Name: "mma.sync.aligned." + name, M: 16, N: 8, K: k, A: ab, B: ab, C: c, Rate: rate,
		Source: "[ptx] mma.sync, fragment layouts; [prog] throughput"}
	at.LayoutA, at.LayoutB, at.LayoutC = mmaLayouts(k, pack)
	return at
}

// tensorCores are the mma.sync atoms that tilec emits on sm_80 and later, by
// rate of f16 products; s8 runs at twice that, tf32 at half.
func tensorCores(f16 float64) []Atom {
	return []Atom{
		mma("m16n8k16.row.col.f32.f16.f16.f32", 16, array.F16, array.F32, f16),
		mma("m16n8k16.row.col.f32.bf16.bf16.f32", 16, array.BF16, array.F32, f16),
		mma("m16n8k8.row.col.f32.tf32.tf32.f32", 8, array.F32, array.F32, f16/2),
		mma("m16n8k32.row.col.s32.s8.s8.s32", 32, array.I8, array.I32, 2*f16),
		mma("m16n8k32.row.col.s32.u8.u8.s32", 32, array.U8, array.I32, 2*f16),
	}
}
