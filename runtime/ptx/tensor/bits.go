package tensor

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
)

// maxBits is the largest k of the forms on single bits.
const maxBits = 256

// runBits counts the bits that a row and a column have in common, or apart.
func (m *MMA) runBits(d, a, b, c []*lanes.V32) {
	halves := m.M / 8
	words := m.K / 32
	var ma [maxM][maxBits / 32]uint32
	var mb [width][maxBits / 32]uint32
	for r, reg := range a {
		for l, x := range reg {
			ma[l>>2+8*(r%halves)][r/halves*4+l&3] = x
		}
	}
	for r, reg := range b {
		for l, x := range reg {
			mb[l>>2][r*4+l&3] = x
		}
	}
	var out [4]lanes.V32
	for r, reg := range c {
		for l, x := range reg {
			row, col := l>>2+8*(r>>1), l&3*2+r&1
			for k := range words {
				v := ma[row][k] & mb[col][k]
				if m.Xor {
					v = ma[row][k] ^ mb[col][k]
				}
				x += uint32(bits.OnesCount32(v))
			}
			out[r][l] = x
		}
	}
	for r := range d {
		*d[r] = out[r]
	}
}
