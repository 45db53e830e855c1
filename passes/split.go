package passes

import (
	"tilec/ir"
	"tilec/passes/affine"
)

// split cuts a loop where conditions on its variable stop holding: the first part
// runs without them (no bounds checks, no masks), the second with. Where masks only
// begin to hold at some value, as at the near end of a window, a part with them goes
// ahead. Only innermost loops with contractions are cut.
//
// The variant that assumes nothing stays as it is: it is there for odd sizes, and
// its checks are per element anyhow.
func split(ctx *Context, f *ir.Func) error {
	if len(f.Assumes) == 0 {
		return nil
	}
	f.Body.Rewrite(func(op *ir.Op) []*ir.Op {
		if op.Code == ir.OpFor && op.Loop != ir.Unroll && innermost(op) {
			return splitLoop(op)
		}
		return []*ir.Op{op}
	})
	return nil
}

// innermost reports a loop without loops inside that feeds a matrix unit: there
// an instruction saved pays for the code doubled; loops that wait for memory gain
// nothing.
func innermost(loop *ir.Op) bool {
	inner, contracts := false, false
	loop.Body.Walk(func(op *ir.Op) {
		inner = inner || op.Code == ir.OpFor || op.Code == ir.OpWhile
		contracts = contracts || op.Code == ir.OpContract
	})
	return contracts && !inner
}

func splitLoop(loop *ir.Op) []*ir.Op {
	lo, hi, step := loop.X[0], loop.X[1], loop.X[2]
	if !step.IsConst() || step.Int < 1 {
		return []*ir.Op{loop}
	}
	var limits, starts []*ir.Expr
	known := map[*ir.Expr]bool{}
	outside := definedOutside(loop)
	visit := func(op *ir.Op) {
		extents := map[*ir.Var]int64{}
		for _, it := range op.Iters() {
			if it.Extent.IsConst() {
				extents[it.Var] = it.Extent.Int
			}
		}
		try := func(cond *ir.Expr) {
			for _, c := range ir.Conjuncts(cond) {
				if end := holdsBelow(c, loop.Var, extents, outside); end != nil {
					known[c] = true
					limits = append(limits, end)
				}
			}
		}
		op.Exprs(func(e *ir.Expr) bool {
			switch e.Op {
			case ir.Select:
				try(e.Args[0])
				for _, c := range ir.Conjuncts(e.Args[0]) {
					// a part more pays for masks on all elements only, and steps of one find its end
					if start := holdsFrom(c, loop.Var, extents, outside); start != nil && step.Int == 1 && variesOver(c, extents) {
						known[c] = true
						starts = append(starts, start)
					}
				}
			case ir.Load:
				try(e.At.Guard)
			}
			return true
		})
		for _, s := range op.Src {
			try(s.Guard)
		}
		try(op.Where)
		if op.Code == ir.OpIf {
			try(op.X[0])
		}
	}
	loop.Body.Walk(visit)
	if len(limits) == 0 && len(starts) == 0 {
		return []*ir.Op{loop}
	}
	var parts []*ir.Op
	if len(starts) > 0 {
		start := lo
		for _, l := range distinct(starts) {
			start = ir.Bin(ir.Max, start, l)
		}
		from := &ir.Var{Name: loop.Var.Name + "_from", Type: ir.Index, Kind: ir.LetVar, Span: loop.Span}
		head := partOf(loop, lo, ir.RefTo(from), "edge")
		parts = append(parts, &ir.Op{Code: ir.OpLet, Var: from, X: []*ir.Expr{ir.Bin(ir.Max, ir.Bin(ir.Min, start, hi), lo)}, Span: loop.Span}, head)
		lo = ir.RefTo(from)
	}
	end := hi
	for _, l := range distinct(limits) {
		end = ir.Bin(ir.Min, end, l)
	}
	bound := &ir.Var{Name: loop.Var.Name + "_inner", Type: ir.Index, Kind: ir.LetVar, Span: loop.Span}
	clamped := ir.Bin(ir.Max, end, lo)
	if step.Int != 1 {
		// whole steps from lo, so that the second loop goes on where the first ends
		n := ir.Bin(ir.Div, ir.Bin(ir.Sub, clamped, lo), step)
		clamped = ir.Bin(ir.Add, lo, ir.Bin(ir.Mul, n, step))
	}
	// The copy keeps the conditions; the loop itself loses them.
	last := partOf(loop, ir.RefTo(bound), hi, "edge")
	interior := *loop
	assume(interior.Body, known)
	interior.X = []*ir.Expr{lo, ir.RefTo(bound), step}
	interior.Note = joinNote(loop.Note, "interior")
	return append(parts, &ir.Op{Code: ir.OpLet, Var: bound, X: []*ir.Expr{clamped}, Span: loop.Span}, &interior, last)
}

// partOf is a copy of a loop over part of its range.
func partOf(loop *ir.Op, lo, hi *ir.Expr, note string) *ir.Op {
	part, v := *loop, *loop.Var
	part.Var = &v
	part.Body = loop.Body.CloneWith(map[*ir.Var]*ir.Expr{loop.Var: ir.RefTo(&v)})
	part.X = []*ir.Expr{lo, hi, loop.X[2]}
	part.Note = joinNote(loop.Note, note)
	return &part
}

// variesOver reports a condition that depends on an iteration variable.
func variesOver(c *ir.Expr, extents map[*ir.Var]int64) bool {
	found := false
	c.Walk(func(x *ir.Expr) bool {
		if x.Op == ir.Ref {
			_, ok := extents[x.Var]
			found = found || ok
		}
		return !found
	})
	return found
}

// assume replaces conditions that are known to hold and what hangs on them.
func assume(b *ir.Block, known map[*ir.Expr]bool) {
	var out []*ir.Op
	for _, op := range b.Ops {
		op.MapExprs(func(e *ir.Expr) *ir.Expr {
			if known[e] {
				return ir.BoolOf(true)
			}
			e = foldNode(e)
			if e.Op == ir.Load && e.At.Guard != nil && e.At.Guard.IsInt(1) {
				c := *e
				at := *e.At
				at.Guard, at.Else = nil, nil
				c.At = &at
				return &c
			}
			return e
		})
		for i, s := range op.Src {
			if s.Guard != nil && s.Guard.IsInt(1) {
				at := *s
				at.Guard, at.Else = nil, nil
				op.Src[i] = &at
			}
		}
		if op.Where != nil && op.Where.IsInt(1) {
			op.Where = nil
		}
		if op.Body != nil {
			assume(op.Body, known)
		}
		if op.Else != nil {
			assume(op.Else, known)
		}
		if op.Code == ir.OpIf && op.X[0].IsInt(1) {
			out = append(out, op.Body.Ops...)
			continue
		}
		out = append(out, op)
	}
	b.Ops = out
}

func joinNote(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// definedOutside returns a test for scalars whose value the loop does not change.
func definedOutside(loop *ir.Op) func(*ir.Var) bool {
	inside := map[*ir.Var]bool{loop.Var: true}
	loop.Body.Walk(func(op *ir.Op) {
		if op.Var != nil {
			inside[op.Var] = true
		}
		for _, it := range op.Iters() {
			inside[it.Var] = true
		}
	})
	return func(v *ir.Var) bool { return !inside[v] }
}

// holdsBelow returns the end of the values of k for which c holds at every point
// of the operation's domain, as an expression of outside scalars: c holds for
// all k below it. It is nil when c is not such a condition.
func holdsBelow(c *ir.Expr, k *ir.Var, extents map[*ir.Var]int64, outside func(*ir.Var) bool) *ir.Expr {
	// a*k + most + rest < 0, or <= 0
	l, strict := difference(c, k, extents, outside)
	if l == nil || l.coef <= 0 {
		return nil
	}
	// strict: a*k < -(most+rest); else a*k < 1-(most+rest)
	bound := ir.Bin(ir.Sub, l.negRest(), ir.Int(l.most))
	if !strict {
		bound = ir.Bin(ir.Add, bound, ir.Int(1))
	}
	if l.coef > 1 {
		bound = ir.Bin(ir.Div, ir.Bin(ir.Add, bound, ir.Int(l.coef-1)), ir.Int(l.coef))
	}
	return fold(bound)
}

// holdsFrom returns the first of the values of k from which on c holds at every point of the
// operation's domain; nil when c is not such a condition.
func holdsFrom(c *ir.Expr, k *ir.Var, extents map[*ir.Var]int64, outside func(*ir.Var) bool) *ir.Expr {
	// -a*k + most + rest < 0, or <= 0
	l, strict := difference(c, k, extents, outside)
	if l == nil || l.coef >= 0 {
		return nil
	}
	// strict: a*k >= most+rest+1; else a*k >= most+rest; rounded up
	first := l.most - l.coef - 1
	if strict {
		first++
	}
	return fold(ir.Bin(ir.Div, ir.Bin(ir.Sub, ir.Int(first), l.negRest()), ir.Int(-l.coef)))
}

// difference is x - y of a condition x < y, or x <= y if it is not strict; nil of other
// conditions.
func difference(c *ir.Expr, k *ir.Var, extents map[*ir.Var]int64, outside func(*ir.Var) bool) (l *linear, strict bool) {
	if len(c.Args) != 2 || c.Args[0].Type != ir.Index {
		return nil, false
	}
	x, y := c.Args[0], c.Args[1]
	switch c.Op {
	case ir.Lt:
		strict = true
	case ir.Le:
	case ir.Gt:
		x, y, strict = y, x, true
	case ir.Ge:
		x, y = y, x
	default:
		return nil, false
	}
	l = &linear{k: k, extents: extents, outside: outside}
	if !l.add(x, 1) || !l.add(y, -1) {
		return nil, false
	}
	return l, strict
}

// linear adds up an affine expression: coef*k + (at most) most + the outside terms.
type linear struct {
	k       *ir.Var
	extents map[*ir.Var]int64
	outside func(*ir.Var) bool
	coef    int64
	most    int64
	plus    []*ir.Expr
	minus   []*ir.Expr
}

func (l *linear) add(e *ir.Expr, by int64) bool {
	switch e.Op {
	case ir.Const:
		l.most += by * e.Int
		return true
	case ir.Add:
		return l.add(e.Args[0], by) && l.add(e.Args[1], by)
	case ir.Sub:
		return l.add(e.Args[0], by) && l.add(e.Args[1], -by)
	case ir.Neg:
		return l.add(e.Args[0], -by)
	case ir.Mul:
		if e.Args[1].IsConst() {
			return l.add(e.Args[0], by*e.Args[1].Int)
		}
		if e.Args[0].IsConst() {
			return l.add(e.Args[1], by*e.Args[0].Int)
		}
	case ir.Ref:
		if e.Var == l.k {
			l.coef += by
			return true
		}
		if n, ok := l.extents[e.Var]; ok {
			if by > 0 {
				l.most += by * max(n-1, 0)
			}
			return true
		}
	}
	ok := true
	e.Walk(func(x *ir.Expr) bool {
		ok = ok && x.Op != ir.Load && (x.Op != ir.Ref || l.outside(x.Var))
		return ok
	})
	if !ok {
		return false
	}
	term := e
	if n := max(by, -by); n != 1 {
		term = ir.Bin(ir.Mul, e, ir.Int(n))
	}
	if by > 0 {
		l.plus = append(l.plus, term)
	} else {
		l.minus = append(l.minus, term)
	}
	return true
}

// negRest is minus the outside terms.
func (l *linear) negRest() *ir.Expr {
	var sum *ir.Expr
	for _, m := range l.minus {
		if sum == nil {
			sum = m
		} else {
			sum = ir.Bin(ir.Add, sum, m)
		}
	}
	if sum == nil {
		sum = ir.Int(0)
	}
	for _, p := range l.plus {
		sum = ir.Bin(ir.Sub, sum, p)
	}
	return sum
}

// distinct drops limits that are equal to an earlier one.
func distinct(es []*ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for _, e := range es {
		same := false
		for _, o := range out {
			same = same || affine.Same(e, o)
		}
		if !same {
			out = append(out, e)
		}
	}
	return out
}
