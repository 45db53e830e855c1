package types

import (
	"math"
	"math/big"
	"testing"

	"tilec/lang/ast"
	"tilec/runtime/array"
)

func TestFoldInts(t *testing.T) {
	untyped, i8, u8, i32 := Type{Kind: UntypedInt}, number(array.I8), number(array.U8), number(array.I32)
	for _, test := range []struct {
		op   ast.BinaryOp
		x, y int64
		t    Type
		want string // "" for an error
	}{
		{ast.Div, -7, 2, untyped, "-4"},
		{ast.Rem, -7, 2, untyped, "1"},
		{ast.Div, 7, -2, untyped, "-4"},
		{ast.Rem, 7, -2, untyped, "-1"},
		{ast.Div, 1, 0, untyped, ""},
		{ast.Add, 100, 100, i8, "-56"},
		{ast.Sub, 0, 1, u8, "255"},
		{ast.Mul, math.MaxInt64, 2, untyped, "18446744073709551614"},
		{ast.Mul, math.MaxInt64, 3, untyped, ""},
		{ast.Mul, math.MaxInt64, 2, indexType, ""},
		{ast.Shl, 1, 63, untyped, "9223372036854775808"},
		{ast.Shl, 1, 64, untyped, ""},
		{ast.Shl, 1, 32, i32, "0"},
		{ast.Shl, 1, -1, i32, ""},
		{ast.Shr, -8, 1, i32, "-4"},
		{ast.Shr, -8, 40, i32, "-1"},
		{ast.Shr, 8, 40, i32, "0"},
		{ast.BitAnd, -1, 0xff, untyped, "255"},
		{ast.BitXor, 5, 3, untyped, "6"},
		{ast.BitOr, 5, 3, untyped, "7"},
		{ast.Lt, -1, 3, untyped, "true"},
		{ast.Ge, -1, 3, untyped, "false"},
	} {
		v, err := foldBinary(test.op, IntOf(test.x), IntOf(test.y), test.t)
		got := v.String()
		if err != nil {
			got = ""
		}
		if got != test.want {
			t.Errorf("%d %s %d as %s: got %s (%v), want %s", test.x, test.op, test.y, test.t, v, err, test.want)
		}
	}
}

func TestFoldFloats(t *testing.T) {
	f32, nan := number(array.F32), FloatOf(math.NaN())
	v, _ := foldBinary(ast.Div, FloatOf(1), FloatOf(3), f32)
	if v.Float != float64(float32(1)/3) {
		t.Errorf("1/3 in f32 is %v", v)
	}
	for _, op := range []ast.BinaryOp{ast.Eq, ast.Lt, ast.Le, ast.Gt, ast.Ge} {
		if v, _ := foldBinary(op, nan, nan, f32); v.Bool {
			t.Errorf("nan %s nan", op)
		}
	}
	if v, _ := foldBinary(ast.Ne, nan, nan, f32); !v.Bool {
		t.Error("nan == nan")
	}
	one := FloatOf(1)
	for _, args := range [][]Value{{nan, one}, {one, nan}} {
		for _, name := range []string{"min", "max"} {
			if v, _ := foldCall(name, args, f32); v.Float != 1 {
				t.Errorf("%s%v = %v", name, args, v)
			}
		}
	}
	if v, _ := foldCall("round", []Value{FloatOf(2.5)}, f32); v.Float != 2 {
		t.Errorf("round(2.5) = %v", v)
	}
	if v, _ := foldCall("ceildiv", []Value{IntOf(-7), IntOf(2)}, indexType); v.String() != "-3" {
		t.Errorf("ceildiv(-7, 2) = %v", v)
	}
	if v, _ := foldCall("clamp", []Value{IntOf(-7), IntOf(0), IntOf(2)}, indexType); v.String() != "0" {
		t.Errorf("clamp(-7, 0, 2) = %v", v)
	}
}

func TestFits(t *testing.T) {
	for _, test := range []struct {
		v    Value
		t    array.DType
		want bool
	}{
		{IntOf(-8), array.I4, true}, {IntOf(8), array.I4, false}, {IntOf(15), array.U4, true}, {IntOf(-1), array.U4, false},
		{IntOf(math.MinInt64), array.I64, true}, {IntOf(-1), array.U64, false},
		{Value{Kind: IntValue, num: new(big.Int).SetUint64(math.MaxUint64)}, array.U64, true},
		{FloatOf(0.5), array.I32, false}, {FloatOf(65504), array.F16, true}, {FloatOf(65519), array.F16, true},
		{FloatOf(65520), array.F16, false}, {FloatOf(math.Inf(-1)), array.F16, true}, {FloatOf(math.NaN()), array.F8E4M3, true},
		{FloatOf(448), array.F8E4M3, true}, {FloatOf(449), array.F8E4M3, false}, {FloatOf(1e39), array.F32, false},
		{FloatOf(3.4028235e38), array.F32, true}, {FloatOf(3.3e38), array.BF16, true}, {FloatOf(3.4e38), array.BF16, false},
		{IntOf(1 << 20), array.F16, false}, {BoolOf(true), array.Bool, true}, {BoolOf(true), array.I8, false},
	} {
		if got := test.v.Fits(test.t); got != test.want {
			t.Errorf("%v fits %v: %v", test.v, test.t, got)
		}
	}
}
