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
