package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"tilec/internal/diag"
	"tilec/internal/driver"
)

// textOptions fits diagnostics to where they go.
func textOptions(w io.Writer) diag.TextOptions {
	return diag.TextOptions{Color: isTerminal(w) && os.Getenv("NO_COLOR") == ""}
}

// printError prints what ended a command.
func printError(w io.Writer, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			printError(w, err)
		}
		return
	}
	var refusal *driver.Refusal
	var bug *driver.Bug
	switch {
	case errors.As(err, &refusal):
		for _, d := range refusal.Diagnostics {
			fmt.Fprint(w, d.Text(textOptions(w)))
		}
	case errors.As(err, &bug):
		printBug(w, bug)
	default:
		fmt.Fprintf(w, "tilec: %v\n", err)
	}
}

// printBug prints a mistake of the compiler, with what to do about it.
func printBug(w io.Writer, bug *driver.Bug) {
	fmt.Fprintf(w, "tilec: %s\n", bug.Error())
	fmt.Fprintf(w, "This is a mistake in tilec %s, not in your program. Please report it with the program and the command line", version)
	if os.Getenv(traceVariable) == "" {
		fmt.Fprintf(w, "; with %s=1 in the environment tilec shows where it happened", traceVariable)
	}
	fmt.Fprintln(w, ".")
	if bug.Stack != "" && os.Getenv(traceVariable) != "" {
		fmt.Fprintln(w, bug.Stack)
	}
}

// traceVariable asks for the stack of a compiler bug.
const traceVariable = "TILEC_TRACE"

// load reads and checks files. It is false where one of them has errors, which
// have been printed, as have warnings.
func load(io streams, s *driver.Session, paths []string, asJSON bool) ([]*driver.Program, bool) {
	var programs []*driver.Program
	ok := true
	for _, path := range paths {
		p := s.Load(path)
		switch {
		case asJSON:
			p.Reporter.WriteJSON(io.out)
		case p.Bug != nil:
			printBug(io.err, p.Bug)
		default:
			p.Reporter.WriteText(io.err, textOptions(io.err))
		}
		ok = ok && !p.Reporter.HasErrors()
		programs = append(programs, p)
	}
	return programs, ok
}
