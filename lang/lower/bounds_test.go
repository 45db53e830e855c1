package lower

import (
	"testing"

	"tilec/ir"
	"tilec/runtime/array"
)

func TestFacts(t *testing.T) {
	f := newFacts()
	index := func(name string, kind ir.VarKind) *ir.Expr {
		return ir.RefTo(&ir.Var{Name: name, Type: ir.Index, Kind: kind})
	}
	dim := func(name string) *ir.Expr {
		d := index(name, ir.DimVar)
		f.within[d.Var] = interval{0, plusInf}
		return d
	}
	n, h, g, k := dim("N"), dim("H"), dim("G"), dim("K")
	f.require(ir.Conj(ir.Bin(ir.Lt, ir.Int(0), g), ir.Bin(ir.Eq, ir.Bin(ir.Mod, h, g), ir.Int(0))))
	f.require(ir.Bin(ir.Eq, ir.Bin(ir.Mod, k, ir.Int(128)), ir.Int(0)))
	i, head, row, step := index("i", ir.IterVar), index("h", ir.GridVar), index("row", ir.GridVar), index("k", ir.LoopVar)
	f.index(i.Var, ir.Int(16))
	f.index(head.Var, h)
	f.index(row.Var, ceilDiv(n, ir.Int(8)))
	f.index(step.Var, ceilDiv(k, ir.Int(32)))
	let := index("g", ir.LetVar)
	f.let(let.Var, ir.Bin(ir.Div, head, ir.Bin(ir.Div, h, g)))
	byte := ir.CastTo(ir.Index, ir.RefTo(&ir.Var{Name: "u", Type: array.U8}))

	for _, test := range []struct {
		x, limit           *ir.Expr
		below, notNegative bool
	}{
		{i, ir.Int(16), true, true},
		{i, ir.Int(15), false, true},
		{ir.Bin(ir.Add, i, ir.Int(4)), ir.Int(20), true, true},
		{ir.Bin(ir.Sub, i, ir.Int(1)), ir.Int(16), true, false},
		{ir.Bin(ir.Add, ir.Bin(ir.Mul, row, ir.Int(8)), i), n, false, true},
		{ir.Bin(ir.Mul, row, ir.Int(8)), n, true, true},
		{ir.Bin(ir.Mul, row, ir.Int(9)), n, false, true},
		{head, h, true, true},
		{head, g, false, true},
		{let, g, true, true},
		{ir.Bin(ir.Div, ir.Bin(ir.Mul, step, ir.Int(32)), ir.Int(128)), ir.Bin(ir.Div, k, ir.Int(128)), true, true},
		{ir.Bin(ir.Div, ir.Bin(ir.Mul, step, ir.Int(32)), ir.Int(64)), ir.Bin(ir.Div, k, ir.Int(64)), false, true},
		{ir.Bin(ir.Mod, ir.Bin(ir.Sub, i, ir.Int(9)), ir.Int(4)), ir.Int(4), true, true},
		{byte, ir.Int(256), true, true},
		{byte, ir.Int(255), false, true},
		{ir.Bin(ir.Min, ir.Bin(ir.Max, ir.Bin(ir.Sub, n, h), ir.Int(0)), n), ir.Int(9), false, true},
	} {
		if below, notNegative := f.isBelow(test.x, test.limit), f.notNegative(test.x); below != test.below || notNegative != test.notNegative {
			t.Errorf("%s against %s: below %v, not negative %v", test.x, test.limit, below, notNegative)
		}
	}
}

func TestFold(t *testing.T) {
	n := ir.RefTo(&ir.Var{Name: "N", Type: ir.Index, Kind: ir.DimVar})
	truth := ir.RefTo(&ir.Var{Name: "c", Type: array.Bool})
	for _, test := range []struct {
		x    *ir.Expr
		want string
	}{
		{ceilDiv(n, ir.Int(1)), "N"},
		{ceilDiv(n, ir.Int(8)), "(N + 7) / 8"},
		{bin(ir.Div, ir.Int(-7), ir.Int(2)), "-4"},
		{bin(ir.Mod, ir.Int(-7), ir.Int(2)), "1"},
		{bin(ir.Mod, ir.Int(7), ir.Int(-3)), "-2"},
		{bin(ir.Div, ir.Int(7), ir.Int(0)), "0"},
		{bin(ir.Mul, n, ir.Int(0)), "0"},
		{bin(ir.Add, ir.Int(0), n), "N"},
		{bin(ir.Add, ir.IntOf(array.I8, 100), ir.IntOf(array.I8, 100)), "-56_i8"},
		{bin(ir.And, ir.BoolOf(true), truth), "c"},
		{bin(ir.Or, truth, ir.BoolOf(true)), "true"},
		{cast(array.F16, ir.FloatOf(array.F32, 0.1)), "0.099975586_f16"},
		{cast(array.F8E4M3, ir.FloatOf(array.F32, 1000)), "448_f8e4m3"},
		{cast(array.I8, ir.FloatOf(array.F32, 1000)), "127_i8"},
		{cast(array.U8, ir.Int(-1)), "255_u8"},
		{cast(array.F32, ir.IntOf(array.U64, -1)), "1.8446744e+19_f32"},
		{cast(array.Bool, ir.Int(2)), "true"},
		{cast(ir.Index, n), "N"},
		{ir.MaxOf.Neutral(array.I16), "-32768_i16"},
		{ir.MinOf.Neutral(array.U64), "18446744073709551615_u64"},
		{ir.AndOf.Neutral(array.U8), "255_u8"},
		{ir.Prod.Neutral(array.F32), "1_f32"},
	} {
		if got := test.x.String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	if c := conj(truth, ir.BoolOf(true), nil, ir.Conj(truth, truth)); c != truth {
		t.Errorf("got %s, want c", c)
	}
}

func TestNames(t *testing.T) {
	n := names{}
	for _, test := range [][2]string{{"x", "x"}, {"x", "x_2"}, {"x_2", "x_2_2"}, {"x", "x_3"}, {"y", "y"}} {
		if got := n.unique(test[0]); got != test[1] {
			t.Errorf("%s: got %s, want %s", test[0], got, test[1])
		}
	}
}
