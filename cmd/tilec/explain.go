package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tilec/internal/diag"
)

func explainCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:     "explain CODE",
		Short:   "Explain an error code, such as E0401; without a code, list them",
		Example: "  tilec explain E0401",
		Args:    args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, info := range diag.Codes() {
				codes = append(codes, string(info.Code)+"\t"+info.Title)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, info := range diag.Codes() {
					fmt.Fprintf(io.out, "%s  %s\n", info.Code, info.Title)
				}
				return nil
			}
			info, ok := diag.Lookup(diag.Code(strings.ToUpper(args[0])))
			if !ok {
				return usagef("no code %q; `tilec explain` lists them", args[0])
			}
			fmt.Fprintf(io.out, "%s: %s\n\n%s\n", info.Code, info.Title, info.Explain)
			if info.Example != "" {
				fmt.Fprintf(io.out, "\nExample:\n\n%s", indent(info.Example))
			}
			return nil
		},
	}
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return b.String()
}
