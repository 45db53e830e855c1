package lower

import (
	"slices"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// matrix is a sum of products for the matrix unit: a[row, k] times b[col, k],
// once for each point of batch.
type matrix struct {
	a, b     *ir.Access
	row, col ir.Iter
	k        ir.Iter
	batch    []ir.Iter
	acc      ir.DType
}

// asMatrix reads a reduction as a matrix product, nil where it is none. l.iters
// are the indices around it, then red.
func (l *lowerer) asMatrix(e *ast.Reduce, f *types.Reduction, red []ir.Iter) *matrix {
	body, ok := e.Body.(*ast.Binary)
	if !ok || l.spec || f.Op != "sum" || body.Op != ast.Mul || len(red) != 1 {
		return nil
	}
	m := &matrix{k: red[0], acc: arithmetic(f.Elem)}
	if !l.matrixIndices(m, body) {
		return nil
	}
	// A contraction has no conditions, so neither has what it reads.
	defer func(path []*ir.Expr) { l.path = path }(l.path)
	l.path = nil
	// Each side is taken in its own type: that of the program, not of the product.
	if l.natural(body.X) == array.Invalid || l.natural(body.Y) == array.Invalid {
		return nil
	}
	a := narrowest(l.expr(body.X, l.natural(body.X)))
	b := narrowest(l.expr(body.Y, l.natural(body.Y)))
	elem, ok := operandType(a.Type, b.Type)
	if !ok || accumulator(elem) != m.acc {
		return nil
	}
	m.a, m.b = l.operand(a, elem, m.row, m), l.operand(b, elem, m.col, m)
	// The operand with the index that comes first is the left one.
	for _, it := range l.iters {
		if it.Var == m.row.Var {
			break
		}
		if it.Var == m.col.Var {
			m.a, m.b, m.row, m.col = m.b, m.a, m.col, m.row
			break
		}
	}
	return m
}

// matrixIndices finds the row, the column and the batch of a product: the row is
// on the left only, the column on the right only, the reduced index on both. The
// batch is what both have, and what a side has besides its row or column.
func (l *lowerer) matrixIndices(m *matrix, body *ast.Binary) bool {
	left, right := l.namedIters(body.X), l.namedIters(body.Y)
	var rows, cols []ir.Iter
	for _, it := range l.iters {
		switch {
		case it.Var == m.k.Var:
			if !left[it.Var] || !right[it.Var] {
				return false
			}
		case left[it.Var] && right[it.Var]:
			m.batch = append(m.batch, it)
		case left[it.Var]:
			rows = append(rows, it)
		case right[it.Var]:
			cols = append(cols, it)
		}
	}
	if len(rows) == 0 || len(cols) == 0 {
		return false
	}
	r, c := unitIndex(rows), unitIndex(cols)
	m.row, m.col = rows[r], cols[c]
	m.batch = append(append(m.batch, slices.Delete(rows, r, r+1)...), slices.Delete(cols, c, c+1)...)
	return true
}

// unitIndex picks the index that the matrix unit runs over, the others are looped
// over: the last one, which is where operands have it, unless it is shorter than
// the unit and another one is longer.
func unitIndex(its []ir.Iter) int {
	const unit = 16
	best := len(its) - 1
	for i := best - 1; i >= 0; i-- {
		if its[best].Extent.Op == ir.Const && its[i].Extent.Op == ir.Const &&
			its[best].Extent.Int < unit && its[i].Extent.Int > its[best].Extent.Int {
			best = i
		}
	}
	return best
}

// namedIters returns the iteration variables that an expression of the program
// depends on.
func (l *lowerer) namedIters(e ast.Expr) map[*ir.Var]bool {
	used := map[*ir.Var]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if s, ok := l.info().ObjectOf(id).(*types.Scalar); ok {
				if b, ok := l.lookup(s); ok {
					for _, it := range usedIters(l.iters, b.value) {
						used[it.Var] = true
					}
				}
			}
		}
		return true
	})
	return used
}

// narrowest looks through conversions of an element that lose nothing.
func narrowest(x *ir.Expr) *ir.Expr {
	y := x
	for y.Op == ir.Cast && widens(y.Type, y.Args[0].Type) {
		y = y.Args[0]
	}
	if y.Op == ir.Load {
		return y
	}
	return x
}

// widens reports whether a matrix operand of type from may stand for one of
// type to: they are of one kind, and to holds all values of from.
func widens(to, from ir.DType) bool {
	switch {
	case to.IsFloat() && from.IsFloat():
		return to == array.F64 || to == array.F32 && from != array.F64 || to == from ||
			from.Bits() < 16 && from != array.F8E8M0 && to.Bits() == 16
	case to.IsInt() && from.IsInt():
		return to.Bits() > from.Bits() && (to.IsSigned() || from.IsUnsigned()) || to == from
	}
	return false
}

// operandType is the element type to which both operands of a product are
// brought without loss, false where the matrix unit takes none such.
func operandType(a, b ir.DType) (ir.DType, bool) {
	a, b = unitType(a), unitType(b)
	switch {
	case a == array.Invalid || b == array.Invalid:
		return array.Invalid, false
	case a == b:
		return a, true
	case a.IsFloat() && b.IsFloat():
		return wider(a, b), true
	}
	return array.Invalid, false
}

// unitType is the least type of a matrix operand that holds all values of t.
func unitType(t ir.DType) ir.DType {
	switch t {
	case array.F16, array.BF16, array.F32, array.F64, array.I8, array.U8:
		return t
	case array.F8E4M3, array.F8E5M2, array.F4E2M1:
		return array.F16
	case array.F8E8M0:
		return array.BF16
	case array.I4, array.U4:
		return array.I8
	}
	return array.Invalid
}

// operand returns an operand that the matrix unit can read: a tile whose last
// two subscripts are the free index and the reduced one. What is none is put
// into a tile of its own.
func (l *lowerer) operand(x *ir.Expr, elem ir.DType, free ir.Iter, m *matrix) *ir.Access {
	if x.Op == ir.Load && x.At.Buf.Kind == ir.Tile && x.Type == elem && x.At.Guard == nil && l.isOperand(x.At, free, m) {
		return x.At
	}
	if x.Op != ir.Load && l.edge == nil {
		// Terms with elements outside their tensor are left out: they count 0.
		value, inside := strip(x)
		if inside != nil {
			wide := cast(arithmetic(x.Type), value)
			x = located(cast(x.Type, ir.SelectOf(inside, wide, ir.ZeroOf(wide.Type))), x.Span)
		}
	}
	used := l.operandOrder(x, free, m)
	name := "operand"
	if at := firstLoad(x); at != nil {
		name = at.Buf.Name + "_block"
		if at.Buf.Kind == ir.Tile {
			name = at.Buf.Name + "_" + elem.String()
		}
	}
	dom, with := l.again(used)
	b := l.temp(name, elem, extentsOf(dom), x.Span)
	dst := &ir.Access{Buf: b, Index: refs(dom), Span: x.Span}
	if x.Op == ir.Load {
		l.move(dst, substAccess(x.At, with), dom, x.Span)
	} else {
		l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, Dst: dst, X: []*ir.Expr{cast(elem, x.Subst(with))}, Span: x.Span})
	}
	return &ir.Access{Buf: b, Index: refs(used), Span: x.Span}
}

// operandOrder is the order of the subscripts of an operand's own tile: the
// batch leads, the other two stand as in what is read.
func (l *lowerer) operandOrder(x *ir.Expr, free ir.Iter, m *matrix) []ir.Iter {
	last := []ir.Iter{free, m.k}
	var lead []ir.Iter
	for _, it := range m.batch {
		if x.Uses(it.Var) {
			lead = append(lead, it)
		}
	}
	if at := firstLoad(x); at != nil {
		if order := iterOrder(last, at.Index); len(order) == 2 {
			last = order
		}
	}
	return append(lead, last...)
}

// firstLoad is the first element that an expression reads.
func firstLoad(x *ir.Expr) *ir.Access {
	var at *ir.Access
	x.Walk(func(e *ir.Expr) bool {
		if e.Op == ir.Load && at == nil {
			at = e.At
		}
		return at == nil
	})
	return at
}

// isOperand reports whether a tile's subscripts are those of an operand: what
// no index of the product changes or an index of the batch, then the free and
// the reduced index in any order.
func (l *lowerer) isOperand(at *ir.Access, free ir.Iter, m *matrix) bool {
	n := len(at.Index)
	if n < 2 {
		return false
	}
	p, q := at.Index[n-2], at.Index[n-1]
	if p.Op != ir.Ref || q.Op != ir.Ref {
		return false
	}
	if !(p.Var == free.Var && q.Var == m.k.Var || p.Var == m.k.Var && q.Var == free.Var) {
		return false
	}
	for _, x := range at.Index[:n-2] {
		if len(usedIters([]ir.Iter{free, m.k}, x)) > 0 || hasLoad(x) {
			return false
		}
	}
	return true
}

// iterOrder returns the iteration variables that subscripts use, in the order of
// the subscripts.
func iterOrder(its []ir.Iter, index []*ir.Expr) []ir.Iter {
	var order []ir.Iter
	for _, x := range index {
		for _, it := range usedIters(its, x) {
			if !isIter(order, it.Var) {
				order = append(order, it)
			}
		}
	}
	return order
}

// move emits dst = src over dom: as a copy, or as a map where the indices of
// src aren't affine.
func (l *lowerer) move(dst, src *ir.Access, dom []ir.Iter, span diag.Span) {
	if affineAccess(src, dom) && affineAccess(dst, dom) {
		l.emit(&ir.Op{Code: ir.OpCopy, Dom: dom, Dst: dst, Src: []*ir.Access{src}, Span: span})
		return
	}
	x := cast(dst.Buf.Elem, located(ir.LoadAt(src), span))
	l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, Dst: dst, X: []*ir.Expr{x}, Span: span})
}

// affineAccess reports whether an access is a block: each subscript has at most
// one of the iteration variables, once, and none stands in two.
func affineAccess(a *ir.Access, dom []ir.Iter) bool {
	var seen []ir.Iter
	for _, x := range a.Index {
		used := usedIters(dom, x)
		if len(used) > 1 || len(used) == 1 && isIter(seen, used[0].Var) || !unit(x, dom) {
			return false
		}
		seen = append(seen, used...)
	}
	return true
}

// unit reports whether x is an iteration variable plus what none changes, or
// only the latter.
func unit(x *ir.Expr, dom []ir.Iter) bool {
	if len(usedIters(dom, x)) == 0 || x.Op == ir.Ref {
		return true
	}
	switch x.Op {
	case ir.Add:
		a, b := len(usedIters(dom, x.Args[0])) > 0, len(usedIters(dom, x.Args[1])) > 0
		return !(a && b) && unit(x.Args[0], dom) && unit(x.Args[1], dom)
	case ir.Sub:
		return len(usedIters(dom, x.Args[1])) == 0 && unit(x.Args[0], dom)
	}
	return false
}

// hoistMatrix emits a product into a new tile and returns what reads it.
func (l *lowerer) hoistMatrix(r *reduction) *ir.Expr {
	m := r.matrix
	var order []ir.Iter
	order = append(append(order, m.batch...), m.row, m.col)
	b := l.temp(r.name, r.elem, extentsOf(order), r.span)
	l.fillTemp(b, r.span)
	at := &ir.Access{Buf: b, Index: refs(order), Span: r.span}
	l.contract(m, at, r.span)
	return ir.LoadAt(at)
}

// fillTemp clears a tile that a product is about to be added to.
func (l *lowerer) fillTemp(b *ir.Buffer, span diag.Span) {
	dom, index := l.points(b.Shape)
	l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, X: []*ir.Expr{ir.ZeroOf(b.Elem)}, Dst: &ir.Access{Buf: b, Index: index, Span: span}, Span: span})
}

// writeMatrix emits a product straight into the left side of `=` or `+=`.
func (l *lowerer) writeMatrix(t *target, r *reduction) bool {
	m, b := r.matrix, t.at.Buf
	if m.a.Buf == b || m.b.Buf == b || len(l.iters) != len(m.batch)+2 || !l.lastAre(t.at, m) {
		return false
	}
	switch t.op {
	case ast.Set:
		dom, with := l.again(l.iters)
		l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, X: []*ir.Expr{ir.ZeroOf(b.Elem)}, Dst: substAccess(t.at, with), Span: t.span})
	case ast.AddSet:
	default:
		return false
	}
	l.contract(m, t.at, t.span)
	return true
}

// lastAre reports whether the last two subscripts of a place are the row and
// the column.
func (l *lowerer) lastAre(at *ir.Access, m *matrix) bool {
	n := len(at.Index)
	return n >= 2 && isIter([]ir.Iter{m.row, m.col}, at.Index[n-2].Var) && isIter([]ir.Iter{m.row, m.col}, at.Index[n-1].Var)
}

// contract emits dst += a·b, in a loop over the batch.
func (l *lowerer) contract(m *matrix, dst *ir.Access, span diag.Span) {
	dom, with := l.again([]ir.Iter{m.row, m.col, m.k})
	saved := l.out
	for _, it := range m.batch {
		v := l.newVar(it.Var.Name, ir.Index, ir.LoopVar, it.Var.Span)
		l.facts.index(v, it.Extent)
		with[it.Var] = ir.RefTo(v)
		loop := &ir.Op{Code: ir.OpFor, Var: v, X: []*ir.Expr{ir.Int(0), it.Extent, ir.Int(1)}, Body: &ir.Block{}, Span: span}
		l.emit(loop)
		l.out = loop.Body
	}
	l.emit(&ir.Op{
		Code: ir.OpContract, Dom: dom[:2], Red: dom[2:],
		Dst: substAccess(dst, with), Src: []*ir.Access{substAccess(m.a, with), substAccess(m.b, with)}, Span: span,
	})
	l.out = saved
}
