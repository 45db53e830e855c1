package lanes

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tilec/runtime/ptx/fp"
)

func form(t testing.TB, name string) Op {
	t.Helper()
	parts := strings.Split(name, ".")
	op, err := Lookup(parts[0], parts[1:])
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// TestApproximate checks approximate functions against the errors that the ISA documents.
func TestApproximate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cases := []struct {
		form string
		f    func(float64) float64
		x    func() float64
		rel  float64 // of the result
		abs  float64
	}{
		{"ex2.approx.f32", math.Exp2, func() float64 { return r.Float64()*250 - 125 }, 0x1p-22, 0},
		{"lg2.approx.f32", math.Log2, func() float64 { return math.Exp2(r.Float64()*200 - 100) }, 0x1p-22, 0x1p-22},
		{"rcp.approx.f32", func(x float64) float64 { return 1 / x }, func() float64 { return math.Exp2(r.Float64()*200 - 100) }, 0x1p-23, 0},
		{"rsqrt.approx.f32", func(x float64) float64 { return 1 / math.Sqrt(x) }, func() float64 { return math.Exp2(r.Float64()*200 - 100) }, math.Exp2(-22.9), 0},
		{"sqrt.approx.f32", math.Sqrt, func() float64 { return math.Exp2(r.Float64()*200 - 100) }, 0x1p-23, 0},
		{"sin.approx.f32", math.Sin, func() float64 { return r.Float64()*6 - 3 }, 0, math.Exp2(-20.5)},
		{"cos.approx.f32", math.Cos, func() float64 { return r.Float64()*6 - 3 }, 0, math.Exp2(-20.5)},
		{"tanh.approx.f32", math.Tanh, func() float64 { return r.NormFloat64() }, 0x1p-11, 0},
	}
	for _, c := range cases {
		for _, name := range []string{c.form, strings.Replace(c.form, ".f32", ".ftz.f32", 1)} {
			if strings.HasPrefix(name, "tanh") && strings.Contains(name, "ftz") {
				continue // the ISA has no such form
			}
			op := form(t, name)
			var d, a, b V32
			for range 2000 {
				for i := range a {
					a[i] = math.Float32bits(float32(c.x()))
				}
				op.Fn(&d, &a, &b, &b)
				for i := range d {
					x := float64(math.Float32frombits(a[i]))
					got, want := float64(math.Float32frombits(d[i])), c.f(x)
					if math.Abs(got-want) > c.rel*math.Abs(want)+c.abs {
						t.Fatalf("%s of %g: %g, want %g", name, x, got, want)
					}
				}
			}
		}
	}
}

// TestApproximateQuotient checks approximate division: two units in the last place while
// the divisor is within 2^-126 and 2^126.
func TestApproximateQuotient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	number := func(exponents float64) float32 {
		return float32(math.Copysign(math.Exp2((r.Float64()*2-1)*exponents), r.Float64()-0.5))
	}
	for _, name := range []string{"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"} {
		op := form(t, name)
		var d, a, b V32
		for range 2000 {
			for i := range a {
				a[i], b[i] = math.Float32bits(number(30)), math.Float32bits(number(90))
			}
			op.Fn(&d, &a, &b, nil)
			for i := range d {
				x, y := float64(math.Float32frombits(a[i])), float64(math.Float32frombits(b[i]))
				if got := float64(math.Float32frombits(d[i])); math.Abs(got-x/y) > 0x1p-22*math.Abs(x/y) {
					t.Fatalf("%s of %g by %g: %g, want %g", name, x, y, got, x/y)
				}
			}
		}
	}
}

// TestApproximateHalves checks the approximate functions of f16 and bf16 at all operands.
func TestApproximateHalves(t *testing.T) {
	for _, c := range []struct {
		form   string
		f      func(float64) float64
		format fp.Format
		rel    float64 // of the result
		abs    float64
	}{
		{"ex2.approx.f16", math.Exp2, fp.F16(), math.Exp2(-9.9), 0},
		{"ex2.approx.ftz.bf16", math.Exp2, fp.BF16(), 0x1p-7, 0},
		{"tanh.approx.f16", math.Tanh, fp.F16(), 0, math.Exp2(-10.987)},
		{"tanh.approx.bf16", math.Tanh, fp.BF16(), 0x1p-8, 0},
	} {
		op, pair := form(t, c.form), form(t, c.form+"x2")
		least := c.format.ToFloat64(1) // subnormal results have its error
		for x := range uint32(1 << 16) {
			v := c.format.ToFloat64(x)
			want := c.f(v)
			a := V32{x, x<<16 | 1}
			var d, d2 V32
			op.Fn(&d, &a, nil, nil)
			pair.Fn(&d2, &a, nil, nil)
			if d[0] != d2[0]&0xffff || d[0] != d2[1]>>16 {
				t.Fatalf("%s of %#x: %#x, by pairs %#x and %#x", c.form, x, d[0], d2[0]&0xffff, d2[1]>>16)
			}
			got := c.format.ToFloat64(d[0])
			switch {
			case want != want:
				if got == got {
					t.Fatalf("%s of NaN: %g", c.form, got)
				}
			case math.IsInf(got, 0):
				if want < c.format.ToFloat64(d[0]-1) {
					t.Fatalf("%s of %g: %g, want %g", c.form, v, got, want)
				}
			case math.Abs(got-want) > c.rel*math.Abs(want)+c.abs+least && !(strings.Contains(c.form, "ftz") && math.Abs(want) < 0x1p-126):
				t.Fatalf("%s of %g: %g, want %g", c.form, v, got, want)
			}
		}
	}
}

// TestLop3 compares every truth table with its definition, bit by bit.
func TestLop3(t *testing.T) {
	a, b, c := uint32(0xf0f0f0f0), uint32(0xcccccccc), uint32(0xaaaaaaaa)
	for table := range 256 {
		var d V32
		Lop3(uint8(table))(&d, &V32{a}, &V32{b}, &V32{c})
		if want := uint32(table) * 0x01010101; d[0] != want {
			t.Fatalf("table %#x of the three patterns: %#x, want %#x", table, d[0], want)
		}
	}
}

func TestInsert(t *testing.T) {
	cases := []struct {
		a, b        uint64
		pos, n      uint32
		want        uint64
		want32      uint32
		description string
	}{
		{0xff, 0, 4, 4, 0xf0, 0xf0, "middle"},
		{0xff, 0x12345678, 0, 0, 0x12345678, 0x12345678, "empty"},
		{0xffffffffff, 0, 28, 8, 0xff0000000, 0xf0000000, "over the end"},
		{0xff, 0x12345678, 64, 8, 0x12345678, 0x12345678, "beyond"},
		{0xff, 0x12345678, 0x100, 8, 0x123456ff, 0x123456ff, "position modulo 256"},
		{0xffffffffffffffff, 0, 0, 200, 0xffffffffffffffff, 0xffffffff, "longer than the word"},
	}
	for _, c := range cases {
		if got := Insert64(c.a, c.b, c.pos, c.n); got != c.want {
			t.Errorf("%s: bfi.b64 %#x, want %#x", c.description, got, c.want)
		}
		if got := Insert32(uint32(c.a), uint32(c.b), c.pos, c.n); got != c.want32 {
			t.Errorf("%s: bfi.b32 %#x, want %#x", c.description, got, c.want32)
		}
	}
}

// TestCarry adds and multiplies numbers of several words.
func TestCarry(t *testing.T) {
	addcc, addc := form(t, "add.cc.u32"), form(t, "addc.u32")
	subcc, subc := form(t, "sub.cc.u32"), form(t, "subc.u32")
	madlo, madhi := form(t, "mad.lo.cc.u32"), form(t, "madc.hi.u32")
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		x, y := r.Uint64(), r.Uint64()
		if r.IntN(4) == 0 {
			y = -x
		}
		var lo, hi V32
		word := func(v uint64) (V32, V32) { return V32{uint32(v)}, V32{uint32(v >> 32)} }
		xl, xh := word(x)
		yl, yh := word(y)
		cc := addcc.Carry(&lo, &xl, &yl, nil, 0)
		addc.Carry(&hi, &xh, &yh, nil, cc)
		if got := uint64(hi[0])<<32 | uint64(lo[0]); got != x+y {
			t.Fatalf("%#x + %#x = %#x", x, y, got)
		}
		cc = subcc.Carry(&lo, &xl, &yl, nil, 0)
		subc.Carry(&hi, &xh, &yh, nil, cc)
		if got := uint64(hi[0])<<32 | uint64(lo[0]); got != x-y {
			t.Fatalf("%#x - %#x = %#x", x, y, got)
		}
		cc = madlo.Carry(&lo, &xl, &yl, &xh, 0)
		madhi.Carry(&hi, &xl, &yl, &yh, cc)
		want := uint64(xl[0])*uint64(yl[0]) + uint64(xh[0]) + uint64(yh[0])<<32
		if got := uint64(hi[0])<<32 | uint64(lo[0]); got != want {
			t.Fatalf("%#x * %#x + %#x:%#x = %#x, want %#x", xl[0], yl[0], yh[0], xh[0], got, want)
		}
	}
}

func TestUnknownForms(t *testing.T) {
	for _, f := range []string{"add", "add.s8", "add.q32", "add.s32.f32", "mul.s32", "setp.lt.b32", "setp.lo.s32", "cvt.f16.f32", "cvt.rn.s32.f32",
		"cvt.rn.e4m3x2.f32", "min.b32", "shl.u32", "ex2.f32", "fma.f32.rn.rz", "prmt.b64", "and.u32", "div.approx.f64", "wat.u32"} {
		parts := strings.Split(f, ".")
		if _, err := Lookup(parts[0], parts[1:]); err == nil || !strings.Contains(err.Error(), f) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestMinMax3(t *testing.T) {
	nan := math.Float32bits(float32(math.NaN()))
	num := math.Float32bits
	for _, c := range []struct {
		form          string
		a, b, c, want uint32
	}{
		{"min.f32", num(1), num(-2), num(3), num(-2)},
		{"max.f32", num(1), num(-2), num(3), num(3)},
		{"max.f32", nan, num(-2), nan, num(-2)},
		{"min.f32", nan, nan, nan, 0x7fffffff},
		{"max.NaN.f32", num(1), nan, num(3), 0x7fffffff},
		{"min.abs.f32", num(-5), num(-2), num(3), num(2)},
		{"max.ftz.f32", 1, num(-2), num(-3), 0},
		{"min.f32", num(0), 0x80000000, num(1), 0x80000000},
	} {
		parts := strings.Split(c.form, ".")
		op, err := Lookup3(parts[0], parts[1:])
		if err != nil {
			t.Fatal(err)
		}
		var r [4]V32
		for i := range Width {
			r[1][i], r[2][i], r[3][i] = c.a, c.b, c.c
		}
		op.Fn(&r[0], &r[1], &r[2], &r[3])
		if r[0][0] != c.want || r[0][31] != c.want {
			t.Errorf("%s %#x %#x %#x = %#x, want %#x", c.form, c.a, c.b, c.c, r[0][0], c.want)
		}
	}
	for _, form := range []string{"min.f64", "max.s32", "max.xorsign.abs.f32", "min.f16x2"} {
		parts := strings.Split(form, ".")
		if _, err := Lookup3(parts[0], parts[1:]); err == nil {
			t.Errorf("%s of three operands is known", form)
		}
	}
}
