package docgen

import (
	"fmt"

	"tilec/passes"
)

// Passes is the table of passes in the order in which they run.
func Passes() string {
	var rows [][]string
	for i, p := range passes.Table() {
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprintf("[%s](#%s)", code(p.Name), p.Name), p.Doc, facts(p.Needs), facts(p.Gives)})
	}
	return table([]string{"", "pass", "what it does", "needs", "gives"}, rows)
}

func facts(f passes.Facts) string {
	if f == 0 {
		return ""
	}
	return f.String()
}
