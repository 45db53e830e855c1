package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
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
			v := l.argument(e.Fun.Name, p, e.Args[i], countUses(x, p))
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

// heavy is the number of expression nodes that a call may repeat.
const heavy = 48

// argument lowers an argument that is used a number of times. A large one that
// is used more than once is computed once, ahead.
func (l *lowerer) argument(fn string, p *types.Scalar, e ast.Expr, uses int) *ir.Expr {
	v := l.expr(e, l.number(p.Type.DType()))
	switch {
	case uses < 2 || size(v)*(uses-1) <= heavy:
		return v
	case len(l.iters) > 0:
		return l.materialise(v, fn+"_"+p.Name)
	}
	x := l.newVar(fn+"_"+p.Name, v.Type, ir.LetVar, e.Span())
	l.emit(&ir.Op{Code: ir.OpLet, Var: x, X: []*ir.Expr{v}, Span: e.Span()})
	l.facts.let(x, v)
	return ir.RefTo(x)
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

// size counts the nodes of an expression, up to a little more than heavy.
func size(e *ir.Expr) int {
	n := 0
	e.Walk(func(*ir.Expr) bool {
		n++
		return n <= heavy
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
	l.bind(o, binding{value: v, inside: conj(l.inside(v), l.origin(e))})
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
	l.bind(o, binding{value: v, inside: conj(old.inside, l.inside(v), l.origin(s.Value))})
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

// arrayCall lowers a call that leaves tiles and returns them. Their names are
// those that the program gives them, if any.
func (l *lowerer) arrayCall(e *ast.Call, given []*ast.Ident) []*ir.Buffer {
	c := l.info().Calls[e]
	if c == nil {
		l.bug(e.Span(), "nothing is known about the call of %s", e.Fun.Name)
		return nil
	}
	var bufs []*ir.Buffer
	if c.Kind == types.FnCall {
		if f := l.enter(e, c); f != nil && c.Fn.Returned != nil {
			if b := f.arrays[c.Fn.Returned]; b != nil {
				bufs = []*ir.Buffer{b}
			}
		}
	} else {
		names := make([]string, len(c.Results))
		for i := range names {
			names[i] = c.Name
			if i < len(given) {
				names[i] = given[i].Name
			}
		}
		bufs = l.tileFunction(e, c, names)
	}
	if len(bufs) != len(c.Results) {
		l.bug(e.Span(), "%s leaves %d tiles, not %d", e.Fun.Name, len(c.Results), len(bufs))
		return nil
	}
	for i, r := range c.Results {
		l.bindArray(r, bufs[i])
	}
	return bufs
}

// result allocates a tile that a builtin leaves.
func (l *lowerer) result(a *types.Array, name string, e *ast.Call) *ir.Buffer {
	b := &ir.Buffer{
		Name: l.names.unique(name), Elem: l.number(a.Elem), Shape: l.extents(a.Shape), Kind: l.localKind(), Span: e.Span(),
	}
	l.alloc(b)
	return b
}

var scans = map[string]ir.Combine{"cumsum": ir.Sum, "cummax": ir.MaxOf, "cumprod": ir.Prod}

// tileFunction lowers a builtin on whole tiles.
func (l *lowerer) tileFunction(e *ast.Call, c *types.Call, names []string) []*ir.Buffer {
	srcs := make([]*ir.Buffer, len(c.Arrays))
	for i := range srcs {
		srcs[i] = l.array(e.Args[i])
	}
	outs := make([]*ir.Buffer, len(c.Results))
	if len(srcs) == 0 || len(outs) == 0 {
		l.bug(e.Span(), "%s without tiles", c.Name)
		return nil
	}
	if how, ok := scans[c.Name]; ok {
		return []*ir.Buffer{l.scan(e, c, how, srcs[0], names[0])}
	}
	for i, r := range c.Results {
		outs[i] = l.result(r, names[i], e)
	}
	switch c.Name {
	case "transpose":
		l.transpose(e, outs[0], srcs[0])
	case "reshape":
		l.reshape(e, outs[0], srcs[0])
	case "concat":
		offset := ir.Int(0)
		for _, src := range srcs {
			dom, at := l.points(src.Shape)
			l.move(shifted(outs[0], at, c.Axis, offset, e), &ir.Access{Buf: src, Index: at, Span: e.Span()}, dom, e.Span())
			offset = bin(ir.Add, offset, src.Shape[c.Axis])
		}
	case "split":
		offset := ir.Int(0)
		for _, out := range outs {
			dom, at := l.points(out.Shape)
			l.move(&ir.Access{Buf: out, Index: at, Span: e.Span()}, shifted(srcs[0], at, c.Axis, offset, e), dom, e.Span())
			offset = bin(ir.Add, offset, out.Shape[c.Axis])
		}
	default:
		l.unsupported(e.Span(), "%s", c.Name)
	}
	return outs
}

// shifted is b at a point moved along an axis.
func shifted(b *ir.Buffer, at []*ir.Expr, axis int, by *ir.Expr, e *ast.Call) *ir.Access {
	index := append([]*ir.Expr(nil), at...)
	index[axis] = bin(ir.Add, by, at[axis])
	return &ir.Access{Buf: b, Index: index, Span: e.Span()}
}

func (l *lowerer) scan(e *ast.Call, c *types.Call, how ir.Combine, src *ir.Buffer, name string) *ir.Buffer {
	elem := l.number(c.Results[0].Elem)
	if src.Elem != elem {
		from := src
		src = l.temp(from.Name+"_"+elem.String(), elem, from.Shape, e.Span())
		dom, at := l.points(from.Shape)
		l.move(&ir.Access{Buf: src, Index: at, Span: e.Span()}, &ir.Access{Buf: from, Index: at, Span: e.Span()}, dom, e.Span())
	}
	out := l.result(c.Results[0], name, e)
	if how == ir.MaxOf && elem == array.Bool {
		how = ir.AnyOf
	}
	dom, at := l.points(out.Shape)
	l.emit(&ir.Op{
		Code: ir.OpScan, Combine: how, Axis: c.Axis, Dom: dom,
		Dst: &ir.Access{Buf: out, Index: at, Span: e.Span()}, Src: []*ir.Access{{Buf: src, Index: at, Span: e.Span()}}, Span: e.Span(),
	})
	return out
}

// transpose moves axis axes[d] of src to axis d of out; without axes given their
// order is reversed.
func (l *lowerer) transpose(e *ast.Call, out, src *ir.Buffer) {
	n := len(src.Shape)
	axes := make([]int, n)
	for d := range axes {
		axes[d] = n - 1 - d
		if len(e.Args) == n+1 {
			v, _ := l.info().Consts[e.Args[d+1]].Int64()
			axes[d] = int(v)
		}
	}
	dom, at := l.points(out.Shape)
	index := make([]*ir.Expr, n)
	for d, axis := range axes {
		if axis < 0 || axis >= n || index[axis] != nil {
			l.bug(e.Span(), "the axes of a transpose")
			return
		}
		index[axis] = at[d]
	}
	l.move(&ir.Access{Buf: out, Index: at, Span: e.Span()}, &ir.Access{Buf: src, Index: index, Span: e.Span()}, dom, e.Span())
}

// reshape copies elements in row-major order.
func (l *lowerer) reshape(e *ast.Call, out, src *ir.Buffer) {
	dom, at := l.points(out.Shape)
	position := ir.Int(0)
	for d, x := range at {
		position = bin(ir.Add, bin(ir.Mul, position, out.Shape[d]), x)
	}
	index := make([]*ir.Expr, len(src.Shape))
	for d := len(index) - 1; d >= 0; d-- {
		index[d] = position
		if d > 0 {
			index[d] = bin(ir.Mod, position, src.Shape[d])
			position = bin(ir.Div, position, src.Shape[d])
		}
	}
	x := cast(out.Elem, ir.LoadAt(&ir.Access{Buf: src, Index: index, Span: e.Span()}))
	l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, X: []*ir.Expr{x}, Dst: &ir.Access{Buf: out, Index: at, Span: e.Span()}, Span: e.Span()})
}
