package codegen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/internal/diag"
)

func TestWriter(t *testing.T) {
	f := diag.NewFile("k.tile", "let x = 1\nlet y = 2 // 100%\n")
	first, second := diag.Span{File: f, Start: 4, End: 5}, diag.Span{File: f, Start: 14, End: 15}
	w := &Writer{}
	w.Line("int %s = %d;", "x", 100)
	w.Line("%s", "100%")
	w.Line("")
	w.Open("if (%s)", "x")
	w.Source(first)
	w.Line("x = 2;")
	w.Source(first)
	w.Line("x = 3;")
	w.Else()
	w.Source(second)
	w.Source(diag.Span{})
	inner := w.Indented()
	inner.Open("")
	inner.Line("y;")
	inner.Close(";")
	w.Raw(inner.String())
	w.Source(first)
	w.Close("")
	want := `int x = 100;
100%

if (x) {
    // 1: let x = 1
    x = 2;
    x = 3;
} else {
    // 2: let y = 2 // 100%
    {
        y;
    };
    // 1: let x = 1
}
`
	if diff := cmp.Diff(want, w.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNamesAreUnique(t *testing.T) {
	n := &Names{}
	n.Reserve("if", "x_2")
	var got []string
	for _, name := range []string{"x", "x", "x", "if", "y", "y_2", "y"} {
		got = append(got, n.Take(name))
	}
	if diff := cmp.Diff([]string{"x", "x_3", "x_4", "if_2", "y", "y_2", "y_3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
