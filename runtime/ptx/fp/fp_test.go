package fp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func formats() []Format {
	return []Format{F32(), TF32(), F16(), BF16(), E5M2(), E4M3(), E3M2(), E2M3(), E2M1()}
}

// TestRoundTrip converts every value of the small formats there and back.
func TestRoundTrip(t *testing.T) {
	for _, f := range formats() {
		if f.Bits() > 19 {
			continue
		}
		for b := uint32(0); b < 1<<f.Bits(); b++ {
			x := f.ToFloat64(b)
			if x != x {
				if got := f.FromFloat64(x, RN, false); got != f.NaN() {
					t.Fatalf("%s: NaN %#x became %#x", f.Name(), b, got)
				}
				continue
			}
			for mode := RN; mode <= RNA; mode++ {
				if got := f.FromFloat64(x, mode, false); got != b {
					t.Fatalf("%s %#x = %g, mode %d: became %#x", f.Name(), b, x, mode, got)
				}
			}
		}
	}
}

// TestRounding compares with a search over the neighbouring values.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range formats() {
		if f.Bits() > 19 {
			continue
		}
		for range 20000 {
			b := r.Uint32N(f.MaxFinite())
			lo, hi := f.ToFloat64(b), f.ToFloat64(b+1)
			x := lo + (hi-lo)*[]float64{0.25, 0.5, 0.75, 1e-9, 0.5 + 1e-9, 0.5 - 1e-9}[r.IntN(6)]
			near := b
			if x-lo > hi-x || x-lo == hi-x && b&1 == 1 {
				near++
			}
			away := b
			if x-lo >= hi-x {
				away++
			}
			s := uint32(1) << (f.Bits() - 1)
			for _, c := range []struct {
				mode Mode
				x    float64
				want uint32
			}{
				{RN, x, near}, {RZ, x, b}, {RM, x, b}, {RP, x, b + 1}, {RNA, x, away},
				{RN, -x, s | near}, {RZ, -x, s | b}, {RM, -x, s | (b + 1)}, {RP, -x, s | b}, {RNA, -x, s | away},
			} {
				if got := f.FromFloat64(c.x, c.mode, false); got != c.want {
					t.Fatalf("%s of %g mode %d: %#x, want %#x", f.Name(), c.x, c.mode, got, c.want)
				}
			}
		}
	}
}

func TestOverflow(t *testing.T) {
	cases := []struct {
		f    Format
		x    float64
		mode Mode
		sat  bool
		want uint32
	}{
		{F16(), 65519, RN, false, 0x7bff},
		{F16(), 65520, RN, false, 0x7c00},
		{F16(), 65520, RN, true, 0x7bff},
		{F16(), 1e9, RZ, false, 0x7bff},
		{F16(), -1e9, RP, false, 0xfbff},
		{F16(), -1e9, RM, false, 0xfc00},
		{E4M3(), 464, RN, false, 0x7e},
		{E4M3(), 465, RN, false, 0x7f},
		{E4M3(), 1e6, RN, true, 0x7e},
		{E4M3(), math.Inf(-1), RN, true, 0xfe},
		{E5M2(), 61440, RN, false, 0x7c},
		{E5M2(), math.Inf(1), RN, true, 0x7b},
		{E2M1(), 100, RN, true, 0x7},
		{E2M1(), math.NaN(), RN, true, 0x7},
		{E2M1(), -5, RN, true, 0xe}, // a tie of -4 and -6
		{TF32(), 1e-40, RNA, false, 0x9},
		{F32(), 5e-324, RP, false, 1},
		{F32(), 1e300, RN, false, 0x7f800000},
	}
	for _, c := range cases {
		if got := c.f.FromFloat64(c.x, c.mode, c.sat); got != c.want {
			t.Errorf("%s of %g, mode %d, sat %v: %#x, want %#x", c.f.Name(), c.x, c.mode, c.sat, got, c.want)
		}
	}
}

func TestNarrowFast(t *testing.T) {
	for h := range 1 << 16 {
		a, b := F16ToF32(uint16(h)), F16().ToFloat64(uint32(h))
		if float64(a) != b && (a == a || b == b) || math.Signbit(float64(a)) != math.Signbit(b) && a == a {
			t.Fatalf("f16 %#x: %g, want %g", h, a, b)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 2_000_000 {
		b := r.Uint32()
		if i%2 == 0 {
			b = b&0x807fffff | (100+b>>9%50)<<23&0x7f800000
		}
		x := math.Float32frombits(b)
		if got, want := F32ToF16(x), F16().FromFloat64(float64(x), RN, false); uint32(got) != want {
			t.Fatalf("f16 of %g (%#x): %#x, want %#x", x, b, got, want)
		}
		if got, want := F32ToBF16(x), BF16().FromFloat64(float64(x), RN, false); uint32(got) != want {
			t.Fatalf("bf16 of %g (%#x): %#x, want %#x", x, b, got, want)
		}
	}
}

func TestUE8M0(t *testing.T) {
	for _, c := range []struct {
		x    float32
		mode Mode
		sat  bool
		want uint8
	}{
		{1, RZ, false, 127}, {1.5, RZ, false, 127}, {1.5, RP, false, 128}, {-2, RZ, false, 128}, {0, RP, false, 0},
		{float32(math.Inf(1)), RZ, true, 0xfe}, {float32(math.Inf(1)), RZ, false, 0xff}, {float32(math.NaN()), RP, true, 0xff},
		{math.MaxFloat32, RP, true, 0xfe}, {math.MaxFloat32, RP, false, 0xff},
	} {
		if got := F32ToUE8M0(c.x, c.mode, c.sat); got != c.want {
			t.Errorf("%g mode %d sat %v: %#x, want %#x", c.x, c.mode, c.sat, got, c.want)
		}
	}
}

// exact32 rounds an exact value to f32 by math/big, normal or subnormal.
func exact32(x *big.Float) float32 {
	f, _ := x.Float32()
	return f
}

func TestFMA32(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 300000 {
		a, b := math.Float32frombits(r.Uint32()&0x83ffffff|0x3c000000), math.Float32frombits(r.Uint32()&0x83ffffff|0x3c000000)
		c := math.Float32frombits(r.Uint32())
		switch i % 4 {
		case 0: // near a tie
			c = float32(-float64(a)*float64(b)) * (1 + 0x1p-20)
		case 1: // subnormal results
			a, b = a*0x1p-70, b*0x1p-70
			c = math.Float32frombits(r.Uint32() & 0x80ffffff)
		case 2: // few bits set: ties of the sum are common
			a = math.Float32frombits(math.Float32bits(a) & 0xfff80000)
			c = a * b * 0x1p24
		}
		if c != c || c-c != 0 {
			continue
		}
		x := new(big.Float).SetPrec(500).SetFloat64(float64(a))
		x.Mul(x, big.NewFloat(float64(b)))
		x.Add(x, new(big.Float).SetPrec(500).SetFloat64(float64(c)))
		if got, want := FMA32(a, b, c), exact32(x); got != want {
			t.Fatalf("fma(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
	}
}

func TestDirected(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	modes := map[Mode]big.RoundingMode{RN: big.ToNearestEven, RZ: big.ToZero, RM: big.ToNegativeInf, RP: big.ToPositiveInf}
	for range 50000 {
		a := math.Float32frombits(r.Uint32()&0x87ffffff | 0x38000000)
		b := math.Float32frombits(r.Uint32()&0x87ffffff | 0x38000000)
		for mode, want := range modes {
			ba, bb := big.NewFloat(float64(a)), big.NewFloat(float64(b))
			sum, _ := new(big.Float).SetMode(want).SetPrec(24).Add(ba, bb).Float32()
			if got := F32Round(AddOdd(float64(a), float64(b)), mode); got != sum {
				t.Fatalf("%x + %x mode %d = %x, want %x", a, b, mode, got, sum)
			}
			quo, _ := new(big.Float).SetMode(want).SetPrec(24).Quo(ba, bb).Float32()
			if got := F32Round(DivOdd(float64(a), float64(b)), mode); got != quo {
				t.Fatalf("%x / %x mode %d = %x, want %x", a, b, mode, got, quo)
			}
		}
	}
}
