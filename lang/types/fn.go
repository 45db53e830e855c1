package types

import (
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// returned is what the body of a fn gives back.
type returned struct {
	want  *ast.Type // nil if nothing is returned
	elem  array.DType
	shape []Extent
	typ   Type
	array *Array
	seen  bool
}

// takesTiles reports whether a fn is expanded as statements rather than as an expression.
func takesTiles(d *ast.Fn) bool {
	for _, p := range d.Params {
		if p.Type != nil && !p.Type.IsScalar() {
			return true
		}
	}
	return d.Result != nil && !d.Result.IsScalar()
}

// callFn types a call of a function of the program by expanding it for the types of the arguments.
func (c *checker) callFn(e *ast.Call, f *Fn) Type {
	args := make([]Type, len(e.Args))
	ok := true
	for i, a := range e.Args {
		args[i] = c.expr(a)
		ok = ok && args[i].Valid()
	}
	d := f.Decl
	if len(args) != len(d.Params) {
		names := make([]string, len(d.Params))
		for i, p := range d.Params {
			names[i] = p.Span().Text()
		}
		c.errorf(diag.BadCall, e.Span(), "%s takes %s, but %d %s given", f.Name, count(len(d.Params), "argument"), len(args), were(len(args))).
			Note(f.Span, "%s is declared here", f.Name).
			Hint("%s(%s)", f.Name, strings.Join(names, ", "))
		return invalidType
	}
	if !ok || d.Body == nil {
		return invalidType
	}
	for i, g := range c.active {
		if g == f && c.looping[f] {
			return invalidType
		}
		if g == f {
			for _, h := range c.active[i:] {
				c.looping[h] = true
			}
			names := ""
			for _, h := range c.active[i:] {
				names += h.Name + " → "
			}
			c.errorf(diag.Recursion, e.Span(), "%s calls itself: %s%s; functions are expanded in place, so this would never end", f.Name, names, f.Name).
				Note(f.Span, "%s is declared here", f.Name)
			return invalidType
		}
	}
	tiles := takesTiles(d)
	switch {
	case tiles && (c.where != gridPlace || c.spec):
		c.errorf(diag.NotInThisPlace, e.Span(), "%s works on tiles, and there are none here", f.Name).
			Note(f.Span, "%s is declared here", f.Name)
		return invalidType
	case c.where == constPlace:
		c.errorf(diag.NotConstant, e.Span(), "%s is a function of the program; what must be known at compile time cannot call it", f.Name)
		return invalidType
	}
	x := c.expand(e, f, args)
	if x == nil {
		return invalidType
	}
	call := &Call{Kind: FnCall, Name: f.Name, Fn: x}
	c.passArrays(e, d, call)
	if x.Result.Kind == Whole {
		a := c.newTile(e.Span(), x.Result.Elem, nil)
		a.Shape, a.dims = x.Result.Shape, make([]diag.Span, len(x.Result.Shape))
		call.Results = []*Array{a}
	}
	c.info.Calls[e] = call
	return x.Result
}

// passArrays notes what a call reads and writes of the tiles that it is given.
func (c *checker) passArrays(e *ast.Call, d *ast.Fn, call *Call) {
	for i, p := range d.Params {
		if p.Type == nil || p.Type.IsScalar() {
			continue
		}
		a := c.info.ArrayOf(e.Args[i])
		if a == nil {
			continue
		}
		call.Arrays = append(call.Arrays, a)
		if p.Dir != ast.Out {
			c.readWhole(a, e.Args[i].Span())
		}
		if p.Dir == ast.Out || p.Dir == ast.InOut {
			c.writeWhole(a, e.Args[i])
		}
	}
}

// expand checks the body of a fn for the given argument types, once for each combination; nil after an error.
func (c *checker) expand(e *ast.Call, f *Fn, args []Type) *Expansion {
	d := f.Decl
	x := &Expansion{Decl: d, Body: newInfo(nil), Result: Type{Kind: Nothing}}
	b := newChecker(c.session, newScope(f.unit.scope), fnPlace)
	b.info, b.spec = x.Body, c.spec
	if takesTiles(d) {
		b.where = gridPlace
	}
	if !b.bindGenerics(c, e, d, args) || !b.bindParams(c, e, d, args, x) {
		return nil
	}
	key := expansionKey(f, x.Params, b.scope, c.spec)
	if old, ok := c.expansions[key]; ok {
		return old
	}
	if c.budget--; c.budget < 0 {
		if c.budget == -1 {
			c.errorf(diag.NotSupported, e.Span(), "the program expands functions more than %d times, which is not supported", maxExpansions)
		}
		return nil
	}
	b.returned = &returned{want: d.Result}
	if d.Result != nil && !b.resultType() {
		return nil
	}
	before := c.rep.ErrorCount()
	c.active = append(c.active, f)
	b.open()
	b.block(d.Body)
	c.active = c.active[:len(c.active)-1]
	if c.rep.ErrorCount() > before {
		c.expansions[key] = nil
		return nil
	}
	if d.Result != nil && !b.returned.seen {
		return nil // reported by the parser
	}
	if d.Result != nil {
		x.Result, x.Returned = b.returned.typ, b.returned.array
	}
	c.expansions[key] = x
	return x
}

// expansionKey tells expansions apart: the function, and the types of its parameters.
func expansionKey(f *Fn, params []Object, s *scope, spec bool) string {
	var b strings.Builder
	b.WriteString(f.Span.String() + f.Name)
	if spec {
		b.WriteString(" spec")
	}
	for _, p := range params {
		switch p := p.(type) {
		case *Scalar:
			b.WriteString("," + p.Type.String())
		case *Array:
			b.WriteString("," + p.Type().String())
		}
	}
	for _, name := range s.visibleHere() {
		switch o := s.names[name].(type) {
		case *Constant:
			b.WriteString(";" + name + "=" + o.Value.String())
		case *TypeName:
			b.WriteString(";" + name + "=" + o.Elem.String())
		}
	}
	return b.String()
}

// bindGenerics gives a fn's generics their values: element types and extents come from the arguments, all else from
// the defaults.
func (b *checker) bindGenerics(c *checker, e *ast.Call, d *ast.Fn, args []Type) bool {
	ok := true
	for _, g := range d.Generics {
		if g.Name == nil || g.Kind == nil {
			return false
		}
		v := b.inferred(d, g, args)
		if !v.Valid() && g.Default != nil {
			v, _ = b.genericValue(g, g.Default)
		}
		if !v.Valid() {
			c.errorf(diag.BadGeneric, e.Span(), "nothing in this call says what %s of %s is", g.Name.Name, d.Name.Name).
				Note(g.Span(), "%s is declared here", g.Name.Name)
			return false
		}
		if bad := b.refused(g, v); bad != "" {
			c.errorf(diag.BadGeneric, e.Span(), "%s of %s cannot be %s: it is one of %s", g.Name.Name, d.Name.Name, v, bad).
				Note(g.Span(), "%s is declared here", g.Name.Name)
			ok = false
		}
		b.declare(g.Name, genericObject(g, v))
	}
	return ok
}

// inferred is the value of a generic that the arguments fix.
func (b *checker) inferred(d *ast.Fn, g *ast.Generic, args []Type) Value {
	var literal Value
	for i, p := range d.Params {
		if p.Type == nil {
			continue
		}
		if p.Type.Elem != nil && p.Type.Elem.Name == g.Name.Name {
			switch args[i].Kind {
			case Number, Whole:
				return DTypeOf(args[i].Elem)
			case Index:
				return DTypeOf(array.I64)
			case UntypedFloat, UntypedInt:
				literal = DTypeOf(args[i].DType())
			}
		}
		for k, dim := range p.Type.Dims {
			if id, ok := dim.(*ast.Ident); ok && id.Name == g.Name.Name && k < len(args[i].Shape) {
				if n, ok := args[i].Shape[k].Const(); ok {
					return IntOf(n)
				}
			}
		}
	}
	if literal.Valid() && g.Default == nil {
		return literal
	}
	return Value{}
}

// bindParams declares a fn's parameters with the types that they have in this call.
func (b *checker) bindParams(c *checker, e *ast.Call, d *ast.Fn, args []Type, x *Expansion) bool {
	ok := true
	for i, p := range d.Params {
		if p.Type == nil || p.Name == nil {
			return false
		}
		elem := b.elemOf(p.Type.Elem)
		if elem == array.Invalid {
			return false
		}
		var o Object
		if p.Type.IsScalar() {
			o, ok = b.scalarParam(c, e.Args[i], p, elem)
		} else {
			o, ok = b.tileParam(c, d.Name.Name, e.Args[i], p, elem, args[i])
		}
		if !ok {
			return false
		}
		b.declare(p.Name, o)
		x.Params = append(x.Params, o)
	}
	return true
}

func (b *checker) scalarParam(c *checker, arg ast.Expr, p *ast.Param, elem array.DType) (Object, bool) {
	if t := c.scalar(arg); !t.Valid() || !c.storable(arg, t, elem, p.Name.Name, p.Name.Span()) {
		return nil, false
	}
	return b.newScalar(p.Name, ParamScalar, b.computedParam(elem)), true
}

// computedParam is the type of a scalar parameter: in a spec nothing is rounded on the way.
func (b *checker) computedParam(elem array.DType) Type {
	if b.spec {
		return b.computed(number(elem))
	}
	return number(elem)
}

func (b *checker) tileParam(c *checker, fn string, arg ast.Expr, p *ast.Param, elem array.DType, t Type) (Object, bool) {
	a := c.tileOrNil(arg)
	switch {
	case t.Kind != Whole || a == nil:
		c.errorf(diag.WrongType, arg.Span(), "%s of %s is a tile, but %s is %s", p.Name.Name, fn, sourceText(arg), article(t.String())).
			Note(p.Span(), "%s is declared here", p.Name.Name)
		return nil, false
	case a.Elem != elem:
		c.errorf(diag.TypeMismatch, arg.Span(), "%s of %s has elements of type %s, but %s of type %s", p.Name.Name, fn, elem, sourceText(arg), a.Elem).
			Note(p.Span(), "%s is declared here", p.Name.Name).Note(a.Span, "%s is declared here", a.Name)
		return nil, false
	case len(p.Type.Dims) != len(a.Shape):
		c.errorf(diag.RankMismatch, arg.Span(), "%s of %s has rank %d, but %s has rank %d", p.Name.Name, fn, len(p.Type.Dims), sourceText(arg), len(a.Shape)).
			Note(p.Span(), "%s is declared here", p.Name.Name).Note(a.Span, "%s is declared here", a.Name)
		return nil, false
	}
	o := &Array{named: named{Name: p.Name.Name, Span: p.Name.Span()}, Kind: Tile, Elem: elem, Shape: a.Shape, Param: p}
	for k, dim := range p.Type.Dims {
		o.dims = append(o.dims, dim.Span())
		n := a.Extents()[k]
		if id, ok := dim.(*ast.Ident); ok && b.scope.lookup(id.Name) == nil {
			b.declare(id, &Constant{named: named{Name: id.Name, Span: id.Span()}, Type: indexType, Value: IntOf(n)})
			continue
		}
		want, ok := b.constInt(dim, tileExtent)
		if !ok {
			return nil, false
		}
		if want != n {
			c.errorf(diag.ExtentMismatch, arg.Span(), "dimension %d of %s is %d in this call of %s, but %s has %d there", k, p.Name.Name, want, fn, sourceText(arg), n).
				Note(dim.Span(), "%s is %d", sourceText(dim), want).Note(a.Span, "%s is declared here", a.Name)
			return nil, false
		}
	}
	if p.Dir != ast.Out {
		b.flow.write(o)
	}
	return o, true
}

// tileOrNil is the tile that a checked expression names.
func (c *checker) tileOrNil(e ast.Expr) *Array {
	if a := c.info.ArrayOf(e); a != nil && a.Kind == Tile {
		return a
	}
	return nil
}

// resultType works out the declared result of a fn, in b.returned.
func (b *checker) resultType() bool {
	r := b.returned
	if r.elem = b.elemOf(r.want.Elem); r.elem == array.Invalid {
		return false
	}
	for _, dim := range r.want.Dims {
		n, ok := b.constInt(dim, tileExtent)
		if !ok {
			return false
		}
		r.shape = append(r.shape, ConstExtent(n))
	}
	return true
}

// returnStmt checks `return expr` against the declared result.
func (c *checker) returnStmt(s *ast.Return) {
	r := c.returned
	if r == nil {
		c.errorf(diag.NotInThisPlace, s.Span(), "return can only stand at the end of a fn")
		return
	}
	r.seen = true
	if r.want == nil {
		c.errorf(diag.BadCall, s.Span(), "this function returns nothing").Hint("say what it returns: -> f32")
		return
	}
	if len(r.want.Dims) > 0 {
		c.returnTile(s)
		return
	}
	if t := c.closed(s, s.Value, func() Type { return c.scalar(s.Value) }); c.storable(s.Value, t, r.elem, "the result", r.want.Span()) {
		r.typ = c.computedParam(r.elem)
	}
}

func (c *checker) returnTile(s *ast.Return) {
	r := c.returned
	a := c.tileArgument(s.Value, "the result")
	if a == nil {
		return
	}
	if a.Param != nil {
		c.errorf(diag.NotAssignable, s.Value.Span(), "%s is a parameter; a function returns a tile of its own", a.Name).
			Note(a.Span, "%s is declared here", a.Name).
			Hint("copy it first: let copied[…] = %s[…]", a.Name)
		return
	}
	same := a.Elem == r.elem && len(a.Shape) == len(r.shape)
	for i := 0; same && i < len(a.Shape); i++ {
		same = a.Shape[i].Equal(r.shape[i])
	}
	if !same {
		c.errorf(diag.ExtentMismatch, s.Value.Span(), "%s is %s, but the function returns %s", sourceText(s.Value), article(a.Type().String()), r.elem.String()+shapeText(r.shape)).
			Note(r.want.Span(), "the result is declared here").Note(a.Span, "%s is declared here", a.Name)
		return
	}
	r.typ, r.array = a.Type(), a
}
