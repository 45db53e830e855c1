package ptx

import (
	"strings"
	"testing"
)

// TestTensorMapRows walks boxes of a tensor of 3 dimensions whose element (x,y,z) is
// at byte 4x + 64y + 320z.
func TestTensorMapRows(t *testing.T) {
	m := &TensorMap{
		Buffer: &Buffer{}, ElemBytes: 4, Dims: []int64{10, 5, 3}, Strides: []int64{64, 320}, Box: []int{8, 4, 2}, ElemStrides: []int{5, 2, 1},
	}
	if err := m.check(); err != nil {
		t.Fatal(err)
	}
	tm, ok := decodeMap(m.encode(0x1000))
	if !ok || tm.bytes() != 4*8*2*2 {
		t.Fatalf("map %+v", tm)
	}
	for _, at := range [][5]int64{{0, 0, 0}, {-3, 0, 0}, {5, 3, 2}, {20, 0, 0}, {-9, -1, -1}} {
		var got [8 * 2 * 2]uint64 // addresses, by place in the box; 0 outside
		tm.rows(at, func(off int, addr uint64, lo, hi int) {
			for i := lo; i < hi; i++ {
				got[off/4+i] = addr + uint64(4*i)
			}
		})
		for i := range got {
			x, y, z := at[0]+int64(i%8), at[1]+int64(i/8%2*2), at[2]+int64(i/16)
			want := uint64(0)
			if x >= 0 && x < 10 && y >= 0 && y < 5 && z >= 0 && z < 3 {
				want = uint64(0x1000 + 4*x + 64*y + 320*z)
			}
			if got[i] != want {
				t.Fatalf("box at %v, element %d: %#x, want %#x", at, i, got[i], want)
			}
		}
	}
}

func TestTensorMapRules(t *testing.T) {
	good := func() *TensorMap {
		return &TensorMap{Buffer: &Buffer{}, ElemBytes: 2, Dims: []int64{64, 64}, Strides: []int64{128}, Box: []int{64, 8}, Swizzle: Swizzle128B}
	}
	cases := []struct {
		change func(m *TensorMap)
		want   string
	}{
		{func(m *TensorMap) { m.Strides[0] = 100 }, "multiple of 16"},
		{func(m *TensorMap) { m.Box[0] = 128 }, "more than the swizzle's 128"},
		{func(m *TensorMap) { m.Box[0] = 32 }, "not supported yet"},
		{func(m *TensorMap) { m.Box[1] = 300 }, "wants 1 to 256"},
		{func(m *TensorMap) { m.Dims = nil }, "0 dimensions"},
		{func(m *TensorMap) { m.Fill = FillNaN }, "wants f16"},
		{func(m *TensorMap) { m.Offset = 8 }, "multiple of 16"},
		{func(m *TensorMap) { m.ElemStrides = []int{1, 9} }, "wants 1 to 8"},
	}
	if err := good().check(); err != nil {
		t.Error(err)
	}
	for _, c := range cases {
		m := good()
		c.change(m)
		if err := m.check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", m, err, c.want)
		}
	}
}
