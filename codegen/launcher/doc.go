// Package launcher makes what calls a compiled kernel.
//
// [Bind] and [Binding.Choose] do it at once: they bind dimensions, check shapes and requirements, pick the variant and
// compute the grid. [Host] prints the same checks as C++ for the CUDA runtime, and [Go] as a Go package of typed functions.
package launcher
