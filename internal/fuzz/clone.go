package fuzz

import (
	"maps"
	"slices"
)

// cloner copies a program; what nodes share stays shared among the copies.
type cloner struct {
	extents map[*Extent]*Extent
	arrays  map[*Array]*Array
	scalars map[*Scalar]*Scalar
	funcs   map[*Func]*Func
}

// Clone returns a copy that shares nothing with p.
func (p *Program) Clone() *Program {
	c := &cloner{map[*Extent]*Extent{}, map[*Array]*Array{}, map[*Scalar]*Scalar{}, map[*Func]*Func{}}
	q := *p
	if p.Generic != nil {
		g := *p.Generic
		q.Generic = &g
	}
	q.Extents = each(p.Extents, c.extent)
	q.Params = each(p.Params, c.array)
	q.Scalars = each(p.Scalars, c.scalar)
	q.Funcs = each(p.Funcs, c.function)
	q.Grid = each(p.Grid, func(a *Axis) *Axis {
		b := *a
		b.Block = c.extent(a.Block)
		return &b
	})
	q.Body = each(p.Body, c.stmt)
	q.Requires = slices.Clone(p.Requires)
	q.Launches = each(p.Launches, func(l *Launch) *Launch {
		return &Launch{Dims: maps.Clone(l.Dims), Scalars: maps.Clone(l.Scalars)}
	})
	return &q
}

func each[T any](list []T, f func(T) T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// copied returns the copy of a shared node, made once.
func copied[T any](seen map[*T]*T, x *T) (y *T, isNew bool) {
	if x == nil {
		return nil, false
	}
	if y := seen[x]; y != nil {
		return y, false
	}
	y = new(T)
	*y = *x
	seen[x] = y
	return y, true
}

func (c *cloner) extent(e *Extent) *Extent {
	d, _ := copied(c.extents, e)
	return d
}

func (c *cloner) scalar(s *Scalar) *Scalar {
	t, _ := copied(c.scalars, s)
	return t
}

func (c *cloner) array(a *Array) *Array {
	b, isNew := copied(c.arrays, a)
	if isNew {
		b.Shape = each(a.Shape, func(s Size) Size { s.Extent = c.extent(s.Extent); return s })
		b.Owned = slices.Clone(a.Owned)
	}
	return b
}

func (c *cloner) function(f *Func) *Func {
	g, isNew := copied(c.funcs, f)
	if isNew {
		g.Params = each(f.Params, c.scalar)
		g.Body = c.expr(f.Body)
	}
	return g
}

func (c *cloner) bound(b Bound) Bound {
	b.Extent = c.extent(b.Extent)
	return b
}

func (c *cloner) expr(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	d := *e
	d.Array = c.array(e.Array)
	d.Extent = c.extent(e.Extent)
	d.Func = c.function(e.Func)
	d.Args = each(e.Args, c.expr)
	d.Over = each(e.Over, c.bound)
	return &d
}

func (c *cloner) stmt(s *Stmt) *Stmt {
	t := *s
	t.Target, t.Source, t.Source2 = c.array(s.Target), c.array(s.Source), c.array(s.Source2)
	t.Scalar, t.Stages = c.scalar(s.Scalar), c.extent(s.Stages)
	t.Value, t.Where, t.Default, t.Lo, t.Hi = c.expr(s.Value), c.expr(s.Where), c.expr(s.Default), c.expr(s.Lo), c.expr(s.Hi)
	t.Index = each(s.Index, c.bound)
	t.Subs, t.From = each(s.Subs, c.expr), each(s.From, c.expr)
	t.Ranges, t.Ints = each(s.Ranges, c.extent), each(s.Ints, c.extent)
	t.Sources, t.Results = each(s.Sources, c.array), each(s.Results, c.array)
	t.Perm = slices.Clone(s.Perm)
	t.Body, t.Else = each(s.Body, c.stmt), each(s.Else, c.stmt)
	return &t
}

// walkStmts calls f for every statement of a list, outer ones first.
func walkStmts(list []*Stmt, f func(*Stmt)) {
	for _, s := range list {
		f(s)
		walkStmts(s.Body, f)
		walkStmts(s.Else, f)
	}
}

// exprs lists the places of a statement's own expressions.
func (s *Stmt) exprs() []**Expr {
	all := []**Expr{&s.Value, &s.Where, &s.Default, &s.Lo, &s.Hi}
	for i := range s.Subs {
		all = append(all, &s.Subs[i])
	}
	for i := range s.From {
		all = append(all, &s.From[i])
	}
	return slices.DeleteFunc(all, func(e **Expr) bool { return *e == nil })
}

// walk calls f for the place of an expression and of all within it, outer ones first.
func walk(at **Expr, f func(**Expr)) {
	f(at)
	for i := range (*at).Args {
		walk(&(*at).Args[i], f)
	}
}

// walkAll calls f for the place of every expression of the program.
func (p *Program) walkAll(f func(**Expr)) {
	for _, fn := range p.Funcs {
		walk(&fn.Body, f)
	}
	walkStmts(p.Body, func(s *Stmt) {
		for _, at := range s.exprs() {
			walk(at, f)
		}
	})
}
