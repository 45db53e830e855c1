package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tilec/internal/driver"
	"tilec/runtime/array"
)

func runCommand(io streams) *cobra.Command {
	var target targetFlags
	var device deviceFlag
	var kernel string
	var set, in, out []string
	var interpret, report, countOnly, asJSON bool
	c := &cobra.Command{
		Use:   "run FILE.tile",
		Short: "Run a kernel on arrays from .npy files",
		Long: "run compiles one kernel and runs it. Dimensions follow from the inputs' shapes, or are --set, as scalar\n" +
			"parameters are. Float parameters take any float array and round; bf16 and 8-bit float results are\n" +
			"saved as f32, 4-bit integers as 8-bit ones.",
		Example: "  tilec run matmul.tile --kernel matmul -target=cuda --in A=a.npy --in B=b.npy --out C=c.npy",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			machines, defines, err := target.resolve()
			if err != nil {
				return err
			}
			if len(machines) != 1 {
				return usagef("run takes one architecture")
			}
			if asJSON && (!report || !machines[0].HasCores()) {
				return usagef("--json is of the --report of a kernel for Ascend")
			}
			if countOnly && len(out) > 0 {
				return usagef("with --count-only there are no results to save")
			}
			r := driver.RunRequest{Machine: machines[0], Interpret: interpret, Counters: report, CountOnly: countOnly, Print: func(s string) { fmt.Fprint(io.out, s) }}
			if r.Set, err = pairs("--set", set); err != nil {
				return err
			}
			inputs, err := pairs("--in", in)
			if err != nil {
				return err
			}
			outputs, err := pairs("--out", out)
			if err != nil {
				return err
			}
			opts := driver.Options{Search: search(io)}
			if !interpret {
				close, err := device.open(&opts)
				if err != nil {
					return err
				}
				defer close()
			}
			s := driver.New(c.Context(), opts)
			programs, ok := load(io, s, args, false)
			if !ok {
				return errFailed
			}
			kernels, err := pick(programs, kernel, defines)
			if err != nil {
				return err
			}
			if len(kernels) > 1 {
				return usagef("%s has %d kernels; choose one with --kernel", args[0], len(kernels))
			}
			r.Kernel, r.Define = kernels[0], defines
			r.In = map[string]*array.Array{}
			for _, name := range slices.Sorted(maps.Keys(inputs)) {
				if r.In[name], err = array.LoadNpy(inputs[name]); err != nil {
					return err
				}
			}
			res, err := s.Run(c.Context(), r)
			if err != nil {
				return err
			}
			for _, name := range slices.Sorted(maps.Keys(outputs)) {
				a := res.Tensors[name]
				if a == nil {
					return usagef("--out %s: %s has no out tensor of that name", name, r.Kernel.Name)
				}
				if err := array.SaveNpy(outputs[name], a); err != nil {
					return err
				}
			}
			return printRun(io, r, res, report, asJSON)
		},
	}
	target.add(c)
	device.add(c)
	f := c.Flags()
	f.StringVar(&kernel, "kernel", "", "the kernel to run, if the file has several")
	f.StringArrayVar(&set, "set", nil, "values of dimensions and scalar parameters, as in M=64,eps=1e-5")
	f.StringArrayVar(&in, "in", nil, "an input, as in A=a.npy")
	f.StringArrayVar(&out, "out", nil, "where a result goes, as in C=c.npy")
	f.BoolVar(&interpret, "interp", false, "run the interpreter in place of the compiled kernel")
	f.BoolVar(&report, "report", false, "print what the PTX machine or the host machine for Ascend C counted")
	f.BoolVar(&countOnly, "count-only", false, "compute nothing, for the report of a large run on the host machine for Ascend C; inputs may be left out")
	f.BoolVar(&asJSON, "json", false, "print the report of the host machine for Ascend C as a JSON object")
	return c
}

// printRun prints the findings of a run, which make it a failure, and the counters.
func printRun(io streams, r driver.RunRequest, res *driver.RunResult, report, asJSON bool) error {
	switch {
	case report && asJSON && res.Cores != nil:
		if err := writeJSON(io.out, struct {
			Kernel string `json:"kernel"`
			Arch   string `json:"arch"`
			Config string `json:"config"`
			*driver.CoresReport
		}{r.Kernel.Name, r.Machine.Name, res.Config, res.Cores}); err != nil {
			return err
		}
	case report:
		bound := ""
		if res.Config != "" {
			bound = " [" + res.Config + "]"
		}
		fmt.Fprintf(io.out, "%s %s%s\n", r.Kernel.Name, r.Machine.Name, bound)
		if err := printCounters(io.out, res); err != nil {
			return err
		}
	}
	for _, f := range res.Findings {
		fmt.Fprintf(io.err, "%s\n", f)
	}
	if len(res.Findings) > 0 {
		return errFailed
	}
	return nil
}

// pairs splits NAME=VALUE items, several of them with commas between.
func pairs(flag string, items []string) (map[string]string, error) {
	all := map[string]string{}
	for _, item := range items {
		for _, part := range strings.Split(item, ",") {
			name, value, ok := strings.Cut(part, "=")
			if !ok || name == "" || value == "" {
				return nil, usagef("%s %s: it is written NAME=VALUE", flag, item)
			}
			if _, twice := all[name]; twice {
				return nil, usagef("%s: %s is given twice", flag, name)
			}
			all[name] = value
		}
	}
	return all, nil
}
