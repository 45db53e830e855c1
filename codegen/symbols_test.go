package codegen

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/ir"
	"tilec/runtime/array"
)

func testDialect() *Dialect {
	return NewDialect(func(name string) string {
		if strings.HasPrefix(name, "_") {
			return "u" + name
		}
		return name
	}, "lane warp", "half")
}

func TestEntry(t *testing.T) {
	d := testDialect()
	for kernel, want := range map[string]string{"gemm": "gemm", "half": "half_kernel", "for": "for_kernel", "_k": "u_k"} {
		if got := d.Entry(kernel); got != want {
			t.Errorf("%s: got %s, want %s", kernel, got, want)
		}
	}
}

func TestSymbols(t *testing.T) {
	s := testDialect().Symbols("gemm")
	a := &ir.Buffer{Name: "lane"}
	v, w := &ir.Var{Name: "i"}, &ir.Var{Name: "i"}
	got := []string{s.Buf(a), s.Var(v), s.Var(w), s.Buf(a), s.Var(v), s.Local("gemm"), s.Local("_x"), s.Take("i")}
	if diff := cmp.Diff([]string{"lane_2", "i", "i_2", "lane_2", "i", "gemm_2", "u_x", "i_3"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	other := testDialect().Symbols("f")
	if got := other.Local("gemm"); got != "gemm" {
		t.Errorf("another scope: got %s", got)
	}
}

func TestParams(t *testing.T) {
	f, err := ir.Parse("f.tir", `tile func scale {
  dim N = X[0]
  dim M = X[1]
  param in X: f32[N, M] strided (X_row, X_col) in global
  param factor: f32
  param out Y: f32[N, M] in global
  grid ()
}
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range testDialect().Symbols("scale").Params(f, array.I32) {
		text := p.Name
		if p.Scalar != nil {
			text += " " + p.Type.String()
		}
		got = append(got, text)
	}
	if diff := cmp.Diff([]string{"X", "factor f32", "Y", "N i32", "M i32", "X_row i64", "X_col i64"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDoc(t *testing.T) {
	w := &Writer{}
	w.Doc("\n\nAdds.\n\nTwice.\n")
	if diff := cmp.Diff("/// Adds.\n/// Twice.\n", w.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
