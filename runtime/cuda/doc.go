// Package cuda finds NVIDIA's compiler, or installs it, and compiles CUDA C++ with it.
//
// No GPU is needed and no cgo: NVRTC is a shared library, opened at run time. [Find] looks, in order, at the directory
// in $TILEC_CUDA, at an installed CUDA toolkit, and at tilec's own cache; failing all, it installs the compiler into the
// cache from the Python package registry, at pinned versions and checked hashes. [Toolchain.Compile] turns one
// self-contained source into PTX and a cubin at once, [Cache] remembers such results by content, and
// [Toolchain.Disassemble] gives the machine code as text (package sass reads it).
//
// Package driver runs the results on a GPU.
package cuda
