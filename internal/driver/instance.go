package driver

import (
	"fmt"
	"strings"

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
	Spec     *ir.Func // its spec in spec form, nil if it has none
}

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
	in, ok := types.Instantiate(p.Program, k, b, rep)
	if !ok {
		return nil, refusal(rep)
	}
	inst := &Instance{Kernel: k, Bindings: in.Bindings}
	if inst.Tile, ok = lower.Kernel(in, rep); !ok {
		return nil, refusal(rep)
	}
	if k.Decl.Spec != nil {
		if inst.Spec, ok = lower.Spec(in, rep); !ok {
			return nil, refusal(rep)
		}
	}
	for _, f := range []*ir.Func{inst.Tile, inst.Spec} {
		if f == nil {
			continue
		}
		if err := ir.Verify(f); err != nil {
			return nil, &ir.Bug{Pass: "lower", Func: f.Name, Message: err.Error()}
		}
	}
	return inst, nil
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
func (r *Refusal) Limit() (reason string, ok bool) {
	for _, d := range r.Diagnostics {
		if d.Severity != diag.Error {
			continue
		}
		if d.Code != diag.Capacity && d.Code != diag.NoConfig {
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
