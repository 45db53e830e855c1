// Package mutation puts faults into the compiler itself, one at a time, and demands
// that its own checks catch each of them.
//
// A fault is an edit of a line or two of a pass or a code generator, of the kind that
// a slip of the hand makes: a bound off by one, an order turned round, a condition
// left out. All edits go into one build of tilec by way of Go's -overlay, so that no
// source file and no release knows of them, each behind a condition on its name;
// the environment variable TILEC_FAULT chooses which one is on. With each, tilec check
// runs a few kernels after every pass and as compiled, and must fail.
//
//	go test ./internal/mutation            a sample
//	go test ./internal/mutation -all       every fault
//	go test ./internal/mutation -all -update   and renews docs/faults-of-the-compiler.md
package mutation
