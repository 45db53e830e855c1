package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tilec/internal/driver"
	"tilec/ir"
)

func irCommand(io streams) *cobra.Command {
	var target targetFlags
	var kernel, form string
	var view driver.View
	c := &cobra.Command{
		Use:   "ir FILE.tile",
		Short: "Print the intermediate representation of kernels",
		Long: "ir prints the IR of the kernels of a file, by default in scheduled form, the last one. --form chooses\n" +
			"another form, and --after what a pass left. The text is what package ir parses.",
		Example: "  tilec ir softmax.tile --form=tile\n  tilec ir softmax.tile --after=layout",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			machines, err := target.machines()
			if err != nil {
				return err
			}
			values, err := target.values()
			if err != nil {
				return err
			}
			if view.After != "" && form != "" {
				return usagef("--after and --form exclude each other")
			}
			if view.After != "" && !slices.Contains(driver.PassNames(), view.After) {
				return usagef("no pass %q; there is %s", view.After, strings.Join(driver.PassNames(), ", "))
			}
			if form != "" {
				var ok bool
				if view.Form, ok = formNamed(form); !ok {
					return usagef("no form %q; there is %s", form, strings.Join(formNames(), ", "))
				}
			}
			s := driver.New(c.Context(), driver.Options{Search: search(io)})
			programs, ok := load(io, s, args, false)
			if !ok {
				return errFailed
			}
			kernels, of, err := pick(programs, kernel)
			if err != nil {
				return err
			}
			if err := checkNames(kernels, values); err != nil {
				return err
			}
			for _, k := range kernels {
				b, err := bindings(k, values)
				if err != nil {
					return err
				}
				for _, m := range machines {
					text, err := s.IR(c.Context(), of[k], k, b, m, view)
					if err != nil {
						return err
					}
					fmt.Fprint(io.out, text)
				}
			}
			return nil
		},
	}
	target.add(c)
	f := c.Flags()
	f.StringVar(&kernel, "kernel", "", "print this kernel only")
	f.StringVar(&view.After, "after", "", "print what this pass left: "+strings.Join(driver.PassNames(), ", "))
	f.StringVar(&form, "form", "", "print this form: "+strings.Join(formNames(), ", "))
	f.BoolVar(&view.Any, "any", false, "the variant that assumes nothing of its arguments")
	c.RegisterFlagCompletionFunc("after", cobra.FixedCompletions(driver.PassNames(), cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("form", cobra.FixedCompletions(formNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func formNames() []string {
	var names []string
	for f := ir.SpecForm; f <= ir.ScheduledForm; f++ {
		names = append(names, f.String())
	}
	return names
}

func formNamed(name string) (ir.Form, bool) {
	i := slices.Index(formNames(), name)
	return ir.SpecForm + ir.Form(i), i >= 0
}
