package driver

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tilec/codegen/cuda"
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/types"
	"tilec/runtime/ptx"
)

// bugProgram uses shared memory, asynchronous copies, masks and the matrix unit.
const bugProgram = `kernel matmul(A: f16[M, K], B: f16[K, N], C: out f16[M, N]) {
    grid (bx: ceildiv(N, 64), by: ceildiv(M, 64)) {
        tile a: f16[64, 32]
        tile b: f16[32, 64]
        tile acc: f32[64, 64] = 0
        pipeline k in 0 .. ceildiv(K, 32), 3 {
            copy A[by*64, k*32] -> a
            copy B[k*32, bx*64] -> b
            gemm a, b -> acc
        }
        copy acc -> C[by*64, bx*64]
    }
    spec { C[m, n] = sum[k](A[m, k] * B[k, n]) }
}

test "ragged" matmul { M = 72, N = 80, K = 200 }
`

// TestDeliberateBugs puts mistakes that passes could make into the scheduled form,
// and into the emitted text, and wants each found: by the interpreter, and by the
// PTX machine on its own.
func TestDeliberateBugs(t *testing.T) {
	for _, c := range []struct {
		name   string
		mutate func(f *ir.Func) bool    // false where nothing was changed
		text   func(text string) string // in place of mutate
		kinds  []ptx.Kind               // one of these the machine must report; nil: wrong values will do
	}{
		{name: "none"},
		{name: "waits for one group fewer", mutate: each(ir.OpWait, func(op *ir.Op) { op.N++ }), kinds: []ptx.Kind{ptx.AsyncRead}},
		{name: "no waits", mutate: drop(ir.OpWait), kinds: []ptx.Kind{ptx.AsyncRead}},
		{name: "no barriers", mutate: drop(ir.OpBarrier), kinds: []ptx.Kind{ptx.SharedRace, ptx.AsyncRead, ptx.AsyncOverwrite, ptx.Unwritten}},
		{name: "no mask of the result", mutate: each(ir.OpMap, func(op *ir.Op) {
			if op.Dst.Buf.Kind == ir.Out {
				op.Where = nil
			}
		})},
		{name: "no mask of the inputs", mutate: each(ir.OpCopy, func(op *ir.Op) {
			if op.Src[0].Buf.Kind == ir.In {
				at := *op.Src[0]
				at.Guard, at.Else = nil, nil
				op.Src[0] = &at
			}
		}), kinds: []ptx.Kind{ptx.OutOfBounds}},
		{name: "swapped index", mutate: each(ir.OpMap, func(op *ir.Op) {
			if op.Dst.Buf.Kind == ir.Out {
				at := *op.Dst
				at.Index = []*ir.Expr{at.Index[1], at.Index[0]}
				op.Dst = &at
			}
		})},
		{name: "a short loop", mutate: each(ir.OpFor, func(op *ir.Op) { op.X[1] = ir.Bin(ir.Sub, op.X[1], ir.Int(1)) })},
		{name: "wrong swizzle", text: func(text string) string {
			return strings.ReplaceAll(text, "ldmatrix_x4(fa[i], ", "ldmatrix_x4(fa[i], 16u ^ ")
		}},
		{name: "wrong stage", text: func(text string) string { return strings.ReplaceAll(text, "stage_ahead * ", "stage * ") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, l := bugAttempt(t)
			changed := true
			unit := *a.unit
			switch {
			case c.mutate != nil:
				variants := make([]*ir.Func, len(unit.Entries))
				changed = false
				for i, e := range unit.Entries {
					variants[i] = ir.Clone(e.Func)
					changed = c.mutate(variants[i]) || changed
				}
				unit.Unit = cuda.Emit(variants, unit.Machine, "bug.tile")
			case c.text != nil:
				u := *unit.Unit
				u.Text = c.text(u.Text)
				changed = u.Text != unit.Text
				unit.Unit = &u
			}
			if !changed {
				t.Fatal("nothing was changed: the test no longer fits the compiler")
			}
			a.unit = &unit
			bad := c.mutate != nil || c.text != nil
			if c.text == nil {
				out, err := interpret(t.Context(), unit.Entries[l.entry].Func, a.c.args, 1)
				ok := err == nil && a.matches(a.c.spec, out, "", "")
				if ok == bad {
					t.Errorf("the interpreter: right = %v (%v)", ok, err)
				}
			}
			binary, err := a.session.Compile(t.Context(), &unit, ForMachine)
			if err != nil {
				t.Fatal(err)
			}
			again, err := a.session.prepare(binary, a.c.args, aligned)
			if err != nil {
				t.Fatal(err)
			}
			ok, err := a.compiled(t.Context(), a.c.spec, again, ForMachine)
			if err != nil {
				t.Fatal(err)
			}
			if ok == bad {
				t.Errorf("the PTX machine: right = %v", ok)
			}
			if ok || c.kinds == nil {
				return
			}
			found := false
			for _, f := range a.failure.Findings {
				for _, k := range c.kinds {
					found = found || strings.Contains(f, k.String())
				}
			}
			if !found {
				t.Errorf("none of %v in\n%s", c.kinds, strings.Join(a.failure.Findings, "\n"))
			}
		})
	}
}

// bugAttempt prepares the check of the program's test, and the launch of the entry
// that it takes.
func bugAttempt(t *testing.T) (*attempt, *launchable) {
	t.Helper()
	s := New(context.Background(), Options{Read: func(string) (string, error) { return bugProgram, nil }})
	p := s.Load("bug.tile")
	wantClean(t, p.Reporter)
	c := p.cases(1)[0]
	m, err := Machines("cuda", []string{"sm_80"})
	if err != nil {
		t.Fatal(err)
	}
	inst, unit, err := s.choose(t.Context(), p, c.Kernel, types.Bindings{}, m[0])
	if err != nil {
		t.Fatal(err)
	}
	a := &attempt{session: s, c: c, inst: inst, unit: unit, machine: m[0], workers: 1}
	if err := c.prepare(t.Context(), inst, 1); err != nil {
		t.Fatal(err)
	}
	binary, err := s.Compile(t.Context(), unit, ForMachine)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.prepare(binary, c.args, aligned)
	if err != nil {
		t.Fatal(err)
	}
	return a, l
}

func wantClean(t testing.TB, rep *diag.Reporter) {
	t.Helper()
	if rep.HasErrors() {
		t.Fatal(errors.New(refusal(rep).Error()))
	}
}

// each changes all operations of a code.
func each(code ir.Opcode, change func(op *ir.Op)) func(f *ir.Func) bool {
	return func(f *ir.Func) bool {
		before := ir.Print(f)
		f.Body.Walk(func(op *ir.Op) {
			if op.Code == code {
				change(op)
			}
		})
		return ir.Print(f) != before
	}
}

// drop removes all operations of a code.
func drop(code ir.Opcode) func(f *ir.Func) bool {
	return func(f *ir.Func) bool {
		before := ir.Print(f)
		dropFrom(f.Body, code)
		return ir.Print(f) != before
	}
}

func dropFrom(b *ir.Block, code ir.Opcode) {
	if b == nil {
		return
	}
	var kept []*ir.Op
	for _, op := range b.Ops {
		if op.Code == code {
			continue
		}
		dropFrom(op.Body, code)
		dropFrom(op.Else, code)
		kept = append(kept, op)
	}
	b.Ops = kept
}
