package cuda

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// cTypes are the C++ types of elements in memory and of values in expressions.
// Elements below a byte have none: they are reached through their bytes.
var cTypes = map[ir.DType]string{
	array.Bool: "bool", array.I8: "signed char", array.I16: "short", array.I32: "int", array.I64: "long long",
	array.U8: "unsigned char", array.U16: "unsigned short", array.U32: "unsigned", array.U64: "unsigned long long",
	array.F16: "f16", array.BF16: "bf16", array.F32: "float", array.F64: "double",
	array.F8E4M3: "f8e4m3", array.F8E5M2: "f8e5m2", array.F8E8M0: "f8e8m0",
	array.I4: "i4", array.U4: "u4", array.F4E2M1: "f4e2m1",
}

// packed reports that registers of the type share 32-bit words.
func packed(t ir.DType) bool { return t.Bits() < 32 && t != array.Bool }

// perWord is the number of elements of a packed type in a word, else 1.
func perWord(t ir.DType) int {
	if packed(t) {
		return 32 / t.Bits()
	}
	return 1
}

// memoryType is the type of a tensor's pointer.
func memoryType(t ir.DType) string {
	if t.Bits() < 8 {
		return "unsigned char"
	}
	return cTypes[t]
}

// registerType is the type of the array that holds a tile's registers.
func registerType(t ir.DType) string {
	if packed(t) {
		return "unsigned"
	}
	return cTypes[t]
}
