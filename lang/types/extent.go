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

// String spells the extent as a program would.
func (e Extent) String() string {
	if e.unknown {
		return "?"
	}
	if len(e.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range e.terms {
		coef := t.Coef
		if i > 0 {
			if coef < 0 && coef != math.MinInt64 {
				b.WriteString(" - ")
				coef = -coef
			} else {
				b.WriteString(" + ")
			}
		}
		b.WriteString(t.text(coef, len(e.terms) > 1 || len(t.Factors) > 1 || coef != 1))
	}
	return b.String()
}

func (t Term) text(coef int64, inner bool) string {
	var parts []string
	if coef != 1 && coef != -1 || len(t.Factors) == 0 {
		parts = append(parts, strconv.FormatInt(coef, 10))
	}
	for _, f := range t.Factors {
		parts = append(parts, f.text(inner))
	}
	text := strings.Join(parts, "*")
	if coef == -1 && len(t.Factors) > 0 {
		text = "-" + text
	}
	return text
}

func (f Factor) text(inner bool) string {
	switch f.Op {
	case ScalarFactor:
		return f.Var.Name
	case CeilDiv, MinOf, MaxOf:
		return extentOpText[f.Op] + "(" + f.X.String() + ", " + f.Y.String() + ")"
	}
	text := f.X.operand() + " " + extentOpText[f.Op] + " " + f.Y.operand()
	if inner {
		return "(" + text + ")"
	}
	return text
}

// operand spells the extent as an operand of a division.
func (e Extent) operand() string {
	if s := e.String(); len(e.terms) < 2 && !strings.Contains(s, " ") && !strings.Contains(s, "*") {
		return s
	}
	return "(" + e.String() + ")"
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
