package fuzz

import (
	"tilec/runtime/array"
)

// indexExpr is an expression of indices: free ones, those of loops and the grid.
func (g *generator) indexExpr(depth int, index []Bound) *Expr {
	var x *Expr
	switch {
	case len(index) > 0 && !g.chance(4):
		x = g.freeIndex(pick(g, index))
	default:
		if x = g.scalar(indexType); x == nil {
			x = literal(indexType, float64(g.r.IntN(6)), false)
		}
	}
	if depth <= 0 || g.chance(2) {
		return x
	}
	switch g.r.IntN(5) {
	case 0:
		return binary(pick(g, []string{"+", "-"}), indexType, x, literal(indexType, float64(1+g.r.IntN(9)), false))
	case 1:
		return binary(pick(g, []string{"/", "%"}), indexType, x, literal(indexType, float64(2+g.r.IntN(7)), false))
	case 2:
		return binary("*", indexType, x, literal(indexType, float64(2+g.r.IntN(3)), false))
	}
	return binary(pick(g, []string{"+", "-"}), indexType, x, g.indexExpr(depth-1, index))
}

func (g *generator) freeIndex(b Bound) *Expr {
	return &Expr{Op: Idx, Name: b.Name, Type: indexType}
}

func count(e *Extent) *Expr { return &Expr{Op: Count, Extent: e, Type: indexType} }

// load reads an array of about a type; nil if there is none that fits.
func (g *generator) load(t Type, index []Bound) *Expr {
	var fits []*Array
	for _, a := range g.arrays {
		if g.loads(a, t) {
			fits = append(fits, a)
			if a.Kind == Tile {
				fits = append(fits, a, a) // more often
			}
		}
	}
	for len(fits) > 0 {
		i := g.r.IntN(len(fits))
		if e := g.loadFrom(fits[i], index); e != nil {
			return e
		}
		fits = append(fits[:i:i], fits[i+1:]...)
	}
	return nil
}

// loads reports whether elements of an array may stand for a type.
func (g *generator) loads(a *Array, t Type) bool {
	if a.Kind == Shared || a.Kind == Out {
		return false
	}
	switch t.Elem {
	case array.F32:
		return a.Elem.IsFloat() && a.Elem != array.F64
	case array.F64:
		return a.Elem.IsFloat()
	}
	return a.Elem == t.Elem && !t.Index
}

func (g *generator) loadFrom(a *Array, index []Bound) *Expr {
	e := &Expr{Op: Load, Array: a, Type: typeOf(a.Elem)}
	for d, s := range a.Shape {
		var sub *Expr
		switch {
		case a.Kind == InOut && a.Owned[d] >= 0:
			sub = g.owned(a, d, index)
		case s.Extent != nil && (a.Kind == Tile || g.chance(2)):
			sub = g.inside(s.Extent, index)
		default:
			sub = g.place(s, index)
		}
		if sub == nil {
			return nil
		}
		e.Args = append(e.Args, sub)
	}
	return e
}

// owned is a place along an axis of a tensor that this grid instance owns; nil where
// no index runs over its block.
func (g *generator) owned(a *Array, d int, index []Bound) *Expr {
	x := g.p.Grid[a.Owned[d]]
	at := &Expr{Op: Ref, Name: x.Index, Type: indexType}
	if x.Dim == "" {
		return at
	}
	var same []Bound
	for _, b := range index {
		if b.Extent == x.Block {
			same = append(same, b)
		}
	}
	start := binary("*", indexType, at, count(x.Block))
	switch {
	case x.Block.N == 1 && same == nil:
		return at
	case same == nil:
		return nil
	}
	i := g.freeIndex(pick(g, same))
	if g.chance(8) { // mirrored within the block
		return binary("+", indexType, start, binary("-", indexType, binary("-", indexType, count(x.Block), literal(indexType, 1, false)), i))
	}
	return binary("+", indexType, start, i)
}

// inside is a subscript below an extent.
func (g *generator) inside(n *Extent, index []Bound) *Expr {
	var same, shorter []Bound
	for _, b := range index {
		switch {
		case b.Extent.N == n.N:
			same = append(same, b)
		case b.Extent.N < n.N:
			shorter = append(shorter, b)
		}
	}
	if len(same) > 0 && !g.chance(6) {
		i := g.freeIndex(pick(g, same))
		if g.chance(8) {
			return binary("-", indexType, binary("-", indexType, count(n), literal(indexType, 1, false)), i)
		}
		return i
	}
	if len(shorter) > 0 && g.chance(2) {
		b := pick(g, shorter)
		if most := n.N - b.Extent.N; g.chance(2) {
			return binary("+", indexType, g.freeIndex(b), literal(indexType, float64(1+g.r.Int64N(most)), false))
		}
		if b.Extent.N*2 <= n.N {
			return binary("*", indexType, g.freeIndex(b), literal(indexType, 2, false))
		}
	}
	switch g.weighted(4, 2, 1, 2) {
	case 0:
		return binary("%", indexType, g.indexExpr(1, index), count(n))
	case 1:
		return literal(indexType, float64(g.r.Int64N(n.N)), false)
	case 2:
		if t := g.gathered(index); t != nil {
			return t
		}
	}
	return call("clamp", indexType, g.indexExpr(1, index), literal(indexType, 0, false), binary("-", indexType, count(n), literal(indexType, 1, false)))
}

// gathered is an index that is data; it may lie anywhere.
func (g *generator) gathered(index []Bound) *Expr {
	if g.gather > 1 {
		return nil
	}
	g.gather++
	e := g.load(typeOf(array.I32), index)
	g.gather--
	if e == nil {
		return nil
	}
	if g.chance(3) {
		return e
	}
	return binary("%", typeOf(array.I32), e, literal(typeOf(array.I32), float64(1+g.r.IntN(40)), false))
}

// place is a subscript of a tensor: of this instance's block, of a loop's, or
// somewhere else, outside as well.
func (g *generator) place(s Size, index []Bound) *Expr {
	if s.Dim == "" {
		if len(index) > 0 {
			return g.shifted(g.freeIndex(pick(g, index)))
		}
		return literal(indexType, float64(g.r.Int64N(s.Extent.N)), false)
	}
	base, block := g.base(s.Dim)
	i := g.blockIndex(block, index)
	switch {
	case g.chance(12):
		if t := g.gathered(index); t != nil {
			return t
		}
	case base == nil && i == nil:
		return literal(indexType, float64(g.r.IntN(4)), false)
	case base == nil:
		return g.shifted(i)
	case i == nil:
		return g.shifted(base)
	case g.chance(20): // from the far end
		return binary("-", indexType, binary("-", indexType, &Expr{Op: Ref, Name: s.Dim, Type: indexType}, literal(indexType, 1, false)), binary("+", indexType, base, i))
	}
	if base == nil || i == nil {
		return literal(indexType, 0, false)
	}
	return g.shifted(binary("+", indexType, base, i))
}

// shifted moves a place by a little, now and then.
func (g *generator) shifted(e *Expr) *Expr {
	if !g.chance(6) {
		return e
	}
	return binary(pick(g, []string{"+", "-"}), indexType, e, literal(indexType, float64(1+g.r.IntN(5)), false))
}

// base is where the block of a dimension starts that the grid or a loop is at; nil
// if neither runs over it.
func (g *generator) base(dim string) (*Expr, *Extent) {
	for i := len(g.loops) - 1; i >= 0; i-- {
		if l := g.loops[i]; l.dim == dim {
			return binary("*", indexType, &Expr{Op: Ref, Name: l.scalar.Name, Type: indexType}, count(l.block)), l.block
		}
	}
	for _, x := range g.p.Grid {
		if x.Dim == dim {
			if s := g.starts[dim]; s != nil && g.chance(2) {
				return &Expr{Op: Ref, Name: s.Name, Type: indexType}, x.Block
			}
			return binary("*", indexType, &Expr{Op: Ref, Name: x.Index, Type: indexType}, count(x.Block)), x.Block
		}
	}
	return nil, nil
}

// blockIndex is a free index, one that runs over the block if there is one.
func (g *generator) blockIndex(block *Extent, index []Bound) *Expr {
	var same []Bound
	for _, b := range index {
		if b.Extent == block {
			same = append(same, b)
		}
	}
	switch {
	case len(same) > 0 && !g.chance(8):
		return g.freeIndex(pick(g, same))
	case len(index) > 0:
		return g.freeIndex(pick(g, index))
	}
	return nil
}

// reduction combines an expression over one or two new indices; nil if it would be
// too large.
func (g *generator) reduction(t Type, depth int, index []Bound) *Expr {
	if g.palette == nil {
		return nil // a function on scalars knows no extents
	}
	e := &Expr{Op: Reduce, Type: t}
	points := int64(1)
	for _, b := range index {
		points *= b.Extent.N
	}
	for range 1 + g.weighted(5, 1) {
		b := Bound{Name: g.name("r"), Extent: pick(g, g.palette), Stated: g.chance(4)}
		points *= b.Extent.N
		e.Over = append(e.Over, b)
	}
	if points > maxPoints {
		return nil
	}
	inner := append(append([]Bound{}, e.Over...), e.Over...)
	inner = append(inner, index...)
	body := func(t Type) *Expr { return g.expr(t, min(depth-1, 2), inner) }
	switch {
	case t.Elem == array.Bool:
		e.Name = pick(g, []string{"any", "all"})
		e.Args = []*Expr{body(t)}
	case t.Elem.IsFloat():
		e.Name = pick(g, []string{"sum", "sum", "max", "min", "prod"})
		x := body(t)
		if e.Name == "sum" && g.chance(3) {
			y := body(t)
			x = binary("*", computed(x, y), x, y)
		}
		e.Args, e.Type = []*Expr{x}, computed(x)
	default:
		e.Name = pick(g, []string{"sum", "max", "min", "prod", "argmax", "argmin"})
		if e.Name == "argmax" || e.Name == "argmin" {
			e.Args = []*Expr{body(typeOf(array.F32))}
			e.Type = indexType
			return convert(t.Elem, e)
		}
		e.Args = []*Expr{body(t)}
		if (e.Name == "sum" || e.Name == "prod") && t.Elem.Bits() < 32 {
			e.Type = typeOf(array.I32)
			return convert(t.Elem, e)
		}
	}
	return e
}
