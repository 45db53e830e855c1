package lanes

import "unsafe"

// Width is the number of lanes of a warp.
const Width = 32

// V32 is a 32-bit register: one value a lane. Narrower values are zero-extended.
// A 64-bit register is two consecutive V32, seen through Wide.
type V32 [Width]uint32

// V64 is a 64-bit register.
type V64 [Width]uint64

// Wide views the register that starts at v, 8-byte aligned, as 64-bit.
func Wide(v *V32) *V64 { return (*V64)(unsafe.Pointer(v)) }

// Narrow views a 64-bit register as what the functions of an Op take.
func Narrow(v *V64) *V32 { return (*V32)(unsafe.Pointer(v)) }

// Type is the type of an operand.
type Type uint8

// Operand types, as PTX names them. Pred is a predicate.
const (
	NoType Type = iota
	Pred
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	BF16x2
	TF32
	F32
	F64
	F32x2
	U16x2
	S16x2
	E4M3
	E5M2
	E4M3x2
	E5M2x2
	E2M1x2
	E2M3x2
	E3M2x2
	UE8M0x2
	numTypes
)

// kind groups types by arithmetic.
type kind uint8

const (
	bitsKind kind = iota + 1
	unsignedKind
	signedKind
	floatKind
	packedKind
)

var types = [numTypes]struct {
	name string
	bits int
	kind kind
}{
	NoType: {"", 0, 0}, Pred: {"pred", 1, 0},
	B8: {"b8", 8, bitsKind}, B16: {"b16", 16, bitsKind}, B32: {"b32", 32, bitsKind}, B64: {"b64", 64, bitsKind}, B128: {"b128", 128, bitsKind},
	U8: {"u8", 8, unsignedKind}, U16: {"u16", 16, unsignedKind}, U32: {"u32", 32, unsignedKind}, U64: {"u64", 64, unsignedKind},
	S8: {"s8", 8, signedKind}, S16: {"s16", 16, signedKind}, S32: {"s32", 32, signedKind}, S64: {"s64", 64, signedKind},
	F16: {"f16", 16, floatKind}, BF16: {"bf16", 16, floatKind}, TF32: {"tf32", 32, floatKind}, F32: {"f32", 32, floatKind}, F64: {"f64", 64, floatKind},
	F16x2: {"f16x2", 32, packedKind}, BF16x2: {"bf16x2", 32, packedKind}, F32x2: {"f32x2", 64, packedKind},
	U16x2: {"u16x2", 32, packedKind}, S16x2: {"s16x2", 32, packedKind},
	E4M3: {"e4m3", 8, floatKind}, E5M2: {"e5m2", 8, floatKind},
	E4M3x2: {"e4m3x2", 16, packedKind}, E5M2x2: {"e5m2x2", 16, packedKind}, E2M1x2: {"e2m1x2", 8, packedKind},
	E2M3x2: {"e2m3x2", 16, packedKind}, E3M2x2: {"e3m2x2", 16, packedKind}, UE8M0x2: {"ue8m0x2", 16, packedKind},
}

// ParseType returns the type of that name without its dot, or NoType.
func ParseType(name string) Type {
	for t := Pred; t < numTypes; t++ {
		if types[t].name == name {
			return t
		}
	}
	return NoType
}

// String returns the type's name in PTX.
func (t Type) String() string { return types[t].name }

// Bits returns the width.
func (t Type) Bits() int { return types[t].bits }

// Bytes returns the width in memory.
func (t Type) Bytes() int { return (types[t].bits + 7) / 8 }

// IsSigned reports a signed integer.
func (t Type) IsSigned() bool { return types[t].kind == signedKind }

// IsFloat reports a scalar floating-point type.
func (t Type) IsFloat() bool { return types[t].kind == floatKind }

// IsInt reports an integer type, untyped bits included.
func (t Type) IsInt() bool { return types[t].kind >= bitsKind && types[t].kind <= signedKind }

// Slots returns how many V32 a register of the type takes: 1, 2 or 4.
func (t Type) Slots() int { return max(1, (t.Bits()+31)/32) }

// Fn computes d from a, b, c for all lanes. Which operands it reads and writes,
// and how wide they are, the Op says. d may be the same register as an operand of
// its width; otherwise registers don't overlap.
type Fn func(d, a, b, c *V32)

// Test computes a predicate of a, b, c: bit i for lane i.
type Test func(a, b, c *V32) uint32

// CarryFn computes d and the carry out of each lane from the carries in.
type CarryFn func(d, a, b, c *V32, cc uint32) uint32

// Op is an instruction of arithmetic: one of the functions, and the types of its operands.
type Op struct {
	Fn    Fn
	Test  Test    // setp: d is a predicate
	High  Test    // setp on packed halves: the second predicate, of the upper half
	Bool  string  // setp: how a third operand, a predicate, is combined: "and", "or", "xor"
	Carry CarryFn // reads or writes the carry of each lane
	Res   Type
	Args  []Type
	Float bool // floating-point work, for counting
}

type word interface{ uint32 | uint64 }

func as[W word](v *V32) *[Width]W { return (*[Width]W)(unsafe.Pointer(v)) }

// lift1 applies f to each lane.
func lift1[D, A word](f func(A) D) Fn {
	return func(d, a, _, _ *V32) {
		dd, aa := as[D](d), as[A](a)
		for i := range dd {
			dd[i] = f(aa[i])
		}
	}
}

func lift2[D, A, B word](f func(A, B) D) Fn {
	return func(d, a, b, _ *V32) {
		dd, aa, bb := as[D](d), as[A](a), as[B](b)
		for i := range dd {
			dd[i] = f(aa[i], bb[i])
		}
	}
}

func lift3[D, A, B, C word](f func(A, B, C) D) Fn {
	return func(d, a, b, c *V32) {
		dd, aa, bb, cc := as[D](d), as[A](a), as[B](b), as[C](c)
		for i := range dd {
			dd[i] = f(aa[i], bb[i], cc[i])
		}
	}
}

func test2[A word](f func(A, A) bool) Test {
	return func(a, b, _ *V32) uint32 {
		aa, bb := as[A](a), as[A](b)
		m := uint32(0)
		for i := range aa {
			if f(aa[i], bb[i]) {
				m |= 1 << i
			}
		}
		return m
	}
}
