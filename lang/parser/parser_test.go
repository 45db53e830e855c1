package parser_test

import (
	"os"
	"path/filepath"
	"testing"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/parser"
)

func parse(t testing.TB, name, text string) (*ast.File, *diag.Reporter) {
	t.Helper()
	rep := new(diag.Reporter)
	return parser.Parse(diag.NewFile(name, text), rep), rep
}

func examples(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../../examples/*.tile")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	texts := map[string]string{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(p)] = string(text)
	}
	return texts
}

func TestExamplesParse(t *testing.T) {
	for name, text := range examples(t) {
		_, rep := parse(t, name, text)
		for _, d := range rep.Sorted() {
			t.Error(d.Text(diag.TextOptions{}))
		}
	}
}
