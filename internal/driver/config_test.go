package driver

import (
	"context"
	"math"
	"testing"

	"tilec/ir"
	"tilec/lang/types"
)

// eachSearch calls f with the search for the tunables of every kernel of the
// examples, as if the program gave no defaults.
func eachSearch(t *testing.T, f func(t *testing.T, r *ranking)) {
	m := machines(t, "sm_80")[0]
	for _, file := range programs(t, "examples") {
		s := New(context.Background(), Options{})
		p := s.Load(file)
		for _, k := range p.Pick("") {
			t.Run(k.Name, func(t *testing.T) { f(t, newRanking(s, p, k.Kernel, m, configs(k.Kernel, types.Bindings{}, m))) })
		}
	}
}

// TestChoice wants the search to find what is within a few percent of the cheapest
// of all combinations.
func TestChoice(t *testing.T) {
	eachSearch(t, func(t *testing.T, r *ranking) {
		if err := r.descend(false); err != nil {
			t.Fatal(err)
		}
		chosen, looked := r.sorted()[0], len(r.order)
		if err := r.evaluate(r.all...); err != nil {
			t.Fatal(err)
		}
		best := r.sorted()[0]
		if math.IsInf(best.cost, 1) || chosen.cost > 1.05*best.cost {
			t.Errorf("%v costs %.3g; %v costs %.3g", chosen.bindings.Tunes, chosen.cost, best.bindings.Tunes, best.cost)
		}
		if len(r.all) > 2*mostSearched && looked > 3*len(r.all)/4 {
			t.Errorf("looked at %d of %d combinations", looked, len(r.all))
		}
	})
}

// TestRestaged wants what is lowered once for several numbers of stages to be what
// is lowered for each.
func TestRestaged(t *testing.T) {
	shared := 0
	eachSearch(t, func(t *testing.T, r *ranking) {
		if len(r.stages) == 0 {
			return
		}
		for _, b := range r.all[:min(len(r.all), 12)] {
			got, err := r.lowered(b)
			if err != nil {
				t.Fatal(err)
			}
			want, err := r.program.lowered(r.kernel, b)
			if err != nil {
				t.Fatal(err)
			}
			if !ir.Equal(got, want) {
				t.Errorf("%v: %s\nwant %s", b.Tunes, ir.Print(got), ir.Print(want))
			}
			shared++
		}
	})
	if shared == 0 {
		t.Error("no kernel has a tunable for its stages")
	}
}
