package ir_test

import (
	"testing"

	"tilec/ir"
	"tilec/runtime/array"
)

func TestNeutral(t *testing.T) {
	for _, test := range []struct {
		combine ir.Combine
		elem    ir.DType
		want    string
	}{
		{ir.Sum, array.F16, "0_f16"},
		{ir.Prod, array.F32, "1_f32"},
		{ir.Prod, array.I8, "1_i8"},
		{ir.MaxOf, array.F32, "-inf_f32"},
		{ir.MinOf, array.BF16, "inf_bf16"},
		{ir.MaxOf, array.I16, "-32768_i16"},
		{ir.MinOf, array.I64, "9223372036854775807"},
		{ir.MaxOf, array.U32, "0_u32"},
		{ir.MinOf, array.U64, "18446744073709551615_u64"},
		{ir.MaxOf, array.Bool, "false"},
		{ir.MinOf, array.Bool, "true"},
		{ir.AnyOf, array.Bool, "false"},
		{ir.AllOf, array.Bool, "true"},
		{ir.AndOf, array.Bool, "true"},
		{ir.AndOf, array.U8, "255_u8"},
		{ir.AndOf, array.I32, "-1_i32"},
		{ir.OrOf, array.I32, "0_i32"},
		{ir.ArgMax, array.I8, "-128_i8"},
		{ir.ArgMin, array.F64, "inf_f64"},
	} {
		if got := test.combine.Neutral(test.elem).String(); got != test.want {
			t.Errorf("%s of %s: got %s, want %s", test.combine, test.elem, got, test.want)
		}
	}
}
