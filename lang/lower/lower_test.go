package lower_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"tilec/internal/diag"
	"tilec/lang/parser"
	"tilec/lang/types"
)

var update = flag.Bool("update", false, "renew the expected files")

// load parses and checks a program, which must be free of errors.
func load(t testing.TB, name, text string) *types.Program {
	t.Helper()
	rep := &diag.Reporter{}
	read := func(string) (string, error) { return text, nil }
	p := types.Load(name, read, parser.Parse, rep)
	types.Check(p, rep)
	fatal(t, rep)
	return p
}

func fatal(t testing.TB, rep *diag.Reporter) {
	t.Helper()
	if !rep.HasErrors() {
		return
	}
	var b strings.Builder
	for _, d := range rep.Sorted() {
		if d.Severity != diag.Error {
			continue
		}
		b.WriteString(d.Error() + "\n")
	}
	t.Fatal(b.String())
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
