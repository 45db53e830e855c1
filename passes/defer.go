package passes

import (
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/runtime/array"
)

// deferLanes takes the exchange between lanes out of sums that run along a loop:
//
//	for … { t[i] = sum over j of x[i, j];  l[i] = l[i] * f[i] + t[i] }
//
// keeps in each lane the part of l that its own elements make up, and adds the
// lanes up once, behind the loop. Nothing else in the loop may read t or l, and l
// must start from zero: then every lane's part is scaled and summed alike.
func deferLanes(ctx *Context, f *ir.Func) error {
	deferBlock(f.Body)
	return nil
}

func deferBlock(b *ir.Block) {
	if b == nil {
		return
	}
	var out []*ir.Op
	for i, op := range b.Ops {
		deferBlock(op.Body)
		deferBlock(op.Else)
		out = append(out, op)
		if op.Code == ir.OpFor {
			for _, sum := range deferrable(b.Ops[:i], op) {
				sum.reduce.Partial = true
				out = append(out, joinOf(sum.into))
			}
		}
	}
	b.Ops = out
}

// runningSum is a reduce in a loop and the tile that its results run up in.
type runningSum struct {
	reduce *ir.Op
	into   *ir.Access
}

func deferrable(before []*ir.Op, loop *ir.Op) []runningSum {
	var sums []runningSum
	for i, op := range loop.Body.Ops {
		if op.Code != ir.OpReduce || op.Combine != ir.Sum || op.Accumulate || op.Scratch != nil || op.Where != nil || op.Dst.Guard != nil ||
			op.X[0].Type != array.F32 || op.Dst.Buf.Space != ir.Register || op.Dst.Buf.Kind != ir.Tile || !partialLanes(op) {
			continue
		}
		for _, m := range loop.Body.Ops[i+1:] {
			if loadsOf(m, op.Dst.Buf) == 0 {
				continue
			}
			if into := runsUp(m, op.Dst.Buf); into != nil && zeroedBefore(before, into.Buf) && onlyHere(loop, op, m, into.Buf) {
				sums = append(sums, runningSum{op, into})
			}
			break
		}
	}
	return sums
}

// partialLanes reports that the lanes which hold copies of the result are just
// those that the reduced indices are spread over.
func partialLanes(op *ir.Op) bool {
	any := false
	for _, basis := range op.Layout.Bases(layout.Lane) {
		dom, red := false, false
		for d, v := range basis {
			dom = dom || v != 0 && d < len(op.Dom)
			red = red || v != 0 && d >= len(op.Dom)
		}
		if !dom && !red {
			return false
		}
		any = any || red
	}
	return any
}

// runsUp matches l[i] = l[i] * f + t[i], or without the factor, and returns l.
func runsUp(m *ir.Op, t *ir.Buffer) *ir.Access {
	if m.Code != ir.OpMap || m.Where != nil || m.Dst.Guard != nil || m.Dst.Buf.Space != ir.Register || m.Dst.Buf.Kind != ir.Tile {
		return nil
	}
	x := m.X[0]
	if x.Op != ir.Add {
		return nil
	}
	isLoad := func(e *ir.Expr, b *ir.Buffer) bool {
		return e.Op == ir.Load && e.At.Buf == b && e.At.Guard == nil && sameIndices(e.At, m.Dst)
	}
	for i := range 2 {
		old, add := x.Args[i], x.Args[1-i]
		if !isLoad(add, t) {
			continue
		}
		if isLoad(old, m.Dst.Buf) {
			return m.Dst
		}
		if old.Op != ir.Mul {
			continue
		}
		for j := range 2 {
			f := old.Args[1-j]
			if isLoad(old.Args[j], m.Dst.Buf) && !mentions(f, t) && !mentions(f, m.Dst.Buf) {
				return m.Dst
			}
		}
	}
	return nil
}

func mentions(e *ir.Expr, b *ir.Buffer) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load && x.At.Buf == b
		return !found
	})
	return found
}

// zeroedBefore reports that the last thing that happened to l is a fill with zero.
func zeroedBefore(before []*ir.Op, l *ir.Buffer) bool {
	for i := len(before) - 1; i >= 0; i-- {
		op := before[i]
		touched := op.Dst != nil && op.Dst.Buf == l || loadsOf(op, l) > 0
		for _, b := range []*ir.Block{op.Body, op.Else} {
			b.Walk(func(o *ir.Op) { touched = touched || o.Dst != nil && o.Dst.Buf == l || loadsOf(o, l) > 0 })
		}
		if !touched {
			continue
		}
		return op.Code == ir.OpMap && op.Dst.Buf == l && op.Where == nil && op.X[0].IsConst() && op.X[0].Float == 0 && wholeTile(op, op.Dst)
	}
	return false
}

// onlyHere reports that in the loop t is touched by the reduce and the map alone,
// and l by the map alone.
func onlyHere(loop, reduce, m *ir.Op, l *ir.Buffer) bool {
	t := reduce.Dst.Buf
	ok := true
	loop.Body.Walk(func(op *ir.Op) {
		if op != m && (loadsOf(op, l) > 0 || op.Dst != nil && op.Dst.Buf == l) {
			ok = false
		}
		if op != m && loadsOf(op, t) > 0 || op != reduce && op.Dst != nil && op.Dst.Buf == t {
			ok = false
		}
	})
	return ok && loadsOf(m, t) == 1 && loadsOf(m, l) == 1
}

// joinOf makes the operation that adds up the lanes of a running sum.
func joinOf(l *ir.Access) *ir.Op {
	op := &ir.Op{Code: ir.OpJoin, Span: l.Span, Combine: ir.Sum, Layout: l.Buf.Layout,
		Dst: &ir.Access{Buf: l.Buf, Span: l.Span}, Src: []*ir.Access{{Buf: l.Buf, Span: l.Span}}}
	for d, ext := range l.Buf.Shape {
		v := &ir.Var{Name: iterName(d), Type: ir.Index, Kind: ir.IterVar, Span: l.Span}
		op.Dom = append(op.Dom, ir.Iter{Var: v, Extent: ext})
		op.Dst.Index = append(op.Dst.Index, ir.RefTo(v))
		op.Src[0].Index = append(op.Src[0].Index, ir.RefTo(v))
	}
	return op
}
