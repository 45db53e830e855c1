package machine

import (
	"tilec/ir"
	"tilec/ir/layout"
)

// FMAName names the atom of scalar multiply-adds.
const FMAName = "fma"

// FMA is the atom that every machine has: scalar multiply-adds over a 16 × 32
// block in which each thread of a warp holds four columns side by side in every
// fourth row: reads of an operand then fall into different banks. It serves the types
// that the matrix units lack.
func (m *Machine) FMA(a, b, c ir.DType) *Atom {
	return &Atom{
		Name: FMAName, M: 16, N: 32, K: 1, A: a, B: b, C: c, Rate: m.Rates.FMA32,
		LayoutC: layout.Distributed([]int{16, 32},
			[][]int{{0, 1}, {0, 2}, {4, 0}, {8, 0}},
			[][]int{{0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 0}}, nil),
		Source: "ours",
	}
}

// AtomNamed returns the atom of that name for a product of those types, nil if
// the machine has none.
func (m *Machine) AtomNamed(name string, a, b, c ir.DType) *Atom {
	if name == FMAName {
		return m.FMA(a, b, c)
	}
	for i := range m.Atoms {
		if m.Atoms[i].Name == name {
			return &m.Atoms[i]
		}
	}
	return nil
}
