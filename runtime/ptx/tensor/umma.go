package tensor

import (
	"fmt"
	"math"
	"slices"

	"tilec/runtime/ptx/fp"
)

// UMMA is a product of tcgen05.mma, as its kind and instruction descriptor say. With a
// pair of blocks, M and N are those of both.
type UMMA struct {
	A, B, D        Type
	M, N, K        int
	Pair           bool
	NegA, NegB     bool
	TransA, TransB bool
	Saturate       bool
	Scale          *BlockScale // nil without block scaling
	// FactorA and FactorB are the bytes in words of tensor memory where factors begin.
	FactorA, FactorB int
}

// ummaKinds are the kinds with the depth of a product.
var ummaKinds = map[string]int{"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}

// KnownKind tells whether there is such a kind.
func KnownKind(kind string) bool { return ummaKinds[kind] != 0 }

// Scaled tells that products of the kind are block-scaled.
func Scaled(kind string) bool { return len(kind) > 2 && kind[:2] == "mx" }

// ParseUMMA reads an instruction descriptor of a kind (PTX ISA, "Instruction descriptor").
// vector is the modifier that states the number of factors, or empty. The error
// says what is wrong with the descriptor.
func ParseUMMA(kind, vector string, desc uint32, pair bool) (*UMMA, error) {
	field := func(from, n int) int { return int(desc >> from & (1<<n - 1)) }
	u := &UMMA{K: ummaKinds[kind], Pair: pair, NegA: field(13, 1) != 0, NegB: field(14, 1) != 0, TransA: field(15, 1) != 0, TransB: field(16, 1) != 0}
	u.N = field(17, 6) * 8
	if field(2, 1) != 0 {
		return nil, fmt.Errorf("the instruction descriptor %#x asks for a sparse product", desc)
	}
	a, b, d := field(7, 3), field(10, 3), field(4, 2)
	pick := func(list []Type, i int) Type {
		if i < len(list) {
			return list[i]
		}
		return noType
	}
	var inputs []Type
	outputs := []Type{noType, F32}
	switch kind {
	case "f16":
		inputs, outputs = []Type{F16, BF16}, []Type{F16, F32}
	case "tf32":
		inputs = []Type{noType, noType, TF32}
	case "i8":
		inputs, outputs = []Type{U8, S8}, []Type{noType, noType, S32}
		u.Saturate = field(3, 1) != 0
	case "f8f6f4":
		inputs, outputs = []Type{E4M3, E5M2, noType, E2M3, E3M2, E2M1Byte}, []Type{F16, F32}
	case "mxf8f6f4":
		inputs = []Type{E4M3, E5M2, noType, E2M3, E3M2, E2M1Byte}
	default:
		inputs = []Type{noType, E2M1}
		b = field(10, 2)
	}
	u.M = field(24, 5) * 16
	if Scaled(kind) {
		u.M, d = field(27, 2)*128, 1
		u.FactorA, u.FactorB = field(29, 2), field(4, 2)
		typ := "ue4m3"
		if field(23, 1) != 0 {
			typ = "ue8m0"
		}
		if u.Scale = newBlockScale(kind, typ, vector); u.Scale == nil {
			return nil, fmt.Errorf("the instruction descriptor %#x has factors of type %s, which %s does not go with", desc, typ, kind)
		}
		if n := u.Scale.Stretches; u.FactorA%n != 0 || u.FactorB%n != 0 {
			return nil, fmt.Errorf("the instruction descriptor %#x has factors that begin at the bytes %d and %d, %d in each word", desc, u.FactorA, u.FactorB, n)
		}
	}
	u.A, u.B, u.D = pick(inputs, a), pick(inputs, b), pick(outputs, d)
	switch {
	case u.A == noType || u.B == noType || u.D == noType || u.D == F16 && u.A == BF16 || kind == "f16" && u.A != u.B:
		return nil, fmt.Errorf("the instruction descriptor %#x has types that kind::%s does not have", desc, kind)
	case !u.shaped(kind):
		return nil, fmt.Errorf("the instruction descriptor %#x has the shape %d by %d, which kind::%s does not have", desc, u.M, u.N, kind)
	}
	return u, nil
}

// shaped checks the shape (PTX ISA, "Matrix Shape" of tcgen05).
func (u *UMMA) shaped(kind string) bool {
	legal, step := []int{64, 128}, 8
	if u.Pair {
		legal, step = []int{128, 256}, 16
	}
	if Scaled(kind) && !u.Pair {
		legal = []int{128}
	}
	if kind == "i8" {
		switch {
		case u.Pair:
			step = 32
		case u.N > 32:
			step = 16
		}
	}
	return slices.Contains(legal, u.M) && u.N >= step && u.N <= 256 && u.N%step == 0
}

// Operand reads a matrix of m rows of A, or columns of B, from shared memory, whose
// 16-byte pieces at gives; element (r, k) goes to r·K + k.
func (u *UMMA) Operand(to []float64, t Type, m int, transposed, negate bool, at func(i, c int) []byte) {
	e := 16 // elements of a piece: floats of 4 and 6 bits are padded to a piece of 16
	if w := t.Bits(); w > 8 {
		e = 128 / w
	} else if t == E2M1 {
		e = 32
	}
	rows, chunks := m, u.K/e
	if transposed {
		rows, chunks = u.K, m/e
	}
	scale := 1.0
	if negate {
		scale = -1
	}
	var v [32]float64
	for i := range rows {
		for c := range chunks {
			decodePiece(t, &v, at(i, c), scale)
			for j := range e {
				if transposed {
					to[(c*e+j)*u.K+i] = v[j]
				} else {
					to[i*u.K+c*e+j] = v[j]
				}
			}
		}
	}
}

// decodePiece gives the values of 16 bytes of shared memory.
func decodePiece(t Type, v *[32]float64, b []byte, scale float64) {
	switch t {
	case E2M1:
		for j := range 32 {
			v[j] = scale * fp.E2M1().ToFloat64(uint32(b[j/2]>>(j%2*4)&0xf))
		}
	case E2M1Byte: // 16 of 4 bits, then padding
		for j := range 16 {
			v[j] = scale * fp.E2M1().ToFloat64(uint32(b[j/2]>>(j%2*4)&0xf))
		}
	case E2M3, E3M2: // 16 of 6 bits, then padding
		for j := range 16 {
			at := 6 * j
			x := (uint32(b[at/8]) | uint32(b[at/8+1])<<8) >> (at % 8)
			v[j] = scale * t.small(x&0x3f)
		}
	default:
		decodeChunk(t, (*[16]float64)(v[:]), b, scale)
	}
}

// Words is the number of words of tensor memory in a row of A.
func (u *UMMA) Words() int { return u.K * u.A.Bits() / 32 }

// Row gives the values of a row of A in tensor memory.
func (u *UMMA) Row(to []float64, words []uint32) {
	w := u.A.Bits()
	e := 32 / w
	for i, x := range words {
		for j := range e {
			v := float64(0)
			switch y := x >> (j * w) & uint32(uint64(1)<<w-1); u.A {
			case F16:
				v = float64(fp.F16ToF32(uint16(y)))
			case BF16:
				v = float64(math.Float32frombits(y << 16))
			case TF32:
				v = float64(math.Float32frombits(y &^ 0x1fff))
			case S8:
				v = float64(int8(y))
			case U8:
				v = float64(y)
			default:
				v = u.A.small(y)
			}
			if u.NegA {
				v = -v
			}
			to[i*e+j] = v
		}
	}
}

// Dot gives element D of a row of A and a column of B. Sums are as for MMA. old is the
// word of D before, which counts if add is set, times factor.
func (u *UMMA) Dot(a, b []float64, old uint32, add bool, factor float64) uint32 {
	s := 0.0
	if add {
		switch u.D {
		case F32:
			s = float64(math.Float32frombits(old)) * factor
		case F16:
			s = float64(fp.F16ToF32(uint16(old))) * factor
		}
	}
	b = b[:len(a)]
	for k, x := range a {
		s += x * b[k]
	}
	switch u.D {
	case F32:
		return single(s)
	case F16:
		return fp.F16().FromFloat64(s, fp.RN, false)
	}
	t := int64(s)
	if add {
		t += int64(int32(old))
	}
	if u.Saturate {
		t = min(max(t, math.MinInt32), math.MaxInt32)
	}
	return uint32(t)
}
