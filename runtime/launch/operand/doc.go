// Package operand checks the arguments of a kernel before it is launched: types, ranks, extents, strides and bounds, and
// computes the launch's size from them. The compiler and the packages that it generates use the same checks, so that
// a mistake reads the same wherever it is found.
package operand
