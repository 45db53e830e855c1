// Package live finds over which operations tiles hold something, and gives tiles
// that share a memory their offsets, so that only those that are never alive at
// once share bytes.
package live
