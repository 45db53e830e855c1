package ascend

import (
	"maps"

	"tilec/ir"
	"tilec/runtime/array"
)

// choice lowers a select so that its condition is one comparison of floats, which the vector unit chooses by.
func (s *stepper) choice(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	c, a, b := x.Args[0], x.Args[1], x.Args[2]
	switch {
	case s.plain(dom, c):
		return s.uniform(dom, x)
	case isScalar(dom, c):
		return s.uniform(dom, ir.SelectOf(s.scalarLoads(dom, s.scalar(c)), a, b))
	case condition(c) != nil:
		return s.operands(dom, ir.SelectOf(condition(c), a, b))
	case c.Op == ir.Select:
		return s.operands(dom, ir.SelectOf(c.Args[0], ir.SelectOf(c.Args[1], a, b), ir.SelectOf(c.Args[2], a, b)))
	case c.Op == ir.And:
		return s.operands(dom, ir.SelectOf(c.Args[0], ir.SelectOf(c.Args[1], a, b), b))
	case c.Op == ir.Or:
		return s.operands(dom, ir.SelectOf(c.Args[0], a, ir.SelectOf(c.Args[1], a, b)))
	case c.Op == ir.Not:
		return s.operands(dom, ir.SelectOf(c.Args[0], b, a))
	}
	if opposite, ok := map[ir.ExprOp]ir.ExprOp{ir.Eq: ir.Ne, ir.Ne: ir.Eq}[c.Op]; ok && s.plain(dom, a) && !s.plain(dom, b) {
		// a scalar stands as the second value
		if other := ir.Bin(opposite, c.Args[0], c.Args[1]); condition(other) == nil {
			return s.choice(dom, ir.SelectOf(other, b, a))
		}
	}
	n := *x
	sub := within(dom, x)
	n.Args = []*ir.Expr{s.comparison(dom, c), s.under(dom, sub, c, a), s.under(dom, sub, ir.Un(ir.Not, c), b)}
	return &n
}

// under lowers an arm of a choice, made at the points of sub, which matters where its condition holds, and what it reads is there only then.
func (s *stepper) under(dom, sub []ir.Iter, c, x *ir.Expr) *ir.Expr {
	where, memo := s.where, s.memo
	s.where, s.memo = ir.Conj(where, positive(c)), maps.Clone(memo)
	x = s.operand(dom, x)
	if x.Op == ir.Load && !x.At.Buf.Outside() && !isScalar(dom, x) && len(within(dom, x)) < len(sub) {
		x = s.full(sub, x, false) // while its condition is known: it may not be there elsewhere
	}
	s.where, s.memo = where, memo
	return x
}

// positive spells the negation of a comparison of whole numbers as a comparison, as ranges are read from those.
func positive(c *ir.Expr) *ir.Expr {
	if c.Op != ir.Not || c.Args[0].Op.Info().Flags&ir.Compares == 0 || c.Args[0].Args[0].Type.IsFloat() {
		return c
	}
	opposite := map[ir.ExprOp]ir.ExprOp{ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Le: ir.Gt, ir.Gt: ir.Le, ir.Eq: ir.Ne, ir.Ne: ir.Eq}
	x := c.Args[0]
	return ir.Bin(opposite[x.Op], x.Args[0], x.Args[1])
}

// uniform lowers a select whose condition is the same at every point: the scalar unit decides.
func (s *stepper) uniform(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	sub := within(dom, x)
	if len(sub) == 0 {
		return x
	}
	t := s.temp(sub, x.Type)
	branch := func(v *ir.Expr) *ir.Block {
		saved := s.out
		s.out = nil
		memo := s.memo
		s.memo = map[string]*ir.Expr{} // what one branch computes the other has not
		s.into(sub, t, v)
		s.memo = memo
		b := &ir.Block{Ops: s.out}
		s.out = saved
		return b
	}
	s.emit(&ir.Op{Code: ir.OpIf, X: []*ir.Expr{x.Args[0]}, Body: branch(x.Args[1]), Else: branch(x.Args[2])})
	return ir.LoadAt(t)
}

// comparison lowers a condition to a comparison of f32 where it can.
func (s *stepper) comparison(dom []ir.Iter, c *ir.Expr) *ir.Expr {
	if c.Op.Info().Flags&ir.Compares == 0 {
		n := *c
		n.Args = nil
		for _, a := range c.Args {
			n.Args = append(n.Args, s.operand(dom, a))
		}
		return &n
	}
	x, y := c.Args[0], c.Args[1]
	if x.Type == ir.Index && s.affine(dom, x) && s.affine(dom, y) {
		return s.affineComparison(dom, c)
	}
	if x.Type.IsFloat() && x.Type.Bits() < 32 || x.Type == array.I8 || x.Type == array.U8 || x.Type == array.I16 {
		x, y = ir.CastTo(array.F32, x), ir.CastTo(array.F32, y)
	}
	a, b := s.operand(dom, x), s.operand(dom, y)
	if x.Type == array.I32 { // nothing compares those with a scalar
		return ir.Bin(c.Op, s.full(dom, a, false), s.full(dom, b, false))
	}
	op := c.Op
	if isScalar(dom, a) && a.Op != ir.Load && !isScalar(dom, b) { // a scalar stands on the right
		flipped := map[ir.ExprOp]ir.ExprOp{ir.Lt: ir.Gt, ir.Le: ir.Ge, ir.Gt: ir.Lt, ir.Ge: ir.Le, ir.Eq: ir.Eq, ir.Ne: ir.Ne}
		a, b, op = b, a, flipped[op]
	}
	return ir.Bin(op, a, b)
}

// parts splits an index value into a sum of indices of the domain, each with its factor, and the rest. It is not ok where the value is
// not such a sum.
func parts(dom []ir.Iter, x *ir.Expr) (factors []int64, rest *ir.Expr, ok bool) {
	factors = make([]int64, len(dom))
	if !uses(x, dom) {
		return factors, x, true
	}
	switch x.Op {
	case ir.Ref:
		for i, it := range dom {
			if it.Var == x.Var {
				factors[i] = 1
			}
		}
		return factors, ir.Int(0), true
	case ir.Add, ir.Sub:
		f, r, ok1 := parts(dom, x.Args[0])
		g, q, ok2 := parts(dom, x.Args[1])
		if !ok1 || !ok2 {
			return nil, nil, false
		}
		sign := int64(1)
		if x.Op == ir.Sub {
			sign = -1
		}
		for i := range f {
			f[i] += sign * g[i]
		}
		switch {
		case q.IsInt(0):
			return f, r, true
		case r.IsInt(0) && sign > 0:
			return f, q, true
		}
		return f, ir.Bin(x.Op, r, q), true
	case ir.Mul:
		for i := range 2 {
			if c := x.Args[1-i]; c.IsConst() {
				f, r, ok := parts(dom, x.Args[i])
				if !ok {
					return nil, nil, false
				}
				for k := range f {
					f[k] *= c.Int
				}
				return f, ir.Times(r, c), true
			}
		}
	}
	return nil, nil, false
}

// mostExact bounds whole numbers that f32 holds exactly.
const mostExact = 1 << 24

// affine reports an index value that is such a sum, small enough for f32 but for the rest.
func (s *stepper) affine(dom []ir.Iter, x *ir.Expr) bool {
	f, rest, ok := parts(dom, x)
	if !ok || !s.plain(dom, rest) {
		return false
	}
	most := int64(0)
	for i, c := range f {
		most += max(c, -c) * (dom[i].Extent.Int - 1)
	}
	return most < mostExact/2
}

// affineComparison compares the sum of the indices, in f32, with what the rest leaves; the rest is clamped to where f32 is exact,
// beyond every value of the sum.
func (s *stepper) affineComparison(dom []ir.Iter, c *ir.Expr) *ir.Expr {
	f, p, _ := parts(dom, c.Args[0])
	g, q, _ := parts(dom, c.Args[1])
	for i := range f {
		f[i] -= g[i]
	}
	limit := ir.Bin(ir.Sub, q, p)
	if p.IsInt(0) {
		limit = q
	}
	limit = ir.Bin(ir.Min, ir.Bin(ir.Max, limit, ir.Int(-mostExact)), ir.Int(mostExact))
	return ir.Bin(c.Op, s.sum(dom, f), ir.CastTo(array.F32, limit))
}

// affineFloat is an index value in f32: the rest may be large, and rounds as the value itself would where it is exact.
func (s *stepper) affineFloat(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	f, rest, _ := parts(dom, x)
	sum := s.sum(dom, f)
	if rest.IsInt(0) {
		return sum
	}
	return ir.Bin(ir.Add, sum, ir.CastTo(array.F32, rest))
}

// sum adds up indices in f32.
func (s *stepper) sum(dom []ir.Iter, factors []int64) *ir.Expr {
	var sum *ir.Expr
	for i, c := range factors {
		if c == 0 {
			continue
		}
		v := s.ramp(dom[i])
		if c != 1 {
			v = s.step(dom, ir.Bin(ir.Mul, v, f32(float64(c))))
		}
		if sum == nil {
			sum = v
		} else {
			sum = s.step(dom, ir.Bin(ir.Add, sum, v))
		}
	}
	if sum == nil {
		return f32(0)
	}
	return sum
}

// index is an index of the domain as a value of its own type.
func (s *stepper) index(dom []ir.Iter, x *ir.Expr) *ir.Expr {
	sub := within(dom, x)
	t := s.temp(sub, x.Type)
	s.scalarLoop(&ir.Op{Code: ir.OpMap, Dom: sub, Dst: t, X: []*ir.Expr{x}, Span: s.span})
	return ir.LoadAt(t)
}

// ramp is the tile 0, 1, 2, … of an index, in f32: eight by the scalar unit, then doubled by the vector unit.
func (s *stepper) ramp(it ir.Iter) *ir.Expr {
	n := int(it.Extent.Int)
	key := "ramp " + it.Var.Name + it.Extent.String()
	if v := s.memo[key]; v != nil {
		return ir.LoadAt(&ir.Access{Buf: v.At.Buf, Index: []*ir.Expr{ir.RefTo(it.Var)}})
	}
	once := n <= longestKept
	if once {
		if t := s.ramps[n]; t != nil {
			return ir.LoadAt(&ir.Access{Buf: t, Index: []*ir.Expr{ir.RefTo(it.Var)}})
		}
		saved := s.out
		s.out = nil
		defer func() {
			s.head = append(s.head, s.out...)
			s.out = saved
		}()
	}
	t := &ir.Buffer{Name: it.Var.Name + "_index", Elem: array.F32, Kind: ir.Tile, Temp: true, Span: s.span, Shape: []*ir.Expr{it.Extent}}
	s.emit(&ir.Op{Code: ir.OpAlloc, Buf: t})
	for have := 0; have < n; {
		v := &ir.Var{Name: "o", Type: ir.Index, Kind: ir.IterVar}
		op := &ir.Op{Code: ir.OpMap, Span: s.span}
		if have == 0 {
			op.Dom = []ir.Iter{{Var: v, Extent: ir.Int(int64(min(8, n)))}}
			op.Dst = &ir.Access{Buf: t, Index: []*ir.Expr{ir.RefTo(v)}}
			op.X = []*ir.Expr{ir.CastTo(array.F32, ir.RefTo(v))}
			s.scalarLoop(op)
			have = min(8, n)
			continue
		}
		more := min(have, n-have)
		op.Dom = []ir.Iter{{Var: v, Extent: ir.Int(int64(more))}}
		op.Dst = &ir.Access{Buf: t, Index: []*ir.Expr{ir.Bin(ir.Add, ir.RefTo(v), ir.Int(int64(have)))}}
		op.X = []*ir.Expr{ir.Bin(ir.Add, ir.LoadAt(&ir.Access{Buf: t, Index: []*ir.Expr{ir.RefTo(v)}}), f32(float64(have)))}
		if !s.vector(op) {
			s.scalarLoop(op)
		}
		have += more
	}
	v := ir.LoadAt(&ir.Access{Buf: t, Index: []*ir.Expr{ir.RefTo(it.Var)}})
	if once {
		s.ramps[n] = t
	} else {
		s.memo[key] = v
	}
	return v
}

// fenced is a tensor's element as read under conditions that tiles hold: where those do not hold it may lie outside, and is zero.
func (s *stepper) fenced(dom []ir.Iter, a *ir.Access) *ir.Access {
	if a.Guard != nil || !a.Buf.Kind.IsTensor() || !readsTile(s.where) {
		return a
	}
	n := *a
	for d, x := range a.Index {
		for _, c := range []*ir.Expr{ir.Bin(ir.Ge, x, ir.Int(0)), ir.Bin(ir.Lt, x, a.Buf.Shape[d])} {
			if !s.knows.holds(dom, c) {
				n.Guard = ir.Conj(n.Guard, c)
			}
		}
	}
	return &n
}

// longestKept bounds the ramps that are made once, before everything: the scalar unit, which begins them, then need not wait for the
// vector unit in any loop.
const longestKept = 1024
