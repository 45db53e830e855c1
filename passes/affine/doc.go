// Package affine reasons about index values: it knows linear inequalities over
// the scalars of a function, such as the ranges of grid and loop variables, and
// proves or refutes conditions from them.
//
// A value is a form, a sum of atoms with integer coefficients. An atom is a
// scalar or an expression that is not linear (a quotient, a minimum, a load);
// for those the prover has the inequalities that define them, such as
// c*q <= x <= c*q + c-1 for q = floor(x/c). To prove form >= 0 it eliminates
// atoms, the youngest first, by adding multiples of known inequalities until a
// constant is left: Fourier-Motzkin elimination, followed along single paths and
// with the roundings that integers allow.
//
// Index arithmetic is taken not to overflow 64 bits. Atoms of unknown size (an
// i64 read from a tensor, say) take part in comparisons only.
package affine
