package operand

import (
	"math"

	"tilec/runtime/array"
	"tilec/runtime/launch"
)

// integer is a type of the language's integers.
type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// FloorDiv divides and rounds toward negative infinity; by zero it gives 0.
func FloorDiv[T integer](x, y T) T {
	if y == 0 {
		return 0
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// FloorMod is the remainder of FloorDiv, of the divisor's sign; by zero it gives 0.
func FloorMod[T integer](x, y T) T {
	if y == 0 {
		return 0
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// Shl shifts left; by a negative count, or the width and more, it gives 0.
func Shl[T integer](x, y T) T {
	if y < 0 {
		return 0
	}
	return x << uint64(y)
}

// Shr shifts right, filling with the sign; by a negative count it does as by the width.
func Shr[T integer](x, y T) T {
	if y < 0 && x < 0 {
		return ^T(0)
	}
	if y < 0 {
		return 0
	}
	return x >> uint64(y)
}

// FloorModFloat is x - floor(x/y)*y.
func FloorModFloat(x, y float64) float64 { return x - math.Floor(x/y)*y }

// float is a type of the language's floats that arithmetic is done in.
type float interface{ ~float32 | ~float64 }

// MinFloat is the smaller number; where one operand is not a number it is the other.
func MinFloat[T float](x, y T) T {
	if x != x || y < x {
		return y
	}
	return x
}

// MaxFloat is the larger number; where one operand is not a number it is the other.
func MaxFloat[T float](x, y T) T {
	if x != x || y > x {
		return y
	}
	return x
}

// Truncate drops the fraction and brings the result within the range of an integer type; not a number gives 0.
func Truncate(t array.DType, x float64) int64 { return array.DecodeInt(t, array.EncodeFloat(t, x)) }

// Round rounds to a type narrower than f32.
func Round(t array.DType, x float32) float32 { return float32(array.RoundFloat(t, float64(x))) }

// Select is x if c holds, else y.
func Select[T any](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}

// Bool passes a bool to a kernel.
func Bool(v bool) launch.Arg { return launch.Int(array.Bool, Select[int64](v, 1, 0)) }
