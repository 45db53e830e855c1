package docgen

import (
	"fmt"
	"strings"

	"tilec/internal/diag"
)

// groups are the stages that report codes, by the two digits behind the E.
var groups = []struct{ digits, title string }{
	{"01", "Text and syntax"}, {"02", "Names"}, {"03", "Types and shapes"}, {"04", "Index statements"},
	{"05", "Kernels and memory"}, {"06", "Tests and specs"}, {"07", "Targets"}, {"08", "The toolchain and the command"},
}

// Codes describes all error codes, each with the program that yields it.
func Codes() string {
	var b strings.Builder
	for _, g := range groups {
		first := true
		for _, info := range diag.Codes() {
			if string(info.Code[1:3]) != g.digits {
				continue
			}
			if first {
				fmt.Fprintf(&b, "## %s\n\n", g.title)
				first = false
			}
			fmt.Fprintf(&b, "### %s: %s\n\n%s\n\n", info.Code, info.Title, info.Explain)
			if info.Example != "" {
				fmt.Fprintf(&b, "```tile example\n%s\n```\n\n", strings.TrimRight(info.Example, "\n"))
			}
		}
	}
	return b.String()
}
