package operand

import (
	"context"
	"math"
	"strings"
	"testing"

	"tilec/runtime/array"
	"tilec/runtime/launch"
)

// wantError fails unless err is nil for an empty want, or contains it.
func wantError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want != "":
		t.Errorf("%s: no error, want %q", name, want)
	case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %q, want %q", name, err, want)
	}
}

func TestView(t *testing.T) {
	a := array.New(array.F32, 4, 6)
	nibbles := array.New(array.I4, 4, 6)
	for _, c := range []struct {
		name    string
		v       View
		typ     array.DType
		strided bool
		want    string
	}{
		{"whole", Whole(a), array.F32, false, ""},
		{"packed", Whole(nibbles), array.I4, true, ""},
		{"none", Whole(nil), array.F32, false, "x: no array, one of f32 with 2 dimensions is needed"},
		{"part", View{Array: a, Offset: 4, Shape: []int{2, 6}}, array.F32, false, ""},
		{"column major", View{Array: a, Shape: []int{6, 4}, Strides: []int{1, 6}}, array.F32, true, ""},
		{"backwards", View{Array: a, Offset: 92, Shape: []int{4, 6}, Strides: []int{-6, -1}}, array.F32, true, ""},
		{"repeated", View{Array: a, Shape: []int{1 << 40, 6}, Strides: []int{0, 1}}, array.F32, true, ""},
		{"nothing anywhere", View{Array: a, Shape: []int{0, 1 << 40}, Strides: []int{1 << 40, 1 << 40}}, array.F32, true, ""},
		{"before the start", View{Array: a, Offset: 88, Shape: []int{4, 6}, Strides: []int{-6, -1}}, array.F32, true, "takes bytes -4 to 92, the array has 96"},
		{"past the end", View{Array: a, Shape: []int{5, 6}}, array.F32, false, "takes bytes 0 to 120"},
		{"far", View{Array: a, Shape: []int{1 << 40, 6}, Strides: []int{1 << 40, 1}}, array.F32, true, "too large"},
		{"far too", View{Array: a, Shape: []int{1 << 40, 1 << 40}}, array.F32, false, "too large"},
		{"negative", View{Array: a, Shape: []int{-1, 6}, Strides: []int{6, 1}}, array.F32, true, "negative extent"},
		{"negative contiguous", View{Array: a, Shape: []int{-1, 6}}, array.F32, false, "negative extent"},
		{"negative offset", View{Array: a, Offset: -4, Shape: []int{1, 6}}, array.F32, false, "from byte -4"},
		{"strides", View{Array: a, Shape: []int{4, 6}, Strides: []int{6, 1}}, array.F32, false, "not strided"},
		{"few strides", View{Array: a, Shape: []int{4, 6}, Strides: []int{6}}, array.F32, true, "1 strides for 2 dimensions"},
		{"packed strides", View{Array: nibbles, Shape: []int{4, 6}, Strides: []int{6, 1}}, array.I4, true, "not supported yet"},
		{"within an element", View{Array: a, Offset: 2, Shape: []int{1, 6}}, array.F32, false, "an offset of 2 bytes"},
	} {
		check := Check("k")
		check.View("x", c.v, c.typ, 2, c.strided)
		wantError(t, c.name, check.Err(), c.want)
	}
	if got := Whole(a).Stride(0); got != 6 {
		t.Errorf("rows are %d elements apart", got)
	}
	if v := (View{Offset: 24}); v.Aligned(16) || !v.Aligned(8) || v.Aligned(512) {
		t.Error("alignment of an offset of 24 bytes")
	}
}

func TestChecks(t *testing.T) {
	a, b := array.New(array.F32, 4, 6), array.New(array.F32, 4, 6)
	for _, c := range []struct {
		name string
		do   func(c *Checks)
		want string
	}{
		{"nothing", func(*Checks) {}, ""},
		{"first error", func(c *Checks) { c.Require(false, "one"); c.Require(false, "two") }, "k: requirement not met: one"},
		{"met", func(c *Checks) { c.Require(true, "one") }, ""},
		{"extent", func(c *Checks) { c.Extent("x", Whole(a), 1, "N", 7) }, "k: x: shape [4 6]: dimension 1 is 6, but N = 7"},
		{"constant", func(c *Checks) { c.Extent("x", Whole(a), 1, "7", 7) }, "dimension 1 is 6, 7 is needed"},
		{"no such extent", func(c *Checks) { c.Extent("x", View{}, 1, "7", 7) }, ""},
		{"large", func(c *Checks) { c.Dim("x", View{Shape: []int{1 << 50}}, 0) }, "dimension 0 is 1125899906842624, at most 281474976710656 is possible"},
		{"apart", func(c *Checks) { c.Apart("x", Whole(a), "y", Whole(b)) }, ""},
		{"together", func(c *Checks) { c.Apart("x", Whole(a), "y", Whole(a)) }, "x and y share memory"},
		{"overlapping", func(c *Checks) {
			c.Apart("x", Whole(a), "y", View{Array: &array.Array{DType: array.F32, Shape: []int{1}, Data: a.Data[92:]}})
		}, "x and y share memory"},
		{"no arrays", func(c *Checks) { c.Apart("x", View{}, "y", View{}) }, ""},
		{"integer", func(c *Checks) { c.Int("n", array.U8, 255); c.Int("n", array.I64, -1); c.Int("n", array.Bool, 1) }, ""},
		{"too large", func(c *Checks) { c.Int("n", array.U8, 256) }, "n: 256 is not a value of u8"},
		{"unsigned", func(c *Checks) { c.Int("n", array.U32, -1) }, "n: -1 is not a value of u32"},
		{"large", func(c *Checks) { c.Int("n", array.U64, -1) }, ""}, // 2^64 - 1
		{"no bool", func(c *Checks) { c.Int("n", array.Bool, 2) }, "n: 2 is not a value of bool"},
		{"blocks", func(c *Checks) { c.Blocks(1<<16, 1<<15) }, "at most 2147483647 in all"},
		{"most blocks", func(c *Checks) { c.Blocks(math.MaxInt32, 1) }, ""},
		{"instances", func(c *Checks) { c.PersistentBlocks(1, 1<<32, 1<<32) }, "at most 9223372036854775807 in all"},
	} {
		check := Check("k")
		c.do(check)
		wantError(t, c.name, check.Err(), c.want)
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		counts []int64
		want   int64
	}{
		{nil, 1}, {[]int64{3, 4}, 12}, {[]int64{1 << 40, 1 << 40, 0}, 0}, {[]int64{-1, -1}, 0},
	} {
		check := Check("k")
		if got := check.Blocks(c.counts...); got != c.want || check.Err() != nil {
			t.Errorf("%v: %d blocks, error %v; want %d", c.counts, got, check.Err(), c.want)
		}
		if got := check.PersistentBlocks(5, c.counts...); got != min(c.want, 5) {
			t.Errorf("%v: %d persistent blocks", c.counts, got)
		}
	}
}

func TestDivision(t *testing.T) {
	for _, c := range []struct{ x, y, quotient, rest int64 }{
		{7, 2, 3, 1}, {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1}, {6, -2, -3, 0}, {5, 0, 0, 0}, {math.MinInt64, -1, math.MinInt64, 0},
	} {
		if q, r := FloorDiv(c.x, c.y), FloorMod(c.x, c.y); q != c.quotient || r != c.rest {
			t.Errorf("%d / %d = %d rest %d, want %d rest %d", c.x, c.y, q, r, c.quotient, c.rest)
		}
	}
	if q, r := FloorDiv[uint8](250, 7), FloorMod[uint8](250, 7); q != 35 || r != 5 {
		t.Errorf("250 / 7 = %d rest %d", q, r)
	}
	if r := FloorModFloat(-1, 3); r != 2 {
		t.Errorf("-1 mod 3 = %g", r)
	}
}

func TestShifts(t *testing.T) {
	for _, c := range []struct{ x, n, left, right int32 }{
		{3, 1, 6, 1}, {-3, 1, -6, -2}, {3, 32, 0, 0}, {-3, 32, 0, -1}, {-3, -1, 0, -1}, {3, -1, 0, 0},
	} {
		if l, r := Shl(c.x, c.n), Shr(c.x, c.n); l != c.left || r != c.right {
			t.Errorf("%d by %d: %d and %d, want %d and %d", c.x, c.n, l, r, c.left, c.right)
		}
	}
}

func TestNumbers(t *testing.T) {
	nan := math.NaN()
	if MinFloat(nan, 1) != 1 || MinFloat(1, nan) != 1 || MaxFloat(nan, 1) != 1 || MaxFloat(1, nan) != 1 || MinFloat(1.0, 2) != 1 || MaxFloat(1.0, 2) != 2 {
		t.Error("minimum and maximum")
	}
	if Truncate(array.I8, -300) != -128 || Truncate(array.I32, -2.9) != -2 || Truncate(array.U8, nan) != 0 {
		t.Error("truncation")
	}
	if Round(array.F16, 1+0x1p-12) != 1 {
		t.Error("rounding")
	}
	if Bool(true) != launch.Int(array.Bool, 1) || Bool(false) != launch.Int(array.Bool, 0) {
		t.Error("bools")
	}
}

// plain is a launcher that says nothing of itself, talkative one that does.
type plain struct{}

func (plain) Launch(context.Context, *launch.Kernel, [3]int64, [3]int, int, []launch.Arg) error {
	return nil
}

type talkative struct {
	plain
	arch string
}

func (t talkative) Arch() string  { return t.arch }
func (talkative) Processors() int { return 132 }

func TestLaunchers(t *testing.T) {
	if n := Processors(plain{}); n != defaultProcessors {
		t.Errorf("%d processors", n)
	}
	if n := Processors(talkative{}); n != 132 {
		t.Errorf("%d processors", n)
	}
	archs := []string{"sm_120", "sm_80", "sm_90a", "sm_86"}
	for own, want := range map[string]int{"sm_80": 1, "sm_87": 3, "sm_86": 3, "sm_90": 2, "sm_100": 3, "sm_121": 0, "sm_75": 0, "what": 0} {
		if got := Best(talkative{arch: own}, archs...); got != want {
			t.Errorf("%s runs %s, want %s", own, archs[got], archs[want])
		}
	}
	if Best(plain{}, archs...) != 0 {
		t.Error("a launcher that says nothing gets the first")
	}
}
