package types

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func testDims() []*Scalar {
	var dims []*Scalar
	for i, name := range []string{"M", "N", "K"} {
		dims = append(dims, &Scalar{named: named{Name: name}, Kind: Dim, Type: indexType, id: i, limit: atLeast(0)})
	}
	return dims
}

// formula is an extent and, independently, how to compute it.
type formula struct {
	extent Extent
	value  func(map[*Scalar]int64) (int64, bool)
}

// drawFormula makes a random formula over dimensions.
func drawFormula(t *rapid.T, dims []*Scalar, depth int) formula {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		if rapid.Bool().Draw(t, "number") {
			n := rapid.Int64Range(-4, 130).Draw(t, "n")
			return formula{ConstExtent(n), func(map[*Scalar]int64) (int64, bool) { return n, true }}
		}
		d := rapid.SampledFrom(dims).Draw(t, "dim")
		return formula{scalarExtent(d), func(m map[*Scalar]int64) (int64, bool) { return m[d], true }}
	}
	x, y := drawFormula(t, dims, depth-1), drawFormula(t, dims, depth-1)
	type op struct {
		extent func(a, b Extent) Extent
		value  func(a, b int64) (int64, bool)
	}
	total := func(f func(a, b int64) int64) func(a, b int64) (int64, bool) {
		return func(a, b int64) (int64, bool) { return f(a, b), true }
	}
	nonzero := func(f func(a, b float64) float64) func(a, b int64) (int64, bool) {
		return func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return int64(f(float64(a), float64(b))), true
		}
	}
	o := rapid.SampledFrom([]op{
		{Extent.Add, total(func(a, b int64) int64 { return a + b })},
		{Extent.Sub, total(func(a, b int64) int64 { return a - b })},
		{Extent.Mul, total(func(a, b int64) int64 { return a * b })},
		{Extent.Div, nonzero(func(a, b float64) float64 { return math.Floor(a / b) })},
		{Extent.CeilDiv, nonzero(func(a, b float64) float64 { return math.Ceil(a / b) })},
		{Extent.Mod, nonzero(func(a, b float64) float64 { return a - b*math.Floor(a/b) })},
		{Extent.Min, total(func(a, b int64) int64 { return min(a, b) })},
		{Extent.Max, total(func(a, b int64) int64 { return max(a, b) })},
	}).Draw(t, "op")
	return formula{o.extent(x.extent, y.extent), func(m map[*Scalar]int64) (int64, bool) {
		a, ok1 := x.value(m)
		b, ok2 := y.value(m)
		if !ok1 || !ok2 {
			return 0, false
		}
		return o.value(a, b)
	}}
}

func drawValues(t *rapid.T, dims []*Scalar) map[*Scalar]int64 {
	m := map[*Scalar]int64{}
	for _, d := range dims {
		m[d] = rapid.Int64Range(0, 300).Draw(t, d.Name)
	}
	return m
}

// TestExtentValues: simplification keeps the value, bounds hold it, and what is proved of two formulas is true of their
// values.
func TestExtentValues(t *testing.T) {
	dims := testDims()
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawFormula(t, dims, 3), drawFormula(t, dims, 2)
		m := drawValues(t, dims)
		at := func(s *Scalar) (int64, bool) { return m[s], true }
		want, ok := x.value(m)
		if !ok || !x.extent.Known() || want > 1<<50 || want < -1<<50 {
			return
		}
		got, ok := x.extent.Eval(at)
		if !ok {
			return // a division by zero that the formula keeps
		}
		if got != want {
			t.Fatalf("%s is %d at %v, want %d", x.extent, got, m, want)
		}
		if r := x.extent.bounds(); r.loOK && got < r.lo || r.hiOK && got > r.hi {
			t.Fatalf("%s is %d, outside its bounds %+v", x.extent, got, r)
		}
		other, ok := y.extent.Eval(at)
		if ok && x.extent.LessEqual(y.extent) && got > other {
			t.Fatalf("%s ≤ %s was proved, but %d > %d at %v", x.extent, y.extent, got, other, m)
		}
		if ok && x.extent.Equal(y.extent) && got != other {
			t.Fatalf("%s and %s compare equal, but %d != %d", x.extent, y.extent, got, other)
		}
	})
}

func TestExtentForms(t *testing.T) {
	d := testDims()
	m, n, k := scalarExtent(d[0]), scalarExtent(d[1]), scalarExtent(d[2])
	c := ConstExtent
	for _, test := range []struct {
		got  Extent
		want string
	}{
		{n.Mul(c(2)), "2*N"},
		{n.Add(n), "2*N"},
		{n.Sub(n), "0"},
		{n.Add(c(1)).Mul(n.Sub(c(1))), "N*N - 1"},
		{m.Add(n).Mul(k), "K*M + K*N"},
		{k.Div(c(128)), "K / 128"},
		{k.Div(c(128)).Add(c(1)), "(K / 128) + 1"},
		{k.Mul(c(128)).Add(m).Div(c(128)), "(M / 128) + K"},
		{n.CeilDiv(c(64)), "ceildiv(N, 64)"},
		{n.CeilDiv(c(64)).Mul(c(64)), "64*ceildiv(N, 64)"},
		{n.Mul(c(8)).Mod(c(4)), "0"},
		{n.Mul(c(8)).Add(k).Mod(c(4)), "K % 4"},
		{n.Min(n.Add(c(1))), "N"},
		{n.Max(k), "max(N, K)"},
		{m.Div(n), "M / N"},
		{n.Sub(c(1)), "N - 1"},
		{c(3).Sub(n), "-N + 3"},
		{c(7).Div(c(-2)), "-4"},
		{m.Add(n).Div(c(2)), "(M + N) / 2"},
		{unknownExtent().Add(n), "?"},
	} {
		if test.got.String() != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
	if !n.LessEqual(n.Mul(c(2))) || n.Mul(c(2)).LessEqual(n) || n.LessEqual(k) || !n.Div(c(2)).LessEqual(n.Div(c(2))) {
		t.Error("wrong order")
	}
}

// TestExtentOverflow: what leaves 64 bits, or grows beyond bounds, is unknown rather than wrong.
func TestExtentOverflow(t *testing.T) {
	d := testDims()
	n := scalarExtent(d[0])
	big := n.Mul(ConstExtent(math.MaxInt64))
	if big.Add(n).Known() || big.Mul(ConstExtent(2)).Known() {
		t.Error("an overflow is known")
	}
	for range 20 {
		n = n.Mul(n.Add(ConstExtent(1)))
	}
	if n.Known() {
		t.Error("an endless polynomial is known")
	}
	for _, x := range []int64{math.MinInt64, math.MaxInt64, 0, -1} {
		for _, y := range []int64{math.MinInt64, math.MaxInt64, 0, -1} {
			a, b := ConstExtent(x), ConstExtent(y)
			for _, e := range []Extent{a.Add(b), a.Sub(b), a.Mul(b), a.Div(b), a.CeilDiv(b), a.Mod(b), a.Min(b), a.Max(b)} {
				_ = e.String()
				e.bounds()
				e.Eval(func(*Scalar) (int64, bool) { return 0, true })
			}
		}
	}
}
