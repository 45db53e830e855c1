package docgen

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Commands describes a command and those below it, as their help does.
func Commands(root *cobra.Command) string {
	var b strings.Builder
	command(&b, root)
	return b.String()
}

func command(b *strings.Builder, c *cobra.Command) {
	if c.Hidden || c.Name() == "help" {
		return
	}
	c.InitDefaultHelpFlag()
	about := c.Long
	if about == "" {
		about = c.Short
	}
	fmt.Fprintf(b, "## %s\n\n%s\n\n```\n%s\n```\n\n", c.CommandPath(), strings.ReplaceAll(strings.TrimSpace(about), "<", `\<`), c.UseLine())
	if c.Example != "" {
		fmt.Fprintf(b, "```sh\n%s\n```\n\n", unindent(c.Example))
	}
	if flags := strings.TrimRight(c.LocalFlags().FlagUsages(), "\n"); c.HasAvailableLocalFlags() {
		fmt.Fprintf(b, "```\n%s\n```\n\n", flags)
	}
	if c.Name() == "completion" {
		return // its subcommands are cobra's own: one for each shell
	}
	for _, sub := range c.Commands() {
		command(b, sub)
	}
}

func unindent(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}
