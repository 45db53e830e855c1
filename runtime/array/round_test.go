package array

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// reference is a format worked out from its published layout, in exact rationals and without bit tricks.
type reference struct {
	name                string
	exponent, mantissa  int
	bias                int
	infinities, nanOnly bool // IEEE specials; or only the all-ones magnitude is a NaN
	saturates           bool
	nan                 uint64
	encode64            func(float64) uint64
	encode32            func(float32) uint64
	decode              func(uint64) float64
}

var references = []reference{
	{
		name: "f16", exponent: 5, mantissa: 10, bias: 15, infinities: true, nan: 0x7fff,
		encode64: func(x float64) uint64 { return uint64(F64ToF16(x)) },
		encode32: func(x float32) uint64 { return uint64(F32ToF16(x)) },
		decode:   func(b uint64) float64 { return float64(F16ToF32(uint16(b))) },
	},
	{
		name: "bf16", exponent: 8, mantissa: 7, bias: 127, infinities: true, nan: 0x7fff,
		encode64: func(x float64) uint64 { return uint64(F64ToBF16(x)) },
		encode32: func(x float32) uint64 { return uint64(F32ToBF16(x)) },
		decode:   func(b uint64) float64 { return float64(BF16ToF32(uint16(b))) },
	},
	{
		name: "f8e4m3", exponent: 4, mantissa: 3, bias: 7, nanOnly: true, saturates: true, nan: 0x7f,
		encode64: func(x float64) uint64 { return uint64(F64ToF8E4M3(x)) },
		encode32: func(x float32) uint64 { return uint64(F32ToF8E4M3(x)) },
		decode:   func(b uint64) float64 { return float64(F8E4M3ToF32(uint8(b))) },
	},
	{
		name: "f8e5m2", exponent: 5, mantissa: 2, bias: 15, infinities: true, saturates: true, nan: 0x7f,
		encode64: func(x float64) uint64 { return uint64(F64ToF8E5M2(x)) },
		encode32: func(x float32) uint64 { return uint64(F32ToF8E5M2(x)) },
		decode:   func(b uint64) float64 { return float64(F8E5M2ToF32(uint8(b))) },
	},
	{
		name: "f4e2m1", exponent: 2, mantissa: 1, bias: 1, saturates: true, nan: 0x7,
		encode64: func(x float64) uint64 { return uint64(F64ToF4E2M1(x)) },
		encode32: func(x float32) uint64 { return uint64(F32ToF4E2M1(x)) },
		decode:   func(b uint64) float64 { return float64(F4E2M1ToF32(uint8(b))) },
	},
}

func (r reference) width() int { return 1 + r.exponent + r.mantissa }

// value decodes by the definition (-1)^s · 2^(e-bias) · (1 + m/2^M).
func (r reference) value(bits uint64) float64 {
	m := int(bits) & (1<<r.mantissa - 1)
	e := int(bits) >> r.mantissa & (1<<r.exponent - 1)
	sign := 1.0
	if bits>>(r.width()-1)&1 != 0 {
		sign = -1
	}
	allOnes := e == 1<<r.exponent-1
	switch {
	case r.infinities && allOnes && m == 0:
		return math.Inf(int(sign))
	case r.infinities && allOnes, r.nanOnly && allOnes && m == 1<<r.mantissa-1:
		return math.NaN()
	case e == 0 && m == 0:
		return math.Copysign(0, sign)
	case e == 0:
		return sign * float64(m) * math.Pow(2, float64(1-r.bias-r.mantissa))
	}
	return sign * (1 + float64(m)/float64(int(1)<<r.mantissa)) * math.Pow(2, float64(e-r.bias))
}

// finite lists the non-negative finite values in order; the pattern of each is its index.
func (r reference) finite() []float64 {
	var all []float64
	for b := range uint64(1) << (r.width() - 1) {
		if v := r.value(b); !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	return all
}

// round finds the nearest pattern by search, a tie to the even one.
func (r reference) round(x float64, finite []float64) uint64 {
	if math.IsNaN(x) {
		return r.nan
	}
	var sign uint64
	if math.Signbit(x) {
		sign = 1 << (r.width() - 1)
	}
	x = math.Abs(x)
	n := len(finite)
	largest := uint64(n - 1)
	// What would be the next value, were the exponent unbounded.
	next := finite[n-1] + (finite[n-1] - finite[n-2])
	limit := finite[n-1] + (next-finite[n-1])/2
	switch {
	case x > finite[n-1] && r.saturates:
		return sign | largest
	case x > limit, x == limit && largest&1 == 1:
		return sign | (largest + 1)
	case x > finite[n-1]:
		return sign | largest
	}
	i := sort.SearchFloat64s(finite, x)
	if finite[i] == x {
		return sign | uint64(i)
	}
	below, above := x-finite[i-1], finite[i]-x // exact: neighbours differ by little
	switch {
	case below < above, below == above && (i-1)%2 == 0:
		return sign | uint64(i-1)
	}
	return sign | uint64(i)
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func TestDecodeEveryPattern(t *testing.T) {
	for _, r := range references {
		for b := range uint64(1) << r.width() {
			if got, want := r.decode(b), r.value(b); !same(got, want) {
				t.Errorf("%s %#x decodes to %v, want %v", r.name, b, got, want)
			}
		}
	}
}

func TestEveryPatternRoundTrips(t *testing.T) {
	for _, r := range references {
		for b := range uint64(1) << r.width() {
			v := r.value(b)
			want := b
			switch {
			case math.IsNaN(v):
				want = r.nan
			case math.IsInf(v, 0) && r.saturates:
				want = b - 1
			}
			if got := r.encode64(v); got != want {
				t.Errorf("%s: F64 of %#x (%v) encodes to %#x, want %#x", r.name, b, v, got, want)
			}
			if got := r.encode32(float32(v)); got != want {
				t.Errorf("%s: F32 of %#x (%v) encodes to %#x, want %#x", r.name, b, v, got, want)
			}
		}
	}
}

// TestRoundAtEveryBoundary tries each value, each midpoint and the closest float64 and float32 on either side.
func TestRoundAtEveryBoundary(t *testing.T) {
	for _, r := range references {
		finite := r.finite()
		check := func(x float64) {
			for _, x := range []float64{x, -x} {
				for _, x := range []float64{x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1))} {
					if got, want := r.encode64(x), r.round(x, finite); got != want {
						t.Errorf("%s: F64 %x encodes to %#x, want %#x", r.name, x, got, want)
					}
				}
				f := float32(x)
				for _, f := range []float32{f, math.Nextafter32(f, float32(math.Inf(1))), math.Nextafter32(f, float32(math.Inf(-1)))} {
					if got, want := r.encode32(f), r.round(float64(f), finite); got != want {
						t.Errorf("%s: F32 %x encodes to %#x, want %#x", r.name, f, got, want)
					}
				}
			}
		}
		for i, v := range finite {
			check(v)
			if i > 0 {
				check(finite[i-1] + (v-finite[i-1])/2)
			}
		}
		n := len(finite)
		check(finite[n-1] + (finite[n-1]-finite[n-2])/2)
		for _, x := range []float64{math.MaxFloat64, math.MaxFloat32, math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32, math.Inf(1), math.NaN(), 0x1p-1022} {
			check(x)
		}
	}
}

func TestRoundAtRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, r := range references {
		finite := r.finite()
		for range 200_000 {
			f := math.Float32frombits(rng.Uint32())
			if got, want := r.encode32(f), r.round(float64(f), finite); got != want {
				t.Fatalf("%s: F32 %x encodes to %#x, want %#x", r.name, f, got, want)
			}
			x := math.Ldexp(rng.Float64()*2-1, rng.IntN(2*r.bias+20)-r.bias-15)
			if got, want := r.encode64(x), r.round(x, finite); got != want {
				t.Fatalf("%s: F64 %x encodes to %#x, want %#x", r.name, x, got, want)
			}
		}
	}
}

// TestNoDoubleRounding has a value that rounds differently by way of float32.
func TestNoDoubleRounding(t *testing.T) {
	x := 1 + 0x1p-11 + 0x1p-40 // above the midpoint of 1 and 1+2^-10; float32 drops the last term
	if got := F64ToF16(x); got != 0x3c01 {
		t.Errorf("F64ToF16(%x) = %#x, want 0x3c01", x, got)
	}
	if got := F32ToF16(float32(x)); got != 0x3c00 {
		t.Errorf("F32ToF16(%x) = %#x, want 0x3c00", float32(x), got)
	}
}

func TestE8M0(t *testing.T) {
	for b := range 255 {
		want := math.Pow(2, float64(b-127))
		if got := float64(F8E8M0ToF32(uint8(b))); got != want {
			t.Errorf("%#x decodes to %v, want %v", b, got, want)
		}
		if got := F64ToF8E8M0(want); got != uint8(b) {
			t.Errorf("%v encodes up to %#x, want %#x", want, got, b)
		}
		if got := F64ToF8E8M0Down(-want); got != uint8(b) {
			t.Errorf("%v encodes down to %#x, want %#x", -want, got, b)
		}
		above := math.Nextafter(want, math.Inf(1))
		if got, want := F64ToF8E8M0(above), uint8(min(b+1, 254)); got != want {
			t.Errorf("%x encodes up to %#x, want %#x", above, got, want)
		}
		if got := F64ToF8E8M0Down(above); got != uint8(b) {
			t.Errorf("%x encodes down to %#x, want %#x", above, got, b)
		}
	}
	for _, c := range []struct {
		x        float64
		up, down uint8
	}{
		{math.NaN(), 255, 255}, {math.Inf(1), 254, 254}, {math.Inf(-1), 254, 254},
		{0, 0, 0}, {math.SmallestNonzeroFloat64, 0, 0}, {math.MaxFloat64, 254, 254}, {-3, 129, 128},
	} {
		if got := F64ToF8E8M0(c.x); got != c.up {
			t.Errorf("F64ToF8E8M0(%v) = %d, want %d", c.x, got, c.up)
		}
		if got := F64ToF8E8M0Down(c.x); got != c.down {
			t.Errorf("F64ToF8E8M0Down(%v) = %d, want %d", c.x, got, c.down)
		}
	}
	if v := F8E8M0ToF32(255); v == v {
		t.Errorf("0xff decodes to %v, want NaN", v)
	}
}
