package cuda_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tilec/codegen/launcher"
	"tilec/internal/driver"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/ir/machine"
	"tilec/runtime/array"
	"tilec/runtime/launch/operand"
	"tilec/runtime/ptx"
	"tilec/runtime/ptxlaunch"
)

// program is a function in tile form with the sizes to run it with.
type program struct {
	name, text string
	runs       []string
	arch       string
}

// programs collects the cases of the passes, which between them use everything that
// the tile form has.
func programs(t *testing.T) []program {
	t.Helper()
	var all []program
	files, err := filepath.Glob("../../passes/testdata/*/*.t*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := program{name: filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".txtar"), ".tir"), arch: "sm_80"}
		head := string(text)
		if filepath.Ext(file) == ".txtar" {
			archive := txtar.Parse(text)
			head, p.text = string(archive.Comment), string(archive.Files[0].Data)
		} else {
			p.text = head
		}
		for line := range strings.Lines(head) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "// "))
			if dims, ok := strings.CutPrefix(line, "run:"); ok {
				p.runs = append(p.runs, dims)
			}
			if arch, ok := strings.CutPrefix(line, "machine:"); ok {
				p.arch = strings.TrimSpace(arch)
			}
		}
		if len(p.runs) > 0 && strings.HasPrefix(strings.TrimLeft(stripComments(p.text), "\n"), "tile func") {
			all = append(all, p)
		}
	}
	return all
}

func stripComments(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "//") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestProgramsRunAsInterpreted compiles every case, runs it on the PTX machine with
// all its checks, both on aligned arrays and on others, and compares with the
// interpreter on the tile form.
func TestProgramsRunAsInterpreted(t *testing.T) {
	s := driver.New(t.Context(), driver.Options{})
	for _, p := range programs(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			m, err := machine.Lookup(p.arch)
			if err != nil {
				t.Fatal(err)
			}
			tile, err := ir.Parse("case.tir", p.text)
			if err != nil {
				t.Fatal(err)
			}
			unit, err := driver.Emit(tile, m, p.name+".tile", driver.EmitOptions{Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			binary, err := s.Compile(t.Context(), unit, driver.ForMachine)
			if err != nil {
				t.Fatalf("%v\n%s", err, unit.Text)
			}
			for _, dims := range p.runs {
				r := &run{t: t, tile: tile, unit: unit, binary: binary, dims: dims}
				r.compare(0)
				r.compare(1)
			}
		})
	}
}

// run is one execution of a program.
type run struct {
	t      testing.TB
	tile   *ir.Func
	unit   *driver.Unit
	binary *driver.Binary
	dims   string
}

// compare runs the program on arrays that start off elements after an aligned place.
func (r *run) compare(off int) {
	r.t.Helper()
	args := r.arguments()
	own := args
	own.Tensors = map[string]*array.Array{}
	for name, a := range args.Tensors {
		own.Tensors[name] = a.Clone()
	}
	want, err := interp.Run(r.t.Context(), r.tile, own, interp.Options{})
	if err != nil {
		r.t.Fatalf("%s: interpreter: %v", r.dims, err)
	}
	views := map[string]operand.View{}
	for _, p := range r.tile.Tensors() {
		a := args.Tensors[p.Name]
		v := operand.View{Shape: a.Shape, Offset: off * max(a.DType.Bits()/8, 1)}
		data := bytes.Repeat([]byte{0xff}, v.Offset+len(a.Data))
		if p.Kind != ir.Out {
			copy(data[v.Offset:], a.Data)
		}
		v.Array = &array.Array{DType: a.DType, Shape: a.Shape, Data: data}
		views[p.Name] = v
	}
	bound, err := launcher.Bind(r.tile, launcher.Args{Tensors: views, Ints: args.Ints, Floats: args.Floats})
	if err != nil {
		r.t.Fatalf("%s: %v", r.dims, err)
	}
	l, err := bound.Choose(r.binary.Entries, 3)
	if err != nil {
		r.t.Fatalf("%s: %v", r.dims, err)
	}
	on := ptxlaunch.New(ptxlaunch.Config{Arch: r.binary.Machine.Name, Checks: ptx.CheckAll})
	if err := l.Run(r.t.Context(), on, launcher.Kernel(l.Entry, r.binary.Machine.Name, r.binary.PTX, nil)); err != nil {
		r.t.Fatalf("%s: %s: %v\n%s", r.dims, l.Entry.Name, err, r.unit.Text)
	}
	for _, p := range r.tile.Tensors() {
		if p.Kind == ir.In {
			continue
		}
		v := views[p.Name]
		got := &array.Array{DType: p.Elem, Shape: v.Shape, Data: v.Array.Data[v.Offset:]}
		if diff := differs(p, args.Tensors[p.Name], want, got, tolerance(r.tile, p.Elem)); diff != "" {
			r.t.Fatalf("%s: %s: %s\n%s", r.dims, l.Entry.Name, diff, r.unit.Text)
		}
	}
}

// differs compares one result: what the interpreter wrote must be near, the rest as
// it was.
func differs(p *ir.Buffer, before *array.Array, want *interp.Result, got *array.Array, tolerance float64) string {
	a := want.Tensors[p.Name]
	square, n := 0.0, 0
	for i := range a.Len() {
		if x := a.At(i); want.Written(p.Name, i) && !math.IsNaN(x) && !math.IsInf(x, 0) {
			square += x * x
			n++
		}
	}
	scale := math.Sqrt(square / float64(max(n, 1)))
	for i := range a.Len() {
		x, y := a.At(i), got.At(i)
		switch {
		case !want.Written(p.Name, i):
			was := uint64(1)<<p.Elem.Bits() - 1
			if p.Kind == ir.InOut {
				was = before.Bits(i)
			}
			if got.Bits(i) != was {
				return fmt.Sprintf("element %d of %s is written, it becomes %v", i, p.Name, y)
			}
		case math.IsNaN(x) && math.IsNaN(y) || x == y:
		case !p.Elem.IsFloat() || !(math.Abs(x-y) <= tolerance*max(math.Abs(x), scale)):
			return fmt.Sprintf("element %d of %s is %v, the interpreter has %v", i, p.Name, y, x)
		}
	}
	return ""
}

// tolerance is how far a result of a type may be from the interpreter's: sums are
// taken in another order, and a value on the way may round to the next one.
func tolerance(f *ir.Func, result array.DType) float64 {
	steps := map[array.DType]float64{array.F16: 4e-3, array.BF16: 3e-2, array.F8E4M3: 0.13, array.F8E5M2: 0.26}
	most := max(1e-4, steps[result])
	if f.AllowTF32 {
		most = max(most, 4e-3)
	}
	f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAlloc {
			most = max(most, steps[op.Buf.Elem])
		}
	})
	return most
}

// arguments are random values for the sizes of the run.
func (r *run) arguments() interp.Args {
	r.t.Helper()
	values := map[string]int64{}
	for _, field := range strings.Fields(r.dims) {
		name, text, _ := strings.Cut(field, "=")
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			r.t.Fatal(err)
		}
		values[name] = n
	}
	rng := rand.New(rand.NewPCG(3, 4))
	args := interp.Args{Tensors: map[string]*array.Array{}, Ints: map[string]int64{}, Floats: map[string]float64{}}
	for _, p := range r.tile.Params {
		if v := p.Scalar; v != nil {
			if v.Type.IsFloat() {
				args.Floats[v.Name] = rng.NormFloat64()
			} else {
				args.Ints[v.Name] = values[v.Name]
			}
			continue
		}
		var shape []int
		for _, x := range p.Tensor.Shape {
			shape = append(shape, int(r.extent(x, values)))
		}
		a := array.New(p.Tensor.Elem, shape...)
		for i := range a.Len() {
			if p.Tensor.Elem.IsFloat() {
				a.SetFloat(i, rng.NormFloat64())
			} else {
				a.SetFloat(i, float64(rng.IntN(8)))
			}
		}
		args.Tensors[p.Tensor.Name] = a
	}
	return args
}

// extent computes an extent by binding: dimensions are the only unknowns.
func (r *run) extent(e *ir.Expr, values map[string]int64) int64 {
	r.t.Helper()
	var eval func(e *ir.Expr) int64
	eval = func(e *ir.Expr) int64 {
		switch e.Op {
		case ir.Const:
			return e.Int
		case ir.Ref:
			if n, ok := values[e.Var.Name]; ok {
				return n
			}
			r.t.Fatalf("%s: no value for %s", r.dims, e.Var.Name)
		case ir.Add:
			return eval(e.Args[0]) + eval(e.Args[1])
		case ir.Sub:
			return eval(e.Args[0]) - eval(e.Args[1])
		case ir.Mul:
			return eval(e.Args[0]) * eval(e.Args[1])
		case ir.Div:
			return eval(e.Args[0]) / eval(e.Args[1])
		case ir.Cast:
			return eval(e.Args[0])
		}
		r.t.Fatalf("extent %s is not understood", e)
		return 0
	}
	return eval(e)
}
