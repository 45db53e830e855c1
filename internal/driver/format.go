package driver

import (
	"tilec/internal/diag"
	"tilec/lang/format"
)

// Format returns the text of a program in the canonical style. It is false for a
// text with syntax errors, which go to the reporter.
func Format(path, text string, rep *diag.Reporter) (string, bool) {
	return format.Source(diag.NewFile(path, text), rep)
}
