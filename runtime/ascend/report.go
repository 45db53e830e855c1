package ascend

import (
	"fmt"
	"slices"
	"strings"
)

// Report is what a launch did.
type Report struct {
	Findings []Finding  `json:"findings"`
	Cores    []Counters `json:"cores"`
	Printed  string     `json:"printed"` // by the kernel, core after core
}

// Finding is a fault of the program that ran. The same fault at the same two places is one finding.
type Finding struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
	At      Site   `json:"at"`
	Core    Core   `json:"core"`
	// Other is the second instruction of a race, or where unwritten bytes come to light; its line is 0 if there is none.
	Other     Site   `json:"other"`
	OtherCore *Core  `json:"otherCore"`
	Pipe      string `json:"pipe"`
	OtherPipe string `json:"otherPipe"`
	Space     string `json:"space"` // memory that it is about, if any
	Addr      int64  `json:"addr"`
	Bytes     int64  `json:"bytes"`
	Count     int    `json:"count"` // how often it was found
	// AutoSync is a missing order that the device compiler adds by itself (--cce-auto-sync, which is on by default): between
	// vector instructions, and between the scalar unit and the other pipes of a vector core. It is not set where the launch has
	// orders of that kind of its own: a program that synchronises by hand has to do so everywhere.
	AutoSync bool `json:"autoSync"`
}

// Faults returns the findings that make the program wrong, all but those that automatic synchronisation mends.
func (r *Report) Faults() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.AutoSync })
}

// coresRace reports a race between two cores.
func (r *Report) coresRace() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind == Race && f.OtherCore != nil && *f.OtherCore != f.Core })
}

// Kind is a kind of fault.
type Kind string

// Kinds of faults.
const (
	Race        Kind = "race"      // two accesses that nothing orders
	Flag        Kind = "flag"      // a flag that is set twice, or never waited for
	Deadlock    Kind = "deadlock"  // a wait that never ends
	Unwritten   Kind = "unwritten" // results that depend on memory nobody wrote
	OutOfBounds Kind = "out of bounds"
	ReadOnly    Kind = "read only" // a write to an input
	Overlap     Kind = "overlap"   // buffers that lie partly on one another while both are in use
	Exceeded    Kind = "capacity"
	Alignment   Kind = "alignment"
	Limit       Kind = "limit"      // a field that the instruction cannot hold
	Layout      Kind = "layout"     // data in the wrong fractal layout
	Path        Kind = "path"       // a copy between memories that no path connects
	Queue       Kind = "queue"      // TQue operations in a wrong order
	Type        Kind = "type"       // an element type that the instruction does not take
	Assert      Kind = "assert"     // a failed assertion, or Trap
	Unfinished  Kind = "unfinished" // work that nothing waits for at the end of the kernel
)

// Site is an instruction in the source.
type Site struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Name string `json:"name"` // of the API function
}

// String returns "name at file:line".
func (s Site) String() string {
	if s.Name == "" {
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return fmt.Sprintf("%s at %s:%d", s.Name, s.File, s.Line)
}

// Core is one core of a launch.
type Core struct {
	Cube  bool `json:"cube"`
	Block int  `json:"block"`
	Sub   int  `json:"sub"` // of the two vector cores of a block
}

// String returns such as "AIC 3" or "AIV 3.1".
func (c Core) String() string {
	if c.Cube {
		return fmt.Sprintf("AIC %d", c.Block)
	}
	return fmt.Sprintf("AIV %d.%d", c.Block, c.Sub)
}

// String returns the finding as a few lines of text.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s\n  on %s", f.Kind, f.At, f.Message, f.Core)
	if f.Pipe != "" {
		fmt.Fprintf(&b, ", pipe %s", f.Pipe)
	}
	if f.Bytes > 0 {
		fmt.Fprintf(&b, ", %d bytes at %s %#x", f.Bytes, f.Space, f.Addr)
	}
	if f.Other.Line > 0 {
		fmt.Fprintf(&b, "\n  with %s", f.Other)
		if f.OtherCore != nil {
			fmt.Fprintf(&b, " on %s", *f.OtherCore)
		}
		if f.OtherPipe != "" {
			fmt.Fprintf(&b, ", pipe %s", f.OtherPipe)
		}
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, "\n  %d times", f.Count)
	}
	if f.AutoSync {
		b.WriteString("\n  (the device compiler's automatic synchronisation adds this order)")
	}
	return b.String()
}

// Counters is what a core did.
type Counters struct {
	Core         Core               `json:"core"`
	Instructions map[string]int64   `json:"instructions"` // by pipe and name, such as "V Add"
	Bytes        map[string]int64   `json:"bytes"`        // by path, such as "GM>UB"
	Flags        int64              `json:"flags"`        // SetFlag, those of queues with them
	Waits        int64              `json:"waits"`
	Barriers     int64              `json:"barriers"`
	CrossFlags   int64              `json:"crossFlags"`
	Cycles       float64            `json:"cycles"` // until the last pipe ended, in the model of Rates
	Busy         map[string]float64 `json:"busy"`   // cycles by pipe
}
