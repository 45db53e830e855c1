// Package parser turns the text of a .tile file into a syntax tree.
//
// The grammar is LL(1) and is written as participle productions (grammar.go, statements.go). Around it:
//
//   - scan.go makes tokens; it never fails, a character that is no part of the language becomes a token of its own;
//   - split.go cuts the tokens into one chunk a declaration, so that an error in one leaves the others readable;
//   - block.go reads blocks statement by statement and, after an error, goes on at the next statement;
//   - expr.go reads expressions by precedence climbing.
//
// Productions hold no state: errors are kept as nodes and reported, in order, when the productions are turned into
// package ast's nodes. Time is linear in the length of the text, and nesting is bounded.
package parser
