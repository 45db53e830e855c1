// Package launch is how a compiled kernel is run, whatever runs it: a GPU (package driver) or the PTX machine.
//
// Generated packages and tools hold a [Launcher] and call it with host arrays; the launcher brings them to where the
// kernel runs and back.
package launch
