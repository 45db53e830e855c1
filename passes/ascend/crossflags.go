package ascend

import "tilec/ir"

// mostFlagSets bounds the pairs of cross-core flags, one that says that a slot is full and one that says that it is free: there are
// eleven for programs (Ascend C, CrossCoreSetFlag).
const mostFlagSets = 5

// flagSets gives crossings their flags: one set each as long as there are enough. Beyond that crossings in the same direction share one,
// those in the fewest loops first. Both units come to them in the same order, so that a flag counted up for the nth tile is the nth that
// the other waits for; slots that are free are counted together, and as each ring has as many as are counted, none overruns.
func flagSets(cs []*crossing) [][]*crossing {
	var sets [][]*crossing
	for _, c := range cs {
		sets = append(sets, []*crossing{c})
	}
	depth := func(s []*crossing) int {
		most := 0
		for _, c := range s {
			most = max(most, c.depth)
		}
		return most
	}
	for len(sets) > mostFlagSets {
		a, b, least := -1, -1, 0
		for i := range sets {
			for j := i + 1; j < len(sets); j++ {
				d := depth(sets[i]) + depth(sets[j])
				if sets[i][0].toCube == sets[j][0].toCube && (a < 0 || d < least) {
					a, b, least = i, j, d
				}
			}
		}
		sets[a] = append(sets[a], sets[b]...)
		sets = append(sets[:b:b], sets[b+1:]...)
	}
	return sets
}

// numbered are the numbers of the flags that sets of crossings share, by the flags that they had apiece.
func numbered(sets [][]*crossing) map[int64]int64 {
	numbers := map[int64]int64{}
	for n, s := range sets {
		for _, c := range s {
			numbers[c.full], numbers[c.free] = int64(2*n), int64(2*n+1)
		}
	}
	return numbers
}

// renumber gives the flags of a program their numbers.
func renumber(b *ir.Block, numbers map[int64]int64) {
	b.Walk(func(op *ir.Op) {
		if op.Code == ir.OpCrossSet || op.Code == ir.OpCrossWait {
			op.X = []*ir.Expr{ir.Int(numbers[op.X[0].Int])}
		}
	})
}
