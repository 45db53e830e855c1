package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPostDominators(t *testing.T) {
	cases := []struct {
		name  string
		succs [][]int
		leave []bool
		want  []int
	}{
		{"straight", [][]int{{1}, {2}, {}}, nil, []int{1, 2, None}},
		{"diamond", [][]int{{1, 2}, {3}, {3}, {4}, {}}, nil, []int{3, 3, 3, 4, None}},
		{"if", [][]int{{1, 2}, {2}, {3}, {}}, nil, []int{2, 2, 3, None}},
		{"loop", [][]int{{1}, {2, 3}, {1}, {4}, {}}, nil, []int{1, 3, 1, 4, None}},
		{"break", [][]int{{1}, {2, 5}, {3, 4}, {5}, {1}, {6}, {}}, nil, []int{1, 5, 5, 5, 1, 6, None}},
		// Node 1 may return early: its threads don't hold up the join at 3.
		{"early return", [][]int{{1, 3}, {5, 2}, {3}, {4}, {5}, {}}, []bool{5: true}, []int{3, 2, 3, 4, 5, None}},
		{"endless", [][]int{{1}, {2}, {1}}, nil, []int{1, 2, None}},
		{"guarded body", [][]int{{2, 1}, {2}, {}}, []bool{2: true}, []int{1, 2, None}},
		{"shared tail", [][]int{{2, 1}, {2}, {}}, nil, []int{2, 2, None}},
		// The only way out of the loop is its latch, 2, and 4 stands behind the end.
		{"block behind the end", [][]int{{1, 3}, {4, 2}, {3, 1}, {}, {2}}, []bool{3: true, 4: false}, []int{1, 2, None, None, 2}},
		{"two ends", [][]int{{1, 2}, {}, {}}, nil, []int{None, None, None}},
	}
	for _, c := range cases {
		if d := cmp.Diff(c.want, Graph{c.succs, c.leave}.PostDominators()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestReachable(t *testing.T) {
	got := Graph{Succs: [][]int{{2}, {2}, {0}}}.Reachable()
	if d := cmp.Diff([]bool{true, false, true}, got); d != "" {
		t.Error(d)
	}
}
