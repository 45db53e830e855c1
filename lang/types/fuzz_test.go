package types_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tilec/internal/diag"
)

// FuzzCheck: whatever the parser makes of a text, checking it never panics, and every diagnostic has a place and a known code.
func FuzzCheck(f *testing.F) {
	for _, name := range exampleFiles(f) {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if strings.HasSuffix(file.Name, ".tile") {
				f.Add(strip(string(file.Data)))
			}
		}
	}
	for _, info := range diag.Codes() {
		f.Add(info.Example)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		rep := checkText(map[string]string{"fuzz.tile": text}, "fuzz.tile")
		for _, d := range rep.Sorted() {
			if _, known := diag.Lookup(d.Code); !known || !d.Span.IsValid() || d.Message == "" {
				t.Errorf("%+v", d)
			}
			if strings.Contains(d.Message, "%!") || strings.Contains(d.Advice, "%!") {
				t.Errorf("badly formatted: %v", d)
			}
		}
	})
}
