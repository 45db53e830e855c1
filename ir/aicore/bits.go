package aicore

import (
	"iter"
	"math/bits"
)

// bitset is a set of small numbers.
type bitset []uint64

func (b *bitset) set(n int) {
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitset) clear(n int) { b[n/64] &^= 1 << (n % 64) }

func (b bitset) has(n int) bool { return n/64 < len(b) && b[n/64]>>(n%64)&1 != 0 }

// all runs over the numbers in the set, the least first.
func (b bitset) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range b {
			for ; w != 0; w &= w - 1 {
				if !yield(i*64 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// or adds the numbers of another set, and reports whether there were new ones.
func (b *bitset) or(o bitset) bool {
	grown := false
	for len(*b) < len(o) {
		*b = append(*b, 0)
	}
	for i, w := range o {
		grown = grown || w&^(*b)[i] != 0
		(*b)[i] |= w
	}
	return grown
}

// and returns what is in both sets.
func (b bitset) and(o bitset) bitset {
	n := make(bitset, min(len(b), len(o)))
	for i := range n {
		n[i] = b[i] & o[i]
	}
	return n
}

// without returns what is in the set and not in the other.
func (b bitset) without(o bitset) bitset {
	n := make(bitset, len(b))
	for i := range n {
		n[i] = b[i]
		if i < len(o) {
			n[i] &^= o[i]
		}
	}
	return n
}

// first returns a number that is in both sets, -1 if there is none.
func (b bitset) first(o bitset) int {
	for i := range min(len(b), len(o)) {
		if w := b[i] & o[i]; w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}
