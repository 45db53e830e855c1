package codegen

import "tilec/ir"

// Param is one argument of an entry function, in order.
type Param struct {
	Name   string
	Tensor *ir.Buffer // a pointer, when set
	Scalar *ir.Var    // a scalar, dimension or stride, when set
	Type   ir.DType   // of the scalar as passed: dimensions are I32 or I64
}

// Entry describes an entry function to whoever launches it.
type Entry struct {
	Name   string
	Func   *ir.Func
	Params []Param
	// Threads of a block and bytes of Shared memory, for GPUs.
	Threads int
	Shared  int64
	// Narrow entries take 32-bit dimensions: every dimension and every extent
	// must be at most 2^30.
	Narrow bool
	// Workspace is the bytes of global memory that each block of the launch needs beside the tensors, for AI cores.
	Workspace int64
}

// Unit is one emitted file.
type Unit struct {
	Text    string
	Entries []Entry // fastest first; the last one takes any arguments
}
