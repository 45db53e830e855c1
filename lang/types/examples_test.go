package types_test

import (
	"os"
	"path/filepath"
	"testing"

	"tilec/internal/diag"
	"tilec/lang/parser"
	"tilec/lang/types"
)

func readFile(name string) (string, error) {
	text, err := os.ReadFile(filepath.FromSlash(name))
	return string(text), err
}

// exampleFiles are all examples of the repository.
func exampleFiles(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("../../examples/*.tile")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples found: %v", err)
	}
	return names
}

// TestExamples: every example checks without errors and without warnings, and every test in it evaluates.
func TestExamples(t *testing.T) {
	for _, name := range exampleFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			rep := &diag.Reporter{}
			p := types.Load(filepath.ToSlash(name), readFile, parser.Parse, rep)
			types.Check(p, rep)
			for _, d := range rep.Sorted() {
				t.Error(d)
			}
			for _, test := range p.Tests {
				if _, ok := types.Evaluate(p, test, rep); !ok {
					t.Errorf("test %q does not evaluate", test.Title.Value)
				}
			}
		})
	}
}
