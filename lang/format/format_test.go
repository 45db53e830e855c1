package format_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/format"
	"tilec/lang/parser"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

func TestExamplesAreFormatted(t *testing.T) {
	for path, text := range read(t, "../../examples/*.tile") {
		got, ok := format.Source(diag.NewFile(path, text), new(diag.Reporter))
		if !ok {
			t.Errorf("%s has errors", path)
		}
		if d := cmp.Diff(text, got); d != "" {
			t.Errorf("%s: -want +got\n%s", path, d)
		}
	}
}

func TestGolden(t *testing.T) {
	for path, text := range read(t, "testdata/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := txtar.Parse([]byte(text))
			if len(archive.Files) == 0 || archive.Files[0].Name != "in.tile" {
				t.Fatal("the first file is not in.tile")
			}
			got := checkFormat(t, string(archive.Files[0].Data))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want.tile", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := ""
			if len(archive.Files) == 2 {
				want = string(archive.Files[1].Data)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestErrorsAreReported(t *testing.T) {
	rep := new(diag.Reporter)
	if text, ok := format.Source(diag.NewFile("in.tile", "const A = \n"), rep); ok || text != "" || !rep.HasErrors() {
		t.Errorf("%q, %v with %d errors", text, ok, rep.ErrorCount())
	}
}

// FuzzSource checks, for every text without errors, that formatting keeps the tree, the comments, and its own result.
func FuzzSource(f *testing.F) {
	for _, text := range read(f, "../../examples/*.tile") {
		f.Add(text)
	}
	for _, pattern := range []string{"testdata/*.txtar", "../parser/testdata/*/*.txtar"} {
		for _, text := range read(f, pattern) {
			f.Add(string(txtar.Parse([]byte(text)).Files[0].Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		rep := new(diag.Reporter)
		if parser.Parse(diag.NewFile("in.tile", text), rep); rep.HasErrors() {
			t.Skip()
		}
		checkFormat(t, text)
	})
}

// checkFormat formats a text without errors and checks what must hold for all of them.
func checkFormat(t *testing.T, text string) string {
	t.Helper()
	once := source(t, text)
	if twice := source(t, once); once != twice {
		t.Errorf("not idempotent: -once +twice\n%s", cmp.Diff(once, twice))
	}
	before, after := parser.Parse(diag.NewFile("before", text), new(diag.Reporter)), parser.Parse(diag.NewFile("after", once), new(diag.Reporter))
	if d := cmp.Diff(ast.Dump(before), ast.Dump(after)); d != "" {
		t.Errorf("the tree changed: -before +after\n%s", d)
	}
	if d := cmp.Diff(comments(before), comments(after)); d != "" {
		t.Errorf("the comments changed: -before +after\n%s", d)
	}
	for i, line := range strings.Split(once, "\n") {
		if strings.TrimRight(line, " \t\r") != line {
			t.Errorf("line %d ends with white space", i+1)
		}
	}
	return once
}

func source(t *testing.T, text string) string {
	t.Helper()
	rep := new(diag.Reporter)
	out, ok := format.Source(diag.NewFile("in.tile", text), rep)
	if !ok {
		t.Fatalf("errors in\n%s\n%v", text, rep.Sorted())
	}
	return out
}

func comments(f *ast.File) []string {
	var out []string
	for _, c := range f.Comments {
		out = append(out, c.Text)
	}
	return out
}

func read(t testing.TB, pattern string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal("no files at", pattern, err)
	}
	texts := map[string]string{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		texts[p] = string(text)
	}
	return texts
}

func BenchmarkSource(b *testing.B) {
	text := read(b, "../../examples/attention.tile")["../../examples/attention.tile"]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		format.Source(diag.NewFile("attention.tile", text), new(diag.Reporter))
	}
}
