package launcher

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"tilec/codegen"
	"tilec/ir"
	"tilec/runtime/array"
)

// scalars are those that random expressions are over.
var scalars = []*ir.Var{
	{Name: "M", Type: ir.Index, Kind: ir.DimVar}, {Name: "N", Type: ir.Index, Kind: ir.DimVar},
	{Name: "a", Type: array.I32, Kind: ir.ParamVar}, {Name: "b", Type: array.U8, Kind: ir.ParamVar},
	{Name: "c", Type: array.U32, Kind: ir.ParamVar}, {Name: "d", Type: array.I64, Kind: ir.ParamVar},
	{Name: "e", Type: array.I8, Kind: ir.ParamVar}, {Name: "u", Type: array.U64, Kind: ir.ParamVar},
	{Name: "x", Type: array.F32, Kind: ir.ParamVar}, {Name: "y", Type: array.F64, Kind: ir.ParamVar},
	{Name: "h", Type: array.F16, Kind: ir.ParamVar}, {Name: "p", Type: array.Bool, Kind: ir.ParamVar},
}

// inputs are values of the scalars, in order.
func inputs(r *rand.Rand) environment {
	env := environment{}
	for _, v := range scalars {
		n := r.Int64()
		switch r.IntN(4) {
		case 0:
			n = int64(r.IntN(9)) - 4
		case 1:
			n >>= r.IntN(64)
		case 2:
			n = -n >> r.IntN(64)
		}
		switch {
		case v.Kind == ir.DimVar:
			env[v] = intValue(v.Type, max(n, -n-1)>>16)
		case v.Type.IsFloat():
			env[v] = floatValue(v.Type, float64(n>>40)/8)
		default:
			env[v] = intValue(v.Type, n)
		}
	}
	return env
}

// random makes expressions whose value is the same for every compiler.
type random struct{ *rand.Rand }

func (r random) dtype() ir.DType {
	all := []ir.DType{ir.Index, ir.Index, array.I32, array.U8, array.U32, array.I8, array.U64, array.F32, array.F64, array.Bool}
	return all[r.IntN(len(all))]
}

func (r random) expr(t ir.DType, depth int) *ir.Expr {
	if depth == 0 || r.IntN(8) == 0 {
		return r.leaf(t)
	}
	sub := func() *ir.Expr { return r.expr(t, depth-1) }
	pick := func(ops ...ir.ExprOp) ir.ExprOp { return ops[r.IntN(len(ops))] }
	switch n := r.IntN(10); {
	case n == 0:
		return ir.CastTo(t, r.expr(r.dtype(), depth-1))
	case n == 1:
		return ir.SelectOf(r.expr(array.Bool, depth-1), sub(), sub())
	case t == array.Bool && n < 6:
		of := r.dtype()
		if of == array.Bool {
			return ir.Bin(pick(ir.And, ir.Or, ir.BitXor), sub(), sub())
		}
		return ir.Bin(pick(ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge), r.expr(of, depth-1), r.expr(of, depth-1))
	case t == array.Bool && n == 6:
		return ir.Un(ir.Not, sub())
	case t == array.Bool:
		return ir.Bin(pick(ir.And, ir.Or), sub(), sub())
	case t.IsFloat() && n < 4:
		return ir.Un(pick(ir.Neg, ir.Abs, ir.Floor, ir.Ceil, ir.Round, ir.Trunc), sub())
	case t.IsFloat():
		return ir.Bin(pick(ir.Add, ir.Sub, ir.Mul), sub(), sub())
	case n == 2:
		return ir.Un(pick(ir.Neg, ir.BitNot, ir.Abs), sub())
	case n == 3:
		return ir.Bin(pick(ir.Shl, ir.Shr), sub(), sub())
	case n == 4:
		return ir.Bin(pick(ir.Div, ir.Mod), sub(), ir.IntOf(t, int64(r.IntN(12)-3)))
	}
	return ir.Bin(pick(ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max, ir.BitAnd, ir.BitOr, ir.BitXor), sub(), sub())
}

func (r random) leaf(t ir.DType) *ir.Expr {
	if r.IntN(3) > 0 {
		for range 20 {
			if v := scalars[r.IntN(len(scalars))]; v.Type == t {
				return ir.RefTo(v)
			} else if v.Type == array.F16 && t == array.F32 {
				return ir.CastTo(t, ir.RefTo(v))
			}
		}
	}
	n := r.Int64() >> r.IntN(64)
	switch {
	case t == array.Bool:
		return ir.BoolOf(n&1 == 0)
	case t.IsFloat():
		return ir.FloatOf(t, float64(n>>40)/8)
	}
	return ir.IntOf(t, array.WrapInt(t, n))
}

// inputLines are the scalars' values, a line an environment.
func inputLines(envs []environment) string {
	var b strings.Builder
	for _, env := range envs {
		for _, v := range scalars {
			switch x := env[v]; {
			case v.Type == array.F16:
				fmt.Fprintf(&b, "%d ", x.bits())
			case v.Type.IsFloat():
				fmt.Fprintf(&b, "%g ", x.f)
			case v.Type == array.U64:
				fmt.Fprintf(&b, "%d ", uint64(x.i))
			default:
				fmt.Fprintf(&b, "%d ", x.i)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// resultLines are what the programs should print.
func resultLines(t *testing.T, exprs []*ir.Expr, envs []environment) []string {
	var lines []string
	for _, env := range envs {
		for i, e := range exprs {
			v, err := env.eval(e)
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(v.i)
			switch {
			case math.IsNaN(v.f):
				text = "7ff8000000000000"
			case v.typ.IsFloat():
				text = fmt.Sprintf("%x", math.Float64bits(v.f+0)) // -0 is 0
			case v.typ == array.U64:
				text = fmt.Sprint(uint64(v.i))
			}
			lines = append(lines, fmt.Sprintf("%d %s", i, text))
		}
	}
	return lines
}

// cProgram reads inputs and prints the expressions.
func cProgram(t *testing.T, exprs []*ir.Expr) string {
	t.Helper()
	h := &hostExprs{names: map[*ir.Var]string{}, signs: signs{}, used: map[string]bool{}}
	for _, v := range scalars {
		h.names[v] = v.Name
		h.signs[v] = v.Kind == ir.DimVar
	}
	var b strings.Builder
	for i, e := range exprs {
		fmt.Fprintf(&b, "        show(%d, (%s)(%s));\n", i, hostTypes[e.Type], h.expr(e))
	}
	if h.err != nil {
		t.Fatal(h.err)
	}
	w := &strings.Builder{}
	w.WriteString(`#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace {

`)
	helpers := &codegen.Writer{}
	h.helpers(helpers)
	w.WriteString(helpers.String())
	w.WriteString(`
void show(int i, double v) { v = v != v ? NAN : v + 0; unsigned long long bits; std::memcpy(&bits, &v, 8); std::printf("%d %llx\n", i, bits); }
void show(int i, float v) { show(i, (double)v); }
void show(int i, unsigned long long v) { std::printf("%d %llu\n", i, v); }
template <class T> void show(int i, T v) { std::printf("%d %lld\n", i, (long long)v); }
}  // namespace

int main() {
    long long M, N, a_, b_, c_, d, e_, h_, p_;
    unsigned long long u;
    double x_, y;
    while (std::scanf("%lld %lld %lld %lld %lld %lld %lld %llu %lf %lf %lld %lld", &M, &N, &a_, &b_, &c_, &d, &e_, &u, &x_, &y, &h_, &p_) == 12) {
        int a = a_; unsigned char b = b_; unsigned c = c_; signed char e = e_; float x = x_; unsigned short h = h_; bool p = p_;
`)
	w.WriteString(b.String())
	w.WriteString("    }\n}\n")
	return w.String()
}

// goProgram does the same in Go.
func goProgram(t *testing.T, exprs []*ir.Expr) string {
	t.Helper()
	g := &goExprs{names: map[*ir.Var]string{}, signs: signs{}}
	for _, v := range scalars {
		g.names[v] = v.Name
		g.signs[v] = v.Kind == ir.DimVar
	}
	f := jen.NewFile("main")
	f.ImportName(arrayPackage, "array")
	f.ImportName(operandPackage, "operand")
	f.Var().Id("out").Op("=").Qual("bufio", "NewWriter").Call(jen.Qual("os", "Stdout"))
	f.Func().Id("show").Params(jen.Id("i").Int(), jen.Id("v").Any()).Block(
		jen.Switch(jen.Id("x").Op(":=").Id("v").Assert(jen.Type())).Block(
			jen.Case(jen.Bool()).Block(jen.Id("v").Op("=").Qual(operandPackage, "Select").Call(jen.Id("x"), jen.Lit(1), jen.Lit(0))),
			jen.Case(jen.Float32()).Block(jen.Id("show").Call(jen.Id("i"), jen.Float64().Call(jen.Id("x"))), jen.Return()),
			jen.Case(jen.Float64()).Block(jen.If(jen.Id("x").Op("!=").Id("x")).Block(jen.Id("show").Call(jen.Id("i"), jen.Lit("7ff8000000000000")), jen.Return()), jen.Id("v").Op("=").Qual("fmt", "Sprintf").Call(jen.Lit("%x"), jen.Qual("math", "Float64bits").Call(jen.Id("x").Op("+").Lit(0)))),
		),
		jen.Qual("fmt", "Fprintln").Call(jen.Id("out"), jen.Id("i"), jen.Id("v")),
	)
	f.Func().Id("main").Params().Block(
		jen.Defer().Id("out").Dot("Flush").Call(),
		jen.Id("in").Op(":=").Qual("bufio", "NewReader").Call(jen.Qual("os", "Stdin")),
		jen.For().BlockFunc(func(group *jen.Group) {
			args := []jen.Code{jen.Id("in")}
			for _, v := range scalars {
				switch v.Type {
				case array.F16, array.Bool:
					group.Var().Id(v.Name + "_").Uint16()
					args = append(args, jen.Op("&").Id(v.Name+"_"))
				default:
					group.Var().Id(v.Name).Id(goTypes[v.Type])
					args = append(args, jen.Op("&").Id(v.Name))
				}
			}
			group.If(jen.List(jen.Id("n"), jen.Id("_")).Op(":=").Qual("fmt", "Fscan").Call(args...), jen.Id("n").Op("<").Lit(len(scalars))).Block(jen.Return())
			group.Id("h").Op(":=").Qual(arrayPackage, "F16ToF32").Call(jen.Id("h_"))
			group.Id("p").Op(":=").Id("p_").Op("!=").Lit(0)
			for _, v := range scalars {
				group.Id("_").Op("=").Id(v.Name)
			}
			for i, e := range exprs {
				group.Id("show").Call(jen.Lit(i), jen.Id(goTypes[e.Type]).Call(g.expr(e)))
			}
		}),
	)
	if g.err != nil {
		t.Fatal(g.err)
	}
	return fmt.Sprintf("%#v", f)
}

// buildGo compiles a main package that lies, for the compiler only, in a folder of this module.
func buildGo(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	real := filepath.Join(dir, "main.go")
	if err := os.WriteFile(real, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "testdata", "exprs", "main.go"): real}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./testdata/exprs").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// TestExpressions compares expressions as printed in C++ and Go with their evaluation here.
func TestExpressions(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	var exprs []*ir.Expr
	for range 400 {
		exprs = append(exprs, r.expr(r.dtype(), 4))
	}
	envs := []environment{}
	for range 20 {
		envs = append(envs, inputs(r.Rand))
	}
	want := resultLines(t, exprs, envs)
	for language, program := range map[string]string{
		"C++": buildC(t, map[string]string{"main.cpp": cProgram(t, exprs)}, "-Wno-tautological-compare", "-Wno-type-limits", "-ffp-contract=off"),
		"Go":  buildGo(t, goProgram(t, exprs)),
	} {
		command := exec.Command(program)
		command.Stdin = strings.NewReader(inputLines(envs))
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", language, err)
		}
		got := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(got) != len(want) {
			t.Fatalf("%s: %d results, want %d", language, len(got), len(want))
		}
		failed := map[int]bool{}
		for i := range want {
			if n := i % len(exprs); got[i] != want[i] && !failed[n] {
				failed[n] = true
				t.Errorf("%s: %s\n  gives %s, want %s", language, exprs[n], got[i], want[i])
			}
		}
	}
}
