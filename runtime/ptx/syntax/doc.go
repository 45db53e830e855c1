// Package syntax reads PTX text into a tree of declarations and statements.
//
// It knows the grammar of a PTX module (PTX ISA, "Syntax" and "Directives") and
// nothing of what instructions mean: an opcode is a name with its modifiers,
// and operands are names, literals, addresses and vectors. Debug sections are
// skipped; .file and .loc are kept, so that an instruction can be traced to the
// line of CUDA C++ that it came from.
package syntax
