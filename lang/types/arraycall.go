package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// arrayCall types a function from whole tiles to new ones: cumsum and its like, reshape, transpose, concat, split.
func (c *checker) arrayCall(e *ast.Call, b builtin, call *Call) Type {
	name := e.Fun.Name
	if c.where != gridPlace || c.spec {
		c.errorf(diag.NotInThisPlace, e.Span(), "%s works on tiles, and there are none here", name)
		return invalidType
	}
	if len(e.Args) == 0 {
		return c.wrongCount(e, 1, b.usage)
	}
	arrays := 1
	if name == "concat" {
		arrays = max(1, len(e.Args)-1)
	}
	ok := true
	for _, a := range e.Args[:arrays] {
		t := c.tileArgument(a, name)
		if t == nil {
			ok = false
			continue
		}
		call.Arrays = append(call.Arrays, t)
	}
	var rest []int64
	for _, a := range e.Args[arrays:] {
		n, fine := c.constInt(a, "an argument of "+name)
		ok = ok && fine
		rest = append(rest, n)
	}
	if !ok {
		return invalidType
	}
	t := call.Arrays[0]
	elem, shape, parts := t.Elem, t.Extents(), 1
	switch name {
	case "cumsum", "cumprod":
		elem = c.summed(number(t.Elem)).DType()
		call.Axis, ok = c.axis(e.Args[1], rest[0], t)
	case "cummax":
		call.Axis, ok = c.axis(e.Args[1], rest[0], t)
	case "reshape":
		ok = c.reshape(e, t, rest)
		shape = rest
	case "transpose":
		shape, ok = c.transpose(e, t, rest)
	case "concat":
		shape, ok = c.concat(e, call, rest)
	case "split":
		parts = int(rest[0])
		shape, ok = c.split(e, call, rest)
	}
	if !ok {
		return invalidType
	}
	if elem == array.Bool && b.class == scanFunc {
		return c.badOperand(e.Args[0], t.Type(), name, "numbers")
	}
	for range parts {
		call.Results = append(call.Results, c.newTile(e.Span(), elem, shape))
	}
	return call.Results[0].Type()
}

// newTile makes a tile that a call leaves, and no declaration names yet.
func (c *checker) newTile(at diag.Span, elem array.DType, shape []int64) *Array {
	a := &Array{named: named{Span: at}, Kind: Tile, Elem: elem}
	for _, n := range shape {
		a.Shape = append(a.Shape, ConstExtent(n))
		a.dims = append(a.dims, at)
	}
	c.flow.write(a)
	return a
}

// tileArgument is the tile that an argument names, nil after an error. It counts as read.
func (c *checker) tileArgument(e ast.Expr, of string) *Array {
	t := c.expr(e)
	if !t.Valid() {
		return nil
	}
	a := c.info.ArrayOf(e)
	if _, indexed := e.(*ast.Index); t.Kind != Whole || a == nil || indexed {
		c.errorf(diag.WrongType, e.Span(), "%s needs a tile, but %s is %s", of, sourceText(e), article(t.String()))
		return nil
	}
	if a.Kind != Tile {
		c.errorf(diag.WrongType, e.Span(), "%s needs a tile, but %s is a %s", of, sourceText(e), a.Kind).
			Note(a.Span, "%s is declared here", a.Name).
			Hint("copy the part that is needed into a tile first")
		return nil
	}
	c.readWhole(a, e.Span())
	return a
}

// axis checks an axis; negative ones count from the last.
func (c *checker) axis(e ast.Expr, n int64, t *Array) (int, bool) {
	rank := int64(len(t.Shape))
	if n < 0 {
		n += rank
	}
	if n < 0 || n >= rank {
		c.errorf(diag.OutOfRange, e.Span(), "%s has no axis %s: it is %s", t.Name, sourceText(e), article(t.Type().String())).
			Note(t.Span, "%s is declared here", t.Name)
		return 0, false
	}
	return int(n), true
}

func product(shape []int64) (int64, bool) {
	p, ok := int64(1), true
	for _, n := range shape {
		if p, ok = mulInt(p, n); !ok {
			return 0, false
		}
	}
	return p, true
}

func (c *checker) reshape(e *ast.Call, t *Array, shape []int64) bool {
	for i, n := range shape {
		if n < 1 {
			c.errorf(diag.BadExtent, e.Args[i+1].Span(), "an extent of a tile must be at least 1, not %s", valued(sourceText(e.Args[i+1]), n))
			return false
		}
	}
	have, _ := product(t.Extents())
	want, ok := product(shape)
	if !ok || have != want || len(shape) == 0 {
		c.errorf(diag.ExtentMismatch, e.Span(), "reshape keeps the number of elements: %s has %d, the new shape has %d", t.Name, have, want).
			Note(t.Span, "%s is %s", t.Name, article(t.Type().String()))
		return false
	}
	return true
}

func (c *checker) transpose(e *ast.Call, t *Array, axes []int64) ([]int64, bool) {
	rank := len(t.Shape)
	if len(axes) == 0 {
		for i := range rank {
			axes = append(axes, int64(rank-1-i))
		}
	}
	shape, seen := make([]int64, rank), map[int64]bool{}
	for i, a := range axes {
		if a < 0 || a >= int64(rank) || seen[a] || len(axes) != rank {
			c.errorf(diag.BadCall, e.Span(), "transpose needs each axis of %s once, 0 to %d", t.Name, rank-1)
			return nil, false
		}
		seen[a] = true
		shape[i] = t.Extents()[a]
	}
	return shape, true
}

func (c *checker) concat(e *ast.Call, call *Call, rest []int64) ([]int64, bool) {
	if len(rest) != 1 || len(call.Arrays) < 2 {
		c.wrongCount(e, 3, "concat(a, b, axis)")
		return nil, false
	}
	first := call.Arrays[0]
	axis, ok := c.axis(e.Args[len(e.Args)-1], rest[0], first)
	if !ok {
		return nil, false
	}
	call.Axis = axis
	shape := first.Extents()
	for _, a := range call.Arrays[1:] {
		fits := len(a.Shape) == len(shape) && a.Elem == first.Elem
		for d := 0; fits && d < len(shape); d++ {
			fits = d == axis || a.Extents()[d] == first.Extents()[d]
		}
		if !fits {
			c.errorf(diag.ExtentMismatch, e.Span(), "concat along axis %d needs tiles that differ there only: %s is %s, %s is %s",
				axis, first.Name, first.Type(), a.Name, a.Type()).
				Note(first.Span, "%s is declared here", first.Name).Note(a.Span, "%s is declared here", a.Name)
			return nil, false
		}
		shape[axis] += a.Extents()[axis]
	}
	return shape, true
}

func (c *checker) split(e *ast.Call, call *Call, rest []int64) ([]int64, bool) {
	t := call.Arrays[0]
	axis, ok := c.axis(e.Args[2], rest[1], t)
	if !ok {
		return nil, false
	}
	call.Axis = axis
	shape := t.Extents()
	if rest[0] < 1 || shape[axis]%rest[0] != 0 || rest[0] > 64 {
		c.errorf(diag.ExtentMismatch, e.Span(), "split cuts axis %d of %s, which has extent %d, into equal parts: %d do not fit", axis, t.Name, shape[axis], rest[0]).
			Note(t.Span, "%s is declared here", t.Name)
		return nil, false
	}
	shape[axis] /= rest[0]
	return shape, true
}
