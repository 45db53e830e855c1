// Package lanes holds the arithmetic of PTX over the 32 lanes of a warp.
//
// A register is a vector of 32 values. Lookup takes the name of an instruction
// with its modifiers, as written in PTX, and returns the function that computes
// it for all lanes at once together with the types of its operands; whoever
// executes it decides which lanes keep the result. Functions are pure, never
// fail and never look at more than their operands.
//
// Semantics are those of the PTX ISA 9.x, chapter "Instruction Set". Floating
// point is IEEE 754 to the bit where the ISA says so, with its canonical NaNs
// (0x7fffffff for f32, 0x7fff for f16 and bf16). Approximate functions are
// computed in double precision and rounded once, which is within the errors
// that the ISA documents.
package lanes
