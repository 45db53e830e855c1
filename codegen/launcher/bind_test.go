package launcher

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/runtime/array"
	"tilec/runtime/launch"
	"tilec/runtime/launch/operand"
)

func matmulArgs(m, n, k int) Args {
	return Args{Tensors: Arrays(map[string]*array.Array{
		"A": array.New(array.F16, m, k), "B": array.New(array.F16, k, n), "C": array.New(array.F16, m, n),
	})}
}

// fault: A25
func TestBindMatmul(t *testing.T) {
	f := matmul.unit(t).Entries[1].Func
	good := matmulArgs(100, 70, 33)
	with := func(name string, v operand.View) Args {
		tensors := maps.Clone(good.Tensors)
		tensors[name] = v
		return Args{Tensors: tensors}
	}
	of := func(dt array.DType, shape ...int) operand.View { return operand.Whole(array.New(dt, shape...)) }
	for _, c := range []struct {
		name string
		args Args
		want string
	}{
		{"good", good, ""},
		{"empty", matmulArgs(0, 0, 0), ""},
		{"type", with("B", of(array.BF16, 33, 70)), "matmul: B: an array of bf16, one of f16 is needed"},
		{"rank", with("A", of(array.F16, 100)), "matmul: A: an array with 1 dimension [100], one with 2 dimensions is needed"},
		{"extent", with("B", of(array.F16, 32, 70)), "matmul: B: shape [32 70]: dimension 0 is 32, but K = 33"},
		{"out", with("C", of(array.F16, 100, 71)), "matmul: C: shape [100 71]: dimension 1 is 71, but N = 70"},
		{"nil", with("A", operand.View{}), "matmul: A: no array, one of f16 with 2 dimensions is needed"},
		{"stranger", with("D", of(array.F16, 1)), "there is no tensor D"},
		{"strides", with("A", operand.View{Array: good.Tensors["A"].Array, Shape: []int{100, 33}, Strides: []int{33, 1}}), "not strided"},
		{"short", with("A", operand.View{Array: array.New(array.F16, 3), Shape: []int{100, 33}}), "the array has 6"},
		{"half an element", with("A", operand.View{Array: array.New(array.F16, 4000), Shape: []int{100, 33}, Offset: 3}), "not a whole number of elements"},
		{"in place", with("C", operand.View{Array: good.Tensors["A"].Array, Shape: []int{10, 70}}), "dimension 0 is 10, but M = 100"},
	} {
		_, err := Bind(f, c.args)
		wantError(t, c.name, err, c.want)
	}
	square := matmulArgs(16, 16, 16)
	square.Tensors["C"] = square.Tensors["B"]
	_, err := Bind(f, square)
	wantError(t, "shared", err, "B and C share memory")
}

func TestBindByName(t *testing.T) {
	f := matmul.unit(t).Entries[1].Func
	b, err := Bind(f, Args{Ints: map[string]int64{"M": 3, "N": 4, "K": 5}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{5, 4}, b.Shape("B")); diff != "" {
		t.Errorf("shape of B (-want +got):\n%s", diff)
	}
	if _, err := b.Choose(matmul.unit(t).Entries, 1); err == nil {
		t.Error("a launch without arrays is accepted")
	}
	_, err = Bind(f, Args{Ints: map[string]int64{"M": 3, "K": 5}})
	wantError(t, "missing", err, "no value for dimension N")
	_, err = Bind(f, Args{Ints: map[string]int64{"M": 3, "K": -5, "N": 1}})
	wantError(t, "negative", err, "dimension K is negative: -5")
	_, err = Bind(f, Args{Ints: map[string]int64{"M": 3, "K": 5, "N": 1, "Q": 1}})
	wantError(t, "stranger", err, "there is no dimension or integer parameter Q")
	args := matmulArgs(3, 4, 5)
	args.Ints = map[string]int64{"K": 6}
	_, err = Bind(f, args)
	wantError(t, "conflict", err, "A: shape [3 5]: dimension 1 is 5, but K = 6")
	delete(args.Tensors, "A")
	args.Ints = nil
	b, err = Bind(f, args)
	if err != nil {
		t.Fatal("dimensions of B and C only:", err)
	}
	if diff := cmp.Diff(map[string]int64{"M": 3, "N": 4, "K": 5}, b.Dims()); diff != "" {
		t.Errorf("dimensions (-want +got):\n%s", diff)
	}
}

func oddArgs(m, n int) Args {
	return Args{
		Tensors: Arrays(map[string]*array.Array{
			"X": array.New(array.F32, m, 2*n+1), "Y": array.New(array.I8, 3, n), "Z": array.New(array.I4, n, m/2+min(m, 5)), "W": array.New(array.BF16, m),
		}),
		Ints:   map[string]int64{"big": 5, "on": 0},
		Floats: map[string]float64{"eps": 1e-5},
	}
}

func TestRequirements(t *testing.T) {
	f := odd.unit(t).Entries[1].Func
	for _, c := range []struct {
		m, n int
		big  int64
		on   int64
		eps  float64
		want string
	}{
		{8, 4, 5, 0, 1e-5, ""},
		{7, 4, 5, 0, 1e-5, `odd: requirement not met: M is not "odd"`},
		{4, 1001, 5, 0, 1e-5, `M is not "odd"`},
		{4, 1000, 5, 0, 1e-5, ""},
		{8, 4, 5, 0, -1, "eps is positive"},
		{8, 4, 5, 1, -1, ""},
		{8, 4, 7, 1, -1, "big is fine"},
		{8, 4, 23, 1, -1, "big is fine"},
		{8, 4, 1 << 40, 1, 1, "big: 1099511627776 is not a value of i32"},
		{8, 4, 5, 2, 1, "on: 2 is not a value of bool"},
	} {
		args := oddArgs(c.m, c.n)
		args.Ints["big"], args.Ints["on"], args.Floats["eps"] = c.big, c.on, c.eps
		_, err := Bind(f, args)
		wantError(t, "odd", err, c.want)
	}
	args := oddArgs(8, 4)
	delete(args.Floats, "eps")
	_, err := Bind(f, args)
	wantError(t, "no scalar", err, "no value for parameter eps of type f32")
}

func TestChoose(t *testing.T) {
	entries := matmul.unit(t).Entries
	for _, c := range []struct {
		m, n, k int
		want    string
		grid    int64
	}{
		{100, 72, 32, "matmul", 2},
		{100, 70, 32, "matmul_any", 2},
		{0, 64, 64, "matmul", 0},
		{129, 129, 0, "matmul_any", 6},
		{129, 128, 0, "matmul", 4},
	} {
		b, err := Bind(entries[1].Func, matmulArgs(c.m, c.n, c.k))
		if err != nil {
			t.Fatal(err)
		}
		l, err := b.Choose(entries, 8)
		if err != nil {
			t.Fatal(err)
		}
		if l.Entry.Name != c.want || l.Grid != c.grid {
			t.Errorf("%d×%d×%d: %s on %d blocks, want %s on %d", c.m, c.n, c.k, l.Entry.Name, l.Grid, c.want, c.grid)
		}
		k := Kernel(l.Entry, "sm_80", nil, nil)
		if _, err := launch.Check(k, [3]int64{l.Grid, 1, 1}, [3]int{l.Entry.Threads, 1, 1}, int(l.Entry.Shared), l.Args); err != nil {
			t.Error(err)
		}
	}
}

// Extents above 2^30 need the entry with 64-bit indices.
//
// fault: A63
func TestChooseBySize(t *testing.T) {
	entries := matmul.unit(t).Entries
	for m, want := range map[int64]string{1 << 30: "matmul", 1<<30 + 8: "matmul_any", 1 << 33: "matmul_any"} {
		b, err := Bind(entries[1].Func, matmulArgs(8, 8, 8))
		if err != nil {
			t.Fatal(err)
		}
		b.dims[0] = m // no array of this size is needed to choose
		l, err := b.Choose(entries, 8)
		if err != nil {
			t.Fatal(err)
		}
		if l.Entry.Name != want {
			t.Errorf("%d rows: %s, want %s", m, l.Entry.Name, want)
		}
	}
}

// fault: A82
func TestChooseByAddress(t *testing.T) {
	entries := matmul.unit(t).Entries
	args := matmulArgs(8, 8, 8)
	for offset, want := range map[int]string{16: "matmul", 2: "matmul_any"} {
		args.Tensors["B"] = operand.View{Array: array.New(array.F16, 100), Shape: []int{8, 8}, Offset: offset}
		b, err := Bind(entries[1].Func, args)
		if err != nil {
			t.Fatal(err)
		}
		l, err := b.Choose(entries, 8)
		if err != nil {
			t.Fatal(err)
		}
		if l.Entry.Name != want || l.Args[1].Offset != offset {
			t.Errorf("offset %d: %s at %d, want %s", offset, l.Entry.Name, l.Args[1].Offset, want)
		}
	}
}

func TestPersistentStrided(t *testing.T) {
	entries := odd.unit(t).Entries
	args := oddArgs(8, 4)
	args.Tensors["X"] = operand.View{Array: array.New(array.F32, 9*8), Offset: 4 * 7, Shape: []int{8, 9}, Strides: []int{-1, 8}}
	b, err := Bind(entries[1].Func, args)
	if err != nil {
		t.Fatal(err)
	}
	l, err := b.Choose(entries, 13)
	if err != nil {
		t.Fatal(err)
	}
	if l.Entry.Name != "odd" || l.Grid != 13 {
		t.Errorf("%s on %d blocks", l.Entry.Name, l.Grid)
	}
	var got []launch.Arg
	for _, a := range l.Args {
		if a.Array == nil {
			got = append(got, a)
		}
	}
	want := []launch.Arg{
		launch.Float(array.F32, 1e-5), launch.Int(array.I32, 5), launch.Int(array.Bool, 0),
		launch.Int(array.I32, 8), launch.Int(array.I32, 4), launch.Int(array.I64, -1), launch.Int(array.I64, 8),
	}
	if !slices.Equal(want, got) {
		t.Errorf("scalars %v, want %v", got, want)
	}
	args.Tensors["X"] = operand.View{Array: array.New(array.F32, 9*8), Shape: []int{8, 9}, Strides: []int{-1, 8}}
	_, err = Bind(entries[1].Func, args)
	wantError(t, "outside", err, "X: shape [8 9] with strides [-1 8] from byte 0 on takes bytes -28 to 260, the array has 288")
}
