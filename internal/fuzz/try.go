package fuzz

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"tilec/internal/diag"
	"tilec/internal/driver"
)

// Tester runs programs through the compiler.
type Tester struct {
	Session *driver.Session // shares the compiler
	Machine *driver.Machine
	Seed    uint64 // of inputs
	// Limit bounds the time of one launch, so that a hang is noticed; 0: three minutes.
	Limit time.Duration
}

// Outcome is what became of a program.
type Outcome struct {
	Fault *Fault // nil: none
	// Refused is why the compiler declined the program, rightly so.
	Refused string
}

// Test runs a program with all its launches until one fails. The error is one of ctx
// or of the toolchain.
func (t *Tester) Test(ctx context.Context, p *Program) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			message := fmt.Sprint(r)
			out.Fault = &Fault{Program: p, Launch: -1, Stage: "panic", Kind: Crash, Class: shape(message), Text: message + "\n" + string(debug.Stack())}
		}
	}()
	text := p.Text()
	s := t.Session.Fresh(func(string) (string, error) { return text, nil })
	prog := s.Load("fuzz.tile")
	if prog.Reporter.HasErrors() {
		f := &Fault{Program: p, Launch: -1, Stage: "check", Kind: Rejected, Text: report(prog.Reporter)}
		for _, d := range prog.Reporter.Sorted() {
			if d.Severity == diag.Error {
				if d.Code == diag.NotSupported {
					return Outcome{Refused: d.Message}, nil
				}
				f.Class = fmt.Sprint(d.Code) + " " + shape(d.Message)
				break
			}
		}
		return Outcome{Fault: f}, nil
	}
	for i, l := range p.Launches {
		out, err := t.launch(ctx, s, prog, p, i, l)
		if err != nil || out.Fault != nil || out.Refused != "" {
			return out, err
		}
	}
	return Outcome{}, nil
}

func (t *Tester) launch(ctx context.Context, s *driver.Session, prog *driver.Program, p *Program, i int, l *Launch) (Outcome, error) {
	bounds, _ := p.analyse(l)
	j := &judge{p: p, launch: i, bounds: bounds}
	limit := t.Limit
	if limit == 0 {
		limit = 3 * time.Minute
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- &crash{fmt.Sprint(r), string(debug.Stack())}
			}
		}()
		done <- s.Trial(timed, prog, strconv.Itoa(i), t.Machine, t.Seed, j.visit)
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	case <-time.After(limit + limit/2): // something that does not look at its context
		f := &Fault{Program: p, Launch: i, Stage: "time", Kind: Slow, Text: "hangs"}
		return Outcome{Fault: f}, ctx.Err()
	}
	var c *crash
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case errors.As(err, &c):
		j.report("panic", Crash, shape(c.message), c.message+"\n"+c.stack)
	case errors.Is(err, context.DeadlineExceeded):
		j.report("time", Slow, "", "no end within "+limit.String())
	case err != nil:
		return Outcome{}, err
	}
	return Outcome{Fault: j.fault, Refused: j.refused}, nil
}

// crash is a panic that no stage has turned into an error.
type crash struct{ message, stack string }

func (c *crash) Error() string { return c.message }

// report renders the errors of a program.
func report(r *diag.Reporter) string {
	var b strings.Builder
	for _, d := range r.Sorted() {
		if d.Severity == diag.Error {
			b.WriteString(d.Text(diag.TextOptions{}))
		}
	}
	return b.String()
}
