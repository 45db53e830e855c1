// Package ir is the tile IR: structured control flow over few operations on
// named buffers, with scalar expressions as trees.
//
// One table (ops.go) lists the statement operations and one (exprops.go) the
// scalar operations; the printer, the parser, the verifier, the walkers and the
// interpreter read them, so that an operation is described once.
//
// A function is in one of three forms (see Form): tile form says what is
// computed on which tiles, placed form where each tile lives and how its
// elements are spread over threads, scheduled form when each operation may run.
// Package ir/interp executes all three.
package ir
