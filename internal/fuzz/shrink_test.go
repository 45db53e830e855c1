package fuzz

import (
	"context"
	"testing"
)

// TestShrink shrinks programs with a scan in a loop, as if that were a fault.
func TestShrink(t *testing.T) {
	inLoop := func(p *Program) bool {
		found := false
		walkStmts(p.Body, func(s *Stmt) {
			if s.Kind == Loop {
				walkStmts(s.Body, func(s *Stmt) { found = found || s.Kind == Scan })
			}
		})
		return found
	}
	test := func(_ context.Context, p *Program) (Outcome, error) {
		if !inLoop(p) {
			return Outcome{}, nil
		}
		return Outcome{Fault: &Fault{Program: p, Launch: 0, Stage: "pass here", Kind: Differs}}, nil
	}
	shrunk := 0
	for n := uint64(0); shrunk < 8; n++ {
		p := Generate(1, n)
		out, _ := test(t.Context(), p)
		if out.Fault == nil {
			continue
		}
		shrunk++
		small := shrink(t.Context(), test, out.Fault).Program
		again := shrink(t.Context(), test, out.Fault).Program
		if small.Text() != again.Text() {
			t.Errorf("program %d: first\n%s\nthen\n%s", n, small.Text(), again.Text())
		}
		statements := 0
		walkStmts(small.Body, func(*Stmt) { statements++ })
		if !inLoop(small) || statements > 4 || len(small.Launches) != 1 {
			t.Errorf("program %d: left is\n%s", n, small.Text())
		}
	}
}
