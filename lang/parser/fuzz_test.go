package parser_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/parser"
)

// seed adds the examples and all error and tree cases to a corpus, and each cut short at a few places.
func seed(f *testing.F) {
	f.Helper()
	add := func(text string) {
		f.Add(text)
		for _, n := range []int{len(text) / 3, len(text) / 2, len(text) - 2} {
			if n > 0 {
				f.Add(text[:n])
			}
		}
	}
	for _, text := range examples(f) {
		add(text)
	}
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range paths {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			f.Fatal(err)
		}
		add(string(archive.Files[0].Data))
	}
}

// FuzzParse checks that any text is parsed without a panic, that errors are reported at places inside the text, and
// that a text without errors gives a complete tree.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		tree, rep := parse(t, "fuzz.tile", text)
		for _, d := range rep.Sorted() {
			if !d.Span.IsValid() || d.Span.Start > len(text) || d.Message == "" || d.Code == "" {
				t.Errorf("incomplete diagnostic %+v", d)
			}
			d.Text(diag.TextOptions{Color: true})
		}
		if rep.HasErrors() {
			return
		}
		checkSpans(t, tree)
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.BadStmt, *ast.BadExpr:
				t.Errorf("%T without an error", n)
			}
			return true
		})
	})
}

// FuzzExpr does the same for single expressions, and checks that printing one and reading it back changes nothing.
func FuzzExpr(f *testing.F) {
	for _, text := range []string{"128", "bf16", "normal(0, 1)", "-(1 + 2) * x[i, j : k]", "if a then b else c", "sum[k: 3](x[k])", "1 <"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rep := new(diag.Reporter)
		x := parser.ParseExpr(diag.NewFile("-D", text), rep)
		if (x == nil) != rep.HasErrors() {
			t.Errorf("%v with %d errors", x, rep.ErrorCount())
		}
		if x == nil {
			return
		}
		printed := ast.Text(x)
		again := parser.ParseExpr(diag.NewFile("printed", printed), rep)
		if again == nil {
			t.Fatalf("%s cannot be read back: %v", printed, rep.Sorted())
		}
		if d := cmp.Diff(ast.Dump(x), ast.Dump(again)); d != "" {
			t.Errorf("%s became %s: %s", text, printed, d)
		}
	})
}

// TestHostileTexts checks that time stays linear and the stack bounded, whatever the text.
func TestHostileTexts(t *testing.T) {
	const n = 50_000
	for name, text := range map[string]string{
		"brackets":       strings.Repeat("(", n),
		"braces":         "kernel k() " + strings.Repeat("{", n),
		"blocks":         "kernel k() { grid (x: 1) " + strings.Repeat("{ if a ", n),
		"minus":          "const A = " + strings.Repeat("-", n),
		"sum":            "const A = 1" + strings.Repeat(" + 1", n),
		"not":            "const A = " + strings.Repeat("not ", n),
		"if":             "const A = " + strings.Repeat("if a then b else ", n/4),
		"else if":        "kernel k() { grid (x: 1) { if a { }" + strings.Repeat(" else if a { }", n/8) + "} }",
		"index":          "const A = a" + strings.Repeat("[a", n),
		"call":           "const A = " + strings.Repeat("f(", n),
		"reduce":         "const A = " + strings.Repeat("sum[k](", n),
		"closing":        strings.Repeat("}", n),
		"digits":         "const A = " + strings.Repeat("9", n),
		"zeros":          "const A = " + strings.Repeat("0", n) + "1",
		"fraction":       "const A = 0." + strings.Repeat("9", n),
		"exponent":       "const A = 1e" + strings.Repeat("9", n),
		"name":           "const " + strings.Repeat("a", n) + " = 1",
		"string":         "import \"" + strings.Repeat("a", n),
		"commas":         "test \"a\" k { " + strings.Repeat(",", n),
		"attributes":     strings.Repeat("@a ", n),
		"declarations":   strings.Repeat("const A = \n", n/10),
		"bad statements": "kernel k() {" + strings.Repeat("let \n", n/4) + "}",
		"semicolons":     "kernel k() {" + strings.Repeat(";", n) + "}",
		"peers":          "kernel k() { grid (x: 1) {" + strings.Repeat("peer(", n/4) + "} }",
		"peer lines":     "kernel k() { grid (x: 1) {" + strings.Repeat("peer(\n", n/4) + "} }",
		"docs":           strings.Repeat("/// a\n", n/4),
		"nul":            strings.Repeat("\x00", n),
		"not utf-8":      strings.Repeat("\xff\n", n/4),
		"marks":          strings.Repeat("é ", n/4),
		"tiles":          "kernel k() { grid (x: 1) {" + strings.Repeat("copy a[x, y] -> b[x, y]\n", n/20) + "} }",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, rep := parse(t, "hostile.tile", text)
			for _, d := range rep.Sorted() {
				if shown := d.Text(diag.TextOptions{}); len(shown) > 4000 {
					t.Errorf("a message of %d bytes", len(shown))
				}
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("took %v", d)
			}
			t.Log(time.Since(start))
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for name, text := range examples(b) {
		b.Run(strings.TrimSuffix(name, ".tile"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				parse(b, name, text)
			}
		})
	}
}
