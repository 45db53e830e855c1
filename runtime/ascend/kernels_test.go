package ascend_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tilec/runtime/array"
	"tilec/runtime/ascend"
	"tilec/runtime/launch"
)

// tools is the toolchain of all tests: the machine is built once.
var tools = sync.OnceValues(func() (*ascend.Toolchain, error) { return ascend.Find(ascend.Search{}) })

func toolchain(t *testing.T) *ascend.Toolchain {
	t.Helper()
	tc, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

// source reads a kernel of testdata, with replacements made in it.
func source(t *testing.T, name string, replace ...string) ascend.Source {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	s := string(text)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(s, replace[i]) {
			t.Fatalf("%s has no %q", name, replace[i])
		}
		s = strings.Replace(s, replace[i], replace[i+1], 1)
	}
	return ascend.Source{Name: name, Text: s}
}

func compile(t *testing.T, s ascend.Source) *ascend.Program {
	t.Helper()
	p, err := toolchain(t).Compile(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t *testing.T, p *ascend.Program, cfg ascend.Config, args ...ascend.Arg) *ascend.Report {
	t.Helper()
	r, err := p.Run(context.Background(), cfg, args...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clean fails on any finding.
func clean(t *testing.T, r *ascend.Report) {
	t.Helper()
	for i := range r.Findings {
		t.Errorf("%s", r.Findings[i].String())
	}
}

// filled returns an array of values.
func filled(dt array.DType, f func(i int) float64, shape ...int) *array.Array {
	a := array.New(dt, shape...)
	for i := range a.Len() {
		a.SetFloat(i, f(i))
	}
	return a
}

func TestVectorAdd(t *testing.T) {
	const blocks, n = 4, 4 * 256 * 5
	p := compile(t, source(t, "vector_add.cpp"))
	x := filled(array.F16, func(i int) float64 { return float64(i%37) / 4 }, n)
	y := filled(array.F16, func(i int) float64 { return float64(i%11) - 5 }, n)
	z := array.New(array.F16, n)
	r := run(t, p, ascend.Config{Blocks: blocks}, ascend.Args(launch.In(x), launch.In(y), launch.Out(z), launch.Int(array.U32, n))...)
	clean(t, r)
	for i := range n {
		if want := x.At(i) + y.At(i); z.At(i) != want {
			t.Fatalf("z[%d] = %v, want %v", i, z.At(i), want)
		}
	}
	if len(r.Cores) != blocks || r.Cores[0].Instructions["V Add"] != 5 || r.Cores[0].Bytes["GM>UB"] != 2*5*512 {
		t.Errorf("counters %+v", r.Cores[0])
	}
}
