package docgen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tilec/internal/diag"
	"tilec/internal/docgen"
	"tilec/ir"
	"tilec/lang/format"
	"tilec/lang/lower"
	"tilec/lang/parser"
	"tilec/lang/types"
)

// placeholder stands in a block `tile around` for the statements of the blocks `tile inside` that follow it.
const placeholder = "…"

// TestBlocks checks the code on every page. A block in the language
//
//	tile          is a whole program, formatted; its kernels are lowered and its tests evaluated
//	tile inside   is statements for the last block `tile around`, at the line that holds only "…"
//	tile example  is one that package types tests
//	tir           is a function of the IR
//
// and may have a word error=CODE behind it: it yields that code, at least once and no other. The word warning=CODE is
// the same for warnings.
func TestBlocks(t *testing.T) {
	for _, page := range pages(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			around := ""
			for _, b := range docgen.Blocks(string(text)) {
				name := fmt.Sprintf("%s:%d", filepath.Base(page), b.Line)
				switch {
				case b.Language == "tir":
					checkIR(t, name, b.Text)
				case b.Language != "tile", slices.Contains(b.Words, "example"):
				case slices.Contains(b.Words, "around"):
					around = b.Text
				case slices.Contains(b.Words, "inside"):
					checkProgram(t, name, inside(t, name, around, b.Text), b.Words)
				default:
					checkProgram(t, name, b.Text, b.Words)
					if len(b.Words) == 0 {
						checkFormat(t, name, b.Text)
					}
				}
			}
		})
	}
}

// pages lists the Markdown files of docs/ and of the root.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(docs + "/*.md")
	if err != nil || len(all) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	root, _ := filepath.Glob(docs + "/../*.md")
	return append(all, root...)
}

// inside puts statements at the place that a program leaves for them.
func inside(t *testing.T, name, around, statements string) string {
	t.Helper()
	for line := range strings.Lines(around) {
		if strings.TrimSpace(line) == placeholder {
			return strings.Replace(around, line, statements, 1)
		}
	}
	t.Fatalf("%s: no block around these statements", name)
	return ""
}

func checkIR(t *testing.T, name, text string) {
	t.Helper()
	f, err := ir.Parse(name, text)
	if err != nil {
		t.Error(err)
		return
	}
	if err := ir.Verify(f); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func checkFormat(t *testing.T, name, text string) {
	t.Helper()
	if got, ok := format.Source(diag.NewFile(name, text), &diag.Reporter{}); !ok || got != text {
		t.Errorf("%s: not formatted; it should be\n%s", name, got)
	}
}

// checkProgram checks a program and compares the codes that it yields with those that are expected.
func checkProgram(t *testing.T, name, text string, words []string) {
	t.Helper()
	rep := &diag.Reporter{}
	compile(name, text, rep)
	var want []string
	for _, w := range words {
		if severity, code, ok := strings.Cut(w, "="); ok {
			want = append(want, severity+" "+code)
		}
	}
	var got []string
	for _, d := range rep.Sorted() {
		got = append(got, d.Severity.String()+" "+string(d.Code))
	}
	slices.Sort(want)
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		var all strings.Builder
		rep.WriteText(&all, diag.TextOptions{})
		t.Errorf("%s: got %v, want %v\n%s\nin\n%s", name, got, want, all.String(), text)
	}
}

// compile takes a program as far as tile form.
func compile(name, text string, rep *diag.Reporter) {
	read := func(path string) (string, error) {
		if path == name {
			return text, nil
		}
		return "", os.ErrNotExist
	}
	p := types.Load(name, read, parser.Parse, rep)
	if rep.HasErrors() {
		return
	}
	types.Check(p, rep)
	if rep.HasErrors() {
		return
	}
	for _, test := range p.Tests {
		types.Evaluate(p, test, rep)
	}
	for _, k := range p.Kernels {
		inst, ok := types.Instantiate(p, k, types.Bindings{}, rep)
		if !ok {
			continue
		}
		lower.Kernel(inst, rep)
		lower.Spec(inst, rep)
	}
}
