// Package codegen holds what all code generators share: an indenting writer for
// C-like text that names things once and comments them with their source lines.
package codegen
