package ir

import "fmt"

// Bug is a mistake of the compiler, as opposed to one in the program that it
// compiles. Code that finds one panics with a *Bug; the pass runner completes it
// and hands it to the driver as an error.
type Bug struct {
	Pass, Func string
	Message    string
	// Stack is where it was found, for a report; empty if that says nothing.
	Stack string
}

// Error returns the message with its pass and function.
func (b *Bug) Error() string {
	where := ""
	if b.Pass != "" {
		where += " in pass " + b.Pass
	}
	if b.Func != "" {
		where += " on " + b.Func
	}
	return fmt.Sprintf("compiler bug%s: %s", where, b.Message)
}

// Bugf panics with a *Bug.
func Bugf(format string, args ...any) { panic(&Bug{Message: fmt.Sprintf(format, args...)}) }
