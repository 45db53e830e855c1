package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/passes"
	"tilec/runtime/ptx"
)

// Failure says where a test first goes wrong.
type Failure struct {
	Config string `json:"config,omitempty"` // the tunables' values
	// Stage is the first one whose result is wrong: "spec", "tile form", a form
	// after a pass, or the compiled kernel.
	Stage string `json:"stage"`
	// Text is the reason, in a line or a few.
	Text       string     `json:"text"`
	Mismatches []Mismatch `json:"mismatches,omitempty"`
	// Findings are the faults that the PTX machine saw.
	Findings []string `json:"findings,omitempty"`
	// Bug, when set, is a mistake of the compiler.
	Bug *ir.Bug `json:"-"`
	// Dims are the dimensions, where the check chose them itself.
	Dims string `json:"dims,omitempty"`
}

// attempt is the check of one test in one configuration on one machine.
type attempt struct {
	session   *Session
	c         *testCase
	inst      *Instance
	unit      *Unit
	machine   *machine.Machine
	workers   int
	everyPass bool
	// deviceOnly leaves the PTX machine out.
	deviceOnly bool

	comparison Comparison
	failure    *Failure
	report     *CoresReport // of the host machine for Ascend C
}

// run fills in the comparison and the failure. The error is one of ctx or of the
// toolchain.
func (a *attempt) run(ctx context.Context) error {
	err := a.stages(ctx)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var at *stageError
	if !errors.As(err, &at) {
		return err
	}
	a.failure = &Failure{Stage: at.stage, Text: at.err.Error()}
	errors.As(at.err, &a.failure.Bug)
	return nil
}

func (a *attempt) stages(ctx context.Context) error {
	if err := a.c.prepare(ctx, a.inst, a.workers); err != nil {
		var at *stageError
		if !errors.As(err, &at) {
			err = &stageError{stage: "inputs", err: err}
		}
		return err
	}
	tile, err := interpret(ctx, a.inst.Tile, a.c.args, a.workers)
	if err != nil {
		return &stageError{stage: "tile form", err: err}
	}
	refs := a.c.spec
	if refs == nil {
		if refs, err = a.c.references(a.inst, a.inst.Tile, tile); err != nil {
			return &stageError{stage: "tile form", err: err}
		}
	} else if !a.matches(refs, tile, "tile form", "the kernel and its spec disagree") {
		return nil
	}
	before := -1 // the entry that has run
	for _, run := range a.runs() {
		binary, err := a.session.Compile(ctx, a.unit, run.artifact)
		if err != nil {
			return staged("codegen", err)
		}
		l, err := a.session.prepare(binary, a.c.args, run.placing)
		if err != nil {
			return &stageError{stage: "launch", err: err}
		}
		if l.entry != before {
			before = l.entry
			if ok, err := a.forms(ctx, refs, l.entry); err != nil || !ok {
				return err
			}
		}
		if ok, err := a.compiled(ctx, refs, l, run.artifact); err != nil || !ok {
			return err
		}
	}
	return nil
}

// compiledRun is one of the runs of the compiled kernel.
type compiledRun struct {
	artifact Artifact
	placing  placement
}

// runs lists the runs: with aligned tensors and, if there are entries that need
// those, with others too; on the PTX machine, and on the device if there is one.
func (a *attempt) runs() []compiledRun {
	var all []compiledRun
	for _, placing := range placements(a.unit.Entries) {
		if !a.deviceOnly {
			all = append(all, compiledRun{ForMachine, placing})
		}
		if d := a.session.opts.Device; d != nil && d.runs(a.machine.Name) {
			all = append(all, compiledRun{ForDevice, placing})
		}
	}
	return all
}

// staged keeps errors of the toolchain as they are and gives bugs their stage.
func staged(stage string, err error) error {
	var bug *ir.Bug
	if errors.As(err, &bug) {
		return &stageError{stage: stage, err: err}
	}
	return err
}

// matches compares an outcome with what should be there; a failure is kept.
func (a *attempt) matches(refs map[string]*reference, out *outcome, stage, text string) bool {
	c := compareAll(a.inst.Tile, refs, out)
	a.comparison.merge(c)
	if c.OK() {
		return true
	}
	a.failure = &Failure{Stage: stage, Text: text, Mismatches: c.First}
	return false
}

// compareAll compares all tensors of an outcome.
func compareAll(f *ir.Func, refs map[string]*reference, out *outcome) Comparison {
	var all Comparison
	for _, t := range f.Tensors() {
		r := refs[t.Name]
		if r == nil {
			continue
		}
		got := out.tensors[t.Name]
		written := func(i int) bool {
			same := r.want.Bits(i) == got.Bits(i) || !t.Elem.IsFloat() && r.want.Int(i) == got.Int(i)
			return same || t.Kind != ir.Out || !isPoison(got, i)
		}
		if out.written != nil && t.Kind == ir.Out {
			written = func(i int) bool { return out.written(t.Name, i) }
		}
		all.merge(r.compare(got, written))
	}
	return all
}

// forms runs the placed and the scheduled form of an entry.
func (a *attempt) forms(ctx context.Context, refs map[string]*reference, entry int) (ok bool, err error) {
	if a.everyPass {
		return a.passes(ctx, refs, entry)
	}
	fs := []*ir.Func{a.unit.Entries[entry].Func}
	if entry < len(a.unit.Placed) {
		fs = []*ir.Func{a.unit.Placed[entry], fs[0]}
	}
	for _, f := range fs {
		out, err := interpret(ctx, f, a.c.args, a.workers)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil || !a.matches(refs, out, f.Form.String()+" form", "the "+f.Form.String()+" form differs") {
			found, perr := a.passes(ctx, refs, entry) // names the pass
			if perr != nil || !found {
				return false, perr
			}
			if err != nil {
				return false, &stageError{stage: f.Form.String() + " form", err: err}
			}
			return false, nil
		}
	}
	return true, nil
}

// passes runs the function after every pass, and stops at the first that differs.
func (a *attempt) passes(ctx context.Context, refs map[string]*reference, entry int) (ok bool, err error) {
	type step struct {
		pass *passes.Pass
		f    *ir.Func
	}
	var steps []step
	var facts passes.Facts
	observer := passes.ObserverFunc(func(p *passes.Pass, f *ir.Func, _ time.Duration) {
		facts |= p.Gives
		if f.Form == ir.ScheduledForm && facts&passes.Scheduled == 0 {
			return // asynchronous, and not yet ordered
		}
		steps = append(steps, step{p, ir.Clone(f)})
	})
	f := familyOf(a.machine).variants(a.inst.Tile)[entry]
	opts := passes.Options{Verify: true, Observers: []passes.Observer{observer}}
	lowerErr := runPasses(f, a.machine, &diag.Reporter{}, opts)
	for _, st := range steps {
		stage := "pass " + st.pass.Name
		out, err := afterPass(ctx, st.pass, st.f, a.c.args, a.workers)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			return false, &stageError{stage: stage, err: err}
		}
		if !a.matches(refs, out, stage, "the pass changes the result") {
			return false, nil
		}
	}
	if lowerErr != nil {
		return false, &stageError{stage: "passes", err: lowerErr}
	}
	return true, nil
}

// compiled runs an entry as NVIDIA's compiler made it.
func (a *attempt) compiled(ctx context.Context, refs map[string]*reference, l *launchable, artifact Artifact) (ok bool, err error) {
	var out *outcome
	stage := "compiled kernel " + l.Entry.Name
	if artifact == ForDevice {
		stage += " on the GPU"
		out, err = a.session.onDevice(ctx, l)
	} else {
		out, err = l.onMachine(ctx, execution{checks: ptx.CheckAll, workers: a.workers})
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return false, &stageError{stage: stage, err: err}
	}
	if out.cores != nil {
		a.report = coresReport(a.unit, out.cores)
	}
	good := a.matches(refs, out, stage, "the compiled kernel differs")
	faults := out.faults
	if out.report != nil && len(out.report.Findings) > 0 {
		faults = l.binary.findingTexts(out.report.Findings)
	}
	if len(faults) == 0 {
		return good, nil
	}
	if good {
		a.failure = &Failure{Stage: stage, Text: "the compiled kernel does what is not allowed"}
	}
	a.failure.Findings = faults
	return false, nil
}

// findingTexts spells the first few findings: causes before what follows from them.
func (u *Unit) findingTexts(all []*ptx.Finding) []string {
	sorted := slices.Clone(all)
	effect := func(f *ptx.Finding) int {
		if f.Kind == ptx.Unwritten || f.Kind == ptx.UndefinedRegister {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(sorted, func(x, y *ptx.Finding) int { return effect(x) - effect(y) })
	var texts []string
	for i, f := range sorted {
		if i == maxFindings {
			texts = append(texts, fmt.Sprintf("and %d more", len(sorted)-i))
			break
		}
		texts = append(texts, u.findingText(f))
	}
	return texts
}

// maxFindings is how many findings a failure shows.
const maxFindings = 4
