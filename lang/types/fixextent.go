package types

import (
	"slices"
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// fixExtent decides over what an index runs, and reports uses that disagree.
//
// What the program states comes first, then (in a kernel) tiles, then the tensors on the left, then all others. Uses
// below a condition on the index count only where nothing else does, or has a constant extent. In a kernel tensors may be larger or smaller than a
// tile or a stated extent: a block of them is meant, and their edges are masked.
func (c *checker) fixExtent(x *Scalar) {
	var strong, weak []indexUse
	for _, u := range c.stmt.uses[x] {
		if !u.extent().Known() {
			continue
		}
		if u.guarded {
			weak = append(weak, u)
		} else {
			strong = append(strong, u)
		}
	}
	if v := c.stmt.given[x]; v != nil {
		if x.Extent.Known() {
			c.agree(x, x.Source, x.Extent, strong, true, true)
		}
		return
	}
	uses := strong
	if !c.spec && !fixing(strong) && fixing(weak) || len(uses) == 0 {
		uses = weak
	} else if !c.spec && !slices.ContainsFunc(strong, indexUse.inTile) && slices.ContainsFunc(weak, indexUse.writesTile) {
		uses = weak // `t[i] = … where A[i] > 0` runs over t
	}
	if len(uses) == 0 {
		c.noExtent(x)
		return
	}
	first := uses[0]
	for _, u := range uses {
		if c.rank(u) > c.rank(first) {
			first = u
		}
	}
	if len(strong) > 0 {
		uses = strong
	}
	x.Source = first.source()
	c.setExtent(x, first.extent())
	if c.agree(x, x.Source, x.Extent, uses, first.target && c.spec, first.array.Kind == Tile) && !c.spec {
		c.constantExtent(x, first)
	}
}

func (u indexUse) inTile() bool { return u.array.Kind == Tile }

func (u indexUse) writesTile() bool { return u.target && u.inTile() }

// fixing reports uses one of which has a constant extent, as an index of a kernel needs.
func fixing(uses []indexUse) bool {
	for _, u := range uses {
		if _, ok := u.extent().Const(); ok {
			return true
		}
	}
	return false
}

// rank orders uses by how much they say about the extent of an index.
func (c *checker) rank(u indexUse) int {
	r := 0
	if !c.spec && u.array.Kind == Tile {
		r += 2
	}
	if u.target {
		r++
	}
	return r
}

// agree checks an extent against other uses of the index. A firm extent (stated, or of the left of a spec) may be
// smaller than the dimensions that it indexes; one that is stated or a tile's means a block of a tensor.
func (c *checker) agree(x *Scalar, from Source, extent Extent, uses []indexUse, firm, block bool) bool {
	for _, u := range uses {
		e := u.extent()
		if e.Equal(extent) || firm && extent.LessEqual(e) {
			continue
		}
		if !c.spec && u.array.Kind.IsTensor() {
			_, isConst := e.Const()
			if block || !isConst || c.tileUse(x) || extent.LessEqual(e) {
				continue
			}
		}
		c.errorf(diag.TwoExtents, u.span, "index %s runs over %s here, but over %s there", x.Name, e, extent).
			Note(u.array.dim(u.axis), "dimension %d of %s is %s", u.axis, u.array.Name, e).
			Note(from.Span, "%s is %s: %s", "the extent of "+x.Name, extent, from.Text).
			Hint("all uses of an index must agree; give the extent (%s: …), or use two indices", x.Name)
		x.Extent = unknownExtent()
		return false
	}
	return true
}

// tileUse reports whether the index has an unguarded use in a tile.
func (c *checker) tileUse(x *Scalar) bool {
	for _, u := range c.stmt.uses[x] {
		if u.array.Kind == Tile && !u.guarded {
			return true
		}
	}
	return false
}

// constantExtent checks that an index of a kernel runs over a constant.
func (c *checker) constantExtent(x *Scalar, u indexUse) {
	if _, ok := x.Extent.Const(); ok {
		return
	}
	if c.misspelt(x) {
		x.Extent = unknownExtent()
		return
	}
	c.errorf(diag.NotConstant, u.span, "index %s would run over %s, which is known only when the kernel is launched", x.Name, x.Extent).
		Note(u.array.dim(u.axis), "dimension %d of %s is %s", u.axis, u.array.Name, x.Extent).
		Hint("work on a tile of constant extent: %s", c.extentHint(x))
	x.Extent = unknownExtent()
}

// extentHint spells how an index is given an extent where it stands.
func (c *checker) extentHint(x *Scalar) string {
	n := c.likelyExtent(x)
	if c.stmt.isBound(x) {
		return "sum[" + x.Name + ": " + n + "](…) in a loop over blocks"
	}
	if _, ok := c.stmt.node.(*ast.LetTile); ok {
		return "[" + x.Name + ": " + n + "] in a loop over blocks"
	}
	return "over " + x.Name + ": " + n + " in a loop or grid over blocks"
}

// likelyExtent is what an index most likely is to run over: the constant n of a subscript b*n + x, as
// it is written, or just some size.
func (c *checker) likelyExtent(x *Scalar) string {
	block := "128"
	ast.Inspect(c.stmt.node, func(n ast.Node) bool {
		e, ok := n.(*ast.Binary)
		if !ok || e.Op != ast.Add {
			return true
		}
		start, is := e.X, namesIndex(e.Y, x)
		if !is {
			start, is = e.Y, namesIndex(e.X, x)
		}
		if s, ok := start.(*ast.Binary); ok && s.Op == ast.Add {
			start = s.Y
		}
		if by, ok := start.(*ast.Binary); is && ok && by.Op == ast.Mul {
			for _, f := range []ast.Expr{by.X, by.Y} {
				if c.constantName(f) {
					block = f.Span().Text()
				}
			}
		}
		return true
	})
	return block
}

func namesIndex(e ast.Expr, x *Scalar) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == x.Name
}

// constantName reports a literal or the name of a constant.
func (c *checker) constantName(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Int:
		return true
	case *ast.Ident:
		_, ok := c.stmt.scope.lookup(e.Name).(*Constant)
		return ok
	}
	return false
}

// misspelt reports an index without a proper extent whose name is close to one that is known, if it is: an index needs
// no declaration, so a mistyped name becomes one.
func (c *checker) misspelt(x *Scalar) bool {
	if _, isLet := c.stmt.node.(*ast.LetTile); isLet || c.stmt.isBound(x) {
		return false
	}
	around := c.stmt.scope.parent
	near := diag.Nearest(x.Name, around.visible(isValueObject))
	if near == "" {
		return false
	}
	if o, ok := around.lookup(near).(*Scalar); ok && o.Kind == Dim && strings.EqualFold(near, x.Name) {
		return false // an index named after the dimension that it runs over
	}
	d := c.errorf(diag.Undefined, x.Span, "%s is not known here", x.Name).
		Hint("did you mean %s?", near).Replace(x.Span, near)
	if o := around.lookup(near); o != nil && o.Declared().IsValid() {
		d.Note(o.Declared(), "%s is declared here", near)
	}
	return true
}

// noExtent reports an index whose extent nothing fixes; most likely it is a misspelt name.
func (c *checker) noExtent(x *Scalar) {
	if c.stmt.blurred {
		return
	}
	if c.misspelt(x) {
		return
	}
	d := c.errorf(diag.NoExtent, x.Span, "nothing fixes the extent of index %s", x.Name)
	if _, ok := c.stmt.node.(*ast.LetTile); ok || c.stmt.isBound(x) {
		d.Hint("give it: [%s: %s]", x.Name, c.likelyExtent(x))
		return
	}
	d.Hint("give it at the end of the statement: over %s: %s", x.Name, c.likelyExtent(x))
}

// unreduced reports an index on the right which is neither on the left nor bound by a reduction.
func (c *checker) unreduced(id *ast.Ident) {
	d := c.errorf(diag.UnreducedIndex, id.Span(), "index %s is not on the left and is not bound by a reduction", id.Name)
	switch c.stmt.node.(type) {
	case *ast.LetTile, *ast.Assign:
		d.Hint("sum over it, sum[%s](…), or name it on the left", id.Name)
	default:
		d.Hint("reduce over it: sum[%s](…)", id.Name)
	}
}

func (s *statement) isBound(x *Scalar) bool {
	for _, b := range s.bound {
		if b == x {
			return true
		}
	}
	return false
}
