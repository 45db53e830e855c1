package diag_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/internal/diag"
)

func span(f *diag.File, text string) diag.Span {
	start := strings.Index(f.Text, text)
	return diag.Span{File: f, Start: start, End: start + len(text)}
}

func TestPosition(t *testing.T) {
	f := diag.NewFile("a.tile", "ab\r\nçd\n\nx")
	for _, c := range []struct{ offset, line, column int }{
		{0, 1, 1}, {1, 1, 2}, {3, 1, 4}, {4, 2, 1}, {6, 2, 2}, {7, 2, 3}, {8, 3, 1}, {9, 4, 1}, {10, 4, 2}, {99, 4, 2}, {-1, 1, 1},
	} {
		if line, column := f.Position(c.offset); line != c.line || column != c.column {
			t.Errorf("offset %d is at %d:%d, want %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
	if d := cmp.Diff([]string{"", "ab", "çd", "", "x", ""}, []string{f.Line(0), f.Line(1), f.Line(2), f.Line(3), f.Line(4), f.Line(5)}); d != "" {
		t.Error(d)
	}
	if f.LineCount() != 4 {
		t.Errorf("%d lines", f.LineCount())
	}
}

func TestSpan(t *testing.T) {
	f := diag.NewFile("a.tile", "one two three")
	both := span(f, "three").To(span(f, "two"))
	if both.Text() != "two three" || both.String() != "a.tile:1:5" || both.Line() != 1 {
		t.Errorf("%q at %v", both.Text(), both)
	}
	var none diag.Span
	if none.IsValid() || none.String() != "-" || none.Text() != "" || none.Line() != 0 || none.To(both) != both || both.To(none) != both {
		t.Error("the zero span is a place")
	}
}

func TestText(t *testing.T) {
	f := diag.NewFile("matmul.tile", "let a = 1\n\tacc = ącc + part\n")
	rep := new(diag.Reporter)
	rep.Errorf(diag.Syntax, span(f, "part"), "cannot add %s and %s", "64x64", "64x32").
		Note(span(f, "a = 1"), "64x64 comes from here").
		Note(diag.Span{}, "no place").
		Hint("broadcast(part, %s)", "64x64")
	rep.Warnf("", span(f, "let"), "first")
	rep.Remarkf("", diag.Span{}, "anywhere")
	want := `remark: anywhere
matmul.tile:1:1: warning: first
 1 | let a = 1
   | ^^^
matmul.tile:2:14: error E0110: cannot add 64x64 and 64x32
 2 | 	acc = ącc + part
   | 	            ^^^^
  note matmul.tile:1:5: 64x64 comes from here
 1 | let a = 1
   |     ^^^^^
  note no place
  hint: broadcast(part, 64x64)
`
	var out bytes.Buffer
	if err := rep.WriteText(&out, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	out.Reset()
	if err := rep.WriteText(&out, diag.TextOptions{Color: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\x1b[1;31m^^^^\x1b[0m") {
		t.Errorf("no colour in %q", out.String())
	}
}

func TestJSON(t *testing.T) {
	f := diag.NewFile("a.tile", "let a = b")
	rep := new(diag.Reporter)
	rep.Errorf(diag.Syntax, span(f, "b"), "unknown <b>").Note(span(f, "a"), "like this").Hint("write a").Replace(span(f, "b"), "a")
	want := `{"code":"E0110","severity":"error","place":{"file":"a.tile","line":1,"column":9,"endLine":1,"endColumn":10,"start":8,"end":9},"message":"unknown <b>","notes":[{"place":{"file":"a.tile","line":1,"column":5,"endLine":1,"endColumn":6,"start":4,"end":5},"text":"like this"}],"hint":"write a","fix":{"place":{"file":"a.tile","line":1,"column":9,"endLine":1,"endColumn":10,"start":8,"end":9},"text":"a"}}
`
	var out bytes.Buffer
	if err := rep.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

// TestSorted checks order, duplicates, and the limit, with reports that come from several goroutines.
func TestSorted(t *testing.T) {
	f := diag.NewFile("a.tile", strings.Repeat("x", 100))
	rep := new(diag.Reporter)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			at := (i / 2) * 3 // every place twice
			rep.Errorf(diag.Syntax, diag.Span{File: f, Start: at, End: at + 1}, "at %d", at).Hint("h")
		})
	}
	wg.Wait()
	rep.Warnf("", diag.Span{File: f, Start: 99, End: 100}, "a warning is not counted")
	var got []string
	for _, d := range rep.Sorted() {
		got = append(got, d.Message)
	}
	var want []string
	for i := range diag.MaxErrors {
		want = append(want, fmt.Sprintf("at %d", i*3))
	}
	want = append(want, "a warning is not counted")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if rep.Omitted() != 5 || rep.ErrorCount() != 50 || !rep.HasErrors() {
		t.Errorf("%d omitted of %d", rep.Omitted(), rep.ErrorCount())
	}
	var out bytes.Buffer
	if err := rep.WriteText(&out, diag.TextOptions{}); err != nil || !strings.HasSuffix(out.String(), "\n5 more errors\n") {
		t.Errorf("%v in %s", err, out.String())
	}
}

// TestExcerpt checks lines that need care: long ones, several, binary, and the end of the file.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 1000) + "bad" + strings.Repeat("c", 1000)
	for _, c := range []struct{ text, bad, want string }{
		{long, "bad", " 1 | …" + strings.Repeat("a", 53) + "bad" + strings.Repeat("c", 104) + "…\n   |  " + strings.Repeat(" ", 53) + "^^^\n"},
		{"x = [1,\n2]", "[1,\n2]", " 1 | x = [1,\n   |     ^^^\n"},
		{"a\x1b[31mb\xff", "b", " 1 | a\uFFFD[31mb\uFFFD\n   |       ^\n"},
	} {
		f := diag.NewFile("f", c.text)
		d := &diag.Diagnostic{Severity: diag.Error, Span: span(f, c.bad), Message: "m"}
		_, got, _ := strings.Cut(d.Text(diag.TextOptions{}), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.bad, diff)
		}
	}
	f := diag.NewFile("f", "one\n")
	d := &diag.Diagnostic{Severity: diag.Error, Span: diag.Span{File: f, Start: 4, End: 4}, Message: "m"}
	if got := d.Text(diag.TextOptions{}); got != "f:2:1: error: m\n" {
		t.Errorf("at the end: %q", got)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"matmul", "softmax", "stages", "exp", "exp2", "x", "BM", "BN", "rsqrt", "sqrt", "acc"}
	for name, want := range map[string]string{
		"matmlu": "matmul", "sofmax": "softmax", "stage": "stages", "Stages": "stages", "exp3": "exp", "sqr": "sqrt",
		"BK": "", "bm": "BM", "q": "", "zebra": "", "": "", "ac": "acc", "MB": "BM", "QQ": "", "xx": "x", "xq": "", "accc": "acc", "rsqrtt": "rsqrt",
	} {
		if got := diag.Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestCodes checks that the table is in order and complete as far as one can tell from here.
func TestCodes(t *testing.T) {
	var before diag.Code
	for _, info := range diag.Codes() {
		if info.Code <= before {
			t.Errorf("%s stands behind %s", info.Code, before)
		}
		before = info.Code
		if len(info.Code) != 5 || info.Title == "" || info.Explain == "" || strings.HasSuffix(info.Title, ".") {
			t.Errorf("incomplete: %+v", info)
		}
		if got, ok := diag.Lookup(info.Code); !ok || got != info {
			t.Errorf("%s is not found", info.Code)
		}
	}
	if _, ok := diag.Lookup("E9999"); ok {
		t.Error("E9999 is known")
	}
}
