package diag_test

import (
	"os"

	"tilec/internal/diag"
)

func ExampleReporter() {
	file := diag.NewFile("a.tile", "const A = 1\nconst B = a\n")
	rep := &diag.Reporter{}
	rep.Errorf(diag.Undefined, diag.Span{File: file, Start: 22, End: 23}, "a is not known here").
		Note(diag.Span{File: file, Start: 6, End: 7}, "A is declared here").
		Hint("did you mean A?")
	rep.WriteText(os.Stdout, diag.TextOptions{})
	// Output:
	// a.tile:2:11: error E0201: a is not known here
	//  2 | const B = a
	//    |           ^
	//   note a.tile:1:7: A is declared here
	//  1 | const A = 1
	//    |       ^
	//   hint: did you mean A?
}
