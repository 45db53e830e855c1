package layout

// Accumulator repeats the C fragment of an atom over an m × n tile shared by a
// grid of warpsM × warpsN warps, each with a contiguous block of it. Registers
// run through the atom's own, then the atoms along n, then those along m.
func Accumulator(c *Layout, m, n, warpsM, warpsN int) *Layout {
	am, an := c.Out[0].Size, c.Out[1].Size
	m, n = Pow2(max(m, am*warpsM)), Pow2(max(n, an*warpsN))
	reg := append([][]int{}, c.Bases(Reg)...)
	for v := an; v < n/warpsN; v <<= 1 {
		reg = append(reg, []int{0, v})
	}
	for v := am; v < m/warpsM; v <<= 1 {
		reg = append(reg, []int{v, 0})
	}
	var warp [][]int
	for v := n / warpsN; v < n; v <<= 1 {
		warp = append(warp, []int{0, v})
	}
	for v := m / warpsM; v < m; v <<= 1 {
		warp = append(warp, []int{v, 0})
	}
	return Distributed([]int{m, n}, reg, c.Bases(Lane), warp)
}

// Operand repeats an operand fragment (coordinates (row, k)) of an atom over a
// tile of depth k that has the rows of the accumulator's dimension dim (0 for A,
// 1 for B), cut into blocks for the warps as they are there.
func Operand(frag, acc *Layout, dim, k int) *Layout {
	fr, fk := frag.Out[0].Size, frag.Out[1].Size
	k = Pow2(max(k, fk))
	rows := acc.Out[dim].Size
	reg := append([][]int{}, frag.Bases(Reg)...)
	for v := fk; v < k; v <<= 1 {
		reg = append(reg, []int{0, v})
	}
	var warp [][]int
	top := rows
	for _, b := range acc.Bases(Warp) {
		warp = append(warp, []int{b[dim], 0})
		if b[dim] != 0 && b[dim] < top {
			top = b[dim]
		}
	}
	for v := fr; v < top; v <<= 1 {
		reg = append(reg, []int{v, 0})
	}
	return Distributed([]int{rows, k}, reg, frag.Bases(Lane), warp)
}

// SameThreads reports that two register layouts give each thread the same
// elements, if perhaps in other registers.
func (l *Layout) SameThreads(m *Layout) bool {
	if len(l.Out) != len(m.Out) || len(l.In) != len(m.In) {
		return false
	}
	for o := range l.Out {
		if l.Out[o].Size != m.Out[o].Size {
			return false
		}
	}
	eq := func(a, b [][]int) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			for d := range a[i] {
				if a[i][d] != b[i][d] {
					return false
				}
			}
		}
		return true
	}
	if !eq(l.Bases(Lane), m.Bases(Lane)) || !eq(l.Bases(Warp), m.Bases(Warp)) || len(l.Bases(Reg)) != len(m.Bases(Reg)) {
		return false
	}
	return l.registersTo(m) != nil
}

// registersTo returns for each register bit of l the register bit of m with the
// same basis, nil if there is none for one of them.
func (l *Layout) registersTo(m *Layout) []int {
	to := make([]int, 0, len(l.Bases(Reg)))
next:
	for _, b := range l.Bases(Reg) {
	search:
		for i, c := range m.Bases(Reg) {
			for d := range b {
				if b[d] != c[d] {
					continue search
				}
			}
			to = append(to, i)
			continue next
		}
		return nil
	}
	return to
}
