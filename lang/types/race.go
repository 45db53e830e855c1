package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

// exclusive reports a write to a tensor which two grid instances provably make to the same element: its place does not
// depend on some grid index, or moves by less than the block's length when that index grows by one. Subscripts that are
// nil are 0; block is nil for single elements and index statements.
func (c *checker) exclusive(at ast.Node, a *Array, subscripts []ast.Expr, block *Copy, limited taint) {
	if !a.Kind.IsTensor() || c.where != gridPlace || c.spec {
		return
	}
	limited |= c.control
	depends := limited
	for _, e := range subscripts {
		depends |= c.taintOf(e)
	}
	if depends&dataTaint != 0 {
		return
	}
	for i, g := range c.grid {
		switch {
		case i >= maxGridTaint || g.limit.hiOK && g.limit.hi <= 0:
		case depends&(1<<i) == 0:
			c.errorf(diag.GridRace, at.Span(), "grid instances that differ only in %s write the same elements of %s", g.Name, a.Name).
				Note(g.Span, "%s is declared here, but the place written does not depend on it", g.Name).
				Hint("use %s in a subscript, or combine the writes: atomic %s[…] += …", g.Name, a.Name)
			return
		case limited&(1<<i) == 0:
			if c.overlap(at, a, subscripts, block, g) {
				return
			}
		}
	}
}

// overlap reports blocks of neighbouring instances that overlap along the only axis which moves with g.
func (c *checker) overlap(at ast.Node, a *Array, subscripts []ast.Expr, block *Copy, g *Scalar) bool {
	moving := -1
	for axis, e := range subscripts {
		if e == nil || c.taintOf(e)&g.taint == 0 {
			continue
		}
		if moving >= 0 {
			return false
		}
		moving = axis
	}
	if moving < 0 {
		return false
	}
	f := c.formula(subscripts[moving])
	step, ok := f.coefficient(g)
	if !ok {
		return false
	}
	length := int64(1)
	if block != nil {
		for d, axis := range block.Dst.Axes {
			if axis == moving {
				length = block.Shape[d]
			}
		}
	} else if length, ok = f.run(); !ok {
		return false
	}
	if step = max(step, -step); step == 0 || step >= length {
		return false
	}
	c.errorf(diag.GridRace, at.Span(), "grid instances %s and %s + 1 write the same elements of %s: their blocks are %d long, but only %d apart",
		g.Name, g.Name, a.Name, length, step).
		Note(g.Span, "%s is declared here", g.Name)
	return true
}

// coefficient returns c where the formula is c·s plus what does not depend on s.
func (e Extent) coefficient(s *Scalar) (int64, bool) {
	var coef int64
	for _, t := range e.terms {
		direct := len(t.Factors) == 1 && t.Factors[0].Op == ScalarFactor && t.Factors[0].Var == s
		if direct {
			coef = t.Coef
			continue
		}
		inside := false
		(Extent{terms: []Term{t}}).scalars(func(x *Scalar) { inside = inside || x == s || x.taint&s.taint != 0 })
		if inside {
			return 0, false
		}
	}
	return coef, e.Known()
}

// run returns the length of the stretch, without gaps, that a formula covers as its one free index runs.
func (e Extent) run() (int64, bool) {
	length := int64(1)
	for _, t := range e.terms {
		free := false
		(Extent{terms: []Term{t}}).scalars(func(x *Scalar) { free = free || x.Kind == FreeIndex })
		if !free {
			continue
		}
		if len(t.Factors) != 1 || t.Factors[0].Op != ScalarFactor || t.Coef != 1 || length != 1 {
			return 0, false
		}
		n, ok := t.Factors[0].Var.Extent.Const()
		if !ok {
			return 0, false
		}
		length = n
	}
	return length, true
}
