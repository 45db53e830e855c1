package driver

import (
	"context"
	"fmt"
	"time"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/lang/types"
	"tilec/passes"
)

// View says which IR of a kernel is wanted.
type View struct {
	After string  // a pass; "lower" is the tile form as it leaves lowering
	Form  ir.Form // if After is empty: the last IR in that form
	Any   bool    // the variant that assumes nothing of its arguments, not the fast one
}

// afterLowering names the stage before the first pass.
const afterLowering = "lower"

// IR returns the text of a kernel's IR at some stage.
func (s *Session) IR(ctx context.Context, p *Program, k *types.Kernel, b types.Bindings, m *machine.Machine, v View) (string, error) {
	inst, err := s.instanceFor(ctx, p, k, b, m)
	if err != nil {
		return "", err
	}
	if v.Form == ir.SpecForm {
		if inst.Spec == nil {
			return "", fmt.Errorf("%s has no spec", k.Name)
		}
		return ir.Print(inst.Spec), nil
	}
	if v.After == afterLowering || v.After == "" && v.Form == ir.TileForm {
		return ir.Print(inst.Tile), nil
	}
	variants := variantsOf(inst.Tile)
	f := variants[0]
	if v.Any {
		f = variants[len(variants)-1]
	}
	last := ""
	opts := passes.Options{Verify: true, StopAfter: v.After}
	opts.Observers = []passes.Observer{passes.ObserverFunc(func(_ *passes.Pass, f *ir.Func, _ time.Duration) {
		if v.After != "" || v.Form == ir.InvalidForm || f.Form == v.Form {
			last = ir.Print(f)
		}
	})}
	if err := runPasses(f, m, &diag.Reporter{}, opts); err != nil {
		return "", err
	}
	return last, nil
}

// instanceFor picks the instance to show: the one that a build would take if that
// can be told, otherwise the first.
func (s *Session) instanceFor(ctx context.Context, p *Program, k *types.Kernel, b types.Bindings, m *machine.Machine) (*Instance, error) {
	if inst, _, err := s.choose(ctx, p, k, b, m); err == nil {
		return inst, nil
	}
	return s.instance(p, k, b)
}

// PassNames lists what View.After may name.
func PassNames() []string {
	names := []string{afterLowering}
	for _, p := range passes.Table() {
		names = append(names, p.Name)
	}
	return names
}
