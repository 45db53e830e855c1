package ptxlaunch

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/runtime/array"
	"tilec/runtime/launch"
	"tilec/runtime/ptx"
)

//go:embed testdata/scale.ptx
var scalePTX []byte

var scale = &launch.Kernel{Entry: "scale", Arch: "sm_80", PTX: scalePTX, Params: []launch.Param{
	{Name: "x", Type: array.F32, Pointer: true},
	{Name: "y", Type: array.F32, Pointer: true},
	{Name: "n", Type: array.I64},
	{Name: "by", Type: array.F32},
}}

// run scales n elements and returns all of y.
func run(m *Machine, n int64, x, y *array.Array) error {
	args := []launch.Arg{launch.In(x), launch.Out(y), launch.Int(array.I64, n), launch.Float(array.F32, 2)}
	return m.Launch(context.Background(), scale, [3]int64{(n + 31) / 32, 1, 1}, [3]int{32, 1, 1}, 0, args)
}

func numbers(n int) *array.Array {
	a := array.New(array.F32, n)
	for i := range n {
		a.SetFloat(i, float64(i))
	}
	return a
}

func TestLaunch(t *testing.T) {
	reports := 0
	m := New(Config{Checks: ptx.CheckAll, Observe: func(*launch.Kernel, *ptx.Report) { reports++ }})
	x, y := numbers(70), array.New(array.F32, 70)
	y.SetFloat(69, -1)
	if err := run(m, 69, x, y); err != nil {
		t.Fatal(err)
	}
	want := array.New(array.F32, 70)
	for i := range 69 {
		want.SetFloat(i, 2*float64(i))
	}
	want.SetFloat(69, -1)
	if diff := cmp.Diff(want.Floats32(), y.Floats32()); diff != "" {
		t.Errorf("y (-want +got):\n%s", diff)
	}
	if err := run(m, 0, x, y); err != nil {
		t.Errorf("an empty grid: %v", err)
	}
	if reports != 1 {
		t.Errorf("%d reports of 1 launch", reports)
	}
	if err := run(m, 70, x, x); err != nil || x.At(69) != 138 {
		t.Errorf("in place: %v, x[69] = %g", err, x.At(69))
	}
}

func TestFindings(t *testing.T) {
	m := New(Config{})
	x, y := numbers(70), array.New(array.F32, 64)
	err := run(m, 70, x, y)
	var found *FindingsError
	if !errors.As(err, &found) {
		t.Fatalf("error %v, want findings", err)
	}
	if f := found.Report.Findings[0]; f.Kind != ptx.OutOfBounds {
		t.Errorf("finding %s", f)
	}
	for _, want := range []string{"scale: the PTX machine found a fault", "out of bounds", "y (256 bytes)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if y.At(63) != 126 {
		t.Errorf("y[63] = %g", y.At(63))
	}
}

func TestRefusals(t *testing.T) {
	m := New(Config{})
	x, y := numbers(4), numbers(4)
	args := []launch.Arg{launch.In(x), launch.Out(y), launch.Int(array.I64, 4), launch.Float(array.F32, 2)}
	grid, block := [3]int64{1, 1, 1}, [3]int{32, 1, 1}
	for _, c := range []struct {
		name string
		edit func(k *launch.Kernel)
		want string
	}{
		{"no PTX", func(k *launch.Kernel) { k.PTX = nil }, "scale: no PTX"},
		{"malformed", func(k *launch.Kernel) { k.PTX = []byte("nonsense") }, "scale.ptx"},
		{"entry", func(k *launch.Kernel) { k.Entry = "other" }, "other"},
		{"parameters", func(k *launch.Kernel) { k.Params = k.Params[:3] }, "4 arguments, the kernel has 3"},
	} {
		k := *scale
		c.edit(&k)
		err := m.Launch(context.Background(), &k, grid, block, 0, args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := m.Launch(stopped, scale, grid, block, 0, args); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if err := m.Launch(context.Background(), scale, grid, block, 1<<20, args); err == nil {
		t.Error("too much shared memory is accepted")
	}
}

func TestConcurrent(t *testing.T) {
	m := New(Config{Workers: 1})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			x, y := numbers(40), array.New(array.F32, 40)
			if err := run(m, 40, x, y); err != nil || y.At(39) != 78 {
				t.Errorf("%v, y[39] = %g", err, y.At(39))
			}
		})
	}
	wg.Wait()
}

func TestDescription(t *testing.T) {
	if m := New(Config{}); m.Arch() != "" || m.Processors() != defaultProcessors {
		t.Errorf("zero configuration: %q, %d", m.Arch(), m.Processors())
	}
	if m := New(Config{Arch: "sm_86", Processors: 9}); m.Arch() != "sm_86" || m.Processors() != 9 {
		t.Errorf("configuration: %q, %d", m.Arch(), m.Processors())
	}
}
