package layout

import "math/bits"

// pack lays a vector of coordinates into one word, output 0 lowest.
func (l *Layout) pack(basis []int) uint64 {
	var w uint64
	shift := 0
	for o, v := range basis {
		w |= uint64(v) << shift
		shift += Log2(l.Out[o].Size)
	}
	return w
}

// rank returns the rank of the map over GF(2).
func (l *Layout) rank() int {
	var pivots [64]uint64
	n := 0
	for _, in := range l.In {
		for _, basis := range in.Bases {
			w := l.pack(basis)
			for w != 0 {
				top := bits.Len64(w) - 1
				if pivots[top] == 0 {
					pivots[top] = w
					n++
					break
				}
				w ^= pivots[top]
			}
		}
	}
	return n
}
