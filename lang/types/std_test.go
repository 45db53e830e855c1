package types_test

import (
	"testing"

	"tilec/lang/std"
)

// TestLibrary: every file of the standard library checks by itself, and all of them can be imported together.
func TestLibrary(t *testing.T) {
	text := ""
	for _, name := range std.Names() {
		text += "import \"std/" + name + "\"\n"
		file, err := std.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range checkText(map[string]string{"lib.tile": file}, "lib.tile").Sorted() {
			t.Errorf("%s: %v", name, d)
		}
	}
	for _, d := range checkText(map[string]string{"all.tile": text}, "all.tile").Sorted() {
		t.Error(d)
	}
}
