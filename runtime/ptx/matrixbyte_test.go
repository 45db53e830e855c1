package ptx

import "testing"

// TestMatrixBytes has a matrix of bytes loaded transposed, whose bytes are their own
// places, and fragments of sums stored: those of an m16n8 product of which lane l holds
// rows l/4 and l/4+8 of columns 2·(l%4) and the next.
func TestMatrixBytes(t *testing.T) {
	m, err := Parse("bytes.ptx", `.version 8.7
.target sm_100a
.address_size 64
.shared .align 16 .b8 sh[512];
.entry k(.param .b64 pin, .param .b64 pout, .param .b64 pst) {
.reg .b64 %l<8>; .reg .b32 %r<16>; .reg .pred %p;
ld.param.b64 %l0, [pin]; ld.param.b64 %l1, [pout]; ld.param.b64 %l2, [pst];
mov.u32 %r0, %tid.x; mul.wide.u32 %l3, %r0, 16; add.u64 %l0, %l0, %l3;
ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%l0];
shl.b32 %r5, %r0, 4; mov.b32 %r6, sh; add.u32 %r5, %r5, %r6;
st.shared.v4.b32 [%r5], {%r1, %r2, %r3, %r4};
bar.sync 0;
ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r7, %r8, %r9, %r10}, [%r5];
add.u64 %l1, %l1, %l3;
st.global.v4.b32 [%l1], {%r7, %r8, %r9, %r10};
bar.sync 0;
stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%r5], {%r1, %r2, %r3, %r4};
bar.sync 0;
ld.shared.v4.b32 {%r7, %r8, %r9, %r10}, [%r5];
add.u64 %l2, %l2, %l3;
st.global.v4.b32 [%l2], {%r7, %r8, %r9, %r10};
ret; }
`)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	in, out, st := &Buffer{Data: make([]byte, 512)}, &Buffer{Data: make([]byte, 512)}, &Buffer{Data: make([]byte, 512)}
	for i := range in.Data {
		in.Data[i] = byte(i*7 + i>>8*3)
	}
	launchClean(t, k, Config{Block: [3]int{32}}, in, out, st)
	for l := range 32 {
		for reg := range 4 {
			for b := range 4 {
				row, col := reg/2*16+l%4*4+reg%2*2+b%2, l/4+b/2*8
				if got, want := out.Data[l*16+reg*4+b], in.Data[row*16+col]; got != want {
					t.Fatalf("lane %d, register %d, byte %d: %d, want %d", l, reg, b, got, want)
				}
				n, mm := l%4*2+b%2, l/4+b/2*8
				if got, want := st.Data[(reg*8+n)*16+mm], in.Data[l*16+reg*4+b]; got != want {
					t.Fatalf("stored matrix %d, row %d, column %d: %d, want %d", reg, mm, n, got, want)
				}
			}
		}
	}
}
