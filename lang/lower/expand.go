package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// expand lowers a call of a fn by lowering its body in place, and returns its
// value, nil if that is a tile or nothing.
func (l *lowerer) expand(e *ast.Call, c *types.Call) *ir.Expr {
	f := l.enter(e, c)
	if f == nil {
		return nil
	}
	return f.result
}

// enter lowers the body of a fn and returns the frame that it leaves.
//
// Where no argument depends on the indices of the statement around the call,
// the body is a piece of program of its own, ahead of the statement. Otherwise
// it has to be an expression: see pointwise.
func (l *lowerer) enter(e *ast.Call, c *types.Call) *frame {
	x := c.Fn
	if x == nil || len(x.Params) != len(e.Args) {
		l.bug(e.Span(), "the call of %s doesn't fit its fn", e.Fun.Name)
		return nil
	}
	callee := &frame{info: x.Body, outer: l.frame, scalars: map[*types.Scalar]binding{}, arrays: map[*types.Array]*ir.Buffer{}}
	depends := false
	for i, p := range x.Params {
		switch p := p.(type) {
		case *types.Array:
			callee.arrays[p] = l.array(e.Args[i])
		case *types.Scalar:
			v := l.expr(e.Args[i], l.number(p.Type.DType()))
			v = l.shared(v, countUses(x, p), e.Fun.Name+"_"+p.Name)
			depends = depends || len(usedIters(l.iters, v)) > 0
			callee.scalars[p] = binding{value: v, inside: conj(l.inside(v), l.origin(e.Args[i]))}
		}
	}
	caller, edge, iters, path := l.frame, l.edge, l.iters, l.path
	l.frame, l.edge = callee, nil
	if !depends {
		l.iters, l.path = nil, nil
	}
	for _, s := range x.Decl.Body.Stmts {
		if r, ok := s.(*ast.Return); ok {
			l.returned(r, x)
			break
		}
		l.stmt(s)
	}
	l.frame, l.edge, l.iters, l.path = caller, edge, iters, path
	return callee
}

// returned lowers the value of a return.
func (l *lowerer) returned(r *ast.Return, x *types.Expansion) {
	if x.Result.IsScalar() && r.Value != nil {
		l.frame.result = l.expr(r.Value, l.number(x.Result.DType()))
	}
}

// countUses counts how often the body of a fn names a parameter.
func countUses(x *types.Expansion, p *types.Scalar) int {
	n := 0
	ast.Inspect(x.Decl.Body, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok && x.Body.Uses[id] == types.Object(p) {
			n++
		}
		return true
	})
	return n
}

// pointwise lowers a statement of a fn that is called at each point of an index
// statement: nothing is emitted, names stand for expressions.
func (l *lowerer) pointwise(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Block:
		for _, s := range s.Stmts {
			l.pointwise(s)
		}
	case *ast.Let:
		if o, ok := l.info().Defs[s.Names[0]].(*types.Scalar); ok {
			l.rebind(o, s.Value)
			return
		}
		if _, isConst := l.info().Defs[s.Names[0]].(*types.Constant); !isConst {
			l.notPointwise(s)
		}
	case *ast.Var:
		if o, ok := l.info().Defs[s.Name].(*types.Scalar); ok {
			l.rebind(o, s.Value)
		}
	case *ast.Assign:
		l.pointwiseAssign(s)
	case *ast.If:
		l.pointwiseIf(s)
	default:
		l.notPointwise(s)
	}
}

func (l *lowerer) notPointwise(s ast.Stmt) {
	l.unsupported(s.Span(), "this statement in a fn that is called at each point of an index statement")
}

// rebind makes a name stand for a value from here on.
func (l *lowerer) rebind(o *types.Scalar, e ast.Expr) {
	v := l.expr(e, l.number(o.Type.DType()))
	l.bind(o, binding{value: l.shared(v, 2, o.Name), inside: conj(l.inside(v), l.origin(e))})
}

func (l *lowerer) pointwiseAssign(s *ast.Assign) {
	id, ok := s.LHS.(*ast.Ident)
	if !ok || s.Atomic || s.Where != nil {
		l.notPointwise(s)
		return
	}
	o, ok := l.info().ObjectOf(id).(*types.Scalar)
	old, known := l.lookup(o)
	if !ok || !known {
		l.notPointwise(s)
		return
	}
	own := l.number(o.Type.DType())
	t := l.computeType(own, s.Op, s.Value)
	v := cast(own, combined(s.Op, cast(t, old.value), l.expr(s.Value, t)))
	l.bind(o, binding{value: l.shared(v, 2, o.Name), inside: conj(old.inside, l.inside(v), l.origin(s.Value))})
}

// pointwiseIf runs both branches and chooses, for each name, between what they
// leave it standing for.
func (l *lowerer) pointwiseIf(s *ast.If) {
	if v, ok := l.info().Consts[s.Cond]; ok && v.Kind == types.BoolValue {
		switch {
		case v.Bool:
			l.pointwise(s.Then)
		case s.Else != nil:
			l.pointwise(s.Else)
		}
		return
	}
	c := l.condition(s.Cond)
	before := l.frame.scalars
	branch := func(s ast.Stmt) map[*types.Scalar]binding {
		l.frame.scalars = make(map[*types.Scalar]binding, len(before))
		for o, b := range before {
			l.frame.scalars[o] = b
		}
		if s != nil {
			l.pointwise(s)
		}
		return l.frame.scalars
	}
	then := branch(s.Then)
	otherwise := branch(s.Else)
	l.frame.scalars = before
	for o, old := range before {
		x, y := then[o], otherwise[o]
		if x == old && y == old {
			continue
		}
		before[o] = binding{value: choose(c, x.value, y.value), inside: conj(x.inside, y.inside)}
	}
}
