package passes

import (
	"errors"
	"strings"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
)

// Pass is one step of lowering.
type Pass struct {
	Name string
	Doc  string
	// Needs are the facts that must hold before, Gives the ones that hold after
	// in addition.
	Needs, Gives Facts
	// Run changes f in place. The error is one of the program, ErrReported once
	// its diagnostics are in the context's reporter.
	Run func(ctx *Context, f *ir.Func) error
	// Proof, where there is one, proves of the result what ir.Verify does not; it runs where that does.
	Proof func(f *ir.Func) error
}

// Context is what passes work with. It belongs to one compilation.
type Context struct {
	// Machine is the architecture to lower for.
	Machine *machine.Machine
	// Reporter takes diagnostics and remarks.
	Reporter *diag.Reporter
}

// ErrReported says that a pass has reported why it can't go on.
var ErrReported = errors.New("errors were reported")

// Facts is a set of properties of a function.
type Facts uint16

// Properties that passes establish.
const (
	// Tiled: every contraction names its atom and the warps are chosen.
	Tiled Facts = 1 << iota
	// Placed: every tile has a memory.
	Placed
	// LaidOut: every operation and tile has a layout.
	LaidOut
	// SharedPlanned: every shared tile has its offset.
	SharedPlanned
	// Scheduled: asynchronous copies, waits and barriers are in place.
	Scheduled
)

var factNames = [...]string{"tiled", "placed", "laid-out", "shared-planned", "scheduled"}

// String lists the facts.
func (f Facts) String() string {
	var names []string
	for i, name := range factNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
