package tensor

import (
	"math"
	"math/rand/v2"
	"testing"

	"tilec/runtime/ptx/lanes"
)

// equalBits tells that two are the same number, zeros with their sign, or both NaN.
func equalBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// TestConvert compares the processor's conversions with the portable ones, over every
// value of 16 bits, in both places that operands have.
func TestConvert(t *testing.T) {
	for _, typ := range []Type{F16, BF16} {
		for x := 0; x < 1<<16; x += 2 * lanes.Width {
			var reg lanes.V32
			for l := range reg {
				reg[l] = uint32(x+2*l) | uint32(x+2*l+1)<<16
			}
			for _, place := range []struct{ major, minor int }{{16, 1}, {8, 1}, {1, width}} {
				var want, got [maxM * maxK]float64
				valuesGo(typ, want[:], place.major, place.minor, &reg)
				values(typ, got[:], place.major, place.minor, &reg)
				for i := range want {
					if !equalBits(want[i], got[i]) {
						t.Fatalf("type %d, from %#x, place %v: element %d is %v, want %v", typ, x, place, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestConvertSums does so for sums, in and out: f32 of any bits, and doubles that are
// halfway, subnormal, too large and NaN.
func TestConvertSums(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	edges := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1 + 0x1p-24, 1 + 3*0x1p-24, 0x1p-149, 0x1p-150, -0x1p-150,
		0x1.8p-150, 0x1p-126 - 0x1p-151, math.MaxFloat32, math.MaxFloat32 + 0x1p103, math.MaxFloat32 + 0x1p102, -math.MaxFloat64}
	for range 200 {
		m := &MMA{M: 16, N: 8, K: 16, A: F16, B: F16, C: F32, D: F32}
		var regs [4]lanes.V32
		var list []*lanes.V32
		for i := range regs {
			for l := range regs[i] {
				regs[i][l] = r.Uint32()
			}
			list = append(list, &regs[i])
		}
		var got [maxM * width]float64
		m.sums(&got, list)
		for i, x := range got {
			row, col := i/8, i%8
			want := float64(math.Float32frombits(regs[row/8*2+col%2][row%8*4+col/2]))
			if !equalBits(x, want) {
				t.Fatalf("sum %d is %v, want %v", i, x, want)
			}
		}
		for i := range got {
			if r.IntN(2) == 0 {
				got[i] = edges[r.IntN(len(edges))]
			}
		}
		m.scatter(&got, list)
		for i, x := range got {
			row, col := i/8, i%8
			if v := regs[row/8*2+col%2][row%8*4+col/2]; v != single(x) {
				t.Fatalf("result %d of %v is %#x, want %#x", i, x, v, single(x))
			}
		}
	}
}
