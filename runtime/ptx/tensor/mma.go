package tensor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	E2M3     // in bytes
	E3M2     // in bytes
	E2M1     // two to a byte
	E2M1Byte // in the middle of a byte
)

var typeNames = map[string]Type{
	"f16": F16, "bf16": BF16, "tf32": TF32, "f32": F32, "f64": F64, "e4m3": E4M3, "e5m2": E5M2,
	"e2m3": E2M3, "e3m2": E3M2, "e2m1": E2M1, "s8": S8, "u8": U8, "s4": S4, "u4": U4, "b1": B1, "s32": S32,
}

var typeBits = [...]int{F16: 16, BF16: 16, TF32: 32, F32: 32, F64: 64, E4M3: 8, E5M2: 8, S8: 8, U8: 8, S4: 4, U4: 4, B1: 1, S32: 32, E2M3: 8, E3M2: 8, E2M1: 4, E2M1Byte: 8}

// Bits returns the width of an element in a register.
func (t Type) Bits() int { return typeBits[t] }

func (t Type) integer() bool { return t == S8 || t == U8 || t == S4 || t == U4 || t == B1 || t == S32 }

// MMA is a form of mma.sync.
type MMA struct {
	M, N, K    int
	A, B, C, D Type
	Saturate   bool
	Xor        bool // b1: xor instead of and before the count
	// Quad is m8n8k4 on f16, four products at once; ColA and RowB tell its layouts.
	Quad, ColA, RowB bool
	// Scale is of the forms with block_scale, else nil.
	Scale *BlockScale
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
	if m := parseQuad(mods); m != nil {
		return m, nil
	}
	mods = slices.Clone(mods)
	take := func(name string) bool {
		i := slices.Index(mods, name)
		if i < 0 {
			return false
		}
		mods = slices.Delete(mods, i, i+1)
		return true
	}
	kind := takeKind(&mods)
	scale := take("block_scale")
	vector := takePrefix(&mods, "scale_vec::")
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
			if scale && (s == "ue8m0" || s == "ue4m3") {
				continue
			}
			// The rounding of f64 may be stated; it is the only one.
			if s == "rn" {
				continue
			}
			return nil, bad
		}
		types = append(types, t)
	}
	if scale && len(types) == 4 && shape != "" {
		if m.Scale = newBlockScale(kind, mods[len(mods)-1], vector); m.Scale == nil {
			return nil, bad
		}
	}
	if len(types) != 4 || scale != strings.HasPrefix(kind, "mx") || vector != "" && !scale {
		return nil, bad
	}
	m.D, m.A, m.B, m.C = types[0], types[1], types[2], types[3]
	m.M, m.N, m.K = dims(shape)
	if kind != "" {
		if !m.ofKind(kind) {
			return nil, bad
		}
		return m, nil
	}
	if !slices.Contains(shapes[m.A], shape) || !m.legal() || (m.A == B1) != (popc && and != m.Xor) || m.Saturate && (!m.A.integer() || m.A == B1) {
		return nil, bad
	}
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

// Regs returns the number of registers of A, B and C in a thread. Those of f64 are
// 64 bits wide, all others 32.
func (m *MMA) Regs() (a, b, c int) {
	if m.Quad {
		return 2, 2, m.C.Bits() / 4
	}
	width := max(32, m.A.Bits())
	return m.M * m.K * m.A.Bits() / 32 / width, m.N * m.K * m.B.Bits() / 32 / width, m.M * m.N * m.C.Bits() / 32 / max(32, m.C.Bits())
}

// RegsD returns the number of registers of D.
func (m *MMA) RegsD() int {
	if m.Quad {
		return m.D.Bits() / 4
	}
	_, _, c := m.Regs()
	return c
}

// Wide tells that the registers are 64 bits.
func (m *MMA) Wide() bool { return m.A == F64 }

// Largest extents of forms that multiply numbers.
const (
	maxM  = 16
	width = 8 // N of every form
	maxK  = 64
)

// Run computes the instruction for a warp. D may be C.
func (m *MMA) Run(d, a, b, c []*lanes.V32) {
	switch {
	case m.A == B1:
		m.runBits(d, a, b, c)
		return
	case m.Quad:
		m.runQuad(d, a, b, c)
		return
	}
	var ma [maxM * maxK]float64
	var mb [maxK * width]float64
	m.LoadA(ma[:m.SizeA()], a)
	m.LoadB(mb[:m.SizeB()], b)
	m.Multiply(d, ma[:m.SizeA()], mb[:m.SizeB()], c)
}

// Numeric tells that the form multiplies numbers as they are, so that its operands
// can be loaded once and multiplied often.
func (m *MMA) Numeric() bool { return m.A != B1 && m.Scale == nil && !m.Quad }

// SizeA is the number of elements of A.
func (m *MMA) SizeA() int { return m.M * m.K }

// SizeB is the number of elements of B.
func (m *MMA) SizeB() int { return m.K * m.N }

// Multiply computes D = A·B + C from loaded operands. Sums are of exact products
// in double precision, in the order of k, begun with C; integers are exact.
func (m *MMA) Multiply(d []*lanes.V32, a, b []float64, c []*lanes.V32) {
	var sum [maxM * width]float64
	if !m.A.integer() {
		m.sums(&sum, c)
	}
	if m.A == F64 {
		m.fma64(&sum, a, b)
	} else {
		multiply(&sum, a, b, m.M, m.K)
	}
	if m.A.integer() {
		m.addInts(d, &sum, c)
	} else {
		m.scatter(&sum, d)
	}
}
