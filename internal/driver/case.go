package driver

import (
	"context"
	"fmt"
	"path"
	"sync"

	"tilec/codegen/launcher"
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// testCase is one test with its values, made when first needed.
type testCase struct {
	program *Program
	name    string
	test    *ast.Test
	*types.TestCase
	seed   uint64
	random bool // the dimensions are ours, not the program's

	once sync.Once
	args interp.Args
	// spec is what the out tensors should hold by the spec; nil without one.
	spec map[string]*reference
	err  error
}

// cases evaluates the tests of a program; its reporter has the errors of bad ones.
func (p *Program) cases(seed uint64) []*testCase {
	var all []*testCase
	for _, t := range p.Tests {
		if tc, ok := types.Evaluate(p.Program, t, &diag.Reporter{}); ok {
			all = append(all, &testCase{program: p, name: tc.Title, test: t, TestCase: tc, seed: seed})
		}
	}
	return all
}

// prepare makes the arguments and evaluates the spec, once.
func (c *testCase) prepare(ctx context.Context, inst *Instance, workers int) error {
	c.once.Do(func() { c.err = c.evaluate(ctx, inst, workers) })
	return c.err
}

func (c *testCase) evaluate(ctx context.Context, inst *Instance, workers int) error {
	var err error
	if c.args, err = inputs(inst.Tile, c.TestCase, c.seed, path.Dir(c.program.Path)); err != nil {
		return err
	}
	spec, err := inst.Spec()
	if err != nil {
		return &stageError{stage: "spec", err: err}
	}
	if spec == nil {
		return nil
	}
	out, err := interpret(ctx, spec, c.args, workers)
	if err != nil {
		return &stageError{stage: "spec", err: err}
	}
	c.spec, err = c.references(inst, spec, out)
	return err
}

// references makes what a run of f, the spec or the tile form, left the thing to
// compare with.
func (c *testCase) references(inst *Instance, f *ir.Func, out *outcome) (map[string]*reference, error) {
	b, err := launcher.Bind(f, launchArgs(c.args))
	if err != nil {
		return nil, err
	}
	longest, carried := longestReduction(f, b), longestRecurrence(inst.Tile, b)
	refs := map[string]*reference{}
	for _, t := range inst.Tile.Tensors() {
		want := out.tensors[t.Name]
		if t.Kind == ir.In || want == nil {
			continue
		}
		rtol := tolerance(t, inst.Tile, longest, carried)
		if c.HasTolerance {
			rtol = c.Tolerance
			if c.random { // stated for another shape, whose sums may be shorter
				rtol *= 2
			}
		}
		var assigned func(int) bool
		if out.written != nil {
			name := t.Name
			assigned = func(i int) bool { return out.written(name, i) }
		}
		refs[t.Name] = newReference(t, want, assigned, rtol)
	}
	return refs, nil
}

// launchArgs gives the arguments to a launcher. Dimensions are known from them
// alone, as a test binds them all.
func launchArgs(args interp.Args) launcher.Args {
	return launcher.Args{Tensors: launcher.Arrays(args.Tensors), Ints: args.Ints, Floats: args.Floats}
}

// stageError says at which stage a check failed to run.
type stageError struct {
	stage string
	err   error
}

func (e *stageError) Error() string { return fmt.Sprintf("%s: %v", e.stage, e.err) }

func (e *stageError) Unwrap() error { return e.err }
