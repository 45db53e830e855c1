package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// assign checks an index statement, or an assignment to a var.
func (c *checker) assign(s *ast.Assign) {
	switch lhs := s.LHS.(type) {
	case *ast.Ident:
		c.assignName(s, lhs)
	case *ast.Index:
		c.assignElements(s, lhs)
	default:
		c.errorf(diag.NotAssignable, s.LHS.Span(), "%s cannot be assigned to", sourceText(s.LHS))
	}
}

func (c *checker) assignName(s *ast.Assign, id *ast.Ident) {
	switch o := c.scope.lookup(id.Name).(type) {
	case *Scalar:
		c.info.Uses[id] = o
		if o.Kind == MutScalar {
			c.assignScalar(s, id, o)
			return
		}
		c.errorf(diag.NotAssignable, id.Span(), "%s is %s; its value cannot change", id.Name, o.Kind).
			Note(o.Span, "%s is declared here", id.Name).
			Hint("declare it as a var: var %s = …", id.Name)
	case *Array:
		c.errorf(diag.WholeArray, id.Span(), "%s is %s as a whole; name the elements to assign", id.Name, article(o.Type().String())).
			Note(o.Span, "%s is declared here", id.Name).
			Hint("%s = …", elementText(id.Name, len(o.Shape)))
	case nil:
		c.undefined(id, "known here", func(o Object) bool { x, ok := o.(*Scalar); return ok && x.Kind == MutScalar })
	case *broken:
	default:
		c.errorf(diag.NotAssignable, id.Span(), "%s is %s; its value cannot change", id.Name, describe(o)).
			Note(o.Declared(), "%s is declared here", id.Name)
	}
}

func (c *checker) assignScalar(s *ast.Assign, id *ast.Ident, x *Scalar) {
	if c.where != gridPlace {
		c.errorf(diag.NotInThisPlace, s.Span(), "a var cannot change here")
		return
	}
	c.wholeValue = s.Value
	c.begin(s, nil, nil, &s.Suffix, s.Value)
	t := c.scalar(s.Value)
	c.elseValue(s.Suffix)
	c.end()
	switch {
	case s.Atomic:
		c.errorf(diag.BadAtomic, s.Span(), "%s is a var of one grid instance; no other sees it, so it needs no atomic", id.Name)
	case s.Where != nil:
		c.errorf(diag.BadIndex, s.Where.Span(), "where limits the indices of a statement, and this one has none").
			Hint("if %s { … }", sourceText(s.Where))
	}
	if t = c.assigned(s.Op, s.LHS, s.Value, x.Type, t); t.Valid() {
		c.storable(s.Value, t, x.Type.DType(), id.Name, x.Span)
	}
	c.info.Types[id] = x.Type
	c.info.Index[s] = &IndexStmt{Scalar: x}
}

// assigned is the type of the value that an assignment operator stores.
func (c *checker) assigned(op ast.AssignOp, lhs, value ast.Expr, l, v Type) Type {
	switch {
	case !l.Valid() || !v.Valid():
		return invalidType
	case op == ast.Set:
		return v
	case op == ast.OrSet || op == ast.AndSet:
		if l.IsBool() && v.IsBool() {
			return v
		}
		for _, o := range [2]struct {
			e ast.Expr
			t Type
		}{{lhs, l}, {value, v}} {
			if o.t.IsFloat() {
				return c.badOperand(o.e, o.t, op.String(), "integers or bools")
			}
		}
	}
	verbs := map[ast.AssignOp]string{ast.AddSet: "add", ast.MulSet: "multiply", ast.MaxSet: "compare", ast.MinSet: "compare"}
	verb, ok := verbs[op]
	if !ok {
		verb = "combine"
	}
	t := c.unify(value, lhs, value, l, v, verb)
	if v.IsUntyped() && t.Valid() {
		return v // the literal itself was checked against what it meets
	}
	return t
}

func (c *checker) assignElements(s *ast.Assign, lhs *ast.Index) {
	c.begin(s, nil, lhs, &s.Suffix, s.Value)
	st := c.stmt
	undo := func() {}
	if s.Where != nil {
		if c.boolExpr(s.Where, "the condition of where").Valid() {
			undo = c.guard(s.Where)
		}
	}
	v := c.scalar(s.Value)
	how := writing
	if s.Op != ast.Set || s.Atomic {
		how = updating
	}
	l := c.access(lhs, how)
	c.info.Types[lhs] = l
	undo()
	c.elseValue(s.Suffix)
	c.end()
	a := c.info.ArrayOf(lhs)
	if a == nil {
		return
	}
	if t := c.assigned(s.Op, lhs, s.Value, l, v); t.Valid() {
		c.storable(s.Value, t, a.Elem, a.Name, a.Span)
		if s.Atomic {
			c.atomicType(s, s.Op, a)
		}
	}
	c.flow.write(a)
	if !l.Valid() || !v.Valid() {
		return
	}
	for _, x := range st.free {
		if !x.Extent.Known() {
			return
		}
	}
	c.info.Index[s] = &IndexStmt{Free: st.free, Array: a}
	c.warnFilledIndex(s, lhs, st)
	if !s.Atomic {
		c.exclusive(s.LHS, a, lhs.Args, nil, c.taintOf(s.Where))
	}
	if a.Kind == Tile {
		c.fillOfAssign(s, st, a)
	}
}

// atomicType checks that memory can combine elements of this type.
func (c *checker) atomicType(at ast.Node, op ast.AssignOp, a *Array) {
	switch {
	case op == ast.MulSet:
		c.errorf(diag.BadAtomic, at.Span(), "there is no atomic multiplication")
	case a.Elem == array.Bool || a.Elem.Bits() < 16 || a.Elem.IsInt() && a.Elem.Bits() < 32:
		c.errorf(diag.BadAtomic, at.Span(), "memory has no atomics on %s", a.Elem).
			Note(a.Span, "%s is declared here", a.Name).
			Hint("i32, i64, u32, u64, f16, bf16, f32 and f64 have them")
	}
}

// atomicExpr types `atomic x[…] += v` as an expression: the old value of one element.
func (c *checker) atomicExpr(e *ast.Atomic) Type {
	lhs, ok := e.LHS.(*ast.Index)
	if !ok || c.where != gridPlace || c.spec {
		c.errorf(diag.BadAtomic, e.Span(), "an atomic works on an element of a tensor or tile, in a grid")
		return invalidType
	}
	if c.wholeValue != ast.Expr(e) {
		c.errorf(diag.BadAtomic, e.Span(), "an atomic that gives the old value must be all of a let").
			Hint("let old = %s", sourceText(e))
		return invalidType
	}
	v := c.scalar(e.Value)
	l := c.access(lhs, updating)
	c.info.Types[lhs] = l
	a := c.info.ArrayOf(lhs)
	if a == nil || !l.Valid() {
		return invalidType
	}
	t := c.assigned(e.Op, lhs, e.Value, l, v)
	if !t.Valid() || !c.storable(e.Value, t, a.Elem, a.Name, a.Span) {
		return invalidType
	}
	c.atomicType(e, e.Op, a)
	c.info.Atomics[e] = &IndexStmt{Array: a}
	return l
}
