package lower

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// frame is what the names of one body stand for: of the kernel, of its spec, or
// of one call of a fn.
type frame struct {
	info    *types.Info
	outer   *frame
	scalars map[*types.Scalar]binding
	arrays  map[*types.Array]*ir.Buffer
	result  *ir.Expr // of a fn: the value returned
}

// binding is the meaning of a scalar.
type binding struct {
	value *ir.Expr
	// v is the variable that assignments go to, nil for what can't be assigned.
	v *ir.Var
	// inside, when not nil, says whether every tensor element that the value
	// was computed from is within its tensor.
	inside *ir.Expr
}

func (l *lowerer) info() *types.Info { return l.frame.info }

func (l *lowerer) bind(s *types.Scalar, b binding) {
	if l.frame.scalars == nil {
		l.frame.scalars = map[*types.Scalar]binding{}
	}
	l.frame.scalars[s] = b
}

func (l *lowerer) bindArray(a *types.Array, b *ir.Buffer) {
	if l.frame.arrays == nil {
		l.frame.arrays = map[*types.Array]*ir.Buffer{}
	}
	l.frame.arrays[a] = b
}

func (l *lowerer) lookup(s *types.Scalar) (binding, bool) {
	for f := l.frame; f != nil; f = f.outer {
		if b, ok := f.scalars[s]; ok {
			return b, true
		}
	}
	return binding{}, false
}

func (l *lowerer) lookupArray(a *types.Array) *ir.Buffer {
	for f := l.frame; f != nil; f = f.outer {
		if b, ok := f.arrays[a]; ok {
			return b
		}
	}
	return nil
}

// newVar makes a scalar with a name of its own.
func (l *lowerer) newVar(name string, t ir.DType, kind ir.VarKind, span diag.Span) *ir.Var {
	return &ir.Var{Name: l.names.unique(name), Type: t, Kind: kind, Span: span}
}

// defineVar makes the variable of a scalar of the program and binds it.
func (l *lowerer) defineVar(s *types.Scalar, kind ir.VarKind) *ir.Var {
	t := s.Type.DType()
	if kind == ir.LetVar || kind == ir.MutVar {
		t = l.number(t)
	}
	v := l.newVar(s.Name, t, kind, s.Span)
	b := binding{value: ir.RefTo(v)}
	if kind == ir.MutVar {
		b.v = v
	}
	l.bind(s, b)
	return v
}

// defineIter makes the iteration variable of a free or reduced index.
func (l *lowerer) defineIter(s *types.Scalar) ir.Iter {
	v := &ir.Var{Name: s.Name, Type: ir.Index, Kind: ir.IterVar, Span: s.Span}
	it := ir.Iter{Var: v, Extent: l.extent(s.Extent)}
	l.facts.index(v, it.Extent)
	l.bind(s, binding{value: ir.RefTo(v)})
	return it
}

func (l *lowerer) defineIters(ss []*types.Scalar) []ir.Iter {
	its := make([]ir.Iter, len(ss))
	for i, s := range ss {
		its[i] = l.defineIter(s)
	}
	return its
}

// within runs f with the given iteration space and restores the one before.
func (l *lowerer) within(its []ir.Iter, f func()) {
	saved := l.iters
	l.iters = its
	f()
	l.iters = saved
}

// under runs f for what is evaluated only if c holds.
func (l *lowerer) under(c *ir.Expr, f func()) {
	saved := l.path
	if c != nil {
		l.path = append(l.path[:len(l.path):len(l.path)], c)
	}
	f()
	l.path = saved
}

// defineArray allocates the buffer of a tile or temporary of the program.
func (l *lowerer) defineArray(a *types.Array) *ir.Buffer {
	b := &ir.Buffer{
		Name:  l.names.unique(a.Name),
		Elem:  l.number(a.Elem),
		Shape: l.extents(a.Shape),
		Kind:  l.localKind(),
		Span:  a.Span,
	}
	if space, ok := ir.ParseSpace(a.Space); ok {
		b.Space, b.Pinned = space, true
	}
	l.alloc(b)
	l.bindArray(a, b)
	return b
}

// temp allocates a buffer that the program has no name for.
func (l *lowerer) temp(name string, elem ir.DType, shape []*ir.Expr, span diag.Span) *ir.Buffer {
	b := &ir.Buffer{
		Name:  l.names.unique(name),
		Elem:  elem,
		Shape: shape,
		Kind:  l.localKind(),
		Temp:  true,
		Span:  span,
	}
	l.alloc(b)
	return b
}

func (l *lowerer) alloc(b *ir.Buffer) { l.emit(&ir.Op{Code: ir.OpAlloc, Buf: b, Span: b.Span}) }

func (l *lowerer) localKind() ir.BufferKind {
	if l.spec {
		return ir.Temporary
	}
	return ir.Tile
}

// array returns the buffer that an expression names; calls are expanded.
func (l *lowerer) array(e ast.Expr) *ir.Buffer {
	switch x := e.(type) {
	case *ast.Call:
		if bufs := l.arrayCall(x, nil); len(bufs) == 1 {
			return bufs[0]
		}
	case *ast.Index:
		if _, isName := x.X.(*ast.Ident); isName {
			return l.array(x.X)
		}
	case *ast.Ident:
		if b := l.lookupArray(l.info().ArrayOf(x)); b != nil {
			return b
		}
	}
	l.bug(e.Span(), "%q names no array", e.Span().Text())
	return &ir.Buffer{Name: "invalid", Elem: ir.Index, Kind: l.localKind(), Span: e.Span()}
}
