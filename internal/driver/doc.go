// Package driver wires the stages of the compiler: a file becomes a program, an
// instance of one of its kernels, tile IR, scheduled IR, CUDA text, PTX and a
// cubin.
//
// A [Session] holds what compilations share. [Session.Build] compiles kernels,
// [Session.Check] runs the tests of a program: the spec, the interpreter on every
// form of the IR, and the compiled kernel on the PTX machine or on a GPU, and says
// at which stage a result first differs. [Session.Run] runs one kernel on given
// arrays.
//
// # Comparison
//
// A result is compared with the spec, evaluated in f64, where the spec assigns an
// element; a kernel without a spec is compared with the interpreter on its tile
// form. Integers and bools must be equal. Floats must both be nan, be the same
// infinity, or differ by no more than
//
//	rtol · max(|want|, rms)
//
// where rms is the root mean square of the tensor's finite wanted values, so that
// elements which cancel to nearly 0 are measured by the size of what cancelled. A
// test may give rtol as its tolerance (for integers it is then the absolute
// difference allowed); random shapes in place of a test's own are allowed twice
// that. Otherwise
//
//	rtol = 2·u(out) + 2·u(mid)·√I + 2⁻²⁴·(64 + 8·√R)
//
// with u(t) half the distance from 1 to the next number of type t; out is the
// tensor's type, a term left out for f32 and f64; mid the coarsest float type of 16
// bits or fewer that the kernel rounds intermediate values to, tf32 where the kernel
// allows it; I the number of iterations that hand such values to each other, 1 for
// most kernels; and R the number of elements that the longest reduction combines.
// Rounding a tied value the other way is within 2·u. A f64 tensor has 2⁻⁵³ in place
// of 2⁻²⁴ if the kernel computes nothing in a narrower type.
package driver
