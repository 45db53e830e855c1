package types

import (
	"fmt"
	"maps"
	"slices"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// statement is an index statement under way: its indices, and what was found out about their extents.
type statement struct {
	node  ast.Node
	scope *scope // holds the free indices
	free  []*Scalar
	// bound are the indices of the reductions within.
	bound map[*ast.IndexVar]*Scalar
	// blurred: an array in the statement is unknown, and with it the extents of indices.
	blurred bool
	// loads are the tensors and tiles whose elements the statement reads, with the access.
	loads []load
	uses  map[*Scalar][]indexUse
	// seen are the reductions whose indices were looked at.
	seen map[*ast.Reduce]bool
	// given are the extents that the program states.
	given map[*Scalar]*ast.IndexVar
}

type load struct {
	array *Array
	at    *ast.Index
	// guarded are the indices that conditions around the access limit.
	guarded []*Scalar
}

// indexUse is a subscript that is an index by itself, which ties the index to a dimension.
type indexUse struct {
	span    diag.Span
	array   *Array
	axis    int
	guarded bool // a condition on the index stands around it
	target  bool // on the left
}

func (u indexUse) extent() Extent { return u.array.Shape[u.axis] }

func (u indexUse) source() Source {
	return Source{Span: u.span, Text: fmt.Sprintf("dimension %d of %s", u.axis, u.array.Name)}
}

// begin opens an index statement. Introduced are the indices that the program declares (`let t[i: BM, j]`), on the left
// is what is written (nil for none), parts are the expressions in the order in which they are evaluated.
// The caller types the parts and then calls end.
func (c *checker) begin(node ast.Node, introduced []*ast.IndexVar, lhs ast.Expr, suffix *ast.Suffix, parts ...ast.Expr) {
	s := &statement{node: node, uses: map[*Scalar][]indexUse{}}
	c.open()
	s.scope = c.scope
	c.stmt = s
	for _, v := range introduced {
		c.introduce(v)
	}
	c.leftIndices(lhs)
	if suffix != nil {
		c.overIndices(suffix.Over)
	}
	f := &finder{c: c, s: s, visible: slices.Clone(s.free)}
	undo := func() {}
	if suffix != nil {
		f.find(suffix.Else)
		if suffix.Where != nil {
			f.find(suffix.Where)
			undo = f.guard(suffix.Where)
		}
	}
	if lhs != nil {
		_, f.target = lhs.(*ast.Index) // an assert has a condition instead
		f.find(lhs)
		f.target = false
	}
	for _, p := range parts {
		f.find(p)
	}
	undo()
	for _, x := range s.free {
		c.fixExtent(x)
	}
}

// end closes the index statement.
func (c *checker) end() {
	c.scope = c.stmt.scope.parent
	c.stmt = nil
}

// closed types expressions outside any index statement of their own: reductions may stand there, free indices may not.
func (c *checker) closed(node ast.Node, e ast.Expr, typed func() Type) Type {
	if c.stmt != nil || e == nil || plain(e) {
		return typed()
	}
	c.begin(node, nil, nil, nil, e)
	t := typed()
	c.end()
	return t
}

// plain reports an expression of names and numbers alone, which can have no indices.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.Int, *ast.Float, *ast.Bool:
		return true
	case *ast.Unary:
		return plain(e.X)
	case *ast.Binary:
		return plain(e.X) && plain(e.Y)
	}
	return false
}

// introduce declares an index of a new tile.
func (c *checker) introduce(v *ast.IndexVar) {
	if v.Name == nil {
		return
	}
	if o := c.scope.lookup(v.Name.Name); o != nil && isLocal(o) {
		c.errorf(diag.BadIndex, v.Name.Span(), "%s is %s already; an index of a new tile needs a name of its own", v.Name.Name, describe(o)).
			Note(o.Declared(), "%s is declared here", v.Name.Name)
	}
	x := c.newIndex(v.Name)
	if before := c.scope.names[v.Name.Name]; before != nil {
		c.errorf(diag.BadIndex, v.Name.Span(), "%s stands twice on the left", v.Name.Name).
			Note(before.Declared(), "%s is introduced here", v.Name.Name)
		return
	}
	c.declare(v.Name, x)
	c.stmt.free = append(c.stmt.free, x)
	if v.Extent != nil {
		c.giveExtent(x, v, 0) // the tile's own extents are checked as such
	}
}

func isLocal(o Object) bool {
	switch o := o.(type) {
	case *Scalar:
		return true
	case *Constant:
		return o.Span.IsValid()
	}
	return false
}

func (c *checker) newIndex(id *ast.Ident) *Scalar {
	x := c.newScalar(id, FreeIndex, indexType)
	x.limit = atLeast(0)
	x.Extent = unknownExtent()
	return x
}

// leftIndices declares the free indices of an expression: names in subscripts which mean nothing else.
func (c *checker) leftIndices(e ast.Expr) {
	if e != nil {
		c.freeNames(e, false, map[string]bool{})
	}
}

// isVariable reports an object whose name cannot be a free index: functions, kernels and nothing at all can.
func isVariable(o Object) bool {
	switch o.(type) {
	case nil, *Fn, *Builtin, *Kernel, *other:
		return false
	}
	return true
}

func (c *checker) freeNames(e ast.Expr, inSubscript bool, bound map[string]bool) {
	each := func(inSubscript bool, parts ...ast.Expr) {
		for _, p := range parts {
			if p != nil {
				c.freeNames(p, inSubscript, bound)
			}
		}
	}
	switch e := e.(type) {
	case *ast.Ident:
		if inSubscript && !bound[e.Name] && !isVariable(c.scope.lookup(e.Name)) {
			x := c.newIndex(e)
			c.declare(e, x)
			c.stmt.free = append(c.stmt.free, x)
		}
	case *ast.Index:
		if call, ok := e.X.(*ast.Call); ok {
			each(inSubscript, call)
		}
		each(true, e.Args...)
	case *ast.Reduce:
		inner := maps.Clone(bound)
		for _, v := range e.Over {
			if v.Name != nil {
				inner[v.Name.Name] = true
			}
		}
		bound, inner = inner, bound
		each(inSubscript, e.Body)
		bound = inner
	case *ast.Call:
		each(inSubscript, e.Args...)
	case *ast.Cond:
		each(inSubscript, e.If, e.Then, e.Else)
	case *ast.Unary:
		each(inSubscript, e.X)
	case *ast.Binary:
		each(inSubscript, e.X, e.Y)
	case *ast.Range:
		each(inSubscript, e.Lo, e.Hi)
	}
}

// overIndices gives extents to free indices: `over i: BM`.
func (c *checker) overIndices(over []*ast.IndexVar) {
	for _, v := range over {
		if v.Name == nil {
			continue
		}
		x, ok := c.stmt.scope.names[v.Name.Name].(*Scalar)
		switch o := c.scope.lookup(v.Name.Name); {
		case ok && c.stmt.given[x] != nil:
			c.errorf(diag.BadIndex, v.Name.Span(), "the extent of %s is given twice", v.Name.Name).
				Note(c.stmt.given[x].Span(), "first here")
		case ok:
			c.info.Uses[v.Name] = x
			c.giveExtent(x, v, 1)
		case o != nil && !isBroken(o):
			c.errorf(diag.BadIndex, v.Name.Span(), "%s is %s, not a free index of this statement", v.Name.Name, describe(o)).
				Note(o.Declared(), "%s is declared here", v.Name.Name)
		case o == nil:
			c.errorf(diag.BadIndex, v.Name.Span(), "%s is not an index of the left side", v.Name.Name)
			c.mute(v.Name)
		}
	}
}

// giveExtent gives an index the extent that the program states, in a kernel of so many at least.
func (c *checker) giveExtent(x *Scalar, v *ast.IndexVar, least int64) {
	if v.Extent == nil {
		return
	}
	if c.stmt.given == nil {
		c.stmt.given = map[*Scalar]*ast.IndexVar{}
	}
	c.stmt.given[x] = v
	c.info.Uses[v.Name] = x
	// Extents are worked out outside the statement: its indices don't exist there.
	inner := c.scope
	c.scope = c.stmt.scope.parent
	t := c.integerExpr(v.Extent, "the extent of "+x.Name)
	c.scope = inner
	x.Source = Source{Span: v.Extent.Span(), Text: "the extent given here"}
	if !t.Valid() {
		return
	}
	f := c.formula(v.Extent)
	if n, ok := f.Const(); ok && n < 0 {
		c.errorf(diag.BadExtent, v.Extent.Span(), "the extent of %s is %d; it cannot be negative", x.Name, n)
		return
	}
	if n, ok := f.Const(); ok && n < least && !c.spec {
		c.errorf(diag.BadExtent, v.Extent.Span(), "the extent of %s must be at least 1, not %s", x.Name, valued(sourceText(v.Extent), n))
		return
	}
	if _, ok := f.Const(); !ok && !c.spec {
		c.notConstant(v.Extent, "the extent of "+x.Name)
		return
	}
	c.setExtent(x, f)
}

func (c *checker) setExtent(x *Scalar, f Extent) {
	x.Extent = f
	if b := f.bounds(); b.hiOK && b.hi > 0 {
		x.limit = between(0, b.hi-1)
	}
}
