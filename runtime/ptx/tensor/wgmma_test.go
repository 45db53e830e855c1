package tensor

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// TestWGMMATypes multiplies by every type, operands in shared memory without
// swizzle: rows of 16-byte pieces, each matrix of 8 rows and 16 bytes contiguous.
func TestWGMMATypes(t *testing.T) {
	cases := []struct {
		form string
		// value gives the number that random bits stand for.
		valueA, valueB func(x uint32) float64
	}{
		{"m64n16k16.f32.f16.f16", half, half},
		{"m64n24k16.f32.bf16.bf16", brain, brain},
		{"m64n8k8.f32.tf32.tf32", tf32, tf32},
		{"m64n16k32.f32.e4m3.e5m2", fp.E4M3().ToFloat64, fp.E5M2().ToFloat64},
		{"m64n16k32.s32.s8.u8", func(x uint32) float64 { return float64(int8(x)) }, func(x uint32) float64 { return float64(x) }},
	}
	r := rand.New(rand.NewPCG(7, 7))
	for _, c := range cases {
		f, err := ParseWGMMA(append([]string{"mma_async", "sync", "aligned"}, strings.Split(c.form, ".")...))
		if err != nil {
			t.Fatal(err)
		}
		size := f.A.Bits() / 8
		// Random operands of moderate size: bits with the exponent's top bits fixed.
		matrix := func(rows int, value func(uint32) float64, typ Type) ([]byte, []float64) {
			mem, vals := make([]byte, rows*32), make([]float64, rows*f.K)
			for i := range rows {
				for k := range f.K {
					x := moderate(r, typ)
					vals[i*f.K+k] = value(x)
					at := i*16 + k*size/16*rows*16 + k*size%16
					for b := range size {
						mem[at+b] = byte(x >> (8 * b))
					}
				}
			}
			return mem, vals
		}
		memA, a := matrix(64, c.valueA, f.A)
		memB, b := matrix(f.N, c.valueB, f.B)
		load := func(mem []byte, rows int) func(i, j int) []byte {
			d := ParseDescriptor(uint64(rows*16>>4)<<16 | 128>>4<<32)
			return func(i, j int) []byte { at := d.Chunk(i, j, false); return mem[at : at+16] }
		}
		ma, mb := make([]float64, 4*f.SizeA()), make([]float64, f.SizeB())
		f.Operand(ma, f.A, 64, false, 1, load(memA, 64), f.PlaceA)
		f.Operand(mb, f.B, f.N, false, 1, load(memB, f.N), f.PlaceB)
		nd, _ := f.Regs()
		for w := range 4 {
			d := make([]*lanes.V32, nd)
			for i := range d {
				d[i] = &lanes.V32{}
			}
			f.Multiply(d, ma[w*f.SizeA():(w+1)*f.SizeA()], mb, false)
			for i := range nd {
				for l := range lanes.Width {
					row, col := 16*w+l/4+8*(i>>1&1), 8*(i>>2)+l%4*2+i&1
					want := 0.0
					for k := range f.K {
						want += a[row*f.K+k] * b[col*f.K+k]
					}
					got := float64(math.Float32frombits(d[i][l]))
					if f.D == S32 {
						got = float64(int32(d[i][l]))
					}
					if got != float64(float32(want)) {
						t.Fatalf("%s: D[%d,%d] = %g, want %g", c.form, row, col, got, want)
					}
				}
			}
		}
	}
}

func half(x uint32) float64  { return float64(fp.F16ToF32(uint16(x))) }
func brain(x uint32) float64 { return float64(math.Float32frombits(x << 16)) }
func tf32(x uint32) float64  { return float64(math.Float32frombits(x &^ 0x1fff)) }

// moderate gives bits of a number near one of each type.
func moderate(r *rand.Rand, t Type) uint32 {
	sign := r.Uint32() & 1
	switch t {
	case F16:
		return sign<<15 | 15<<10 | r.Uint32()&0x3e0
	case BF16:
		return sign<<15 | 127<<7 | r.Uint32()&0x7c
	case TF32:
		return sign<<31 | 127<<23 | r.Uint32()&0x7fffff
	case E4M3:
		return sign<<7 | 7<<3 | r.Uint32()&7
	case E5M2:
		return sign<<7 | 15<<2 | r.Uint32()&3
	}
	return r.Uint32() & 0xff
}

// TestDescriptorSwizzle compares chunks with the pattern of 128 bytes, whose rows
// exchange their 16-byte pieces by the row's number, at and off its period.
func TestDescriptorSwizzle(t *testing.T) {
	for _, base := range []uint64{0, 3} {
		start := uint64(2048) + base*128
		d := ParseDescriptor(start>>4 | 1<<16 | 1024>>4<<32 | base<<49 | 1<<62)
		for i := range 8 {
			for c := range 2 {
				if got, want := d.Chunk(i, c, false), start+uint64(i*128+(c^i&7)*16); got != want && base == 0 {
					t.Errorf("row %d, chunk %d: %#x, want %#x", i, c, got, want)
				}
			}
		}
		if got := d.Chunk(0, 1, false); got != start+16 {
			t.Errorf("base offset %d: the first row is permuted: %#x", base, got)
		}
	}
}

func TestWGMMAForms(t *testing.T) {
	for _, form := range []string{"m64n264k16.f32.f16.f16", "m64n20k16.f32.f16.f16", "m64n40k32.s32.s8.s8", "m64n8k16.f16.bf16.bf16", "m64n8k8.f32.f16.f16", "m64n8k256.s32.b1.b1"} {
		if _, err := ParseWGMMA(append([]string{"mma_async", "sync", "aligned"}, strings.Split(form, ".")...)); err == nil {
			t.Errorf("%s is accepted", form)
		}
	}
}
