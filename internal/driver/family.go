package driver

import (
	"tilec/codegen"
	"tilec/codegen/ascend"
	"tilec/codegen/cuda"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/passes"
	aicore "tilec/passes/ascend"
)

// family is what the machines of one target have in common: how a kernel is lowered and printed for them.
type family struct {
	// table lists the passes.
	table func() []passes.Pass
	// variants are the functions to emit for a kernel, all of them new, fastest first.
	variants func(f *ir.Func) []*ir.Func
	emit     func(variants []*ir.Func, m *machine.Machine, file string) *codegen.Unit
	// cost ranks choices of tunables.
	cost   func(m *machine.Machine, f *ir.Func) float64
	suffix string // of the emitted file
	// arch is compiled for where none is given.
	arch string
}

// families lists the targets by name.
var families = map[string]family{
	"cuda": {table: passes.Table, variants: passes.Variants, emit: cuda.Emit, cost: passes.Cost, suffix: ".cu", arch: "sm_80"},
	"ascend": {
		table:    aicore.Table,
		variants: func(f *ir.Func) []*ir.Func { return []*ir.Func{ir.Clone(f)} },
		emit:     func(fs []*ir.Func, m *machine.Machine, file string) *codegen.Unit { return ascend.Emit(fs[0], m, file) },
		cost:     aicore.Cost, suffix: ".cpp", arch: "910b",
	},
}

// familyOf returns the target of a machine.
func familyOf(m *machine.Machine) family { return families[m.Family] }

// DefaultArch is the architecture of a target that is compiled for where none is given, empty if there is no such target.
func DefaultArch(target string) string { return families[target].arch }
