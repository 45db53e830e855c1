package ptx

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tilec/runtime/ptx/fp"
)

// TestSingleFunctions runs CUDA's own f32 library, whose results lie within a few
// units in the last place of the true ones.
func TestSingleFunctions(t *testing.T) {
	k := kernel(t, "functions.ptx", "single")
	cases := []struct {
		f    int
		name string
		want func(float64) float64
		lo   float64
		hi   float64
		ulps float64
	}{
		{0, "sin", math.Sin, -1e6, 1e6, 2}, {1, "cos", math.Cos, -1e6, 1e6, 2}, {2, "exp", math.Exp, -90, 88, 2}, {3, "log", math.Log, 1e-30, 1e30, 1},
		{4, "pow", func(x float64) float64 { return math.Pow(x, float64(float32(1.7))) }, 0, 1000, 4}, {5, "tanh", math.Tanh, -5, 5, 2}, {6, "erf", math.Erf, -3, 3, 2},
		{7, "cbrt", math.Cbrt, -1e5, 1e5, 1}, {8, "lgamma", func(x float64) float64 { v, _ := math.Lgamma(x); return v }, 3, 100, 6}, {9, "atan", math.Atan, -100, 100, 2},
		{10, "fmod", func(x float64) float64 { return math.Mod(x, float64(float32(0.7))) }, -1000, 1000, 0}, {11, "log1p", math.Log1p, -0.9, 100, 2},
		{12, "expm1", math.Expm1, -10, 50, 2}, {13, "rint", math.RoundToEven, -100, 100, 0}, {14, "reciprocal", func(x float64) float64 { return 1 / x }, -1e30, 1e30, 0.5},
		{15, "sqrt", math.Sqrt, 0, 1e30, 0.5}, {16, "tan", math.Tan, -1e4, 1e4, 4}, {17, "exp2", math.Exp2, -126, 127, 2},
		{18, "rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 1e-30, 1e30, 2}, {19, "quotient", func(x float64) float64 { return x / float64(float32(3.1)) }, -1e30, 1e30, 0.5},
	}
	const n = 1000
	r := rand.New(rand.NewPCG(1, 9))
	for _, c := range cases {
		x := floats(n, func(int) float32 { return float32(c.lo + r.Float64()*(c.hi-c.lo)) })
		y := floats(n, func(int) float32 { return 0 })
		launchClean(t, k, Config{Grid: [3]int{4}, Block: [3]int{256}}, x, y, int32(n), int32(c.f))
		for i := range n {
			want := c.want(float64(x.float(i)))
			ulp := math.Ldexp(1, max(math.Ilogb(want), -126)-23)
			if got := float64(y.float(i)); math.Abs(got-want) > (c.ulps+0.5)*ulp {
				t.Errorf("%s(%g) = %g, want %g", c.name, x.float(i), got, want)
				break
			}
		}
	}
}

func TestWideFunctions(t *testing.T) {
	k := kernel(t, "functions.ptx", "wide")
	cases := []struct {
		f    int
		name string
		want func(float64) float64
		lo   float64
		hi   float64
	}{
		{0, "sin", math.Sin, -1e7, 1e7}, {1, "cos", math.Cos, -1e7, 1e7}, {2, "exp", math.Exp, -700, 700}, {3, "log", math.Log, 1e-300, 1e300},
		{4, "pow", func(x float64) float64 { return math.Pow(x, 1.7) }, 0, 1000}, {5, "tanh", math.Tanh, -5, 5}, {6, "erf", math.Erf, -3, 3}, {7, "cbrt", math.Cbrt, -1e5, 1e5},
		{8, "sqrt", math.Sqrt, 0, 1e300}, {9, "reciprocal", func(x float64) float64 { return 1 / x }, -1e300, 1e300}, {10, "quotient", func(x float64) float64 { return x / 3.1 }, -1e300, 1e300},
		{11, "fmod", func(x float64) float64 { return math.Mod(x, 0.7) }, -1000, 1000},
	}
	const n = 500
	r := rand.New(rand.NewPCG(2, 9))
	for _, c := range cases {
		in, out := make([]byte, 0, 8*n), &Buffer{Data: make([]byte, 8*n)}
		var xs []float64
		for range n {
			v := c.lo + r.Float64()*(c.hi-c.lo)
			if c.lo > 0 || c.hi > 1e200 {
				v = math.Exp(r.Float64()*1000 - 500)
			}
			xs = append(xs, v)
			in = binary.LittleEndian.AppendUint64(in, math.Float64bits(v))
		}
		launchClean(t, k, Config{Grid: [3]int{2}, Block: [3]int{256}}, &Buffer{Data: in}, out, int32(n), int32(c.f))
		for i, v := range xs {
			got, want := math.Float64frombits(binary.LittleEndian.Uint64(out.Data[8*i:])), c.want(v)
			if math.Abs(got-want) > 4e-15*math.Abs(want) {
				t.Errorf("%s(%g) = %g, want %g", c.name, v, got, want)
				break
			}
		}
	}
}

func TestDivision(t *testing.T) {
	k := kernel(t, "functions.ptx", "divide")
	const n = 300
	r := rand.New(rand.NewPCG(3, 9))
	a := words(n, func(int) uint32 { return r.Uint32() })
	b := words(n, func(int) uint32 { return r.Uint32()>>r.IntN(31) | 1 })
	q := words(5*n, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Grid: [3]int{3}, Block: [3]int{128}}, a, b, q, int32(n))
	for i := range n {
		x, y := int32(a.word(i)), int32(b.word(i))
		l := int64(x)*1000003 + int64(y)
		want := [5]int32{x / y, x % 7, int32(uint32(x) / 10), int32(l / int64(y)), int32(uint64(l) % 1000000007)}
		for j, w := range want {
			if got := int32(q.word(5*i + j)); got != w {
				t.Fatalf("%d, %d: result %d is %d, want %d", x, y, j, got, w)
			}
		}
	}
}

func TestNarrowFloats(t *testing.T) {
	k := kernel(t, "functions.ptx", "narrow")
	const n = 256
	r := rand.New(rand.NewPCG(4, 9))
	x := floats(2*n, func(int) float32 { return float32(r.NormFloat64() * math.Exp2(float64(r.IntN(24)-12))) })
	y := floats(8*n, func(int) float32 { return 0 })
	launchClean(t, k, Config{Grid: [3]int{2}, Block: [3]int{128}}, x, y, int32(n))
	for i := range 2 * n {
		v := float64(x.float(i))
		e4 := fp.E4M3().ToFloat64(fp.E4M3().FromFloat64(v, fp.RN, true))
		e5 := fp.E5M2().ToFloat64(fp.E5M2().FromFloat64(v, fp.RN, true))
		h := fp.F16().ToFloat64(fp.F16().FromFloat64(v, fp.RN, false))
		half := fp.F16().ToFloat64(fp.F16().FromFloat64(h*0.5, fp.RN, false))
		h = fp.F16().ToFloat64(fp.F16().FromFloat64(fp.AddOdd(h*h, half), fp.RN, false))
		b := math.Abs(fp.BF16().ToFloat64(fp.BF16().FromFloat64(v, fp.RN, false)))
		for j, want := range []float64{e4, e5, h, b} {
			if got := float64(y.float(8*(i/2) + 2*j + i%2)); got != want {
				t.Fatalf("%g: result %d is %g, want %g", v, j, got, want)
			}
		}
	}
}

func TestStructures(t *testing.T) {
	k := kernel(t, "functions.ptx", "structures")
	arg := binary.LittleEndian.AppendUint32(nil, 11)
	arg = binary.LittleEndian.AppendUint32(arg, math.Float32bits(22.5))
	arg = append(arg, 1, 2, 3, 4, 5, 0, 0, 0)
	sum, out := &Buffer{Data: make([]byte, 16)}, words(64, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Block: [3]int{64}}, arg, sum, out)
	total := uint64(0)
	for i := range 64 {
		c := func(j int) int { return (j+i%5)%5 + 1 }
		total += uint64(c(0))
		if got, want := int(out.word(i)), 22*1000+c(i%3)+11; got != want {
			t.Fatalf("thread %d: %d, want %d", i, got, want)
		}
	}
	if got := binary.LittleEndian.Uint64(sum.Data); got != total {
		t.Errorf("sum %d, want %d", got, total)
	}
	if got := binary.LittleEndian.Uint64(sum.Data[8:]); got != 63<<40 {
		t.Errorf("max %#x", got)
	}
}

func TestPrintAndTrap(t *testing.T) {
	k := kernel(t, "functions.ptx", "checked")
	var out string
	cfg := Config{Block: [3]int{32}, Checks: CheckAll, Print: func(s string) { out += s }}
	rep, err := k.Launch(context.Background(), cfg, words(32, func(i int) uint32 { return uint32(i) }), int32(32))
	if err != nil {
		t.Fatal(err)
	}
	if want := "seven at 7:  1.50 x 1099511627776 %\n"; out != want {
		t.Errorf("printed %q, want %q", out, want)
	}
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != Trap || rep.Findings[0].Thread != [3]int{7} || !strings.HasPrefix(rep.Findings[0].At.File, "functions.cu") {
		t.Errorf("found %v", rep.Findings)
	}
}
