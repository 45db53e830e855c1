package fuzz

import (
	"tilec/runtime/array"
)

// indexNames are the free indices of a statement.
var indexNames = []string{"i", "j", "l", "m", "n"}

// statements grows up to about n statements.
func (g *generator) statements(n int) []*Stmt {
	var list []*Stmt
	for range n {
		if g.budget--; g.budget < 0 {
			break
		}
		list = append(list, g.statement()...)
	}
	return list
}

func (g *generator) statement() []*Stmt {
	nested := 3
	if g.depth >= 2 {
		nested = 0
	}
	switch g.weighted(10, 3, 6, 8, 5, 6, 3, 3, 2*nested, nested/3, nested/2, 2, 2, 2, 1, 2) {
	case 0:
		return g.letTile()
	case 1:
		return g.declare(g.shape(), g.elem())
	case 2:
		return g.copyIn()
	case 3:
		return g.assign()
	case 4:
		return g.reduceTile()
	case 5:
		return g.contraction()
	case 6:
		return g.scan()
	case 7:
		return g.scalarStmt()
	case 8:
		return g.loop()
	case 9:
		return g.while()
	case 10:
		return g.branch()
	case 11:
		return g.atomic()
	case 12:
		return g.moveTile()
	case 13:
		return g.earlyOut()
	case 14:
		return g.aside()
	case 15:
		return g.tileFunction()
	}
	return nil
}

// shape draws the extents of a tile.
func (g *generator) shape() []*Extent {
	var shape []*Extent
	n := int64(1)
	for range 1 + g.weighted(10, 14, 4, 2, 1) {
		e := pick(g, g.palette)
		if n*e.N > maxTile {
			continue
		}
		n *= e.N
		shape = append(shape, e)
	}
	if shape == nil {
		shape = []*Extent{{N: 4, Kind: Literal}}
	}
	return shape
}

func indices(shape []*Extent) []Bound {
	var index []Bound
	for d, e := range shape {
		index = append(index, Bound{Name: indexNames[d], Extent: e})
	}
	return index
}

func (g *generator) tile(elem array.DType, shape []*Extent) *Array {
	a := &Array{Name: g.name("t"), Kind: Tile, Elem: elem, Generic: g.isGeneric(elem)}
	for _, e := range shape {
		a.Shape = append(a.Shape, Size{Extent: e})
	}
	return a
}

func (a *Array) extents() []*Extent {
	var shape []*Extent
	for _, s := range a.Shape {
		shape = append(shape, s.Extent)
	}
	return shape
}

// declare declares a tile with a value.
func (g *generator) declare(shape []*Extent, elem array.DType) []*Stmt {
	t := g.tile(elem, shape)
	s := &Stmt{Kind: DeclTile, Target: t, Value: g.constant(elem)}
	if g.chance(12) {
		s.Space = pick(g, []string{"shared", "shared", "register"})
	}
	g.arrays = append(g.arrays, t)
	return []*Stmt{s}
}

// constant is a literal, mostly 0.
func (g *generator) constant(t array.DType) *Expr {
	v := 0.0
	switch {
	case t == array.Bool:
		v = float64(g.r.IntN(2))
	case g.chance(3) && t.IsInt():
		v = g.intLiteral(t)
	case g.chance(3) && t.IsFloat():
		v = g.floatLiteral()
	}
	if t == array.F8E8M0 || t == array.F4E2M1 {
		v = 1
	}
	return literal(typeOf(t), v, false)
}

// valueFor is an expression whose value may be stored into elements of a type.
func (g *generator) valueFor(t array.DType, depth int, index []Bound) *Expr {
	switch {
	case t.Bits() < 8:
		if e := g.load(typeOf(t), index); e != nil && g.chance(2) {
			return e
		}
		if t.IsFloat() {
			return g.expr(typeOf(array.F32), depth, index)
		}
		return convert(t, g.expr(typeOf(array.I32), depth, index))
	case t.IsFloat() && t != array.F64:
		return g.expr(typeOf(array.F32), depth, index)
	}
	e := g.expr(typeOf(t), depth, index)
	if t == array.F64 && e.Type.Elem != t && g.chance(2) {
		e = convert(t, e)
	}
	return e
}

// letTile makes a tile of an expression.
func (g *generator) letTile() []*Stmt {
	elem := g.elem()
	index := indices(g.shape())
	v := g.valueFor(elem, 1+g.r.IntN(3), index)
	if v.Type.Elem != elem || v.Type.Index {
		v = convert(elem, v)
		v.Generic = g.isGeneric(elem)
	}
	return []*Stmt{g.newTile(index, v)}
}

// newTile is a let of a tile, declared from here on.
func (g *generator) newTile(index []Bound, v *Expr) *Stmt {
	s := &Stmt{Kind: LetTile, Index: index, Value: v}
	var shape []*Extent
	for i := range index {
		index[i].Stated = g.chance(3)
		shape = append(shape, index[i].Extent)
	}
	s.Target = g.tile(v.Type.Elem, shape)
	s.Default = g.outside(v)
	g.arrays = append(g.arrays, s.Target)
	return s
}

// outside is an else for the tensors that an expression reads, now and then.
func (g *generator) outside(v *Expr) *Expr {
	if !g.chance(8) {
		return nil
	}
	var read *Array
	fits := true
	walk(&v, func(at **Expr) {
		if e := *at; e.Op == Load && e.Array.Kind != Tile {
			fits = fits && (read == nil || read.Elem == e.Array.Elem)
			read = e.Array
		}
	})
	if read == nil || !fits {
		return nil
	}
	return g.constant(read.Elem)
}

// copyIn copies a block of a tensor into a new tile.
func (g *generator) copyIn() []*Stmt {
	src := g.source(0)
	shape := g.blockShape(src)
	elem := src.Elem
	if elem.IsFloat() && g.chance(5) {
		elem = pick(g, g.floats)
	}
	t := g.tile(elem, shape)
	list := []*Stmt{{Kind: DeclTile, Target: t}, g.copyBlock(src, t)}
	if g.chance(15) {
		list[0].Space = "shared"
	}
	g.arrays = append(g.arrays, t)
	return list
}

// source is an input tensor of at least some rank.
func (g *generator) source(rank int) *Array {
	var fits []*Array
	for _, a := range g.arrays {
		if a.Kind == In && len(a.Shape) >= rank {
			fits = append(fits, a)
		}
	}
	if fits == nil {
		return g.input(g.elem(), rank)
	}
	return pick(g, fits)
}

// blockShape draws the extents of a block of a tensor: what the grid or a loop cuts
// its dimensions into, mostly.
func (g *generator) blockShape(a *Array) []*Extent {
	rank := 1 + g.r.IntN(len(a.Shape))
	var shape []*Extent
	n := int64(1)
	for _, s := range a.Shape[len(a.Shape)-rank:] {
		e := s.Extent
		if s.Dim != "" {
			_, e = g.base(s.Dim)
		}
		if e == nil || g.chance(6) {
			e = pick(g, g.palette)
		}
		for n*e.N > maxTile {
			e = &Extent{N: max(1, maxTile/n/2), Kind: Literal}
		}
		n *= e.N
		shape = append(shape, e)
	}
	return shape
}

// copyBlock copies a block of a tensor over all of a tile.
func (g *generator) copyBlock(src, t *Array) *Stmt {
	s := &Stmt{Kind: Copy, Source: src, Target: t}
	first := len(src.Shape) - len(t.Shape)
	for d, x := range src.Shape {
		var at *Expr
		if x.Dim != "" {
			if at, _ = g.base(x.Dim); at != nil && d < first && at.Op == Binary {
				at = at.Args[0] // one of the indices of the block
			}
		}
		switch {
		case at == nil && g.chance(4):
			at = literal(indexType, float64(g.r.IntN(5)), false)
		case at == nil:
			at = literal(indexType, 0, false)
		}
		if g.chance(15) {
			at = binary("+", indexType, at, literal(indexType, float64(1+g.r.IntN(5)), false))
		}
		s.From = append(s.From, at)
		var e *Extent
		if d >= first {
			e = t.Shape[d-first].Extent
		}
		s.Ranges = append(s.Ranges, e)
	}
	if !g.chance(6) {
		s.Ranges = nil
	}
	if g.chance(5) {
		s.Default = g.constant(src.Elem)
	}
	return s
}

// tiles lists the tiles in scope that have a type, or all.
func (g *generator) tiles(fits func(*Array) bool) []*Array {
	var all []*Array
	for _, a := range g.arrays {
		if a.Kind == Tile && fits(a) {
			all = append(all, a)
		}
	}
	return all
}

// writable is a tile to change, one of outside the loop if there is one.
func (g *generator) writable(fits func(*Array) bool) *Array {
	all := g.tiles(fits)
	if all == nil {
		return nil
	}
	if len(g.loops) > 0 && g.chance(2) {
		return all[0]
	}
	return pick(g, all)
}

var operators = []string{"=", "=", "=", "+=", "+=", "*=", "max=", "min="}

func (g *generator) operator(t array.DType) string {
	switch {
	case t == array.Bool:
		return pick(g, []string{"=", "|=", "&="})
	case t.IsInt() && g.chance(4):
		return pick(g, []string{"|=", "&="})
	}
	return pick(g, operators)
}

// assign changes a tile in place.
func (g *generator) assign() []*Stmt {
	t := g.writable(func(a *Array) bool { return a.Elem.Bits() >= 8 || g.chance(3) })
	if t == nil {
		return g.letTile()
	}
	s := &Stmt{Kind: Assign, Target: t, Op: g.operator(t.Elem)}
	if t.Elem.Bits() < 8 {
		s.Op = "="
	}
	for d, x := range t.Shape {
		b := Bound{Name: indexNames[d], Extent: x.Extent}
		sub := g.freeIndex(b)
		switch {
		case g.chance(14):
			sub, b.Extent = literal(indexType, float64(g.r.Int64N(x.Extent.N)), false), nil
		case g.chance(14):
			sub = binary("-", indexType, binary("-", indexType, count(x.Extent), literal(indexType, 1, false)), sub)
		case g.chance(14):
			short := pick(g, g.palette)
			if short.N < x.Extent.N {
				b.Extent, b.Stated = short, true
				if g.chance(2) {
					sub = binary("+", indexType, sub, literal(indexType, float64(x.Extent.N-short.N), false))
				}
			}
		}
		s.Subs = append(s.Subs, sub)
		if b.Extent != nil {
			s.Index = append(s.Index, b)
		}
	}
	s.Value = g.valueFor(t.Elem, 1+g.r.IntN(3), s.Index)
	if g.chance(4) && len(s.Index) > 0 {
		s.Where = g.boolExpr(1, s.Index)
	}
	s.Default = g.outside(s.Value)
	return []*Stmt{s}
}

// reduceTile reduces along some axes of a tile into a new one.
func (g *generator) reduceTile() []*Stmt {
	all := g.tiles(func(a *Array) bool { return len(a.Shape) >= 1 && a.Elem.Bits() >= 8 })
	if all == nil {
		return g.copyIn()
	}
	t := pick(g, all)
	e := &Expr{Op: Reduce}
	access := &Expr{Op: Load, Array: t, Type: typeOf(t.Elem)}
	var index []Bound
	for _, x := range t.Shape {
		b := Bound{Extent: x.Extent}
		if len(e.Over) == 0 || g.chance(2) {
			b.Name = g.name("r")
			e.Over = append(e.Over, b)
		} else {
			b.Name = indexNames[len(index)]
			index = append(index, b)
		}
		access.Args = append(access.Args, g.freeIndex(b))
	}
	if len(t.Shape) > 1 && g.chance(2) { // another axis than the first
		index, e.Over = nil, nil
		along := g.r.IntN(len(t.Shape))
		for d, x := range t.Shape {
			b := Bound{Extent: x.Extent}
			if d == along {
				b.Name = g.name("r")
				e.Over = append(e.Over, b)
			} else {
				b.Name = indexNames[len(index)]
				index = append(index, b)
			}
			access.Args[d] = g.freeIndex(b)
		}
	}
	g.reduceInto(e, access, append(append([]Bound{}, index...), e.Over...))
	var v *Expr = e
	switch {
	case e.Type.Index:
		v = convert(array.I32, e)
	case g.chance(3):
		v = g.around(e, index)
	}
	if index == nil {
		sc := &Scalar{Name: g.name("s"), Type: v.Type}
		g.scalars = append(g.scalars, sc)
		return []*Stmt{{Kind: LetScalar, Scalar: sc, Value: v}}
	}
	return []*Stmt{g.newTile(index, v)}
}

// reduceInto completes a reduction over the elements of a tile.
func (g *generator) reduceInto(e *Expr, access *Expr, inner []Bound) {
	t := access.Type
	body := access
	switch {
	case t.Elem == array.Bool:
		e.Name, e.Type = pick(g, []string{"any", "all"}), t
	case t.Elem.IsFloat():
		e.Name = pick(g, []string{"sum", "max", "min", "prod", "argmax", "argmin", "sum", "max"})
		if g.chance(3) {
			y := g.expr(typeOf(array.F32), 1, inner)
			body = binary(pick(g, []string{"+", "-", "*"}), computed(access, y), access, y)
		}
		e.Type = computed(body)
	default:
		e.Name = pick(g, []string{"sum", "max", "min", "prod", "argmax", "argmin"})
		e.Type = t
		if (e.Name == "sum" || e.Name == "prod") && t.Elem.Bits() < 32 {
			e.Type = typeOf(array.I32)
		}
	}
	if e.Name == "argmax" || e.Name == "argmin" {
		e.Type = indexType
	}
	e.Args = []*Expr{body}
}

// around puts a reduction into a larger expression.
func (g *generator) around(e *Expr, index []Bound) *Expr {
	switch {
	case e.Type.Elem == array.Bool:
		return convert(array.I32, e)
	case e.Type.Elem.IsFloat():
		x := g.expr(e.Type, 1, index)
		return binary(pick(g, []string{"+", "-", "*"}), computed(e, x), e, x)
	}
	return binary(pick(g, []string{"+", "-", "^"}), e.Type, e, g.expr(e.Type, 1, index))
}

// scalarStmt makes or changes a scalar.
func (g *generator) scalarStmt() []*Stmt {
	var vars []*Scalar
	for _, s := range g.scalars {
		if s.Var {
			vars = append(vars, s)
		}
	}
	if vars != nil && g.chance(2) {
		s := pick(g, vars)
		op := pick(g, []string{"=", "+=", "max=", "min="})
		return []*Stmt{{Kind: SetScalar, Scalar: s, Op: op, Value: g.expr(s.Type, 2, nil)}}
	}
	t := typeOf(pick(g, []array.DType{array.F32, array.I32, array.I32, array.I64, array.Bool}))
	v := g.expr(t, 2, nil)
	s := &Scalar{Type: t, Var: t.Elem != array.Bool && g.chance(2), Name: g.name("s")}
	st := &Stmt{Kind: LetScalar, Scalar: s, Value: v}
	if s.Var {
		st.Kind = VarScalar
	} else {
		if v.Type != t {
			st.Value = convert(t.Elem, v)
		}
	}
	g.scalars = append(g.scalars, s)
	return []*Stmt{st}
}

// moveTile copies between tiles, or makes one of others.
func (g *generator) moveTile() []*Stmt {
	all := g.tiles(func(a *Array) bool { return a.Elem.Bits() >= 8 })
	if all == nil {
		return g.copyIn()
	}
	src := pick(g, all)
	elem := src.Elem
	if elem.IsFloat() && g.chance(3) {
		elem = pick(g, g.floats)
	}
	if g.chance(3) {
		return g.slice(src)
	}
	t := g.tile(elem, src.extents())
	g.arrays = append(g.arrays, t)
	return []*Stmt{{Kind: DeclTile, Target: t}, {Kind: Copy, Source: src, Target: t}}
}

// slice copies a part of a tile into a new one.
func (g *generator) slice(src *Array) []*Stmt {
	var shape []*Extent
	s := &Stmt{Kind: Copy, Source: src}
	for _, x := range src.Shape {
		n := 1 + g.r.Int64N(x.Extent.N)
		shape = append(shape, &Extent{N: n, Kind: Literal})
		s.From = append(s.From, literal(indexType, float64(g.r.Int64N(x.Extent.N-n+1)), false))
	}
	s.Target = g.tile(src.Elem, shape)
	g.arrays = append(g.arrays, s.Target)
	return []*Stmt{{Kind: DeclTile, Target: s.Target}, s}
}
