package launcher

import (
	"math"
	"strconv"

	"tilec/ir"
	"tilec/runtime/array"
)

// value is a scalar of an element type: floats in f, all others in i.
type value struct {
	typ ir.DType
	i   int64
	f   float64
}

func intValue(t ir.DType, i int64) value {
	if t == array.Bool {
		return boolValue(i != 0)
	}
	return value{typ: t, i: array.WrapInt(t, i)}
}

func boolValue(b bool) value {
	if b {
		return value{typ: array.Bool, i: 1}
	}
	return value{typ: array.Bool}
}

func floatValue(t ir.DType, f float64) value { return value{typ: t, f: array.RoundFloat(t, f)} }

// bits is the stored pattern.
func (v value) bits() uint64 {
	if v.typ.IsFloat() {
		return array.EncodeFloat(v.typ, v.f)
	}
	return array.EncodeInt(v.typ, v.i)
}

// fromBits is the value of a stored pattern.
func fromBits(t ir.DType, bits uint64) value {
	if t.IsFloat() {
		return value{typ: t, f: array.DecodeFloat(t, bits)}
	}
	return value{typ: t, i: array.DecodeInt(t, bits)}
}

// cast converts as the language does: floats round, float to integer truncates and saturates, integers wrap.
func (v value) cast(t ir.DType) value {
	switch {
	case t == v.typ:
		return v
	case t == array.Bool:
		return boolValue(v.i != 0 || v.f != 0)
	case v.typ.IsFloat() && t.IsFloat():
		return floatValue(t, v.f)
	case v.typ.IsFloat():
		return fromBits(t, array.EncodeFloat(t, v.f))
	case v.typ == array.U64 && v.i < 0 && t.IsFloat():
		return floatValue(t, float64(uint64(v.i)))
	case t.IsFloat():
		return fromBits(t, array.EncodeInt(t, v.i))
	}
	return intValue(t, v.i)
}

// String is the value as the program would write it.
func (v value) String() string {
	switch {
	case v.typ == array.Bool:
		return strconv.FormatBool(v.i != 0)
	case v.typ == array.U64:
		return strconv.FormatUint(uint64(v.i), 10)
	case v.typ == array.F64:
		return strconv.FormatFloat(v.f, 'g', -1, 64)
	case v.typ.IsFloat():
		return strconv.FormatFloat(v.f, 'g', -1, 32)
	}
	return strconv.FormatInt(v.i, 10)
}

// less orders two values of a type; it is false where one is NaN.
func less(x, y value) bool {
	switch {
	case x.typ.IsFloat():
		return x.f < y.f
	case x.typ == array.U64:
		return uint64(x.i) < uint64(y.i)
	}
	return x.i < y.i
}

// same compares two values of a type; NaN is not the same as anything.
func same(x, y value) bool {
	if x.typ.IsFloat() {
		return x.f == y.f
	}
	return x.i == y.i
}

func unordered(x, y value) bool {
	return x.typ.IsFloat() && (math.IsNaN(x.f) || math.IsNaN(y.f))
}
