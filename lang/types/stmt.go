package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// block checks a block in a scope of its own.
func (c *checker) block(b *ast.Block) {
	if b == nil {
		return
	}
	outer := c.open()
	for _, s := range b.Stmts {
		c.statement(s)
	}
	c.scope = outer
}

func (c *checker) statement(s ast.Stmt) {
	if !c.belongs(s) {
		return
	}
	switch s := s.(type) {
	case *ast.Block:
		c.block(s)
	case *ast.Let:
		c.let(s)
	case *ast.LetTile:
		c.letTile(s)
	case *ast.Var:
		c.varStmt(s)
	case *ast.TileDecl:
		c.tileDecl(s)
	case *ast.Copy:
		c.copyStmt(s)
	case *ast.Gemm:
		c.gemm(s)
	case *ast.Fill:
		c.fill(s)
	case *ast.For:
		c.forStmt(s)
	case *ast.Pipeline:
		c.pipeline(s)
	case *ast.While:
		c.while(s)
	case *ast.If:
		c.ifStmt(s)
	case *ast.Assign:
		c.assign(s)
	case *ast.CallStmt:
		c.callStmt(s)
	case *ast.Print:
		c.print(s)
	case *ast.Assert:
		c.assert(s)
	case *ast.Return:
		c.returnStmt(s)
	case *ast.Require:
		c.closed(s, s.Cond, func() Type { return c.boolExpr(s.Cond, "the condition") })
	}
}

// belongs checks that a statement may stand in the body that is being checked.
func (c *checker) belongs(s ast.Stmt) bool {
	what, hint := "", ""
	switch s.(type) {
	case *ast.BadStmt:
		return false
	case *ast.Signal, *ast.Wait, *ast.Barrier:
		c.errorf(diag.NotSupported, s.Span(), "statements between ranks are not supported yet")
		return false
	case *ast.Temp, *ast.Run:
		what, hint = "this statement", "it belongs into an op"
	case *ast.Tune:
		what, hint = "tune", "it belongs before the grid"
	case *ast.Let, *ast.Require:
	case *ast.Return:
		if c.returned == nil {
			what, hint = "return", "it ends a fn"
		}
	case *ast.LetTile, *ast.Assign:
		if c.where != gridPlace && c.where != specPlace {
			what = "this statement"
		}
	default:
		if c.where != gridPlace {
			what = "this statement"
		}
	}
	if what == "" {
		return true
	}
	if hint == "" {
		switch c.where {
		case specPlace:
			hint = "a spec is made of index statements and let"
		case fnPlace:
			hint = "a fn on scalars is made of let and a return at its end"
		default:
			hint = "it belongs into the grid"
		}
	}
	c.errorf(diag.NotInThisPlace, s.Span(), "%s cannot stand here", what).Hint("%s", hint)
	for _, n := range ast.Children(s) {
		if id, ok := n.(*ast.Ident); ok && c.scope.lookup(id.Name) == nil {
			c.mute(id)
		}
	}
	return false
}

// let checks `let x = expr`.
func (c *checker) let(s *ast.Let) {
	c.wholeValue = s.Value
	t := c.closed(s, s.Value, func() Type { return c.expr(s.Value) })
	if call, ok := s.Value.(*ast.Call); ok && t.Kind == Whole {
		c.letArrays(s, call)
		return
	}
	if t.Valid() && t.Kind != TypeKind {
		t = c.scalar(s.Value)
	}
	if len(s.Names) != 1 {
		if t.Valid() {
			c.errorf(diag.BadCall, s.Value.Span(), "%s names, but %s is one value", IntOf(int64(len(s.Names))), sourceText(s.Value))
		}
		t = invalidType
	}
	for _, id := range s.Names {
		if !t.Valid() {
			c.mute(id)
			continue
		}
		c.letScalar(s, id, t)
	}
}

func (c *checker) letScalar(s *ast.Let, id *ast.Ident, t Type) {
	n := named{Name: id.Name, Span: id.Span()}
	if v := c.constOf(s.Value); v.Valid() {
		c.declare(id, &Constant{named: n, Type: t, Value: v})
		return
	}
	if t.IsUntyped() {
		t = number(t.DType())
	}
	if c.spec {
		t = c.computed(t)
	}
	x := c.newScalar(id, LetScalar, t)
	x.taint = c.taintOf(s.Value)
	if f := c.formula(s.Value); f.Known() {
		x.known = &f
		x.limit = f.bounds()
	}
	c.declare(id, x)
	c.info.Index[s] = &IndexStmt{Scalar: x}
}

// letArrays names the tiles that a call leaves.
func (c *checker) letArrays(s *ast.Let, e *ast.Call) {
	call := c.info.Calls[e]
	if call == nil {
		return
	}
	if len(call.Results) != len(s.Names) {
		c.errorf(diag.BadCall, s.Value.Span(), "%s gives %s, but %s given", sourceText(s.Value),
			count(len(call.Results), "tile"), count(len(s.Names), "name")+" "+were(len(s.Names)))
		for _, id := range s.Names {
			c.mute(id)
		}
		return
	}
	for i, id := range s.Names {
		a := call.Results[i]
		a.named = named{Name: id.Name, Span: id.Span()}
		c.flow.write(a)
		c.declare(id, a)
	}
}

// letTile checks `let t[i, j] = expr`.
func (c *checker) letTile(s *ast.LetTile) {
	c.begin(s, s.Indices, nil, &s.Suffix, s.Value)
	st := c.stmt
	t := c.scalar(s.Value)
	if s.Where != nil {
		c.errorf(diag.BadIndex, s.Where.Span(), "a new tile has no values that where could keep").
			Hint("%s", "choose: if … then … else …")
	}
	c.elseValue(s.Suffix)
	c.end()
	if s.Name == nil {
		return
	}
	a := &Array{named: named{Name: s.Name.Name, Span: s.Name.Span()}, Kind: Tile}
	ok := t.Valid()
	for i, x := range st.free {
		a.Shape = append(a.Shape, x.Extent)
		a.dims = append(a.dims, s.Indices[min(i, len(s.Indices)-1)].Span())
		ok = ok && x.Extent.Known()
	}
	if !ok || len(st.free) != len(s.Indices) {
		c.mute(s.Name)
		return
	}
	a.Elem = t.DType()
	if c.spec {
		a.Kind, a.Elem = Temporary, c.computed(number(a.Elem)).Elem
	} else {
		for d, x := range a.Shape {
			c.tileExtent(a.dims[d], x)
		}
		c.tileSize(a)
		c.fillOfLet(s, st, a)
	}
	c.flow.write(a)
	c.declare(s.Name, a)
	c.info.Index[s] = &IndexStmt{Free: st.free, Array: a, New: true}
}

// elseValue checks the `else` of an index statement against what it reads. It is called before the statement ends.
func (c *checker) elseValue(s ast.Suffix) {
	if s.Else == nil {
		return
	}
	t := c.scalar(s.Else)
	tensors := 0
	for _, l := range c.stmt.loads {
		if l.array.Kind.IsTensor() {
			tensors++
			c.storable(s.Else, t, l.array.Elem, l.array.Name, l.array.Span)
		}
	}
	if tensors == 0 && t.Valid() {
		c.errorf(diag.BadIndex, s.Else.Span(), "else stands for elements outside a tensor, but this statement reads no tensor").
			Hint("choose within the expression: if … then … else …")
	}
}

func (c *checker) varStmt(s *ast.Var) {
	c.wholeValue = s.Value
	t := c.closed(s, s.Value, func() Type { return c.scalar(s.Value) })
	if s.Name == nil {
		return
	}
	declared := array.Invalid
	if s.Type != nil {
		if !s.Type.IsScalar() {
			c.errorf(diag.WrongType, s.Type.Span(), "a var is one value; it has no extents").
				Hint("tile %s: %s", s.Name.Name, s.Type.Span().Text())
			c.mute(s.Name)
			return
		}
		if declared = c.elemOf(s.Type.Elem); declared == array.Invalid {
			c.mute(s.Name)
			return
		}
		c.storable(s.Value, t, declared, s.Name.Name, s.Name.Span())
		t = number(declared)
	}
	if !t.Valid() {
		c.mute(s.Name)
		return
	}
	if t.IsUntyped() {
		if !c.fits(s.Value, t.DType()) {
			c.mute(s.Name)
			return
		}
		t = number(t.DType())
	}
	x := c.newScalar(s.Name, MutScalar, t)
	x.taint = dataTaint
	c.declare(s.Name, x)
	c.info.Index[s] = &IndexStmt{Scalar: x}
}

func (c *checker) callStmt(s *ast.CallStmt) {
	if s.Call == nil {
		return
	}
	t := c.closed(s, s.Call, func() Type { return c.expr(s.Call) })
	if t.Valid() && t.Kind != Nothing {
		c.errorf(diag.BadCall, s.Span(), "the result of %s is not used", sourceText(s.Call)).
			Hint("let y = %s", sourceText(s.Call))
	}
}

func (c *checker) print(s *ast.Print) {
	for _, a := range s.Args {
		if _, text := a.(*ast.String); !text {
			c.closed(s, a, func() Type { return c.scalar(a) })
		} else {
			c.expr(a)
		}
	}
}

// assert checks `assert cond, "message"`, whose condition may have free indices of its own.
func (c *checker) assert(s *ast.Assert) {
	c.begin(s, nil, s.Cond, nil)
	st := c.stmt
	t := c.boolExpr(s.Cond, "the condition")
	c.end()
	if t.Valid() {
		c.info.Index[s] = &IndexStmt{Free: st.free}
	}
}
