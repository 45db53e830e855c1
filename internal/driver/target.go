package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tilec/ir"
	"tilec/ir/machine"
	"tilec/lang/types"
)

// Machine is an architecture to compile for.
type Machine = machine.Machine

// Bug is a mistake of the compiler.
type Bug = ir.Bug

// AllArchs, as the name of an architecture, means every one that code is made for.
const AllArchs = "all"

// AllTargets, as the name of a target, means every one.
const AllTargets = "all"

// Targets lists the targets that code is made for.
func Targets() []string {
	names := map[string]bool{}
	for _, name := range machine.Names("") {
		if m, err := machine.Lookup(name); err == nil && m.Emits {
			names[m.Family] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Archs lists the architectures of a target that code is made for.
func Archs(target string) []string {
	var names []string
	for _, name := range machine.Names(target) {
		if m, err := machine.Lookup(name); err == nil && m.Emits {
			names = append(names, name)
		}
	}
	return names
}

// Machines looks architectures of a target up, each once; those that are compiled for where none is given if there are none. With all
// targets, each has those of the architectures that are its own.
func Machines(target string, archs []string) ([]*Machine, error) {
	if target == AllTargets {
		return machinesOfAll(archs)
	}
	if len(archs) == 0 && slices.Contains(Targets(), target) {
		archs = []string{DefaultArch(target)}
	}
	if !slices.Contains(Targets(), target) {
		return nil, fmt.Errorf("no target %q; there is %s", target, strings.Join(Targets(), ", "))
	}
	if slices.Contains(archs, AllArchs) {
		archs = Archs(target)
	}
	var all []*Machine
	for _, name := range archs {
		m, err := machine.Lookup(name)
		switch {
		case err != nil || m.Family != target:
			return nil, fmt.Errorf("no architecture %q of %s; there is %s", name, target, strings.Join(machine.Names(target), ", "))
		case !m.Emits:
			return nil, fmt.Errorf("code for %s is not supported yet; there is %s", name, strings.Join(Archs(target), ", "))
		}
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all, nil
}

func machinesOfAll(archs []string) (all []*Machine, err error) {
	for _, target := range Targets() {
		own := archs
		if len(archs) > 0 {
			own = nil
			for _, name := range archs {
				if m, err := machine.Lookup(name); name == AllArchs || err == nil && m.Family == target {
					own = append(own, name)
				} else if err != nil {
					return nil, fmt.Errorf("no architecture %q; there is %s", name, strings.Join(machine.Names(""), ", "))
				}
			}
			if len(own) == 0 {
				continue
			}
		}
		ms, err := Machines(target, own)
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	return all, nil
}

// Kernel is a kernel of a program.
type Kernel struct {
	*types.Kernel
	Program *Program
}

// Pick returns the kernel of a name, imported ones included; for no name all that
// the file itself has.
func (p *Program) Pick(name string) []Kernel {
	if name != "" {
		if k := p.Kernel(name); k != nil {
			return []Kernel{{k, p}}
		}
		return nil
	}
	var all []Kernel
	for _, k := range p.Kernels {
		all = append(all, Kernel{k, p})
	}
	return all
}

// Definitions are values of generics and tunables by name, in text.
type Definitions map[string]string

// Check refuses names that none of the kernels has, and values that one of those
// that have it cannot take.
func (d Definitions) Check(kernels []Kernel) error {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		used := false
		for _, k := range kernels {
			if !hasName(k.Kernel, name) {
				continue
			}
			used = true
			if err := new(types.Bindings).Set(k.Kernel, name, d[name]); err != nil {
				return err
			}
		}
		switch {
		case used:
		case len(kernels) == 1:
			return new(types.Bindings).Set(kernels[0].Kernel, name, d[name])
		default:
			return fmt.Errorf("no kernel has a generic or tunable named %s", name)
		}
	}
	return nil
}

// bind gives a kernel the values of those definitions that it has names for.
func (d Definitions) bind(k *types.Kernel) (b types.Bindings, err error) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if hasName(k, name) {
			if err := b.Set(k, name, d[name]); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// hasName reports whether a kernel has a generic or tunable of that name.
func hasName(k *types.Kernel, name string) bool {
	for _, g := range k.Decl.Generics {
		if g.Name != nil && g.Name.Name == name {
			return true
		}
	}
	return slices.Contains(tuneNames(k), name)
}
