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
}

func newFacts() *facts {
	return &facts{within: map[*ir.Var]interval{}, below: map[*ir.Var]*ir.Expr{}}
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
	return e.Op == ir.Ref && f.below[e.Var] != nil && same(f.below[e.Var], limit)
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
