package ptxlaunch

import (
	"context"
	_ "embed"
	"strings"
	"testing"

	"tilec/runtime/array"
	"tilec/runtime/launch"
	"tilec/runtime/ptx"
)

//go:embed testdata/tiles.ptx
var tilesPTX []byte

func TestTensorMapsAndClusters(t *testing.T) {
	k := &launch.Kernel{Entry: "tiles", Arch: "sm_90", PTX: tilesPTX, Cluster: [3]int{2, 1, 1}, Params: []launch.Param{
		{Name: "x", Type: array.F32, Map: true},
		{Name: "y", Type: array.F32, Map: true},
	}}
	m := New(Config{Checks: ptx.CheckAll})
	start := func(grid int64, x, y launch.Arg) error {
		return m.Launch(context.Background(), k, [3]int64{grid, 1, 1}, [3]int{32, 1, 1}, 0, []launch.Arg{x, y})
	}
	x, y := numbers(30*4), array.New(array.F32, 30*4) // the last tile has 6 rows
	tiled := launch.Packed([]int{30, 4}, []int{8, 4}, 0)
	if err := start(4, launch.In(x).Tiled(tiled), launch.Out(y).Tiled(tiled)); err != nil {
		t.Fatal(err)
	}
	for i := range 30 * 4 {
		if got, want := y.At(i), x.At(i)+float64(i/32%2); got != want {
			t.Fatalf("y[%d] = %g, want %g", i, got, want)
		}
	}
	short := launch.Packed([]int{30, 4}, []int{8, 4}, 48)
	for _, c := range []struct {
		err  error
		want string
	}{
		{start(3, launch.In(x).Tiled(tiled), launch.Out(y).Tiled(tiled)), "not a multiple of the 2 blocks of a cluster"},
		{start(4, launch.In(x), launch.Out(y).Tiled(tiled)), "a tensor map over it is needed"},
		{start(4, launch.In(x).Tiled(short), launch.Out(y).Tiled(tiled)), "argument x: a swizzle of 48 bytes"},
		{run(m, 64, x, array.New(array.F16, 64)), "one of f32"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}
