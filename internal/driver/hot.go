package driver

import (
	"cmp"
	"slices"

	"tilec/runtime/ptx"
)

// LineCost is what one line of the program cost.
type LineCost struct {
	Place         string // "matmul.tile:12"
	Text          string // of the line
	Warps         uint64 // instructions that warps executed
	Sectors       uint64 // of global memory, asked for beyond those needed
	BankConflicts uint64 // of shared memory
}

// lineCosts adds the counts of instructions up by lines of the program, the most
// instructions first; what belongs to no line is left out.
func (u *Unit) lineCosts(c *ptx.Counters) []LineCost {
	index := map[string]int{}
	var all []LineCost
	for _, l := range c.Lines {
		place, text := u.sourceLine(l.Site)
		if place == "" {
			continue
		}
		i, ok := index[place]
		if !ok {
			i = len(all)
			index[place] = i
			all = append(all, LineCost{Place: place, Text: text})
		}
		all[i].Warps += l.Warps
		all[i].Sectors += l.Traffic.Sectors - min(l.Traffic.NeededSectors, l.Traffic.Sectors)
		all[i].BankConflicts += l.Traffic.Conflicts()
	}
	slices.SortStableFunc(all, func(x, y LineCost) int { return cmp.Compare(y.Warps, x.Warps) })
	return all
}
