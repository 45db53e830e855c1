package ascend

import (
	"context"
	"os"
	"path/filepath"
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
	"tilec/passes"
	"tilec/runtime/array"
)

// TestPasses runs every case testdata/<pass>/*.txtar: in.tir goes through the pass and must become out.tir, or report what stands in
// errors.txt. A line `run: N=5 M=3` in the comment executes the function before and after on tensors of those dimensions; every element
// written must be the same.
func TestPasses(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		pass := filepath.Base(filepath.Dir(file))
		t.Run(pass+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testCase(t, file, pass) })
	}
}

func testCase(t *testing.T, file, pass string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section := func(name string) string {
		for _, f := range a.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	before, err := ir.Parse("in.tir", section("in.tir"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Lookup("910b")
	if err != nil {
		t.Fatal(err)
	}
	after := ir.Clone(before)
	ctx := &passes.Context{Machine: m, Reporter: &diag.Reporter{}}
	var list []passes.Pass
	for _, p := range Table() {
		if p.Name == pass {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no pass %s", pass)
	}
	got, errors := "", ""
	switch err := passes.RunList(ctx, after, list, passes.Options{Verify: true}); err {
	case nil:
		got = ir.Print(after)
	case passes.ErrReported:
		for _, d := range ctx.Reporter.Sorted() {
			errors += d.Text(diag.TextOptions{})
		}
	default:
		t.Fatal(err)
	}
	if golden.Update() {
		out := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{{Name: "in.tir", Data: []byte(section("in.tir"))}}}
		if errors != "" {
			out.Files = append(out.Files, txtar.File{Name: "errors.txt", Data: []byte(errors)})
		} else {
			out.Files = append(out.Files, txtar.File{Name: "out.tir", Data: []byte(got)})
		}
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(section("out.tir"), got); diff != "" {
		t.Errorf("out.tir differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(section("errors.txt"), errors); diff != "" {
		t.Errorf("errors.txt differs (-want +got):\n%s", diff)
	}
	if errors != "" {
		return
	}
	for line := range strings.Lines(string(a.Comment)) {
		if dims, ok := strings.CutPrefix(line, "run:"); ok {
			sameResults(t, before, after, strings.Fields(dims))
		}
	}
}

// sameResults runs two forms of a function on the same values and compares what they write.
func sameResults(t *testing.T, before, after *ir.Func, dims []string) {
	t.Helper()
	args := interp.Args{Tensors: map[string]*array.Array{}, Ints: map[string]int64{}}
	at := map[string]int{}
	for _, d := range dims {
		name, value, _ := strings.Cut(d, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		args.Ints[name], at[name] = int64(n), n
	}
	for _, x := range before.Tensors() {
		if x.Kind == ir.Out {
			continue
		}
		var shape []int
		for _, e := range x.Shape {
			n := int(e.Int)
			if e.Op == ir.Ref {
				n = at[e.Var.Name]
			}
			shape = append(shape, n)
		}
		v := array.New(x.Elem, shape...)
		for i := range v.Len() {
			v.SetFloat(i, float64(i*37%19-9))
		}
		args.Tensors[x.Name] = v
	}
	run := func(f *ir.Func) *interp.Result {
		own := args
		own.Tensors = map[string]*array.Array{}
		for name, v := range args.Tensors {
			own.Tensors[name] = v.Clone()
		}
		res, err := interp.Run(context.Background(), f, own, interp.Options{})
		if err != nil {
			t.Fatalf("%s form: %v", f.Form, err)
		}
		return res
	}
	x, y := run(before), run(after)
	for name, want := range x.Tensors {
		for i := range want.Len() {
			if d := want.At(i) - y.Tensors[name].At(i); d > 1e-3 || d < -1e-3 || x.Written(name, i) != y.Written(name, i) {
				t.Fatalf("%v: %s[%d] is %v (written: %t), was %v (written: %t)", dims, name, i, y.Tensors[name].At(i), y.Written(name, i), want.At(i), x.Written(name, i))
			}
		}
	}
}
