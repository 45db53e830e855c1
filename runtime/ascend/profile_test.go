package ascend_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/runtime/ascend"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	core := func(cube bool, cycles, busy float64, name string) ascend.Counters {
		return ascend.Counters{Core: ascend.Core{Cube: cube}, Cycles: cycles, Busy: map[string]float64{name: busy, "FIX": 0}, Flags: 2,
			Instructions: map[string]int64{name + " x": 3}, Bytes: map[string]int64{"GM>L1": 64}}
	}
	idle := ascend.Counters{Core: ascend.Core{Cube: true}}
	r := ascend.Report{Cores: []ascend.Counters{core(true, 100, 50, "M"), core(false, 200, 20, "V"), core(true, 300, 250, "M"), idle}}
	p := r.Profile()
	want := &ascend.Profile{Cycles: 300, Kinds: []ascend.KindProfile{
		{Cube: true, Cores: 2, Cycles: 200, Busy: map[string]float64{"M": 0.75}, Instructions: map[string]int64{"M x": 6}, Bytes: map[string]int64{"GM>L1": 128}, Flags: 4},
		{Cores: 1, Cycles: 200, Busy: map[string]float64{"V": 0.1}, Instructions: map[string]int64{"V x": 3}, Bytes: map[string]int64{"GM>L1": 64}, Flags: 2},
	}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	var text strings.Builder
	if err := p.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"2 cube cores", "75.0 %", "128 bytes"} {
		if !strings.Contains(text.String(), s) {
			t.Errorf("no %q in\n%s", s, text.String())
		}
	}
}
