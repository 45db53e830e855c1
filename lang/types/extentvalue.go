package types

import "math"

// LessEqual reports whether e ≤ f whatever the values of the scalars.
func (e Extent) LessEqual(f Extent) bool {
	r := f.Sub(e).bounds()
	return r.loOK && r.lo >= 0
}

// bounds returns what the extent is known to lie in.
func (e Extent) bounds() interval {
	if e.unknown {
		return interval{}
	}
	sum := exactly(0)
	for _, t := range e.terms {
		product := exactly(t.Coef)
		for _, f := range t.Factors {
			product = product.mul(f.bounds())
		}
		sum = sum.add(product)
	}
	return sum
}

func (f Factor) bounds() interval {
	if f.Op == ScalarFactor {
		return f.Var.limit
	}
	x, y := f.X.bounds(), f.Y.bounds()
	switch f.Op {
	case FloorDiv, CeilDiv:
		if !y.loOK || y.lo <= 0 {
			// The divisor of a formula that is a dimension may be 0; the quotient is then never used.
			if y.loOK && y.lo == 0 && x.loOK && x.lo >= 0 {
				return atLeast(0)
			}
			return interval{}
		}
		return x.div(y, f.Op == CeilDiv)
	case Mod:
		if y.loOK && y.lo >= 0 {
			r := atLeast(0)
			if y.hiOK && y.hi > 0 {
				r.hi, r.hiOK = y.hi-1, true
			}
			return r
		}
	case MinOf:
		return x.min(y)
	case MaxOf:
		return x.max(y)
	}
	return interval{}
}

// factors calls f for every scalar of the formula.
func (e Extent) scalars(f func(*Scalar)) {
	for _, t := range e.terms {
		for _, a := range t.Factors {
			if a.Op == ScalarFactor {
				f(a.Var)
				continue
			}
			a.X.scalars(f)
			a.Y.scalars(f)
		}
	}
}

// Eval returns the extent's value, given those of its scalars; false if one of them has none, or for a division by 0.
func (e Extent) Eval(value func(*Scalar) (int64, bool)) (int64, bool) {
	if e.unknown {
		return 0, false
	}
	sum := int64(0)
	for _, t := range e.terms {
		p := t.Coef
		for _, f := range t.Factors {
			v, ok := f.eval(value)
			if !ok {
				return 0, false
			}
			if p, ok = mulInt(p, v); !ok {
				return 0, false
			}
		}
		var ok bool
		if sum, ok = addInt(sum, p); !ok {
			return 0, false
		}
	}
	return sum, true
}

func (f Factor) eval(value func(*Scalar) (int64, bool)) (int64, bool) {
	if f.Op == ScalarFactor {
		return value(f.Var)
	}
	x, ok1 := f.X.Eval(value)
	y, ok2 := f.Y.Eval(value)
	if !ok1 || !ok2 || x == math.MinInt64 {
		return 0, false
	}
	switch f.Op {
	case MinOf:
		return min(x, y), true
	case MaxOf:
		return max(x, y), true
	}
	if y == 0 {
		return 0, false
	}
	switch f.Op {
	case FloorDiv:
		return floorDiv(x, y), true
	case CeilDiv:
		return -floorDiv(-x, y), true
	}
	return x - y*floorDiv(x, y), true
}
