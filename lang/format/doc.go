// Package format rewrites .tile sources in the one canonical style (`tilec fmt`).
//
// The formatter lays out the tokens of the source, comments among them, and asks the syntax tree only what a token is
// for: it can change nothing but white space, `;` and trailing commas. The rules:
//
//   - a level of blocks is four spaces; a block that was written on one line and holds at most one simple statement
//     stays on its line;
//   - one space around operators, none around `*` between names and integers, as in `A[by*BM, k*BK]`;
//   - lines which the author broke inside a statement stay broken and keep their indentation relative to the
//     statement; a `{` after a header of several lines stands on a line of its own;
//   - at most one blank line in a row, and one around kernels, functions and ops;
//   - columns of consecutive tests that are aligned stay aligned.
//
// Formatting is idempotent.
package format
