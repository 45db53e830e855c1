package ptx

import (
	"encoding/binary"
	"math"
	"testing"

	"tilec/runtime/ptx/fp"
)

// element reads and writes one type of element.
type element struct {
	size int
	get  func([]byte) float64
	put  func([]byte, float64)
}

var (
	le       = binary.LittleEndian
	halfElem = element{2, func(b []byte) float64 { return float64(fp.F16ToF32(le.Uint16(b))) }, func(b []byte, v float64) { le.PutUint16(b, fp.F32ToF16(float32(v))) }}
	f32Elem  = element{4, func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }, func(b []byte, v float64) { le.PutUint32(b, math.Float32bits(float32(v))) }}
	f64Elem  = element{8, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }, func(b []byte, v float64) { le.PutUint64(b, math.Float64bits(v)) }}
	s8Elem   = element{1, func(b []byte) float64 { return float64(int8(b[0])) }, func(b []byte, v float64) { b[0] = byte(int8(v)) }}
	s32Elem  = element{4, func(b []byte) float64 { return float64(int32(le.Uint32(b))) }, func(b []byte, v float64) { le.PutUint32(b, uint32(int32(v))) }}
)

func (e element) make(n int, f func(i int) float64) *Buffer {
	b := &Buffer{Data: make([]byte, n*e.size)}
	for i := range n {
		e.put(b.Data[i*e.size:], f(i))
	}
	return b
}

// TestWMMA runs D = A·B + 2C of testdata/wmma.cu, stored by columns and turned back.
func TestWMMA(t *testing.T) {
	cases := []struct {
		entry      string
		m, n, k    int
		in, sum    element
		colA, colB bool
	}{
		{"half16", 16, 16, 16, halfElem, f32Elem, false, true},
		{"half8", 8, 32, 16, halfElem, f32Elem, true, false},
		{"half32", 32, 8, 16, halfElem, halfElem, false, false},
		{"bytes16", 16, 16, 16, s8Elem, s32Elem, false, true},
		{"double8", 8, 8, 4, f64Elem, f64Elem, false, true},
	}
	for _, c := range cases {
		a := c.in.make(c.m*c.k, func(i int) float64 { return float64(i*7%11) - 5 })
		b := c.in.make(c.k*c.n, func(i int) float64 { return float64(i*5%13) - 6 })
		add := c.sum.make(c.m*c.n, func(i int) float64 { return float64(i % 17) })
		d := c.sum.make(c.m*c.n, func(int) float64 { return 0 })
		launchClean(t, kernel(t, "wmma.ptx", c.entry), Config{Block: [3]int{32}}, a, b, add, d)
		at := func(e element, buf *Buffer, i int) float64 { return e.get(buf.Data[i*e.size:]) }
		for i := range c.m {
			for j := range c.n {
				want := 2 * at(c.sum, add, i*c.n+j)
				for k := range c.k {
					pa, pb := i*c.k+k, k*c.n+j
					if c.colA {
						pa = k*c.m + i
					}
					if c.colB {
						pb = j*c.k + k
					}
					want += at(c.in, a, pa) * at(c.in, b, pb)
				}
				if got := at(c.sum, d, i*c.n+j); got != want {
					t.Fatalf("%s: D[%d,%d] = %g, want %g", c.entry, i, j, got, want)
				}
			}
		}
	}
}

// TestWMMANarrow runs the products of elements below a byte: operands lie packed in
// rows of A and columns of B, whose strides count elements.
func TestWMMANarrow(t *testing.T) {
	for _, c := range []struct {
		typ, op  string
		bits, k  int
		combined func(a, b int32) int32
	}{
		{"s4", "", 4, 32, func(a, b int32) int32 { return a << 28 >> 28 * (b << 28 >> 28) }},
		{"u4", "", 4, 32, func(a, b int32) int32 { return a * b }},
		{"b1", ".xor.popc", 1, 128, func(a, b int32) int32 { return a ^ b }},
		{"b1", ".and.popc", 1, 128, func(a, b int32) int32 { return a & b }},
	} {
		shape := "m8n8k" + itoa(c.k)
		stride := itoa(2 * c.k) // twice as wide as the matrix
		text := `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .b64 pa, .param .b64 pb, .param .b64 pc, .param .b64 pd) {
.reg .b64 %l<4>; .reg .b32 %r<8>;
ld.param.b64 %l0, [pa]; ld.param.b64 %l1, [pb]; ld.param.b64 %l2, [pc]; ld.param.b64 %l3, [pd];
wmma.load.a.sync.aligned.row.` + shape + `.global.` + c.typ + ` {%r0}, [%l0], ` + stride + `;
wmma.load.b.sync.aligned.col.` + shape + `.global.` + c.typ + ` {%r1}, [%l1], ` + stride + `;
wmma.load.c.sync.aligned.row.` + shape + `.global.s32 {%r2, %r3}, [%l2], 8;
wmma.mma` + c.op + `.sync.aligned.row.col.` + shape + `.s32.` + c.typ + `.` + c.typ + `.s32 {%r4, %r5}, {%r0}, {%r1}, {%r2, %r3};
wmma.store.d.sync.aligned.row.` + shape + `.global.s32 [%l3], {%r4, %r5}, 8;
ret; }
`
		m, err := Parse("narrow.ptx", text)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		bytes := 8 * 2 * c.k * c.bits / 8
		a, b := &Buffer{Data: make([]byte, bytes)}, &Buffer{Data: make([]byte, bytes)}
		for i := range bytes {
			a.Data[i], b.Data[i] = byte(i*37+i>>3), byte(i*91+5)
		}
		add := s32Elem.make(64, func(i int) float64 { return float64(i*i) - 900 })
		d := s32Elem.make(64, func(int) float64 { return 0 })
		launchClean(t, k, Config{Block: [3]int{32}}, a, b, add, d)
		elem := func(buf *Buffer, line, k int) int32 {
			at := (line*2*c.k + k) * c.bits
			return int32(buf.Data[at/8]) >> (at % 8) & (1<<c.bits - 1)
		}
		for i := range 8 {
			for j := range 8 {
				want := int32(i*8+j)*int32(i*8+j) - 900
				for k := range c.k {
					want += c.combined(elem(a, i, k), elem(b, j, k))
				}
				if got := int32(le.Uint32(d.Data[4*(i*8+j):])); got != want {
					t.Fatalf("%s%s: D[%d,%d] = %d, want %d", c.typ, c.op, i, j, got, want)
				}
			}
		}
	}
}
