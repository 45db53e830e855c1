package fuzz

import (
	"slices"

	"tilec/runtime/array"
)

// nest grows the body of a statement, in a scope of its own.
func (g *generator) nest(grow func()) {
	arrays, scalars := g.arrays, g.scalars
	inputs := g.inputs()
	g.depth++
	grow()
	g.depth--
	made := g.inputs() - inputs // they stand in front and stay
	g.arrays = append(append([]*Array{}, g.arrays[:made]...), arrays...)
	g.scalars = scalars
}

func (g *generator) inputs() int {
	n := 0
	for _, a := range g.arrays {
		if a.Kind == In {
			n++
		}
	}
	return n
}

// loop is a for or pipeline: over the blocks of a dimension, or of some count.
func (g *generator) loop() []*Stmt {
	var list []*Stmt
	for range g.r.IntN(3) { // carried by the loop
		list = append(list, g.declare(g.shape(), pick(g, []array.DType{array.F32, array.F32, array.I32, pick(g, g.floats)}))...)
	}
	s := &Stmt{Kind: Loop, Scalar: &Scalar{Name: g.name("k"), Type: indexType}, Step: 1}
	s.Lo = literal(indexType, 0, false)
	around := loopIndex{scalar: s.Scalar}
	if len(g.loopDims) > 0 && !g.chance(4) {
		around.dim, around.block = pick(g, g.loopDims), pick(g, g.palette)
		if around.block.N < 4 {
			around.block = &Extent{N: 8, Kind: Literal}
		}
		g.holdDim(around.dim)
		s.Hi = call("ceildiv", indexType, &Expr{Op: Ref, Name: around.dim, Type: indexType}, count(around.block))
	} else {
		g.count(s)
	}
	if s.Pipeline = g.chance(2); s.Pipeline {
		s.Stages = &Extent{N: int64(1 + g.r.IntN(4)), Kind: Literal}
		if g.chance(4) {
			s.Stages.Kind, s.Stages.Name = Tunable, g.name("stages")
			s.Stages.Others = []int64{1, 3}
			g.p.Extents = append(g.p.Extents, s.Stages)
		}
	} else {
		s.Unroll = s.Hi.Op == Lit && g.chance(3)
	}
	g.nest(func() {
		g.loops = append(g.loops, around)
		g.scalars = append(g.scalars, s.Scalar)
		for range g.r.IntN(3) {
			s.Body = append(s.Body, g.copyIn()...)
		}
		if g.chance(3) {
			s.Body = append(s.Body, g.contraction()...)
		}
		s.Body = append(s.Body, g.assign()...)
		s.Body = append(s.Body, g.statements(1+g.r.IntN(4))...)
		g.loops = g.loops[:len(g.loops)-1]
	})
	return append(list, s)
}

// holdDim makes sure that some tensor has a dimension.
func (g *generator) holdDim(dim string) {
	for _, a := range g.p.Params {
		for _, s := range a.Shape {
			if s.Dim == dim {
				return
			}
		}
	}
	a := g.input(g.elem(), 1)
	a.Shape[len(a.Shape)-1] = Size{Dim: dim, Factor: 1}
}

// count gives a loop bounds that are not a dimension's.
func (g *generator) count(s *Stmt) {
	n := func(v int) *Expr { return literal(indexType, float64(v), false) }
	switch g.r.IntN(5) {
	case 0:
		s.Hi = n(g.r.IntN(6))
	case 1:
		s.Lo, s.Hi = n(g.r.IntN(3)), n(g.r.IntN(7))
		s.Step = int64(1 + g.r.IntN(3))
	case 2: // up to the grid's index
		s.Hi = binary("+", indexType, &Expr{Op: Ref, Name: pick(g, g.p.Grid).Index, Type: indexType}, n(g.r.IntN(2)))
	case 3: // from it on
		s.Lo = &Expr{Op: Ref, Name: pick(g, g.p.Grid).Index, Type: indexType}
		s.Hi = n(1 + g.r.IntN(5))
	default:
		if e := g.scalar(typeOf(array.I32)); e != nil {
			s.Hi = call("clamp", typeOf(array.I32), e, literal(typeOf(array.I32), 0, false), literal(typeOf(array.I32), 5, false))
			return
		}
		s.Hi = n(1 + g.r.IntN(9))
	}
}

// while halves a number until it is 0.
func (g *generator) while() []*Stmt {
	s := &Stmt{Kind: WhileLoop, Scalar: &Scalar{Name: g.name("w"), Type: typeOf(array.I32)}}
	s.Value = binary("%", typeOf(array.I32), convert(array.I32, g.indexExpr(1, nil)), literal(typeOf(array.I32), float64(1+g.r.IntN(12)), false))
	g.nest(func() {
		g.scalars = append(g.scalars, s.Scalar)
		s.Body = append(g.assign(), g.statements(1+g.r.IntN(2))...)
	})
	return []*Stmt{s}
}

// branch is an if on a condition that the whole instance shares.
func (g *generator) branch() []*Stmt {
	s := &Stmt{Kind: If, Value: g.boolExpr(2, nil)}
	g.nest(func() { s.Body = append(g.assign(), g.statements(1+g.r.IntN(2))...) })
	if g.chance(2) {
		g.nest(func() { s.Else = append(g.assign(), g.statements(g.r.IntN(2))...) })
	}
	return []*Stmt{s}
}

// atomic combines into a shared tensor.
func (g *generator) atomic() []*Stmt {
	var fits []*Array
	for _, a := range g.p.Params {
		if a.Kind == Shared && a != g.tickets {
			fits = append(fits, a)
		}
	}
	if fits == nil || g.chance(4) {
		return g.ticket()
	}
	t := pick(g, fits)
	shape := g.shape()
	s := &Stmt{Kind: Assign, Atomic: true, Target: t, Index: indices(shape)}
	s.Op = "+="
	if w := g.counters["op "+t.Name]; w == 0 { // one operator a tensor, as others do not commute with it
		g.counters["op "+t.Name] = 1 + g.weighted(3, 1, 1, 1)
	}
	switch g.counters["op "+t.Name] {
	case 2:
		s.Op = "max="
	case 3:
		s.Op = "min="
	case 4:
		s.Op = "|="
	}
	if t.Elem.IsFloat() && s.Op == "|=" || t.Elem == array.F16 || t.Elem == array.BF16 {
		s.Op = "+="
	}
	for _, x := range t.Shape {
		if g.chance(4) {
			s.Subs = append(s.Subs, g.shifted(g.freeIndex(pick(g, s.Index))))
		} else {
			s.Subs = append(s.Subs, g.inside(x.Extent, s.Index))
		}
	}
	s.Index = slices.DeleteFunc(s.Index, func(b Bound) bool { return !s.onLeft(b.Name) })
	s.Value = g.valueFor(t.Elem, 2, s.Index)
	if t.Elem.IsInt() && g.chance(3) {
		s.Value = literal(typeOf(t.Elem), 1, false)
	}
	if g.chance(4) {
		s.Where = g.boolExpr(1, s.Index)
	}
	for i := range s.Index {
		s.Index[i].Stated = true
	}
	return []*Stmt{s}
}

// ticket changes an element that this grid instance has for itself, and keeps the
// value from before.
func (g *generator) ticket() []*Stmt {
	if g.tickets == nil {
		g.tickets = &Array{Name: g.name("C"), Kind: Shared, Elem: pick(g, []array.DType{array.I32, array.I32, array.U32, array.I64})}
		for _, x := range g.p.Grid {
			s := Size{Dim: x.Dim, Factor: 1}
			if x.Dim == "" {
				s = Size{Extent: &Extent{N: x.Count, Kind: Literal}}
			}
			g.tickets.Shape = append(g.tickets.Shape, s)
		}
		g.tickets.Input = g.contents(g.tickets.Elem)
		g.p.Params = append(g.p.Params, g.tickets)
	}
	t := typeOf(g.tickets.Elem)
	e := &Expr{Op: AtomicOld, Type: t, Array: g.tickets, Name: pick(g, []string{"+=", "+=", "max=", "min=", "|=", "&=", "="})}
	for _, x := range g.p.Grid {
		e.Args = append(e.Args, &Expr{Op: Ref, Name: x.Index, Type: indexType})
	}
	e.Args = append(e.Args, g.expr(t, 2, nil))
	s := &Scalar{Name: g.name("s"), Type: t}
	g.scalars = append(g.scalars, s)
	return []*Stmt{{Kind: LetScalar, Scalar: s, Value: e}}
}

// earlyOut writes an out or inout tensor before the end, in a loop perhaps.
func (g *generator) earlyOut() []*Stmt {
	var fits []*Array
	for _, a := range g.p.Params {
		if a.Kind == InOut || a.Kind == Out {
			fits = append(fits, a)
		}
	}
	return g.writeOut(pick(g, fits))
}

// writeOut writes the part of a tensor that this grid instance owns.
func (g *generator) writeOut(a *Array) []*Stmt {
	if g.chance(3) {
		if list := g.copyOut(a); list != nil {
			return list
		}
	}
	s := &Stmt{Kind: Assign, Target: a, Op: "="}
	for d, x := range a.Shape {
		b := Bound{Name: indexNames[d]}
		var at *Expr
		if owner := a.Owned[d]; owner >= 0 {
			axis := g.p.Grid[owner]
			at = &Expr{Op: Ref, Name: axis.Index, Type: indexType}
			if axis.Dim != "" {
				start, block := g.gridStart(axis)
				b.Extent = block
				at = binary("+", indexType, start, g.freeIndex(b))
			}
		} else {
			at = g.anywhere(x, &b)
		}
		s.Subs = append(s.Subs, at)
		if b.Extent != nil {
			b.Stated = true
			s.Index = append(s.Index, b)
		}
	}
	points := int64(1)
	for _, b := range s.Index {
		points *= b.Extent.N
	}
	if points > maxPoints {
		return nil
	}
	s.Value = g.valueFor(a.Elem, 1+g.r.IntN(3), s.Index)
	if a.Kind == InOut {
		s.Op = g.operator(a.Elem)
	}
	if a.Kind == InOut && a.Elem.Bits() < 8 {
		s.Op = "="
	}
	if g.chance(5) && len(s.Index) > 0 {
		s.Where = g.boolExpr(1, s.Index)
	}
	s.Default = g.outside(s.Value)
	return []*Stmt{s}
}

// gridStart is where the block of a grid index starts.
func (g *generator) gridStart(x *Axis) (*Expr, *Extent) {
	if s := g.starts[x.Dim]; s != nil && g.chance(2) {
		return &Expr{Op: Ref, Name: s.Name, Type: indexType}, x.Block
	}
	return binary("*", indexType, &Expr{Op: Ref, Name: x.Index, Type: indexType}, count(x.Block)), x.Block
}

// anywhere is a place along an axis of a tensor that one instance has for itself.
func (g *generator) anywhere(x Size, b *Bound) *Expr {
	if x.Dim != "" {
		if base, block := g.base(x.Dim); base != nil {
			b.Extent = block
			return binary("+", indexType, base, g.freeIndex(*b))
		}
	}
	b.Extent = x.Extent
	if b.Extent == nil || g.chance(6) {
		b.Extent = pick(g, g.palette)
	}
	return g.shifted(g.freeIndex(*b))
}

// copyOut copies a tile over the block that this instance owns; nil if the axes do
// not allow it.
func (g *generator) copyOut(a *Array) []*Stmt {
	s := &Stmt{Kind: Copy, Target: a}
	var shape []*Extent
	for d, x := range a.Shape {
		at := literal(indexType, 0, false)
		var e *Extent
		if owner := a.Owned[d]; owner >= 0 {
			axis := g.p.Grid[owner]
			at = &Expr{Op: Ref, Name: axis.Index, Type: indexType}
			if axis.Dim != "" {
				at, e = g.gridStart(axis)
			}
		} else if e = x.Extent; e == nil {
			base, block := g.base(x.Dim)
			if base == nil {
				return nil
			}
			at, e = base, block
		}
		switch {
		case e != nil:
			shape = append(shape, e)
		case len(shape) > 0:
			return nil // single indices stand in front
		}
		s.Subs = append(s.Subs, at)
	}
	n := int64(1)
	for _, e := range shape {
		n *= e.N
	}
	if len(shape) == 0 || n > maxTile {
		return nil
	}
	index := indices(shape)
	v := g.valueFor(a.Elem, 1+g.r.IntN(2), index)
	if a.Elem.IsInt() && v.Type.Elem != a.Elem || a.Elem == array.Bool && v.Type.Elem != array.Bool || v.Type.Index {
		v = convert(a.Elem, v)
	}
	let := g.newTile(index, v)
	s.Source = let.Target
	return []*Stmt{let, s}
}

// onLeft reports that a free index stands in a subscript of the target.
func (s *Stmt) onLeft(name string) bool {
	return slices.ContainsFunc(s.Subs, func(e *Expr) bool { return mentions(e, name) })
}
