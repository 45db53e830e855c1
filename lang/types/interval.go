package types

// interval is a set of integers between bounds, either of which may be missing. The zero interval is all integers.
type interval struct {
	lo, hi     int64
	loOK, hiOK bool
}

func exactly(n int64) interval            { return interval{lo: n, hi: n, loOK: true, hiOK: true} }
func atLeast(n int64) interval            { return interval{lo: n, loOK: true} }
func between(lo, hi int64) interval       { return interval{lo: lo, hi: hi, loOK: true, hiOK: true} }
func (a interval) isExactly(n int64) bool { return a.loOK && a.hiOK && a.lo == n && a.hi == n }

func (a interval) add(b interval) interval {
	var r interval
	if a.loOK && b.loOK {
		r.lo, r.loOK = addInt(a.lo, b.lo)
	}
	if a.hiOK && b.hiOK {
		r.hi, r.hiOK = addInt(a.hi, b.hi)
	}
	return r
}

func (a interval) neg() interval {
	var r interval
	if a.hiOK {
		r.lo, r.loOK = mulInt(a.hi, -1)
	}
	if a.loOK {
		r.hi, r.hiOK = mulInt(a.lo, -1)
	}
	return r
}

// isEmpty reports bounds that nothing lies between, as those of a loop that never runs.
func (a interval) isEmpty() bool { return a.loOK && a.hiOK && a.lo > a.hi }

func (a interval) mul(b interval) interval {
	switch {
	case a.isEmpty() || b.isEmpty():
		return interval{}
	case a.isExactly(0) || b.isExactly(0):
		return exactly(0)
	case a.hiOK && a.hi <= 0:
		return a.neg().mul(b).neg()
	case b.hiOK && b.hi <= 0:
		return a.mul(b.neg()).neg()
	case a.loOK && a.lo >= 0 && b.loOK && b.lo >= 0:
		var r interval
		r.lo, r.loOK = mulInt(a.lo, b.lo)
		if a.hiOK && b.hiOK {
			r.hi, r.hiOK = mulInt(a.hi, b.hi)
		}
		return r
	case a.loOK && a.hiOK && b.loOK && b.hiOK:
		r := interval{loOK: true, hiOK: true}
		for i, p := range [4][2]int64{{a.lo, b.lo}, {a.lo, b.hi}, {a.hi, b.lo}, {a.hi, b.hi}} {
			v, ok := mulInt(p[0], p[1])
			if !ok {
				return interval{}
			}
			if i == 0 {
				r.lo, r.hi = v, v
			}
			r.lo, r.hi = min(r.lo, v), max(r.hi, v)
		}
		return r
	}
	return interval{}
}

// div divides by a positive interval, rounding down or up.
func (a interval) div(b interval, up bool) interval {
	quotient := func(x, y int64) int64 {
		if up {
			return -floorDiv(-x, y)
		}
		return floorDiv(x, y)
	}
	var r interval
	if a.loOK {
		switch {
		case a.lo >= 0 && !b.hiOK:
			r.lo, r.loOK = 0, true
		case a.lo >= 0:
			r.lo, r.loOK = quotient(a.lo, b.hi), true
		default:
			r.lo, r.loOK = quotient(a.lo, b.lo), true
		}
	}
	if a.hiOK {
		switch {
		case a.hi >= 0:
			r.hi, r.hiOK = quotient(a.hi, b.lo), true
		case b.hiOK:
			r.hi, r.hiOK = quotient(a.hi, b.hi), true
		default:
			r.hi, r.hiOK = 0, true
		}
	}
	return r
}

func (a interval) min(b interval) interval {
	var r interval
	if a.loOK && b.loOK {
		r.lo, r.loOK = min(a.lo, b.lo), true
	}
	switch {
	case a.hiOK && b.hiOK:
		r.hi, r.hiOK = min(a.hi, b.hi), true
	case a.hiOK:
		r.hi, r.hiOK = a.hi, true
	case b.hiOK:
		r.hi, r.hiOK = b.hi, true
	}
	return r
}

func (a interval) max(b interval) interval { return a.neg().min(b.neg()).neg() }
