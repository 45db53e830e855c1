package passes

import (
	"tilec/ir"
	"tilec/passes/affine"
)

// split cuts a loop in two where conditions on its variable stop holding: the
// first part runs without them (no bounds checks, no masks), the second with.
// Only innermost loops with contractions are cut, and only at conditions that are
// true for small values of the variable and false for large ones.
//
// The variant that assumes nothing stays as it is: it is there for odd sizes, and
// its checks are per element anyhow.
func split(ctx *Context, f *ir.Func) error {
	if len(f.Assumes) == 0 {
		return nil
	}
	splitBlock(f.Body)
	return nil
}

func splitBlock(b *ir.Block) {
	if b == nil {
		return
	}
	var out []*ir.Op
	for _, op := range b.Ops {
		splitBlock(op.Body)
		splitBlock(op.Else)
		if op.Code == ir.OpFor && op.Loop != ir.Unroll && innermost(op) {
			out = append(out, splitLoop(op)...)
			continue
		}
		out = append(out, op)
	}
	b.Ops = out
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
	var limits []*ir.Expr
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
	if len(limits) == 0 {
		return []*ir.Op{loop}
	}
	end := hi
	for _, l := range distinct(limits) {
		end = ir.Bin(ir.Min, end, l)
	}
	bound := &ir.Var{Name: loop.Var.Name + "_inner", Type: ir.Index, Kind: ir.LetVar, Span: loop.Span}
	clamped := ir.Bin(ir.Max, end, lo)
	// The copy keeps the conditions; the loop itself loses them.
	secondVar := *loop.Var
	first, second := *loop, *loop
	second.Var = &secondVar
	second.Body = loop.Body.CloneWith(map[*ir.Var]*ir.Expr{loop.Var: ir.RefTo(&secondVar)})
	assume(first.Body, known)
	if step.Int != 1 {
		// whole steps from lo, so that the second loop goes on where the first ends
		n := ir.Bin(ir.Div, ir.Bin(ir.Sub, clamped, lo), step)
		clamped = ir.Bin(ir.Add, lo, ir.Bin(ir.Mul, n, step))
	}
	first.X = []*ir.Expr{lo, ir.RefTo(bound), step}
	second.X = []*ir.Expr{ir.RefTo(bound), hi, step}
	first.Note, second.Note = joinNote(loop.Note, "interior"), joinNote(loop.Note, "edge")
	return []*ir.Op{{Code: ir.OpLet, Var: bound, X: []*ir.Expr{clamped}, Span: loop.Span}, &first, &second}
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
	if len(c.Args) != 2 || c.Args[0].Type != ir.Index {
		return nil
	}
	x, y := c.Args[0], c.Args[1]
	strict := false
	switch c.Op {
	case ir.Lt:
		strict = true
	case ir.Le:
	case ir.Gt:
		x, y, strict = y, x, true
	case ir.Ge:
		x, y = y, x
	default:
		return nil
	}
	// x - y < 0 (or <= 0): a*k + most + rest
	l := &linear{k: k, extents: extents, outside: outside}
	if !l.add(x, 1) || !l.add(y, -1) || l.coef <= 0 {
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
