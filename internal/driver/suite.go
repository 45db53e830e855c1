package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/types"
)

// CheckOptions say what a check covers.
type CheckOptions struct {
	Machines []*Machine
	// Run selects tests by "kernel title"; nil is all of them.
	Run *regexp.Regexp
	// Define gives generics and tunables values by name, in text; tests that bind
	// a generic themselves keep theirs. A name that a kernel lacks is ignored.
	Define Definitions
	Seed   uint64
	// AllConfigs runs every legal combination of tunables.
	AllConfigs bool
	// Shapes is how many random shapes are added for each kernel with a test.
	Shapes int
	// EveryPass runs the interpreter after every pass, not only on each form.
	EveryPass bool
	// Strict fails tests that the machine cannot run at all for want of an element type.
	Strict bool
	// DeviceOnly leaves the PTX machine out; the session has a device then.
	DeviceOnly bool
	// Progress hears how many of the configurations are done; may be nil.
	Progress func(done, total int)
	// Result gets each result as soon as those before it are there.
	Result func(*Result)
}

// Result is the outcome of one test on one machine.
type Result struct {
	File, Kernel, Test, Arch string
	// Generics and Config are the values bound, as text; Config is empty where
	// several configurations were run.
	Generics, Config string
	Configs          int // configurations that ran
	Unfit            []Unfit
	// Unsupported says which element type the machine can hold no values of and what
	// would work; the test has not run then.
	Unsupported string
	Comparison  Comparison
	Failures    []*Failure
	Reports     []ConfigReport // of configurations that ran on the host machine for Ascend C, by configuration
	Took        time.Duration  // of all configurations together
}

// ConfigReport is what the kernel did in a configuration.
type ConfigReport struct {
	Config string `json:"config"`
	*CoresReport
}

// Unfit is a configuration that a limit of the machine rules out.
type Unfit struct {
	Config string `json:"config"`
	Reason string `json:"reason"`
}

// OK reports a test that passed.
func (r *Result) OK() bool { return len(r.Failures) == 0 }

// Summary counts what a check did.
type Summary struct {
	Tests, Failed, Unsupported, Configs, Unfit int
}

// group collects the jobs of one result.
type group struct {
	result *Result
	left   int
}

// job is the check of one test in one configuration.
type job struct {
	group    *group
	c        *testCase
	machine  *Machine
	bindings types.Bindings
	pinned   bool // bindings are complete: nothing is left to choose
	random   bool // the dimensions are ours: shrink them on failure
}

// Check runs the tests of programs that Load found free of errors. The error is one
// of ctx or of the toolchain; failing tests are in the results.
func (s *Session) Check(ctx context.Context, programs []*Program, opts CheckOptions) (Summary, error) {
	if _, err := s.toolchain(); err != nil {
		return Summary{}, err
	}
	groups, jobs, err := s.plan(programs, opts)
	if err != nil {
		return Summary{}, err
	}
	workers := min(s.opts.Jobs, len(jobs))
	inner := 1
	if workers > 0 {
		inner = max(s.opts.Jobs/workers, 1)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *job)
	go func() {
		defer close(queue)
		for _, j := range jobs {
			select {
			case queue <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	p := &progress{opts: opts, groups: groups, total: len(jobs)}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range queue {
				if err := s.runJob(ctx, j, opts, inner, p); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return p.summary, err
	}
	return p.summary, nil
}

// plan lists the jobs of a check.
func (s *Session) plan(programs []*Program, opts CheckOptions) (groups []*group, jobs []*job, err error) {
	for _, p := range programs {
		cases := p.cases(opts.Seed)
		if opts.Shapes > 0 {
			cases = append(cases, p.randomCases(cases, opts)...)
		}
		for _, c := range cases {
			if opts.Run != nil && !opts.Run.MatchString(c.Kernel.Name+" "+c.name) {
				continue
			}
			b, err := c.bindings(opts.Define)
			if err != nil {
				return nil, nil, err
			}
			for _, m := range opts.Machines {
				g := &group{result: &Result{File: p.Path, Kernel: c.Kernel.Name, Test: c.name, Arch: m.Name}}
				groups = append(groups, g)
				all := []types.Bindings{b}
				if opts.AllConfigs {
					if cs := configs(c.Kernel, b, m); len(cs) > 0 {
						all = cs
					}
				}
				for _, b := range all {
					g.left++
					jobs = append(jobs, &job{group: g, c: c, machine: m, bindings: b, pinned: opts.AllConfigs, random: c.random})
				}
			}
		}
	}
	return groups, jobs, nil
}

// bindings are the test's own and, for what it leaves open, the given ones.
func (c *testCase) bindings(define Definitions) (types.Bindings, error) {
	b := types.Bindings{Generics: maps.Clone(c.Generics), Tunes: maps.Clone(c.Tunes)}
	bound := map[string]bool{}
	for _, x := range c.test.Bindings {
		if x.Name != nil {
			bound[x.Name.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(define)) {
		if bound[name] || !hasName(c.Kernel, name) {
			continue
		}
		if err := b.Set(c.Kernel, name, define[name]); err != nil {
			return b, err
		}
	}
	return b, nil
}

// runJob checks one configuration and adds the outcome to its group.
func (s *Session) runJob(ctx context.Context, j *job, opts CheckOptions, workers int, p *progress) error {
	start := time.Now()
	a, unfit, err := s.attempt(ctx, j, opts, workers)
	var refused *Refusal
	var bug *ir.Bug
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &bug):
		a = &attempt{failure: &Failure{Stage: "compiler", Text: bug.Error(), Bug: bug}}
	case errors.As(err, &refused):
		if reason, ok := refused.LacksType(); ok && !opts.Strict {
			p.unsupported(j.group, reason, time.Since(start))
			return nil
		}
		a = &attempt{failure: &Failure{Stage: "compiler", Text: refused.text()}}
	case err != nil:
		return err
	}
	if a != nil && a.failure != nil && a.inst != nil {
		if j.random {
			if a, err = s.shrink(ctx, j, a, opts, workers); err != nil {
				return err
			}
		}
		a.failure.Config = bindingsText(a.inst.Tile, true)
	}
	p.add(j.group, a, unfit, time.Since(start))
	return nil
}

// attempt runs one job. Unfit is set when a limit of the machine rules it out.
func (s *Session) attempt(ctx context.Context, j *job, opts CheckOptions, workers int) (a *attempt, unfit *Unfit, err error) {
	a = &attempt{session: s, c: j.c, machine: j.machine, workers: workers, everyPass: opts.EveryPass, deviceOnly: opts.DeviceOnly}
	if j.pinned {
		if a.inst, err = s.instance(j.c.program, j.c.Kernel, j.bindings); err != nil {
			return nil, nil, err
		}
		a.unit, err = s.emit(ctx, j.c.program, a.inst, j.machine)
		var r *Refusal
		if errors.As(err, &r) {
			if reason, ok := r.Limit(); ok {
				return nil, &Unfit{Config: bindingsText(a.inst.Tile, true), Reason: reason}, nil
			}
		}
	} else {
		a.inst, a.unit, err = s.choose(ctx, j.c.program, j.c.Kernel, j.bindings, j.machine)
	}
	if err != nil {
		return nil, nil, err
	}
	return a, nil, a.run(ctx)
}

// text renders the diagnostics of a refusal.
func (r *Refusal) text() string {
	var b strings.Builder
	for _, d := range r.Diagnostics {
		b.WriteString(d.Text(diag.TextOptions{}))
	}
	return strings.TrimRight(b.String(), "\n")
}

// progress collects outcomes and hands results on in order.
type progress struct {
	opts   CheckOptions
	groups []*group
	total  int

	mu      sync.Mutex
	done    int
	next    int // the group that is to be handed on
	summary Summary
}

// unsupported adds a configuration that the machine lacks an element type for.
func (p *progress) unsupported(g *group, reason string, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g.result.Took += took
	g.result.Unsupported = reason
	p.did(g)
}

func (p *progress) add(g *group, a *attempt, unfit *Unfit, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := g.result
	r.Took += took
	switch {
	case unfit != nil:
		r.Unfit = append(r.Unfit, *unfit)
		p.summary.Unfit++
	default:
		r.Configs++
		p.summary.Configs++
		r.Comparison.merge(a.comparison)
		if a.failure != nil {
			r.Failures = append(r.Failures, a.failure)
		}
		if a.inst != nil {
			r.Generics = bindingsText(a.inst.Tile, false)
			r.Config = bindingsText(a.inst.Tile, true)
			if a.report != nil {
				r.Reports = append(r.Reports, ConfigReport{r.Config, a.report})
			}
		}
	}
	p.did(g)
}

// did counts a configuration and hands on the results that are complete.
func (p *progress) did(g *group) {
	p.done++
	g.left--
	for p.next < len(p.groups) && p.groups[p.next].left == 0 {
		p.finish(p.groups[p.next].result)
		p.next++
	}
	if p.opts.Progress != nil {
		p.opts.Progress(p.done, p.total)
	}
}

// finish hands a complete result on.
func (p *progress) finish(r *Result) {
	slices.SortFunc(r.Unfit, func(x, y Unfit) int { return strings.Compare(x.Config, y.Config) })
	slices.SortFunc(r.Reports, func(x, y ConfigReport) int { return strings.Compare(x.Config, y.Config) })
	slices.SortFunc(r.Failures, func(x, y *Failure) int { return strings.Compare(x.Config, y.Config) })
	if r.Configs == 0 && r.Unsupported == "" {
		r.Failures = append(r.Failures, &Failure{Stage: "compiler", Text: fmt.Sprintf("no configuration fits %s", r.Arch)})
	}
	if r.Configs+len(r.Unfit) > 1 {
		r.Config = ""
	}
	p.summary.Tests++
	switch {
	case !r.OK():
		p.summary.Failed++
	case r.Unsupported != "":
		p.summary.Unsupported++
	}
	if p.opts.Result != nil {
		p.opts.Result(r)
	}
}
