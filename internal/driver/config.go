package driver

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/lang/ast"
	"tilec/lang/lower"
	"tilec/lang/types"
)

// maxConfigs bounds how many combinations of tunables are looked at.
const maxConfigs = 1 << 12

// configs lists the legal combinations of the candidates of a kernel's tunables on
// a machine.
func configs(k *types.Kernel, b types.Bindings, m *machine.Machine) []types.Bindings {
	if full, ok := types.Complete(k, b.Generics, &diag.Reporter{}); ok {
		b.Generics = full
	}
	var all []types.Bindings
	for tunes := range types.TuneSpace(k, b.Generics, b.Tunes, m.Name, m.Family) {
		all = append(all, types.Bindings{Generics: b.Generics, Tunes: tunes})
		if len(all) == maxConfigs {
			break
		}
	}
	return all
}

// choose picks the values of the tunables that b leaves open and emits the kernel
// with them. It tries combinations, the most promising first, until one fits the
// machine. When none fits, the error is a *Refusal with the reasons.
func (s *Session) choose(ctx context.Context, p *Program, k *types.Kernel, b types.Bindings, m *machine.Machine) (*Instance, *Unit, error) {
	all := configs(k, b, m)
	if len(all) == 0 {
		inst, err := s.instance(p, k, b) // says why there is none
		if err != nil {
			return nil, nil, err
		}
		u, err := s.emit(ctx, p, inst, m)
		return inst, u, err
	}
	r := newRanking(s, p, k, m, all)
	if err := r.descend(defaulted(k, b, m)); err != nil {
		return nil, nil, err
	}
	var reasons []error
	var tried []*Instance
	for whole := false; ; whole = true {
		if whole {
			// nothing near the best fits: look at the rest
			if err := r.evaluate(all...); err != nil {
				return nil, nil, err
			}
		}
		for _, c := range r.sorted() {
			if c.tried {
				continue
			}
			c.tried = true
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			inst, err := s.instance(p, k, c.bindings)
			if err != nil {
				return nil, nil, err
			}
			u, err := s.emit(ctx, p, inst, m)
			if err == nil {
				return inst, u, nil
			}
			var refused *Refusal
			if !errors.As(err, &refused) {
				return nil, nil, err
			}
			if _, limit := refused.Limit(); !limit || len(all) == 1 {
				return nil, nil, err
			}
			reasons, tried = append(reasons, err), append(tried, inst)
		}
		if whole {
			return nil, nil, noConfig(k, m, tried, reasons)
		}
	}
}

// ranking looks for the cheapest combination by the cost model.
type ranking struct {
	session *Session
	program *Program
	kernel  *types.Kernel
	machine *machine.Machine
	all     []types.Bindings
	known   map[string]*ranked
	order   []*ranked
	// stages are the tunables that only say how many stages pipelines have, and
	// bodies the lowered kernels but for those.
	stages []string
	bodies memo[string, *ir.Func]
}

func newRanking(s *Session, p *Program, k *types.Kernel, m *machine.Machine, all []types.Bindings) *ranking {
	return &ranking{session: s, program: p, kernel: k, machine: m, all: all, known: map[string]*ranked{}, stages: types.StageTunables(k)}
}

// ranked is a combination that has been looked at.
type ranked struct {
	bindings types.Bindings
	cost     float64
	tried    bool
}

// evaluate asks the cost model about combinations, about all at the same time.
func (r *ranking) evaluate(bs ...types.Bindings) error {
	found := make([]*ranked, len(bs))
	errs := make([]error, len(bs))
	var wg sync.WaitGroup
	for i, b := range bs {
		if r.known[b.Key()] != nil {
			continue
		}
		wg.Go(func() {
			f, err := r.lowered(b)
			if err != nil {
				errs[i] = err
				return
			}
			found[i] = &ranked{bindings: b, cost: familyOf(r.machine).cost(r.machine, f)}
		})
	}
	wg.Wait()
	for i, c := range found {
		if errs[i] != nil {
			return errs[i]
		}
		if c != nil {
			r.known[bs[i].Key()] = c
			r.order = append(r.order, c)
		}
	}
	return nil
}

// lowered is the tile form of a combination, not verified. Combinations that
// differ in stages alone are lowered once.
func (r *ranking) lowered(b types.Bindings) (*ir.Func, error) {
	if len(r.stages) == 0 {
		return r.program.lowered(r.kernel, b)
	}
	shared := types.Bindings{Generics: b.Generics, Tunes: maps.Clone(b.Tunes)}
	for _, name := range r.stages {
		delete(shared.Tunes, name)
	}
	f, err := r.bodies.get(context.Background(), shared.Key(), func() (*ir.Func, error) { return r.program.lowered(r.kernel, b) })
	if err != nil {
		return nil, err
	}
	f = ir.Clone(f)
	lower.Restage(f, r.kernel, b.Tunes)
	return f, nil
}

// sorted returns what has been looked at, cheapest first.
func (r *ranking) sorted() []*ranked {
	slices.SortStableFunc(r.order, func(x, y *ranked) int { return cmpFloat(x.cost, y.cost) })
	return slices.Clone(r.order)
}

// mostSearched is the number of combinations that are all looked at; of more,
// those along the steepest ways down from the first and from one in the middle.
const mostSearched = 9

// descend looks for the cheapest combination. A program's own defaults come first.
func (r *ranking) descend(defaulted bool) error {
	if defaulted {
		r.order = []*ranked{{bindings: r.all[0], cost: math.Inf(-1)}}
		r.known[r.all[0].Key()] = r.order[0]
		return nil
	}
	if len(r.all) <= mostSearched {
		return r.evaluate(r.all...)
	}
	for _, start := range []int{0, len(r.all) / 2} {
		if err := r.descendFrom(r.all[start]); err != nil {
			return err
		}
	}
	return nil
}

// descendFrom moves from a combination to the cheapest of those that differ from
// it in one tunable, as long as that is cheaper.
func (r *ranking) descendFrom(at types.Bindings) error {
	for {
		near := []types.Bindings{at}
		for _, b := range r.all {
			if differences(b.Tunes, at.Tunes) == 1 {
				near = append(near, b)
			}
		}
		if err := r.evaluate(near...); err != nil {
			return err
		}
		best, from := r.known[at.Key()].cost, at
		for _, b := range near {
			if c := r.known[b.Key()].cost; c < best {
				best, at = c, b
			}
		}
		if maps.Equal(at.Tunes, from.Tunes) {
			return nil
		}
	}
}

// differences counts the tunables in which two combinations differ.
func differences(a, b map[string]int64) int {
	n := 0
	for name, v := range a {
		if b[name] != v {
			n++
		}
	}
	return n
}

// defaulted reports that the program gives every open tunable a default.
func defaulted(k *types.Kernel, b types.Bindings, m *machine.Machine) bool {
	for _, t := range types.Tunables(k, b.Generics, m.Name, m.Family) {
		if _, fixed := b.Tunes[t.Name]; !fixed && !t.HasDefault {
			return false
		}
	}
	return true
}

func cmpFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// instance instantiates a kernel, once for each choice of bindings.
func (s *Session) instance(p *Program, k *types.Kernel, b types.Bindings) (*Instance, error) {
	key := instanceKey{p.Path, k, b.Key()}
	return s.instances.get(context.Background(), key, func() (*Instance, error) { return p.Instantiate(k, b) })
}

// emit lowers an instance for a machine, once.
func (s *Session) emit(ctx context.Context, p *Program, inst *Instance, m *machine.Machine) (*Unit, error) {
	return s.units.get(ctx, unitKey{inst, m.Name}, func() (*Unit, error) {
		return Emit(inst.Tile, m, p.Path, EmitOptions{Verify: s.opts.Verify, KeepPlaced: s.opts.Verify, Suffix: s.opts.Suffix})
	})
}

type instanceKey struct {
	path     string
	kernel   *types.Kernel
	bindings string
}

type unitKey struct {
	instance *Instance
	machine  string
}

// noConfig is the error of a kernel of which no combination fits.
func noConfig(k *types.Kernel, m *machine.Machine, tried []*Instance, reasons []error) error {
	r := &Refusal{}
	d := noConfigDiagnostic(k, m, len(tried))
	r.Diagnostics = append(r.Diagnostics, d)
	for i, err := range reasons {
		if i == maxReasons {
			d.Note(k.Span, "and %d more", len(reasons)-i)
			break
		}
		var refused *Refusal
		if errors.As(err, &refused) {
			reason, _ := refused.Limit()
			d.Note(k.Span, "%s: %s", bindingsText(tried[i].Tile, true), reason)
		}
	}
	return r
}

// maxReasons is how many combinations an error lists.
const maxReasons = 8

// tuneNames lists the names of a kernel's tunables.
func tuneNames(k *types.Kernel) []string {
	var names []string
	for _, s := range k.Decl.Prologue {
		if t, ok := s.(*ast.Tune); ok && t.Name != nil {
			names = append(names, t.Name.Name)
		}
	}
	return names
}
