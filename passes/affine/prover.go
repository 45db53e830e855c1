package affine

import (
	"slices"

	"tilec/ir"
)

// Prover knows facts about the scalars of a function. Facts are added as scopes
// are entered and taken back by Release.
type Prover struct {
	atoms []atom
	vars  map[*ir.Var]int
	defs  map[*ir.Var]form
	facts []form  // each is >= 0
	uses  [][]use // by atom, in the order of the facts
	// state names the facts that there are: equal states have the same.
	state, states int
	known         []*ir.Expr // conditions that hold and are not linear
	undo          []*ir.Var  // in order of entry into vars or defs
	// scratch holds the forms of a proof, by the depth that is left.
	scratch [maxDepth + 1][]term
}

// use is a fact that an atom stands in, with its coefficient.
type use struct {
	fact int
	coef int64
}

// New returns a prover that knows nothing.
func New() *Prover {
	return &Prover{vars: map[*ir.Var]int{}, defs: map[*ir.Var]form{}}
}

// Mark is a state of a prover, to return to.
type Mark struct{ atoms, facts, known, undo, state int }

// Mark returns the present state.
func (p *Prover) Mark() Mark {
	return Mark{len(p.atoms), len(p.facts), len(p.known), len(p.undo), p.state}
}

// Release forgets everything learned since the mark.
func (p *Prover) Release(m Mark) {
	for _, v := range p.undo[m.undo:] {
		delete(p.vars, v)
		delete(p.defs, v)
	}
	for _, f := range p.facts[m.facts:] {
		for _, t := range f.terms {
			p.uses[t.atom] = p.uses[t.atom][:len(p.uses[t.atom])-1]
		}
	}
	p.atoms, p.facts, p.known, p.undo, p.state = p.atoms[:m.atoms], p.facts[:m.facts], p.known[:m.known], p.undo[:m.undo], m.state
}

// Dim declares a dimension or another scalar that is never negative.
func (p *Prover) Dim(v *ir.Var) {
	f := p.newVar(v)
	p.fact(f)
}

// Range declares v with lo <= v < hi; the bounds must not change while the fact
// is known.
func (p *Prover) Range(v *ir.Var, lo, hi *ir.Expr) {
	low, okLow := p.form(lo)
	high, okHigh := p.form(hi)
	f := p.newVar(v)
	if okLow {
		p.atLeast(f, low)
	}
	if okHigh {
		if g, ok := high.addScaled(-1, f); ok {
			g.c--
			p.fact(g)
		}
	}
}

// Steps declares v = lo + step*t for some t >= 0, and v < hi.
func (p *Prover) Steps(v *ir.Var, lo, hi *ir.Expr, step int64) {
	low, ok := p.form(lo)
	if !ok || step <= 1 {
		p.Range(v, lo, hi)
		return
	}
	high, okHigh := p.form(hi)
	name := p.newAtom(atom{v: v, kind: scalarAtom})
	t := p.newForm(atom{kind: hiddenAtom, name: name, low: low, den: step})
	p.fact(t)
	def, ok := low.addScaled(step, t)
	if !ok {
		p.Range(v, lo, hi)
		return
	}
	p.define(v, def)
	if okHigh {
		if g, ok := high.addScaled(-1, def); ok {
			g.c--
			p.fact(g)
		}
	}
}

// Multiple learns that e, a plain scalar, is a multiple of n.
func (p *Prover) Multiple(e *ir.Expr, n int64) {
	if e.Op != ir.Ref || n <= 1 {
		return
	}
	if _, there := p.defs[e.Var]; there {
		return
	}
	f, ok := p.form(e)
	if !ok || len(f.terms) != 1 || f.terms[0].coef != 1 || f.c != 0 || p.atoms[f.terms[0].atom].v != e.Var {
		return
	}
	part := p.newForm(atom{kind: hiddenAtom, name: f.terms[0].atom, den: n})
	t, _ := part.scaled(n)
	p.equal(f, t)
	p.fact(part) // dimensions are not negative
	p.define(e.Var, t)
}

// Define learns that v is e, which must be a value that doesn't change.
func (p *Prover) Define(v *ir.Var, e *ir.Expr) {
	if f, ok := p.form(e); ok && !p.wild(f) {
		p.define(v, f)
	}
}

// Bounded declares v, of which only the interval of e's present value is known.
func (p *Prover) Bounded(v *ir.Var, e *ir.Expr) {
	f, ok := p.form(e)
	if !ok || p.wild(f) {
		return
	}
	lo, hi := p.interval(f)
	x := p.newVar(v)
	if lo != minInt {
		p.atLeast(x, constant(lo))
	}
	if hi != maxInt {
		p.atLeast(constant(hi), x)
	}
}

func (p *Prover) define(v *ir.Var, f form) {
	p.defs[v] = f
	p.undo = append(p.undo, v)
}

func (p *Prover) newVar(v *ir.Var) form {
	f := p.newForm(atom{v: v, kind: scalarAtom})
	p.vars[v] = f.terms[0].atom
	p.undo = append(p.undo, v)
	return f
}

func (p *Prover) newAtom(a atom) int {
	id := len(p.atoms)
	p.atoms = append(p.atoms, a)
	if id == len(p.uses) {
		p.uses = append(p.uses, nil)
	}
	return id
}

// newForm is a new atom alone.
func (p *Prover) newForm(a atom) form { return single(p.newAtom(a)) }

// fact learns that f >= 0, unless that is known.
func (p *Prover) fact(f form) {
	if f.isConst() {
		return
	}
	f = f.tightened()
	for _, u := range p.uses[f.terms[len(f.terms)-1].atom] {
		if known := p.facts[u.fact]; known.c <= f.c && slices.Equal(known.terms, f.terms) {
			return
		}
	}
	for _, t := range f.terms {
		p.uses[t.atom] = append(p.uses[t.atom], use{len(p.facts), t.coef})
	}
	p.facts = append(p.facts, f)
	p.states++
	p.state = p.states
}

// atLeast learns f >= g.
func (p *Prover) atLeast(f, g form) {
	if d, ok := f.addScaled(-1, g); ok {
		p.fact(d)
	}
}

func (p *Prover) equal(f, g form) {
	p.atLeast(f, g)
	p.atLeast(g, f)
}

// Assume learns a condition, conjunct by conjunct. Its value must not change
// while the fact is known.
func (p *Prover) Assume(cond *ir.Expr) {
	for _, c := range ir.Conjuncts(cond) {
		p.known = append(p.known, c)
		for _, f := range p.inequalities(c) {
			p.fact(f)
		}
	}
}

// Refute learns that a condition does not hold.
func (p *Prover) Refute(cond *ir.Expr) {
	if n := negation(cond); n != nil {
		p.Assume(n)
		return
	}
	p.known = append(p.known, ir.Un(ir.Not, cond))
}

// negation returns the comparison that holds where c doesn't, or nil.
func negation(c *ir.Expr) *ir.Expr {
	switch {
	case c.Op == ir.Not:
		return c.Args[0]
	case c.Op == ir.Or:
		l, r := negation(c.Args[0]), negation(c.Args[1])
		if l != nil && r != nil {
			return ir.Bin(ir.And, l, r)
		}
		return nil
	}
	if len(c.Args) != 2 || c.Args[0].Type.IsFloat() {
		return nil
	}
	x, y := c.Args[0], c.Args[1]
	switch c.Op {
	case ir.Lt:
		return ir.Bin(ir.Ge, x, y)
	case ir.Le:
		return ir.Bin(ir.Gt, x, y)
	case ir.Gt:
		return ir.Bin(ir.Le, x, y)
	case ir.Ge:
		return ir.Bin(ir.Lt, x, y)
	case ir.Eq:
		return ir.Bin(ir.Ne, x, y)
	case ir.Ne:
		return ir.Bin(ir.Eq, x, y)
	}
	return nil
}

// inequalities returns forms that are >= 0 exactly if the comparison c holds;
// none if c isn't one that is linear.
func (p *Prover) inequalities(c *ir.Expr) []form {
	if len(c.Args) != 2 {
		return nil
	}
	x, okX := p.form(c.Args[0])
	y, okY := p.form(c.Args[1])
	if !okX || !okY {
		return nil
	}
	up, okUp := y.addScaled(-1, x)   // y - x
	down, okDn := x.addScaled(-1, y) // x - y
	if !okUp || !okDn {
		return nil
	}
	switch c.Op {
	case ir.Lt:
		up.c--
		return []form{up}
	case ir.Le:
		return []form{up}
	case ir.Gt:
		down.c--
		return []form{down}
	case ir.Ge:
		return []form{down}
	case ir.Eq:
		return []form{up, down}
	}
	return nil
}

// Holds reports whether a condition certainly holds.
func (p *Prover) Holds(c *ir.Expr) bool {
	switch c.Op {
	case ir.Const:
		return c.Int != 0
	case ir.And:
		return p.Holds(c.Args[0]) && p.Holds(c.Args[1])
	case ir.Or:
		return p.Holds(c.Args[0]) || p.Holds(c.Args[1]) || p.isKnown(c)
	case ir.Not:
		return p.Fails(c.Args[0])
	case ir.Ne:
		if less := ir.Bin(ir.Lt, c.Args[0], c.Args[1]); p.linear(less) && p.Holds(less) {
			return true
		}
		more := ir.Bin(ir.Gt, c.Args[0], c.Args[1])
		return p.linear(more) && p.Holds(more) || p.isKnown(c)
	}
	if p.isKnown(c) {
		return true
	}
	fs := p.inequalities(c)
	for _, f := range fs {
		if !p.proves(f) {
			return false
		}
	}
	return len(fs) > 0
}

// Decide returns the value of a condition, if it is certain.
func (p *Prover) Decide(c *ir.Expr) (value, known bool) {
	var lo, hi *ir.Expr // c says that hi is at least that much more than lo
	least := int64(0)
	switch c.Op {
	case ir.Lt, ir.Le:
		lo, hi = c.Args[0], c.Args[1]
	case ir.Gt, ir.Ge:
		lo, hi = c.Args[1], c.Args[0]
	}
	if lo == nil || lo.Type.IsFloat() {
		switch {
		case p.Holds(c):
			return true, true
		case p.Fails(c):
			return false, true
		}
		return false, false
	}
	if p.isKnown(c) {
		return true, true
	}
	if len(p.known) > 0 && p.isKnown(negation(c)) {
		return false, true
	}
	if c.Op == ir.Lt || c.Op == ir.Gt {
		least = 1
	}
	x, okX := p.form(lo)
	y, okY := p.form(hi)
	if !okX || !okY {
		return false, false
	}
	if up, ok := y.addScaled(-1, x); ok && p.proves(minus(up, least)) {
		return true, true
	}
	down, ok := x.addScaled(-1, y)
	return false, ok && p.proves(minus(down, 1-least))
}

// Fails reports whether a condition certainly does not hold.
func (p *Prover) Fails(c *ir.Expr) bool {
	switch c.Op {
	case ir.Const:
		return c.Int == 0
	case ir.And:
		return p.Fails(c.Args[0]) || p.Fails(c.Args[1])
	case ir.Or:
		return p.Fails(c.Args[0]) && p.Fails(c.Args[1])
	case ir.Not:
		return p.Holds(c.Args[0])
	}
	if n := negation(c); n != nil {
		return p.Holds(n)
	}
	for _, k := range p.known {
		if k.Op == ir.Not && Same(k.Args[0], c) {
			return true
		}
	}
	return false
}

func (p *Prover) linear(c *ir.Expr) bool { return len(p.inequalities(c)) > 0 }

func (p *Prover) isKnown(c *ir.Expr) bool {
	return slices.ContainsFunc(p.known, func(k *ir.Expr) bool { return Same(k, c) })
}

// AtLeast reports whether x >= y for certain, for integers of one type.
func (p *Prover) AtLeast(x, y *ir.Expr) bool { return p.Holds(ir.Bin(ir.Ge, x, y)) }
