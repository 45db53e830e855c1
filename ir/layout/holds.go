package layout

// Holds reports that every element which a thread touches under m is in that
// thread's registers under l. Both are register layouts with the same outputs.
//
// The maps are linear, so it suffices to look at single bits: what a lane or
// warp bit changes under m must differ from what it changes under l by
// something that registers of l reach, and so must each register bit of m.
func (l *Layout) Holds(m *Layout) bool {
	if len(l.Out) != len(m.Out) {
		return false
	}
	for o := range l.Out {
		if m.Out[o].Size > l.Out[o].Size {
			return false
		}
	}
	var s span
	for _, basis := range l.Bases(Reg) {
		s.add(l.pack(basis))
	}
	for _, basis := range m.Bases(Reg) {
		if !s.has(l.pack(basis)) {
			return false
		}
	}
	for _, input := range []string{Lane, Warp} {
		a, b := l.Bases(input), m.Bases(input)
		for i := range max(len(a), len(b)) {
			var diff uint64
			if i < len(a) {
				diff ^= l.pack(a[i])
			}
			if i < len(b) {
				diff ^= l.pack(b[i])
			}
			if !s.has(diff) {
				return false
			}
		}
	}
	return true
}

// span is a set of vectors closed under exclusive or, by its reduced basis.
type span struct{ pivots [64]uint64 }

// reduce returns w less what the basis can make of it; 0 if w is in the span.
func (s *span) reduce(w uint64) uint64 {
	for b := 63; b >= 0; b-- {
		if w>>b&1 != 0 && s.pivots[b] != 0 {
			w ^= s.pivots[b]
		}
	}
	return w
}

func (s *span) has(w uint64) bool { return s.reduce(w) == 0 }

func (s *span) add(w uint64) {
	if w = s.reduce(w); w == 0 {
		return
	}
	b := 63
	for w>>b&1 == 0 {
		b--
	}
	s.pivots[b] = w
}
