package driver

import (
	"context"
	"errors"
	"time"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/passes"
	"tilec/runtime/array"
	"tilec/runtime/ptx"
)

// TileForm is the stage of a trial that all others are compared with.
const TileForm = "tile form"

// CompiledStage begins the stages that run the compiled kernel.
const CompiledStage = "compiled kernel"

// Stage is what one stage of a trial left.
type Stage struct {
	// Name is TileForm, "pass NAME", or CompiledStage with the entry's name.
	Name    string
	Pass    string // of a "pass NAME"
	Tensors map[string]*array.Array
	// Inputs are what tensors hold before a run, those of the tile form only.
	Inputs map[string]*array.Array
	// Written reports the elements of an out tensor that were written. It is nil for
	// the compiled kernel: what it has left alone holds ones in every bit.
	Written func(tensor string, i int) bool
	// Findings are of the PTX machine, and Kinds what kind each is.
	Findings, Kinds []string
	// Err is set where the stage could not run: a *Refusal, an *ir.Bug or a fault of
	// the interpreter or the PTX machine.
	Err error
}

// Fresh returns a session that shares the compiler with s, but no programs, and
// reads sources with read. It keeps no compiled kernels on disk.
func (s *Session) Fresh(read func(path string) (string, error)) *Session {
	opts := s.opts
	opts.Read, opts.NoCache = read, true
	return &Session{opts: opts, toolchain: s.toolchain, host: s.host, cache: s.cache}
}

// Trial runs a test of a program through the tile form, every pass, and the compiled
// kernel on the PTX machine, with aligned tensors and where that matters with
// others, and hands each stage to visit until that returns false. The error is one of
// ctx or of the toolchain.
func (s *Session) Trial(ctx context.Context, p *Program, test string, m *Machine, seed uint64, visit func(*Stage) bool) error {
	t := &trial{session: s, program: p, machine: m, visit: visit}
	for _, c := range p.cases(seed) {
		if c.name == test {
			t.c = c
			return t.run(ctx)
		}
	}
	return errors.New("no test named " + test)
}

// trial is one under way.
type trial struct {
	session *Session
	program *Program
	c       *testCase
	machine *Machine
	inst    *Instance
	args    interp.Args
	visit   func(*Stage) bool
}

// failed hands an error on, unless it ends the trial.
func (t *trial) failed(ctx context.Context, stage string, err error) error {
	var refused *Refusal
	var bug *ir.Bug
	var fault *interp.Fault
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused), errors.As(err, &bug), errors.As(err, &fault), stage != "codegen":
		t.visit(&Stage{Name: stage, Err: err})
		return nil
	}
	return err
}

func (t *trial) run(ctx context.Context) error {
	b, err := t.c.bindings(nil)
	if err != nil {
		return t.failed(ctx, "instance", err)
	}
	if err := guard("lower", t.c.Kernel.Name, func() { t.inst, err = t.session.instance(t.program, t.c.Kernel, b) }); err != nil {
		return t.failed(ctx, "lower", err)
	}
	if err != nil {
		return t.failed(ctx, "lower", err)
	}
	if t.args, err = inputs(t.inst.Tile, t.c.TestCase, t.c.seed, ""); err != nil {
		return t.failed(ctx, "inputs", err)
	}
	if ok, err := t.interpret(ctx, TileForm, nil, t.inst.Tile); !ok || err != nil {
		return err
	}
	for _, f := range familyOf(t.machine).variants(t.inst.Tile) {
		if ok, err := t.passes(ctx, f); !ok || err != nil {
			return err
		}
	}
	unit, err := t.session.emit(ctx, t.program, t.inst, t.machine)
	if err != nil {
		return t.failed(ctx, "codegen", err)
	}
	binary, err := t.session.Compile(ctx, unit, ForMachine)
	if err != nil {
		return t.failed(ctx, "codegen", err)
	}
	for _, how := range placements(unit.Entries) {
		if ok, err := t.compiled(ctx, binary, how); !ok || err != nil {
			return err
		}
	}
	return nil
}

// interpret runs a form, or what a pass has left; false ends the trial.
func (t *trial) interpret(ctx context.Context, stage string, pass *passes.Pass, f *ir.Func) (bool, error) {
	var out *outcome
	var err error
	name := ""
	run := func() { out, err = interpret(ctx, f, t.args, 1) }
	if pass != nil {
		name = pass.Name
		run = func() { out, err = afterPass(ctx, pass, f, t.args, 1) }
	}
	if e := guard(stage, f.Name, run); e != nil {
		err = e
	}
	if err != nil {
		return false, t.failed(ctx, stage, err)
	}
	s := &Stage{Name: stage, Pass: name, Tensors: out.tensors, Written: out.written}
	if stage == TileForm {
		s.Inputs = t.args.Tensors
	}
	return t.visit(s), nil
}

// passes runs a variant after every pass that changes it.
func (t *trial) passes(ctx context.Context, f *ir.Func) (bool, error) {
	type step struct {
		pass *passes.Pass
		f    *ir.Func
	}
	var steps []step
	if _, err := interpret(ctx, f, t.args, 1); err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return true, nil // the variant is not for these arguments
	}
	before := ir.Print(f)
	observer := passes.ObserverFunc(func(p *passes.Pass, f *ir.Func, _ time.Duration) {
		if text := ir.Print(f); text != before {
			before = text
			steps = append(steps, step{p, ir.Clone(f)})
		}
	})
	err := runPasses(f, t.machine, &diag.Reporter{}, passes.Options{Verify: true, Observers: []passes.Observer{observer}})
	for _, st := range steps {
		if ok, err := t.interpret(ctx, "pass "+st.pass.Name, st.pass, st.f); !ok || err != nil {
			return ok, err
		}
	}
	if err != nil {
		return false, t.failed(ctx, "passes", err)
	}
	return true, nil
}

func (t *trial) compiled(ctx context.Context, b *Binary, how placement) (bool, error) {
	l, err := t.session.prepare(b, t.args, how)
	if err != nil {
		return false, t.failed(ctx, "launch", err)
	}
	stage := &Stage{Name: CompiledStage + " " + l.Entry.Name}
	out, err := l.onMachine(ctx, execution{checks: ptx.CheckAll, workers: 1})
	if err != nil {
		return false, t.failed(ctx, stage.Name, err)
	}
	stage.Tensors = out.tensors
	stage.Findings = out.faults
	if out.cores != nil {
		for _, f := range out.cores.Findings {
			stage.Kinds = append(stage.Kinds, string(f.Kind))
		}
		stage.Kinds = stage.Kinds[:min(len(stage.Kinds), len(stage.Findings))]
	}
	if out.report != nil {
		for _, f := range out.report.Findings {
			stage.Findings = append(stage.Findings, b.findingText(f))
			stage.Kinds = append(stage.Kinds, f.Kind.String())
		}
	}
	return t.visit(stage), nil
}
