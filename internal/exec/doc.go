// Package exec runs one kernel of somebody's CUDA C++, PTX or binary on the PTX machine, with arguments that a
// command line spells.
//
// [Load] finds the PTX in a file, compiling CUDA C++; [ParseArg] reads an argument; [Run] binds the arguments to the
// parameters of an entry, launches it, and saves the outputs. What came of it can be written as text with the source
// lines of each finding ([Outcome.WriteFindings]), as JSON ([Outcome.WriteJSON]), and beside the source
// ([Outcome.Annotate]).
package exec
