package machine

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"tilec/ir"
)

// Machine describes one architecture.
type Machine struct {
	// Name is what -arch takes: "sm_80".
	Name string
	// Family is the target that emits for it: "cuda" or "ascend".
	Family string
	// Parts are product names, for messages.
	Parts string
	// Emits tells whether code generation exists for it.
	Emits    bool
	Memories []Memory
	Paths    []Path
	Atoms    []Atom
	// Cores, Vector and Cube describe machines of AI cores.
	Cores  Cores
	Vector Vector
	Cube   Cube
	// Lacks are the element types of which no unit computes with values or converts them.
	Lacks  []Lack
	Limits Limits
	Rates  Rates
}

// Lack is an element type that a machine can hold no values of.
type Lack struct {
	Type   ir.DType
	Use    string // what would work, for messages: "f16 or bf16"
	Source string
}

// Memory is one level that tiles can live in.
type Memory struct {
	Space ir.Space
	// Bytes that one CTA (or core) may use.
	Bytes int64
	// PerSM is what all resident CTAs of an SM share, with Reserved for each.
	PerSM, Reserved int64
	// Align of a buffer's start, in bytes.
	Align int64
	// Banks of BankBytes each serve one access a cycle; 0 if not banked.
	Banks, BankBytes int
	// Sector is the unit, in bytes, in which memory is written and read whatever an
	// access asks for; 0 if accesses cost what they ask for.
	Sector int
	Source string
}

// Path is a way to move data from one memory to another.
type Path struct {
	From, To ir.Space
	// Pipe is the queue of an AI core that moves along the path.
	Pipe ir.Pipe
	// Async paths run beside the program until a wait.
	Async bool
	// Bytes are the sizes of one access, widest first; addresses are aligned to them.
	Bytes []int
	// ZeroFill paths can write zeros in place of what must not be read.
	ZeroFill bool
	Source   string
}

// Limits are hard: a program over one does not run.
type Limits struct {
	WarpSize        int
	ThreadsPerCTA   int
	WarpsPerSM      int
	CTAsPerSM       int
	RegistersPerSM  int
	RegistersThread int
	// RegisterGranule is the unit, per warp, in which registers are given out.
	RegisterGranule int
	Grid            [3]int64
	ParamBytes      int
	// EventIDs and Repeat are those of Ascend's flags and vector instructions.
	EventIDs, Repeat int
}

// Rates are what the cost model reckons with.
type Rates struct {
	SMs       int
	ClockGHz  float64
	FMA32     float64 // f32 fused multiply-adds a cycle and SM
	FMA64     float64
	MUFU      float64 // ex2, rcp, … a cycle and SM
	SharedBPC float64 // shared-memory bytes a cycle and SM
	GlobalGBs float64 // device-memory bandwidth
	L2Bytes   int64
	Source    string
}

// all lists the machines of every family.
var all = slices.Concat(machines, ascends)

// Lookup returns the machine of that name.
func Lookup(name string) (*Machine, error) {
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("no architecture %q; known are %s", name, strings.Join(Names(""), ", "))
}

// Names lists the machines of a family, all for "", sorted.
func Names(family string) []string {
	var names []string
	for i := range all {
		if family == "" || all[i].Family == family {
			names = append(names, all[i].Name)
		}
	}
	sort.Strings(names)
	return names
}

// Memory returns the description of a space, nil if the machine lacks it.
func (m *Machine) Memory(s ir.Space) *Memory {
	for i := range m.Memories {
		if m.Memories[i].Space == s {
			return &m.Memories[i]
		}
	}
	return nil
}

// Lacking returns what a machine says about an element type that it can hold no values of, nil for others.
func (m *Machine) Lacking(t ir.DType) *Lack {
	for i := range m.Lacks {
		if m.Lacks[i].Type == t {
			return &m.Lacks[i]
		}
	}
	return nil
}

// Path returns a way from one space to another, nil if there is none.
func (m *Machine) Path(from, to ir.Space, async bool) *Path {
	for i := range m.Paths {
		p := &m.Paths[i]
		if p.From == from && p.To == to && p.Async == async {
			return p
		}
	}
	return nil
}
