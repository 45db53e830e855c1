package fuzz

import (
	"slices"

	"tilec/runtime/array"
)

// tileFunction is a call of a function on tiles: one that changes a tile, or one that
// makes one.
func (g *generator) tileFunction() []*Stmt {
	all := g.tiles(func(a *Array) bool { return a.Elem.Bits() >= 8 })
	if all == nil {
		return g.copyIn()
	}
	// The function sees a few tiles, and nothing else of the kernel.
	g.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	arrays, scalars, loops, budget := g.arrays, g.scalars, g.loops, g.budget
	g.arrays, g.scalars, g.loops = slices.Clone(all[:min(len(all), 1+g.r.IntN(3))]), nil, nil
	s := &Stmt{Kind: Called, Name: g.name("f")}
	if g.chance(3) {
		s.Body = append(s.Body, g.reduceTile()...)
	}
	if g.chance(2) {
		s.Body = append(s.Body, g.assign()...)
	} else {
		s.Body = append(s.Body, g.letTile()...)
		made := s.Body[len(s.Body)-1]
		made.Target.Generic = false
		made.Value = convert(made.Target.Elem, made.Value) // the type that is declared, whatever conditions choose
		s.Target = made.Target
	}
	g.arrays, g.scalars, g.loops, g.budget = arrays, scalars, loops, budget
	if s.Target != nil {
		g.arrays = append(g.arrays, s.Target)
	}
	return []*Stmt{s}
}

// aside fills a block of a tile, prints, or asserts what always holds.
func (g *generator) aside() []*Stmt {
	all := g.tiles(func(a *Array) bool { return a.Elem.Bits() >= 8 })
	if all == nil {
		return g.copyIn()
	}
	t := pick(g, all)
	switch g.weighted(4, 1, 2) {
	case 1:
		e := g.expr(typeOf(array.I32), 1, nil)
		return []*Stmt{{Kind: PrintStmt, Name: "value", Value: e}}
	case 2:
		if t.Elem.IsInt() {
			index := indices(t.extents())
			element := func() *Expr {
				x := &Expr{Op: Load, Array: t, Type: typeOf(t.Elem)}
				for _, b := range index {
					x.Args = append(x.Args, g.freeIndex(b))
				}
				return x
			}
			nothing := binary("^", typeOf(t.Elem), element(), element())
			return []*Stmt{{Kind: AssertStmt, Index: index, Value: binary("==", typeOf(array.Bool), nothing, literal(nothing.Type, 0, false))}}
		}
	}
	s := &Stmt{Kind: Fill, Target: t, Value: g.constant(t.Elem)}
	if g.chance(2) {
		for _, x := range t.Shape {
			n := 1 + g.r.Int64N(x.Extent.N)
			s.Ranges = append(s.Ranges, &Extent{N: n, Kind: Literal})
			s.Subs = append(s.Subs, literal(indexType, float64(g.r.Int64N(x.Extent.N-n+1)), false))
		}
	}
	return []*Stmt{s}
}
