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

// TestGatherScatter copies four rows by number into shared memory, the one out of range
// as zeros, and out again to other places; what lies outside the tensor is left out.
func TestGatherScatter(t *testing.T) {
	m, err := Parse("gather.ptx", `.version 8.7
.target sm_100a
.address_size 64
.shared .align 128 .b8 tile[512];
.shared .align 8 .b8 bar[8];
.entry k(.param .align 64 .b8 min[128], .param .align 64 .b8 mout[128]) {
.reg .b64 %l<8>; .reg .b32 %r<16>; .reg .pred %p;
mov.b64 %l0, min; cvta.param.u64 %l0, %l0; mov.b64 %l1, mout; cvta.param.u64 %l1, %l1;
mov.b32 %r0, tile; mov.b32 %r1, bar;
mbarrier.init.shared::cta.b64 [%r1], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 %l2, [%r1], 512;
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r0], [%l0, {8, 5, 2, 9, 0}], [%r1];
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p, [%r1], 0;
@!%p bra wait;
cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%l1, {0, 1, 8, 3, -1}], [%r0];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
ret; }
`)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	in := &Buffer{Data: make([]byte, 8*160)} // 8 rows of 40 f32
	for i := range 8 * 40 {
		le.PutUint32(in.Data[4*i:], uint32(i+1))
	}
	out := &Buffer{Data: make([]byte, 4*128)} // 4 rows of 32
	maps := func(b *Buffer, cols, rows int64) *TensorMap {
		return &TensorMap{Buffer: b, ElemBytes: 4, Dims: []int64{cols, rows}, Strides: []int64{4 * cols}, Box: []int{32, 1}, Swizzle: Swizzle128B}
	}
	launchClean(t, k, Config{Block: [3]int{1}}, maps(in, 40, 8), maps(out, 32, 4))
	for row := range 4 {
		for col := range 32 {
			want := uint32(0)
			switch row {
			case 1:
				want = uint32(5*40+8+col) + 1
			case 3: // from row 9, outside
			}
			if got := le.Uint32(out.Data[row*128+4*col:]); got != want {
				t.Fatalf("row %d, column %d: %d, want %d", row, col, got, want)
			}
		}
	}
	rep, err := k.Launch(t.Context(), Config{Block: [3]int{1}, Checks: CheckAll}, func() *TensorMap { m := maps(in, 40, 8); m.Box[1] = 2; return m }(), maps(out, 32, 4))
	if err != nil || len(rep.Findings) == 0 || !strings.Contains(rep.Findings[0].Msg, "a copy of four rows") {
		t.Errorf("a box of two rows: %v, %v", err, rep.Findings)
	}
}
