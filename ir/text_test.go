package ir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// samples returns the text of every function under testdata.
func samples(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.tir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = string(text)
	}
	return all
}

func mustParse(t testing.TB, name, text string) *Func {
	t.Helper()
	f, err := Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSamplesPrintAsTheyAreWritten(t *testing.T) {
	for name, text := range samples(t) {
		f := mustParse(t, name, text)
		if diff := cmp.Diff(text, Print(f)); diff != "" {
			t.Errorf("%s: print differs from source (-source +print):\n%s", name, diff)
		}
		if diff := cmp.Diff(text, Print(Clone(f))); diff != "" {
			t.Errorf("%s: clone differs (-source +clone):\n%s", name, diff)
		}
	}
}

func TestParseFaultsHaveAPlace(t *testing.T) {
	body := func(s string) string { return "tile func f {\ngrid ()\n" + s + "\n}\n" }
	tests := []struct{ text, want string }{
		{"", `f.tir:1:1: expected the function's form (spec, tile, placed or scheduled), found the end of the text`},
		{"tile func f {\ngrid (", `f.tir:2:7: expected a name, found the end of the text`},
		{body("let x: f32 = y"), `f.tir:3:14: unknown scalar y`},
		{body("let x: f32 = y[0]"), `f.tir:3:14: unknown buffer y`},
		{body("let x: f33 = 0_f32"), `f.tir:3:8: expected an element type, found "f33"`},
		{body("let x: i8 = 300_i8"), `f.tir:3:13: malformed number 300_i8`},
		{body("let x: i64 = 1.5"), `f.tir:3:14: malformed number 1.5`},
		{body("let x: bool = 1 < 2 < 3"), `f.tir:3:21: comparisons don't chain`},
		{body("let x: i64 = min(1)"), `f.tir:3:14: min takes 2 operands, not 1`},
		{body("let x: i64 = frob(1)"), `f.tir:3:14: unknown function frob`},
		{body("let x: i64 = 1 let x: i64 = 2"), `f.tir:3:20: x is already defined`},
		{body("map (i: 2, i: 3) x[i] = 1"), `f.tir:3:13: i is already defined`},
		{body("frob"), `f.tir:3:1: expected an operation, found "frob"`},
		{body("map (i: 2) x[i] ="), `f.tir:3:12: unknown buffer x`},
		{body("alloc x: f32[2] layout {dim0: (1) -> 3}"), `f.tir:3:24: layout output size "3" is not a power of two`},
		{body("print () text [\"x]"), `f.tir:3:16: string without an end`},
		{body("let x: i64 = $"), `f.tir:3:14: unexpected "$"`},
		{body("let x: i64 = " + strings.Repeat("(", 600) + "1"), `f.tir:3:513: nested more than 500 deep`},
	}
	for _, test := range tests {
		_, err := Parse("f.tir", test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%q:\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

func TestClashingNamesAreNumbered(t *testing.T) {
	v := &Var{Name: "x", Type: Index, Kind: LetVar}
	w := &Var{Name: "x", Type: Index, Kind: LetVar}
	f := &Func{Name: "f", Form: TileForm, Body: &Block{Ops: []*Op{
		{Code: OpLet, Var: v, X: []*Expr{Int(1)}},
		{Code: OpLet, Var: w, X: []*Expr{RefTo(v)}},
		{Code: OpLet, Var: &Var{Name: "layout", Type: Index}, X: []*Expr{Bin(Sub, RefTo(w), Bin(Sub, RefTo(v), RefTo(w)))}},
	}}}
	want := `tile func f {
  grid ()
  let x: i64 = 1
  let x.1: i64 = x
  let layout_: i64 = x.1 - (x - x.1)
}
`
	if diff := cmp.Diff(want, Print(f)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, Print(mustParse(t, "f", want))); diff != "" {
		t.Error(diff)
	}
}

func TestCloneSharesNothingDefined(t *testing.T) {
	for name, text := range samples(t) {
		f := mustParse(t, name, text)
		g := Clone(f)
		vars, bufs := map[*Var]bool{}, map[*Buffer]bool{}
		collect := func(f *Func, see func(*Var, *Buffer)) {
			f.Body.Walk(func(op *Op) {
				see(op.Var, op.Buf)
				op.Exprs(func(e *Expr) bool {
					see(e.Var, nil)
					if e.At != nil {
						see(nil, e.At.Buf)
					}
					return true
				})
			})
		}
		collect(f, func(v *Var, b *Buffer) { vars[v], bufs[b] = v != nil, b != nil })
		collect(g, func(v *Var, b *Buffer) {
			if vars[v] || bufs[b] {
				t.Errorf("%s: clone shares %v %v", name, v, b)
			}
		})
	}
}

func TestBlockCloneKeepsWhatIsOutside(t *testing.T) {
	f := mustParse(t, "f", `tile func f {
  grid (b: 4)
  let x: i64 = b
  let y: i64 = x + b
}
`)
	inner := &Block{Ops: f.Body.Ops[1:]}
	c := inner.CloneWith(map[*Var]*Expr{f.Grid[0].Var: Int(7)})
	if got, want := c.Ops[0].String(), "let y: i64 = x + 7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c.Ops[0].Var == f.Body.Ops[1].Var {
		t.Error("y is shared")
	}
	if c.Ops[0].X[0].Args[0].Var != f.Body.Ops[0].Var {
		t.Error("x isn't shared")
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text)
	}
	f.Add("tile func f { grid () let x: i64 = - - 1 }")
	f.Fuzz(func(t *testing.T, text string) {
		fn, err := Parse("fuzz", text)
		if err != nil {
			return
		}
		once := Print(fn)
		again, err := Parse("fuzz", once)
		if err != nil {
			t.Fatalf("print doesn't parse: %v\n%s", err, once)
		}
		if diff := cmp.Diff(once, Print(again)); diff != "" {
			t.Fatalf("print, parse, print differs:\n%s", diff)
		}
		if !Equal(fn, Clone(fn)) {
			t.Fatal("clone differs")
		}
	})
}
