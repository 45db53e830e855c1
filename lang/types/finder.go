package types

import (
	"slices"

	"tilec/lang/ast"
)

// finder walks a statement before it is typed, to learn how its indices are used.
type finder struct {
	c       *checker
	s       *statement
	visible []*Scalar // indices, innermost last
	guarded map[*Scalar]int
	target  bool
}

// lookup returns the innermost index of that name, or nil.
func (f *finder) lookup(name string) *Scalar {
	for i := len(f.visible) - 1; i >= 0; i-- {
		if x := f.visible[i]; x.Name == name {
			return x
		}
	}
	return nil
}

// find notes the uses of indices in an expression, leaving out branches that can't be taken.
func (f *finder) find(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Index:
		f.index(e)
	case *ast.Call:
		if e.Fun != nil && e.Fun.Name == "select" && len(e.Args) == 3 {
			f.cond(e.Args[0], e.Args[1], e.Args[2])
			return
		}
		for _, a := range e.Args {
			f.find(a)
		}
	case *ast.Reduce:
		f.reduce(e)
	case *ast.Cond:
		f.cond(e.If, e.Then, e.Else)
	case *ast.Unary:
		f.find(e.X)
	case *ast.Binary:
		f.find(e.X)
		if e.Op == ast.And || e.Op == ast.Or {
			defer f.guard(e.X)()
		}
		f.find(e.Y)
	case *ast.Atomic:
		f.find(e.LHS)
		f.find(e.Value)
	}
}

func (f *finder) cond(cond, then, otherwise ast.Expr) {
	f.find(cond)
	if v := f.c.fold(cond); v.Kind == BoolValue {
		if !v.Bool {
			then = otherwise
		}
		f.find(then)
		return
	}
	defer f.guard(cond)()
	f.find(then)
	f.find(otherwise)
}

// guard marks the indices that a condition mentions.
func (f *finder) guard(cond ast.Expr) func() {
	var marked []*Scalar
	ast.Inspect(cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if x := f.lookup(id.Name); x != nil {
				if f.guarded == nil {
					f.guarded = map[*Scalar]int{}
				}
				f.guarded[x]++
				marked = append(marked, x)
			}
		}
		return true
	})
	return func() {
		for _, x := range marked {
			f.guarded[x]--
		}
	}
}

func (f *finder) index(e *ast.Index) {
	var a *Array
	switch x := e.X.(type) {
	case *ast.Ident:
		a, _ = f.c.scope.lookup(x.Name).(*Array)
	case *ast.Call:
		if t := f.c.expr(x); t.Kind == Whole {
			a = f.c.info.ArrayOf(x)
		}
	}
	if a != nil && !f.target {
		l := load{array: a, at: e}
		for x, n := range f.guarded {
			if n > 0 {
				l.guarded = append(l.guarded, x)
			}
		}
		f.s.loads = append(f.s.loads, l)
	}
	if a == nil {
		f.s.blurred = true
	}
	target := f.target
	for d, arg := range e.Args {
		if id, ok := arg.(*ast.Ident); ok {
			if x := f.lookup(id.Name); x != nil && a != nil && d < len(a.Shape) && len(e.Args) == len(a.Shape) {
				f.s.uses[x] = append(f.s.uses[x], indexUse{
					span: id.Span(), array: a, axis: d, guarded: f.guarded[x] > 0, target: target,
				})
			}
			continue
		}
		f.target = false
		f.find(arg)
		f.target = target
	}
}

// reduce brings the bound indices of a reduction into view of its body, and fixes their extents after it.
func (f *finder) reduce(e *ast.Reduce) {
	if f.s.seen == nil {
		f.s.seen, f.s.bound = map[*ast.Reduce]bool{}, map[*ast.IndexVar]*Scalar{}
	}
	f.s.seen[e] = true
	outer := len(f.visible)
	for _, v := range e.Over {
		if v.Name == nil || slices.ContainsFunc(f.visible[outer:], func(x *Scalar) bool { return x.Name == v.Name.Name }) {
			continue
		}
		x := f.c.newIndex(v.Name)
		f.s.bound[v] = x
		f.visible = append(f.visible, x)
	}
	f.find(e.Body)
	f.visible = f.visible[:outer]
	for _, v := range e.Over {
		if x := f.s.bound[v]; x != nil {
			f.c.giveExtent(x, v, 1)
			f.c.fixExtent(x)
		}
	}
}
