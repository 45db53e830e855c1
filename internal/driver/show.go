package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/types"
	"tilec/passes"
)

// View says which IR of a kernel is wanted; NewView makes one.
type View struct {
	after string  // a pass; "lower" is the tile form as it leaves lowering
	form  ir.Form // where after is empty: the last IR in that form, or the last
	Any   bool    // the variant that assumes nothing of its arguments, not the fast one
}

// afterLowering names the stage before the first pass.
const afterLowering = "lower"

// NewView selects the IR after a pass, or the last IR in a form; both empty is the
// last IR of all.
func NewView(after, form string) (View, error) {
	v := View{after: after}
	switch {
	case after != "" && form != "":
		return v, errors.New("a pass and a form exclude each other")
	case after != "" && !slices.Contains(PassNames(), after):
		return v, fmt.Errorf("no pass %q; there is %s", after, strings.Join(PassNames(), ", "))
	case form != "":
		i := slices.Index(FormNames(), form)
		if i < 0 {
			return v, fmt.Errorf("no form %q; there is %s", form, strings.Join(FormNames(), ", "))
		}
		v.form = ir.SpecForm + ir.Form(i)
	}
	return v, nil
}

// PassNames lists what a view may be after.
func PassNames() []string {
	names := []string{afterLowering}
	for _, target := range Targets() {
		for _, p := range families[target].table() {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// FormNames lists the forms that a view may have.
func FormNames() []string {
	var names []string
	for f := ir.SpecForm; f <= ir.ScheduledForm; f++ {
		names = append(names, f.String())
	}
	return names
}

// IR returns the text of a kernel's IR at some stage.
func (s *Session) IR(ctx context.Context, k Kernel, define Definitions, m *Machine, v View) (string, error) {
	bind, err := define.bind(k.Kernel)
	if err != nil {
		return "", err
	}
	inst, err := s.instanceFor(ctx, k, bind, m)
	if err != nil {
		return "", err
	}
	if v.form == ir.SpecForm {
		spec, err := inst.Spec()
		switch {
		case err != nil:
			return "", err
		case spec == nil:
			return "", fmt.Errorf("%s has no spec", k.Name)
		}
		return ir.Print(spec), nil
	}
	if v.after == afterLowering || v.after == "" && v.form == ir.TileForm {
		return ir.Print(inst.Tile), nil
	}
	variants := familyOf(m).variants(inst.Tile)
	f := variants[0]
	if v.Any {
		f = variants[len(variants)-1]
	}
	last := ""
	opts := passes.Options{Verify: true, StopAfter: v.after}
	opts.Observers = []passes.Observer{passes.ObserverFunc(func(_ *passes.Pass, f *ir.Func, _ time.Duration) {
		if v.after != "" || v.form == ir.InvalidForm || f.Form == v.form {
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
func (s *Session) instanceFor(ctx context.Context, k Kernel, b types.Bindings, m *Machine) (*Instance, error) {
	if inst, _, err := s.choose(ctx, k.Program, k.Kernel, b, m); err == nil {
		return inst, nil
	}
	return s.instance(k.Program, k.Kernel, b)
}
