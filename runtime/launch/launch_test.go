package launch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/runtime/array"
)

var scale = &Kernel{Entry: "scale", Params: []Param{
	{Name: "x", Type: array.F16, Pointer: true},
	{Name: "y", Type: array.F16, Pointer: true},
	{Name: "n", Type: array.I64},
	{Name: "by", Type: array.F32},
}}

func TestCheck(t *testing.T) {
	x := array.New(array.F16, 8)
	good := []Arg{In(x), Out(x), Int(array.I64, 8), Float(array.F32, 0.5)}
	with := func(i int, a Arg) []Arg {
		args := append([]Arg(nil), good...)
		args[i] = a
		return args
	}
	grid, block := [3]int64{1, 1, 1}, [3]int{32, 1, 1}
	for _, c := range []struct {
		name   string
		grid   [3]int64
		block  [3]int
		shared int
		args   []Arg
		want   string
	}{
		{"good", grid, block, 0, good, ""},
		{"empty", [3]int64{1, 0, 1}, block, 0, good, "empty"},
		{"widest", [3]int64{1<<31 - 1, 65535, 65535}, [3]int{16, 1, 64}, 1 << 17, good, ""},
		{"grid x", [3]int64{1 << 31, 1, 1}, block, 0, good, "extent x is not within 0 .. 2147483647"},
		{"grid y", [3]int64{1, 65536, 1}, block, 0, good, "extent y"},
		{"negative", [3]int64{1, 1, -1}, block, 0, good, "extent z"},
		{"no threads", grid, [3]int{0, 1, 1}, 0, good, "block [0 1 1]: extent x"},
		{"threads", grid, [3]int{32, 33, 1}, 0, good, "1056 threads"},
		{"block z", grid, [3]int{1, 1, 65}, 0, good, "extent z is not within 1 .. 64"},
		{"shared", grid, block, -1, good, "-1 bytes"},
		{"few", grid, block, 0, good[:3], "3 arguments, the kernel has 4"},
		{"scalar for array", grid, block, 0, with(0, Int(array.I64, 1)), "argument x: a scalar, an array of f16"},
		{"array for scalar", grid, block, 0, with(2, In(x)), "argument n: an array"},
		{"scalar type", grid, block, 0, with(2, Int(array.I32, 1)), "a scalar i32, i64 is needed"},
		{"array type", grid, block, 0, with(1, Out(array.New(array.BF16, 8))), "an array of bf16, one of f16"},
		{"no access", grid, block, 0, with(1, Arg{Array: x}), "without a declared access"},
		{"offset", grid, block, 0, with(0, In(x).From(17)), "offset 17 lies outside"},
	} {
		empty, err := Check(scale, c.grid, c.block, c.shared, c.args)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case empty:
			got = "empty"
		}
		if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBuffers(t *testing.T) {
	x, y, none := array.New(array.F32, 4), array.New(array.F32, 4), array.New(array.F32, 0)
	view := &array.Array{DType: array.F32, Shape: []int{2, 2}, Data: x.Data}
	buffers, of, err := Buffers([]Arg{In(x), Int(array.I32, 1), In(y), Out(view).From(8), In(none), In(none), In(x)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, -1, 1, 0, 2, 3, 0}, of); diff != "" {
		t.Errorf("buffers of arguments (-want +got):\n%s", diff)
	}
	if len(buffers) != 4 || buffers[0].Access != ReadWrite || buffers[1].Access != Read {
		t.Errorf("buffers %+v", buffers)
	}
	part := &array.Array{DType: array.F32, Shape: []int{2}, Data: x.Data[8:]}
	if _, _, err := Buffers([]Arg{In(x), Out(part)}); err == nil {
		t.Error("storage that overlaps in part is accepted")
	}
}

func TestScalar(t *testing.T) {
	for _, c := range []struct {
		arg  Arg
		want []byte
	}{
		{Int(array.I64, -2), []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{Int(array.I32, 1<<32+5), []byte{5, 0, 0, 0}},
		{Int(array.Bool, 7), []byte{1}},
		{Float(array.F32, 0.5), []byte{0, 0, 0, 0x3f}},
		{Float(array.F16, 1), []byte{0, 0x3c}},
	} {
		if diff := cmp.Diff(c.want, c.arg.Scalar()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.arg.Type, diff)
		}
	}
}
