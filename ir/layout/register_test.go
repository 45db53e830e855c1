package layout

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// random draws a register layout over the given number of dimensions.
func random(t *rapid.T, rank int) *Layout {
	shape := make([]int, rank)
	for d := range shape {
		shape[d] = 1 << rapid.IntRange(0, 4).Draw(t, "size")
	}
	bases := func(n int) [][]int {
		b := make([][]int, n)
		for i := range b {
			b[i] = make([]int, rank)
			for d := range rank {
				b[i][d] = rapid.IntRange(0, shape[d]-1).Draw(t, "basis")
			}
		}
		return b
	}
	return Distributed(shape, bases(rapid.IntRange(0, 4).Draw(t, "regs")), bases(5), bases(rapid.IntRange(0, 2).Draw(t, "warps")))
}

// inputs draws a value of each input.
func inputs(t *rapid.T, l *Layout) []int {
	in := make([]int, len(l.In))
	for i := range in {
		in[i] = rapid.IntRange(0, l.Size(l.In[i].Name)-1).Draw(t, l.In[i].Name)
	}
	return in
}

// each calls f with every value of the inputs and its coordinates.
func each(l *Layout, f func(in, out []int)) {
	in := make([]int, len(l.In))
	var walk func(i int)
	walk = func(i int) {
		if i == len(in) {
			f(in, l.Apply(in...))
			return
		}
		for v := range l.Size(l.In[i].Name) {
			in[i] = v
			walk(i + 1)
		}
	}
	walk(0)
}

func TestApplyIsLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := random(t, rapid.IntRange(0, 3).Draw(t, "rank"))
		x, y := inputs(t, l), inputs(t, l)
		both, want := make([]int, len(x)), l.Apply(x...)
		for i := range x {
			both[i] = x[i] ^ y[i]
		}
		for o, c := range l.Apply(y...) {
			want[o] ^= c
		}
		if diff := cmp.Diff(want, l.Apply(both...)); diff != "" {
			t.Fatalf("%s at %v and %v:\n%s", l, x, y, diff)
		}
		if slices.ContainsFunc(l.Apply(make([]int, len(l.In))...), func(c int) bool { return c != 0 }) {
			t.Fatalf("%s moves the origin", l)
		}
	})
}

func TestApplyToOverwrites(t *testing.T) {
	l := Blocked([]int{8, 8}, []int{1, 0}, 2, 1)
	out := []int{7, 7}
	l.ApplyTo(out, 1, 4, 0)
	if diff := cmp.Diff([]int{1, 1}, out); diff != "" {
		t.Error(diff)
	}
}

// TestProjectDropsCoordinates compares a projection, register by register, with
// the layout that it is of.
func TestProjectDropsCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := random(t, 3)
		dims := rapid.SliceOfNDistinct(rapid.IntRange(0, 2), 0, 3, rapid.ID[int]).Draw(t, "dims")
		p := l.Project(dims...)
		to := l.RegisterOf(dims...)
		if len(to) != len(l.Bases(Reg)) {
			t.Fatalf("%d register bits, %d mapped", len(l.Bases(Reg)), len(to))
		}
		in := inputs(t, l)
		reg := 0
		for b, r := range to {
			if in[0]>>b&1 != 0 && r >= 0 {
				reg |= 1 << r
			}
		}
		var want []int
		for _, d := range dims {
			want = append(want, l.Apply(in...)[d])
		}
		got := p.Apply(reg, in[1], in[2])
		if !slices.Equal(want, got) {
			t.Fatalf("%s onto %v is %s: register %d of lane %d and warp %d has %v, register %d of the projection %v", l, dims, p, in[0], in[1], in[2], want, reg, got)
		}
		for b, r := range to {
			if r < 0 && !isZero(pickOf(l.Bases(Reg)[b], dims)) {
				t.Fatalf("register bit %d matters to %v but is dropped", b, dims)
			}
		}
	})
}

func pickOf(basis, dims []int) []int {
	var out []int
	for _, d := range dims {
		out = append(out, basis[d])
	}
	return out
}

func TestBroadcastAddsCoordinatesOfOnePoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := random(t, 2)
		dims := rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 2, 2, rapid.ID[int]).Draw(t, "dims")
		b := l.Broadcast(4, dims...)
		in := inputs(t, l)
		want := make([]int, 4)
		for i, d := range dims {
			want[d] = l.Apply(in...)[i]
		}
		if got := b.Apply(in...); !slices.Equal(want, got) {
			t.Fatalf("%s to %v is %s: at %v %v, want %v", l, dims, b, in, got, want)
		}
		for d, n := range b.Shape() {
			if !slices.Contains(dims, d) && n != 1 {
				t.Fatalf("dimension %d has extent %d", d, n)
			}
		}
		if back := b.Project(dims...); !slices.Equal(back.Shape(), l.Shape()) || !back.SameThreads(dropZeroRegisters(l)) {
			t.Fatalf("%s to %v and back is %s", l, dims, back)
		}
	})
}

func dropZeroRegisters(l *Layout) *Layout { return l.Project(0, 1) }

// TestBlockedCoversWithWideAccesses: each element is held, vec neighbours lie in
// one thread's registers from a multiple of vec on, and lanes that follow each
// other hold what follows each other.
func TestBlockedCoversWithWideAccesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(1, 3).Draw(t, "rank")
		shape := make([]int, rank)
		for d := range shape {
			shape[d] = rapid.IntRange(1, 40).Draw(t, "extent")
		}
		order := rapid.Permutation(RowMajor(rank)).Draw(t, "order")
		vec := 1 << rapid.IntRange(0, 4).Draw(t, "vec")
		warps := 1 << rapid.IntRange(0, 3).Draw(t, "warps")
		l := Blocked(shape, order, vec, warps)
		if l.Size(Lane) != 32 || l.Size(Warp) != warps {
			t.Fatalf("%s has %d lanes and %d warps", l, l.Size(Lane), l.Size(Warp))
		}
		if !l.Covers() || !l.Simple() {
			t.Fatalf("%s covers %v, simple %v", l, l.Covers(), l.Simple())
		}
		fast := order[0]
		vec = min(vec, Pow2(shape[fast]))
		for r := range vec {
			want := make([]int, rank)
			want[fast] = r
			if got := l.Apply(r, 0, 0); !slices.Equal(got, want) {
				t.Fatalf("%s: register %d is at %v", l, r, got)
			}
		}
		if Pow2(shape[fast]) > vec {
			if got := l.Apply(0, 1, 0)[fast]; got != vec {
				t.Fatalf("%s: lane 1 starts at %d, not %d", l, got, vec)
			}
		}
	})
}

func TestCoversCountsElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := random(t, 2)
		seen := map[string]bool{}
		each(l, func(_, out []int) { seen[fmt.Sprint(out)] = true })
		if want := len(seen) == l.Out[0].Size*l.Out[1].Size; l.Covers() != want {
			t.Fatalf("%s holds %d elements, covers %v", l, len(seen), l.Covers())
		}
	})
}

func TestReplicatedGivesAllToEachThread(t *testing.T) {
	l := Replicated([]int{3, 4}, 2)
	for lane := range 32 {
		for warp := range 2 {
			seen := map[[2]int]bool{}
			for r := range l.Size(Reg) {
				at := l.Apply(r, lane, warp)
				seen[[2]int{at[0], at[1]}] = true
			}
			if len(seen) != 16 {
				t.Fatalf("lane %d of warp %d holds %d elements of 16", lane, warp, len(seen))
			}
		}
	}
}

// TestScanKeepsLinesWhole: a thread that holds one element of a line along the
// axis holds them all, and the whole tile is held.
func TestScanKeepsLinesWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(1, 3).Draw(t, "rank")
		shape := make([]int, rank)
		for d := range shape {
			shape[d] = rapid.IntRange(1, 20).Draw(t, "extent")
		}
		axis := rapid.IntRange(0, rank-1).Draw(t, "axis")
		l := Scan(shape, axis, 1<<rapid.IntRange(0, 2).Draw(t, "warps"))
		if !l.Covers() {
			t.Fatalf("%s misses elements", l)
		}
		for r := range Pow2(shape[axis]) {
			want := make([]int, rank)
			want[axis] = r
			if got := l.Apply(r, 0, 0); !slices.Equal(got, want) {
				t.Fatalf("%s: register %d of the first thread is at %v, not along axis %d", l, r, got, axis)
			}
		}
		for _, in := range []string{Lane, Warp} {
			for _, basis := range l.Bases(in) {
				if basis[axis] != 0 {
					t.Fatalf("%s cuts lines along axis %d over %ss", l, axis, in)
				}
			}
		}
	})
}

func TestSameThreadsAgreesWithEnumeration(t *testing.T) {
	l := Blocked([]int{16, 16}, []int{1, 0}, 2, 2)
	regs := slices.Clone(l.Bases(Reg))
	slices.Reverse(regs)
	reordered := Distributed([]int{16, 16}, regs, l.Bases(Lane), l.Bases(Warp))
	if !l.SameThreads(reordered) || !l.Holds(reordered) || !reordered.Holds(l) {
		t.Errorf("%s and %s have the same elements in other registers", l, reordered)
	}
	for _, other := range []*Layout{
		Blocked([]int{16, 16}, []int{0, 1}, 2, 2),
		Blocked([]int{16, 16}, []int{1, 0}, 4, 2),
		Blocked([]int{16, 16}, []int{1, 0}, 2, 4),
		Blocked([]int{16, 8}, []int{1, 0}, 2, 2),
		Blocked([]int{256}, []int{0}, 2, 2),
	} {
		if l.SameThreads(other) {
			t.Errorf("%s and %s spread elements alike", l, other)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		l, m := random(t, 2), random(t, 2)
		if slices.Equal(l.Shape(), m.Shape()) && l.SameThreads(m) && !(l.Holds(m) && m.Holds(l)) {
			t.Fatalf("%s and %s: the same threads, other elements", l, m)
		}
	})
}

func TestSimpleCoordinatesAreSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := random(t, 2)
		if !l.Simple() {
			return
		}
		sum := make([]int, 2)
		in := inputs(t, l)
		for i := range l.In {
			one := make([]int, len(l.In))
			one[i] = in[i]
			for d, c := range l.Apply(one...) {
				sum[d] += c
			}
		}
		if got := l.Apply(in...); !slices.Equal(got, sum) {
			t.Fatalf("%s: %v is not the sum %v", l, got, sum)
		}
	})
}

func TestPow2AndLog2(t *testing.T) {
	for n, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 1 << 20: 1 << 20, 1<<20 + 1: 1 << 21} {
		if got := Pow2(n); got != want || Log2(got) < 0 || 1<<Log2(got) != got {
			t.Errorf("Pow2(%d) = %d, want %d; its logarithm is %d", n, got, want, Log2(got))
		}
	}
}

func TestBlockedNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := 1 << rapid.IntRange(0, 7).Draw(t, "rows")
		cols := 1 << rapid.IntRange(3, 7).Draw(t, "columns")
		warps := 1 << rapid.IntRange(0, 3).Draw(t, "warps")
		l := BlockedNear([]int{rows, cols}, []int{1, 0}, 8, warps, 8)
		if !l.Covers() || l.Size(Reg) != Blocked([]int{rows, cols}, []int{1, 0}, 8, warps).Size(Reg) {
			t.Fatalf("%s does not hold each element as often as Blocked", l)
		}
		for _, basis := range l.Bases(Reg) {
			if basis[0] == 0 {
				continue
			}
			if perWarp := max(256/cols, 1); basis[0] > max(perWarp, 8) && perWarp*warps >= 8 && rows >= 8*warps {
				t.Fatalf("%s: the first rows of a thread lie %d apart", l, basis[0])
			}
			break
		}
	})
}
