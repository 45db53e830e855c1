package passes

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tilec/internal/diag"
	"tilec/internal/golden"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/ir/machine"
	"tilec/runtime/array"
)

var derive = flag.Bool("derive", false, "write in.tir of the test cases that have a tile.tir anew")

// TestPasses runs every case testdata/<pass>/*.txtar: in.tir goes through the
// pass and must become out.tir, or report what stands in errors.txt. A line
// `run: N=5 M=3` in the comment executes the function before and after on random
// tensors of those dimensions; every element written must be the same. What is
// scheduled in part goes through the remaining passes first, as it races until
// all barriers are in. A line `machine: sm_86` chooses the architecture.
//
// A case may start with tile.tir, from which the passes before made in.tir; it
// is read under -derive only.
func TestPasses(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			testCase(t, file, name)
		})
	}
}

// test is what helpers need of a *testing.T or a *rapid.T.
type test interface {
	Helper()
	Fatalf(format string, args ...any)
}

// passNamed returns a pass of the table.
func passNamed(t *testing.T, name string) Pass {
	t.Helper()
	for _, p := range Table() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no pass %s", name)
	return Pass{}
}

func testCase(t *testing.T, file, pass string) {
	c := readCase(t, file)
	if *derive && c.tile != "" {
		c.in = c.before(t, pass)
	}
	before, err := ir.Parse("in.tir", c.in)
	if err != nil {
		t.Fatal(err)
	}
	after := ir.Clone(before)
	ctx := &Context{Machine: c.machine, Reporter: &diag.Reporter{}}
	var errors string
	switch err := RunList(ctx, after, []Pass{passNamed(t, pass)}, Options{Verify: true}); err {
	case nil:
	case ErrReported:
		for _, d := range ctx.Reporter.Sorted() {
			errors += d.Text(diag.TextOptions{})
		}
	default:
		t.Fatal(err)
	}
	got := ""
	if errors == "" {
		got = ir.Print(after)
	}
	if golden.Update() || *derive {
		c.out, c.errors = got, errors
		c.write(t, file)
	}
	if diff := cmp.Diff(c.out, got); diff != "" {
		t.Errorf("out.tir differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(c.errors, errors); diff != "" {
		t.Errorf("errors.txt differs (-want +got):\n%s", diff)
	}
	if errors != "" {
		return
	}
	complete(t, ctx, pass, before, after)
	for _, dims := range c.runs {
		sameResults(t, before, after, dims)
	}
}

// complete runs the passes behind the named one on what it and its predecessors
// left in scheduled form, so that the interpreter sees all barriers.
func complete(t *testing.T, ctx *Context, pass string, before, after *ir.Func) {
	t.Helper()
	table := Table()
	at := slices.IndexFunc(table, func(p Pass) bool { return p.Name == pass })
	for f, rest := range map[*ir.Func][]Pass{before: table[at:], after: table[at+1:]} {
		if f.Form != ir.ScheduledForm {
			continue
		}
		if err := RunList(ctx, f, rest, Options{Verify: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// passCase is one file of testdata/<pass>.
type passCase struct {
	comment               string
	tile, in, out, errors string
	machine               *machine.Machine
	runs                  []string
}

func readCase(t *testing.T, file string) *passCase {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &passCase{comment: string(archive.Comment)}
	for _, part := range archive.Files {
		switch part.Name {
		case "tile.tir":
			c.tile = string(part.Data)
		case "in.tir":
			c.in = string(part.Data)
		case "out.tir":
			c.out = string(part.Data)
		case "errors.txt":
			c.errors = string(part.Data)
		default:
			t.Fatalf("unexpected file %s in the case", part.Name)
		}
	}
	arch := "sm_80"
	for line := range strings.Lines(c.comment) {
		line = strings.TrimSpace(line)
		if dims, ok := strings.CutPrefix(line, "run:"); ok {
			c.runs = append(c.runs, dims)
		}
		if name, ok := strings.CutPrefix(line, "machine:"); ok {
			arch = strings.TrimSpace(name)
		}
	}
	if c.machine, err = machine.Lookup(arch); err != nil {
		t.Fatal(err)
	}
	return c
}

// before runs the passes in front of the named one on the case's tile form, as
// for the fastest entry of a kernel.
func (c *passCase) before(t *testing.T, pass string) string {
	t.Helper()
	f, err := ir.Parse("tile.tir", c.tile)
	if err != nil {
		t.Fatal(err)
	}
	f = Variants(f)[0]
	table := Table()
	at := slices.IndexFunc(table, func(p Pass) bool { return p.Name == pass })
	ctx := &Context{Machine: c.machine, Reporter: &diag.Reporter{}}
	if err := RunList(ctx, f, table[:at], Options{Verify: true}); err != nil {
		t.Fatalf("%v: %v", err, ctx.Reporter.Sorted())
	}
	return ir.Print(f)
}

func (c *passCase) write(t *testing.T, file string) {
	t.Helper()
	archive := &txtar.Archive{Comment: []byte(c.comment)}
	for _, part := range []struct{ name, text string }{
		{"tile.tir", c.tile}, {"in.tir", c.in}, {"out.tir", c.out}, {"errors.txt", c.errors},
	} {
		if part.text != "" {
			archive.Files = append(archive.Files, txtar.File{Name: part.name, Data: []byte(part.text)})
		}
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sameResults executes two functions on the same random tensors; dims is a list
// like `N=5 M=3`.
func sameResults(t test, before, after *ir.Func, dims string) {
	t.Helper()
	values := sizes(t, dims)
	want, err := interp.Run(context.Background(), before, randomArgs(t, before, values), interp.Options{})
	if err != nil {
		t.Fatalf("%s: before the pass: %v", dims, err)
	}
	got, err := interp.Run(context.Background(), after, randomArgs(t, after, values), interp.Options{})
	if err != nil {
		t.Fatalf("%s: after the pass: %v\n%s", dims, err, ir.Print(after))
	}
	for name, a := range want.Tensors {
		b := got.Tensors[name]
		for i := range a.Len() {
			if want.Written(name, i) != got.Written(name, i) {
				t.Fatalf("%s: element %d of %s is written: before %v, after %v", dims, i, name, want.Written(name, i), got.Written(name, i))
			}
			x, y := a.At(i), b.At(i)
			if want.Written(name, i) && math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
				t.Fatalf("%s: element %d of %s: before %v, after %v", dims, i, name, x, y)
			}
		}
	}
}

// sizes reads a list like `N=5 M=3`.
func sizes(t test, dims string) map[string]int64 {
	t.Helper()
	values := map[string]int64{}
	for _, field := range strings.Fields(dims) {
		name, n, ok := strings.Cut(field, "=")
		v, err := strconv.ParseInt(n, 10, 64)
		if !ok || err != nil {
			t.Fatalf("malformed dimension %s", field)
		}
		values[name] = v
	}
	return values
}

// randomArgs makes arguments from a seed of the function's name, the same ones
// for the same name.
func randomArgs(t test, f *ir.Func, dims map[string]int64) interp.Args {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	args := interp.Args{Tensors: map[string]*array.Array{}, Ints: map[string]int64{}, Floats: map[string]float64{}}
	for _, d := range f.Dims {
		if _, ok := dims[d.Var.Name]; !ok {
			t.Fatalf("no value for dimension %s", d.Var.Name)
		}
	}
	for _, p := range f.Params {
		if v := p.Scalar; v != nil {
			if v.Type.IsFloat() {
				args.Floats[v.Name] = rng.NormFloat64()
			} else {
				args.Ints[v.Name] = dims[v.Name]
			}
			continue
		}
		var shape []int
		for _, x := range p.Tensor.Shape {
			shape = append(shape, int(dimension(t, x, dims)))
		}
		a := array.New(p.Tensor.Elem, shape...)
		for i := range a.Len() {
			switch {
			case p.Tensor.Elem.IsFloat() && rng.IntN(16) == 0:
				a.SetFloat(i, []float64{0, math.Copysign(0, -1), math.Inf(-1), math.NaN(), 1e-40}[rng.IntN(5)])
			case p.Tensor.Elem.IsFloat():
				a.SetFloat(i, rng.NormFloat64())
			default:
				a.SetFloat(i, float64(rng.IntN(8)))
			}
		}
		args.Tensors[p.Tensor.Name] = a
	}
	return args
}

// dimension computes an extent.
func dimension(t test, e *ir.Expr, dims map[string]int64) int64 {
	t.Helper()
	with := map[*ir.Var]*ir.Expr{}
	e.Walk(func(x *ir.Expr) bool {
		if x.Op == ir.Ref {
			with[x.Var] = ir.Int(dims[x.Var.Name])
		}
		return true
	})
	c := e.Subst(with).Map(func(x *ir.Expr) *ir.Expr { return Identity(x) })
	if !c.IsConst() {
		t.Fatalf("extent %s is not known", e)
	}
	return c.Int
}

func TestTableIsInOrder(t *testing.T) {
	var have Facts
	seen := map[string]bool{}
	for _, p := range Table() {
		if p.Name == "" || p.Doc == "" || p.Run == nil || seen[p.Name] {
			t.Errorf("pass %q is incomplete or there twice", p.Name)
		}
		seen[p.Name] = true
		if missing := p.Needs &^ have; missing != 0 {
			t.Errorf("pass %s needs %s, which no pass before it gives", p.Name, missing)
		}
		if again := p.Gives & have; again != 0 {
			t.Errorf("pass %s gives %s, which an earlier one gives", p.Name, again)
		}
		have |= p.Gives
	}
}

func testFunc(t *testing.T) *ir.Func {
	t.Helper()
	f, err := ir.Parse("f.tir", "tile func f {\n  grid ()\n  print () text [\"x\"]\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRunner(t *testing.T) {
	var ran []string
	pass := func(name string, gives Facts, run func()) Pass {
		return Pass{Name: name, Doc: name, Gives: gives, Run: func(*Context, *ir.Func) error {
			ran = append(ran, name)
			run()
			return nil
		}}
	}
	nothing := func() {}
	list := []Pass{pass("one", 0, nothing), pass("two", Tiled, nothing), pass("three", 0, nothing)}
	tests := []struct {
		opts Options
		want string
		err  string
	}{
		{Options{}, "[one two three]", ""},
		{Options{StopAfter: "two"}, "[one two]", ""},
		{Options{Disable: []string{"one"}}, "[two three]", ""},
		{Options{Limit: 1, Verify: true}, "[one]", ""},
		{Options{StopAfter: "four"}, "[]", `no pass "four"; the passes are one, two, three`},
		{Options{Disable: []string{"four"}}, "[]", `no pass "four"; the passes are one, two, three`},
		{Options{Disable: []string{"two"}}, "[]", "pass two can't be left out: later ones need tiled"},
	}
	for _, test := range tests {
		ran = nil
		err := RunList(&Context{}, testFunc(t), list, test.opts)
		if got := fmt.Sprint(ran); got != test.want {
			t.Errorf("%+v: ran %s, want %s", test.opts, got, test.want)
		}
		if got := fmt.Sprint(err); err != nil && got != test.err || err == nil && test.err != "" {
			t.Errorf("%+v: error %s, want %s", test.opts, got, test.err)
		}
	}
}

func TestMistakesOfPassesAreBugs(t *testing.T) {
	run := func(change func(*ir.Func)) error {
		p := Pass{Name: "broken", Run: func(_ *Context, f *ir.Func) error {
			change(f)
			return nil
		}}
		return RunList(&Context{}, testFunc(t), []Pass{p}, Options{Verify: true})
	}
	for want, change := range map[string]func(*ir.Func){
		"compiler bug in pass broken on f: tile 3 is lost":                    func(*ir.Func) { ir.Bugf("tile %d is lost", 3) },
		"compiler bug in pass broken on f: runtime error: index out of range": func(f *ir.Func) { f.Grid[len(f.Grid)].Extent = nil },
		"compiler bug in pass broken on f: the result is malformed: f is mal": func(f *ir.Func) { f.Body.Ops[0].Code = ir.OpWait },
	} {
		err := run(change)
		bug, ok := err.(*ir.Bug)
		if !ok || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		} else if bug.Pass != "broken" || bug.Func != "f" {
			t.Errorf("bug in %s on %s", bug.Pass, bug.Func)
		}
	}
}
