// Package interp runs functions of the tile IR, in any form, on real arrays. It
// is the oracle that passes and generated code are compared with.
//
// A function is compiled once into closures over rows: of the iteration
// variables of an operation one, the row variable, is handled by loops over
// slices, the others by an odometer. Grid instances are spread over the cores.
//
// Values are held decoded: floats of 32 bits and below as float32, f64 as
// float64, integers as int64 wrapped to their type, bools as bool. Every one of
// these is exact; rounding happens where the IR says Cast, or where a value is
// stored into a narrower buffer.
//
// The interpreter is strict. Unguarded accesses out of bounds, reads of elements
// that nothing has written, writes of one element by two grid instances, and
// failed asserts end a run with a Fault. In scheduled form it is the adversary:
// shared memory is watched for reads of copies in flight, for accesses that no
// barrier orders, and for buffers that take over bytes which are still needed
// (see hazards). Who holds which element of a register tile is static, and
// checked by ir.Verify, which every run begins with.
//
// What the tables of package ir leave open is settled as follows.
//
//   - Where Dst is guarded or Where fails, the operands are not evaluated.
//   - The Where of a reduce chooses what is combined, the guard of its Dst which
//     elements are written. Combining nothing gives the identity (0, 1, -inf or
//     the least integer, …), and so does a max or min of nothing but nans.
//   - A reduce is computed in the type of its operand, in f32 when that is a
//     narrower float, and converted when stored.
//   - min and max take -0 for less than +0, as PTX does.
//   - A contract adds to Dst in increasing order of Red, row-major.
//   - rand is word 0 of Philox 4x32-10 with the offset (low word first) in the
//     counter's words 0 and 1 and the seed in the key, both sign-extended to 64
//     bits, shifted right by 8 and scaled by 2^-24.
package interp
