package interp

import (
	"math"

	"tilec/ir"
	"tilec/runtime/array"
)

// combiner is a combination of values of one lane. Integers are wrapped by the
// caller, once, at the end.
type combiner[T lane] struct {
	identity T
	one      func(x, y T) T
	// fold combines a row into one value; merge combines two rows.
	fold  func(acc T, row []T) T
	merge func(acc, row []T)
}

func (k *combiner[T]) complete() {
	one := k.one
	if k.fold == nil {
		k.fold = func(acc T, row []T) T {
			for _, v := range row {
				acc = one(acc, v)
			}
			return acc
		}
	}
	if k.merge == nil {
		k.merge = func(acc, row []T) {
			for l, v := range row {
				acc[l] = one(acc[l], v)
			}
		}
	}
}

func sumOf[T number]() combiner[T] {
	return combiner[T]{
		one: func(x, y T) T { return x + y },
		fold: func(acc T, row []T) T {
			for _, v := range row {
				acc += v
			}
			return acc
		},
		merge: func(acc, row []T) {
			acc = acc[:len(row)]
			for l, v := range row {
				acc[l] += v
			}
		},
	}
}

// floatCombiner returns a combination of floats.
func floatCombiner[T float32 | float64](c *compiler, how ir.Combine) (k combiner[T]) {
	switch how {
	case ir.Sum:
		k = sumOf[T]()
	case ir.Prod:
		k = combiner[T]{identity: 1, one: func(x, y T) T { return T(x * y) }}
	case ir.MaxOf:
		k = combiner[T]{identity: T(math.Inf(-1)), one: maxNum[T]}
	case ir.MinOf:
		k = combiner[T]{identity: T(math.Inf(1)), one: minNum[T]}
	default:
		c.fail("floats can't be combined by %s", how)
	}
	return k
}

// intCombiner returns a combination of integers of type t.
func intCombiner(c *compiler, t ir.DType, how ir.Combine) (k combiner[int64]) {
	binary := func(code ir.ExprOp) func(x, y int64) int64 {
		op, _ := intBinary(t, code)
		return op.one
	}
	switch how {
	case ir.Sum:
		k = sumOf[int64]()
	case ir.Prod:
		k = combiner[int64]{identity: 1, one: binary(ir.Mul)}
	case ir.MaxOf:
		k = combiner[int64]{identity: array.DecodeInt(t, array.EncodeFloat(t, math.Inf(-1))), one: binary(ir.Max)}
	case ir.MinOf:
		k = combiner[int64]{identity: array.DecodeInt(t, array.EncodeFloat(t, math.Inf(1))), one: binary(ir.Min)}
	case ir.OrOf:
		k = combiner[int64]{one: binary(ir.BitOr)}
	case ir.AndOf:
		k = combiner[int64]{identity: array.WrapInt(t, -1), one: binary(ir.BitAnd)}
	case ir.XorOf:
		k = combiner[int64]{one: binary(ir.BitXor)}
	default:
		c.fail("integers can't be combined by %s", how)
	}
	return k
}

// boolCombiner returns a combination of bools.
func boolCombiner(c *compiler, how ir.Combine) (k combiner[bool]) {
	switch how {
	case ir.AnyOf, ir.OrOf, ir.MaxOf:
		k.one = func(x, y bool) bool { return x || y }
	case ir.AllOf, ir.AndOf, ir.MinOf:
		k = combiner[bool]{identity: true, one: func(x, y bool) bool { return x && y }}
	case ir.XorOf:
		k.one = func(x, y bool) bool { return x != y }
	default:
		c.fail("bools can't be combined by %s", how)
	}
	return k
}

// sumType is the type that values of type t are combined in.
func sumType(t ir.DType) ir.DType {
	if kindOf(t) == kindF {
		return array.F32
	}
	return t
}

// reduce compiles a reduction: first into an accumulator a point of Dom, then
// from there into Dst.
func (c *compiler) reduce(op *ir.Op) step {
	x := op.X[0]
	t := sumType(x.Type)
	if op.Combine == ir.ArgMax || op.Combine == ir.ArgMin {
		t = ir.Index
		if op.Accumulate {
			c.fail("%s can't accumulate", op.Combine)
		}
	}
	acc := c.temporary(t, op.Dom)
	first, ok := c.sumOfProducts(op, acc)
	if !ok {
		first = c.combineRows(op, ir.Conj(op.Dst.Guard, op.Where), acc)
	}
	value := ir.LoadAt(acc)
	if op.Accumulate {
		two, _ := op.Combine.Op()
		value = ir.Bin(two, ir.CastTo(t, c.old(op.Dst)), value)
	}
	last := c.assign(assignment{op.Dom, rowOf(op.Dom), op.Dst, nil, value})
	return sequence(first, c.scratch(op), last)
}

// combineRows compiles the first half of a reduction.
func (c *compiler) combineRows(op *ir.Op, where *ir.Expr, acc *ir.Access) step {
	x := op.X[0]
	switch kindOf(x.Type) {
	case kindF:
		return reduceOf(c, laneF, op, where, acc, func() combiner[float32] { return floatCombiner[float32](c, op.Combine) }, func(x float32) bool { return x != x })
	case kindD:
		return reduceOf(c, laneD, op, where, acc, func() combiner[float64] { return floatCombiner[float64](c, op.Combine) }, func(x float64) bool { return x != x })
	case kindI:
		return reduceOf(c, laneI, op, where, acc, func() combiner[int64] { return intCombiner(c, x.Type, op.Combine) }, func(int64) bool { return false })
	case kindB:
		return reduceOf(c, laneB, op, where, acc, func() combiner[bool] { return boolCombiner(c, op.Combine) }, func(bool) bool { return false })
	}
	c.fail("operand of type %s can't be reduced", x.Type)
	return func(*frame) {}
}

// old is a read of the element that is about to be written.
func (c *compiler) old(dst *ir.Access) *ir.Expr {
	return ir.LoadAt(&ir.Access{Buf: dst.Buf, Index: dst.Index, Span: dst.Span})
}

func usesAny(e *ir.Expr, iters []ir.Iter) bool {
	for _, it := range iters {
		if e.Uses(it.Var) {
			return true
		}
	}
	return false
}

// reduceRow picks the row variable of a reduction: the last one of Dom when more
// loads run along it than along the last one of Red.
func reduceRow(op *ir.Op) *ir.Var {
	dom, red := rowOf(op.Dom), rowOf(op.Red)
	if dom == nil || red == nil {
		if red == nil {
			return dom
		}
		return red
	}
	score := 0
	op.Loads(func(a *ir.Access) {
		if a == nil || len(a.Index) == 0 {
			return
		}
		last := a.Index[len(a.Index)-1]
		if last.Uses(dom) {
			score++
		}
		if last.Uses(red) {
			score--
		}
	})
	if score > 0 {
		return dom
	}
	return red
}

func reduceOf[T lane](c *compiler, tr *traits[T], op *ir.Op, where *ir.Expr, acc *ir.Access, how func() combiner[T], isNaN func(T) bool) step {
	iters, v := op.Iters(), reduceRow(op)
	defer c.over(iters, v)()
	alongRed := v == nil || usesAny(ir.RefTo(v), op.Red)
	r := &rowReduction[T]{
		tr: tr, dom: c.domainOf(iters, v), where: c.filterOf(where), value: exprOf[T](c, op.X[0]),
		red: c.domainOf(op.Red, v), acc: c.bufferNumber(acc.Buf), alongRed: alongRed, isNaN: isNaN,
	}
	ready := c.prepare(acc.Buf)
	switch op.Combine {
	case ir.ArgMax, ir.ArgMin:
		r.better = better[T](op.X[0].Type, op.Combine)
		return sequence(ready, r.arg)
	}
	r.combiner = how()
	if c.err != nil {
		return ready
	}
	r.complete()
	if t := op.X[0].Type; kindOf(t) == kindI {
		return sequence(ready, r.run, func(fr *frame) {
			cells := fr.bufs[r.acc].i
			for l, v := range cells {
				cells[l] = array.WrapInt(t, v)
			}
		})
	}
	return sequence(ready, r.run)
}

// rowReduction is the first half of a reduction, row by row.
type rowReduction[T lane] struct {
	combiner[T]
	tr    *traits[T]
	dom   *domain // Dom, then Red
	red   *domain // Red alone
	where filter
	value node[T]
	acc   int
	// alongRed says that rows run along a reduced index.
	alongRed bool
	// better and isNaN order the values of an argmax or argmin.
	better func(x, y T) bool
	isNaN  func(T) bool
}

// each evaluates the rows that have something to combine: f gets the number of
// the row and its values. Accumulators may be shared out to several frames.
func (r *rowReduction[T]) each(fr *frame, f func(row int, m mask, values []T)) {
	n, rows, each := r.dom.lanes(fr), r.dom.rows(fr), r.red.rows(fr)
	if n == 0 || rows == 0 {
		return
	}
	// Rows of the same accumulators follow each other.
	fr.split(rows/each, n*each, func(fr *frame, lo, hi int) {
		mark := fr.mark()
		defer fr.release(mark)
		r.dom.seek(fr, lo*each)
		values := r.tr.arena(fr).take(n)
		inner := fr.mark()
		for row := lo * each; row < hi*each; row++ {
			m := mask{hi: n}
			if r.where != nil {
				m = r.where(fr, m)
			}
			if !m.empty() {
				r.value.fill(fr, m, values)
				f(row, m, values)
			}
			if fr.halted() {
				return
			}
			fr.release(inner)
			r.dom.next(fr)
		}
	})
}

func (r *rowReduction[T]) run(fr *frame) {
	acc := r.tr.cells(fr.bufs[r.acc])
	for l := range acc {
		acc[l] = r.identity
	}
	each, n := r.red.rows(fr), r.dom.lanes(fr)
	r.each(fr, func(row int, m mask, values []T) {
		if r.alongRed {
			into := &acc[row/each]
			if m.bits == nil {
				*into = r.fold(*into, values[m.lo:m.hi])
				return
			}
			for l := m.lo; l < m.hi; l++ {
				if m.bits[l] {
					*into = r.one(*into, values[l])
				}
			}
			return
		}
		into := acc[row/each*n : row/each*n+n]
		if m.bits == nil {
			r.merge(into[m.lo:m.hi], values[m.lo:m.hi])
			return
		}
		for l := m.lo; l < m.hi; l++ {
			if m.bits[l] {
				into[l] = r.one(into[l], values[l])
			}
		}
	})
}

// arg finds the reduced index of the best value; 0 where there is none.
func (r *rowReduction[T]) arg(fr *frame) {
	at := fr.bufs[r.acc].i
	mark := fr.mark()
	defer fr.release(mark)
	best := r.tr.arena(fr).take(len(at))
	have := fr.tmpB.take(len(at))
	clear(at)
	clear(have)
	each, n := r.red.rows(fr), r.dom.lanes(fr)
	r.each(fr, func(row int, m mask, values []T) {
		for l := m.lo; l < m.hi; l++ {
			p, k := row/each*n+l, row%each
			if r.alongRed {
				p, k = row/each, row%each*n+l
			}
			v := values[l]
			if m.active(l) && !r.isNaN(v) && (!have[p] || r.better(v, best[p])) {
				best[p], have[p], at[p] = v, true, int64(k)
			}
		}
	})
}

// better returns the strict order of an argmax or argmin.
func better[T lane](t ir.DType, how ir.Combine) func(x, y T) bool {
	var less any
	switch kindOf(t) {
	case kindF:
		less = func(x, y float32) bool { return x < y }
	case kindD:
		less = func(x, y float64) bool { return x < y }
	case kindI:
		less = ordering[int64](ir.Lt).one
		if t == array.U64 {
			less = unsignedOrdering(ir.Lt).one
		}
	case kindB:
		less = func(x, y bool) bool { return !x && y }
	}
	f := less.(func(x, y T) bool)
	if how == ir.ArgMin {
		return f
	}
	return func(x, y T) bool { return f(y, x) }
}
