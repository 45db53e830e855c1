package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tilec/internal/driver"
	"tilec/ir/machine"
	"tilec/lang/types"
)

// targetFlags are -target, -arch and -D.
type targetFlags struct {
	target  string
	archs   []string
	defines []string
}

const (
	defaultTarget = "cuda"
	defaultArch   = "sm_80"
)

func (t *targetFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&t.target, "target", defaultTarget, "what to compile for")
	f.StringSliceVar(&t.archs, "arch", []string{defaultArch}, "architectures, separated by commas; `all` is every one that code is made for")
	f.StringArrayVarP(&t.defines, "define", "D", nil, "give a generic or tunable a value, as in -D T=bf16 or -D BM=128")
	c.RegisterFlagCompletionFunc("target", cobra.FixedCompletions(targets(), cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("arch", cobra.FixedCompletions(append(emitting(defaultTarget), "all"), cobra.ShellCompDirectiveNoFileComp))
}

// targets lists the targets that code is made for.
func targets() []string {
	names := map[string]bool{}
	for _, name := range machine.Names("") {
		if m, err := machine.Lookup(name); err == nil && m.Emits {
			names[m.Family] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// emitting lists the architectures of a target that code is made for.
func emitting(target string) []string {
	var names []string
	for _, name := range machine.Names(target) {
		if m, err := machine.Lookup(name); err == nil && m.Emits {
			names = append(names, name)
		}
	}
	return names
}

// machines looks the architectures up.
func (t *targetFlags) machines() ([]*machine.Machine, error) {
	if !slices.Contains(targets(), t.target) {
		return nil, usagef("no target %q; there is %s", t.target, strings.Join(targets(), ", "))
	}
	names := t.archs
	if slices.Contains(names, "all") {
		names = emitting(t.target)
	}
	var all []*machine.Machine
	for _, name := range names {
		m, err := machine.Lookup(name)
		switch {
		case err != nil || m.Family != t.target:
			return nil, usagef("no architecture %q of %s; there is %s", name, t.target, strings.Join(machine.Names(t.target), ", "))
		case !m.Emits:
			return nil, usagef("code for %s is not supported yet; there is %s", name, strings.Join(emitting(t.target), ", "))
		}
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return nil, usagef("no architecture is given")
	}
	return all, nil
}

// values returns the definitions by name.
func (t *targetFlags) values() (map[string]string, error) {
	values := map[string]string{}
	for _, d := range t.defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok || name == "" || value == "" {
			return nil, usagef("-D %s: a definition is written NAME=VALUE", d)
		}
		values[name] = value
	}
	return values, nil
}

// bindings gives a kernel the values of the definitions that it has names for.
func bindings(k *types.Kernel, values map[string]string) (types.Bindings, error) {
	var b types.Bindings
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !driver.HasName(k, name) {
			continue
		}
		if err := b.Set(k, name, values[name]); err != nil {
			return b, usagef("-D %s=%s: %v", name, values[name], err)
		}
	}
	return b, nil
}

// checkNames refuses definitions that no kernel has a name for.
func checkNames(kernels []*types.Kernel, values map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.ContainsFunc(kernels, func(k *types.Kernel) bool { return driver.HasName(k, name) }) {
			continue
		}
		for _, k := range kernels {
			if err := new(types.Bindings).Set(k, name, values[name]); err != nil && len(kernels) == 1 {
				return usagef("-D %s=%s: %v", name, values[name], err)
			}
		}
		return usagef("-D %s=%s: no kernel has a generic or tunable named %s", name, values[name], name)
	}
	return nil
}

// pick returns the kernels to work on: the named one, or all of the files.
func pick(programs []*driver.Program, name string) (kernels []*types.Kernel, of map[*types.Kernel]*driver.Program, err error) {
	of = map[*types.Kernel]*driver.Program{}
	var names []string
	for _, p := range programs {
		all := p.Kernels
		if name != "" {
			all = nil
			if k := p.Kernel(name); k != nil {
				all = []*types.Kernel{k}
			}
		}
		for _, k := range all {
			kernels = append(kernels, k)
			of[k] = p
		}
		for _, k := range p.Kernels {
			names = append(names, k.Name)
		}
	}
	if len(kernels) > 0 {
		return kernels, of, nil
	}
	if name == "" {
		return nil, nil, fmt.Errorf("%s has no kernel", programs[0].Path)
	}
	return nil, nil, usagef("no kernel %q; there is %s", name, strings.Join(names, ", "))
}
