// Package layout describes who holds which element of a tile, and at which
// offset, as linear maps over bits.
//
// A Layout sends the bits of its inputs to coordinates by exclusive or: input
// bit b contributes a fixed vector of coordinates, its basis, and the
// coordinates of an input are the xor of the bases of its set bits. The inputs
// (register, lane, warp) with outputs (dim0, dim1, …) say which thread holds
// which element; the inputs (dim0, dim1, …) with output offset say where in
// memory an element lies, swizzles included. Extents are powers of two; tiles of
// other extents are padded and masked.
//
// The idea is that of "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (Zhou et al., 2025).
package layout
