package tensor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// Type is the type of a matrix element.
type Type uint8

// Element types.
const (
	noType Type = iota
	F16
	BF16
	TF32
	F32
	F64
	E4M3
	E5M2
	S8
	U8
	S4
	U4
	B1
	S32
)

var typeNames = map[string]Type{
	"f16": F16, "bf16": BF16, "tf32": TF32, "f32": F32, "f64": F64, "e4m3": E4M3, "e5m2": E5M2,
	"s8": S8, "u8": U8, "s4": S4, "u4": U4, "b1": B1, "s32": S32,
}

var typeBits = [...]int{F16: 16, BF16: 16, TF32: 32, F32: 32, F64: 64, E4M3: 8, E5M2: 8, S8: 8, U8: 8, S4: 4, U4: 4, B1: 1, S32: 32}

// Bits returns the width of an element in a register.
func (t Type) Bits() int { return typeBits[t] }

func (t Type) integer() bool { return t == S8 || t == U8 || t == S4 || t == U4 || t == B1 || t == S32 }

// MMA is a form of mma.sync.
type MMA struct {
	M, N, K    int
	A, B, C, D Type
	Saturate   bool
	Xor        bool // b1: xor instead of and before the count
	integer    bool
}

// shapes lists the legal m, n and the k of each operand type (PTX ISA, "mma").
var shapes = map[Type][]string{
	F16:  {"m16n8k8", "m16n8k16"},
	BF16: {"m16n8k8", "m16n8k16"},
	TF32: {"m16n8k4", "m16n8k8"},
	F64:  {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"},
	S8:   {"m8n8k16", "m16n8k16", "m16n8k32"}, U8: {"m8n8k16", "m16n8k16", "m16n8k32"},
	S4: {"m8n8k32", "m16n8k32", "m16n8k64"}, U4: {"m8n8k32", "m16n8k32", "m16n8k64"},
	E4M3: {"m16n8k16", "m16n8k32"}, E5M2: {"m16n8k16", "m16n8k32"},
	B1: {"m8n8k128", "m16n8k128", "m16n8k256"},
}

// ParseMMA reads the modifiers of an mma instruction.
func ParseMMA(mods []string) (*MMA, error) {
	bad := fmt.Errorf("instruction form mma.%s is not supported", strings.Join(mods, "."))
	mods = slices.Clone(mods)
	take := func(name string) bool {
		i := slices.Index(mods, name)
		if i < 0 {
			return false
		}
		mods = slices.Delete(mods, i, i+1)
		return true
	}
	if !take("sync") || !take("aligned") || !take("row") || !take("col") {
		return nil, bad
	}
	m := &MMA{Saturate: take("satfinite")}
	and, popc := take("and"), false
	m.Xor = take("xor")
	popc = take("popc")
	if len(mods) < 5 {
		return nil, bad
	}
	shape := mods[0]
	var types []Type
	for _, s := range mods[1:] {
		t, ok := typeNames[s]
		if !ok {
			// The rounding of f64 may be stated; it is the only one.
			if s == "rn" {
				continue
			}
			return nil, bad
		}
		types = append(types, t)
	}
	if len(types) != 4 {
		return nil, bad
	}
	m.D, m.A, m.B, m.C = types[0], types[1], types[2], types[3]
	m.integer = m.A.integer()
	if !slices.Contains(shapes[m.A], shape) || !m.legal() || (m.A == B1) != (popc && and != m.Xor) || m.Saturate && (!m.integer || m.A == B1) {
		return nil, bad
	}
	m.M, m.N, m.K = dims(shape)
	return m, nil
}

// legal checks that the types go together.
func (m *MMA) legal() bool {
	same := m.A == m.B
	switch m.A {
	case F16:
		return same && m.C == m.D && (m.D == F16 || m.D == F32)
	case BF16, TF32:
		return same && m.C == F32 && m.D == F32
	case F64:
		return same && m.C == F64 && m.D == F64
	case E4M3, E5M2:
		return (m.B == E4M3 || m.B == E5M2) && m.C == m.D && (m.D == F16 || m.D == F32)
	case S8, U8:
		return (m.B == S8 || m.B == U8) && m.C == S32 && m.D == S32
	case S4, U4:
		return (m.B == S4 || m.B == U4) && m.C == S32 && m.D == S32
	}
	return m.A == B1 && same && m.C == S32 && m.D == S32
}

// dims splits "m16n8k16".
func dims(shape string) (m, n, k int) {
	parts := strings.FieldsFunc(shape, func(r rune) bool { return r == 'm' || r == 'n' || r == 'k' })
	m, _ = strconv.Atoi(parts[0])
	n, _ = strconv.Atoi(parts[1])
	k, _ = strconv.Atoi(parts[2])
	return m, n, k
}

// Regs returns the number of registers of A, B, and C or D in a thread. Those of
// f64 are 64 bits wide, all others 32.
func (m *MMA) Regs() (a, b, c int) {
	width := max(32, m.A.Bits())
	return m.M * m.K * m.A.Bits() / 32 / width, m.N * m.K * m.B.Bits() / 32 / width, m.M * m.N * m.C.Bits() / 32 / max(32, m.C.Bits())
}

// Wide tells that the registers are 64 bits.
func (m *MMA) Wide() bool { return m.A == F64 }

// Largest extents over all forms.
const (
	maxM  = 16
	maxN  = 8
	maxK  = 64  // of numbers
	maxKB = 256 // of b1
)

// Run computes the instruction for a warp.
func (m *MMA) Run(d, a, b, c []*lanes.V32) {
	switch {
	case m.A == B1:
		m.runBits(d, a, b, c)
	case m.integer:
		m.runInt(d, a, b, c)
	default:
		m.runFloat(d, a, b, c)
	}
}

// floats gathers an operand: rows of K values. half is 1 for A of 16 rows, whose
// registers alternate between the upper and the lower 8.
func floats(t Type, to []float64, k int, regs []*lanes.V32, halves int) {
	switch t {
	case F64:
		for r, reg := range regs {
			for l, x := range lanes.Wide(reg) {
				to[(l>>2+8*(r%halves))*k+r/halves*4+l&3] = math.Float64frombits(x)
			}
		}
	case F16:
		for r, reg := range regs {
			at := 8*(r%halves)*k + r/halves*8
			for l, x := range reg {
				p := to[at+(l>>2)*k+l&3*2:][:2]
				p[0], p[1] = float64(fp.F16ToF32(uint16(x))), float64(fp.F16ToF32(uint16(x>>16)))
			}
		}
	case BF16:
		for r, reg := range regs {
			at := 8*(r%halves)*k + r/halves*8
			for l, x := range reg {
				p := to[at+(l>>2)*k+l&3*2:][:2]
				p[0], p[1] = float64(math.Float32frombits(x<<16)), float64(math.Float32frombits(x&0xffff0000))
			}
		}
	case TF32:
		for r, reg := range regs {
			at := 8*(r%halves)*k + r/halves*4
			for l, x := range reg {
				// The low 13 bits of the word don't take part.
				to[at+(l>>2)*k+l&3] = float64(math.Float32frombits(x &^ 0x1fff))
			}
		}
	case E4M3, E5M2:
		f := fp.E4M3()
		if t == E5M2 {
			f = fp.E5M2()
		}
		for r, reg := range regs {
			at := 8*(r%halves)*k + r/halves*16
			for l, x := range reg {
				for j := range 4 {
					to[at+(l>>2)*k+l&3*4+j] = f.ToFloat64(x >> (8 * j) & 0xff)
				}
			}
		}
	}
}

// sums gathers C: M rows of N.
func (m *MMA) sums(to []float64, regs []*lanes.V32) {
	switch m.C {
	case F32:
		for r, reg := range regs {
			for l, x := range reg {
				to[(l>>2+8*(r>>1))*m.N+l&3*2+r&1] = float64(math.Float32frombits(x))
			}
		}
	case F64:
		for r, reg := range regs {
			for l, x := range lanes.Wide(reg) {
				to[(l>>2+8*(r>>1))*m.N+l&3*2+r&1] = math.Float64frombits(x)
			}
		}
	case F16:
		for r, reg := range regs {
			for l, x := range reg {
				at := (l>>2+8*r)*m.N + l&3*2
				to[at], to[at+1] = float64(fp.F16ToF32(uint16(x))), float64(fp.F16ToF32(uint16(x>>16)))
			}
		}
	}
}

// scatter puts the results into D.
func (m *MMA) scatter(from []float64, regs []*lanes.V32) {
	switch m.D {
	case F32:
		for r, reg := range regs {
			for l := range reg {
				x := float32(from[(l>>2+8*(r>>1))*m.N+l&3*2+r&1])
				if x != x {
					reg[l] = 0x7fffffff
				} else {
					reg[l] = math.Float32bits(x)
				}
			}
		}
	case F64:
		for r, reg := range regs {
			w := lanes.Wide(reg)
			for l := range w {
				w[l] = math.Float64bits(from[(l>>2+8*(r>>1))*m.N+l&3*2+r&1])
			}
		}
	case F16:
		f := fp.F16()
		for r, reg := range regs {
			for l := range reg {
				at := (l>>2+8*r)*m.N + l&3*2
				reg[l] = f.FromFloat64(from[at], fp.RN, false) | f.FromFloat64(from[at+1], fp.RN, false)<<16
			}
		}
	}
}

func (m *MMA) runFloat(d, a, b, c []*lanes.V32) {
	var ma [maxM * maxK]float64
	var mb [maxN * maxK]float64
	var mc [maxM * maxN]float64
	floats(m.A, ma[:m.M*m.K], m.K, a, m.M/8)
	floats(m.B, mb[:m.N*m.K], m.K, b, 1)
	m.sums(mc[:m.M*m.N], c)
	if m.A == F64 {
		m.fma64(&mc, ma[:], mb[:])
	} else {
		multiply(&mc, ma[:m.M*m.K], mb[:m.N*m.K], m.M, m.K)
	}
	m.scatter(mc[:m.M*m.N], d)
}

// multiply adds A·B to C, whose rows have 8 columns; tiles of 2 by 4 stay in registers.
func multiply[T float64 | int32](c *[maxM * maxN]T, a, b []T, m, k int) {
	for i := 0; i < m; i += 2 {
		a0 := a[i*k : (i+1)*k]
		a1 := a[(i+1)*k : (i+2)*k][:len(a0)]
		for j := 0; j < maxN; j += 4 {
			b0 := b[j*k:][:len(a0)]
			b1 := b[(j+1)*k:][:len(a0)]
			b2 := b[(j+2)*k:][:len(a0)]
			b3 := b[(j+3)*k:][:len(a0)]
			p := c[i*maxN+j:][:4]
			q := c[(i+1)*maxN+j:][:4]
			s0, s1, s2, s3 := p[0], p[1], p[2], p[3]
			t0, t1, t2, t3 := q[0], q[1], q[2], q[3]
			for n, x := range a0 {
				y := a1[n]
				v0, v1, v2, v3 := b0[n], b1[n], b2[n], b3[n]
				s0 += x * v0
				s1 += x * v1
				s2 += x * v2
				s3 += x * v3
				t0 += y * v0
				t1 += y * v1
				t2 += y * v2
				t3 += y * v3
			}
			p[0], p[1], p[2], p[3] = s0, s1, s2, s3
			q[0], q[1], q[2], q[3] = t0, t1, t2, t3
		}
	}
}

// fma64 is the f64 product: a chain of fused multiply-adds in the order of k.
func (m *MMA) fma64(c *[maxM * maxN]float64, a, b []float64) {
	for i := range m.M {
		for j := range m.N {
			s := c[i*m.N+j]
			for k := range m.K {
				s = math.FMA(a[i*m.K+k], b[j*m.K+k], s)
			}
			c[i*m.N+j] = s
		}
	}
}
