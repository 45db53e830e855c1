package format_test

import (
	"fmt"

	"tilec/internal/diag"
	"tilec/lang/format"
)

func ExampleSource() {
	file := diag.NewFile("duplicate.tile", "kernel duplicate(X:f32[N],Y:out f32[N]){grid(b:N){Y[b]=X[b]; // all of it\n}}\n")
	rep := &diag.Reporter{}
	text, ok := format.Source(file, rep)
	fmt.Println(ok)
	fmt.Print(text)
	// Output:
	// true
	// kernel duplicate(X: f32[N], Y: out f32[N]) {
	//     grid (b: N) {
	//         Y[b] = X[b]  // all of it
	//     }
	// }
}
