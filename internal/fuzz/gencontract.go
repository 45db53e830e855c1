package fuzz

import (
	"tilec/runtime/array"
)

// contraction adds a product of two tiles to an accumulator, or makes a new tile of
// it; operands are copied, computed, or what an earlier one left.
func (g *generator) contraction() []*Stmt {
	if g.chance(6) {
		return g.batch()
	}
	elem := pick(g, []array.DType{array.F16, array.F16, array.BF16, array.F32, array.I8, array.U8, array.F64, array.I32})
	m, n, k := pick(g, g.palette), pick(g, g.palette), pick(g, g.palette)
	if len(g.loops) > 0 {
		if l := g.loops[len(g.loops)-1]; l.block != nil && g.chance(2) {
			k = l.block
		}
	}
	if m.N*k.N > maxTile || k.N*n.N > maxTile || m.N*n.N > maxTile || m.N*n.N*k.N > 1<<18 {
		return g.letTile()
	}
	ta, tb := g.chance(3), g.chance(2)
	a, list := g.matrix(elem, m, k, ta)
	b, more := g.matrix(elem, k, n, tb)
	list = append(list, more...)
	acc := elem
	switch {
	case elem.IsFloat() && elem != array.F64:
		acc = array.F32
	case elem.IsInt():
		acc = array.I32
	}
	isAcc := func(t *Array) bool {
		return t.Elem == acc && len(t.Shape) == 2 && t.Shape[0].Extent == m && t.Shape[1].Extent == n && t != a && t != b
	}
	c := g.writable(isAcc)
	if c == nil && g.chance(2) {
		list = append(list, g.newTile(indices([]*Extent{m, n}), g.product(elem, acc, a, b, k, ta, tb)))
		return list
	}
	if c == nil {
		list = append(list, g.declare([]*Extent{m, n}, acc)...)
		c = g.arrays[len(g.arrays)-1]
	}
	if elem != array.I32 && g.chance(2) {
		return append(list, &Stmt{Kind: Gemm, Source: a, Source2: b, Target: c, TransA: ta, TransB: tb})
	}
	s := &Stmt{Kind: Assign, Target: c, Op: pick(g, []string{"+=", "+=", "="}), Index: indices([]*Extent{m, n})}
	for _, x := range s.Index {
		s.Subs = append(s.Subs, g.freeIndex(x))
	}
	s.Value = g.product(elem, acc, a, b, k, ta, tb)
	return append(list, s)
}

// batch is a contraction of tiles with one more index, which both have; factors are
// computed now and then.
func (g *generator) batch() []*Stmt {
	elem := pick(g, []array.DType{array.F16, array.F16, array.BF16, array.F32, array.I8, array.U8, array.F64})
	index := indices([]*Extent{{N: 1 + g.r.Int64N(4), Kind: Literal}, pick(g, g.palette), pick(g, g.palette)})
	r := Bound{Name: g.name("r"), Extent: pick(g, g.palette)}
	b, m, n, k := index[0].Extent.N, index[1].Extent.N, index[2].Extent.N, r.Extent.N
	if b*m*k > maxTile || b*k*n > maxTile || b*m*n > maxTile || b*m*n*k > 1<<18 {
		return g.letTile()
	}
	acc := elem
	switch {
	case elem.IsInt():
		acc = array.I32
	case elem != array.F64:
		acc = array.F32
	}
	var list []*Stmt
	factor := func(free Bound) *Expr {
		axes := []Bound{index[0], free, r}
		g.r.Shuffle(3, func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
		var shape []*Extent
		e := &Expr{Op: Load, Type: typeOf(elem)}
		for _, x := range axes {
			shape = append(shape, x.Extent)
			e.Args = append(e.Args, g.freeIndex(x))
		}
		var src *Array
		for _, a := range g.arrays {
			if a.Kind == In && a.Elem == elem && len(a.Shape) >= 3 {
				src = a
			}
		}
		if src == nil {
			src = g.input(elem, 3)
		}
		t := g.tile(elem, shape)
		list = append(list, &Stmt{Kind: DeclTile, Target: t}, g.copyBlock(src, t))
		g.arrays = append(g.arrays, t)
		e.Array = t
		switch {
		case elem.IsInt():
			e = convert(acc, e)
		case g.chance(4):
			e = binary(pick(g, []string{"*", "+", "-"}), computed(e), e, literal(computed(e), pick(g, []float64{2, 0.5, -1, 3}), false))
		case g.chance(4) && elem != array.F64:
			e = convert(acc, e)
		}
		return e
	}
	x, y := factor(index[1]), factor(index[2])
	sum := &Expr{Op: Reduce, Name: "sum", Type: typeOf(acc), Over: []Bound{r}, Args: []*Expr{binary("*", typeOf(acc), x, y)}}
	return append(list, g.newTile(index, sum))
}

// product is sum[r](a[i, r] * b[r, j]), with operands widened as need be.
func (g *generator) product(elem, acc array.DType, a, b *Array, k *Extent, ta, tb bool) *Expr {
	i, j, r := &Expr{Op: Idx, Name: "i", Type: indexType}, &Expr{Op: Idx, Name: "j", Type: indexType}, Bound{Name: g.name("r"), Extent: k}
	at := func(t *Array, x, y *Expr, swap bool) *Expr {
		if swap {
			x, y = y, x
		}
		e := &Expr{Op: Load, Array: t, Type: typeOf(elem), Args: []*Expr{x, y}}
		if elem.Bits() < acc.Bits() && (elem.IsInt() || g.chance(3)) {
			return convert(acc, e)
		}
		return e
	}
	x := at(a, i, g.freeIndex(r), ta)
	y := at(b, g.freeIndex(r), j, tb)
	return &Expr{Op: Reduce, Name: "sum", Type: typeOf(acc), Over: []Bound{r}, Args: []*Expr{binary("*", typeOf(acc), x, y)}}
}

// matrix is a tile of two extents, in the other order if it is transposed.
func (g *generator) matrix(elem array.DType, rows, cols *Extent, transposed bool) (*Array, []*Stmt) {
	shape := []*Extent{rows, cols}
	if transposed {
		shape = []*Extent{cols, rows}
	}
	fits := g.tiles(func(t *Array) bool {
		return t.Elem == elem && len(t.Shape) == 2 && t.Shape[0].Extent == shape[0] && t.Shape[1].Extent == shape[1]
	})
	switch {
	case fits != nil && g.chance(2):
		return pick(g, fits), nil
	case g.chance(3): // computed
		index := indices(shape)
		v := g.valueFor(elem, 1, index)
		if v.Type.Elem != elem || v.Type.Index {
			v = convert(elem, v)
		}
		s := g.newTile(index, v)
		return s.Target, []*Stmt{s}
	}
	var src *Array
	for _, a := range g.arrays {
		if a.Kind == In && a.Elem == elem && len(a.Shape) >= 2 && g.chance(2) {
			src = a
		}
	}
	if src == nil {
		src = g.input(elem, 2)
	}
	t := g.tile(elem, shape)
	list := []*Stmt{{Kind: DeclTile, Target: t}, g.copyBlock(src, t)}
	g.arrays = append(g.arrays, t)
	return t, list
}

// scan is a function from tiles to tiles.
func (g *generator) scan() []*Stmt {
	all := g.tiles(func(a *Array) bool { return a.Elem.Bits() >= 8 && a.Elem != array.Bool })
	if all == nil {
		return g.copyIn()
	}
	t := pick(g, all)
	s := &Stmt{Kind: Scan, Sources: []*Array{t}, Axis: g.r.IntN(len(t.Shape))}
	s.Back = g.chance(4)
	s.Name = pick(g, []string{"cumsum", "cummax", "cumprod", "reshape", "transpose", "concat", "split"})
	shape := append([]*Extent{}, t.extents()...)
	elem, parts := t.Elem, 1
	switch s.Name {
	case "cumsum", "cumprod":
		if elem.IsFloat() && elem != array.F64 {
			elem = array.F32
		} else if elem.IsInt() && elem.Bits() < 32 {
			elem = array.I32
		}
	case "transpose":
		if g.chance(2) {
			s.Perm = g.r.Perm(len(shape))
		}
		shape = permuted(shape, s.Perm)
	case "reshape":
		n := int64(1)
		for _, e := range shape {
			n *= e.N
		}
		d := g.divisor(n)
		shape = []*Extent{{N: d, Kind: Literal}, {N: n / d, Kind: Literal}}
		s.Ints = shape
	case "concat":
		same := g.tiles(func(a *Array) bool { return a.Elem == elem && a.like(t, s.Axis) })
		s.Sources = append(s.Sources, pick(g, same))
		n := shape[s.Axis].N + s.Sources[1].Shape[s.Axis].Extent.N
		shape[s.Axis] = &Extent{N: n, Kind: Literal}
		total := int64(1)
		for _, e := range shape {
			total *= e.N
		}
		if total > maxTile {
			return g.letTile()
		}
	case "split":
		d := g.divisor(shape[s.Axis].N)
		if d > 4 {
			d = 1
		}
		parts = int(d)
		s.Ints = []*Extent{{N: d, Kind: Literal}}
		shape[s.Axis] = &Extent{N: shape[s.Axis].N / d, Kind: Literal}
	}
	for range parts {
		r := g.tile(elem, shape)
		r.Generic = false
		s.Results = append(s.Results, r)
		g.arrays = append(g.arrays, r)
	}
	return []*Stmt{s}
}

// like reports two tiles whose shapes differ along an axis at most.
func (a *Array) like(t *Array, axis int) bool {
	if len(a.Shape) != len(t.Shape) {
		return false
	}
	for d := range a.Shape {
		if d != axis && a.Shape[d].Extent.N != t.Shape[d].Extent.N {
			return false
		}
	}
	return true
}

func (g *generator) divisor(n int64) int64 {
	var all []int64
	for d := int64(1); d <= n && d <= 128; d++ {
		if n%d == 0 {
			all = append(all, d)
		}
	}
	return pick(g, all)
}
