package fuzz

import (
	"slices"

	"tilec/runtime/array"
)

// maxRepairs bounds how often a program is analysed.
const maxRepairs = 60

// repair puts something harmless in place of every expression whose value is not
// under control; false where that does not help.
func (p *Program) repair() bool {
	for range maxRepairs {
		p.plainConstants()
		var bad []violation
		for _, l := range p.Launches {
			_, found := p.analyse(l)
			bad = append(bad, found...)
		}
		if len(bad) == 0 {
			return true
		}
		for _, v := range bad {
			if v.at == nil {
				return false
			}
			v.at.harmless(v.why)
		}
	}
	return false
}

// plainConstants makes simple literals of conversions and divisors that the checker
// may work out, brings constant subscripts of tiles into range, and drops what stands
// for elements outside where no tensor is read any more.
func (p *Program) plainConstants() {
	known := p.knownScalars()
	p.walkAll(func(at **Expr) {
		e := *at
		switch {
		case e.Op == Convert && e.Args[0].constant():
			*e = Expr{Op: Lit, Type: e.Type, Value: 1, Typed: e.Type.Elem != array.Bool}
		case e.Op == Binary && (e.Name == "/" || e.Name == "%"):
			if d := e.Args[1]; d.Op != Count && (d.Op != Lit || d.Value == 0) && d.known(known) {
				*d = Expr{Op: Lit, Type: d.Type, Value: 3, Typed: !d.Type.Index}
			}
		case e.Op == Load && e.Array.Kind == Tile:
			for d, x := range e.Args {
				if n := e.Array.Shape[d].Extent.N; x.Op == Lit && (x.Value < 0 || x.Value >= float64(n)) {
					*x = Expr{Op: Lit, Type: x.Type, Typed: x.Typed}
				}
			}
		}
	})
	walkStmts(p.Body, func(s *Stmt) {
		if s.Kind != Copy && s.Default != nil && !s.reads(s.Default.Type.Elem, known) {
			s.Default = nil
		}
	})
}

// knownScalars are those whose values the checker may work out.
func (p *Program) knownScalars() map[string]bool {
	known := map[string]bool{}
	walkStmts(p.Body, func(s *Stmt) {
		if s.Kind == LetScalar && s.Value.known(known) {
			known[s.Scalar.Name] = true
		}
	})
	return known
}

// known reports that the checker may work out the value of e: what short-circuits, or
// is chosen by a known condition, need not be constant in all parts.
func (e *Expr) known(scalars map[string]bool) bool {
	is := func(x *Expr) bool { return x.known(scalars) }
	switch {
	case e.Op == Lit, e.Op == Count:
		return true
	case e.Op == Ref:
		return scalars[e.Name]
	case e.Op == Idx, e.Op == Load, e.Op == Reduce, e.Op == AtomicOld:
		return false
	case e.choice():
		return is(e.Args[0]) && (is(e.Args[1]) || is(e.Args[2]))
	case e.Op == Binary && (e.Name == "and" || e.Name == "or"):
		return slices.ContainsFunc(e.Args, is)
	}
	return !slices.ContainsFunc(e.Args, func(x *Expr) bool { return !is(x) })
}

// choice reports `if c then a else b` or select(c, a, b).
func (e *Expr) choice() bool { return e.Op == Cond || e.Op == Call && e.Name == "select" }

// reads reports that a statement reads tensors, all of them of one element type,
// whatever known conditions choose.
func (s *Stmt) reads(t array.DType, known map[string]bool) bool {
	some, all := false, true
	var look func(e *Expr, certain bool)
	look = func(e *Expr, certain bool) {
		if e.Op == Load && e.Array.Kind != Tile {
			some, all = some || certain, all && e.Array.Elem == t
		}
		certain = certain && !(e.choice() && e.Args[0].known(known))
		for _, x := range e.Args {
			look(x, certain)
		}
	}
	for _, at := range s.exprs() {
		look(*at, true)
	}
	return some && all
}

// harmless makes e a simple expression of the same type.
func (e *Expr) harmless(why string) {
	if e.Op == Call && integers[why] && !e.Args[0].constant() && e.Args[0].Type == e.Type {
		*e = *e.Args[0]
		return
	}
	lit := &Expr{Op: Lit, Type: e.Type, Value: 1, Typed: !e.Type.Index && e.Type.Elem != array.Bool}
	switch {
	case e.Type.Index:
		lit.Value = 0
	case e.Type.Elem.IsFloat() && e.Op == Lit:
		lit.Value = 0
	case e.Type.Elem.IsFloat():
		lit.Value = 0.5
	}
	*e = *lit
}

// integers are the functions that round to one.
var integers = map[string]bool{"floor": true, "ceil": true, "round": true, "trunc": true}

// constant reports an expression of literals alone.
func (e *Expr) constant() bool {
	switch e.Op {
	case Lit, Count:
		return true
	case Ref, Idx, Load, Reduce, AtomicOld:
		return false
	}
	for _, a := range e.Args {
		if !a.constant() {
			return false
		}
	}
	return true
}

// prune drops parameters and extents that nothing uses, and numbers of a launch
// that nothing needs.
func (p *Program) prune() {
	used := map[*Array]bool{}
	scalars := map[string]bool{}
	funcs := map[*Func]bool{}
	p.walkAll(func(at **Expr) {
		e := *at
		used[e.Array] = true
		funcs[e.Func] = true
		if e.Op == Ref {
			scalars[e.Name] = true
		}
	})
	walkStmts(p.Body, func(s *Stmt) {
		used[s.Target], used[s.Source], used[s.Source2] = true, true, true
	})
	keep := func(a *Array) bool {
		if used[a] || a.Kind == Out {
			return true
		}
		for _, s := range a.Shape { // a dimension that the grid or an expression needs
			if s.Dim != "" && (scalars[s.Dim] || p.gridHas(s.Dim)) && !p.boundElsewhere(s.Dim, a) {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(p.Params); {
		if keep(p.Params[i]) {
			i++
		} else {
			p.Params = append(p.Params[:i:i], p.Params[i+1:]...)
		}
	}
	var funcList []*Func
	for _, f := range p.Funcs {
		if funcs[f] {
			funcList = append(funcList, f)
		}
	}
	p.Funcs = funcList
	var left []*Scalar
	for _, s := range p.Scalars {
		if scalars[s.Name] {
			left = append(left, s)
		}
	}
	p.Scalars = left
	p.bindDims()
	dims := p.dims()
	p.Requires = slices.DeleteFunc(p.Requires, func(r Require) bool { return !slices.Contains(dims, r.Dim) })
}

// bindDims makes sure that every dimension is bound by some tensor.
func (p *Program) bindDims() {
	for _, a := range p.Params {
		for i, s := range a.Shape {
			if s.Dim != "" && s.Factor > 1 && !p.boundElsewhere(s.Dim, nil) {
				a.Shape[i].Factor = 1
			}
		}
	}
}

func (p *Program) gridHas(dim string) bool {
	for _, a := range p.Grid {
		if a.Dim == dim {
			return true
		}
	}
	return false
}

// boundElsewhere reports that another parameter than a has the dimension.
func (p *Program) boundElsewhere(dim string, a *Array) bool {
	for _, b := range p.Params {
		if b == a {
			continue
		}
		for _, s := range b.Shape {
			if s.Dim == dim && s.Factor == 1 {
				return true
			}
		}
	}
	return false
}
