package docgen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tilec/internal/docgen"
	"tilec/internal/golden"
	"tilec/passes"
)

// docs is the folder of the pages.
const docs = "../../docs"

func TestPages(t *testing.T) {
	exprops, err := os.ReadFile("../../ir/exprops.go")
	if err != nil {
		t.Fatal(err)
	}
	scalars, err := docgen.Scalars(exprops)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := docgen.Packages("../..", "cmd", "lang", "ir", "passes", "codegen", "runtime", "internal")
	if err != nil {
		t.Fatal(err)
	}
	faults, err := docgen.Faults("../..", "cmd", "lang", "codegen", "runtime", "internal", "examples", "testdata")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]map[string]string{
		"../ARCHITECTURE.md": {"packages": packages},
		"operations.md":      {"statements": docgen.Statements(), "combinations": docgen.Combinations(), "scalars": scalars},
		"codes.md":           {"codes": docgen.Codes()},
		"passes.md":          {"passes": docgen.Passes()},
		"cuda.md":            excerpts(t),
		"known-faults.md":    {"faults": faults},
		"machines.md":        {"machines": docgen.Machines(), "rates": docgen.Rates(), "atoms": docgen.Atoms(), "paths": docgen.Paths()},
	}
	for name, parts := range pages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(docs, name)
			have, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := docgen.Fill(string(have), parts)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, path, want)
		})
	}
}

// TestEssays wants a section on every pass, in the order of the table.
func TestEssays(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docs, "passes.md"))
	if err != nil {
		t.Fatal(err)
	}
	rest := string(page)
	for _, p := range passes.Table() {
		_, after, found := strings.Cut(rest, "\n## "+p.Name+"\n")
		if !found {
			t.Errorf("passes.md: no section on %s behind those of the passes before it", p.Name)
			continue
		}
		rest = after
	}
}

func TestFill(t *testing.T) {
	page := "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n"
	got, err := docgen.Fill(page, map[string]string{"x": "new\n"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []struct {
		page  string
		parts map[string]string
	}{
		{"no mark", map[string]string{"x": ""}},
		{page, nil},
		{page + page, map[string]string{"x": ""}},
		{"<!-- generated: x -->\nnever closed", map[string]string{"x": ""}},
		{"<!-- generated: x", map[string]string{"x": ""}},
	} {
		if got, err := docgen.Fill(bad.page, bad.parts); err == nil {
			t.Errorf("Fill(%q, %v) = %q, want an error", bad.page, bad.parts, got)
		}
	}
}
