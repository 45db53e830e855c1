package cuda

import (
	"fmt"
	"math"
	"slices"

	"tilec/ir"
	"tilec/runtime/array"
)

// exactBound is up to where a 16-bit float holds every integer.
func exactBound(t ir.DType) float64 {
	switch t {
	case array.F16:
		return 1 << 11
	case array.BF16:
		return 1 << 8
	}
	return 0
}

// widening says which narrow types can be widened to a 16-bit float a word at a time,
// and how great their values are.
var widening = map[[2]ir.DType]float64{
	{array.I8, array.F16}: 1 << 7, {array.I8, array.BF16}: 1 << 7,
	{array.U8, array.F16}: 1<<8 - 1, {array.U8, array.BF16}: 1<<8 - 1,
	{array.I4, array.F16}: 1 << 3, {array.I4, array.BF16}: 1 << 3,
	{array.U4, array.F16}: 1<<4 - 1, {array.U4, array.BF16}: 1<<4 - 1,
	{array.F8E4M3, array.F16}: math.Inf(1), {array.F8E5M2, array.F16}: math.Inf(1),
}

// pairwise spells the words of a group of 16-bit floats made of narrower numbers, two at a
// time: nil if it can't. What is computed is exact or rounded once, as it is through f32: a
// product of two operands that the type holds is exact there before it is rounded.
func (p *points) pairwise(value *ir.Expr, at func(string) *env) func(w int) string {
	t := value.Type
	if value.Op != ir.Cast || exactBound(t) == 0 {
		return nil
	}
	q := &pairs{p: p, t: t, at: at}
	inner := value.Args[0]
	if inner.Op == ir.Mul && inner.Type == array.F32 {
		x, y := inner.Args[0], inner.Args[1]
		if q.bound(x) == 0 || q.bound(y) == 0 || !q.widens {
			return nil
		}
		return func(w int) string { return fmt.Sprintf("mul_%s(%s, %s)", q.name(), q.word(x, w), q.word(y, w)) }
	}
	if q.bound(inner) == 0 || !q.widens {
		return nil
	}
	return func(w int) string { return q.word(inner, w) }
}

// pairs spells operands of a 16-bit float type t as words of two.
type pairs struct {
	p      *points
	t      ir.DType
	at     func(string) *env
	widens bool // a narrow number has been seen
}

// name is that of the type of two elements.
func (q *pairs) name() string { return q.t.String() + "x2" }

// bound is how great an operand that the type holds exactly may be; 0 if it may not be
// held exactly, or cannot be spelled in pairs.
func (q *pairs) bound(e *ir.Expr) float64 {
	most := exactBound(q.t)
	switch e.Op {
	case ir.Cast:
		b := q.bound(e.Args[0])
		if e.Type == array.F32 || e.Type == q.t || b <= most && (e.Type == array.F64 || e.Type == array.I32 || e.Type == array.I16 || e.Type == array.I64) {
			return b
		}
	case ir.Load:
		from := e.At.Buf.Elem
		if from == q.t {
			return math.Inf(1)
		}
		b := widening[[2]ir.DType{from, q.t}]
		if b == 0 || q.same(e.At) {
			return b
		}
		if _, ok := q.p.wordOf(e.At, 0); !ok || q.p.v%perWord(from) != 0 {
			return 0
		}
		q.widens = true
		return b
	case ir.Add, ir.Sub:
		x, y := q.bound(e.Args[0]), q.bound(e.Args[1])
		if x > 0 && y > 0 && x+y <= most && (e.Type == array.F32 || e.Type == array.I32) {
			return x + y
		}
	}
	return 0
}

// same reports that a load has one value for the elements of a group.
func (q *pairs) same(a *ir.Access) bool {
	fast := q.p.iters[q.p.fast].Var
	return !slices.ContainsFunc(a.Index, func(x *ir.Expr) bool { return x.Uses(fast) })
}

// word spells elements 2w and 2w + 1 of an operand.
func (q *pairs) word(e *ir.Expr, w int) string {
	switch e.Op {
	case ir.Cast:
		return q.word(e.Args[0], w)
	case ir.Load:
		from := e.At.Buf.Elem
		if from != q.t && q.same(e.At) {
			x := q.p.elements(ir.CastTo(array.F32, e), q.at, 2*w, 1)[0]
			return q.p.k.pack(q.t, []string{x, x}, true)
		}
		if from != q.t {
			per := perWord(from) / 2
			s, _ := q.p.wordOf(e.At, w/per)
			return fmt.Sprintf("widen_%s_%s<%d>(%s)", from, q.t, w%per, s)
		}
		if s, ok := q.p.wordOf(e.At, w); ok {
			return s
		}
		return q.p.k.pack(q.t, q.p.elements(e, q.at, 2*w, 2), false)
	case ir.Add:
		return fmt.Sprintf("add_%s(%s, %s)", q.name(), q.word(e.Args[0], w), q.word(e.Args[1], w))
	}
	return fmt.Sprintf("sub_%s(%s, %s)", q.name(), q.word(e.Args[0], w), q.word(e.Args[1], w))
}
