// Package array holds element types, their exact conversions, and dense arrays
// of them, with .npy files in and out.
//
// It is the only place that knows how a value of each element type is stored.
package array
