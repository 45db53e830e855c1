// Package lower turns a checked kernel into the tile IR. It is the only package
// that sees both the program (lang/types) and the IR.
//
// [Kernel] gives the tile form of a kernel whose generics and tunables are
// bound, [Spec] the spec form of its `spec` block. Both are made by the same
// code; they differ in numbers and in shapes. A kernel computes in the types of
// the program, narrow floats in f32, on tiles of constant extents. A spec
// computes floats in f64 and integers in i64, and mixes them freely, on
// temporaries whose extents are expressions over the dimensions; explicit
// conversions such as f16(x) round there too.
//
// What the program leaves implicit becomes explicit here:
//
//   - Every change of type is a Cast.
//   - Edges are guards: a load that may be outside has the condition under which
//     it is inside, a write has it in Where. What simple interval reasoning
//     proves is left out; package passes proves the rest.
//   - An access whose index was loaded from outside a tensor is itself outside:
//     the guard of the index is part of the guard of the access.
//   - A reduction in an expression becomes a reduce or contract into a tile of
//     its own, over those free indices only that it depends on, ahead of the
//     statement. A reduction which is all of the right side goes straight to the
//     left side where types and indices allow it.
//   - A reduction over tensor elements skips those outside.
//   - A statement sees the values from before it: where the right side reads
//     what the left side writes at another index, the values pass through a tile.
//   - Calls of a fn are expanded.
package lower
