package passes

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tilec/internal/diag"
	"tilec/internal/golden"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/ir/machine"
)

// fault is a mistake that a pass could make: in the text of a scheduled function,
// match number nth (from 0) of a pattern is replaced.
type fault struct {
	name    string
	pattern string
	nth     int
	with    string
}

// victims are kernels in tile form, from the cases of the passes, with sizes that
// make them work: several iterations, ragged edges, more than one grid instance.
var victims = []struct {
	name, file, dims string
	faults           []fault
}{
	{"matmul", "testdata/barriers/matmul.txtar", "M=65 K=200 N=72", []fault{
		{"no barrier in the interior loop", `(wait 1\n)\s*barrier\n`, 0, "$1"},
		{"no barrier in the edge loop", `(wait 1\n)\s*barrier\n`, 1, "$1"},
		{"barrier ahead of the wait", `(wait 1\n)(\s*barrier\n)`, 0, "$2$1"},
		{"the wait lets one group too many fly", `wait 1`, 0, "wait 2"},
		{"the wait of the edge does", `wait 1`, 1, "wait 2"},
		{"no wait", `wait 1\n`, 0, ""},
		{"no commit in the loop", `commit\n`, 2, ""},
		{"no commit before the loop", `commit\n`, 0, ""},
		{"work on the stage that is being filled", `a\[stage, i, d\]`, 0, "a[stage_ahead, i, d]"},
		{"copies into the stage that is worked on", `b\[stage_ahead, i, j\]`, 0, "b[stage, i, j]"},
		{"stages turn the wrong way", `assign stage_ahead = stage\n`, 0, "assign stage_ahead = stage_ahead\n"},
		{"a stage is never left", `assign stage = select\(.*\n`, 0, "assign stage = stage\n"},
		{"the ring is one stage too long", `stage \+ 1 == 3`, 0, "stage + 1 == 4"},
		{"the ring is one stage too short", `stage \+ 1 == 3`, 0, "stage + 1 == 2"},
		{"a first copy goes into the wrong stage", `a\[1, i, j\]`, 0, "a[0, i, j]"},
		{"copies run one iteration less ahead", `\(k \+ 2\) \* 32 \+ j\]`, 0, "(k + 1) * 32 + j]"},
		{"copies run one iteration further ahead", `\(k \+ 2\) \* 32 \+ i`, 0, "(k + 3) * 32 + i"},
		{"no bound on k", ` and \(k \+ 2\) \* 32 \+ j < K`, 0, ""},
		{"no bound on a row", `guard\(by \* 64 \+ i < M\) `, 0, ""},
		{"the bound is one too large", `by \* 64 \+ i < M\)`, 0, "by * 64 + i <= M)"},
		{"the bound is one too small", `by \* 64 \+ i < M\)`, 0, "by * 64 + i + 1 < M)"},
		{"no bound on the result", ` and bx \* 64 \+ j < N layout`, 0, " layout"},
		{"the interior goes too far", `max\(min\(`, 0, "max(1 + min("},
		{"the edge starts too late", `for k in k_inner`, 0, "for k in k_inner + 1"},
		{"the edge starts too early", `for k in k_inner`, 0, "for k in k_inner - 1"},
		{"an operand is read transposed", `b\[stage, d, j\]`, 0, "b[stage, j % 32, d]"},
		{"an index is off by one", `B\[\(k \+ 2\) \* 32 \+ i, bx \* 64 \+ j\]`, 0, "B[(k + 2) * 32 + i, max(bx * 64 + j - 1, 0)]"},
		{"grid indices change places", `C\[by \* 64 \+ i, bx \* 64 \+ j\]`, 0, "C[bx * 64 + i, by * 64 + j]"},
		{"tiles share bytes", `in shared offset [0-9]+`, 0, "in shared"},
		{"a tile lies a little too low", `in shared offset ([0-9]+)`, 0, "in shared offset 4096"},
		{"a swizzle puts two elements into one place", `dim1: \(32\) \(72\)`, 0, "dim1: (32) (32)"},
		{"sums are not cleared", `map \(i: 64, j: 64\) acc\[i, j\] = 0_f32.*\n`, 0, ""},
		{"sums are cleared in each iteration", `(map \(i: 64, j: 64\) acc\[i, j\] = 0_f32.*\n)((?s:.*?))(commit\n\s*contract)`, 0, "$1$2$1$3"},
	}},
	{"attention", "testdata/barriers/attention.txtar", "S=65 L=140", []fault{
		{"no barrier in the loop", `(wait 0\n)\s*barrier\n`, 0, "$1"},
		{"no barrier in the edge loop", `(wait 0\n)\s*barrier\n`, 1, "$1"},
		{"the second operand is read too early", `wait 0\n`, 0, "wait 1\n"},
		{"no bound on the edge's copies", ` guard\(\(n \+ 1\) \* 32 \+ i < L\)`, 0, ""},
		{"sums are not rescaled", `map \(i: 64, d: 32\) o\[i, d\] = o\[i, d\] \*.*\n`, 0, ""},
		{"the maximum is not kept", `map \(i: 64\) m\[i\] = (top|new).*\n`, 0, ""},
		{"v is taken for k", `k\[stage, j, d\]`, 0, "v[stage, j, d]"},
		{"v is read from the other stage", `v\[stage, j, d\]`, 1, "v[stage_ahead, j, d]"},
		{"a row is reduced over half its columns", `(reduce max \(i: 64\) over \(j: )32`, 0, "${1}16"},
	}},
	{"whole attention", "testdata/programs/attention.tir", "B=1 H=4 S=70 G=2 L=77", []fault{
		{"no mask in the edge", `select\(n \* 32 \+ j < L, (qk\[i, j\]), -inf_f32\)`, 0, "$1"},
		{"the mask is off by one", `select\(n \* 32 \+ j < L`, 0, "select(n * 32 + j <= L"},
		{"the interior has the edge's block", `max\(min\(`, 0, "max(1 + min("},
		{"no wait", `wait 0\n`, 1, ""},
		{"no barrier behind the products", `barrier\n`, 1, ""},
		{"heads are mixed up", `K\[b, g,`, 0, "K[b, 0 * g,"},
		{"batches are mixed up", `O\[b, h,`, 0, "O[b, b,"},
	}},
	{"softmax", "testdata/barriers/softmax.txtar", "M=3 N=1600", []fault{
		{"values outside count as zero", ` else\(-inf_f32\)`, 1, ""},
		{"no wait", `wait 0\n`, 0, ""},
		{"the wait is too weak", `wait 0\n`, 0, "wait 1\n"},
		{"the second pass starts from the old stage", `x\.1\[0, i, j\]`, 0, "x.1[1, i, j]"},
		{"scratch lies over the tile", `(scratch \([a-z0-9_]+: f32\[.*? in shared made) offset [0-9]+`, 0, "$1"},
		{"scratch of two reductions is one", `(scratch \([a-z0-9_]+: f32\[.*? in shared made) offset [0-9]+`, 1, "$1 offset 4096"},
		{"a maximum is a minimum", `reduce max`, 0, "reduce min"},
		{"rows beyond the last are stored", `where b \* 2 \+ i < M and k`, 0, "where k"},
	}},
	{"across", "testdata/barriers/across.txtar", "N=4", []fault{
		{"no barrier between a write and reads", `barrier\n`, 0, ""},
		{"no barrier between reads and a write", `barrier\n`, 1, ""},
		{"no barrier before the last reads", `barrier\n`, 2, ""},
		{"the neighbour's element", `63 - i`, 0, "62 - i"},
	}},
}

// TestFaultsAreCaught puts one fault after the other into schedules that are
// right. The interpreter must report it, or compute something else.
func TestFaultsAreCaught(t *testing.T) {
	m, err := machine.Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(faultsPage)
	for _, v := range victims {
		tile := tileForm(t, v.file)
		scheduled := Variants(tile)[0]
		rep := &diag.Reporter{}
		if err := Run(&Context{Machine: m, Reporter: rep}, scheduled, Options{Verify: true}); err != nil {
			t.Fatal(err, rep.Sorted())
		}
		text := ir.Print(scheduled)
		sameResults(t, tile, scheduled, v.dims)
		fmt.Fprintf(&page, "\n## %s\n\n| fault | caught by |\n|---|---|\n", v.name)
		for _, f := range v.faults {
			t.Run(v.name+"/"+f.name, func(t *testing.T) {
				wrong, ok := f.put(text)
				if !ok {
					t.Fatalf("no match %d of %s in\n%s", f.nth, f.pattern, text)
				}
				g, err := ir.Parse("fault.tir", wrong)
				if err != nil {
					t.Fatal(err)
				}
				how, caught := differs(t, tile, g, v.dims)
				if !caught {
					t.Errorf("not caught in\n%s", wrong)
				}
				t.Log(how)
				fmt.Fprintf(&page, "| %s | %s |\n", f.name, checkOf(how))
			})
		}
	}
	golden.Compare(t, "../docs/faults-of-schedules.md", page.String())
}

// faultsPage begins the page on what catches which fault.
const faultsPage = `# What catches a fault of a pass

Each row is one mistake put into the scheduled form of a kernel that is right, as a pass might make it, and the check
that finds it: the verifier, the interpreter as an adversary, or a comparison of results. TestFaultsAreCaught in passes
makes them and writes this page.
`

// checkOf names the check that a message comes from.
func checkOf(how string) string {
	for _, c := range []struct{ part, check string }{
		{"is malformed", "verifier"},
		{"results differ", "results"},
		{"in flight", "interpreter: a copy in flight"},
		{"another thread", "interpreter: a race"},
		{"another grid instance", "interpreter: two grid instances"},
		{"outside its shape", "interpreter: out of bounds"},
		{"nothing has written", "interpreter: unwritten"},
	} {
		if strings.Contains(how, c.part) {
			return c.check
		}
	}
	return how
}

// tileForm reads the tile form that a case starts from.
func tileForm(t *testing.T, file string) *ir.Func {
	t.Helper()
	if strings.HasSuffix(file, ".tir") {
		f, _ := program(t, file)
		return f
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) == 0 || archive.Files[0].Name != "tile.tir" {
		t.Fatalf("%s has no tile form", file)
	}
	f, err := ir.Parse("tile.tir", string(archive.Files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// put returns the text with the fault; false if there is no place for it.
func (f fault) put(text string) (string, bool) {
	re := regexp.MustCompile(f.pattern)
	at := re.FindAllStringSubmatchIndex(text, -1)
	if f.nth >= len(at) {
		return "", false
	}
	m := at[f.nth]
	wrong := text[:m[0]] + string(re.ExpandString(nil, f.with, text, m)) + text[m[1]:]
	return wrong, wrong != text
}

// finiteArgs are random arguments without nan and infinities, which hide faults.
func finiteArgs(t *testing.T, f *ir.Func, dims map[string]int64) interp.Args {
	t.Helper()
	args := randomArgs(t, f, dims)
	for _, a := range args.Tensors {
		for i := range a.Len() {
			if x := a.At(i); math.IsNaN(x) || math.IsInf(x, 0) {
				a.SetFloat(i, 1)
			}
		}
	}
	return args
}

// differs runs both functions and tells how g was found out.
func differs(t *testing.T, want, g *ir.Func, dims string) (how string, caught bool) {
	t.Helper()
	values := sizes(t, dims)
	right, err := interp.Run(context.Background(), want, finiteArgs(t, want, values), interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := interp.Run(context.Background(), g, finiteArgs(t, g, values), interp.Options{})
	if err != nil {
		return err.Error(), true
	}
	for name, a := range right.Tensors {
		b := got.Tensors[name]
		for i := range a.Len() {
			x, y := a.At(i), b.At(i)
			if right.Written(name, i) != got.Written(name, i) || math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
				return "results differ", true
			}
		}
	}
	return "", false
}
