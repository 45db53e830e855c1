package driver

import (
	"fmt"
	"io"
	"text/tabwriter"

	aicore "tilec/passes/ascend"
	"tilec/runtime/ascend"
)

// CoresReport is what a kernel did on the host machine for Ascend C, and what its main loops hold.
type CoresReport struct {
	*ascend.Profile
	// Loops are the main loops of the programs: how many flags and barriers an iteration has.
	Loops []aicore.LoopFlags `json:"loops"`
}

// coresReport sums up a run of a unit.
func coresReport(u *Unit, r *ascend.Report) *CoresReport {
	return &CoresReport{Profile: r.Profile(), Loops: aicore.MainLoops(u.Entries[0].Func)}
}

// WriteTable writes the report for people to read.
func (r *CoresReport) WriteTable(out io.Writer) error {
	if err := r.Profile.WriteTable(out); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nan iteration of\tflags set\tawaited\tbarriers\tover all pipes\tcross-core flags set\tawaited\t\n")
	for _, l := range r.Loops {
		name := "no loop"
		if l.Loop != "" {
			name = "loop " + l.Loop
		}
		kind := "vector"
		if l.Cube {
			kind = "cube"
		}
		fmt.Fprintf(w, "%s (%s)\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, kind, l.Sets, l.Waits, l.Barriers, l.AllPipes, l.CrossSets, l.CrossWaits)
	}
	return w.Flush()
}
