package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tilec/ir"
	"tilec/ir/machine"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// maxConfigs bounds how many combinations of tunables are looked at.
const maxConfigs = 1 << 12

// configs lists the legal combinations of the candidates of a kernel's tunables on
// a machine.
func configs(k *types.Kernel, b types.Bindings, m *machine.Machine) []types.Bindings {
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
	candidates, err := s.ranked(p, k, b, m)
	if err != nil {
		return nil, nil, err
	}
	var reasons []error
	for _, inst := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		u, err := s.emit(ctx, p, inst, m)
		if err == nil {
			return inst, u, nil
		}
		var r *Refusal
		if !errors.As(err, &r) {
			return nil, nil, err
		}
		if _, limit := r.Limit(); !limit || len(candidates) == 1 {
			return nil, nil, err
		}
		reasons = append(reasons, err)
	}
	return nil, nil, noConfig(k, m, candidates, reasons)
}

// ranked returns the instances of all combinations, the most promising first.
func (s *Session) ranked(p *Program, k *types.Kernel, b types.Bindings, m *machine.Machine) ([]*Instance, error) {
	var all []*Instance
	scores := map[*Instance]float64{}
	for i, c := range configs(k, b, m) {
		inst, err := s.instance(p, k, c)
		if err != nil {
			return nil, err
		}
		all = append(all, inst)
		scores[inst] = shapeScore(inst.Tile)
		if i == 0 && defaulted(k, b, m) {
			scores[inst] = math.Inf(-1)
		}
	}
	if len(all) == 0 {
		inst, err := s.instance(p, k, b) // says why there is none
		if err != nil {
			return nil, err
		}
		all = append(all, inst)
	}
	slices.SortStableFunc(all, func(x, y *Instance) int { return cmpFloat(scores[x], scores[y]) })
	return all, nil
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

// shapeScore measures, in powers of two, how far the shapes of a kernel's tiles are
// from those that do well on most kernels: contractions of 128 × 128 × 32 with 3
// stages, and elementwise work of 1024 elements an operation.
func shapeScore(f *ir.Func) float64 {
	away := func(n int64, best float64) float64 { return math.Abs(math.Log2(max(float64(n), 1) / best)) }
	score, contracts, work := 0.0, false, int64(1)
	f.Body.Walk(func(op *ir.Op) {
		size := int64(1)
		for _, it := range op.Iters() {
			size *= it.Extent.Int
		}
		switch {
		case op.Code == ir.OpContract && !contracts:
			contracts = true
			for _, it := range op.Dom {
				score += away(it.Extent.Int, 128)
			}
			for _, it := range op.Red {
				score += away(it.Extent.Int, 32)
			}
		case op.Code == ir.OpFor && op.Loop == ir.Pipeline:
			score += 0.25 * math.Abs(float64(op.Stages-3))
		default:
			work = max(work, size)
		}
	})
	if !contracts {
		score += away(work, 1024)
	}
	return score
}

// instance instantiates a kernel, once for each choice of bindings.
func (s *Session) instance(p *Program, k *types.Kernel, b types.Bindings) (*Instance, error) {
	key := instanceKey{p.Path, k, bindingsKey(b)}
	return s.instances.get(context.Background(), key, func() (*Instance, error) { return p.Instantiate(k, b) })
}

// emit lowers an instance for a machine, once.
func (s *Session) emit(ctx context.Context, p *Program, inst *Instance, m *machine.Machine) (*Unit, error) {
	return s.units.get(ctx, unitKey{inst, m.Name}, func() (*Unit, error) {
		return Emit(inst.Tile, m, p.Path, EmitOptions{Verify: s.opts.Verify, KeepPlaced: s.opts.Verify})
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

func bindingsKey(b types.Bindings) string {
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(b.Generics)) {
		fmt.Fprintf(&key, "%s=%s,", name, b.Generics[name])
	}
	key.WriteByte(';')
	for _, name := range slices.Sorted(maps.Keys(b.Tunes)) {
		fmt.Fprintf(&key, "%s=%d,", name, b.Tunes[name])
	}
	return key.String()
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
