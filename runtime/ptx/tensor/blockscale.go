package tensor

import (
	"math"
	"slices"
	"strings"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// BlockScale is how a product scales stretches of the rows of A and the columns of B
// (PTX ISA, "Block scaling for mma.sync").
type BlockScale struct {
	Stretches int  // of a row or column, each with a factor: 1, 2 or 4
	E4M3      bool // factors are .ue4m3, else .ue8m0
}

// Selector says where the factors of an operand are: in bytes from Byte on of the
// register of thread Thread of each quad; those of A in the pair of threads.
type Selector struct{ Byte, Thread int }

// newBlockScale gives the scaling of a kind, by the type of the factors and the
// modifier that states their number; nil if they don't go together.
func newBlockScale(kind, typ, vector string) *BlockScale {
	if vector == "" {
		vector = map[string]string{"mxf8f6f4": "1X", "mxf4": "2X"}[kind]
	}
	n := map[string]int{"1X": 1, "2X": 2, "4X": 4}[vector]
	var legal []string
	switch kind {
	case "mxf8f6f4":
		legal = []string{"1X ue8m0"}
	case "mxf4":
		legal = []string{"2X ue8m0"}
	case "mxf4nvf4":
		legal = []string{"2X ue8m0", "4X ue8m0", "4X ue4m3"}
	}
	if !slices.Contains(legal, vector+" "+typ) {
		return nil
	}
	return &BlockScale{n, typ == "ue4m3"}
}

// Factor gives the value of a factor.
func (s *BlockScale) Factor(b uint32) float64 {
	if s.E4M3 {
		return fp.E4M3().ToFloat64(b & 0x7f)
	}
	if b == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(b)-127)
}

// RunScaled is Run with the factors of A and B in registers.
func (m *MMA) RunScaled(d, a, b, c []*lanes.V32, factorsA, factorsB *lanes.V32, sa, sb Selector) {
	var ma [maxM * maxK]float64
	var mb [maxK * width]float64
	m.LoadA(ma[:m.SizeA()], a)
	m.LoadB(mb[:m.SizeB()], b)
	stretch := m.K / m.Scale.Stretches
	for k := range m.K {
		byteOf := func(v uint32, s Selector) uint32 { return v >> (8 * (s.Byte + k/stretch)) & 0xff }
		for i := range m.M {
			lane := 4*(i%8) + 2*sa.Thread + i/8
			ma[i*m.K+k] *= m.Scale.Factor(byteOf(factorsA[lane], sa))
		}
		for j := range m.N {
			mb[k*width+j] *= m.Scale.Factor(byteOf(factorsB[4*j+sb.Thread], sb))
		}
	}
	m.Multiply(d, ma[:m.SizeA()], mb[:m.SizeB()], c)
}

// takeKind takes the modifier that names the kind; "" if there is none.
func takeKind(mods *[]string) string { return takePrefix(mods, "kind::") }

// takePrefix takes the modifier that begins so and returns the rest of it.
func takePrefix(mods *[]string, prefix string) string {
	i := slices.IndexFunc(*mods, func(s string) bool { return strings.HasPrefix(s, prefix) })
	if i < 0 {
		return ""
	}
	rest := strings.TrimPrefix((*mods)[i], prefix)
	*mods = slices.Delete(*mods, i, i+1)
	return rest
}

// ofKind fixes how narrow elements lie in registers and checks the form of a kind.
func (m *MMA) ofKind(kind string) bool {
	small := func(t Type) bool { return slices.Contains([]Type{E4M3, E5M2, E2M3, E3M2, E2M1}, t) }
	float := m.C == m.D && (m.D == F32 || m.D == F16 && m.Scale == nil)
	if !float || !small(m.A) || !small(m.B) || m.M != 16 || m.N != 8 {
		return false
	}
	switch kind {
	case "f8f6f4", "mxf8f6f4":
		for _, t := range []*Type{&m.A, &m.B} {
			if *t == E2M1 {
				*t = E2M1Byte
			}
		}
		return m.K == 32
	case "mxf4", "mxf4nvf4":
		return m.K == 64 && m.A == E2M1 && m.B == E2M1
	}
	return false
}

// small gives the value of an element of up to 8 bits, as it lies in a register.
func (t Type) small(x uint32) float64 {
	switch t {
	case E4M3:
		return fp.E4M3().ToFloat64(x)
	case E5M2:
		return fp.E5M2().ToFloat64(x)
	case E2M3:
		return fp.E2M3().ToFloat64(x & 0x3f)
	case E3M2:
		return fp.E3M2().ToFloat64(x & 0x3f)
	case E2M1Byte:
		return fp.E2M1().ToFloat64(x >> 2 & 0xf)
	}
	return fp.E2M1().ToFloat64(x)
}
