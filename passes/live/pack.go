package live

import (
	"cmp"
	"slices"
)

// Pack gives each tile the lowest offset, a multiple of align, that is free over
// its range, the largest tile first, and returns where the last byte ends. It
// leaves the order of ranges and the tiles' own offsets as they are.
func Pack(ranges []*Range, align int64) (offsets []int64, end int64) {
	offsets = make([]int64, len(ranges))
	order := make([]int, len(ranges))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranges[b].Bytes, ranges[a].Bytes) })
	var placed []int // by offset
	for _, i := range order {
		r, at := ranges[i], int64(0)
		for _, j := range placed {
			o := ranges[j]
			if offsets[j] >= at+r.Bytes {
				break
			}
			if o.overlaps(r) && offsets[j]+o.Bytes > at {
				at = (offsets[j] + o.Bytes + align - 1) / align * align
			}
		}
		offsets[i] = at
		end = max(end, at+r.Bytes)
		k, _ := slices.BinarySearchFunc(placed, at, func(j int, at int64) int { return cmp.Compare(offsets[j], at) })
		placed = slices.Insert(placed, k, i)
	}
	return offsets, end
}
