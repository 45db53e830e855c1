package passes

import (
	"math"

	"tilec/ir"
	"tilec/passes/affine"
	"tilec/runtime/array"
)

// maxRounds bounds how often simplify starts over: a round that drops code may
// make more of it useless.
const maxRounds = 4

// simplify shortens expressions by algebra and by what is known of the ranges
// of scalars, drops conditions that always hold, branches that never run and
// code without effect, and moves scalars out of loops that don't change them.
func simplify(ctx *Context, f *ir.Func) error {
	for range maxRounds {
		s := &simplifier{p: Knowing(f), values: map[*ir.Var]*ir.Expr{}}
		s.block(f.Body)
		changed := s.changed
		changed = dropOverwritten(f.Body) || changed
		changed = dropDead(f) || changed
		changed = hoist(f.Body) || changed
		if !changed {
			break
		}
	}
	return nil
}

type simplifier struct {
	p *affine.Prover
	// values are what lets stand for: constants and other scalars.
	values map[*ir.Var]*ir.Expr
	// changed: operations came or went, which may make more of them useless.
	changed bool
}

// Knowing returns a prover that knows what holds for the whole of f.
func Knowing(f *ir.Func) *affine.Prover {
	p := affine.New()
	for _, d := range f.Dims {
		p.Dim(d.Var)
	}
	for _, a := range f.Assumes {
		if a.Multiple != nil && a.Multiple.Op == ir.Ref && a.Multiple.Var.Kind == ir.DimVar {
			p.Multiple(a.Multiple, a.Of)
		}
	}
	for _, r := range f.Requires {
		p.Assume(r.Cond)
	}
	for _, it := range f.Grid {
		p.Range(it.Var, ir.Int(0), it.Extent)
	}
	return p
}

// Settled reports that the value of e doesn't change from one statement to the
// next.
func Settled(e *ir.Expr) bool {
	ok := true
	e.Walk(func(x *ir.Expr) bool {
		ok = ok && x.Op != ir.Load && (x.Op != ir.Ref || x.Var.Kind != ir.MutVar)
		return ok
	})
	return ok
}

// expr simplifies an expression under what the prover knows.
func (s *simplifier) expr(e *ir.Expr) *ir.Expr {
	if e == nil {
		return nil
	}
	switch e.Op {
	case ir.Const:
		return e
	case ir.Ref:
		if v, ok := s.values[e.Var]; ok {
			return v
		}
		if e.Type == array.Bool {
			return s.ranged(e)
		}
		return e
	case ir.Load:
		at, never := s.access(e.At)
		if never {
			s.changed = true
			return at.Otherwise()
		}
		if at == e.At {
			return e
		}
		n := *e
		n.At = at
		return &n
	}
	n := s.operands(e)
	for {
		m := Identity(n)
		if m == n {
			break
		}
		n = m
	}
	n = s.ranged(n)
	if n == e || affine.Same(n, e) {
		return e
	}
	return n
}

// elseOf is what a guarded load gives outside.
// operands simplifies the operands of e, those that are evaluated under a
// condition under what it says.
func (s *simplifier) operands(e *ir.Expr) *ir.Expr {
	n := e
	set := func(i int, x *ir.Expr) {
		if x == e.Args[i] {
			return
		}
		if n == e {
			c := *e
			c.Args = append([]*ir.Expr(nil), e.Args...)
			n = &c
		}
		n.Args[i] = x
	}
	under := func(i int, know func()) {
		mark := s.p.Mark()
		know()
		set(i, s.expr(e.Args[i]))
		s.p.Release(mark)
	}
	if len(e.Args) == 0 {
		return e
	}
	set(0, s.expr(e.Args[0]))
	first := n.Args[0]
	switch e.Op {
	case ir.Select:
		under(1, func() { s.p.Assume(first) })
		under(2, func() { s.p.Refute(first) })
	case ir.And:
		under(1, func() { s.p.Assume(first) })
	case ir.Or:
		under(1, func() { s.p.Refute(first) })
	default:
		for i := 1; i < len(e.Args); i++ {
			set(i, s.expr(e.Args[i]))
		}
	}
	return n
}

// ranged simplifies a node, its operands simple already, by what is known about
// the ranges of its operands.
func (s *simplifier) ranged(e *ir.Expr) *ir.Expr {
	if e.Op == ir.Const || e.Op == ir.Load {
		return e
	}
	switch {
	case e.Op == ir.And || e.Op == ir.Or || e.Op == ir.Not || e.Op == ir.Select:
		return e // decided by their operands
	case e.Type == array.Bool:
		if value, known := s.p.Decide(e); known {
			return ir.BoolOf(value)
		}
	case (e.Op == ir.Min || e.Op == ir.Max) && e.Type.IsInt():
		x, y := e.Args[0], e.Args[1]
		switch greatest := e.Op == ir.Max; {
		case s.p.AtLeast(x, y):
			return pick(greatest, x, y)
		case s.p.AtLeast(y, x):
			return pick(greatest, y, x)
		}
	case e.Op == ir.Cast && e.Type == ir.Index:
		if x := s.uncut(e.Args[0]); x != nil {
			return x
		}
	}
	if e.Type == ir.Index {
		return s.p.Simplify(e)
	}
	return e
}

func pick(first bool, x, y *ir.Expr) *ir.Expr {
	if first {
		return x
	}
	return y
}

// uncut returns x for a conversion of index x to a narrower type that it fits.
func (s *simplifier) uncut(e *ir.Expr) *ir.Expr {
	if e.Op != ir.Cast || e.Args[0].Type != ir.Index || !e.Type.IsInt() || e.Type.Bits() >= 64 {
		return nil
	}
	x, n := e.Args[0], e.Type.Bits()
	lo, hi := int64(math.MinInt64)>>(64-n), int64(math.MaxInt64)>>(64-n)
	if e.Type.IsUnsigned() {
		lo, hi = 0, 1<<n-1
	}
	if s.p.AtLeast(x, ir.Int(lo)) && s.p.AtLeast(ir.Int(hi), x) {
		return x
	}
	return nil
}

// conjuncts simplifies a condition conjunct by conjunct, each under the ones
// before, and leaves them assumed. Those for which keep is false are passed
// over. It returns what is left, nil for nothing; never says that the condition
// can't hold.
func (s *simplifier) conjuncts(cond *ir.Expr) (left *ir.Expr, never bool) {
	if cond == nil {
		return nil, false
	}
	old := ir.Conjuncts(cond)
	var kept []*ir.Expr
	same := true
	for _, c := range old {
		n := s.expr(c)
		switch {
		case n.IsInt(1):
			same = false
			continue
		case n.IsInt(0):
			return cond, true
		}
		same = same && n == c
		s.p.Assume(n)
		kept = append(kept, n)
	}
	if same {
		return cond, false
	}
	return ir.Conj(kept...), false
}

// access simplifies a read; never says that its guard can't hold.
func (s *simplifier) access(a *ir.Access) (out *ir.Access, never bool) {
	mark := s.p.Mark()
	guard, never := s.conjuncts(a.Guard)
	out = s.indexed(a, guard)
	s.p.Release(mark)
	switch {
	case guard == nil && a.Else != nil:
		out = copyAccess(out, a)
		out.Else = nil
	case a.Else != nil:
		if x := s.expr(a.Else); x != a.Else {
			out = copyAccess(out, a)
			out.Else = x
		}
	}
	return out, never
}

// indexed simplifies the indices of a, whose guard becomes the given one.
func (s *simplifier) indexed(a *ir.Access, guard *ir.Expr) *ir.Access {
	out := a
	if guard != a.Guard {
		out = copyAccess(out, a)
		out.Guard = guard
	}
	for d, x := range a.Index {
		if n := s.expr(x); n != x {
			out = copyAccess(out, a)
			out.Index[d] = n
		}
	}
	return out
}

// copyAccess returns a copy of original, or a itself if it is one already.
func copyAccess(a, original *ir.Access) *ir.Access {
	if a != original {
		return a
	}
	c := *a
	c.Index = append([]*ir.Expr(nil), a.Index...)
	return &c
}
