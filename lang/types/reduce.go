package types

import (
	"slices"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// reductions are the names that may stand before `[k](…)`.
var reductions = []string{"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"}

func (c *checker) reduce(e *ast.Reduce) Type {
	if c.stmt == nil {
		return c.closed(e, e, func() Type { return c.reduce(e) })
	}
	if e.Op == nil || !slices.Contains(reductions, e.Op.Name) {
		if e.Op != nil {
			d := c.errorf(diag.Undefined, e.Op.Span(), "%s is not a reduction", e.Op.Name)
			if here, ok := foreign[e.Op.Name]; ok {
				d.Hint("here it is written so: %s", here)
			} else if near := diag.Nearest(e.Op.Name, reductions); near != "" {
				d.Hint("did you mean %s?", near).Replace(e.Op.Span(), near)
			} else {
				d.Hint("there are sum, prod, max, min, any, all, argmax and argmin")
			}
		}
		return invalidType
	}
	if c.where == constPlace || c.where == launchPlace || !c.stmt.seen[e] {
		c.errorf(diag.NotInThisPlace, e.Span(), "a reduction cannot stand here")
		return invalidType
	}
	r := &Reduction{Op: e.Op.Name}
	outer := c.open()
	ok := c.bindIndices(e, r)
	t := c.scalar(e.Body)
	c.scope = outer
	if !ok || !t.Valid() {
		return invalidType
	}
	t = c.reducedType(e, r, t)
	if !t.Valid() {
		return invalidType
	}
	c.info.Reductions[e] = r
	if c.where == gridPlace && !c.spec {
		c.warnEdgeFill(e, r)
	}
	return t
}

// bindIndices declares the indices of a reduction.
func (c *checker) bindIndices(e *ast.Reduce, r *Reduction) bool {
	ok := true
	for _, v := range e.Over {
		x := c.stmt.bound[v]
		if x == nil {
			if v.Name != nil {
				c.errorf(diag.BadIndex, v.Span(), "%s is bound twice", v.Name.Name)
			}
			ok = false
			continue
		}
		if free, isFree := c.stmt.scope.names[x.Name].(*Scalar); isFree && free.Kind == FreeIndex {
			c.errorf(diag.BadIndex, v.Span(), "%s is an index of the left side, so it cannot be reduced over", x.Name).
				Note(free.Span, "%s is introduced here", x.Name).
				Hint("name the reduction's index differently")
			ok = false
			continue
		}
		c.declare(v.Name, x)
		r.Indices = append(r.Indices, x)
		ok = ok && x.Extent.Known()
	}
	return ok
}

// reducedType is the type of a reduction whose body has type t.
func (c *checker) reducedType(e *ast.Reduce, r *Reduction, t Type) Type {
	logical := r.Op == "any" || r.Op == "all"
	if logical != t.IsBool() {
		want := "numbers"
		d := "i32(" + sourceText(e.Body) + ")"
		if logical {
			want, d = "bools", sourceText(e.Body)+" != 0"
		}
		c.errorf(diag.WrongType, e.Body.Span(), "%s reduces %s, but %s is %s", r.Op, want, sourceText(e.Body), article(t.String())).
			Hint("%s", d)
		return invalidType
	}
	switch r.Op {
	case "any", "all":
		r.Elem = array.Bool
		return boolType
	case "argmax", "argmin":
		r.Elem = c.computed(t).DType()
		return indexType
	case "sum", "prod":
		t = c.summed(t)
	default:
		t = c.computed(t)
	}
	if r.Op == "sum" && !c.spec {
		if r.Product = c.product(e, r); r.Product != nil {
			r.Product.Acc = t.DType()
		}
	}
	if !t.IsUntyped() {
		r.Elem = t.DType()
	}
	if r.Product != nil && r.Product.Matrix && !c.matrixTypes(e, r.Product) {
		return invalidType
	}
	return t
}

// summed is the type that values of type t are summed in: narrow floats in f32, integers below 32 bits in i32.
func (c *checker) summed(t Type) Type {
	t = c.computed(t)
	if t.Kind == Number && t.Elem.IsInt() && t.Elem.Bits() < 32 {
		return number(array.I32)
	}
	return t
}

// product recognises a sum of a product of two element accesses.
func (c *checker) product(e *ast.Reduce, r *Reduction) *Product {
	m, ok := e.Body.(*ast.Binary)
	if !ok || m.Op != ast.Mul {
		return nil
	}
	a, b := c.widened(m.X), c.widened(m.Y)
	if a == nil || b == nil {
		return nil
	}
	p := &Product{A: a, B: b}
	left, plainA := c.plainIndices(a)
	right, plainB := c.plainIndices(b)
	p.Matrix = plainA && plainB
	for _, x := range left {
		switch bound, both := slices.Contains(r.Indices, x), slices.Contains(right, x); {
		case bound && both:
			p.Sum = append(p.Sum, x)
		case bound:
			p.Matrix = false
		case both:
			p.Batch = append(p.Batch, x)
		default:
			p.Rows = append(p.Rows, x)
		}
	}
	for _, x := range right {
		switch bound, both := slices.Contains(r.Indices, x), slices.Contains(left, x); {
		case bound && !both:
			p.Matrix = false
		case !bound && !both:
			p.Cols = append(p.Cols, x)
		}
	}
	p.Matrix = p.Matrix && len(p.Rows) > 0 && len(p.Cols) > 0 && len(p.Sum) == len(r.Indices) && len(p.Sum) > 0
	return p
}

// widened looks through conversions that lose nothing and returns the element access below, or nil.
func (c *checker) widened(e ast.Expr) *ast.Index {
	for {
		switch x := e.(type) {
		case *ast.Index:
			return x
		case *ast.Call:
			call := c.info.Calls[x]
			if call == nil || call.Kind != Convert || !widens(call.To, call.Elem) || call.To.IsFloat() != call.Elem.IsFloat() {
				return nil
			}
			e = x.Args[0]
		default:
			return nil
		}
	}
}

// plainIndices lists the free and bound indices of an access; plain if it is into a tile and each subscript is an index
// by itself, no two the same.
func (c *checker) plainIndices(e *ast.Index) (indices []*Scalar, plain bool) {
	a := c.info.ArrayOf(e)
	plain = a != nil && a.Kind == Tile
	for _, arg := range e.Args {
		direct := false
		ast.Inspect(arg, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if x, ok := c.info.Uses[id].(*Scalar); ok && x.Kind == FreeIndex {
					seen := slices.Contains(indices, x)
					direct = ast.Expr(id) == arg && !seen
					if !seen {
						indices = append(indices, x)
					}
				}
			}
			return true
		})
		plain = plain && direct
	}
	return indices, plain
}

// matrixTypes checks that the matrix unit can take the operands.
func (c *checker) matrixTypes(e ast.Node, p *Product) bool {
	for _, x := range [2]*ast.Index{p.A, p.B} {
		if a := c.info.ArrayOf(x); a.Elem.IsFloat() && a.Elem.Bits() <= 8 {
			c.errorf(diag.NotSupported, e.Span(), "a contraction of %s is not supported yet", a.Elem).
				Note(a.Span, "%s is declared here", a.Name).
				Hint("convert it to f16 first: let wide[…] = f16(%s)", sourceText(x))
			return false
		}
	}
	return true
}
