package exec

import (
	"fmt"
	"io"
	"strings"

	"tilec/runtime/ptx"
)

// cost is what the instructions of a line cost.
type cost struct {
	warps, threads  uint64
	sectors, needed uint64
	conflicts       uint64
}

func (c *cost) add(l *ptx.LineCount) {
	c.warps += l.Warps
	c.threads += l.Threads
	c.sectors += l.Traffic.Sectors
	c.needed += l.Traffic.NeededSectors
	c.conflicts += l.Traffic.Conflicts()
}

const (
	costTitle = "   warps  lanes  sectors   needed  conflicts |"
	costForm  = "%8d  %5.1f %8s %8s %10s |"
)

func (c *cost) String() string {
	if c.warps == 0 {
		return strings.Repeat(" ", len(costTitle)-1) + "|"
	}
	optional := func(n uint64) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf(costForm, c.warps, float64(c.threads)/float64(c.warps), optional(c.sectors), optional(c.needed), optional(c.conflicts))
}

// Annotate writes the source, the CUDA C++ if there is one and else the PTX, with what each line cost beside it:
// instructions of warps, how many lanes these had on average, sectors of global memory asked for and needed, and bank
// conflicts. What belongs to no line of it comes last.
func (o *Outcome) Annotate(w io.Writer) error {
	name, text, isCUDA := o.Source.listing()
	list := lines(text)
	costs := make([]cost, len(list)+1) // [0]: of no line
	if c := o.Report.Counters; c != nil {
		for i := range c.Lines {
			l := &c.Lines[i]
			n := l.PTXLine
			if isCUDA {
				n = lineIn(l.Site, name)
			}
			if n < 0 || n > len(list) {
				n = 0
			}
			costs[n].add(l)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n", costTitle, name, o.Entry)
	for i, line := range list {
		fmt.Fprintf(&b, "%s %4d  %s\n", costs[i+1].String(), i+1, strings.TrimRight(line, " \t\r"))
	}
	if costs[0].warps > 0 {
		fmt.Fprintf(&b, "%s       (elsewhere)\n", costs[0].String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
