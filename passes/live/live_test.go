package live_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/ir"
	"tilec/passes/live"
)

func TestPack(t *testing.T) {
	for _, test := range []struct {
		name   string
		ranges []*live.Range
		want   []int64
		end    int64
	}{
		{"never at once", []*live.Range{{Bytes: 64, From: 1, To: 2}, {Bytes: 32, From: 3, To: 4}}, []int64{0, 0}, 64},
		{"at once", []*live.Range{{Bytes: 64, From: 1, To: 3}, {Bytes: 32, From: 3, To: 4}}, []int64{0, 64}, 96},
		{"the largest first", []*live.Range{{Bytes: 32, From: 1, To: 3}, {Bytes: 64, From: 3, To: 4}}, []int64{64, 0}, 96},
		{"aligned", []*live.Range{{Bytes: 33, From: 1, To: 3}, {Bytes: 32, From: 3, To: 4}}, []int64{0, 48}, 80},
		{"into a gap", []*live.Range{{Bytes: 64, From: 1, To: 2}, {Bytes: 48, From: 2, To: 5}, {Bytes: 32, From: 5, To: 6}}, []int64{0, 64, 0}, 112},
	} {
		offsets, end := live.Pack(test.ranges, 16)
		if diff := cmp.Diff(test.want, offsets); diff != "" || end != test.end {
			t.Errorf("%s: ends at %d, want %d; (-want +got)\n%s", test.name, end, test.end, diff)
		}
	}
}

// Tiles that are alive at once share no byte.
func TestPackKeepsApart(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var ranges []*live.Range
		for range 1 + random.IntN(30) {
			from := random.IntN(20)
			ranges = append(ranges, &live.Range{Bytes: 1 + random.Int64N(200), From: from, To: from + random.IntN(6)})
		}
		offsets, end := live.Pack(ranges, 32)
		for i, a := range ranges {
			if offsets[i]%32 != 0 || offsets[i] < 0 || offsets[i]+a.Bytes > end {
				t.Fatalf("offset %d of %d bytes, end %d", offsets[i], a.Bytes, end)
			}
			for j, b := range ranges[:i] {
				apart := a.To < b.From || b.To < a.From || offsets[i]+a.Bytes <= offsets[j] || offsets[j]+b.Bytes <= offsets[i]
				if !apart {
					t.Fatalf("%+v at %d and %+v at %d share bytes", *a, offsets[i], *b, offsets[j])
				}
			}
		}
	}
}

func TestRanges(t *testing.T) {
	tile := func(name string) *ir.Buffer { return &ir.Buffer{Name: name, Space: ir.Shared} }
	alloc := func(b *ir.Buffer) *ir.Op { return &ir.Op{Code: ir.OpAlloc, Buf: b} }
	fill := func(b *ir.Buffer) *ir.Op { return &ir.Op{Code: ir.OpMap, Dst: &ir.Access{Buf: b}} }
	before, carried, inside, late, unused, other := tile("before"), tile("carried"), tile("inside"), tile("late"), tile("unused"), tile("other")
	other.Space = ir.Register
	f := &ir.Func{Body: &ir.Block{Ops: []*ir.Op{
		alloc(before), alloc(carried), alloc(unused), alloc(other), // 1 … 4
		fill(before), fill(other), // 5, 6
		{Code: ir.OpFor, Body: &ir.Block{Ops: []*ir.Op{ // 7
			alloc(inside), fill(inside), fill(carried), // 8 … 10
		}}}, // ends at 11
		alloc(late), fill(late), // 12, 13
	}}}
	got := map[string][2]int{}
	for _, r := range live.Ranges(f, func(b *ir.Buffer) bool { return b.Space == ir.Shared }, func(*ir.Buffer) int64 { return 1 }) {
		got[r.Buf.Name] = [2]int{r.From, r.To}
	}
	want := map[string][2]int{"before": {5, 5}, "carried": {7, 11}, "inside": {9, 9}, "late": {13, 13}, "unused": {-1, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
