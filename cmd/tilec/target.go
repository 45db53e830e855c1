package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tilec/internal/driver"
)

// targetFlags are -target, -arch and -D.
type targetFlags struct {
	target  string
	archs   []string
	defines []string
	flags   *pflag.FlagSet
}

const (
	defaultTarget = "cuda"
)

func (t *targetFlags) add(c *cobra.Command) {
	t.addMachines(c)
	c.Flags().StringArrayVarP(&t.defines, "define", "D", nil, "give a generic or tunable a value, as in -D T=bf16 or -D BM=128")
}

// addMachines adds the flags without -D.
func (t *targetFlags) addMachines(c *cobra.Command) {
	f := c.Flags()
	t.flags = f
	f.StringVar(&t.target, "target", defaultTarget, "`chip` family to compile for: "+strings.Join(driver.Targets(), ", ")+", or all of them side by side")
	f.StringSliceVar(&t.archs, "arch", nil, "`architectures`, separated by commas; all is every one that code is made for (default sm_80, 910b)")
	complete(c, "target", append(driver.Targets(), driver.AllTargets))
	complete(c, "arch", append(driver.Archs(defaultTarget), driver.AllArchs))
}

// complete offers the values of a flag to the shell.
func complete(c *cobra.Command, flag string, values []string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag
	}
}

// resolve looks up what the flags name.
func (t *targetFlags) resolve() ([]*driver.Machine, driver.Definitions, error) {
	archs := t.archs
	switch {
	case t.flags != nil && !t.flags.Changed("arch"):
		archs = nil
	case len(archs) == 0:
		return nil, nil, usagef("no architecture is given")
	}
	machines, err := driver.Machines(t.target, archs)
	if err != nil {
		return nil, nil, &usageError{err.Error()}
	}
	defines := driver.Definitions{}
	for _, d := range t.defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok || name == "" || value == "" {
			return nil, nil, usagef("-D %s: a definition is written NAME=VALUE", d)
		}
		defines[name] = value
	}
	return machines, defines, nil
}

// pick returns the kernels to work on, the named one or all, of programs, and checks
// that the definitions fit them.
func pick(programs []*driver.Program, name string, defines driver.Definitions) ([]driver.Kernel, error) {
	var kernels []driver.Kernel
	var names []string
	for _, p := range programs {
		kernels = append(kernels, p.Pick(name)...)
		for _, k := range p.Pick("") {
			names = append(names, k.Name)
		}
	}
	switch {
	case len(names) == 0:
		return nil, usagef("%s has no kernel", programs[0].Path)
	case len(kernels) == 0:
		return nil, usagef("no kernel %q; there is %s", name, strings.Join(names, ", "))
	}
	if err := defines.Check(kernels); err != nil {
		return nil, usagef("-D: %v", err)
	}
	return kernels, nil
}
