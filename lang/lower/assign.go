package lower

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// combiners say how `op=` puts the old and the new value together; a reduction
// with the same Combine can accumulate directly.
var combiners = map[ast.AssignOp]struct {
	op      ir.ExprOp
	combine ir.Combine
	onBools ir.Combine
}{
	ast.AddSet: {ir.Add, ir.Sum, ir.NoCombine},
	ast.MulSet: {ir.Mul, ir.Prod, ir.NoCombine},
	ast.MaxSet: {ir.Max, ir.MaxOf, ir.NoCombine},
	ast.MinSet: {ir.Min, ir.MinOf, ir.NoCombine},
	ast.OrSet:  {ir.BitOr, ir.OrOf, ir.AnyOf},
	ast.AndSet: {ir.BitAnd, ir.AndOf, ir.AllOf},
}

func combineOf(op ast.AssignOp, t ir.DType) ir.Combine {
	c := combiners[op]
	if t == array.Bool {
		return c.onBools
	}
	return c.combine
}

// combined is old op value, in old's type.
func combined(op ast.AssignOp, old, value *ir.Expr) *ir.Expr {
	if op == ast.Set {
		return value
	}
	if old.Type == array.Bool {
		switch op {
		case ast.OrSet:
			return ir.Bin(ir.Or, old, value)
		case ast.AndSet:
			return ir.Bin(ir.And, old, value)
		}
	}
	return ir.Bin(combiners[op].op, old, value)
}

// target is the left side of an index statement.
type target struct {
	at    *ir.Access
	where *ir.Expr // where it is inside its array and limit holds
	limit *ir.Expr // the statement's `where`
	op    ast.AssignOp
	value ast.Expr
	span  diag.Span
}

func (l *lowerer) letTile(s *ast.LetTile) {
	f := l.info().Index[s]
	if f == nil || f.Array == nil {
		l.bug(s.Span(), "nothing is known about %s", s.Name.Name)
		return
	}
	dom := l.defineIters(f.Free)
	l.statement(dom, s.Suffix, func() {
		b := l.defineArray(f.Array)
		at := &ir.Access{Buf: b, Index: refs(dom), Span: s.Name.Span()}
		l.write(&target{at: at, op: ast.Set, value: s.Value, span: s.Span()})
	})
}

func (l *lowerer) assign(s *ast.Assign) {
	f := l.info().Index[s]
	if id, ok := s.LHS.(*ast.Ident); ok && !s.Atomic {
		if o, ok := l.info().ObjectOf(id).(*types.Scalar); ok {
			l.assignScalar(s, o)
			return
		}
	}
	if f == nil {
		l.bug(s.Span(), "nothing is known about this statement")
		return
	}
	dom := l.defineIters(f.Free)
	l.statement(dom, s.Suffix, func() {
		t := l.target(s.LHS)
		if t == nil {
			return
		}
		t.op, t.value, t.span = s.Op, s.Value, s.Span()
		if s.Where != nil {
			t.limit = l.condition(s.Where)
			t.where = conj(t.where, t.limit)
		}
		if s.Atomic {
			l.atomic(t, nil)
			return
		}
		l.write(t)
	})
}

// statement runs f for an index statement over dom.
func (l *lowerer) statement(dom []ir.Iter, suffix ast.Suffix, f func()) {
	saved := l.edge
	l.edge = suffix.Else
	l.within(dom, f)
	l.edge = saved
}

// target lowers a left side; the condition under which it is inside goes to
// where.
func (l *lowerer) target(lhs ast.Expr) *target {
	switch e := lhs.(type) {
	case *ast.Index:
		at, inside := l.place(e)
		return &target{at: at, where: inside}
	case *ast.Ident:
		if a := l.info().ArrayOf(e); a != nil {
			if b := l.lookupArray(a); b != nil && len(b.Shape) == 0 {
				return &target{at: &ir.Access{Buf: b, Span: e.Span()}}
			}
		}
	}
	l.bug(lhs.Span(), "%q can't be assigned", lhs.Span().Text())
	return nil
}

func (l *lowerer) assignScalar(s *ast.Assign, o *types.Scalar) {
	b, ok := l.lookup(o)
	if !ok || b.v == nil {
		l.bug(s.Span(), "%s can't be assigned", o.Name)
		return
	}
	l.statement(nil, s.Suffix, func() {
		t := l.computeType(b.v.Type, s.Op, s.Value)
		x := l.expr(s.Value, t)
		if s.Op != ast.Set {
			x = combined(s.Op, cast(t, ir.RefTo(b.v)), x)
		}
		assign := &ir.Op{Code: ir.OpAssign, Var: b.v, X: []*ir.Expr{cast(b.v.Type, x)}, Span: s.Span()}
		if s.Where == nil {
			l.emit(assign)
			return
		}
		c := l.condition(s.Where)
		l.emit(&ir.Op{Code: ir.OpIf, X: []*ir.Expr{c}, Body: &ir.Block{Ops: []*ir.Op{assign}}, Span: s.Span()})
	})
}

// computeType is the type in which `old op= value` is computed, old of type t.
func (l *lowerer) computeType(t ir.DType, op ast.AssignOp, value ast.Expr) ir.DType {
	if op == ast.Set {
		return t
	}
	if own := l.natural(value); own != array.Invalid && t != array.Bool {
		t = wider(t, own)
	}
	return arithmetic(t)
}

// write lowers `lhs op= value` over the statement's indices.
func (l *lowerer) write(t *target) {
	b := t.at.Buf
	c := l.computeType(l.number(b.Elem), t.op, t.value)
	var x *ir.Expr
	if r := l.wholeReduction(t, c); r != nil {
		if l.writeReduction(t, r) {
			return
		}
		l.under(t.limit, func() { x = cast(c, l.hoist(r)) })
	} else {
		l.under(t.limit, func() { x = l.expr(t.value, c) })
	}
	if t.op != ast.Set {
		x = combined(t.op, cast(c, ir.LoadAt(t.at)), x)
	}
	l.assignPoints(t, cast(l.stored(b), x))
}

// wholeReduction returns the right side if it is a reduction and nothing else.
func (l *lowerer) wholeReduction(t *target, c ir.DType) *reduction {
	e, ok := t.value.(*ast.Reduce)
	if !ok {
		return nil
	}
	if _, isConst := l.info().Consts[e]; isConst {
		return nil
	}
	own := l.natural(e)
	if own == array.Invalid {
		own = c
	}
	return l.reduce(e, own)
}

// assignPoints emits the map of a statement. Where the right side or the place
// reads elements of the left side other than the one that it writes, the values
// pass through a buffer of their own.
func (l *lowerer) assignPoints(t *target, x *ir.Expr) {
	b := t.at.Buf
	if readsElsewhere(x, t.at) || anyLoads(t.at.Index, b) || t.where != nil && loads(t.where, b) {
		t.at = &ir.Access{Buf: b, Index: l.settle(t.at.Index, b), Span: t.at.Span}
		t.where = l.settleWhere(t.where, b)
		next := l.temp(b.Name+"_next", x.Type, extentsOf(l.iters), t.span)
		l.emit(&ir.Op{
			Code: ir.OpMap, Dom: l.iters, X: []*ir.Expr{x}, Where: t.where,
			Dst: &ir.Access{Buf: next, Index: refs(l.iters), Span: t.span}, Span: t.span,
		})
		x = ir.LoadAt(&ir.Access{Buf: next, Index: refs(l.iters), Span: t.span})
		dom, with := l.again(l.iters)
		l.emit(&ir.Op{
			Code: ir.OpMap, Dom: dom, X: []*ir.Expr{x.Subst(with)}, Where: t.where.Subst(with),
			Dst: substAccess(t.at, with), Span: t.span,
		})
		return
	}
	l.emit(&ir.Op{Code: ir.OpMap, Dom: l.iters, X: []*ir.Expr{x}, Dst: t.at, Where: t.where, Span: t.span})
}

// settle computes what reads b into buffers ahead of the statement.
func (l *lowerer) settle(es []*ir.Expr, b *ir.Buffer) []*ir.Expr {
	out := make([]*ir.Expr, len(es))
	for i, e := range es {
		out[i] = l.settleOne(e, b, b.Name+"_index")
	}
	return out
}

// settleWhere computes the part of a condition that reads b ahead of the statement: where the rest holds, as that keeps it inside arrays.
func (l *lowerer) settleWhere(where *ir.Expr, b *ir.Buffer) *ir.Expr {
	var rest, reading *ir.Expr
	for _, c := range ir.Conjuncts(where) {
		if loads(c, b) {
			reading = conj(reading, c)
		} else {
			rest = conj(rest, c)
		}
	}
	l.under(rest, func() { reading = l.settleOne(reading, b, b.Name+"_where") })
	return conj(rest, reading)
}

func (l *lowerer) settleOne(e *ir.Expr, b *ir.Buffer, name string) *ir.Expr {
	if e == nil || !loads(e, b) {
		return e
	}
	return l.materialise(e, name)
}

// again makes new iteration variables for an operation of its own over the same
// points.
func (l *lowerer) again(its []ir.Iter) (dom []ir.Iter, with map[*ir.Var]*ir.Expr) {
	with = map[*ir.Var]*ir.Expr{}
	for _, it := range its {
		v := *it.Var
		l.facts.index(&v, it.Extent)
		dom = append(dom, ir.Iter{Var: &v, Extent: it.Extent})
		with[it.Var] = ir.RefTo(&v)
	}
	return dom, with
}

func extentsOf(its []ir.Iter) []*ir.Expr {
	es := make([]*ir.Expr, len(its))
	for i, it := range its {
		es[i] = it.Extent
	}
	return es
}

// usedIters returns those of its that any of es uses.
func usedIters(its []ir.Iter, es ...*ir.Expr) []ir.Iter {
	var used []ir.Iter
	for _, it := range its {
		for _, e := range es {
			if e.Uses(it.Var) {
				used = append(used, it)
				break
			}
		}
	}
	return used
}

func substAccess(a *ir.Access, with map[*ir.Var]*ir.Expr) *ir.Access {
	return a.Map(func(x *ir.Expr) *ir.Expr {
		if x.Op == ir.Ref {
			if y, ok := with[x.Var]; ok {
				return y
			}
		}
		return x
	})
}

// readsElsewhere reports whether x reads the array of at at another element.
func readsElsewhere(x *ir.Expr, at *ir.Access) bool {
	found := false
	x.Walk(func(e *ir.Expr) bool {
		if e.Op == ir.Load && e.At.Buf == at.Buf && !sameIndex(e.At.Index, at.Index) {
			found = true
		}
		return !found
	})
	return found
}

func anyLoads(es []*ir.Expr, b *ir.Buffer) bool {
	for _, e := range es {
		if loads(e, b) {
			return true
		}
	}
	return false
}
