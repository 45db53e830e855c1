package fuzz

import (
	"context"
	"maps"
	"slices"
	"time"

	"tilec/runtime/array"
)

// Shrinking ends after so many programs, the same on every machine, or so much time.
const (
	maxTries  = 1000
	maxShrink = 10 * time.Minute
)

// Shrink makes the program of a fault smaller as long as it fails in the same way,
// and returns the last fault.
func (t *Tester) Shrink(ctx context.Context, f *Fault) (*Fault, error) {
	timed, cancel := context.WithTimeout(ctx, maxShrink)
	defer cancel()
	return shrink(timed, t.Test, f), ctx.Err()
}

// shrink makes the program of a fault smaller as long as a test fails in the same way.
func shrink(ctx context.Context, test func(context.Context, *Program) (Outcome, error), f *Fault) *Fault {
	s := &shrinker{test: test, best: f, seen: map[string]bool{f.Program.Text(): true}}
	s.try(ctx, func(p *Program) bool {
		if f.Launch < 0 || len(p.Launches) == 1 {
			return false
		}
		p.Launches = p.Launches[f.Launch : f.Launch+1]
		return true
	})
	for again := true; again && !s.done(ctx); {
		before := s.best
		for _, e := range edits {
			s.all(ctx, e)
		}
		again = s.best != before
	}
	return s.best
}

// shrinker looks for smaller programs.
type shrinker struct {
	test  func(context.Context, *Program) (Outcome, error)
	best  *Fault
	seen  map[string]bool
	tries int
}

func (s *shrinker) done(ctx context.Context) bool { return ctx.Err() != nil || s.tries >= maxTries }

// edit makes change number n in place; it reports whether it has changed anything,
// and whether there is no such number.
type edit func(p *Program, n int) (changed, end bool)

// all tries an edit everywhere.
func (s *shrinker) all(ctx context.Context, e edit) {
	for n := 0; !s.done(ctx); {
		end := false
		kept := s.try(ctx, func(p *Program) (changed bool) {
			changed, end = e(p, n)
			return changed
		})
		if end {
			return
		}
		if !kept {
			n++
		}
	}
}

// try runs a changed program, and keeps it if it still fails in the same way.
func (s *shrinker) try(ctx context.Context, change func(*Program) bool) bool {
	p := s.best.Program.Clone()
	if !change(p) {
		return false
	}
	p.prune()
	text := p.Text()
	if s.seen[text] {
		return false
	}
	s.seen[text] = true
	for _, l := range p.Launches {
		if _, bad := p.analyse(l); len(bad) > 0 {
			return false
		}
	}
	s.tries++
	out, err := s.test(ctx, p)
	if err != nil || out.Fault == nil || out.Fault.signature() != s.best.signature() {
		return false
	}
	s.best = out.Fault
	return true
}

// edits, from coarse to fine.
var edits = []edit{
	dropLaunch, dropStmt, unwrapStmt, chooseElse, dropSuffix, plainOperator, dropFeature, firstArgument, secondArgument, lastArgument,
	toLiteral, smallerExtents(0), smallerExtents(1), smallerExtents(2), smallerExtents(3), smallerDims(0), smallerDims(1), smallerDims(2), smallerDims(3),
	plainTypes, plainInputs, plainLoops,
}

// stmtAt finds statement n, outer ones first, with the list that it stands in.
func stmtAt(list *[]*Stmt, n *int) (in *[]*Stmt, at int) {
	for i, s := range *list {
		if *n == 0 {
			return list, i
		}
		*n--
		for _, inner := range []*[]*Stmt{&s.Body, &s.Else} {
			if in, at := stmtAt(inner, n); in != nil {
				return in, at
			}
		}
	}
	return nil, 0
}

// dropLaunch leaves a launch out where it does not matter which one fails.
func dropLaunch(p *Program, n int) (changed, end bool) {
	if n >= len(p.Launches) || len(p.Launches) == 1 {
		return false, true
	}
	p.Launches = slices.Delete(p.Launches, n, n+1)
	return true, false
}

func dropStmt(p *Program, n int) (changed, end bool) {
	in, at := stmtAt(&p.Body, &n)
	if in == nil {
		return false, true
	}
	*in = slices.Delete(*in, at, at+1)
	return true, false
}

// unwrapStmt puts the body of a statement in its place, its index at its first
// value.
func unwrapStmt(p *Program, n int) (changed, end bool) {
	in, at := stmtAt(&p.Body, &n)
	if in == nil {
		return false, true
	}
	s := (*in)[at]
	if len(s.Body) == 0 {
		return false, false
	}
	var first *Expr
	switch s.Kind {
	case Loop:
		first = s.Lo
	case WhileLoop:
		first = literal(typeOf(array.I32), 1, false)
	}
	body := s.Body
	if first != nil {
		c := &Program{Body: body}
		c.walkAll(func(e **Expr) {
			if (*e).Op == Ref && (*e).Name == s.Scalar.Name {
				x := *first
				*e = &x
			}
		})
	}
	*in = slices.Replace(*in, at, at+1, body...)
	return true, false
}

func chooseElse(p *Program, n int) (changed, end bool) {
	in, at := stmtAt(&p.Body, &n)
	if in == nil {
		return false, true
	}
	s := (*in)[at]
	if len(s.Else) == 0 {
		return false, false
	}
	*in = slices.Replace(*in, at, at+1, s.Else...)
	return true, false
}

func dropSuffix(p *Program, n int) (changed, end bool) {
	in, at := stmtAt(&p.Body, &n)
	if in == nil {
		return false, true
	}
	s := (*in)[at]
	switch {
	case s.Where != nil:
		s.Where = nil
	case s.Default != nil:
		s.Default = nil
	case len(s.Else) > 0:
		s.Else = nil
	case s.Ranges != nil:
		s.Ranges = nil
	default:
		return false, false
	}
	return true, false
}

func plainOperator(p *Program, n int) (changed, end bool) {
	in, at := stmtAt(&p.Body, &n)
	if in == nil {
		return false, true
	}
	s := (*in)[at]
	if s.Op == "" || s.Op == "=" || s.Atomic {
		return false, false
	}
	s.Op = "="
	return true, false
}

func plainLoops(p *Program, n int) (changed, end bool) {
	in, at := stmtAt(&p.Body, &n)
	if in == nil {
		return false, true
	}
	s := (*in)[at]
	switch {
	case s.Kind == Loop && s.Pipeline:
		s.Pipeline = false
	case s.Kind == Loop && s.Unroll:
		s.Unroll = false
	case s.Space != "":
		s.Space = ""
	default:
		return false, false
	}
	return true, false
}

// dropFeature drops what a program has once.
func dropFeature(p *Program, n int) (changed, end bool) {
	switch n {
	case 0:
		changed, p.Persistent = p.Persistent, false
	case 1:
		changed, p.Panel = p.Panel != 0, 0
	case 2:
		changed, p.Generic = p.Generic != nil, nil
	case 3:
		for _, a := range p.Params {
			changed, a.Strided = changed || a.Strided, false
		}
	case 4:
		changed, p.Requires = p.Requires != nil, nil
	case 5:
		changed, p.TF32 = p.TF32, false
	case 6:
		p.eachExtent(func(e *Extent) {
			changed = changed || e.Name != ""
			e.Name, e.Kind = "", Literal
		})
		p.Extents = nil
	default:
		return false, true
	}
	return changed, false
}

// exprAt finds the place of expression n.
func (p *Program) exprAt(n int) (at **Expr) {
	p.walkAll(func(e **Expr) {
		if n == 0 {
			at = e
		}
		n--
	})
	return at
}

func firstArgument(p *Program, n int) (changed, end bool)  { return argument(p, n, 0) }
func secondArgument(p *Program, n int) (changed, end bool) { return argument(p, n, 1) }
func lastArgument(p *Program, n int) (changed, end bool)   { return argument(p, n, 2) }

// argument puts an operand in place of an expression.
func argument(p *Program, n, which int) (changed, end bool) {
	at := p.exprAt(n)
	switch {
	case at == nil:
		return false, true
	case which >= len((*at).Args) || (*at).Op == Load || (*at).Op == AtomicOld:
		return false, false
	}
	e := (*at).Args[which]
	switch same := e.Type.Elem == (*at).Type.Elem; {
	case same, e.Type.Elem.IsFloat() && (*at).Type.Elem.IsFloat():
		*at = e
	case e.Type.Elem.IsInt() && (*at).Type.Elem.IsInt() && (*at).Op != Convert:
		*at = convert((*at).Type.Elem, e)
	default:
		return false, false
	}
	return true, false
}

func toLiteral(p *Program, n int) (changed, end bool) {
	at := p.exprAt(n)
	if at == nil {
		return false, true
	}
	e := *at
	if e.Op == Lit && (e.Value == 0 || e.Value == 1) {
		return false, false
	}
	v := 1.0
	if e.Type.Index || e.Op == Lit {
		v = 0
	}
	*at = literal(e.Type, v, !e.Type.Index && e.Type.Elem != array.Bool)
	return true, false
}

// eachExtent calls f for every extent, each once.
func (p *Program) eachExtent(f func(*Extent)) {
	seen := map[*Extent]bool{nil: true}
	visit := func(e *Extent) {
		if !seen[e] {
			seen[e] = true
			f(e)
		}
	}
	array := func(a *Array) {
		if a == nil {
			return
		}
		for _, s := range a.Shape {
			visit(s.Extent)
		}
	}
	for _, e := range p.Extents {
		visit(e)
	}
	for _, a := range p.Params {
		array(a)
	}
	for _, g := range p.Grid {
		visit(g.Block)
	}
	walkStmts(p.Body, func(s *Stmt) {
		array(s.Target)
		for _, a := range s.Results {
			array(a)
		}
		for _, b := range s.Index {
			visit(b.Extent)
		}
		for _, e := range slices.Concat(s.Ranges, s.Ints, []*Extent{s.Stages}) {
			visit(e)
		}
	})
	p.walkAll(func(at **Expr) {
		visit((*at).Extent)
		for _, b := range (*at).Over {
			visit(b.Extent)
		}
	})
}

// smaller is the k-th smaller number to try for n, which is above least.
func smaller(n, least int64, k int) (int64, bool) {
	m := []int64{least, n / 4, n / 2, n - 1}[k]
	return m, m >= least && m < n
}

func smallerExtents(k int) edit {
	return func(p *Program, n int) (changed, end bool) {
		end = true
		p.eachExtent(func(e *Extent) {
			if n == 0 {
				end = false
				if m, ok := smaller(e.N, 1, k); ok {
					e.N, changed = m, true
				}
			}
			n--
		})
		return changed, end
	}
}

// smallerDims makes a dimension smaller, or a grid's count or a scalar.
func smallerDims(k int) edit {
	return func(p *Program, n int) (changed, end bool) {
		l := p.Launches[0]
		names := slices.Sorted(maps.Keys(l.Dims))
		switch {
		case n < len(names):
			if m, ok := smaller(l.Dims[names[n]], 0, k); ok {
				l.Dims[names[n]], changed = m, true
			}
		case n < len(names)+len(p.Grid):
			if g := p.Grid[n-len(names)]; g.Dim == "" {
				if m, ok := smaller(g.Count, 1, k); ok {
					g.Count, changed = m, true
				}
			}
		default:
			return false, true
		}
		return changed, false
	}
}

// plainTypes makes an array f32, or i32.
func plainTypes(p *Program, n int) (changed, end bool) {
	var all []*Array
	all = append(all, p.Params...)
	walkStmts(p.Body, func(s *Stmt) {
		if s.Kind == DeclTile {
			all = append(all, s.Target)
		}
	})
	if n >= len(all) {
		return false, true
	}
	a := all[n]
	plain := array.I32
	if a.Elem.IsFloat() {
		plain = array.F32
	}
	if a.Elem == plain || a.Elem == array.Bool {
		return false, false
	}
	a.Elem, a.Generic = plain, false
	p.walkAll(func(at **Expr) {
		if e := *at; e.Op == Load && e.Array == a {
			e.Type = typeOf(plain)
		}
	})
	return true, false
}

func plainInputs(p *Program, n int) (changed, end bool) {
	if n >= len(p.Params) {
		return false, true
	}
	a := p.Params[n]
	if a.Kind == Out || a.Elem == array.Bool || a.Input == (Input{RandInt, 0, 8}) || a.Input.Kind == Constant {
		return false, false
	}
	a.Input = Input{RandInt, 0, 8}
	return true, false
}
