package driver

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/ir"
	"tilec/runtime/array"
)

func tensorOf(t ir.DType, n int64) *ir.Buffer {
	return &ir.Buffer{Name: "Y", Elem: t, Shape: []*ir.Expr{ir.Int(n)}, Kind: ir.Out}
}

func TestCompareFloats(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		elem      ir.DType
		want, got float64
		rms       float64
		rtol      float64
		ok        bool
	}{
		{"equal", array.F32, 1.5, 1.5, 0, 0, true},
		{"within", array.F32, 100, 100.5, 0, 1e-2, true},
		{"beyond", array.F32, 100, 102, 0, 1e-2, false},
		{"cancelled", array.F32, 0, 0.5, 100, 1e-2, true},
		{"cancelled, beyond", array.F32, 0, 2, 100, 1e-2, false},
		{"all zero", array.F32, 0, 1e-9, 0, 1e-3, true},
		{"all zero, beyond", array.F32, 0, 1, 0, 1e-3, false},
		{"both nan", array.F32, nan, nan, 1, 0, true},
		{"nan wanted", array.F32, nan, 1, 1, 1, false},
		{"nan got", array.F32, 1, nan, 1, 1, false},
		{"both inf", array.F32, inf, inf, 1, 0, true},
		{"other inf", array.F32, inf, -inf, 1, 1, false},
		{"inf wanted", array.F32, inf, 1e30, 1, 1, false},
		{"inf got", array.F32, 1, inf, 1, 1, false},
		{"overflows f16", array.F16, 1e6, inf, 1, 1e-3, true},
		{"rounds to infinity", array.F16, 65500, inf, 1, 1e-3, true},
		{"rounds to the greatest", array.F16, 65530, 65504, 1, 1e-3, true},
		{"too small for infinity", array.F16, 60000, inf, 1, 1e-3, false},
		{"saturates", array.F8E4M3, 1e6, 448, 1, 1e-3, true},
		{"saturates, negative", array.F8E4M3, -1e6, -448, 1, 1e-3, true},
		{"saturates, other sign", array.F8E4M3, 1e6, -448, 1, 1e-3, false},
		{"infinite, saturates", array.F8E4M3, inf, 448, 1, 1e-3, true},
	} {
		want := array.FromFloats64(array.F64, []float64{c.want}, 1)
		r := &reference{tensor: tensorOf(c.elem, 1), want: want, rtol: c.rtol, rms: c.rms}
		got := array.FromFloats64(c.elem, []float64{c.got}, 1)
		if res := r.compare(got, nil); res.OK() != c.ok {
			t.Errorf("%s: %s %v against %v: %+v", c.name, c.elem, c.got, c.want, res)
		}
	}
}

func TestCompareIntegers(t *testing.T) {
	want := array.FromInts(array.I64, []int64{1, 2, 3, 4}, 2, 2)
	got := array.FromInts(array.I32, []int64{1, 2, 5, 9}, 2, 2)
	r := newReference(tensorOf(array.I32, 4), want, func(i int) bool { return i != 3 }, 0)
	res := r.compare(got, nil)
	wantFirst := []Mismatch{{Tensor: "Y", Index: []int{1, 0}, Got: 5, Want: 3, GotText: "5", WantText: "3"}}
	if diff := cmp.Diff(wantFirst, res.First); diff != "" || res.Compared != 3 || res.Bad != 1 {
		t.Errorf("%+v (-want +got):\n%s", res, diff)
	}
	r.rtol = 2 // an absolute difference
	if res := r.compare(got, nil); !res.OK() || res.Error != 2 {
		t.Errorf("with a tolerance: %+v", res)
	}
	res = r.compare(got, func(i int) bool { return i != 0 })
	if res.OK() || !res.First[0].Unwritten || res.First[0].String() != "Y[0, 0] was not written, want 1" {
		t.Errorf("unwritten: %+v", res)
	}
}

func TestMerge(t *testing.T) {
	var c Comparison
	c.merge(Comparison{Error: 1e-9, Tolerance: 1e-6, Compared: 3})
	c.merge(Comparison{Error: 1e-4, Tolerance: 1e-2, Compared: 2}) // nearer to its tolerance
	c.merge(Comparison{Error: 1e-3, Tolerance: 1, Compared: 1})
	if c.Error != 1e-4 || c.Tolerance != 1e-2 || c.Compared != 6 || !c.OK() {
		t.Errorf("%+v", c)
	}
}

func TestIndexOf(t *testing.T) {
	if diff := cmp.Diff([]int{1, 0, 2}, indexOf(14, []int{2, 3, 4})); diff != "" {
		t.Error(diff)
	}
	if got := indexOf(0, nil); len(got) != 0 {
		t.Error(got)
	}
}
