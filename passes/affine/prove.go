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
	f.terms = append(p.scratch[maxDepth][:0], f.terms...)
	p.scratch[maxDepth] = f.terms
	return p.nonNegative(f, maxDepth, &effort)
}

// nonNegative proves f >= 0. It may change f's terms, which lie in scratch space.
func (p *Prover) nonNegative(f form, depth int, effort *int) bool {
	if f.isConst() {
		return f.c >= 0
	}
	*effort--
	if depth == 0 || *effort < 0 {
		return false
	}
	f.tighten()
	youngest := f.terms[len(f.terms)-1]
	uses := p.uses[youngest.atom]
	for i := len(uses) - 1; i >= 0; i-- {
		k := uses[i].coef
		if (k > 0) != (youngest.coef > 0) {
			continue
		}
		// f >= 0 if |k|*f - |coef|*known >= 1 - |k|, as f is an integer.
		abs, by := max(k, -k), max(youngest.coef, -youngest.coef)
		g, ok := p.combine(depth-1, abs, f, -by, p.facts[uses[i].fact])
		if !ok {
			continue
		}
		g.c += abs - 1
		if p.nonNegative(g, depth-1, effort) {
			return true
		}
	}
	return p.cases(f, depth, effort)
}

// combine returns j*f + k*g in the scratch space of a depth.
func (p *Prover) combine(depth int, j int64, f form, k int64, g form) (form, bool) {
	h, ok := combined(p.scratch[depth][:0], j, f, k, g)
	if ok {
		p.scratch[depth] = h.terms
	}
	return h, ok
}

// cases proves f for both values that a minimum, maximum or select, its youngest
// atom, may have.
func (p *Prover) cases(f form, depth int, effort *int) bool {
	last := len(f.terms) - 1
	t := f.terms[last]
	a := &p.atoms[t.atom]
	switch a.kind {
	case minAtom, maxAtom, selectAtom:
	default:
		return false
	}
	rest := form{terms: f.terms[:last], c: f.c}
	for _, arg := range a.args {
		g, ok := p.combine(depth-1, 1, rest, t.coef, arg)
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
	for _, u := range p.uses[id] {
		f := p.facts[u.fact]
		if len(f.terms) != 1 {
			continue
		}
		switch u.coef {
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
