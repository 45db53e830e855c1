package interp

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// contract compiles Dst += Σ Src0·Src1: both operands are packed with the
// reduced indices last, then multiplied as matrices.
func (c *compiler) contract(op *ir.Op) step {
	var g product
	var batch, rows, cols []ir.Iter
	for at, it := range op.Dom {
		a, b := accessUses(op.Src[0], it.Var), accessUses(op.Src[1], it.Var)
		switch {
		case a && !b:
			rows = append(rows, it)
			g.rows = append(g.rows, at)
		case b && !a:
			cols = append(cols, it)
			g.cols = append(g.cols, at)
		default:
			batch = append(batch, it)
			g.batch = append(g.batch, at)
		}
	}
	elem := sumType(c.elemOf(op.Dst.Buf))
	packed := elem
	switch kindOf(elem) {
	case kindF:
		if op.Src[0].Buf.Elem == array.F32 || op.Src[1].Buf.Elem == array.F32 {
			packed = array.F64 // holds the product of two f32 exactly
		}
		g.multiply = multiplyF
		if packed == array.F64 {
			g.multiply = multiplyFD
		}
	case kindD:
		g.multiply = multiplyD
	case kindI:
		packed = ir.Index
		g.multiply = multiplyI
	default:
		c.fail("contract into %s", elem)
		return func(*frame) {}
	}
	join := func(a, b []ir.Iter) []ir.Iter {
		return append(append(append([]ir.Iter(nil), batch...), a...), b...)
	}
	pack := func(src *ir.Access, iters []ir.Iter) (at int, s step) {
		to := c.temporary(packed, iters)
		ready := c.prepare(to.Buf)
		x := &ir.Expr{Op: ir.Load, Type: src.Buf.Elem, At: src}
		fill := c.assign(assignment{dom: iters, rowVar: c.contiguousRow(iters, src), dst: to, x: x})
		return c.bufferNumber(to.Buf), sequence(ready, fill)
	}
	var packA, packB step
	g.a, packA = pack(op.Src[0], join(rows, op.Red))
	g.b, packB = pack(op.Src[1], join(cols, op.Red))
	acc := c.temporary(elem, op.Dom)
	g.acc = c.bufferNumber(acc.Buf)
	ready := c.prepare(acc.Buf)
	c.updated = op.Dst
	first := c.assign(assignment{dom: op.Dom, rowVar: rowOf(op.Dom), dst: acc, x: ir.LoadAt(op.Dst)})
	c.updated = nil
	last := c.assign(assignment{dom: op.Dom, rowVar: rowOf(op.Dom), dst: op.Dst, x: ir.LoadAt(acc)})
	return sequence(ready, first, packA, packB, g.run, last)
}

// accessUses reports whether v is used by an access.
func accessUses(a *ir.Access, v *ir.Var) bool {
	for _, x := range a.Index {
		if x.Uses(v) {
			return true
		}
	}
	return a.Guard.Uses(v) || a.Else.Uses(v)
}

// contiguousRow picks the row variable along which an access is contiguous.
func (c *compiler) contiguousRow(iters []ir.Iter, a *ir.Access) *ir.Var {
	last := rowOf(iters)
	defer c.over(iters, last)()
	if n := len(a.Index); n > 0 {
		for _, it := range iters {
			if it.Extent.IsInt(1) {
				continue
			}
			c.rowVar = it.Var
			if k, ok := c.coefficient(a.Index[n-1], ir.Index, new([]narrowPart)); ok && k == 1 {
				last = it.Var
			}
		}
	}
	return last
}

// product multiplies packed operands: A is batch × rows × red, B is batch ×
// cols × red.
type product struct {
	a, b, acc         int
	batch, rows, cols []int // positions in Dom
	multiply          func(acc, a, b *store, aOff, bOff, k int, rowOff, colOff []int)
}

func (g *product) run(fr *frame) {
	acc, a, b := fr.bufs[g.acc], fr.bufs[g.a], fr.bufs[g.b]
	rows, cols := offsets(acc, g.rows), offsets(acc, g.cols)
	k := 1
	for _, n := range a.ext[len(g.batch)+len(g.rows):] {
		k *= n
	}
	for i, off := range offsets(acc, g.batch) {
		at := rows
		if off != 0 {
			at = make([]int, len(rows))
			for r := range rows {
				at[r] = rows[r] + off
			}
		}
		g.multiply(acc, a, b, i*len(rows)*k, i*len(cols)*k, k, at, cols)
		if fr.halted() {
			return
		}
	}
	if kindOf(acc.elem) == kindI {
		for i, v := range acc.i {
			acc.i[i] = array.WrapInt(acc.elem, v)
		}
	}
}

// offsets lists where the points of some dimensions of s lie, row-major.
func offsets(s *store, dims []int) []int {
	at := []int{0}
	for _, d := range dims {
		next := make([]int, 0, len(at)*s.ext[d])
		for _, o := range at {
			for i := range s.ext[d] {
				next = append(next, o+i*s.stride[d])
			}
		}
		at = next
	}
	return at
}
