package passes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
)

// nested is a function of loops or branches in one another, depth of them, around
// a statement that passes values between threads.
func nested(head string, depth int) string {
	var b strings.Builder
	b.WriteString("tile func f {\n  param in X: f32[64] in global\n  param out Y: f32[64] in global\n  grid ()\n  alloc x: f32[64] in shared pinned\n  alloc y: f32[64]\n  alloc z: f32[64]\n  map (i: 64) x[i] = X[i]\n  map (i: 64) z[i] = X[i]\n")
	for d := range depth {
		fmt.Fprintf(&b, head+" {\n", d)
	}
	b.WriteString("map (i: 64) y[i] = x[63 - i]\nmap (i: 64) x[i] = y[i]\n")
	b.WriteString(strings.Repeat("}\n", depth))
	b.WriteString("map (i: 64) Y[i] = x[63 - i] + z[i]\n}\n")
	return b.String()
}

// TestDeepNestingTakesNoTime runs all passes on blocks nested deeper than any
// program nests them: none may go through a block more than a few times for each
// block around it.
func TestDeepNestingTakesNoTime(t *testing.T) {
	m, err := machine.Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range []string{"for k%d in 0 .. 2", "for k%d in 0 .. 2 pipeline stages 2", "if X[%d] > 0_f32", "while X[%d] > 0_f32"} {
		f, err := ir.Parse("f.tir", nested(head, 60))
		if err != nil {
			t.Fatal(err)
		}
		times := map[string]time.Duration{}
		start := time.Now()
		for _, p := range Table() {
			begin := time.Now()
			ctx := &Context{Machine: m, Reporter: &diag.Reporter{}}
			if err := RunList(ctx, f, []Pass{p}, Options{Verify: true}); err != nil {
				t.Fatalf("%s: %v %v", p.Name, err, ctx.Reporter.Sorted())
			}
			times[p.Name] = time.Since(begin)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: 60 in one another take %v: %v", head, took, times)
		}
	}
}
