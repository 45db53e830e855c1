// Package cuda prints scheduled-form IR as CUDA C++.
//
// One kernel becomes one self-contained file: a head that documents the launch,
// the device functions that it uses (inline PTX; no header is included), and one
// entry function for each variant. A tile in registers is an array, indexed by
// the register bits of its layout; a loop over registers is fully unrolled by the
// compiler, so that every index is a constant. Elements narrower than 32 bits are
// packed into 32-bit words, the lower register in the lower bits.
package cuda
