package passes

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tilec/ir"
	"tilec/runtime/array"
)

// scalarGen draws expressions over the elements of one row, the tile indices
// and a dimension.
type scalarGen struct {
	*rapid.T
	tensors map[ir.DType]*ir.Buffer
	i       *ir.Var
	n       *ir.Var
}

var scalarTypes = []ir.DType{array.F32, array.F64, array.I32, array.I8, array.U8, array.I64, array.Bool}

func (g *scalarGen) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(g.T, label) }

func (g *scalarGen) constant(t ir.DType) *ir.Expr {
	switch {
	case t.IsFloat():
		return ir.FloatOf(t, rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, 3, 1e-40, math.Inf(1), math.Inf(-1), math.NaN(), 448}).Draw(g.T, "float"))
	case t == array.Bool:
		return ir.BoolOf(g.pick("bool", 2) == 1)
	}
	return ir.IntOf(t, array.WrapInt(t, rapid.SampledFrom([]int64{0, 1, -1, 2, 3, 7, 8, 127, -128, 255}).Draw(g.T, "int")))
}

func (g *scalarGen) expr(t ir.DType, depth int) *ir.Expr {
	if depth == 0 || g.pick("leaf", 5) == 0 {
		switch g.pick("kind", 3) {
		case 0:
			return g.constant(t)
		case 1:
			if t == ir.Index {
				return ir.RefTo([]*ir.Var{g.i, g.n}[g.pick("var", 2)])
			}
		}
		at := &ir.Access{Buf: g.tensors[t], Index: []*ir.Expr{ir.RefTo(g.i)}}
		if g.pick("guarded", 2) == 0 && depth > 0 {
			at.Guard = g.expr(array.Bool, depth-1)
			if g.pick("else", 2) == 0 {
				at.Else = g.constant(t)
			}
		}
		return ir.LoadAt(at)
	}
	var ops []ir.ExprOp
	switch {
	case t.IsFloat():
		ops = []ir.ExprOp{ir.Neg, ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Min, ir.Max, ir.Abs, ir.Floor, ir.Sqrt, ir.Select, ir.Cast}
	case t == array.Bool:
		ops = []ir.ExprOp{ir.Not, ir.And, ir.Or, ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.Select, ir.BitXor}
	case t == ir.Index:
		// no products: 64-bit index arithmetic is taken not to overflow
		ops = []ir.ExprOp{ir.Add, ir.Sub, ir.Div, ir.Mod, ir.Min, ir.Max, ir.Select, ir.Cast}
	default:
		ops = []ir.ExprOp{ir.Neg, ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max, ir.BitAnd, ir.BitOr, ir.BitXor, ir.BitNot, ir.Shl, ir.Shr, ir.Abs, ir.Select, ir.Cast}
	}
	op := rapid.SampledFrom(ops).Draw(g.T, "op")
	switch {
	case op == ir.Select:
		return ir.SelectOf(g.expr(array.Bool, depth-1), g.expr(t, depth-1), g.expr(t, depth-1))
	case op == ir.Cast:
		from := rapid.SampledFrom(scalarTypes).Draw(g.T, "from")
		return ir.CastTo(t, g.expr(from, depth-1))
	case op.Info().Flags&ir.Compares != 0:
		t = rapid.SampledFrom(scalarTypes[:6]).Draw(g.T, "compared")
	}
	x := g.expr(t, depth-1)
	if op.Info().Arity == 1 {
		return ir.Un(op, x)
	}
	if g.pick("same", 8) == 0 {
		return ir.Bin(op, x, x)
	}
	return ir.Bin(op, x, g.expr(t, depth-1))
}

// TestScalarRulesAreExact simplifies random expressions and runs them before
// and after.
func TestScalarRulesAreExact(t *testing.T) {
	header := "tile func f {\n  dim N = A0[0]\n"
	for i, typ := range scalarTypes {
		header += "  param in A" + string(rune('0'+i)) + ": " + typ.String() + "[N]\n"
		header += "  param out Y" + string(rune('0'+i)) + ": " + typ.String() + "[N]\n"
	}
	header += "  grid ()\n  map (i: 24) Y0[i] = A0[i]\n}\n"
	rapid.Check(t, func(rt *rapid.T) {
		f, err := ir.Parse("f.tir", header)
		if err != nil {
			rt.Fatal(err)
		}
		g := &scalarGen{T: rt, tensors: map[ir.DType]*ir.Buffer{}, i: f.Body.Ops[0].Dom[0].Var, n: f.Dims[0].Var}
		typ := rapid.SampledFrom(scalarTypes).Draw(rt, "type")
		for _, b := range f.Tensors() {
			if strings.HasPrefix(b.Name, "A") {
				g.tensors[b.Elem] = b
			} else if b.Elem == typ {
				f.Body.Ops[0].Dst.Buf = b
			}
		}
		f.Body.Ops[0].X = []*ir.Expr{g.expr(typ, 4)}
		if rapid.Bool().Draw(rt, "where") {
			f.Body.Ops[0].Where = g.expr(array.Bool, 2)
		}
		before := ir.Clone(f)
		if err := RunList(&Context{}, f, []Pass{{Name: "simplify", Run: simplify}}, Options{Verify: true}); err != nil {
			rt.Fatalf("%v\n%s", err, ir.Print(before))
		}
		defer func() {
			if rt.Failed() {
				rt.Logf("before:\n%s\nafter:\n%s", ir.Print(before), ir.Print(f))
			}
		}()
		sameResults(rt, before, f, "N=24")
	})
}
