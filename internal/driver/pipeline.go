package driver

import (
	"fmt"
	"path"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"tilec/codegen"
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/passes"
)

// Unit is one emitted file: a kernel, its generics and tunables bound, for one
// machine. Its entries' functions are in scheduled form.
type Unit struct {
	*codegen.Unit
	Machine *machine.Machine
	Source  string // the program's file, as the text names it
	// Placed holds the entries' functions as they were before scheduling, where
	// that was asked for.
	Placed []*ir.Func
	// Remarks are what the passes did and declined to do.
	Remarks []*diag.Diagnostic

	lines func() []string // of the text
}

// Name is the kernel's.
func (u *Unit) Name() string { return u.Entries[0].Func.Name }

// FileName is that of the emitted file.
func (u *Unit) FileName() string { return u.Name() + "." + u.Machine.Name + familyOf(u.Machine).suffix }

// EmitOptions say how a kernel is lowered.
type EmitOptions struct {
	Verify     bool   // the IR after every pass
	KeepPlaced bool   // fill Unit.Placed
	Suffix     string // of the kernel's name in the text
}

// Emit lowers a kernel in tile form, which is not changed, to the text for a
// machine. The error is a *Refusal or an *ir.Bug.
func Emit(tile *ir.Func, m *machine.Machine, source string, opts EmitOptions) (*Unit, error) {
	u := &Unit{Machine: m, Source: source}
	fam := familyOf(m)
	variants := fam.variants(tile)
	reps := make([]diag.Reporter, len(variants))
	placed := make([]*ir.Func, len(variants))
	errs := make([]error, len(variants))
	var wg sync.WaitGroup
	for i, f := range variants {
		wg.Go(func() {
			po := passes.Options{Verify: opts.Verify}
			if opts.KeepPlaced {
				po.Observers = append(po.Observers, passes.ObserverFunc(func(_ *passes.Pass, f *ir.Func, _ time.Duration) {
					if f.Form == ir.PlacedForm {
						placed[i] = ir.Clone(f)
					}
				}))
			}
			errs[i] = runPasses(f, m, &reps[i], po)
		})
	}
	wg.Wait()
	rep := &diag.Reporter{}
	for i := range variants {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if placed[i] != nil {
			u.Placed = append(u.Placed, placed[i])
		}
		for _, d := range reps[i].Sorted() {
			rep.Add(d)
		}
	}
	u.Remarks = rep.Sorted()
	for _, f := range variants {
		f.Name += opts.Suffix
	}
	if err := guard("codegen", tile.Name, func() { u.Unit = fam.emit(variants, m, path.Base(source)) }); err != nil {
		return nil, err
	}
	u.lines = sync.OnceValue(func() []string { return strings.Split(u.Text, "\n") })
	return u, nil
}

// runPasses lowers f in place.
func runPasses(f *ir.Func, m *machine.Machine, rep *diag.Reporter, opts passes.Options) error {
	switch err := passes.RunList(&passes.Context{Machine: m, Reporter: rep}, f, familyOf(m).table(), opts); err {
	case nil:
		return nil
	case passes.ErrReported:
		return refusal(rep)
	default:
		return err
	}
}

// guard turns a panic of a stage into an *ir.Bug.
func guard(stage, name string, f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *ir.Bug:
			bug := *r
			bug.Pass, bug.Func, bug.Stack = stage, name, string(debug.Stack())
			err = &bug
		default:
			err = &ir.Bug{Pass: stage, Func: name, Message: fmt.Sprint(r), Stack: string(debug.Stack())}
		}
	}()
	f()
	return nil
}
