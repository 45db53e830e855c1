package launch

import (
	"encoding/binary"

	"tilec/runtime/array"
)

// Access says what a kernel does with an array.
type Access uint8

// Accesses. An element of a written array that the kernel does not write keeps its value.
const (
	Read      Access = iota + 1 // reads only
	Write                       // writes, and reads only what it wrote itself
	ReadWrite                   // does both
)

// Arg is a kernel argument: an array for a pointer parameter, or a scalar.
type Arg struct {
	Array  *array.Array // nil for a scalar
	Access Access
	Offset int        // bytes from the array's start to where the pointer points
	Map    *TensorMap // of an array that is passed so

	Type array.DType // of a scalar
	Bits uint64      // of a scalar, as array.EncodeInt and array.EncodeFloat give it
}

// In passes an array that the kernel reads.
func In(a *array.Array) Arg { return Arg{Array: a, Access: Read} }

// Out passes an array that the kernel writes.
func Out(a *array.Array) Arg { return Arg{Array: a, Access: Write} }

// InOut passes an array that the kernel reads and writes.
func InOut(a *array.Array) Arg { return Arg{Array: a, Access: ReadWrite} }

// From points an array argument at some bytes beyond its start, as a view does.
func (a Arg) From(offset int) Arg {
	a.Offset = offset
	return a
}

// Int passes an integer, wrapped into type t.
func Int(t array.DType, v int64) Arg { return Arg{Type: t, Bits: array.EncodeInt(t, v)} }

// Float passes a number, rounded to type t.
func Float(t array.DType, v float64) Arg { return Arg{Type: t, Bits: array.EncodeFloat(t, v)} }

// Scalar returns the little-endian bytes of a scalar, as many as its type has.
func (a Arg) Scalar() []byte {
	return binary.LittleEndian.AppendUint64(nil, a.Bits)[:a.Type.Bits()/8]
}
