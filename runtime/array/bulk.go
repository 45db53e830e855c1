package array

import (
	"encoding/binary"
	"math"
)

// Floats32 decodes all elements, row-major; f64 and wide integers round once to nearest even.
func (a *Array) Floats32() []float32 {
	out := make([]float32, a.Len())
	d := a.Data
	switch a.DType {
	case F32:
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(d[4*i:]))
		}
	case F16:
		for i := range out {
			out[i] = F16ToF32(binary.LittleEndian.Uint16(d[2*i:]))
		}
	case BF16:
		for i := range out {
			out[i] = BF16ToF32(binary.LittleEndian.Uint16(d[2*i:]))
		}
	case I64:
		for i := range out {
			out[i] = float32(a.Int(i))
		}
	case U64:
		for i := range out {
			out[i] = float32(a.Bits(i))
		}
	default:
		for i := range out {
			out[i] = float32(a.At(i))
		}
	}
	return out
}

// Floats64 decodes all elements, row-major, by the rules of DecodeFloat.
func (a *Array) Floats64() []float64 {
	out := make([]float64, a.Len())
	d := a.Data
	switch a.DType {
	case F64:
		for i := range out {
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(d[8*i:]))
		}
	case F32:
		for i := range out {
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(d[4*i:])))
		}
	case F16:
		for i := range out {
			out[i] = float64(F16ToF32(binary.LittleEndian.Uint16(d[2*i:])))
		}
	default:
		for i := range out {
			out[i] = a.At(i)
		}
	}
	return out
}

// Ints decodes all elements, row-major, by the rules of DecodeInt.
func (a *Array) Ints() []int64 {
	out := make([]int64, a.Len())
	for i := range out {
		out[i] = a.Int(i)
	}
	return out
}

// FromFloats32 makes an array of type t from row-major values, by the rules of EncodeFloat.
// It panics unless the shape holds exactly len(values) elements.
func FromFloats32(t DType, values []float32, shape ...int) *Array {
	a := newFor(t, len(values), shape)
	d := a.Data
	switch t {
	case F32:
		for i, v := range values {
			binary.LittleEndian.PutUint32(d[4*i:], math.Float32bits(v))
		}
	case F16:
		for i, v := range values {
			binary.LittleEndian.PutUint16(d[2*i:], F32ToF16(v))
		}
	case BF16:
		for i, v := range values {
			binary.LittleEndian.PutUint16(d[2*i:], F32ToBF16(v))
		}
	default:
		for i, v := range values {
			a.SetFloat(i, float64(v))
		}
	}
	return a
}

// FromFloats64 makes an array of type t from row-major values, by the rules of EncodeFloat.
// It panics unless the shape holds exactly len(values) elements.
func FromFloats64(t DType, values []float64, shape ...int) *Array {
	a := newFor(t, len(values), shape)
	for i, v := range values {
		a.SetFloat(i, v)
	}
	return a
}

// FromInts makes an array of type t from row-major values, by the rules of EncodeInt.
// It panics unless the shape holds exactly len(values) elements.
func FromInts(t DType, values []int64, shape ...int) *Array {
	a := newFor(t, len(values), shape)
	for i, v := range values {
		a.SetInt(i, v)
	}
	return a
}

func newFor(t DType, n int, shape []int) *Array {
	a := New(t, shape...)
	if a.Len() != n {
		panic("array: number of values differs from the shape's")
	}
	return a
}

// Convert returns the elements converted to type t, each rounded at most once: from integers by the rules of
// EncodeInt, from floats by those of EncodeFloat. A u64 beyond int64 keeps its value where the target is a float.
func (a *Array) Convert(t DType) *Array {
	switch {
	case t == a.DType:
		return a.Clone()
	case a.DType == F64:
		return FromFloats64(t, a.Floats64(), a.Shape...)
	case a.DType.IsFloat():
		return FromFloats32(t, a.Floats32(), a.Shape...)
	case a.DType == U64 && t.IsFloat():
		out := New(t, a.Shape...)
		for i := range a.Len() {
			out.SetBits(i, encodeUint(t, a.Bits(i)))
		}
		return out
	}
	return FromInts(t, a.Ints(), a.Shape...)
}

// encodeUint rounds an unsigned integer to a float type, once.
func encodeUint(t DType, v uint64) uint64 {
	switch t {
	case F64:
		return math.Float64bits(float64(v))
	case F32:
		return uint64(math.Float32bits(float32(v)))
	}
	if v>>63 == 0 {
		return EncodeInt(t, int64(v))
	}
	return EncodeFloat(t, oddFloat(int64(v>>1|v&1))*2)
}
