package launcher

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"tilec/codegen/cuda"
	"tilec/codegen/launcher/testdata/programs"
	"tilec/ir"
	"tilec/runtime/array"
	"tilec/runtime/launch"
	"tilec/runtime/launch/operand"
)

// generated is the package of the test's programs: one kernel for two architectures, the other for one.
func generated(t *testing.T) []File {
	t.Helper()
	image := func(p program, arch string, cubin string) Image {
		return Image{Arch: arch, Unit: p.unit(t), PTX: []byte("// PTX for " + arch + "\n"), Cubin: []byte(cubin)}
	}
	files, err := Go("programs", "test.tile", []Instance{
		{Images: []Image{image(matmul, "sm_80", ""), image(matmul, "sm_90a", "cubin")}},
		{Images: []Image{image(odd, "sm_80", "")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGoText(t *testing.T) {
	for _, f := range generated(t) {
		golden(t, "programs/"+f.Name, string(f.Data))
	}
}

// checkTypes type-checks a generated package.
func checkTypes(t *testing.T, files []File) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, files[0].Name, files[0].Data, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if !ast.IsGenerated(file) {
		t.Error("the file is not marked as generated")
	}
	config := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	if _, err := config.Check(file.Name.Name, set, []*ast.File{file}, nil); err != nil {
		t.Errorf("%v\n%s", err, files[0].Data)
	}
}

// recorder notes what is launched.
type recorder struct {
	arch       string
	processors int
	kernel     *launch.Kernel
	grid       int64
	block      [3]int
	shared     int
	args       []launch.Arg
}

func (r *recorder) Arch() string    { return r.arch }
func (r *recorder) Processors() int { return r.processors }

func (r *recorder) Launch(_ context.Context, k *launch.Kernel, grid [3]int64, block [3]int, shared int, args []launch.Arg) error {
	_, err := launch.Check(k, grid, block, shared, args)
	r.kernel, r.grid, r.block, r.shared, r.args = k, grid[0], block, shared, args
	return err
}

// same compares what a generated function did with what Bind and Choose do.
func (r *recorder) same(u *cuda.Unit, args Args, err error) error {
	b, want := Bind(u.Entries[1].Func, args)
	if want != nil || err != nil {
		if fmt.Sprint(want) != fmt.Sprint(err) {
			return fmt.Errorf("error %v, want %v", err, want)
		}
		return nil
	}
	l, err := b.Choose(u.Entries, r.processors)
	switch {
	case err != nil:
		return err
	case r.kernel.Entry != l.Entry.Name || r.grid != l.Grid || r.block != [3]int{l.Entry.Threads, 1, 1} || r.shared != int(l.Entry.Shared):
		return fmt.Errorf("%s on %d blocks, want %s on %d", r.kernel.Entry, r.grid, l.Entry.Name, l.Grid)
	}
	for i, a := range r.args {
		if a != l.Args[i] {
			return fmt.Errorf("argument %d is %+v, want %+v", i, a, l.Args[i])
		}
	}
	return nil
}

// TestGoBehaviour runs the generated functions on a launcher that only records.
func TestGoBehaviour(t *testing.T) {
	units := map[string]*cuda.Unit{matmul.head: matmul.unit(t), odd.head: odd.unit(t)}
	for _, c := range hostCases() {
		if c.null != "" {
			continue
		}
		r := &recorder{arch: "sm_86", processors: 13}
		tensor := func(name string) *array.Array { return c.args.Tensors[name].Array }
		var err error
		switch {
		case c.program.head == odd.head:
			err = programs.Odd(t.Context(), r, c.args.Tensors["X"], tensor("Y"), tensor("Z"), float32(c.args.Floats["eps"]), int32(c.args.Ints["big"]),
				c.args.Ints["on"] != 0, tensor("W"))
		case c.args.Tensors["A"].Offset != 0:
			continue // contiguous parameters take whole arrays
		default:
			err = programs.Matmul(t.Context(), r, tensor("A"), tensor("B"), tensor("C"))
		}
		if err := r.same(units[c.program.head], c.args, err); err != nil {
			t.Errorf("%s: %v", c.call(units[c.program.head]), err)
		}
	}
	r := &recorder{}
	wantError(t, "no array", programs.Matmul(t.Context(), r, nil, nil, nil), "matmul: A: no array, one of f16 with 2 dimensions is needed")
	args := oddArgs(8, 4)
	args.Tensors["X"] = operand.View{Array: args.Tensors["X"].Array, Shape: []int{8, 9}, Strides: []int{9, 2}}
	wantError(t, "bounds", programs.Odd(t.Context(), r, args.Tensors["X"], nil, nil, 0, 0, false, nil), "odd: X: shape [8 9] with strides [9 2]")
}

func TestGoArchitectures(t *testing.T) {
	for own, want := range map[string]string{"sm_90": "sm_90a", "sm_90a": "sm_90a", "sm_80": "sm_80", "sm_89": "sm_80", "sm_120": "sm_80", "": "sm_80"} {
		r := &recorder{arch: own}
		a := array.New(array.F16, 8, 8)
		if err := programs.Matmul(t.Context(), r, a, a, array.New(array.F16, 8, 8)); err != nil {
			t.Fatal(err)
		}
		if r.kernel.Arch != want {
			t.Errorf("on %q the code for %s runs, want %s", own, r.kernel.Arch, want)
		}
	}
}

// TestGoNames wants names of the language that mean something else in Go, or meet each other, to work.
func TestGoNames(t *testing.T) {
	p := program{
		head: `scheduled func func {
  dim len = check[0]
  dim range = check[1]
  param in check: f32[len, range]
  param out error: f32[range, len]
  param ctx: f16
  param int64: u8
  param viewCheck: i64
  generic T = "f32"
  generic causal = "true"
  generic D = "-64"
  require f32(ctx) > 0.5_f32 text "ctx"
  require i64(int64) < viewCheck text "int64"
`,
		assumes: "  assume multiple range of 4\n",
		rest:    "  grid (x: len)\n}\n",
	}
	u := p.unit(t)
	in := Instance{Images: []Image{{Arch: "sm_80", Unit: u}}}
	files, err := Go("names", "test.tile", []Instance{in, in})
	if err != nil {
		t.Fatal(err)
	}
	checkTypes(t, files)
	for _, want := range []string{"func FuncF32CausalDMinus64(", "func FuncF32CausalDMinus64_2(", "operand.Round(array.F16, ctx_2) > 0.5"} {
		if !strings.Contains(string(files[0].Data), want) {
			t.Errorf("no %q in\n%s", want, files[0].Data)
		}
	}
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.Name] {
			t.Errorf("two files are named %s", f.Name)
		}
		seen[f.Name] = true
	}
}

func TestGoTypes(t *testing.T) { checkTypes(t, generated(t)) }

func TestUnsupported(t *testing.T) {
	f, err := ir.Parse("test", "scheduled func f {\n  dim M = X[0]\n  param in X: f32[M]\n  param s: i4\n  require i32(s) > 0_i32 text \"s\"\n  grid (x: M)\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	u := &cuda.Unit{Entries: []cuda.Entry{{Name: "f", Func: f}}}
	_, err = Go("f", "f.tile", []Instance{{Images: []Image{{Arch: "sm_80", Unit: u}}}})
	wantError(t, "Go", err, "f: not supported yet in a Go launcher: s")
	_, err = Host(u, "f.tile", "sm_80")
	wantError(t, "C++", err, "f: not supported yet in a C++ launcher: i32(s)")
	_, err = Go("f", "f.tile", nil)
	wantError(t, "none", err, "no kernels")
	_, err = Go("f", "f.tile", []Instance{{}})
	wantError(t, "no code", err, "without compiled code")
}
