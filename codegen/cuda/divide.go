package cuda

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/runtime/array"
)

// shareDivisors computes the reciprocals of divisors that many elements of an
// operation share, before its loop, and notes how the divisions use them: a
// product and one correction give the correctly rounded quotient in the normal
// range, at a third of the instructions of a division.
func (k *kernel) shareDivisors(op *ir.Op, value *ir.Expr) {
	clear(k.shareds)
	many := op.Layout.Size(layout.Reg)
	rounded := map[*ir.Expr]bool{}
	value.Walk(func(e *ir.Expr) bool {
		if e.Op == ir.Cast && e.Type.IsFloat() && e.Type.Bits() == 16 {
			rounded[e.Args[0]] = true
		}
		if e.Op != ir.Div || e.Type != array.F32 || k.shareds[e] != nil {
			return true
		}
		if d := k.sharedDivisor(op, e.Args[1], many); d != nil {
			d.rounded = rounded[e]
			k.shareds[e] = d
		}
		return true
	})
}

// divisor is a reciprocal: a scalar, or an array with one for each register of a tile.
type divisor struct {
	name string
	tile *ir.Access // nil for a scalar
	// rounded: quotients become 16 bits at once; the correction would be lost in that.
	rounded bool
}

func (k *kernel) sharedDivisor(op *ir.Op, y *ir.Expr, many int) *divisor {
	const worth = 4 // elements that share a reciprocal
	switch {
	case many >= worth && !y.IsConst() && !varies(op, y) && !reads(y):
		name := "inv"
		if y.Op == ir.Ref {
			name = y.Var.Name + "_inv"
		}
		d := &divisor{name: k.names.Take(name)}
		k.w.Line("const float %s = 1.0f / %s;", d.name, within(termLevel, k.expr(y, nil)))
		return d
	case y.Op == ir.Load && y.At.Buf.Space == ir.Register && y.At.Guard == nil && y.At.Buf.Elem == array.F32:
		n := y.At.Buf.Layout.Size(layout.Reg)
		if n*worth > many {
			return nil
		}
		d := &divisor{name: k.names.Take(y.At.Buf.Name + "_inv"), tile: y.At}
		k.w.Line("float %s[%d];", d.name, n)
		k.overResults(n, func(r string) { k.w.Line("%s = 1.0f / %s;", at(d.name, r), k.register(y.At.Buf, r)) })
		return d
	}
	return nil
}

// shared spells a division whose divisor's reciprocal is there already.
func (k *kernel) sharedQuotient(e *ir.Expr, d *divisor, env *env) string {
	inv := d.name
	if d.tile != nil {
		inv = at(d.name, env.index(d.tile))
	}
	if d.rounded {
		return fmt.Sprintf("(%s * %s)", within(productLevel, k.expr(e.Args[0], env)), inv)
	}
	return fmt.Sprintf("%s(%s, %s, %s)", "divide", top(k.expr(e.Args[0], env)), top(k.expr(e.Args[1], env)), inv)
}
