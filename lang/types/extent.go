package types

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Extent is an integer known exactly or as a formula: a polynomial with integer coefficients over scalars (dimensions,
// and within a kernel grid and loop indices) and opaque parts such as `K / 128` or `ceildiv(N, BN)`. It is kept in a
// canonical form, so that equal formulas compare equal however they were written. The zero Extent is 0.
type Extent struct {
	terms   []Term // no two alike, none with coefficient 0, sorted
	unknown bool
}

// Term is Coef times the product of Factors.
type Term struct {
	Coef    int64
	Factors []Factor
}

// ExtentOp is the operation of an opaque part; zero marks a scalar.
type ExtentOp uint8

// Operations of opaque parts.
const (
	ScalarFactor ExtentOp = iota
	FloorDiv
	CeilDiv
	Mod
	MinOf
	MaxOf
)

// Factor is a scalar, or an operation on two extents that does not simplify.
type Factor struct {
	Op   ExtentOp
	Var  *Scalar // ScalarFactor
	X, Y Extent  // all others
	key  string
}

// maxTerms bounds the size of formulas; what would be larger is unknown.
const maxTerms = 64

// unknownExtent is an extent about which nothing can be said; it compares equal to nothing and mutes errors.
func unknownExtent() Extent { return Extent{unknown: true} }

// ConstExtent returns the constant n.
func ConstExtent(n int64) Extent {
	if n == 0 {
		return Extent{}
	}
	return Extent{terms: []Term{{Coef: n}}}
}

// scalarExtent returns the value of a scalar.
func scalarExtent(s *Scalar) Extent {
	key := s.Name
	if s.Kind != Dim {
		key += "#" + strconv.Itoa(s.id)
	}
	return factorExtent(Factor{Var: s, key: key})
}

func factorExtent(f Factor) Extent { return Extent{terms: []Term{{Coef: 1, Factors: []Factor{f}}}} }

// Terms returns the formula's terms; their sum is the extent.
func (e Extent) Terms() []Term { return e.terms }

// Known reports whether the extent is a number or a formula.
func (e Extent) Known() bool { return !e.unknown }

// Const returns the number, if it is one.
func (e Extent) Const() (int64, bool) {
	switch {
	case e.unknown || len(e.terms) > 1:
		return 0, false
	case len(e.terms) == 0:
		return 0, true
	}
	t := e.terms[0]
	return t.Coef, len(t.Factors) == 0
}

// Equal reports whether two extents are the same formula. Unknown extents equal nothing.
func (e Extent) Equal(f Extent) bool {
	if e.unknown || f.unknown || len(e.terms) != len(f.terms) {
		return false
	}
	for i, t := range e.terms {
		if t.Coef != f.terms[i].Coef || t.key() != f.terms[i].key() {
			return false
		}
	}
	return true
}

func (t Term) key() string {
	keys := make([]string, len(t.Factors))
	for i, f := range t.Factors {
		keys[i] = f.key
	}
	return strings.Join(keys, "*")
}

// normal sums like terms and sorts.
func normal(terms []Term) Extent {
	slices.SortStableFunc(terms, func(a, b Term) int {
		return cmp.Or(cmp.Compare(len(b.Factors), len(a.Factors)), cmp.Compare(a.key(), b.key()))
	})
	var out []Term
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].key() == t.key() {
			sum, ok := addInt(out[n-1].Coef, t.Coef)
			if !ok {
				return unknownExtent()
			}
			out[n-1].Coef = sum
			continue
		}
		out = append(out, t)
	}
	out = slices.DeleteFunc(out, func(t Term) bool { return t.Coef == 0 })
	if len(out) > maxTerms {
		return unknownExtent()
	}
	return Extent{terms: out}
}

// Add returns e + f.
func (e Extent) Add(f Extent) Extent {
	if e.unknown || f.unknown {
		return unknownExtent()
	}
	return normal(append(slices.Clone(e.terms), f.terms...))
}

// Sub returns e - f.
func (e Extent) Sub(f Extent) Extent { return e.Add(f.Mul(ConstExtent(-1))) }

// Mul returns e · f.
func (e Extent) Mul(f Extent) Extent {
	if e.unknown || f.unknown || len(e.terms)*len(f.terms) > maxTerms {
		return unknownExtent()
	}
	var terms []Term
	for _, a := range e.terms {
		for _, b := range f.terms {
			coef, ok := mulInt(a.Coef, b.Coef)
			if !ok || len(a.Factors)+len(b.Factors) > 8 {
				return unknownExtent()
			}
			factors := append(slices.Clone(a.Factors), b.Factors...)
			slices.SortStableFunc(factors, func(x, y Factor) int { return cmp.Compare(x.key, y.key) })
			terms = append(terms, Term{Coef: coef, Factors: factors})
		}
	}
	return normal(terms)
}

// split divides the terms of e into those with coefficients that are multiples of n, divided by it, and the rest.
func (e Extent) split(n int64) (multiple, rest Extent) {
	for _, t := range e.terms {
		if t.Coef%n == 0 {
			multiple.terms = append(multiple.terms, Term{Coef: t.Coef / n, Factors: t.Factors})
		} else {
			rest.terms = append(rest.terms, t)
		}
	}
	return multiple, rest
}

// opaque returns op(e, f) as one factor, when it has no simpler form.
func opaque(op ExtentOp, e, f Extent) Extent {
	if e.unknown || f.unknown {
		return unknownExtent()
	}
	key := extentOpText[op] + "(" + e.keyText() + "," + f.keyText() + ")"
	if len(key) > 512 {
		return unknownExtent()
	}
	return factorExtent(Factor{Op: op, X: e, Y: f, key: key})
}

var extentOpText = [...]string{FloorDiv: "/", CeilDiv: "ceildiv", Mod: "%", MinOf: "min", MaxOf: "max"}

func (e Extent) keyText() string {
	var b strings.Builder
	for _, t := range e.terms {
		b.WriteString(strconv.FormatInt(t.Coef, 10) + "*" + t.key() + "+")
	}
	return b.String()
}

// Div returns e / f, rounded toward negative infinity.
func (e Extent) Div(f Extent) Extent { return e.divide(FloorDiv, f, floorDiv) }

// CeilDiv returns e / f, rounded toward positive infinity.
func (e Extent) CeilDiv(f Extent) Extent {
	return e.divide(CeilDiv, f, func(a, b int64) int64 { return -floorDiv(-a, b) })
}

func (e Extent) divide(op ExtentOp, f Extent, divide func(a, b int64) int64) Extent {
	n, ok := f.Const()
	if !ok || n == 0 || n == math.MinInt64 || e.unknown {
		return opaque(op, e, f)
	}
	if c, ok := e.Const(); ok && c != math.MinInt64 {
		return ConstExtent(divide(c, n))
	}
	multiple, rest := e.split(n)
	switch c, isConst := rest.Const(); {
	case isConst && c != math.MinInt64:
		return multiple.Add(ConstExtent(divide(c, n)))
	default:
		return multiple.Add(opaque(op, rest, f))
	}
}

// Mod returns e % f with the sign of f.
func (e Extent) Mod(f Extent) Extent {
	n, ok := f.Const()
	if !ok || n == 0 || n == math.MinInt64 || e.unknown {
		return opaque(Mod, e, f)
	}
	_, rest := e.split(n)
	if c, ok := rest.Const(); ok && c != math.MinInt64 {
		return ConstExtent(c - n*floorDiv(c, n))
	}
	return opaque(Mod, rest, f)
}

// Min returns the lesser of e and f.
func (e Extent) Min(f Extent) Extent {
	switch {
	case e.LessEqual(f):
		return e
	case f.LessEqual(e):
		return f
	}
	return opaque(MinOf, e, f)
}

// Max returns the greater of e and f.
func (e Extent) Max(f Extent) Extent {
	switch {
	case e.LessEqual(f):
		return f
	case f.LessEqual(e):
		return e
	}
	return opaque(MaxOf, e, f)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func mulInt(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	if a == math.MinInt64 || b == math.MinInt64 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	return a * b, true
}
