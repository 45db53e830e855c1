package passes

import (
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
)

// ownOperands gives contracts a copy of each operand that is the result of a
// contraction itself: sums live in registers as the atom leaves them, operands lie
// where it reads them.
func ownOperands(f *ir.Func) {
	sums := map[*ir.Buffer]bool{}
	for _, op := range contractsOf(f.Body) {
		sums[op.Dst.Buf] = true
	}
	f.Body.Rewrite(func(op *ir.Op) (out []*ir.Op) {
		if op.Code == ir.OpContract {
			for i, a := range op.Src {
				if sums[a.Buf] {
					var made []*ir.Op
					op.Src[i], made = MatrixCopy(op, a, "_operand")
					out = append(out, made...)
				}
			}
		}
		return append(out, op)
	})
}

// MatrixCopy makes a tile, named by its suffix, of the matrix that a contract reads
// through a: the last two dimensions.
func MatrixCopy(op *ir.Op, a *ir.Access, suffix string) (*ir.Access, []*ir.Op) {
	n := len(a.Index)
	t := &ir.Buffer{Name: a.Buf.Name + suffix, Elem: a.Buf.Elem, Shape: a.Buf.Shape[n-2:], Kind: ir.Tile, Temp: true, Span: op.Span}
	from := &ir.Access{Buf: a.Buf, Index: append([]*ir.Expr(nil), a.Index[:n-2]...), Span: a.Span}
	to := &ir.Access{Buf: t, Span: a.Span}
	c := &ir.Op{Code: ir.OpCopy, Span: op.Span, Dst: to, Src: []*ir.Access{from}}
	for d, ext := range t.Shape {
		v := &ir.Var{Name: iterName(d), Type: ir.Index, Kind: ir.IterVar, Span: op.Span}
		c.Dom = append(c.Dom, ir.Iter{Var: v, Extent: ext})
		from.Index = append(from.Index, ir.RefTo(v))
		to.Index = append(to.Index, ir.RefTo(v))
	}
	return &ir.Access{Buf: t, Index: a.Index[n-2:], Span: a.Span}, []*ir.Op{{Code: ir.OpAlloc, Buf: t, Span: op.Span}, c}
}

// leftFragment is the layout in which a contract reads a left operand from
// registers.
func leftFragment(m *machine.Machine, op *ir.Op) *layout.Layout {
	p, at := product(m, op)
	want := layout.Operand(at.LayoutA, op.Layout, 0, p.K)
	if !p.AKLast {
		want = want.Project(1, 0)
	}
	return want
}

// atOdds are the left operands that two contracts want in different layouts.
func atOdds(m *machine.Machine, f *ir.Func) map[*ir.Buffer]bool {
	first := map[*ir.Buffer]*layout.Layout{}
	odds := map[*ir.Buffer]bool{}
	for _, op := range contractsOf(f.Body) {
		if op.Atom == machine.FMAName {
			continue
		}
		b := op.Src[0].Buf
		want := leftFragment(m, op)
		if first[b] == nil {
			first[b] = want
		} else if !first[b].Equal(want) {
			odds[b] = true
		}
	}
	return odds
}
