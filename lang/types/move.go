package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

// block of a copy or fill as it is written: an array, and along some axes a known extent.
type blockExpr struct {
	expr   ast.Expr
	region Region
	shape  []int64
	known  bool // the expression itself fixes the shape: a whole tile, or ranges
	whole  bool // no subscripts
}

// blockOf checks one side of a copy or fill; nil after an error.
func (c *checker) blockOf(e ast.Expr) *blockExpr {
	switch e := e.(type) {
	case *ast.Ident:
		t := c.expr(e)
		a := c.info.ArrayOf(e)
		if t.Kind == Whole && a != nil {
			return wholeBlock(e, a)
		}
		if t.Valid() {
			c.errorf(diag.WrongType, e.Span(), "a block of a tensor or tile is needed here, but %s is %s", e.Name, article(t.String()))
		}
	case *ast.Index:
		if a := c.base(e); a != nil && c.sameRank(e, a) {
			return c.indexedBlock(e, a)
		}
	case *ast.BadExpr:
	default:
		c.errorf(diag.WrongType, e.Span(), "a block of a tensor or tile is needed here")
	}
	return nil
}

func wholeBlock(e ast.Expr, a *Array) *blockExpr {
	b := &blockExpr{expr: e, whole: true, known: a.Kind == Tile}
	b.region = Region{Array: a, Start: make([]ast.Expr, len(a.Shape))}
	for d := range a.Shape {
		b.region.Axes = append(b.region.Axes, d)
	}
	if b.known {
		b.shape = a.Extents()
	}
	return b
}

func (c *checker) indexedBlock(e *ast.Index, a *Array) *blockExpr {
	b := &blockExpr{expr: e, region: Region{Array: a}}
	ok := true
	for d, arg := range e.Args {
		start := arg
		if r, isRange := arg.(*ast.Range); isRange {
			start = r.Lo
			b.known = true
			n, fine := c.rangeExtent(r)
			ok = ok && fine
			b.shape = append(b.shape, n)
			b.region.Axes = append(b.region.Axes, d)
		} else {
			ok = c.closed(e, arg, func() Type { return c.integerExpr(arg, "a subscript") }).Valid() && ok
		}
		b.region.Start = append(b.region.Start, start)
	}
	if !ok {
		return nil
	}
	return b
}

// rangeExtent is the constant length of `lo : hi`.
func (c *checker) rangeExtent(r *ast.Range) (int64, bool) {
	lo := c.closed(r, r.Lo, func() Type { return c.integerExpr(r.Lo, "the start of a range") })
	hi := c.closed(r, r.Hi, func() Type { return c.integerExpr(r.Hi, "the end of a range") })
	if !lo.Valid() || !hi.Valid() {
		return 0, false
	}
	length := c.formula(r.Hi).Sub(c.formula(r.Lo))
	n, ok := length.Const()
	switch {
	case !ok:
		c.errorf(diag.NotConstant, r.Span(), "the length of the range %s must be known at compile time", sourceText(r)).
			Hint("%s : %s + 128", sourceText(r.Lo), sourceText(r.Lo))
		return 0, false
	case n < 1:
		c.errorf(diag.BadExtent, r.Span(), "the range %s is empty: its length is %d", sourceText(r), n)
		return 0, false
	}
	return n, true
}

// copyStmt checks `copy src -> dst`.
func (c *checker) copyStmt(s *ast.Copy) {
	src, dst := c.blockOf(s.Src), c.blockOf(s.Dst)
	if s.Else != nil {
		c.closed(s, s.Else, func() Type { return c.scalar(s.Else) })
	}
	if src == nil || dst == nil {
		return
	}
	from, to := src.region.Array, dst.region.Array
	mayRead := c.mayTouch(s.Src, from, reading)
	if mayRead {
		c.flow.read(c, from, s.Src.Span())
	}
	mayWrite := c.mayTouch(s.Dst, to, writing)
	c.flow.write(to)
	shape, ok := c.blockShape(src, dst)
	if !ok || !mayRead || !mayWrite {
		return
	}
	c.storable(s.Src, number(from.Elem), to.Elem, to.Name, to.Span)
	if s.Else != nil {
		if from.Kind == Tile {
			c.errorf(diag.BadIndex, s.Else.Span(), "else stands for elements outside a tensor, but %s is a tile", from.Name)
		} else {
			c.storable(s.Else, c.info.Types[s.Else], from.Elem, from.Name, from.Span)
		}
	}
	k := &Copy{Src: src.region, Dst: dst.region, Shape: shape}
	c.info.Copies[s] = k
	c.exclusive(s.Dst, to, k.Dst.Start, k, 0)
	if to.Kind == Tile {
		c.fillOfCopy(s, k)
	}
}

// blockShape works out the extents of a copy from whichever side fixes them, and completes the other.
func (c *checker) blockShape(src, dst *blockExpr) ([]int64, bool) {
	switch {
	case !src.known && !dst.known:
		c.errorf(diag.NoExtent, src.expr.Span().To(dst.expr.Span()), "nothing fixes the extents of this copy").
			Hint("one side must be a tile, or have ranges: %s[r : r + 64, …]", src.region.Array.Name)
		return nil, false
	case !src.known:
		return dst.shape, c.complete(src, dst) && c.within(src, dst.shape) && c.within(dst, dst.shape)
	case !dst.known:
		return src.shape, c.complete(dst, src) && c.within(dst, src.shape) && c.within(src, src.shape)
	}
	if len(src.shape) != len(dst.shape) {
		c.errorf(diag.RankMismatch, dst.expr.Span(), "cannot copy a block of rank %d to one of rank %d", len(src.shape), len(dst.shape)).
			Note(src.expr.Span(), "%s is %s", sourceText(src.expr), constShape(src.shape)).
			Note(dst.expr.Span(), "%s is %s", sourceText(dst.expr), constShape(dst.shape))
		return nil, false
	}
	for d := range src.shape {
		if src.shape[d] != dst.shape[d] {
			c.errorf(diag.ExtentMismatch, dst.expr.Span(), "cannot copy a block of %s to one of %s: dimension %d differs", constShape(src.shape), constShape(dst.shape), d).
				Note(src.region.Array.dim(src.region.Axes[d]), "%s has %d there", sourceText(src.expr), src.shape[d]).
				Note(dst.region.Array.dim(dst.region.Axes[d]), "%s has %d there", sourceText(dst.expr), dst.shape[d])
			return nil, false
		}
	}
	return src.shape, c.within(src, src.shape) && c.within(dst, dst.shape)
}

func constShape(shape []int64) string {
	extents := make([]Extent, len(shape))
	for i, n := range shape {
		extents[i] = ConstExtent(n)
	}
	return shapeText(extents)
}

// complete gives the side that fixes no extents those of the other: along its last dimensions.
func (c *checker) complete(b, other *blockExpr) bool {
	rank := len(b.region.Array.Shape)
	if len(other.shape) > rank || b.whole && len(other.shape) != rank {
		c.errorf(diag.RankMismatch, b.expr.Span(), "%s has rank %d, but %s has rank %d", sourceText(b.expr), rank, sourceText(other.expr), len(other.shape)).
			Note(b.region.Array.Span, "%s is %s", b.region.Array.Name, article(b.region.Array.Type().String())).
			Note(other.region.Array.Span, "%s is %s", other.region.Array.Name, article(other.region.Array.Type().String()))
		return false
	}
	b.region.Axes = nil
	for d := rank - len(other.shape); d < rank; d++ {
		b.region.Axes = append(b.region.Axes, d)
	}
	return true
}

// within checks that a block of a tile does not leave it.
func (c *checker) within(b *blockExpr, shape []int64) bool {
	a := b.region.Array
	if a.Kind != Tile {
		return true
	}
	extents := a.Extents()
	for d, axis := range b.region.Axes {
		at := ConstExtent(0)
		if e := b.region.Start[axis]; e != nil {
			at = c.formula(e)
		}
		r := at.bounds()
		n, exact := at.Const()
		low := r.loOK && r.lo+shape[d] > extents[axis] || exact && n < 0
		if !low && !(exact && n+shape[d] > extents[axis]) {
			continue
		}
		where := b.expr.Span()
		if e := b.region.Start[axis]; e != nil {
			where = e.Span()
		}
		c.errorf(diag.OutOfRange, where, "the block reaches %s in dimension %d of %s, which has extent %d", at.Add(ConstExtent(shape[d])), axis, a.Name, extents[axis]).
			Note(a.dim(axis), "%s is declared here", a.Name)
		return false
	}
	return true
}

func (c *checker) fill(s *ast.Fill) {
	b := c.blockOf(s.Dst)
	t := c.closed(s, s.Value, func() Type { return c.scalar(s.Value) })
	if b == nil {
		return
	}
	a := b.region.Array
	ok := c.mayTouch(s.Dst, a, writing)
	c.flow.write(a)
	a.fills = nil
	if !ok || !c.storable(s.Value, t, a.Elem, a.Name, a.Span) {
		return
	}
	if !b.known {
		c.errorf(diag.NoExtent, s.Dst.Span(), "nothing fixes the extents of this fill").
			Hint("name a tile, or ranges: %s[r : r + 64, …]", a.Name)
		return
	}
	if !c.within(b, b.shape) {
		return
	}
	c.info.Fills[s] = &Fill{Dst: b.region, Shape: b.shape}
	c.exclusive(s.Dst, a, b.region.Start, &Copy{Dst: b.region, Shape: b.shape}, 0)
}

// writeWhole notes that a call writes a tile that it is given.
func (c *checker) writeWhole(a *Array, at ast.Expr) {
	if c.mayTouch(at, a, writing) {
		a.fills = nil
	}
	c.flow.write(a)
}
