package types_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tilec/internal/diag"
	"tilec/lang/parser"
	"tilec/lang/types"
)

var update = flag.Bool("update", false, "renew ERROR comments and expected texts")

// checkText loads and checks one file of a set and returns all diagnostics.
func checkText(files map[string]string, root string) *diag.Reporter {
	rep := &diag.Reporter{}
	read := func(name string) (string, error) {
		text, ok := files[name]
		if !ok {
			return "", os.ErrNotExist
		}
		return text, nil
	}
	types.Check(types.Load(root, read, parser.Parse, rep), rep)
	return rep
}

var expectation = regexp.MustCompile(` *// (ERROR|WARNING) .*$`)

// TestErrors checks the programs in testdata/*.txtar. A line with diagnostics ends in comments that state each one
// exactly: `// ERROR E0201 "text that it marks" message`. Files below lib/ are only imported. The file NAME.txt holds
// what the user sees for NAME.tile, notes and hints included.
func TestErrors(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no testdata")
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: ar.Comment}
			texts := map[string]string{}
			plain := map[string]string{}
			for _, f := range ar.Files {
				texts[f.Name] = string(f.Data)
				plain[f.Name] = strip(string(f.Data))
			}
			for _, f := range ar.Files {
				if !strings.HasSuffix(f.Name, ".tile") {
					continue
				}
				if strings.HasPrefix(f.Name, "lib/") {
					out.Files = append(out.Files, f)
					continue
				}
				rep := checkText(plain, f.Name)
				marked := mark(f.Name, plain[f.Name], rep)
				var shown bytes.Buffer
				if err := rep.WriteText(&shown, diag.TextOptions{}); err != nil {
					t.Fatal(err)
				}
				expected := strings.TrimSuffix(f.Name, ".tile") + ".txt"
				out.Files = append(out.Files, txtar.File{Name: f.Name, Data: []byte(marked)})
				if shown.Len() > 0 {
					out.Files = append(out.Files, txtar.File{Name: expected, Data: shown.Bytes()})
				}
				if *update {
					continue
				}
				if d := cmp.Diff(texts[f.Name], marked); d != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, d)
				}
				if d := cmp.Diff(texts[expected], shown.String()); d != "" {
					t.Errorf("%s (-want +got):\n%s", expected, d)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// strip removes the expectations from a program.
func strip(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = expectation.ReplaceAllString(l, "")
	}
	return strings.Join(lines, "\n")
}

// mark adds to each line of a program what was reported there.
func mark(name, text string, rep *diag.Reporter) string {
	lines := strings.Split(text, "\n")
	for _, d := range rep.Sorted() {
		comment := fmt.Sprintf(" // %s %s %q %s", strings.ToUpper(d.Severity.String()), d.Code, firstLine(d.Span.Text()), d.Message)
		line := d.Span.Line()
		if d.Span.File == nil || d.Span.File.Name != name || line < 1 || line > len(lines) {
			continue
		}
		lines[line-1] += comment
	}
	return strings.Join(lines, "\n")
}

func firstLine(s string) string {
	line, _, cut := strings.Cut(s, "\n")
	if cut {
		line += "…"
	}
	return line
}
