package aicore_test

import (
	"fmt"
	"strings"
	"testing"

	"tilec/ir"
	"tilec/ir/aicore"
)

// program is a function around a body.
const program = `scheduled func f {
  dim N = X[0]
  param in X: f32[N, 64] in global
  param out Y: f32[N, 64] in global
  machine "910b"
  grid (core: 1)
%s}
`

// ring is right: a loop loads a tile, works on it and stores the result; two slots take turns, each handed over by flags of its own.
const ring = `  setflag v mte2 0
  setflag v mte2 1
  setflag mte3 v 0
  alloc x: f32[2, 64] in ub
  alloc y: f32[64] in ub offset 512
  var slot: i64 = 0
  for n in 0 .. N {
    if n < N - 1 {
      waitflag v mte2 slot
      copy (j: 64) x[slot, j] = X[n, j] on mte2
      setflag mte2 v slot
      waitflag mte2 v slot
      waitflag mte3 v 0
      map (j: 64) y[j] = exp(x[slot, j]) on v
      setflag v mte2 slot
      pipebarrier v
      map (j: 64) y[j] = y[j] + 1_f32 on v
      setflag v mte3 0
      waitflag v mte3 0
      copy (j: 64) Y[n, j] = y[j] on mte3
      setflag mte3 v 0
    }
    assign slot = select(slot + 1 == 2, 0, slot + 1) // next slot
  }
  waitflag v mte2 0
  waitflag v mte2 1
  waitflag mte3 v 0
`

func ordered(t *testing.T, body string) error {
	t.Helper()
	f, err := ir.Parse("f.tir", fmt.Sprintf(program, body))
	if err != nil {
		t.Fatal(err)
	}
	return aicore.Ordered(f)
}

// Each flag and barrier that is missing is noticed.
func TestOrderedNeedsEveryFlag(t *testing.T) {
	if err := ordered(t, ring); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(ring, "\n")
	dropped := 0
	for i, l := range lines {
		if !strings.Contains(l, "flag") && !strings.Contains(l, "barrier") {
			continue
		}
		dropped++
		if ordered(t, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], "")) == nil {
			t.Errorf("nothing is wrong without line %d: %s", i+1, l)
		}
	}
	if dropped != 15 {
		t.Errorf("%d flags and barriers were left out, want 15", dropped)
	}
	for _, pair := range []string{"v mte2", "mte2 v", "v mte3", "mte3 v"} {
		var rest []string
		for _, l := range lines {
			if !strings.Contains(l, "flag "+pair+" ") {
				rest = append(rest, l)
			}
		}
		if ordered(t, strings.Join(rest, "")) == nil {
			t.Errorf("nothing is wrong without all flags from %s", pair)
		}
	}
}

func TestOrderedOnAllPaths(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"a flag raised in one branch", `
  alloc x: f32[64] in ub
  copy (j: 64) x[j] = X[0, j] on mte2
  if N > 1 {
    setflag mte2 v 0
  }
  waitflag mte2 v 0
  map (j: 64) x[j] = exp(x[j]) on v
`, "on one path to a point and not on another"},
		{"a flag awaited in a loop that may run twice", `
  alloc x: f32[64] in ub
  copy (j: 64) x[j] = X[0, j] on mte2
  setflag mte2 v 0
  for n in 0 .. N {
    waitflag mte2 v 0
    map (j: 64) x[j] = exp(x[j]) on v
  }
`, "on one path to a point and not on another"},
		{"what a loop orders that may not run", `
  alloc x: f32[64] in ub
  alloc y: f32[64] in ub offset 256
  copy (j: 64) x[j] = X[0, j] on mte2
  for n in 0 .. N {
    setflag mte2 v 0
    waitflag mte2 v 0
    map (j: 64) y[j] = 0_f32 on v
    pipebarrier v
  }
  map (j: 64) x[j] = exp(x[j]) on v
`, "pipe v reads x, and may not come after pipe mte2, which writes it"},
		{"a loop that runs for certain", `
  alloc x: f32[64] in ub
  for n in 0 .. N {
    if 0 >= N {
    } else {
      for m in 0 .. N {
        map (j: 64) x[j] = 0_f32 on v
        setflag v mte3 0
        waitflag v mte3 0
        copy (j: 64) Y[n, j] = x[j] on mte3
        setflag mte3 v 1
        waitflag mte3 v 1
      }
    }
  }
`, ""},
		{"bytes that tiles share", `
  alloc x: f32[64] in ub
  alloc y: f32[64] in ub offset 128
  copy (j: 64) x[j] = X[0, j] on mte2
  map (j: 64) y[j] = 0_f32 on v
`, "pipe v writes y, in bytes of x, and may not come after pipe mte2"},
		{"slots of different rings in step", `
  alloc x: f32[2, 64] in ub
  var slot: i64 = 0
  for n in 0 .. N {
    copy (j: 64) x[slot, j] = X[n, j] on mte2
    map (j: 64) x[slot, j] = exp(x[slot, j]) on v
    assign slot = select(slot + 1 == 2, 0, slot + 1) // next slot
  }
`, "pipe v reads x, and may not come after pipe mte2"},
		{"a flag raised twice before it is seen", `
  alloc x: f32[64] in ub
  for n in 0 .. N {
    map (j: 64) x[j] = 0_f32 on v
    setflag v mte3 0
    waitflag v mte3 0
    pipebarrier v
  }
`, "may be raised again before pipe mte3 has seen it"},
		{"a flag left up", `
  setflag v mte3 0
`, "flag v to mte3 0 is up at the end"},
		{"the scalar unit waits for all that is issued later", `
  alloc x: f32[64] in ub
  map (j: 64) x[j] = 0_f32 on v
  setflag v s 0
  waitflag v s 0
  copy (j: 64) Y[0, j] = x[j] on mte3
`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := ordered(t, strings.TrimPrefix(test.body, "\n"))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
