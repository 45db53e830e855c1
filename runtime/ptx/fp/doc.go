// Package fp holds the number formats and roundings of PTX: conversions among
// f64, f32, f16, bf16, tf32 and the 8-, 6- and 4-bit floats, and arithmetic
// rounded once in any mode.
//
// Values of narrow formats travel as their bits. Directed rounding rests on
// rounding to odd: a double that carries a sticky last bit rounds to any format
// of at most 51 significand bits as the exact value would (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums", 2008).
package fp
