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

// TestScope: a block keeps its braces only where more than a statement stands in it.
func TestScope(t *testing.T) {
	w := &Writer{}
	w.Scope()
	w.Line("x = 1;")
	w.Close("")
	w.Scope()
	w.Scope()
	w.Open("if (x)")
	w.Line("int y = x;")
	w.Line("x = 2 * y;")
	w.Else()
	w.Line("x = 3;")
	w.Close("")
	w.Close("")
	w.Close("")
	w.Scope()
	w.Line("int y = x;")
	w.Line("#pragma unroll")
	w.Line("for (;;) x = y;")
	w.Close("")
	w.Scope()
	w.Close("")
	want := `x = 1;
if (x) {
    int y = x;
    x = 2 * y;
} else {
    x = 3;
}
{
    int y = x;
    #pragma unroll
    for (;;) x = y;
}
`
	if diff := cmp.Diff(want, w.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSourceOnce: what serves a line that was named before does not name it again.
func TestSourceOnce(t *testing.T) {
	f := diag.NewFile("k.tile", "a\nb\n")
	first, second := diag.Span{File: f, Start: 0, End: 1}, diag.Span{File: f, Start: 2, End: 3}
	w := &Writer{}
	w.SourceOnce(first)
	w.Source(second)
	w.SourceOnce(first)
	w.Source(second)
	w.Source(first)
	if diff := cmp.Diff("// 1: a\n// 2: b\n// 1: a\n", w.String()); diff != "" {
		t.Error(diff)
	}
}
