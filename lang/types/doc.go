// Package types is the checker of the tile language: names, element types, extents, and the rules that a program must
// keep before it means anything.
//
// [Load] reads a file and what it imports. [Check] checks all of it, every kernel under representative instantiations.
// [Instantiate] binds one kernel's generics and tunables and returns an [Instance]: the facts that lowering needs about
// every expression and statement of the kernel, in an [Info].
//
// Facts live in tables keyed by syntax nodes. One node can mean different things in two instantiations, so an Info
// belongs to one instantiation, and to one expansion of a `fn`.
package types
