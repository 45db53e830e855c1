package ascend

import (
	"strings"
	"sync"

	"tilec/codegen"
	"tilec/ir"
	"tilec/runtime/array"
)

// cTypes are the C++ types of scalars.
var cTypes = map[ir.DType]string{
	array.Bool: "bool", array.I4: "int8_t", array.U4: "uint8_t", array.I8: "int8_t", array.I16: "int16_t", array.I32: "int32_t", array.I64: "int64_t",
	array.U8: "uint8_t", array.U16: "uint16_t", array.U32: "uint32_t", array.U64: "uint64_t",
	array.F16: "half", array.BF16: "bfloat16_t", array.F32: "float",
}

// memoryType is the element type of a tensor in global memory: elements below a byte are reached through their bytes.
func memoryType(t ir.DType) string {
	if t.Bits() < 8 || t == array.Bool {
		return "uint8_t"
	}
	return cTypes[t]
}

// localType is the element type of a tile.
func localType(t ir.DType) string {
	switch {
	case t.Bits() == 4:
		return "int4b_t"
	case t == array.Bool:
		return "uint8_t"
	}
	return cTypes[t]
}

// ownNames are those that the emitted text and Ascend C use.
const ownNames = `half bfloat16_t int4b_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t GM_ADDR AscendC
	workspace std main printf assert min max abs e r c block rows cols length
	Abs Add Adds And Axpy Brcb Cast Compare Compares Copy DataCopy DataCopyPad Div Duplicate Exp Fill Fixpipe FusedMulAdd Gather GetBlockIdx GetBlockNum
	GetSubBlockIdx GlobalTensor LoadData LocalTensor Ln Max Maxs Min Mins Mmad Mul Muls Not Or PipeBarrier Relu Select SetFlag WaitFlag
	Sqrt Rsqrt Sub TPosition WholeReduceMax WholeReduceMin WholeReduceSum InitSocState ToFloat HardEvent CrossCoreSetFlag CrossCoreWaitFlag
	y0 y1 yn j0 j1 jn gamma lgamma tgamma signal index remove rename stdin stdout stderr errno time clock log exp pow sin cos tan floor ceil
	round trunc sqrt erf erfc tanh sinh cosh asin acos atan atan2 asinh acosh atanh exp2 expm1 log2 log10 log1p logb ilogb scalb significand
	cbrt hypot fmod fma fmin fmax fdim remainder remquo drem modf frexp ldexp nan nearbyint rint lrint lround copysign nextafter fabs
	div ldiv abort exit atexit system qsort bsearch rand srand random free malloc calloc realloc select read write open close link unlink
	access pipe dup fork kill pause sleep wait accept bind connect listen send recv shutdown socket stat sync truncate times raise puts
	gets getc putc scanf fopen fclose fread fwrite rewind perror isalpha isdigit isspace tolower toupper strlen strcpy memcpy memset memmove
	swab swap step`

// dialect reserves the names that nothing of a program may have in the emitted text.
var dialect = sync.OnceValue(func() *codegen.Dialect {
	lists := []string{ownNames}
	for _, h := range helpers {
		lists = append(lists, h.name)
	}
	return codegen.NewDialect(identifier, lists...)
})

// identifier keeps a program's name out of the space that C++ keeps for itself: names that start with two underscores, or with one and
// a capital.
func identifier(name string) string {
	name = strings.ReplaceAll(name, ".", "_")
	if strings.HasPrefix(name, "_") {
		return "u" + name
	}
	return name
}
