package driver

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tilec/runtime/array"
	"tilec/runtime/launch"
	"tilec/runtime/ptxlaunch"
)

const deviceProgram = `kernel axpy(X: f32[M, N] strided, Y: inout f32[M, N], a: f32) {
    grid (m: M, b: ceildiv(N, 64)) persistent { Y[m, b*64 + i] += a * X[m, b*64 + i] over i: 64 }
    spec { Y[m, n] = Y[m, n] + a * X[m, n] }
}
test "t" axpy { M = 5, N = 70, a = 2 }
`

// counting is a launcher that counts launches.
type counting struct {
	launch.Launcher
	n    int
	fail error
}

func (c *counting) Launch(ctx context.Context, k *launch.Kernel, grid [3]int64, block [3]int, shared int, args []launch.Arg) error {
	if len(k.Cubin) == 0 {
		return errors.New("no cubin")
	}
	c.n++
	if c.fail != nil {
		return c.fail
	}
	return c.Launcher.Launch(ctx, k, grid, block, shared, args)
}

// TestDevice checks and runs on a device, played by the PTX machine.
func TestDevice(t *testing.T) {
	dev := &counting{Launcher: ptxlaunch.New(ptxlaunch.Config{})}
	s := New(context.Background(), Options{
		Read:   func(string) (string, error) { return deviceProgram, nil },
		Device: &Device{Launcher: dev, Arch: "sm_80", Processors: 3},
	})
	wantOK(t, check(t, s, "d.tile", CheckOptions{Machines: machines(t, "sm_80", "sm_90a"), Seed: 1}))
	if dev.n != 5 { // one for each way to place a strided tensor; sm_90a's code does not run on it
		t.Errorf("%d launches", dev.n)
	}
	p := s.Load("d.tile")
	x := array.FromFloats64(array.F64, []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	y := array.FromFloats32(array.F32, []float32{10, 20, 30, 40, 50, 60}, 2, 3)
	r := RunRequest{Kernel: p.Pick("axpy")[0], Machine: machines(t, "sm_80")[0], Set: map[string]string{"a": "0.5"},
		In: map[string]*array.Array{"X": x, "Y": y}}
	for _, interpret := range []bool{false, true} {
		r.Interpret = interpret
		res, err := s.Run(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Tensors["Y"].At(5); got != 63 || y.At(5) != 60 {
			t.Errorf("interpret = %v: Y[1, 2] = %v; the argument is %v", interpret, got, y.At(5))
		}
	}
	if dev.n != 6 {
		t.Errorf("%d launches after a run", dev.n)
	}
	dev.fail = errors.New("the device is on fire")
	results := check(t, s, "d.tile", CheckOptions{Machines: machines(t, "sm_80"), Seed: 1, DeviceOnly: true})
	if f := results[0].Failures; len(f) != 1 || !strings.Contains(f[0].Stage, "on the GPU") || !strings.Contains(f[0].Text, "on fire") {
		t.Errorf("%+v", f)
	}
}

func TestDeviceRuns(t *testing.T) {
	for _, c := range []struct {
		device, code string
		want         bool
	}{
		{"sm_80", "sm_80", true},
		{"sm_86", "sm_80", true},
		{"sm_80", "sm_86", false},
		{"sm_90", "sm_90a", true},
		{"sm_100", "sm_90a", false},
		{"sm_120", "sm_89", true},
	} {
		if got := (&Device{Arch: c.device}).runs(c.code); got != c.want {
			t.Errorf("%s runs %s: %v", c.device, c.code, got)
		}
	}
}

// TestHugeTensors wants an error, not an attempt, where a test is too large.
func TestHugeTensors(t *testing.T) {
	s := session(strings.Replace(deviceProgram, "M = 5, N = 70", "M = 1000000, N = 1000000", 1))
	r := check(t, s, "d.tile", CheckOptions{Machines: machines(t, "sm_80"), Seed: 1})
	if len(r[0].Failures) != 1 || !strings.Contains(r[0].Failures[0].Text, "GiB together") {
		t.Errorf("%+v", r[0].Failures)
	}
}
