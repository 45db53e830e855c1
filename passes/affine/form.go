package affine

import (
	"math/bits"
	"slices"

	"tilec/ir"
)

// form is a sum of atoms with coefficients and a constant. Forms are values;
// terms are sorted by atom and have no zero coefficients.
type form struct {
	terms []term
	c     int64
}

type term struct {
	atom int
	coef int64
}

// single is one atom.
func single(atom int) form { return form{terms: []term{{atom, 1}}} }

func constant(c int64) form { return form{c: c} }

func (f form) isConst() bool { return len(f.terms) == 0 }

func (f form) equal(g form) bool { return f.c == g.c && slices.Equal(f.terms, g.terms) }

// mulAdd returns x + k*y, false if that overflows.
func mulAdd(x, k, y int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(k, -k)), uint64(max(y, -y)))
	if hi != 0 || lo>>62 != 0 || k == minInt || y == minInt {
		return 0, false
	}
	p := int64(lo)
	if (k < 0) != (y < 0) {
		p = -p
	}
	s := x + p
	if (p > 0 && s < x) || (p < 0 && s > x) {
		return 0, false
	}
	return s, true
}

const minInt = -1 << 63

// addScaled returns f + k*g, false if a coefficient overflows.
func (f form) addScaled(k int64, g form) (form, bool) {
	if k == 0 {
		return f, true
	}
	return combined(make([]term, 0, len(f.terms)+len(g.terms)), 1, f, k, g)
}

// combined returns j*f + k*g, its terms appended to the given ones, which are
// none; false if a coefficient overflows. Neither factor is zero.
func combined(to []term, j int64, f form, k int64, g form) (form, bool) {
	c, ok := mulAdd(0, j, f.c)
	if !ok {
		return form{}, false
	}
	if c, ok = mulAdd(c, k, g.c); !ok {
		return form{}, false
	}
	x, y := f.terms, g.terms
	for len(x) > 0 || len(y) > 0 {
		var t term
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].atom <= y[0].atom:
			t.atom = x[0].atom
			if t.coef, ok = mulAdd(0, j, x[0].coef); !ok {
				return form{}, false
			}
			x = x[1:]
		default:
			t.atom = y[0].atom
		}
		if len(y) > 0 && y[0].atom == t.atom {
			if t.coef, ok = mulAdd(t.coef, k, y[0].coef); !ok {
				return form{}, false
			}
			y = y[1:]
		}
		if t.coef != 0 {
			to = append(to, t)
		}
	}
	return form{terms: to, c: c}, true
}

// scaled returns k*f.
func (f form) scaled(k int64) (form, bool) { return constant(0).addScaled(k, f) }

// tightened divides f >= 0 by the common divisor of its coefficients; the
// constant rounds down, as the rest is an integer.
func (f form) tightened() form {
	if f.divisor() <= 1 {
		return f
	}
	f.terms = slices.Clone(f.terms)
	f.tighten()
	return f
}

// tighten is tightened in place.
func (f *form) tighten() {
	g := f.divisor()
	if g <= 1 {
		return
	}
	f.c = ir.FloorDiv(f.c, g)
	for i := range f.terms {
		f.terms[i].coef /= g
	}
}

// divisor is the greatest common one of the coefficients.
func (f form) divisor() int64 {
	var g int64
	for _, t := range f.terms {
		if g = gcd(g, max(t.coef, -t.coef)); g == 1 {
			break
		}
	}
	return g
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
