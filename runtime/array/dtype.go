package array

// DType is an element type of a tensor, tile or scalar. The zero value is invalid on purpose.
type DType uint8

// Element types, named as in the language.
const (
	Invalid DType = iota
	Bool
	I4
	I8
	I16
	I32
	I64
	U4
	U8
	U16
	U32
	U64
	F4E2M1
	F8E4M3
	F8E5M2
	F8E8M0
	F16
	BF16
	F32
	F64
	numDTypes
)

// kind groups element types by the arithmetic that they follow.
type kind uint8

const (
	boolKind kind = iota + 1
	signedKind
	unsignedKind
	floatKind
)

// dtypes is the one table of facts about element types.
var dtypes = [numDTypes]struct {
	name string
	bits int
	kind kind
}{
	Invalid: {"invalid", 0, 0},
	Bool:    {"bool", 8, boolKind},
	I4:      {"i4", 4, signedKind},
	I8:      {"i8", 8, signedKind},
	I16:     {"i16", 16, signedKind},
	I32:     {"i32", 32, signedKind},
	I64:     {"i64", 64, signedKind},
	U4:      {"u4", 4, unsignedKind},
	U8:      {"u8", 8, unsignedKind},
	U16:     {"u16", 16, unsignedKind},
	U32:     {"u32", 32, unsignedKind},
	U64:     {"u64", 64, unsignedKind},
	F4E2M1:  {"f4e2m1", 4, floatKind},
	F8E4M3:  {"f8e4m3", 8, floatKind},
	F8E5M2:  {"f8e5m2", 8, floatKind},
	F8E8M0:  {"f8e8m0", 8, floatKind},
	F16:     {"f16", 16, floatKind},
	BF16:    {"bf16", 16, floatKind},
	F32:     {"f32", 32, floatKind},
	F64:     {"f64", 64, floatKind},
}

// ParseDType returns the element type of that name, and whether there is one.
func ParseDType(name string) (DType, bool) {
	for t := Bool; t < numDTypes; t++ {
		if dtypes[t].name == name {
			return t, true
		}
	}
	return Invalid, false
}

// DTypes lists every element type.
func DTypes() []DType {
	all := make([]DType, 0, numDTypes-1)
	for t := Bool; t < numDTypes; t++ {
		all = append(all, t)
	}
	return all
}

// String returns the type's name in the language.
func (t DType) String() string {
	if t >= numDTypes {
		return "invalid"
	}
	return dtypes[t].name
}

// Bits returns the stored size of one element in bits; bool is stored in a byte.
func (t DType) Bits() int { return dtypes[t].bits }

// IsFloat reports a floating-point type.
func (t DType) IsFloat() bool { return dtypes[t].kind == floatKind }

// IsInt reports an integer type, signed or not (bool is not one).
func (t DType) IsInt() bool { return dtypes[t].kind == signedKind || dtypes[t].kind == unsignedKind }

// IsSigned reports a signed integer type.
func (t DType) IsSigned() bool { return dtypes[t].kind == signedKind }

// IsUnsigned reports an unsigned integer type.
func (t DType) IsUnsigned() bool { return dtypes[t].kind == unsignedKind }

// RowBytes returns the stored bytes of a row of n elements: sub-byte types pack
// little-endian and every row starts on a byte.
func (t DType) RowBytes(n int) int { return (n*t.Bits() + 7) / 8 }
