package layout

import (
	"testing"

	"pgregory.net/rapid"
)

// touched lists, by thread, the elements that a thread has in its registers.
func touched(l *Layout) map[[2]int]map[string]bool {
	all := map[[2]int]map[string]bool{}
	for w := range l.Size(Warp) {
		for t := range l.Size(Lane) {
			set := map[string]bool{}
			for r := range l.Size(Reg) {
				key := ""
				for _, c := range l.Apply(r, t, w) {
					key += string(rune('a'+c)) + "."
				}
				set[key] = true
			}
			all[[2]int{t, w}] = set
		}
	}
	return all
}

func TestHoldsAgreesWithEnumeration(t *testing.T) {
	random := func(t *rapid.T, label string) *Layout {
		bases := func(n int) [][]int {
			var b [][]int
			for range n {
				b = append(b, []int{rapid.IntRange(0, 3).Draw(t, label), rapid.IntRange(0, 1).Draw(t, label)})
			}
			return b
		}
		return Distributed([]int{4, 2}, bases(rapid.IntRange(0, 3).Draw(t, "reg")), bases(2), bases(1))
	}
	rapid.Check(t, func(t *rapid.T) {
		l, m := random(t, "l"), random(t, "m")
		want := true
		held := touched(l)
		for thread, elements := range touched(m) {
			for e := range elements {
				want = want && held[thread][e]
			}
		}
		if got := l.Holds(m); got != want {
			t.Fatalf("%s holds %s: got %v, want %v", l, m, got, want)
		}
	})
}
