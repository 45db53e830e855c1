package lower

import (
	"math"

	"tilec/ir"
	"tilec/runtime/array"
)

// interval is the integers from lo to hi; the extreme values stand for no bound.
type interval struct{ lo, hi int64 }

const (
	minusInf = math.MinInt64
	plusInf  = math.MaxInt64
)

var anything = interval{minusInf, plusInf}

// facts are what is known about scalars.
type facts struct {
	within map[*ir.Var]interval
	below  map[*ir.Var]*ir.Expr // v < below[v]
	value  map[*ir.Var]*ir.Expr // of lets
	// multiples are pairs: the first is a multiple of the second.
	multiples [][2]*ir.Expr
}

func newFacts() *facts {
	return &facts{within: map[*ir.Var]interval{}, below: map[*ir.Var]*ir.Expr{}, value: map[*ir.Var]*ir.Expr{}}
}

// let records the value of an index scalar.
func (f *facts) let(v *ir.Var, x *ir.Expr) {
	if v.Type == ir.Index {
		f.within[v] = f.of(x)
		f.value[v] = x
	}
}

// require records what follows from a condition that the launcher checks:
// divisors are positive (see lowerer.require) and X % Y == 0.
func (f *facts) require(cond *ir.Expr) {
	for _, c := range ir.Conjuncts(cond) {
		switch {
		case c.Op == ir.Lt && isInt(c.Args[0], 0) && c.Args[1].Op == ir.Ref:
			v := c.Args[1].Var
			f.within[v] = interval{max(f.of(c.Args[1]).lo, 1), f.of(c.Args[1]).hi}
		case c.Op == ir.Eq && c.Args[0].Op == ir.Mod && isInt(c.Args[1], 0):
			f.multiples = append(f.multiples, [2]*ir.Expr{c.Args[0].Args[0], c.Args[0].Args[1]})
		}
	}
}

func (f *facts) isMultiple(x, of *ir.Expr) bool {
	for _, m := range f.multiples {
		if same(m[0], x) && same(m[1], of) {
			return true
		}
	}
	return false
}

// index records that v runs over 0 .. extent.
func (f *facts) index(v *ir.Var, extent *ir.Expr) {
	hi := f.of(extent).hi
	if hi != plusInf {
		hi = max(hi-1, 0)
	}
	f.within[v] = interval{0, hi}
	f.below[v] = extent
}

// isBelow reports whether e < limit is certain.
func (f *facts) isBelow(e, limit *ir.Expr) bool {
	if a, b := f.of(e), f.of(limit); a.hi != plusInf && b.lo != minusInf && a.hi < b.lo {
		return true
	}
	switch e.Op {
	case ir.Ref:
		if b := f.below[e.Var]; b != nil && same(b, limit) {
			return true
		}
		return f.value[e.Var] != nil && f.isBelow(f.value[e.Var], limit)
	case ir.Mul:
		// x < ceildiv(limit, n) gives x*n < limit.
		x, n := e.Args[0], e.Args[1]
		return x.Op == ir.Ref && n.IsConst() && n.Int > 0 && f.below[x.Var] != nil && same(f.below[x.Var], ceilDiv(limit, n))
	case ir.Div:
		x, y := e.Args[0], e.Args[1]
		switch {
		case limit.Op == ir.Div && same(limit.Args[1], y) && f.of(y).lo > 0 && f.isMultiple(limit.Args[0], y):
			// x < a·y gives x/y < a.
			return f.isBelow(x, limit.Args[0])
		case y.Op == ir.Div && same(y.Args[1], limit) && f.of(limit).lo > 0 && f.isMultiple(y.Args[0], limit):
			// x < a·limit gives x/a < limit.
			return f.isBelow(x, y.Args[0])
		}
	}
	return false
}

// fixed returns the value of an index that has only one, such as one that runs
// over a single point; otherwise e.
func (f *facts) fixed(e *ir.Expr) *ir.Expr {
	if e.Op == ir.Ref && e.Type == ir.Index {
		if in, ok := f.within[e.Var]; ok && in.lo == in.hi {
			return ir.Int(in.lo)
		}
	}
	return e
}

// notNegative reports whether 0 <= e is certain.
func (f *facts) notNegative(e *ir.Expr) bool { return f.of(e).lo >= 0 }

// of bounds an index expression; arithmetic that leaves 63 bits is the
// program's own fault and not considered.
func (f *facts) of(e *ir.Expr) interval {
	switch e.Op {
	case ir.Const:
		return interval{e.Int, e.Int}
	case ir.Ref:
		if in, ok := f.within[e.Var]; ok {
			return in
		}
		return typeInterval(e.Type)
	case ir.Load:
		return typeInterval(e.Type)
	case ir.Cast:
		if from := e.Args[0].Type; from.IsInt() && e.Type == ir.Index && from != array.U64 {
			return f.of(e.Args[0])
		}
		return typeInterval(e.Type)
	case ir.Select:
		a, b := f.of(e.Args[1]), f.of(e.Args[2])
		return interval{min(a.lo, b.lo), max(a.hi, b.hi)}
	}
	if e.Type != ir.Index || len(e.Args) != 2 {
		return typeInterval(e.Type)
	}
	return combine(e.Op, f.of(e.Args[0]), f.of(e.Args[1]))
}

func combine(op ir.ExprOp, a, b interval) interval {
	switch op {
	case ir.Add:
		return interval{addLo(a.lo, b.lo), addHi(a.hi, b.hi)}
	case ir.Sub:
		return interval{addLo(a.lo, negate(b.hi)), addHi(a.hi, negate(b.lo))}
	case ir.Mul:
		if a.lo >= 0 && b.lo >= 0 {
			return interval{mulSat(a.lo, b.lo), mulSat(a.hi, b.hi)}
		}
	case ir.Div:
		// A division by zero gives 0.
		if a.lo >= 0 && b.lo >= 0 {
			r := interval{0, a.hi}
			if b.lo > 0 && a.hi != plusInf {
				r.hi = a.hi / b.lo
			}
			if b.lo > 0 && b.hi != plusInf {
				r.lo = a.lo / b.hi
			}
			return r
		}
	case ir.Mod:
		if b.lo >= 0 {
			r := interval{0, plusInf}
			if b.hi != plusInf {
				r.hi = max(b.hi-1, 0)
			}
			return r
		}
	case ir.Min:
		return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
	case ir.Max:
		return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
	case ir.BitAnd:
		if a.lo >= 0 && b.lo >= 0 {
			return interval{0, min(a.hi, b.hi)}
		}
	case ir.Shr:
		if a.lo >= 0 {
			return interval{0, a.hi}
		}
	}
	return anything
}

// typeInterval is the values of an integer type.
func typeInterval(t ir.DType) interval {
	n := t.Bits()
	switch {
	case t == array.Bool:
		return interval{0, 1}
	case t.IsSigned() && n < 64:
		return interval{-1 << (n - 1), 1<<(n-1) - 1}
	case t.IsUnsigned() && n < 64:
		return interval{0, 1<<n - 1}
	}
	return anything
}

func negate(a int64) int64 {
	switch a {
	case minusInf:
		return plusInf
	case plusInf:
		return minusInf
	}
	return -a
}

func addLo(a, b int64) int64 {
	c := a + b
	if a == minusInf || b == minusInf || a < 0 && b < 0 && c >= 0 {
		return minusInf
	}
	if a == plusInf || b == plusInf || a > 0 && b > 0 && c < 0 {
		return plusInf
	}
	return c
}

func addHi(a, b int64) int64 { return negate(addLo(negate(a), negate(b))) }

// mulSat multiplies numbers that are not negative.
func mulSat(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a == plusInf || b == plusInf || a > plusInf/b {
		return plusInf
	}
	return a * b
}
