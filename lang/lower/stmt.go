package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

func (l *lowerer) stmts(list []ast.Stmt) {
	for _, s := range list {
		l.stmt(s)
	}
}

func (l *lowerer) stmt(s ast.Stmt) {
	if len(l.iters) > 0 { // in a fn called at each point of a statement
		l.pointwise(s)
		return
	}
	switch s := s.(type) {
	case *ast.Block:
		l.stmts(s.Stmts)
	case *ast.Let:
		l.let(s)
	case *ast.Var:
		l.declareVar(s)
	case *ast.LetTile:
		l.letTile(s)
	case *ast.TileDecl:
		l.tileDecl(s)
	case *ast.Assign:
		l.assign(s)
	case *ast.Copy:
		l.copy(s)
	case *ast.Fill:
		l.fill(s)
	case *ast.Gemm:
		l.gemm(s)
	case *ast.For:
		l.loop(s)
	case *ast.Pipeline:
		l.pipeline(s)
	case *ast.While:
		l.while(s)
	case *ast.If:
		l.branch(s)
	case *ast.CallStmt:
		l.callStmt(s)
	case *ast.Print:
		l.print(s)
	case *ast.Assert:
		l.assert(s)
	case *ast.Tune, *ast.Require:
		l.bug(s.Span(), "a declaration among statements")
	default:
		l.unsupported(s.Span(), "this statement")
	}
}

// let lowers `let x = value`: a scalar, a constant, or the tiles that a call
// leaves.
func (l *lowerer) let(s *ast.Let) {
	switch o := l.info().Defs[s.Names[0]].(type) {
	case *types.Constant:
		return
	case *types.Array:
		l.letArrays(s)
	case *types.Scalar:
		t := l.number(o.Type.DType())
		x := l.expr(s.Value, t)
		inside := conj(l.inside(x), l.origin(s.Value))
		v := l.newVar(o.Name, t, ir.LetVar, o.Span)
		l.emit(&ir.Op{Code: ir.OpLet, Var: v, X: []*ir.Expr{x}, Span: s.Span()})
		l.facts.let(v, x)
		l.bind(o, binding{value: ir.RefTo(v), inside: l.named(inside, o.Name+"_inside")})
	default:
		l.bug(s.Span(), "let of %s", s.Names[0].Name)
	}
}

// named gives a condition that reads memory a name, so that it is evaluated
// once and now.
func (l *lowerer) named(c *ir.Expr, name string) *ir.Expr {
	if c == nil || !hasLoad(c) {
		return c
	}
	v := l.newVar(name, array.Bool, ir.LetVar, c.Span)
	l.emit(&ir.Op{Code: ir.OpLet, Var: v, X: []*ir.Expr{c}, Span: c.Span})
	return ir.RefTo(v)
}

// letArrays lowers `let y = cumsum(x, 0)` and `let a, b = split(x, 0)`.
func (l *lowerer) letArrays(s *ast.Let) {
	call, ok := s.Value.(*ast.Call)
	if !ok {
		if id, ok := s.Value.(*ast.Ident); ok && len(s.Names) == 1 {
			if a, ok := l.info().Defs[s.Names[0]].(*types.Array); ok {
				l.bindArray(a, l.array(id)) // another name for a tile
				return
			}
		}
		l.bug(s.Span(), "no tile in %q", s.Value.Span().Text())
		return
	}
	bufs := l.arrayCall(call, s.Names)
	if len(bufs) != len(s.Names) {
		l.bug(s.Span(), "%d names for %d tiles", len(s.Names), len(bufs))
		return
	}
	for i, name := range s.Names {
		if a, ok := l.info().Defs[name].(*types.Array); ok {
			l.bindArray(a, bufs[i])
		}
	}
}

func (l *lowerer) declareVar(s *ast.Var) {
	o, ok := l.info().Defs[s.Name].(*types.Scalar)
	if !ok {
		l.bug(s.Span(), "var of %s", s.Name.Name)
		return
	}
	x := l.expr(s.Value, l.number(o.Type.DType()))
	v := l.defineVar(o, ir.MutVar)
	l.emit(&ir.Op{Code: ir.OpVar, Var: v, X: []*ir.Expr{x}, Span: s.Span()})
}

func (l *lowerer) tileDecl(s *ast.TileDecl) {
	a, ok := l.info().Defs[s.Name].(*types.Array)
	if !ok {
		l.bug(s.Span(), "tile %s", s.Name.Name)
		return
	}
	b := l.defineArray(a)
	if s.Init != nil {
		l.fillWith(b, l.expr(s.Init, b.Elem), s)
	}
}

// fillWith gives every element of b the same value.
func (l *lowerer) fillWith(b *ir.Buffer, x *ir.Expr, at ast.Node) {
	dom, index := l.points(b.Shape)
	l.emit(&ir.Op{
		Code: ir.OpMap, Dom: dom, X: []*ir.Expr{x},
		Dst:  &ir.Access{Buf: b, Index: index, Span: at.Span()},
		Span: at.Span(),
	})
}

// pointNames name the indices of operations for which the program has none.
var pointNames = [...]string{"i", "j", "k", "d", "r", "c", "x", "y", "z"}

// points returns iteration variables over a shape, and the references to them.
func (l *lowerer) points(shape []*ir.Expr) (dom []ir.Iter, index []*ir.Expr) {
	next := 0
	for _, extent := range shape {
		for next < len(pointNames)-1 && l.names[pointNames[next]] {
			next++
		}
		v := &ir.Var{Name: pointNames[min(next, len(pointNames)-1)], Type: ir.Index, Kind: ir.IterVar}
		next++
		l.facts.index(v, extent)
		dom = append(dom, ir.Iter{Var: v, Extent: extent})
		index = append(index, ir.RefTo(v))
	}
	return dom, index
}

func refs(its []ir.Iter) []*ir.Expr {
	es := make([]*ir.Expr, len(its))
	for i, it := range its {
		es[i] = ir.RefTo(it.Var)
	}
	return es
}
