package interp

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// contract compiles Dst += Σ Src0·Src1.
func (c *compiler) contract(op *ir.Op) step {
	elem := sumType(c.elemOf(op.Dst.Buf))
	packed := elem
	if kindOf(elem) == kindF && (op.Src[0].Buf.Elem == array.F32 || op.Src[1].Buf.Elem == array.F32) {
		packed = array.F64 // holds the product of two f32 exactly
	}
	acc := c.temporary(elem, op.Dom)
	ready := c.prepare(acc.Buf)
	c.updated = op.Dst
	old := ir.LoadAt(op.Dst)
	if op.Init != nil {
		old = ir.SelectOf(op.Init, ir.ZeroOf(op.Dst.Buf.Elem), old)
	}
	first := c.assign(assignment{dom: op.Dom, rowVar: rowOf(op.Dom), dst: acc, x: old})
	c.updated = nil
	multiply := c.multiply(op, limited(op, op.Src[0]), limited(op, op.Src[1]), packed, acc)
	last := c.assign(assignment{dom: op.Dom, rowVar: rowOf(op.Dom), dst: op.Dst, x: ir.LoadAt(acc)})
	return sequence(ready, first, multiply, last)
}

// limited is an operand of a contract, zero where the contract's condition leaves the product out.
func limited(op *ir.Op, a *ir.Access) *ir.Expr {
	x := ir.LoadAt(a)
	for _, cond := range ir.Conjuncts(op.Where) {
		mine := true
		for _, it := range op.Iters() {
			mine = mine && (!cond.Uses(it.Var) || x.Uses(it.Var))
		}
		if mine {
			x = ir.SelectOf(cond, x, ir.ZeroOf(x.Type))
		}
	}
	return x
}

// sumOfProducts compiles a reduction that is a sum of products of which either
// factor depends on indices that the other does not depend on; ok is false for
// any other. The sums are the same as those of products one by one.
func (c *compiler) sumOfProducts(op *ir.Op, acc *ir.Access) (s step, ok bool) {
	x := op.X[0]
	if c.watching { // hazards ask who reads what
		return nil, false
	}
	if op.Combine != ir.Sum || op.Where != nil || x.Op != ir.Mul || len(op.Red) == 0 || kindOf(x.Type) == kindI && x.Type.Bits() < 64 {
		return nil, false
	}
	rows, cols := false, false
	for _, it := range op.Dom {
		a, b := x.Args[0].Uses(it.Var), x.Args[1].Uses(it.Var)
		rows, cols = rows || a && !b, cols || b && !a
	}
	if !rows || !cols {
		return nil, false
	}
	ready := c.prepare(acc.Buf)
	zero := c.assign(assignment{dom: op.Dom, rowVar: rowOf(op.Dom), dst: acc, x: ir.ZeroOf(acc.Buf.Elem)})
	return sequence(ready, zero, c.multiply(op, x.Args[0], x.Args[1], acc.Buf.Elem, acc)), true
}

// multiply compiles acc += Σ x·y over the indices that op reduces: both factors
// are packed with those indices last, then multiplied as matrices.
func (c *compiler) multiply(op *ir.Op, x, y *ir.Expr, packed ir.DType, acc *ir.Access) step {
	g := &product{acc: c.bufferNumber(acc.Buf)}
	var batch, rows, cols []ir.Iter
	for at, it := range op.Dom {
		a, b := x.Uses(it.Var), y.Uses(it.Var)
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
	switch kindOf(acc.Buf.Elem) {
	case kindF:
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
		c.fail("products of type %s can't be summed", acc.Buf.Elem)
		return func(*frame) {}
	}
	pack := func(e *ir.Expr, own []ir.Iter) (at int, s step) {
		iters := append(append(append([]ir.Iter(nil), batch...), own...), op.Red...)
		to := c.temporary(packed, iters)
		ready := c.prepare(to.Buf)
		fill := c.assign(assignment{dom: iters, rowVar: c.contiguousRow(iters, e), dst: to, x: ir.CastTo(packed, e)})
		return c.bufferNumber(to.Buf), sequence(ready, fill)
	}
	var packA, packB step
	g.a, packA = pack(x, rows)
	g.b, packB = pack(y, cols)
	return sequence(packA, packB, g.run)
}

// contiguousRow picks the row variable along which the outermost load of an
// expression is contiguous.
func (c *compiler) contiguousRow(iters []ir.Iter, e *ir.Expr) *ir.Var {
	last := rowOf(iters)
	defer c.over(iters, last)()
	found := false
	e.Walk(func(x *ir.Expr) bool {
		if x.Op != ir.Load || found {
			return !found
		}
		found = true
		n := len(x.At.Index)
		if n == 0 {
			return false
		}
		for _, it := range iters {
			if it.Extent.IsInt(1) {
				continue
			}
			c.rowVar = it.Var
			if k, ok := c.coefficient(x.At.Index[n-1], ir.Index, new([]narrowPart)); ok && k == 1 {
				last = it.Var
			}
		}
		return false
	})
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
		fr.split(len(rows), len(cols)*k, func(fr *frame, lo, hi int) {
			const some = 64 // rows between looks at whether to stop
			for ; lo < hi && !fr.halted(); lo += some {
				g.multiply(acc, a, b, (i*len(rows)+lo)*k, i*len(cols)*k, k, at[lo:min(lo+some, hi)], cols)
			}
		})
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
