package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tilec/internal/driver"
)

func irCommand(io streams) *cobra.Command {
	var target targetFlags
	var kernel, after, form string
	var slow bool
	c := &cobra.Command{
		Use:   "ir FILE.tile",
		Short: "Print the intermediate representation of kernels",
		Long: "ir prints the IR of the kernels of a file, by default in scheduled form, the last one. --form chooses\n" +
			"another form, and --after what a pass left. The text is what package ir parses.",
		Example: "  tilec ir softmax.tile --form=tile\n  tilec ir softmax.tile --after=layout",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			machines, defines, err := target.resolve()
			if err != nil {
				return err
			}
			view, err := driver.NewView(after, form)
			if err != nil {
				return &usageError{err.Error()}
			}
			view.Any = slow
			s := driver.New(c.Context(), driver.Options{Search: search(io)})
			programs, ok := load(io, s, args, false)
			if !ok {
				return errFailed
			}
			kernels, err := pick(programs, kernel, defines)
			if err != nil {
				return err
			}
			for _, k := range kernels {
				for _, m := range machines {
					text, err := s.IR(c.Context(), k, defines, m, view)
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
	f.StringVar(&after, "after", "", "print what this pass left: "+strings.Join(driver.PassNames(), ", "))
	f.StringVar(&form, "form", "", "print this form: "+strings.Join(driver.FormNames(), ", "))
	f.BoolVar(&slow, "any", false, "the variant that assumes nothing of its arguments")
	complete(c, "after", driver.PassNames())
	complete(c, "form", driver.FormNames())
	return c
}
