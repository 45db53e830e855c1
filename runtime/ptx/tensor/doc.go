// Package tensor computes the matrix instructions of a warp: D = A·B + C on
// fragments held in registers.
//
// Fragments follow the PTX ISA, "Matrix Fragments for mma". With g = lane/4 and
// t = lane%4, and e elements in a 32-bit register, register c·2+h of A holds row
// g+8h, columns c·4e + t·e …, and register c of B the same columns (its k) of n = g.
// C and D hold row g+8h, columns 2t and 2t+1.
package tensor
