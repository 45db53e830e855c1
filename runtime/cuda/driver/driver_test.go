package driver

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"tilec/runtime/array"
	"tilec/runtime/cuda/internal/dl"
	"tilec/runtime/launch"
)

// fakeDriver builds the stand-in for libcuda and loads it. Each test has a library, and so a state, of its own.
func fakeDriver(t *testing.T) (*dl.Library, func() state) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "libcuda.so.1")
	out, err := exec.Command("g++", "-x", "c", "-std=gnu11", "-shared", "-fPIC", "-O1", "-o", name, "testdata/libcuda.c").CombinedOutput()
	if err != nil {
		t.Fatalf("building the stand-in driver: %v\n%s", err, out)
	}
	library, err := dl.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	var read func(unsafe.Pointer)
	if err := library.Bind(&read, "fakeState"); err != nil {
		t.Fatal(err)
	}
	return library, func() state {
		var raw [4]int32
		read(unsafe.Pointer(&raw))
		return state{raw[0], raw[1], raw[2], raw[3]}
	}
}

// state is what the stand-in holds: retained contexts, modules, memory blocks, and the shared memory opted into.
type state struct{ Contexts, Modules, Blocks, Shared int32 }

func fakeDevice(t *testing.T) (*Device, func() state) {
	t.Helper()
	library, held := fakeDriver(t)
	driver, err := open(library)
	if err != nil {
		t.Fatal(err)
	}
	device, err := driver.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	return device, held
}

var scaleParams = []launch.Param{
	{Name: "x", Type: array.F32, Pointer: true},
	{Name: "y", Type: array.F32, Pointer: true},
	{Name: "n", Type: array.I64},
	{Name: "by", Type: array.F32},
}

func scaleKernel(ptx string) *launch.Kernel {
	return &launch.Kernel{Entry: "scale", Arch: "sm_80", PTX: []byte(ptx), Params: scaleParams}
}

func TestDevices(t *testing.T) {
	library, _ := fakeDriver(t)
	driver, err := open(library)
	if err != nil {
		t.Fatal(err)
	}
	devices, err := driver.Devices()
	if err != nil {
		t.Fatal(err)
	}
	want := []Info{{Name: "Fake GPU", Arch: "sm_90", Memory: 5 << 32, Processors: 132, SharedPerBlock: 232448, major: 9}}
	if diff := cmp.Diff(want, devices, cmp.AllowUnexported(Info{})); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	if v, err := driver.Version(); v != "13.5" || err != nil {
		t.Errorf("version %s, %v", v, err)
	}
	if _, err := driver.Device(3); err == nil {
		t.Error("device 3 is there")
	}
}

func TestLaunch(t *testing.T) {
	device, held := fakeDevice(t)
	x := array.FromFloats32(array.F32, []float32{1, 2, 3, 4}, 4)
	y := array.FromFloats32(array.F32, []float32{9, 9, 9, 9}, 4)
	k := scaleKernel("ptx")
	args := func(n int64) []launch.Arg {
		return []launch.Arg{launch.In(x), launch.Out(y), launch.Int(array.I64, n), launch.Float(array.F32, 0.5)}
	}
	grid, block := [3]int64{1, 1, 1}, [3]int{32, 1, 1}
	if err := device.Launch(t.Context(), k, grid, block, 100_000, args(3)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{0.5, 1, 1.5, 9}, y.Floats32()); diff != "" {
		t.Errorf("result, the last element left alone (-want +got):\n%s", diff)
	}
	// In place, from an offset on.
	inPlace := []launch.Arg{launch.In(x).From(4), launch.Out(x).From(4), launch.Int(array.I64, 2), launch.Float(array.F32, 10)}
	if err := device.Launch(t.Context(), k, grid, block, 0, inPlace); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{1, 20, 30, 4}, x.Floats32()); diff != "" {
		t.Errorf("in place (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(state{Contexts: 1, Modules: 1, Shared: 100_000}, held()); diff != "" {
		t.Errorf("the driver holds (-want +got):\n%s", diff)
	}
	if err := device.Launch(t.Context(), k, [3]int64{0, 1, 1}, block, 0, args(4)); err != nil {
		t.Errorf("empty grid: %v", err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			out := array.New(array.F32, 4)
			a := args(4)
			a[1] = launch.Out(out)
			if err := device.Launch(t.Context(), k, grid, block, 0, a); err != nil || out.At(3) != 2 {
				t.Errorf("launched at once: %v, %v", out.Floats32(), err)
			}
		})
	}
	group.Wait()
	for range 2 {
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(state{Shared: 100_000}, held()); diff != "" {
		t.Errorf("after closing, the driver holds (-want +got):\n%s", diff)
	}
	if err := device.Launch(t.Context(), k, grid, block, 0, args(4)); err == nil {
		t.Error("a closed device launches")
	}
}

func TestLaunchErrors(t *testing.T) {
	device, held := fakeDevice(t)
	x := array.New(array.F32, 4)
	good := []launch.Arg{launch.In(x), launch.Out(array.New(array.F32, 4)), launch.Int(array.I64, 4), launch.Float(array.F32, 1)}
	grid, block := [3]int64{1, 1, 1}, [3]int{32, 1, 1}
	other := scaleKernel("ptx")
	other.Entry = "missing"
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		kernel *launch.Kernel
		shared int
		args   []launch.Arg
		want   string
	}{
		{"arguments", t.Context(), scaleKernel("ptx"), 0, good[:2], "2 arguments, the kernel has 4"},
		{"PTX", t.Context(), scaleKernel("bad"), 0, good, "(CUDA_ERROR_INVALID_PTX)\nptxas fatal: no such thing"},
		{"entry", t.Context(), other, 0, good, "find kernel missing: unknown error"},
		{"shared memory", t.Context(), scaleKernel("ptx"), 300_000, good, "scale needs 300000 bytes of shared memory, Fake GPU allows 232448"},
		{"cancelled", cancelled, scaleKernel("ptx"), 0, good, "context canceled"},
		{"architecture", t.Context(), &launch.Kernel{Entry: "scale", Arch: "sm_100a", PTX: []byte("ptx"), Params: scaleParams}, 0, good, "compiled for sm_100a, which does not run on Fake GPU (sm_90)"},
	} {
		err := device.Launch(c.ctx, c.kernel, grid, block, c.shared, c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	if got := held().Blocks; got != 0 {
		t.Errorf("%d memory blocks are left", got)
	}
	fatal := append([]launch.Arg(nil), good...)
	fatal[2] = launch.Int(array.I64, -1)
	var e *Error
	if err := device.Launch(t.Context(), scaleKernel("ptx"), grid, block, 0, fatal); !errors.As(err, &e) || !e.Fatal() {
		t.Errorf("illegal address: %v", err)
	}
}

func TestMemory(t *testing.T) {
	device, _ := fakeDevice(t)
	p, err := device.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	if err := device.Fill(p, 0xab, 16); err != nil {
		t.Fatal(err)
	}
	if err := device.CopyIn(p+4, []byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8)
	if err := device.CopyOut(got, p); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]byte{0xab, 0xab, 0xab, 0xab, 1, 2, 3, 0xab}, got); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	if err := device.Free(p); err != nil {
		t.Fatal(err)
	}
	m, err := device.Load([]byte("ptx"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("scale")
	if err != nil {
		t.Fatal(err)
	}
	if registers, local, err := f.Registers(); registers != 42 || local != 16 || err != nil {
		t.Errorf("%d registers, %d bytes, %v", registers, local, err)
	}
}

func TestOpen(t *testing.T) {
	library, _ := fakeDriver(t)
	for code, want := range map[string]error{"100": ErrNoDevice, "34": ErrNoDriver} {
		t.Setenv("FAKE_CUDA_INIT", code)
		if _, err := open(library); !errors.Is(err, want) {
			t.Errorf("initialising fails with %s: %v", code, err)
		}
	}
	t.Setenv("FAKE_CUDA_INIT", "999")
	var e *Error
	if _, err := open(library); !errors.As(err, &e) || e.Code != 999 {
		t.Errorf("initialising fails with 999: %v", err)
	}
}

// TestOpenHere is true to the machine: a driver with devices, or an error that says what is missing.
func TestOpenHere(t *testing.T) {
	driver, err := Open()
	if err != nil {
		if !errors.Is(err, ErrNoDriver) && !errors.Is(err, ErrNoDevice) {
			t.Error(err)
		}
		return
	}
	if _, err := driver.Devices(); err != nil {
		t.Error(err)
	}
}

func TestImage(t *testing.T) {
	cubin, ptx := []byte("cubin"), []byte("ptx")
	for _, c := range []struct {
		arch       string
		major, min int
		want       string
	}{
		{"sm_80", 8, 0, "cubin"}, {"sm_80", 8, 6, "cubin"}, {"sm_86", 8, 0, ""}, {"sm_80", 9, 0, "ptx"}, {"sm_90", 9, 0, "cubin"},
		{"sm_90a", 9, 0, "cubin"}, {"sm_90a", 10, 0, ""}, {"sm_120", 12, 1, "cubin"}, {"sm_120a", 12, 1, ""}, {"sm_100f", 10, 3, "cubin"},
		{"sm_100f", 12, 0, ""}, {"gfx", 9, 0, ""},
	} {
		d := &Device{Info: Info{major: c.major, minor: c.min}}
		got, err := d.image(&launch.Kernel{Arch: c.arch, Cubin: cubin, PTX: ptx})
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s on %d.%d runs %q, %v, want %q", c.arch, c.major, c.min, got, err, c.want)
		}
	}
}
