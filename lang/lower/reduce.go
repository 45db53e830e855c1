package lower

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// reduction is a reduction of the program, its body lowered, before it is
// decided where the result goes.
type reduction struct {
	combine ir.Combine
	elem    ir.DType // of the result
	red     []ir.Iter
	x       *ir.Expr // the values combined
	where   *ir.Expr // which of them take part
	// matrix, when not nil, stands in place of x: a sum of products for the
	// matrix unit.
	matrix *matrix
	// narrow, unless Invalid, is the type of 4 bits that the result belongs into: it
	// is computed in bytes.
	narrow ir.DType
	name   string
	span   diag.Span
}

var reduceOps = map[string]ir.Combine{
	"sum": ir.Sum, "prod": ir.Prod, "max": ir.MaxOf, "min": ir.MinOf,
	"any": ir.AnyOf, "all": ir.AllOf, "argmax": ir.ArgMax, "argmin": ir.ArgMin,
}

// reduction lowers a reduction within an expression: it goes to a buffer of its
// own, and the value is an element of that.
func (l *lowerer) reduction(e *ast.Reduce, own ir.DType) *ir.Expr {
	r := l.reduce(e, own)
	if r == nil {
		return ir.ZeroOf(arithmetic(own))
	}
	return cast(arithmetic(own), l.hoist(r))
}

// reduce lowers the body of a reduction whose result is wanted in type own.
func (l *lowerer) reduce(e *ast.Reduce, own ir.DType) *reduction {
	f := l.info().Reductions[e]
	if f == nil {
		l.bug(e.Span(), "nothing is known about this %s", e.Op.Name)
		return nil
	}
	combine, ok := reduceOps[f.Op]
	if !ok {
		l.unsupported(e.Span(), "the reduction %s", f.Op)
		return nil
	}
	t := l.number(f.Elem)
	if t == array.Invalid {
		t = own
	}
	t = arithmetic(t)
	r := &reduction{combine: combine, elem: t, red: l.defineIters(f.Indices), span: e.Span()}
	if combine == ir.ArgMax || combine == ir.ArgMin {
		r.elem = own
	}
	l.within(append(l.iters[:len(l.iters):len(l.iters)], r.red...), func() {
		if r.matrix = l.asMatrix(e, f, r.red); r.matrix != nil {
			r.elem = r.matrix.acc
			r.name = r.matrix.a.Buf.Name + "_" + r.matrix.b.Buf.Name
			return
		}
		r.x = l.expr(e.Body, t)
		if t.IsInt() && t.Bits() < 8 {
			l.inBytes(r, t)
		}
		r.name = reducedName(r.x, f.Op)
		if l.edge == nil {
			l.skipOutside(r)
		}
	})
	return r
}

// reducedName names a buffer of reduced values after what is reduced.
func reducedName(x *ir.Expr, op string) string {
	if at := firstLoad(x); at != nil {
		return at.Buf.Name + "_" + op
	}
	return op
}

// hoist emits a reduction into a new buffer over those of the indices around it
// that it depends on, and returns what reads the result.
func (l *lowerer) hoist(r *reduction) *ir.Expr {
	if r.matrix != nil {
		return l.hoistMatrix(r)
	}
	used := usedIters(l.iters, r.x, r.where)
	dom, with := l.again(used)
	b := l.temp(r.name, r.elem, extentsOf(dom), r.span)
	l.emit(&ir.Op{
		Code: ir.OpReduce, Combine: r.combine, Dom: dom, Red: r.red,
		X: []*ir.Expr{r.x.Subst(with)}, Where: r.where.Subst(with),
		Dst: &ir.Access{Buf: b, Index: refs(dom), Guard: l.pathOver(used).Subst(with), Span: r.span}, Span: r.span,
	})
	return r.narrowed(ir.LoadAt(&ir.Access{Buf: b, Index: refs(used), Span: r.span}))
}

// inBytes has a reduction of integers of 4 bits computed in bytes.
func (l *lowerer) inBytes(r *reduction, t ir.DType) {
	wide := array.I8
	if t.IsUnsigned() {
		wide = array.U8
	}
	r.x = cast(wide, r.x)
	if r.combine != ir.ArgMax && r.combine != ir.ArgMin {
		r.elem, r.narrow = wide, t
	}
}

// narrowed brings the result of such a reduction back: that of nothing at all is the
// least or greatest byte.
func (r *reduction) narrowed(x *ir.Expr) *ir.Expr {
	if r.narrow == array.Invalid {
		return x
	}
	lo, hi := int64(0), int64(15)
	if r.narrow.IsSigned() {
		lo, hi = -8, 7
	}
	switch r.combine {
	case ir.MaxOf:
		x = ir.Bin(ir.Max, x, ir.IntOf(x.Type, lo))
	case ir.MinOf:
		x = ir.Bin(ir.Min, x, ir.IntOf(x.Type, hi))
	}
	return cast(r.narrow, x)
}

// writeReduction emits a statement that is a reduction as a whole straight into
// its left side, if types and indices allow it.
func (l *lowerer) writeReduction(t *target, r *reduction) bool {
	b := t.at.Buf
	if t.where != nil || !l.coversIters(t.at) || b.Kind.IsTensor() && !l.spec {
		return false
	}
	// Accumulating in a narrower type would round at every step.
	if l.stored(b) != r.elem || b.Elem != r.elem && t.op != ast.Set {
		return false
	}
	if r.matrix != nil {
		return l.writeMatrix(t, r)
	}
	if t.op != ast.Set && combineOf(t.op, r.elem) != r.combine {
		return false
	}
	if loads(r.x, b) || loads(r.where, b) || len(usedIters(l.iters, r.x, r.where)) != len(l.iters) {
		return false
	}
	l.emit(&ir.Op{
		Code: ir.OpReduce, Combine: r.combine, Accumulate: t.op != ast.Set, Dom: l.iters, Red: r.red,
		X: []*ir.Expr{r.x}, Where: r.where, Dst: t.at, Span: t.span,
	})
	return true
}

// coversIters reports whether a place has each index of the statement as one of
// its subscripts, and else only subscripts that no index changes.
func (l *lowerer) coversIters(at *ir.Access) bool {
	seen := map[*ir.Var]bool{}
	for _, x := range at.Index {
		if x.Op == ir.Ref && isIter(l.iters, x.Var) {
			if seen[x.Var] {
				return false
			}
			seen[x.Var] = true
			continue
		}
		if len(usedIters(l.iters, x)) > 0 || hasLoad(x) {
			return false
		}
	}
	return len(seen) == len(l.iters)
}

func isIter(its []ir.Iter, v *ir.Var) bool {
	for _, it := range its {
		if it.Var == v {
			return true
		}
	}
	return false
}

// skipOutside leaves out the values that elements outside their tensor go into.
// Where the value is such an element and nothing else, the element reads as
// what changes no result; otherwise the conditions go to where.
func (l *lowerer) skipOutside(r *reduction) {
	if neutralEdge(r) {
		return
	}
	var inside *ir.Expr
	r.x, inside = strip(r.x)
	r.where = conj(r.where, inside)
}

// neutralEdge makes a guarded element that is the whole value neutral outside.
func neutralEdge(r *reduction) bool {
	load := r.x
	for load.Op == ir.Cast && (r.combine == ir.Sum || load.Type.IsFloat() && load.Args[0].Type.IsFloat()) {
		load = load.Args[0]
	}
	if load.Op != ir.Load || load.At.Guard == nil || !skippable(load.At) {
		return false
	}
	at := *load.At
	switch t := load.Type; {
	case r.combine == ir.Sum:
	case (r.combine == ir.MaxOf || r.combine == ir.MinOf) && (t == array.F16 || t == array.BF16 || t == array.F32 || t == array.F64):
		at.Else = r.combine.Neutral(t)
	default:
		return false
	}
	r.x = r.x.Map(func(e *ir.Expr) *ir.Expr {
		if e == load {
			return located(ir.LoadAt(&at), load.Span)
		}
		return e
	})
	return true
}

// skippable reports an element of a tensor, or of a temporary of a spec.
func skippable(at *ir.Access) bool {
	return at.Buf.Kind.IsTensor() || at.Buf.Kind == ir.Temporary
}

// strip takes the guards off the tensor elements that every evaluation of x
// touches, and returns them as one condition.
func strip(x *ir.Expr) (stripped, inside *ir.Expr) {
	switch x.Op {
	case ir.Load:
		if x.At.Guard == nil || !skippable(x.At) {
			return x, nil
		}
		at := *x.At
		at.Guard, at.Else = nil, nil
		return located(ir.LoadAt(&at), x.Span), x.At.Guard
	case ir.Select, ir.And, ir.Or: // beyond the first operand evaluation may not come
		first, c := strip(x.Args[0])
		n := *x
		n.Args = append([]*ir.Expr{first}, x.Args[1:]...)
		return &n, c
	}
	if len(x.Args) == 0 {
		return x, nil
	}
	n := *x
	n.Args = nil
	for _, a := range x.Args {
		b, c := strip(a)
		n.Args = append(n.Args, b)
		inside = conj(inside, c)
	}
	return &n, inside
}
