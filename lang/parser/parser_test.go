package parser_test

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

// TestErrors checks every diagnostic of the cases to the letter: place, message, notes, hint.
func TestErrors(t *testing.T) {
	golden(t, "testdata/errors/*.txtar", func(t *testing.T, in string) string {
		_, rep := parse(t, "in.tile", in)
		var out strings.Builder
		if err := rep.WriteText(&out, diag.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	})
}

// TestCodeExamples checks that the example of each syntax code yields that code and no other.
func TestCodeExamples(t *testing.T) {
	for _, info := range diag.Codes() {
		if !strings.HasPrefix(string(info.Code), "E01") || info.Example == "" {
			continue
		}
		_, rep := parse(t, "example.tile", info.Example)
		if !rep.HasErrors() {
			t.Errorf("the example of %s has no error", info.Code)
		}
		for _, d := range rep.Sorted() {
			if d.Code != info.Code {
				t.Errorf("the example of %s yields %v", info.Code, d)
			}
		}
	}
}

func TestParseExprErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":       "-D:1:1: error E0110: expected an expression, found the end",
		"1 2":    "-D:1:3: error E0110: expected the end of the expression, found `2`",
		"f(1":    "-D:1:4: error E0110: expected `,` or `)`, found the end",
		"128;":   "-D:1:4: error E0110: expected the end of the expression, found `;`",
		"1 +":    "-D:1:4: error E0110: expected an expression, found the end",
		"1_":     "-D:1:1: error E0103: `1_` is not a number",
		"let x":  "-D:1:1: error E0110: expected an expression, found `let`",
		"a # b":  "-D:1:3: error E0101: unexpected character `#`",
		"1<2<3":  "-D:1:4: error E0113: comparisons do not chain",
		"\"open": "-D:1:1: error E0102: this string is not closed",
	} {
		rep := new(diag.Reporter)
		if x := parser.ParseExpr(diag.NewFile("-D", text), rep); x != nil {
			t.Errorf("%q is read as %s", text, ast.Text(x))
		}
		if got := rep.Sorted(); len(got) != 1 || got[0].Error() != want {
			t.Errorf("%q: got %v, want %s", text, got, want)
		}
	}
}

func TestTrees(t *testing.T) {
	golden(t, "testdata/trees/*.txtar", func(t *testing.T, in string) string {
		f, rep := parse(t, "in.tile", in)
		for _, d := range rep.Sorted() {
			t.Error(d.Text(diag.TextOptions{}))
		}
		checkSpans(t, f)
		return ast.Dump(f)
	})
}

// checkSpans checks that every node has a place inside its parent's.
func checkSpans(t *testing.T, n ast.Node) {
	t.Helper()
	s := n.Span()
	if s.File == nil || s.Start < 0 || s.End > len(s.File.Text) || s.Start > s.End {
		t.Errorf("%T has the span %v..%d", n, s, s.End)
		return
	}
	for _, c := range ast.Children(n) {
		if c.Span().Start < s.Start || c.Span().End > s.End {
			t.Errorf("%T %q reaches outside its parent %T %q", c, c.Span().Text(), n, s.Text())
		}
		checkSpans(t, c)
	}
}

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// golden runs f on the file in.tile of each archive and compares with its file want.
func golden(t *testing.T, pattern string, f func(t *testing.T, in string) string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases at", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) == 0 || archive.Files[0].Name != "in.tile" {
				t.Fatal("the first file is not in.tile")
			}
			got := f(t, string(archive.Files[0].Data))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
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
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
