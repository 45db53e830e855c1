package affine

import "tilec/ir"

// Limits of a proof: eliminations on one path, and in all.
const (
	maxDepth  = 10
	maxEffort = 250
)

// proves reports whether f >= 0 for certain.
func (p *Prover) proves(f form) bool {
	effort := maxEffort
	return p.nonNegative(f, maxDepth, &effort)
}

func (p *Prover) nonNegative(f form, depth int, effort *int) bool {
	if f.isConst() {
		return f.c >= 0
	}
	*effort--
	if depth == 0 || *effort < 0 {
		return false
	}
	f = f.tightened()
	youngest := f.terms[len(f.terms)-1]
	for i := len(p.facts) - 1; i >= 0; i-- {
		known := p.facts[i]
		k := known.coef(youngest.atom)
		if k == 0 || (k > 0) != (youngest.coef > 0) {
			continue
		}
		// f >= 0 if |k|*f - |coef|*known >= 1 - |k|, as f is an integer.
		abs, by := max(k, -k), max(youngest.coef, -youngest.coef)
		g, ok := f, true
		if abs != 1 {
			g, ok = f.scaled(abs)
		}
		if ok {
			g, ok = g.addScaled(-by, known)
		}
		if !ok {
			continue
		}
		g.c += abs - 1
		if p.nonNegative(g, depth-1, effort) {
			return true
		}
	}
	return p.cases(f, youngest, depth, effort)
}

// cases proves f for both values that a minimum, maximum or select may have.
func (p *Prover) cases(f form, t term, depth int, effort *int) bool {
	a := p.atoms[t.atom]
	switch a.kind {
	case minAtom, maxAtom, selectAtom:
	default:
		return false
	}
	rest, ok := f.addScaled(-t.coef, form{terms: []term{{t.atom, 1}}})
	if !ok {
		return false
	}
	for _, arg := range a.args {
		g, ok := rest.addScaled(t.coef, arg)
		if !ok || !p.nonNegative(g, depth-1, effort) {
			return false
		}
	}
	return true
}

// interval returns constant bounds of f, minInt and maxInt where there is none,
// from facts about single atoms.
func (p *Prover) interval(f form) (lo, hi int64) {
	lo, hi = f.c, f.c
	for _, t := range f.terms {
		l, h := p.atomInterval(t.atom)
		if t.coef < 0 {
			l, h = h, l
		}
		lo, hi = extend(lo, t.coef, l, minInt), extend(hi, t.coef, h, maxInt)
	}
	return lo, hi
}

// extend adds coef*bound to a bound; none is the mark of no bound on that side.
func extend(sum, coef, bound, none int64) int64 {
	if sum == none || bound == minInt || bound == maxInt {
		return none
	}
	s, ok := mulAdd(sum, coef, bound)
	if !ok {
		return none
	}
	return s
}

func (p *Prover) atomInterval(id int) (lo, hi int64) {
	lo, hi = minInt, maxInt
	for _, f := range p.facts {
		if len(f.terms) != 1 || f.terms[0].atom != id {
			continue
		}
		switch f.terms[0].coef {
		case 1:
			lo = max(lo, -f.c)
		case -1:
			hi = min(hi, f.c)
		}
	}
	return lo, hi
}

// Simplify returns a shorter expression for an integer of index type, e itself
// if there is none.
func (p *Prover) Simplify(e *ir.Expr) *ir.Expr {
	f, ok := p.form(e)
	if !ok || e.Type != ir.Index {
		return e
	}
	if b := p.build(f); b != nil && size(b) < size(e) {
		b.Span = e.Span
		return b
	}
	return e
}

// size is the number of nodes of an expression.
func size(e *ir.Expr) int {
	n := 0
	e.Walk(func(*ir.Expr) bool { n++; return true })
	return n
}
