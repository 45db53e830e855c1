package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

// use says what an element access does; zero is invalid.
type use uint8

const (
	reading  use = iota + 1
	writing      // replaces the element
	updating     // reads and replaces it
)

// access types an element access `x[i, j]`.
func (c *checker) access(e *ast.Index, how use) Type {
	a := c.base(e)
	if a == nil {
		for _, arg := range e.Args {
			if _, isRange := arg.(*ast.Range); !isRange {
				c.subscriptExpr(arg)
			}
		}
		return invalidType
	}
	if !c.sameRank(e, a) {
		return invalidType
	}
	ok := true
	for _, arg := range e.Args {
		if r, isRange := arg.(*ast.Range); isRange {
			c.errorf(diag.NotInThisPlace, r.Span(), "a range names a block, but one element is needed here").
				Hint("give the index of one element, or use copy")
			ok = false
			continue
		}
		ok = c.subscriptExpr(arg).Valid() && ok
	}
	if !ok || !c.mayTouch(e, a, how) {
		return invalidType
	}
	c.checkRange(e, a)
	if how != writing {
		c.flow.read(c, a, e.Span())
	}
	return number(a.Elem)
}

// subscriptExpr types one subscript.
func (c *checker) subscriptExpr(e ast.Expr) Type {
	c.subscript++
	t := c.integerExpr(e, "a subscript")
	c.subscript--
	return t
}

// base returns the array that an access is into; nil after an error.
func (c *checker) base(e *ast.Index) *Array {
	switch x := e.X.(type) {
	case *ast.Ident:
		switch o := c.scope.lookup(x.Name).(type) {
		case nil:
			c.undefined(x, "known here", func(o Object) bool { _, ok := o.(*Array); return ok })
		case *Array:
			c.info.Uses[x] = o
			c.info.Types[x] = o.Type()
			return o
		case *broken:
		default:
			c.errorf(diag.NotIndexable, e.Span(), "%s is %s and has no elements", x.Name, describe(o)).
				Note(o.Declared(), "%s is declared here", x.Name)
		}
	case *ast.Call:
		if t := c.expr(x); t.Kind == Whole {
			if a := c.info.ArrayOf(x); a != nil {
				return a
			}
		} else if t.Valid() {
			c.errorf(diag.NotIndexable, e.Span(), "%s is %s and has no elements", sourceText(x), article(t.String()))
		}
	}
	return nil
}

func (c *checker) sameRank(e *ast.Index, a *Array) bool {
	if len(e.Args) == len(a.Shape) {
		return true
	}
	c.errorf(diag.RankMismatch, e.Span(), "%s has rank %d, but %s given", a.Name, len(a.Shape), gaveSubscripts(len(e.Args))).
		Note(a.Span, "%s is %s", a.Name, article(a.Type().String())).
		Hint("%s", elementText(a.Name, len(a.Shape)))
	return false
}

func gaveSubscripts(n int) string { return count(n, "subscript") + " " + were(n) }

// mayTouch checks that the place allows the access.
func (c *checker) mayTouch(e ast.Expr, a *Array, how use) bool {
	switch {
	case c.where == constPlace || c.where == launchPlace:
		c.errorf(diag.NotInThisPlace, e.Span(), "elements of %s are known only when the kernel runs", a.Name).
			Note(a.Span, "%s is declared here", a.Name)
		return false
	case how != reading && !c.mayWrite(e, a):
		return false
	}
	return true
}

// mayWrite checks that the program may write an array.
func (c *checker) mayWrite(e ast.Expr, a *Array) bool {
	p := a.Param
	switch {
	case a.Kind == In, p != nil && p.Dir == ast.In:
		if c.readOnly[a] {
			return false
		}
		c.readOnly[a] = true
		d := c.errorf(diag.NotOut, e.Span(), "%s cannot be written: it is a parameter that is not out", a.Name).
			Note(a.Span, "%s is declared here", a.Name)
		if p != nil && p.Type != nil {
			d.Hint("declare it out (or inout, if it is read too): %s: out %s", a.Name, p.Type.Span().Text())
		}
		return false
	}
	return true
}

// checkRange reports subscripts of a tile that leave it. Outside a tensor the edge rules apply instead.
func (c *checker) checkRange(e *ast.Index, a *Array) {
	if c.spec {
		c.checkSpecRange(e, a)
		return
	}
	if a.Kind != Tile {
		return
	}
	for d, arg := range e.Args {
		if id, ok := arg.(*ast.Ident); ok {
			if s, ok := c.info.Uses[id].(*Scalar); ok && s.Kind == FreeIndex {
				continue // its extent was compared with the tile's
			}
		}
		extent, ok := a.Shape[d].Const()
		f := c.formula(arg)
		if !ok || !f.Known() {
			continue
		}
		r := f.bounds()
		if !c.attained(f) {
			// The bounds may be out of reach, but what lies outside altogether is certainly wrong.
			if r.hiOK && r.hi >= 0 && (!r.loOK || r.lo < extent) || !r.hiOK && (!r.loOK || r.lo < extent) {
				continue
			}
		}
		reach := r.hi
		switch {
		case r.loOK && r.lo < 0 && !c.anyGuarded(f):
			reach = r.lo
		case r.hiOK && r.hi >= extent && !c.anyGuarded(f):
		default:
			continue
		}
		c.errorf(diag.OutOfRange, arg.Span(), "%s reaches %d, but dimension %d of %s has extent %d", sourceText(arg), reach, d, a.Name, extent).
			Note(a.dim(d), "%s is declared here", a.Name).
			Hint("limit it by a condition: if … then %s else …", sourceText(e))
	}
}

// checkSpecRange reports subscripts of a spec that provably leave an array: a spec has no edges.
func (c *checker) checkSpecRange(e *ast.Index, a *Array) {
	for d, arg := range e.Args {
		if _, direct := arg.(*ast.Ident); direct {
			continue
		}
		f := c.formula(arg)
		if !f.Known() || !c.attained(f.withoutScalars()) || c.anyGuarded(f) {
			continue
		}
		least, greatest := f.ends()
		extent := a.Shape[d]
		reach := greatest
		switch {
		case least.LessEqual(ConstExtent(-1)):
			reach = least
		case !extent.LessEqual(greatest):
			continue
		}
		c.errorf(diag.OutOfRange, arg.Span(), "%s reaches %s, but dimension %d of %s has extent %s", sourceText(arg), reach, d, a.Name, extent).
			Note(a.dim(d), "%s is declared here", a.Name).
			Hint("limit it by a condition: if … then %s else …", sourceText(e))
	}
}

// withoutScalars leaves out the terms that no free index is in.
func (e Extent) withoutScalars() Extent {
	var out Extent
	for _, t := range e.terms {
		free := false
		(Extent{terms: []Term{t}}).scalars(func(s *Scalar) { free = free || s.Kind == FreeIndex })
		if free {
			out.terms = append(out.terms, t)
		}
	}
	return out
}

// ends returns the least and the greatest value of a formula that is affine in free indices, as formulas of the rest.
func (e Extent) ends() (least, greatest Extent) {
	for _, t := range e.terms {
		if len(t.Factors) == 1 && t.Factors[0].Op == ScalarFactor && t.Factors[0].Var.Kind == FreeIndex {
			end := t.Factors[0].Var.Extent.Sub(ConstExtent(1)).Mul(ConstExtent(t.Coef))
			if t.Coef > 0 {
				greatest = greatest.Add(end)
			} else {
				least = least.Add(end)
			}
			continue
		}
		rest := Extent{terms: []Term{t}}
		least, greatest = least.Add(rest), greatest.Add(rest)
	}
	return least, greatest
}

// attained reports whether a formula takes on its bounds: it is affine in free indices.
func (c *checker) attained(f Extent) bool {
	for _, t := range f.terms {
		for _, x := range t.Factors {
			if len(t.Factors) > 1 || x.Op != ScalarFactor || x.Var.Kind != FreeIndex {
				return false
			}
		}
	}
	return true
}

func (c *checker) anyGuarded(f Extent) bool {
	guarded := false
	f.scalars(func(s *Scalar) { guarded = guarded || c.guarded[s] > 0 })
	return guarded
}

// guard marks the indices in a condition as limited by it and returns what undoes that.
func (c *checker) guard(cond ast.Expr) func() {
	var marked []*Scalar
	ast.Inspect(cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if s, ok := c.info.Uses[id].(*Scalar); ok {
				marked = append(marked, s)
			}
		}
		return true
	})
	for _, s := range marked {
		c.guarded[s]++
	}
	return func() {
		for _, s := range marked {
			c.guarded[s]--
		}
	}
}

// dim is the place of an extent of the array.
func (a *Array) dim(d int) diag.Span {
	if d < len(a.dims) {
		return a.dims[d]
	}
	return a.Span
}
