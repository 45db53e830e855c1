package tensor

import (
	"math"
	"math/bits"

	"tilec/runtime/ptx/lanes"
)

// ints gathers an operand of small integers: rows of K values.
func ints(t Type, to []int32, k int, regs []*lanes.V32, halves int) {
	w := t.Bits()
	e := 32 / w
	for r, reg := range regs {
		at := 8*(r%halves)*k + r/halves*4*e
		for l, x := range reg {
			p := to[at+(l>>2)*k+l&3*e:][:e]
			for j := range p {
				v := x << (32 - w*(j+1))
				if t == S8 || t == S4 {
					p[j] = int32(v) >> (32 - w)
				} else {
					p[j] = int32(v >> (32 - w))
				}
			}
		}
	}
}

func (m *MMA) runInt(d, a, b, c []*lanes.V32) {
	var ma [maxM * maxK]int32
	var mb [maxN * maxK]int32
	ints(m.A, ma[:m.M*m.K], m.K, a, m.M/8)
	ints(m.B, mb[:m.N*m.K], m.K, b, 1)
	var sum [maxM * maxN]int32 // of products alone: at most 64·2^15, exact
	multiply(&sum, ma[:m.M*m.K], mb[:m.N*m.K], m.M, m.K)
	var out [4]lanes.V32
	for r, reg := range c {
		to := &out[r]
		for l, x := range reg {
			s := sum[(l>>2+8*(r>>1))*maxN+l&3*2+r&1]
			if m.Saturate {
				to[l] = uint32(min(max(int64(s)+int64(int32(x)), math.MinInt32), math.MaxInt32))
			} else {
				to[l] = uint32(s) + x
			}
		}
	}
	for r := range d {
		*d[r] = out[r]
	}
}

func (m *MMA) runBits(d, a, b, c []*lanes.V32) {
	halves := m.M / 8
	words := m.K / 32
	var ma [maxM][maxKB / 32]uint32
	var mb [maxN][maxKB / 32]uint32
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
