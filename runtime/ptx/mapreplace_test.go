package ptx

import (
	"encoding/binary"
	"strings"
	"testing"
)

// makeMap makes a map of a tensor of 64 columns by 8 rows of 4 bytes in shared memory,
// copies it to p+4096, and copies a box of 32 by 4 from (16,2) to p+8192.
const makeMap = `
.shared .align 1024 .b8 tile[1024];
.shared .align 128 .b8 map[128];
.shared .align 8 .b64 bar;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, map;
add.u32 %r4, %r3, %r2;
st.shared.u32 [%r4], 0;
bar.warp.sync 0xffffffff;
setp.eq.u32 %p1, %r1, 0;
@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %rd1;
@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 1;
@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, 32;
@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 1, 4;
@%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 0, 64;
@%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 1, 8;
@%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [map], 0, 256;
@%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [map], 0, 1;
@%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [map], 1, 1;
@%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 7;
@%p1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [map], 0;
@%p1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [map], 3;
@%p1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [map], 0;
bar.warp.sync 0xffffffff;
add.u64 %rd2, %rd1, 4096;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [map], 128;
fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;
@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd2, {16, 2}], [bar];
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
@!%p2 bra wait;
shl.b32 %r5, %r1, 4;
mov.u32 %r6, tile;
add.u32 %r6, %r6, %r5;
ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r6];
cvt.u64.u32 %rd3, %r5;
add.u64 %rd3, %rd1, %rd3;
st.global.v4.u32 [%rd3+8192], {%r10, %r11, %r12, %r13};
`

func TestTensorMapReplace(t *testing.T) {
	buf := &Buffer{Data: make([]byte, 16384)}
	for i := range 512 {
		binary.LittleEndian.PutUint32(buf.Data[4*i:], uint32(i))
	}
	if rep := run(t, makeMap, Config{}, buf); len(rep.Findings) > 0 {
		t.Fatal(rep.Findings[0])
	}
	for row := range 4 {
		for col := range 32 {
			// Swizzled by 128 bytes: pieces of 4 columns, by the row modulo 8.
			at := row*32 + (col/4^row%8)*4 + col%4
			if got, want := buf.word(2048+at), uint32((row+2)*64+col+16); got != want {
				t.Fatalf("row %d, column %d: %d, want %d", row, col, got, want)
			}
		}
	}
}

func TestTensorMapFaults(t *testing.T) {
	cases := []struct{ name, old, with, kind, msg string }{
		{"no acquire", "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;", "", "missing proxy fence", "the tensor map was changed"},
		{"rank", "[map], 1;\n", "[map], 2;\n", "bad tensor map", "a copy of 2 dimensions by a tensor map of 3"},
		{"swizzle of wide rows", "[map], 0, 32;", "[map], 0, 64;", "bad tensor map", "more than the swizzle's 128"},
		{"stride", "[map], 0, 256;", "[map], 0, 250;", "bad tensor map", "multiple of 16"},
		{"elements", "[map], 7;", "[map], 14;", "bad tensor map", "not supported yet"},
		{"wrong place", "[%rd2, {16, 2}]", "[%rd1, {16, 2}]", "bad tensor map", "there is no tensor map at this address"},
		{"not zeroed", "st.shared.u32 [%r4], 0;", "", "read of unwritten memory", ""},
	}
	for _, c := range cases {
		if strings.Count(makeMap, c.old) != 1 {
			t.Fatalf("%s: %q is there %d times", c.name, c.old, strings.Count(makeMap, c.old))
		}
		rep := run(t, strings.Replace(makeMap, c.old, c.with, 1), Config{}, &Buffer{Data: make([]byte, 16384)})
		if len(rep.Findings) == 0 || rep.Findings[0].Kind.String() != c.kind || !strings.Contains(rep.Findings[0].Msg, c.msg) {
			t.Errorf("%s: found %v, want %s: %s", c.name, rep.Findings, c.kind, c.msg)
		}
	}
}

// TestIm2col checks the walk through an image against the loops of a convolution: a
// tensor of 4 channels by 9 by 14 by 3 images, whose element is its own number.
func TestIm2col(t *testing.T) {
	const c, w, h, n = 4, 9, 14, 3
	for _, k := range []struct {
		lower, upper, offsets [2]int
		steps                 []int
	}{
		{[2]int{-1, -1}, [2]int{-1, -1}, [2]int{2, 1}, nil},
		{[2]int{0, 0}, [2]int{-2, -2}, [2]int{1, 2}, nil},
		{[2]int{-1, -2}, [2]int{-1, 0}, [2]int{0, 1}, []int{1, 2, 3, 1}},
	} {
		m := &TensorMap{
			Buffer: &Buffer{}, ElemBytes: 4, Dims: []int64{c, w, h, n}, Strides: []int64{16, 16 * w, 16 * w * h}, ElemStrides: k.steps,
			Im2col: &Im2col{Lower: k.lower[:], Upper: k.upper[:], Channels: 4, Pixels: 200},
		}
		if err := m.check(); err != nil {
			t.Fatal(err)
		}
		tm, ok := decodeMap(m.encode(0))
		if !ok || tm.bytes() != 200*16 {
			t.Fatalf("map %+v", tm)
		}
		tm.offsets = [3]int64{int64(k.offsets[0]), int64(k.offsets[1])}
		steps := [2]int{1, 1}
		if k.steps != nil {
			steps = [2]int{k.steps[1], k.steps[2]}
		}
		// All filter positions in order; the copy starts at the 5th.
		var want []int
		var starts [][3]int
		for img := range n + 2 {
			for y := k.lower[1]; y <= h-1+k.upper[1]; y += steps[1] {
				for x := k.lower[0]; x <= w-1+k.upper[0]; x += steps[0] {
					starts = append(starts, [3]int{x, y, img})
					px, py := x+k.offsets[0], y+k.offsets[1]
					at := -1
					if px >= 0 && px < w && py >= 0 && py < h && img < n {
						at = 16 * ((img*h+py)*w + px)
					}
					want = append(want, at)
				}
			}
		}
		first := starts[5]
		p := 0
		tm.rows([5]int64{0, int64(first[0]), int64(first[1]), int64(first[2])}, func(off int, addr uint64, lo, hi int) {
			got := -1
			if lo < hi {
				got = int(addr)
			}
			if off != 16*p || 5+p < len(want) && got != want[5+p] {
				t.Fatalf("%+v: pixel %d at %d: %d, want %d", k, p, off, got, want[5+p])
			}
			p++
		})
		if p != 200 {
			t.Fatalf("%d pixels", p)
		}
	}
}
