package ascend_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// near fails where a result is further from want than tol, relative to values above 1.
func near(t *testing.T, got *array.Array, tol float64, want func(i int) float64) {
	t.Helper()
	for i := range got.Len() {
		w := want(i)
		if d := math.Abs(got.At(i) - w); !(d <= tol*max(1, math.Abs(w))) {
			t.Fatalf("element %d is %v, want %v", i, got.At(i), w)
		}
	}
}

// vectorAddArgs are the arguments of vector_add for a number of tiles on each block.
func vectorAddArgs(blocks, tiles int) (args []ascend.Arg, z *array.Array, want func(i int) float64) {
	n := blocks * tiles * 256
	x := filled(array.F16, func(i int) float64 { return float64(i%37) / 4 }, n)
	y := filled(array.F16, func(i int) float64 { return float64(i%11) - 5 }, n)
	z = array.New(array.F16, n)
	return ascend.Args(launch.In(x), launch.In(y), launch.Out(z), launch.Int(array.U32, int64(n))), z,
		func(i int) float64 { return x.At(i) + y.At(i) }
}

// selectArgs are the arguments of select_tail.
func selectArgs() (args []ascend.Arg, y *array.Array, want func(i int) float64) {
	x := filled(array.F32, func(i int) float64 { return float64(i%2)*8 - 4 }, 4)
	y = array.New(array.F32, 4)
	return ascend.Args(launch.In(x), launch.Out(y)), y, func(i int) float64 { return max(x.At(i), 0) }
}

// TestSelectTail has lanes without a value beside others in the same byte of a mask.
func TestSelectTail(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "select_tail.cpp"))
	args, y, want := selectArgs()
	r := run(t, p, ascend.Config{Blocks: 1}, args...)
	clean(t, r)
	near(t, y, 0, want)
}

func TestVectorAdd(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "vector_add.cpp"))
	args, z, want := vectorAddArgs(4, 5)
	r := run(t, p, ascend.Config{Blocks: 4}, args...)
	clean(t, r)
	near(t, z, 0, want)
	if len(r.Cores) != 4 || r.Cores[0].Instructions["V Add"] != 5 || r.Cores[0].Bytes["GM>UB"] != 2*5*512 {
		t.Errorf("counters %+v", r.Cores[0])
	}
}

// addArgs are the arguments of static_add, and what it must give.
func addArgs(blocks, tiles int) (args []ascend.Arg, z *array.Array, want func(i int) float64) {
	n := blocks * tiles * 512
	x := filled(array.F32, func(i int) float64 { return float64(i % 1000) }, n)
	y := filled(array.F32, func(i int) float64 { return float64(i%7) / 2 }, n)
	z = array.New(array.F32, n)
	return ascend.Args(launch.In(x), launch.In(y), launch.Out(z), launch.Int(array.U32, int64(tiles))), z,
		func(i int) float64 { return 2*x.At(i) + y.At(i) }
}

func TestStaticAdd(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "static_add.cpp"))
	for _, tiles := range []int{0, 1, 2, 5} {
		args, z, want := addArgs(3, tiles)
		clean(t, run(t, p, ascend.Config{Blocks: 3}, args...))
		near(t, z, 0, want)
	}
}

// softmaxArgs are the arguments of softmax.
func softmaxArgs(rows, columns int) (args []ascend.Arg, y *array.Array, want func(i int) float64) {
	x := filled(array.F32, func(i int) float64 { return math.Sin(float64(i)) * 4 }, rows, columns)
	y = array.New(array.F32, rows, columns)
	want = func(i int) float64 {
		sum := 0.0
		for c := range columns {
			sum += math.Exp(x.At(i/columns*columns + c))
		}
		return math.Exp(x.At(i)) / sum
	}
	return ascend.Args(launch.In(x), launch.Out(y), launch.Int(array.U32, int64(rows)), launch.Int(array.U32, int64(columns))), y, want
}

func TestSoftmax(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "softmax.cpp"))
	for _, columns := range []int{1, 8, 63, 100, 301} {
		args, y, want := softmaxArgs(5, columns)
		clean(t, run(t, p, ascend.Config{Blocks: 2}, args...))
		near(t, y, 1e-6, want)
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "vectors.cpp"))
	one := func(kernel string, x, y *array.Array) {
		t.Helper()
		clean(t, run(t, p, ascend.Config{Kernel: kernel}, ascend.Args(launch.In(x), launch.Out(y), launch.Int(array.U32, int64(x.Len())))...))
	}
	x, y := filled(array.I8, func(i int) float64 { return float64(i%256 - 128) }, 512), array.New(array.BF16, 512)
	one("casts", x, y)
	third := float64(float32(1.0 / 3.0))
	near(t, y, 0, func(i int) float64 {
		return array.DecodeFloat(array.BF16, array.EncodeFloat(array.BF16, float64(float32(x.At(i)*third))))
	})

	const n = 1024
	x, y = filled(array.F32, func(i int) float64 { return float64(i*37%101 - 50) }, n), array.New(array.F32, n)
	one("choose", x, y)
	near(t, y, 0, func(i int) float64 {
		if x.At(i) < 0 {
			return 0
		}
		return x.At(n - 1 - i)
	})
	one("center", x, y)
	near(t, y, 1e-5, func(i int) float64 {
		mean := 0.0
		for c := range 64 {
			mean += x.At(i/64*64+c) / 64
		}
		return x.At(i) - mean
	})
	x, y = filled(array.F16, func(i int) float64 { return float64(i) }, 256), array.New(array.F16, 256)
	one("turn", x, y)
	near(t, y, 0, func(i int) float64 {
		if i%2 == 0 {
			return 0
		}
		return x.At(i%16*16 + i/16)
	})
}

// matmulArgs are the arguments of matmul.
func matmulArgs(m, n, k int) (args []ascend.Arg, c *array.Array, want func(i int) float64) {
	a := filled(array.F16, func(i int) float64 { return float64(i*7%13-6) / 4 }, m, k)
	b := filled(array.F16, func(i int) float64 { return float64(i*5%11-5) / 8 }, k, n)
	c = array.New(array.F32, m, n)
	return ascend.Args(launch.In(a), launch.In(b), launch.Out(c), launch.Int(array.U32, int64(m)), launch.Int(array.U32, int64(n)), launch.Int(array.U32, int64(k))),
		c, func(i int) float64 {
			sum := 0.0
			for p := range k {
				sum += a.At(i/n*k+p) * b.At(p*n+i%n)
			}
			return sum
		}
}

func TestMatmul(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "matmul.cpp"))
	args, c, want := matmulArgs(128, 192, 192)
	r := run(t, p, ascend.Config{Blocks: 4}, args...)
	clean(t, r)
	near(t, c, 1e-5, want)
	if got := r.Cores[0].Instructions["M Mmad"]; got != 2*3 {
		t.Errorf("%d products on the first core", got)
	}
	args, _, _ = matmulArgs(128, 192, 192)
	count := run(t, p, ascend.Config{Blocks: 4, CountOnly: true}, args...)
	if diff := cmp.Diff(r.Cores, count.Cores); diff != "" {
		t.Errorf("counting alone differs (-computed +counted):\n%s", diff)
	}
}

// mixArgs are the arguments of mix for a number of groups of cores.
func mixArgs(blocks, tiles int) (args []ascend.Arg, y *array.Array, want func(i int) float64) {
	n := blocks * tiles * 1024
	a := filled(array.F16, func(i int) float64 { return float64(i*7%9-4) / 32 }, n)
	b := filled(array.F16, func(i int) float64 { return float64(i*3%7-3) / 4 }, 1024)
	y = array.New(array.F32, n)
	args = append(ascend.Args(launch.In(a), launch.In(b), launch.Out(y)), ascend.Workspace(blocks*2*4096), ascend.Args(launch.Int(array.U32, int64(tiles)))[0])
	return args, y, func(i int) float64 {
		sum, tile := 0.0, i/1024*1024
		for p := range 32 {
			sum += a.At(tile+i%1024/32*32+p) * b.At(p*32+i%32)
		}
		return math.Exp(sum)
	}
}

func TestMix(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "mix.cpp"))
	args, y, want := mixArgs(3, 5)
	r := run(t, p, ascend.Config{Blocks: 3}, args...)
	clean(t, r)
	near(t, y, 1e-5, want)
	if len(r.Cores) != 9 || r.Cores[0].CrossFlags != 5 {
		t.Errorf("%d cores, %d cross-core flags on the first", len(r.Cores), r.Cores[0].CrossFlags)
	}
}
