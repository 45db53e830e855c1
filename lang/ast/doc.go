// Package ast declares the syntax tree of the tile language: what was written, where, before any name is resolved.
//
// Parentheses leave no node behind; the span of an expression includes the parentheses around it. Names which the
// language predeclares (dtypes, `inf`, `exp`, `ceildiv`, `peer` …) are plain [Ident] nodes: the checker gives them
// their meaning. Nodes hold only syntax; later stages keep their facts in tables of their own.
package ast
