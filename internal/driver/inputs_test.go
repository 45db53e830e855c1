package driver

import (
	"math"
	"path/filepath"
	"testing"

	"tilec/ir"
	"tilec/lang/types"
	"tilec/runtime/array"
)

func TestFill(t *testing.T) {
	x := &ir.Buffer{Name: "X", Elem: array.F32}
	input := func(kind types.InputKind, a, b float64) *array.Array {
		t.Helper()
		out, err := fill(x, []int{1000}, types.Input{Kind: kind, A: a, B: b}, 1, "")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	mean := func(a *array.Array) (m float64) {
		for _, v := range a.Floats64() {
			m += v / float64(a.Len())
		}
		return m
	}
	normal := input(types.Normal, 10, 2)
	if m := mean(normal); math.Abs(m-10) > 0.3 {
		t.Errorf("normal(10, 2) has mean %v", m)
	}
	for _, v := range input(types.Uniform, -1, 3).Floats64() {
		if v < -1 || v > 3 {
			t.Errorf("uniform(-1, 3) gives %v", v)
		}
	}
	seen := map[float64]bool{}
	for _, v := range input(types.RandInt, -2, 2).Floats64() {
		seen[v] = true
	}
	if len(seen) != 4 || !seen[-2] || seen[2] {
		t.Errorf("randint(-2, 2) gives %v", seen)
	}
	if a := input(types.Arange, 3, 0.5); a.At(0) != 3 || a.At(4) != 5 {
		t.Errorf("arange(3, 0.5) gives %v, %v", a.At(0), a.At(4))
	}
	if a := input(types.ConstantInput, -7, 0); a.At(0) != -7 || a.At(999) != -7 {
		t.Error("constant(-7)")
	}
}

// TestSeed wants inputs that depend on the seed and the name, and on nothing else.
func TestSeed(t *testing.T) {
	in := types.Input{Kind: types.Normal, B: 1}
	make := func(name string, seed uint64) *array.Array {
		a, err := fill(&ir.Buffer{Name: name, Elem: array.F16}, []int{4, 4}, in, seed, "")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if !make("A", 1).Equal(make("A", 1)) {
		t.Error("the same name and seed give different inputs")
	}
	if make("A", 1).Equal(make("B", 1)) || make("A", 1).Equal(make("A", 2)) {
		t.Error("name or seed do not matter")
	}
}

func TestDefaultInputs(t *testing.T) {
	for _, elem := range array.DTypes() {
		b := &ir.Buffer{Name: "X", Elem: elem}
		a, err := fill(b, []int{64}, defaultInput(elem), 1, "")
		if err != nil {
			t.Errorf("%s: %v", elem, err)
			continue
		}
		if a.Equal(array.New(elem, 64)) {
			t.Errorf("%s: all zero", elem)
		}
	}
}

func TestLoadInput(t *testing.T) {
	dir := t.TempDir()
	if err := array.SaveNpy(filepath.Join(dir, "x.npy"), array.FromFloats64(array.F64, []float64{1, 2.25}, 2)); err != nil {
		t.Fatal(err)
	}
	in := types.Input{Kind: types.FileInput, Path: "x.npy"}
	a, err := fill(&ir.Buffer{Name: "X", Elem: array.BF16}, []int{2}, in, 1, dir)
	if err != nil || a.DType != array.BF16 || a.At(1) != 2.25 {
		t.Errorf("%v, %v", a, err)
	}
	for _, b := range []*ir.Buffer{{Name: "X", Elem: array.I32}} {
		if _, err := fill(b, []int{2}, in, 1, dir); err == nil {
			t.Errorf("%s takes floats", b.Elem)
		}
	}
	if _, err := fill(&ir.Buffer{Name: "X", Elem: array.F32}, []int{3}, in, 1, dir); err == nil {
		t.Error("another shape is taken")
	}
	if _, err := fill(&ir.Buffer{Name: "X", Elem: array.F32}, []int{2}, in, 1, t.TempDir()); err == nil {
		t.Error("a missing file is taken")
	}
}

func TestConvertInput(t *testing.T) {
	ints := array.FromInts(array.I64, []int64{-1, 127, 3}, 3)
	if a, err := convertInput(ints, array.I8); err != nil || a.Int(0) != -1 {
		t.Error(a, err)
	}
	for _, to := range []ir.DType{array.U8, array.I4, array.U64} {
		if _, err := convertInput(ints, to); err == nil {
			t.Errorf("%s takes values that it lacks", to)
		}
	}
	if a, err := convertInput(ints, array.F16); err != nil || a.At(1) != 127 {
		t.Error(a, err)
	}
}
