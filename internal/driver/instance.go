package driver

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/lang/lower"
	"tilec/lang/types"
)

// Instance is a kernel with its generics and tunables bound, lowered.
type Instance struct {
	Kernel   *types.Kernel
	Bindings types.Bindings
	Tile     *ir.Func // the kernel in tile form

	spec func() (*ir.Func, error)
}

// Spec returns the kernel's spec in spec form, nil if it has none. It is lowered when
// it is first asked for: only checks need it.
func (in *Instance) Spec() (*ir.Func, error) { return in.spec() }

// Instantiate binds a kernel and lowers it. Missing generics take their defaults,
// missing tunables their defaults or first candidates. The error is a *Refusal, or an
// *ir.Bug.
func (p *Program) Instantiate(k *types.Kernel, b types.Bindings) (inst *Instance, err error) {
	bug := guard("lower", k.Name, func() { inst, err = p.instantiate(k, b) })
	if bug != nil {
		return nil, bug
	}
	return inst, err
}

func (p *Program) instantiate(k *types.Kernel, b types.Bindings) (*Instance, error) {
	rep := &diag.Reporter{}
	in, ok := types.InstantiateBody(p.Program, k, b, rep)
	if !ok {
		return nil, refusal(rep)
	}
	inst := &Instance{Kernel: k, Bindings: in.Bindings}
	if inst.Tile, ok = lower.Kernel(in, rep); !ok {
		return nil, refusal(rep)
	}
	if err := verifyLowered(inst.Tile); err != nil {
		return nil, err
	}
	inst.spec = sync.OnceValues(func() (*ir.Func, error) { return lowerSpec(p.Program, in) })
	return inst, nil
}

// lowered is the tile form of a kernel alone, not verified: for the cost model, which
// looks at many.
func (p *Program) lowered(k *types.Kernel, b types.Bindings) (f *ir.Func, err error) {
	bug := guard("lower", k.Name, func() {
		rep := &diag.Reporter{}
		in, ok := types.InstantiateBody(p.Program, k, b, rep)
		if ok {
			f, ok = lower.Kernel(in, rep)
		}
		if !ok {
			f, err = nil, refusal(rep)
		}
	})
	if bug != nil {
		return nil, bug
	}
	return f, err
}

// lowerSpec lowers the spec of an instance, nil if it has none.
func lowerSpec(p *types.Program, in *types.Instance) (f *ir.Func, err error) {
	if in.Kernel.Decl.Spec == nil {
		return nil, nil
	}
	bug := guard("lower", in.Kernel.Name, func() {
		rep := &diag.Reporter{}
		full, ok := types.WithSpec(p, in, rep)
		if ok {
			f, ok = lower.Spec(full, rep)
		}
		if !ok {
			f, err = nil, refusal(rep)
			return
		}
		err = verifyLowered(f)
	})
	if bug != nil {
		return nil, bug
	}
	return f, err
}

func verifyLowered(f *ir.Func) error {
	if err := ir.Verify(f); err != nil {
		return &ir.Bug{Pass: "lower", Func: f.Name, Message: err.Error()}
	}
	return nil
}

// Refusal is a program that cannot be compiled as it is asked; the diagnostics say
// why.
type Refusal struct {
	Diagnostics []*diag.Diagnostic
}

func refusal(rep *diag.Reporter) *Refusal { return &Refusal{rep.Sorted()} }

// Error joins the headings of the errors.
func (r *Refusal) Error() string {
	var lines []string
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			lines = append(lines, d.Error())
		}
	}
	if len(lines) == 0 {
		return "the program was refused without a reason"
	}
	return strings.Join(lines, "\n")
}

// Limit returns, in one line, the limit of the target that the program passes, if
// that is all that is wrong with it.
func (r *Refusal) Limit() (reason string, ok bool) { return r.only(diag.Capacity, diag.NoConfig) }

// LacksType returns, in one line, which element type the target can hold no values of
// and what would work, if that is all that is wrong.
func (r *Refusal) LacksType() (reason string, ok bool) { return r.only(diag.LacksType) }

// only returns the first error's message if all errors are of these codes.
func (r *Refusal) only(codes ...diag.Code) (reason string, ok bool) {
	for _, d := range r.Diagnostics {
		if d.Severity != diag.Error {
			continue
		}
		if !slices.Contains(codes, d.Code) {
			return "", false
		}
		if reason == "" {
			reason = d.Message
		}
	}
	return reason, reason != ""
}

// bindingsText spells bindings as `T = f16, BM = 128`, in source order.
func bindingsText(f *ir.Func, tunes bool) string {
	var parts []string
	for _, b := range f.Config {
		if b.Tune == tunes {
			parts = append(parts, fmt.Sprintf("%s = %s", b.Name, b.Value))
		}
	}
	return strings.Join(parts, ", ")
}

func noConfigDiagnostic(k *types.Kernel, m *machine.Machine, n int) *diag.Diagnostic {
	return (&diag.Diagnostic{
		Code: diag.NoConfig, Severity: diag.Error, Span: k.Span,
		Message: fmt.Sprintf("none of the %d combinations of the tunables of %s fits %s", n, k.Name, m.Name),
	}).Hint("add smaller candidates")
}
