package passes

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"tilec/ir"
)

// Observer watches a run. Observers must not change the function.
type Observer interface {
	// After is called when a pass has changed f and the result is verified.
	After(p *Pass, f *ir.Func, took time.Duration)
}

// ObserverFunc is an Observer that is one function.
type ObserverFunc func(p *Pass, f *ir.Func, took time.Duration)

// After calls o.
func (o ObserverFunc) After(p *Pass, f *ir.Func, took time.Duration) { o(p, f, took) }

// Options say how to run the passes.
type Options struct {
	// StopAfter, when set, is the name of the last pass to run.
	StopAfter string
	// Disable names passes to leave out; those that give facts can't be.
	Disable []string
	// Limit, above 0, is how many passes run at most: to bisect.
	Limit int
	// Verify checks the function before the first pass and after every one.
	Verify    bool
	Observers []Observer
}

// Run runs the passes of the table on f.
//
// The error is ErrReported for a program that can't be lowered, an *ir.Bug
// for a mistake of the compiler, and anything else for wrong options.
func Run(ctx *Context, f *ir.Func, opts Options) error { return RunList(ctx, f, Table(), opts) }

// RunList is Run with other passes.
func RunList(ctx *Context, f *ir.Func, list []Pass, opts Options) error {
	if err := check(list, opts); err != nil {
		return err
	}
	if opts.Verify {
		if err := ir.Verify(f); err != nil {
			return &ir.Bug{Pass: "input", Func: f.Name, Message: err.Error()}
		}
	}
	for i := range list {
		p := &list[i]
		if opts.Limit > 0 && i == opts.Limit {
			break
		}
		if !slices.Contains(opts.Disable, p.Name) {
			if err := runOne(ctx, p, f, opts); err != nil {
				return err
			}
		}
		if p.Name == opts.StopAfter {
			break
		}
	}
	return nil
}

// runOne runs one pass; whatever it panics with becomes an *ir.Bug.
func runOne(ctx *Context, p *Pass, f *ir.Func, opts Options) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *ir.Bug:
			bug := *r
			bug.Pass, bug.Func, bug.Stack = p.Name, f.Name, string(debug.Stack())
			err = &bug
		default:
			err = &ir.Bug{Pass: p.Name, Func: f.Name, Message: fmt.Sprint(r), Stack: string(debug.Stack())}
		}
	}()
	start := time.Now()
	if err := p.Run(ctx, f); err != nil {
		return err
	}
	took := time.Since(start)
	if opts.Verify {
		if err := ir.Verify(f); err != nil {
			return &ir.Bug{Pass: p.Name, Func: f.Name, Message: "the result is malformed: " + err.Error()}
		}
		if p.Proof != nil {
			if err := p.Proof(f); err != nil {
				return &ir.Bug{Pass: p.Name, Func: f.Name, Message: "the result is not right on all paths: " + err.Error()}
			}
		}
	}
	for _, o := range opts.Observers {
		o.After(p, f, took)
	}
	return nil
}

// check refuses options that name no pass or leave out a needed one.
func check(list []Pass, opts Options) error {
	find := func(name string) *Pass {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
		return nil
	}
	if opts.StopAfter != "" && find(opts.StopAfter) == nil {
		return fmt.Errorf("no pass %q; the passes are %s", opts.StopAfter, names(list))
	}
	for _, name := range opts.Disable {
		switch p := find(name); {
		case p == nil:
			return fmt.Errorf("no pass %q; the passes are %s", name, names(list))
		case p.Gives != 0:
			return fmt.Errorf("pass %s can't be left out: later ones need %s", name, p.Gives)
		}
	}
	return nil
}

func names(list []Pass) string {
	text := ""
	for i, p := range list {
		if i > 0 {
			text += ", "
		}
		text += p.Name
	}
	return text
}
