package array

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestEncodeIntRoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, r := range references[:2] {
		dtype, _ := ParseDType(r.name)
		finite := r.finite()
		for range 20_000 {
			v := int64(rng.Uint64()) >> rng.IntN(64)
			got := EncodeInt(dtype, v)
			want := nearestInt(r, finite, v)
			if got != want {
				t.Fatalf("EncodeInt(%s, %d) = %#x, want %#x", r.name, v, got, want)
			}
		}
	}
	// 2^54 + 2^46 + 1 lies above the midpoint of two bf16 values, but float64 rounds it onto it.
	if got, want := DecodeFloat(BF16, EncodeInt(BF16, 1<<54+1<<46+1)), float64(1<<54+1<<47); got != want {
		t.Errorf("EncodeInt rounded twice: %v, want %v", got, want)
	}
}

// nearestInt rounds with big rationals: the nearest pattern among two neighbours.
func nearestInt(r reference, finite []float64, v int64) uint64 {
	if v < 0 {
		return nearestMagnitude(finite, new(big.Int).Neg(big.NewInt(v))) | 1<<(r.width()-1)
	}
	return nearestMagnitude(finite, big.NewInt(v))
}

func nearestMagnitude(finite []float64, v *big.Int) uint64 {
	value := func(i int) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(finite[i]) }
	x := new(big.Float).SetPrec(200).SetInt(v)
	lo, hi := 0, len(finite)-1
	if x.Cmp(value(hi)) >= 0 {
		half := new(big.Float).SetPrec(200).SetFloat64((finite[hi] - finite[hi-1]) / 2)
		if new(big.Float).Sub(x, value(hi)).Cmp(half) >= 0 {
			return uint64(hi + 1) // the largest pattern is odd, so a tie overflows
		}
		return uint64(hi)
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; value(mid).Cmp(x) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	below := new(big.Float).Sub(x, value(lo))
	above := new(big.Float).Sub(value(hi), x)
	if c := below.Cmp(above); c < 0 || c == 0 && lo%2 == 0 {
		return uint64(lo)
	}
	return uint64(hi)
}

func TestWrapInt(t *testing.T) {
	for _, c := range []struct {
		t       DType
		v, want int64
	}{
		{I4, 7, 7}, {I4, 8, -8}, {I4, -9, 7}, {U4, 16, 0}, {U4, -1, 15},
		{I8, 127, 127}, {I8, 128, -128}, {I8, -129, 127}, {U8, -1, 255}, {U8, 256, 0},
		{I16, 32768, -32768}, {U16, -1, 65535}, {I32, 1 << 31, math.MinInt32}, {U32, -1, math.MaxUint32},
		{I64, math.MinInt64, math.MinInt64}, {U64, -1, -1}, {Bool, 6, 1}, {Bool, 0, 0},
	} {
		if got := WrapInt(c.t, c.v); got != c.want {
			t.Errorf("WrapInt(%s, %d) = %d, want %d", c.t, c.v, got, c.want)
		}
	}
}

func TestFloatToInt(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		t    DType
		x    float64
		want int64
	}{
		{I32, -1.9, -1}, {I32, 1.9, 1}, {I32, 1e10, math.MaxInt32}, {I32, -inf, math.MinInt32}, {I32, nan, 0},
		{U8, -1, 0}, {U8, 255.9, 255}, {U8, 256, 255}, {I4, -8.5, -8}, {I4, 9, 7}, {U4, 15.5, 15},
		{I64, 0x1p63, math.MaxInt64}, {I64, -0x1p63, math.MinInt64}, {U64, 0x1p64, -1}, {U64, 0x1p63, math.MinInt64},
		{I8, -128.9, -128}, {Bool, nan, 1}, {Bool, math.Copysign(0, -1), 0}, {Bool, 0.25, 1},
	} {
		if got := DecodeInt(c.t, EncodeFloat(c.t, c.x)); got != c.want {
			t.Errorf("%v as %s is %d, want %d", c.x, c.t, got, c.want)
		}
	}
}

func TestRoundFloat(t *testing.T) {
	for _, c := range []struct {
		t       DType
		x, want float64
	}{
		{F64, 0.1, 0.1}, {F32, 0.1, float64(float32(0.1))}, {F16, 65519.99, 65504}, {F16, 65520, math.Inf(1)},
		{BF16, 1 + 0x1p-8, 1}, {BF16, 1 + 0x1p-8 + 0x1p-50, 1 + 0x1p-7}, {F8E4M3, 1000, 448}, {F8E5M2, -1e9, -57344},
		{F4E2M1, 5, 4}, {F4E2M1, 5.1, 6}, {F4E2M1, -0.25, math.Copysign(0, -1)}, {F8E8M0, 3, 4}, {I8, 300, 127},
	} {
		if got := RoundFloat(c.t, c.x); !same(got, c.want) {
			t.Errorf("RoundFloat(%s, %v) = %v, want %v", c.t, c.x, got, c.want)
		}
	}
}

// TestEveryTypeDecodesWhatItEncodes covers the table: a type that was forgotten somewhere fails here.
func TestEveryTypeDecodesWhatItEncodes(t *testing.T) {
	for _, dtype := range DTypes() {
		if got := DecodeFloat(dtype, EncodeFloat(dtype, 1)); got != 1 {
			t.Errorf("%s: 1 comes back as %v", dtype, got)
		}
		if got := DecodeInt(dtype, EncodeInt(dtype, 1)); got != 1 {
			t.Errorf("%s: integer 1 comes back as %v", dtype, got)
		}
	}
}
