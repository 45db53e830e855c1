package types

import (
	"math"
	"math/big"
	"strconv"

	"tilec/runtime/array"
)

// ValueKind says what a constant is; zero is invalid.
type ValueKind uint8

// Kinds of constants.
const (
	NoValue ValueKind = iota
	IntValue
	FloatValue
	BoolValue
	DTypeValue
	StringValue
)

// Value is a compile-time constant. Integers are exact within -2^63 … 2^64-1.
type Value struct {
	Kind  ValueKind
	Bool  bool
	DType array.DType
	num   *big.Int
	Float float64
	Text  string
}

// IntOf returns an integer constant.
func IntOf(v int64) Value { return Value{Kind: IntValue, num: big.NewInt(v)} }

// FloatOf returns a float constant.
func FloatOf(v float64) Value { return Value{Kind: FloatValue, Float: v} }

// BoolOf returns a truth value.
func BoolOf(v bool) Value { return Value{Kind: BoolValue, Bool: v} }

// DTypeOf returns an element type as a value.
func DTypeOf(t array.DType) Value { return Value{Kind: DTypeValue, DType: t} }

// bigInt returns an integer constant, and false if it leaves the range that values have.
func bigInt(v *big.Int) (Value, bool) {
	if v.Cmp(minInt) < 0 || v.Cmp(maxUint) > 0 {
		return Value{}, false
	}
	return Value{Kind: IntValue, num: v}, true
}

var (
	minInt  = big.NewInt(math.MinInt64)
	maxUint = new(big.Int).SetUint64(math.MaxUint64)
)

// Valid reports whether there is a value.
func (v Value) Valid() bool { return v.Kind != NoValue }

// Int64 returns an integer that fits.
func (v Value) Int64() (int64, bool) {
	if v.Kind != IntValue || !v.num.IsInt64() {
		return 0, false
	}
	return v.num.Int64(), true
}

// Bits64 returns the low 64 bits of an integer, two's complement: the value of any 64-bit type, signed or not.
func (v Value) Bits64() (int64, bool) {
	if v.Kind != IntValue {
		return 0, false
	}
	if v.num.IsInt64() {
		return v.num.Int64(), true
	}
	return int64(v.num.Uint64()), true
}

// Float64 returns an integer or float as the nearest f64.
func (v Value) Float64() (float64, bool) {
	switch v.Kind {
	case IntValue:
		f, _ := new(big.Float).SetInt(v.num).Float64()
		return f, true
	case FloatValue:
		return v.Float, true
	}
	return 0, false
}

// String spells the value as the program would.
func (v Value) String() string {
	switch v.Kind {
	case IntValue:
		return v.num.String()
	case FloatValue:
		return floatText(v.Float)
	case BoolValue:
		return strconv.FormatBool(v.Bool)
	case DTypeValue:
		return v.DType.String()
	case StringValue:
		return strconv.Quote(v.Text)
	}
	return "invalid"
}

func floatText(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// Equal reports whether two values are the same.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind {
		return false
	}
	switch v.Kind {
	case IntValue:
		return v.num.Cmp(w.num) == 0
	case FloatValue:
		return v.Float == w.Float || math.IsNaN(v.Float) && math.IsNaN(w.Float)
	}
	return v == w
}

// Fits reports whether the constant can be a value of element type t without loss beyond rounding: integers within the
// range, floats not beyond the greatest finite value (infinities and nan are no overflow), integers as floats too.
func (v Value) Fits(t array.DType) bool {
	switch {
	case v.Kind == BoolValue:
		return t == array.Bool
	case t.IsInt():
		if v.Kind != IntValue {
			return false
		}
		lo, hi := intRange(t)
		return v.num.Cmp(lo) >= 0 && v.num.Cmp(hi) <= 0
	case t.IsFloat():
		f, ok := v.Float64()
		return ok && (math.IsInf(f, 0) || math.IsNaN(f) || math.Abs(f) <= greatest(t))
	}
	return false
}

// intRange returns the least and greatest value of an integer type.
func intRange(t array.DType) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if t.IsUnsigned() {
		hi = new(big.Int).Lsh(one, uint(t.Bits()))
		return big.NewInt(0), hi.Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, uint(t.Bits()-1))
	return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
}

// greatest returns the greatest f64 that rounds to a finite value of float type t without passing its maximum.
func greatest(t array.DType) float64 {
	switch t {
	case array.F4E2M1:
		return 6
	case array.F8E4M3:
		return 448
	case array.F8E5M2:
		return 57344
	case array.F8E8M0:
		return math.Ldexp(1, 127)
	case array.F16:
		return math.Nextafter(65520, 0) // 65504 and what rounds to it
	case array.BF16:
		return math.Nextafter(math.Ldexp(2-math.Ldexp(1, -8), 127), 0)
	case array.F32:
		return math.Nextafter(math.Ldexp(2-math.Ldexp(1, -24), 127), 0)
	}
	return math.MaxFloat64
}

// largestText spells the greatest finite value of a float type.
func largestText(t array.DType) string {
	switch t {
	case array.F16:
		return "65504"
	case array.F64:
		return floatText(math.MaxFloat64)
	}
	return floatText(array.DecodeFloat(t, array.EncodeFloat(t, greatest(t))))
}
