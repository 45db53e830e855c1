package tensor

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"tilec/runtime/ptx/lanes"
)

// e2m1 are the values of 4-bit floats without the sign.
var e2m1 = [8]float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}

// plain decodes a small float by its definition: sign, exponent with its bias, mantissa.
func plain(x uint32, exp, man, bias int) float64 {
	e, m := int(x>>man)&(1<<exp-1), float64(x&(1<<man-1))/float64(uint32(1)<<man)
	v := math.Ldexp(1+m, e-bias)
	if e == 0 {
		v = math.Ldexp(m, 1-bias)
	}
	if x>>(exp+man)&1 != 0 {
		v = -v
	}
	return v
}

func TestBlockScaled(t *testing.T) {
	value := map[string]func(x uint32) float64{
		"e4m3": func(x uint32) float64 { return plain(x, 4, 3, 7) },
		"e5m2": func(x uint32) float64 { return plain(x, 5, 2, 15) },
		"e3m2": func(x uint32) float64 { return plain(x&0x3f, 3, 2, 3) },
		"e2m3": func(x uint32) float64 { return plain(x&0x3f, 2, 3, 1) },
		"e2m1": func(x uint32) float64 { // in the middle of a byte
			return e2m1[x>>2&7] * float64(1-int(x>>5&1)*2)
		},
		"packed": func(x uint32) float64 { return e2m1[x&7] * float64(1-int(x>>3&1)*2) },
	}
	cases := []struct {
		form           string
		shape, a, b    string
		n              int // factors of a row
		e4m3           bool
		byteA, threadA int
		byteB, threadB int
	}{
		{"m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32", "m16n8k32.8", "e4m3", "e2m1", 0, false, 0, 0, 0, 0},
		{"m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32", "m16n8k32.8", "e3m2", "e2m3", 0, false, 0, 0, 0, 0},
		{"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0", "m16n8k32.8", "e4m3", "e5m2", 1, false, 2, 1, 3, 2},
		{"m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m3.f32.ue8m0", "m16n8k32.8", "e2m1", "e2m3", 1, false, 0, 0, 1, 3},
		{"m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", "m16n8k64.4", "packed", "packed", 2, false, 2, 1, 0, 3},
		{"m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", "m16n8k64.4", "packed", "packed", 4, true, 0, 0, 0, 1},
		{"m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0", "m16n8k64.4", "packed", "packed", 4, false, 0, 1, 0, 0},
	}
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range cases {
		m, err := ParseMMA(strings.Split("sync.aligned."+c.form, "."))
		if err != nil {
			t.Fatal(err)
		}
		pairs := make([]lanes.V64, 16)
		all := unsafe.Slice((*lanes.V32)(unsafe.Pointer(&pairs[0])), 32)
		regs := func(from, n int) (list []*lanes.V32) {
			for i := range n {
				list = append(list, &all[from+i])
			}
			return list
		}
		a, b, cc, d := regs(0, 4), regs(4, 2), regs(6, 4), regs(10, 4)
		fa, fb := &all[14], &all[15]
		for i := range 6 {
			for l := range all[i] {
				all[i][l] = r.Uint32()
				if c.shape == "m16n8k32.8" { // no infinities, NaN or far exponents
					all[i][l] &= 0xb7b7b7b7
				}
			}
		}
		for i := 6; i < 10; i++ {
			for l := range all[i] {
				all[i][l] = math.Float32bits(float32(r.IntN(100)))
			}
		}
		for l := range fa {
			fa[l], fb[l] = r.Uint32(), r.Uint32()
			if c.e4m3 {
				fa[l], fb[l] = fa[l]&0x77777777, fb[l]&0x77777777
			} else {
				fa[l], fb[l] = fa[l]&0x07070707|0x7b7b7b7b&^0x07070707, fb[l]&0x03030303|0x7c7c7c7c
			}
		}
		factor := func(x uint32) float64 {
			if c.e4m3 {
				return plain(x&0x7f, 4, 3, 7)
			}
			return math.Pow(2, float64(x)-127)
		}
		n := elems(c.shape)
		var ma [16][64]float64
		var mb [64][8]float64
		bits := 32 / n
		for reg := range 4 {
			for l := range 32 {
				for e := range n {
					x := a[reg][l] >> (e * bits) & (1<<bits - 1)
					i, k := rowA(c.shape, l, place{reg, e})
					ma[i][k] = value[c.a](x)
					if c.n > 0 {
						// The ISA: the pair of threads holds rows g and g+8.
						src := fa[i%8*4+2*c.threadA+i/8]
						ma[i][k] *= factor(src >> (8 * (c.byteA + k*c.n/m.K)) & 0xff)
					}
					if reg < 2 {
						k, j := colB(c.shape, l, place{reg, e})
						mb[k][j] = value[c.b](b[reg][l] >> (e * bits) & (1<<bits - 1))
						if c.n > 0 {
							mb[k][j] *= factor(fb[j*4+c.threadB] >> (8 * (c.byteB + k*c.n/m.K)) & 0xff)
						}
					}
				}
			}
		}
		if c.n == 0 {
			m.Run(d, a, b, cc)
		} else {
			m.RunScaled(d, a, b, cc, fa, fb, Selector{c.byteA, c.threadA}, Selector{c.byteB, c.threadB})
		}
		for l := range 32 {
			for reg := range 4 {
				row, col := l/4+8*(reg/2), l%4*2+reg%2
				want := float64(math.Float32frombits(cc[reg][l]))
				for k := range m.K {
					want += ma[row][k] * mb[k][col]
				}
				if got := math.Float32frombits(d[reg][l]); got != float32(want) {
					t.Fatalf("%s: D[%d,%d] = %g, want %g", c.form, row, col, got, want)
				}
			}
		}
	}
	for _, form := range []string{
		"m16n8k32.row.col.kind::mxf8f6f4.f32.e4m3.e4m3.f32", "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
		"m16n8k32.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", "m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", "m16n8k32.row.col.f32.e2m1.e2m1.f32",
	} {
		if _, err := ParseMMA(strings.Split("sync.aligned."+form, ".")); err == nil || !strings.Contains(err.Error(), form) {
			t.Errorf("%s: %v", form, err)
		}
	}
}
