package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

// fused makes one step of a product that is added to later, both in place: FusedMulAdd multiplies a tile and adds to it at once.
func (s *stepper) fused(ops []*ir.Op) []*ir.Op {
	gone := map[*ir.Op]bool{}
	for i, add := range ops {
		tile, addend := inPlaceOf(add, ir.Add)
		if tile == nil {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			mul := ops[k]
			t, factor := inPlaceOf(mul, ir.Mul)
			if t == nil || t.Buf != tile.Buf {
				reads, writes := touched(mul)
				if reads[tile.Buf] || writes[tile.Buf] {
					break
				}
				continue
			}
			if gone[mul] || !sameDomain(add, mul) || !sameElements(tile, onDomain(ir.LoadAt(t), mul, add).At) || written(ops[k+1:i], factor) {
				break
			}
			one := &ir.Op{Code: ir.OpMap, Dom: add.Dom, Dst: add.Dst, Where: add.Where, Pipe: ir.PipeV, Span: add.Span,
				X: []*ir.Expr{{Op: ir.Fma, Type: add.Dst.Buf.Elem, Args: []*ir.Expr{ir.LoadAt(tile), onDomain(factor, mul, add), addend}}}}
			v, ok := aicore.VectorOf(one)
			if !ok {
				break
			}
			one.Scratch = s.scratch(&v)
			ops[i] = one
			gone[mul] = true
			break
		}
	}
	kept := ops[:0]
	for _, op := range ops {
		if !gone[op] {
			kept = append(kept, op)
		}
	}
	return kept
}

// inPlaceOf reads a step of the vector unit that combines a tile of f32 with something else and leaves the result in that tile.
func inPlaceOf(op *ir.Op, with ir.ExprOp) (tile *ir.Access, other *ir.Expr) {
	if op.Code != ir.OpMap || op.Pipe != ir.PipeV || op.X[0].Op != with || op.Dst.Buf.Elem != array.F32 {
		return nil, nil
	}
	a, b := op.X[0].Args[0], op.X[0].Args[1]
	for _, pair := range [][2]*ir.Expr{{a, b}, {b, a}} {
		own, rest := pair[0], pair[1]
		if own.Op == ir.Load && rest.Op == ir.Load && own.At.Buf == op.Dst.Buf && rest.At.Buf != op.Dst.Buf && sameElements(own.At, op.Dst) {
			return own.At, rest
		}
	}
	return nil, nil
}

// sameDomain reports two operations over the same points, under the same condition.
func sameDomain(a, b *ir.Op) bool {
	if len(a.Dom) != len(b.Dom) || (a.Where == nil) != (b.Where == nil) {
		return false
	}
	for i := range a.Dom {
		if a.Dom[i].Extent.String() != b.Dom[i].Extent.String() {
			return false
		}
	}
	return a.Where == nil || a.Where.String() == onDomain(b.Where, b, a).String()
}

// onDomain has an expression of one operation's indices use those of another.
func onDomain(x *ir.Expr, from, to *ir.Op) *ir.Expr {
	with := map[*ir.Var]*ir.Expr{}
	for i := range from.Dom {
		with[from.Dom[i].Var] = ir.RefTo(to.Dom[i].Var)
	}
	return x.Subst(with)
}

// written reports operations that write what an expression reads, or change a scalar in it.
func written(ops []*ir.Op, x *ir.Expr) bool {
	found := false
	for _, op := range ops {
		_, writes := touched(op)
		x.Walk(func(e *ir.Expr) bool {
			found = found || e.Op == ir.Load && writes[e.At.Buf]
			return true
		})
		(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
			if o.Code == ir.OpAssign {
				found = found || x.Uses(o.Var)
			}
		})
	}
	return found
}
