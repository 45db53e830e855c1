package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"tilec/internal/driver"
	"tilec/runtime/ptx"
)

// maxLines is how many lines of the program a report shows.
const maxLines = 12

// printCounters prints what the PTX machine counted: instructions by class, traffic,
// and the lines of the program that cost most; or the report of the host machine for Ascend C.
func printCounters(w io.Writer, res *driver.RunResult) error {
	if res.Cores != nil {
		return res.Cores.WriteTable(w)
	}
	c := res.Counters
	if c == nil {
		fmt.Fprintln(w, "only the PTX machine counts (--device=ptx), for a grid that is not empty")
		return nil
	}
	fmt.Fprintf(w, "%d instructions of warps, %d of threads\n", c.Warps, c.Threads)
	classes := slices.Clone(c.Classes)
	slices.SortStableFunc(classes, func(x, y ptx.ClassCount) int { return cmp.Compare(y.Warps, x.Warps) })
	for _, k := range classes {
		fmt.Fprintf(w, "  %-24s %10d  %5.1f %%\n", k.Class, k.Warps, 100*float64(k.Warps)/float64(max(c.Warps, 1)))
	}
	for _, t := range c.Tensor {
		fmt.Fprintf(w, "%s: %d by warps\n", t.Form, t.Warps)
	}
	g, s := c.Global, c.Shared
	fmt.Fprintf(w, "global memory: %s loaded, %s stored; %d sectors asked for, %d needed\n", size(g.Loads), size(g.Stores), g.Sectors, g.NeededSectors)
	if s.Loads+s.Stores+c.Async > 0 {
		fmt.Fprintf(w, "shared memory: %s loaded, %s stored, %s copied asynchronously; %d wavefronts, %d of them for bank conflicts\n",
			size(s.Loads), size(s.Stores), size(c.Async), s.Wavefronts, s.Conflicts())
	}
	if c.Local > 0 {
		fmt.Fprintf(w, "local memory: %s\n", size(c.Local))
	}
	if len(res.Lines) == 0 {
		return nil
	}
	fmt.Fprintln(w, "lines by instructions of warps:")
	for _, l := range res.Lines[:min(len(res.Lines), maxLines)] {
		extra := ""
		if l.Sectors > 0 {
			extra += fmt.Sprintf(", %d sectors too many", l.Sectors)
		}
		if l.BankConflicts > 0 {
			extra += fmt.Sprintf(", %d bank conflicts", l.BankConflicts)
		}
		fmt.Fprintf(w, "  %10d  %s: %s%s\n", l.Warps, l.Place, l.Text, extra)
	}
	return nil
}

// size spells a number of bytes.
func size(n uint64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
