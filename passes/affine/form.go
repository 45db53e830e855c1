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

func constant(c int64) form { return form{c: c} }

func (f form) isConst() bool { return len(f.terms) == 0 }

func (f form) equal(g form) bool { return f.c == g.c && slices.Equal(f.terms, g.terms) }

func (f form) coef(atom int) int64 {
	for _, t := range f.terms {
		if t.atom == atom {
			return t.coef
		}
	}
	return 0
}

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
	c, ok := mulAdd(f.c, k, g.c)
	if !ok {
		return form{}, false
	}
	out := form{c: c, terms: make([]term, 0, len(f.terms)+len(g.terms))}
	i, j := 0, 0
	for i < len(f.terms) || j < len(g.terms) {
		switch {
		case j == len(g.terms) || i < len(f.terms) && f.terms[i].atom < g.terms[j].atom:
			out.terms = append(out.terms, f.terms[i])
			i++
		default:
			t := term{atom: g.terms[j].atom}
			if i < len(f.terms) && f.terms[i].atom == t.atom {
				t.coef = f.terms[i].coef
				i++
			}
			if t.coef, ok = mulAdd(t.coef, k, g.terms[j].coef); !ok {
				return form{}, false
			}
			if t.coef != 0 {
				out.terms = append(out.terms, t)
			}
			j++
		}
	}
	return out, true
}

// scaled returns k*f.
func (f form) scaled(k int64) (form, bool) { return constant(0).addScaled(k, f) }

// tightened divides f >= 0 by the common divisor of its coefficients; the
// constant rounds down, as the rest is an integer.
func (f form) tightened() form {
	var g int64
	for _, t := range f.terms {
		g = gcd(g, max(t.coef, -t.coef))
	}
	if g <= 1 {
		return f
	}
	out := form{c: ir.FloorDiv(f.c, g), terms: slices.Clone(f.terms)}
	for i := range out.terms {
		out.terms[i].coef /= g
	}
	return out
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
