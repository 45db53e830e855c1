package types

import (
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

func (c *checker) tileDecl(s *ast.TileDecl) {
	if s.Name == nil || s.Type == nil {
		return
	}
	elem := c.elemOf(s.Type.Elem)
	a := &Array{named: named{Name: s.Name.Name, Span: s.Name.Span()}, Kind: Tile, Elem: elem}
	ok := elem != array.Invalid
	if s.Type.IsScalar() {
		c.errorf(diag.BadExtent, s.Type.Span(), "a tile has extents").
			Hint("for one value: var %s: %s = 0", s.Name.Name, s.Type.Span().Text())
		ok = false
	}
	for _, dim := range s.Type.Dims {
		n, fine := c.constInt(dim, tileExtent)
		if fine {
			fine = c.tileExtent(dim.Span(), ConstExtent(n))
		}
		ok = ok && fine
		a.Shape = append(a.Shape, ConstExtent(n))
		a.dims = append(a.dims, dim.Span())
	}
	if s.Space != nil {
		a.Space = s.Space.Name
		c.memory(s.Space)
	}
	ok = ok && c.tileSize(a)
	if s.Init != nil {
		t := c.closed(s, s.Init, func() Type { return c.scalar(s.Init) })
		if ok {
			c.storable(s.Init, t, elem, a.Name, a.Span)
		}
		c.flow.write(a)
	}
	if !ok {
		c.mute(s.Name)
		return
	}
	c.declare(s.Name, a)
}

// tileExtent checks one extent of a tile.
func (c *checker) tileExtent(at diag.Span, x Extent) bool {
	n, ok := x.Const()
	if ok && n < 1 {
		c.errorf(diag.BadExtent, at, "an extent of a tile must be at least 1, not %s", valued(extentText(at), n))
		return false
	}
	return true
}

// extentText is the extent of `j: D / 32`, or the text itself.
func extentText(at diag.Span) string {
	if _, extent, ok := strings.Cut(at.Text(), ":"); ok {
		return strings.TrimSpace(extent)
	}
	return at.Text()
}

// maxTileElements bounds a tile far above what any memory of a processor holds.
const maxTileElements = 1 << 26

func (c *checker) tileSize(a *Array) bool {
	n, ok := product(a.Extents())
	if !ok || n > maxTileElements {
		c.errorf(diag.BadExtent, a.Span, "%s is too large for a tile: %s has more than %d elements", a.Name, a.Type(), maxTileElements)
		return false
	}
	return true
}

// spaces are the memories that a program may pin a tile to.
var spaces = []string{"shared", "register", "ub", "l1", "l0a", "l0b", "l0c", "bt"}

func (c *checker) memory(id *ast.Ident) {
	for _, s := range spaces {
		if s == id.Name {
			return
		}
	}
	d := c.errorf(diag.BadSpace, id.Span(), "%s is not a memory", id.Name)
	if near := diag.Nearest(id.Name, spaces); near != "" {
		d.Hint("did you mean %s?", near).Replace(id.Span(), near)
	} else {
		d.Hint("there are shared and register on all targets, and ub, l1, l0a, l0b, l0c and bt on Ascend")
	}
}
