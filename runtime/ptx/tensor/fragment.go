package tensor

import (
	"math"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// LoadA gives the values of A from its registers, row by row.
func (m *MMA) LoadA(to []float64, regs []*lanes.V32) {
	halves := m.M / 8
	e := m.perRegister(m.A)
	for r, reg := range regs {
		values(m.A, to[8*(r%halves)*m.K+r/halves*4*e:], m.K, 1, reg)
	}
}

// LoadB gives the values of B from its registers, for each k the 8 columns.
func (m *MMA) LoadB(to []float64, regs []*lanes.V32) {
	e := m.perRegister(m.B)
	for r, reg := range regs {
		values(m.B, to[r*4*e*width:], 1, width, reg)
	}
}

// perRegister is the number of elements in a register.
func (m *MMA) perRegister(t Type) int { return max(32/t.Bits(), 1) }

// values puts the elements of one register at places (lane/4)·major + (lane%4·e + j)·minor.
func values(t Type, to []float64, major, minor int, reg *lanes.V32) {
	if !valuesFast(t, to, major, minor, reg) {
		valuesGo(t, to, major, minor, reg)
	}
}

func valuesGo(t Type, to []float64, major, minor int, reg *lanes.V32) {
	switch t {
	case F64:
		for l, x := range lanes.Wide(reg) {
			to[l>>2*major+l&3*minor] = math.Float64frombits(x)
		}
	case F16:
		for l, x := range reg {
			at := l>>2*major + l&3*2*minor
			to[at] = float64(fp.F16ToF32(uint16(x)))
			to[at+minor] = float64(fp.F16ToF32(uint16(x >> 16)))
		}
	case BF16:
		for l, x := range reg {
			at := l>>2*major + l&3*2*minor
			to[at] = float64(math.Float32frombits(x << 16))
			to[at+minor] = float64(math.Float32frombits(x & 0xffff0000))
		}
	case TF32:
		for l, x := range reg {
			// The low 13 bits of the word don't take part.
			to[l>>2*major+l&3*minor] = float64(math.Float32frombits(x &^ 0x1fff))
		}
	case E4M3, E5M2, E2M3, E3M2, E2M1, E2M1Byte:
		w := t.Bits()
		for l, x := range reg {
			at := l>>2*major + l&3*(32/w)*minor
			for range 32 / w {
				to[at] = t.small(x & (1<<w - 1))
				x >>= w
				at += minor
			}
		}
	default:
		integers(t, to, major, minor, reg)
	}
}

func integers(t Type, to []float64, major, minor int, reg *lanes.V32) {
	w := t.Bits()
	e := 32 / w
	signed := t == S8 || t == S4
	for l, x := range reg {
		at := l>>2*major + l&3*e*minor
		for range e {
			if signed {
				to[at] = float64(int32(x<<(32-w)) >> (32 - w))
			} else {
				to[at] = float64(int32(x << (32 - w) >> (32 - w)))
			}
			x >>= w
			at += minor
		}
	}
}

// sums gathers C: M rows of 8. Of 32-bit registers, 2h and 2h+1 hold columns 2t and
// 2t+1 of row g+8h; packed halves are one register a row.
func (m *MMA) sums(to *[maxM * width]float64, regs []*lanes.V32) {
	switch m.C {
	case F32:
		for h := 0; h < len(regs); h += 2 {
			lo, hi := regs[h], regs[h+1]
			if rows := to[h/2*64:][:64]; !sumsFast(rows, lo, hi) {
				sumsGo(rows, lo, hi)
			}
		}
	case F64:
		for h := 0; h < len(regs); h += 2 {
			lo, hi := lanes.Wide(regs[h]), lanes.Wide(regs[h+1])
			rows := to[h/2*64:][:64]
			for l := range lo {
				rows[2*l], rows[2*l+1] = math.Float64frombits(lo[l]), math.Float64frombits(hi[l])
			}
		}
	case F16:
		for h, reg := range regs {
			rows := to[h*64:][:64]
			for l, x := range reg {
				rows[2*l], rows[2*l+1] = float64(fp.F16ToF32(uint16(x))), float64(fp.F16ToF32(uint16(x>>16)))
			}
		}
	}
}

// scatter rounds the results into D, whose layout is that of C.
func (m *MMA) scatter(from *[maxM * width]float64, regs []*lanes.V32) {
	switch m.D {
	case F32:
		for h := 0; h < len(regs); h += 2 {
			lo, hi := regs[h], regs[h+1]
			if rows := from[h/2*64:][:64]; !scatterFast(lo, hi, rows) {
				scatterGo(lo, hi, rows)
			}
		}
	case F64:
		for h := 0; h < len(regs); h += 2 {
			lo, hi := lanes.Wide(regs[h]), lanes.Wide(regs[h+1])
			rows := from[h/2*64:][:64]
			for l := range lo {
				lo[l], hi[l] = math.Float64bits(rows[2*l]), math.Float64bits(rows[2*l+1])
			}
		}
	case F16:
		f := fp.F16()
		for h, reg := range regs {
			rows := from[h*64:][:64]
			for l := range reg {
				reg[l] = f.FromFloat64(rows[2*l], fp.RN, false) | f.FromFloat64(rows[2*l+1], fp.RN, false)<<16
			}
		}
	}
}

func sumsGo(rows []float64, lo, hi *lanes.V32) {
	for l := range lo {
		rows[2*l] = float64(math.Float32frombits(lo[l]))
		rows[2*l+1] = float64(math.Float32frombits(hi[l]))
	}
}

func scatterGo(lo, hi *lanes.V32, rows []float64) {
	for l := range lo {
		lo[l], hi[l] = single(rows[2*l]), single(rows[2*l+1])
	}
}

// single rounds to f32, NaN being canonical.
func single(x float64) uint32 {
	if x != x {
		return 0x7fffffff
	}
	return math.Float32bits(float32(x))
}

// addInts adds exact sums to C: it wraps, or with saturation clamps.
func (m *MMA) addInts(d []*lanes.V32, sum *[maxM * width]float64, c []*lanes.V32) {
	var out [4]lanes.V32 // D may be C in another order
	for r, reg := range c {
		for l, x := range reg {
			s := int64(sum[r>>1*64+2*l+r&1])
			if m.Saturate {
				out[r][l] = uint32(min(max(s+int64(int32(x)), math.MinInt32), math.MaxInt32))
			} else {
				out[r][l] = uint32(s) + x
			}
		}
	}
	for r := range d {
		*d[r] = out[r]
	}
}
