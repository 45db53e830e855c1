// Package fuzz makes random well-typed programs, runs them through every stage of
// the compiler and compares, and shrinks those that differ.
//
// A [Program] is a tree of its own, not the checker's: it prints as text, and the
// text goes the way of every other program. It comes from [Generate], which depends
// on a seed and a number only, with a few launches: values of its dimensions and
// scalar parameters.
//
// # What a result is compared with
//
// An evaluator walks the tree and says what each tensor should hold (see evaluator); it
// knows nothing of the checker, the lowering or the IR. The tile form as interpreted is
// compared with that, and every later stage with the tile form. An analysis of the tree (see
// bounds) follows, for each launch, the interval of every value and a bound of its
// error. A value whose bits are fixed has the bound 0: integers, copies,
// selections, single IEEE operations, and sums of which every order gives the same
// because all partial sums are exact. Approximate functions, divisions, sums in any
// order and products that may be contracted with an addition have what follows from
// the types, the ranges and the lengths. Where a bound above 0 would decide a
// branch, an index or a rounding to an integer, the generator puts something else.
// So every difference beyond the bounds is a fault.
//
// Each tensor is compared after every pass of the compiler, to the bit except after
// passes that are known to round elsewhere, and after a run of the compiled kernel
// on the PTX machine, which reports races and accesses that are not allowed. The
// first stage that differs is the one that a [Fault] names.
//
// # Shrinking
//
// A program that fails is made smaller on its tree, as long as it fails at the same
// stage in the same way: statements go, loops become their bodies, expressions
// their operands, extents, dimensions and types shrink. What is left is written as a
// .tile file with a test for its launch.
package fuzz
