package layout

import "slices"

// Blocked spreads a tile over warps*32 threads for wide memory access: vec
// consecutive elements of the fastest dimension in a thread's registers, then
// threads along that dimension, then along the next ones, then the rest of the
// tile in registers again. order lists the dimensions, fastest first. Threads
// left over hold copies.
func Blocked(shape, order []int, vec, warps int) *Layout {
	return blocked(shape, order, order, vec, warps, 0)
}

// BlockedNear is Blocked with the elements of a thread close to each other along the
// second dimension of order: no more than near rows lie between one and the next.
func BlockedNear(shape, order []int, vec, warps, near int) *Layout {
	return blocked(shape, order, order, vec, warps, near)
}

// BlockedRows is Blocked with the warps given to the slower dimensions first, so
// that a line along the fastest one lies within a warp as far as it can.
func BlockedRows(shape, order []int, vec, warps int) *Layout {
	slow := make([]int, 0, len(order))
	if len(order) > 0 {
		slow = append(append(slow, order[1:]...), order[0])
	}
	return blocked(shape, order, slow, vec, warps, 0)
}

// blocked gives registers and lanes to dimensions in order, warps in warpOrder. Where
// near is not 0, warps come after the registers that remain once the threads before
// them cover that many of the second dimension.
func blocked(shape, order, warpOrder []int, vec, warps, near int) *Layout {
	rank := len(shape)
	left := make([]int, rank) // bits of each dimension not yet given out
	total := 0
	for d, n := range shape {
		left[d] = Log2(Pow2(n))
		total += left[d]
	}
	next := func(dims []int) []int {
		basis := make([]int, rank)
		for _, d := range dims {
			if left[d] > 0 {
				basis[d] = Pow2(shape[d]) >> left[d]
				left[d]--
				total--
				break
			}
		}
		return basis
	}
	var reg, threads [][]int
	for range Log2(vec) {
		if rank > 0 && left[order[0]] > 0 {
			reg = append(reg, next(order[:1]))
		}
	}
	for range 5 {
		threads = append(threads, next(order))
	}
	for w := Log2(warps); w > 0; w-- {
		if near > 0 && rank > 1 && left[order[0]] == 0 && Pow2(shape[order[1]])>>left[order[1]] >= near {
			for total > w {
				reg = append(reg, next(order))
			}
		}
		threads = append(threads, next(warpOrder))
	}
	for total > 0 {
		reg = append(reg, next(order))
	}
	return Distributed(shape, reg, threads[:5], threads[5:])
}

// RowMajor orders the dimensions of a tile of that rank last to first.
func RowMajor(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return order
}

// Project keeps the given dimensions of a register layout, in that order, and
// drops the registers that no longer tell elements apart; lanes and warps that
// no longer do hold copies.
func (l *Layout) Project(dims ...int) *Layout {
	shape := make([]int, len(dims))
	for i, d := range dims {
		shape[i] = l.Out[d].Size
	}
	pick := func(bases [][]int, dropZero bool) [][]int {
		var kept [][]int
		for _, basis := range bases {
			b := make([]int, len(dims))
			for i, d := range dims {
				b[i] = basis[d]
			}
			if dropZero && isZero(b) {
				continue
			}
			kept = append(kept, b)
		}
		return kept
	}
	return Distributed(shape, pick(l.Bases(Reg), true), pick(l.Bases(Lane), false), pick(l.Bases(Warp), false))
}

// RegisterOf returns, for each register bit of l, the register bit of the
// projection of l onto dims that holds the same element, or -1 where the bit
// does not matter to it.
func (l *Layout) RegisterOf(dims ...int) []int {
	out := make([]int, 0, len(l.Bases(Reg)))
	n := 0
	for _, basis := range l.Bases(Reg) {
		if slices.ContainsFunc(dims, func(d int) bool { return basis[d] != 0 }) {
			out = append(out, n)
			n++
		} else {
			out = append(out, -1)
		}
	}
	return out
}

// Broadcast returns a layout over a tile of the given rank whose dimensions dims
// are those of l and whose other dimensions have extent 1.
func (l *Layout) Broadcast(rank int, dims ...int) *Layout {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	for i, d := range dims {
		shape[d] = l.Out[i].Size
	}
	spread := func(bases [][]int) [][]int {
		var out [][]int
		for _, basis := range bases {
			b := make([]int, rank)
			for i, d := range dims {
				b[d] = basis[i]
			}
			out = append(out, b)
		}
		return out
	}
	return Distributed(shape, spread(l.Bases(Reg)), spread(l.Bases(Lane)), spread(l.Bases(Warp)))
}

// Replicated holds every element of a tile in the registers of every thread.
func Replicated(shape []int, warps int) *Layout {
	rank := len(shape)
	var reg [][]int
	for d := rank - 1; d >= 0; d-- {
		for v := 1; v < Pow2(shape[d]); v <<= 1 {
			b := make([]int, rank)
			b[d] = v
			reg = append(reg, b)
		}
	}
	zeros := func(n int) [][]int {
		z := make([][]int, n)
		for i := range z {
			z[i] = make([]int, rank)
		}
		return z
	}
	return Distributed(shape, reg, zeros(5), zeros(Log2(warps)))
}

func isZero(b []int) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// Simple reports that every basis touches at most one dimension and no two bases
// share a bit, so that coordinates are sums of disjoint bits.
func (l *Layout) Simple() bool {
	seen := make([]int, len(l.Out))
	for _, in := range l.In {
		for _, basis := range in.Bases {
			touched := 0
			for d, v := range basis {
				if v == 0 {
					continue
				}
				if v&(v-1) != 0 || seen[d]&v != 0 {
					return false
				}
				seen[d] |= v
				touched++
			}
			if touched > 1 {
				return false
			}
		}
	}
	return true
}

// Covers reports that every element of the padded tile is held by some thread.
func (l *Layout) Covers() bool {
	n := 0
	for _, o := range l.Out {
		n += Log2(o.Size)
	}
	return l.rank() == n
}

// Scan gives each line of a tile along axis whole to one thread: lines are
// spread over lanes and warps, the axis and what is left lie in registers.
func Scan(shape []int, axis, warps int) *Layout {
	order := []int{}
	for d := len(shape) - 1; d >= 0; d-- {
		if d != axis {
			order = append(order, d)
		}
	}
	lines := append([]int(nil), shape...)
	lines[axis] = 1
	l := Blocked(lines, append(order, axis), 1, warps)
	reg := [][]int{}
	for v := 1; v < Pow2(shape[axis]); v <<= 1 {
		b := make([]int, len(shape))
		b[axis] = v
		reg = append(reg, b)
	}
	return Distributed(shape, append(reg, l.Bases(Reg)...), l.Bases(Lane), l.Bases(Warp))
}
