package types

import (
	"maps"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// Instantiate checks a kernel with its generics and tunables bound. Generics without a value take their default or
// their first allowed value, tunables their default or the first legal candidate. Errors go to rep.
func Instantiate(p *Program, k *Kernel, b Bindings, rep *diag.Reporter) (*Instance, bool) {
	return instantiated(k, b, true, rep)
}

// InstantiateBody is Instantiate without the kernel's spec: for choosing among many instances. Those that Check has
// made are at hand.
func InstantiateBody(p *Program, k *Kernel, b Bindings, rep *diag.Reporter) (*Instance, bool) {
	if c := p.checked.Load(); c != nil {
		if in := c.get(k, b); in != nil {
			return in, true
		}
	}
	return instantiated(k, b, false, rep)
}

// WithSpec returns an instance of the same bindings that has the kernel's spec, if there is one.
func WithSpec(p *Program, in *Instance, rep *diag.Reporter) (*Instance, bool) {
	if in.Spec != nil || in.Kernel.Decl.Spec == nil {
		return in, true
	}
	return Instantiate(p, in.Kernel, in.Bindings, rep)
}

func instantiated(k *Kernel, b Bindings, spec bool, rep *diag.Reporter) (*Instance, bool) {
	own := &diag.Reporter{}
	in := instantiate(k, b, spec, newSession(own))
	for _, d := range own.Sorted() {
		rep.Add(d)
	}
	if own.HasErrors() || in == nil {
		return nil, false
	}
	return in, true
}

func instantiate(k *Kernel, b Bindings, spec bool, s *session) *Instance {
	if k.Decl.Grid == nil {
		return nil // reported by the parser
	}
	c := newBodyChecker(s, newScope(k.unit.scope), launchPlace, k.body.Load())
	defer func() { k.body.Store(c.info.sizes()) }()
	in := &Instance{Kernel: k, Body: c.info}
	generics, ok := c.generics(k, b.Generics)
	in.Bindings.Generics = generics
	if !ok || !c.header(k, in) {
		return nil
	}
	c.attributes(k.Decl, in)
	if !c.prologue(k, b.Tunes, in) {
		return nil
	}
	kernelScope := c.scope
	c.gridBody(k.Decl.Grid, in)
	if spec && k.Decl.Spec != nil && k.Decl.Spec.Body != nil {
		c.specBody(k.Decl.Spec, kernelScope, in)
	}
	return in
}

func (c *checker) attributes(d *ast.Kernel, in *Instance) {
	for _, a := range d.Attrs {
		if a.Name == nil {
			continue
		}
		arg := ""
		if len(a.Args) == 1 {
			if id, ok := a.Args[0].(*ast.Ident); ok {
				arg = id.Name
			}
		}
		if a.Name.Name == "allow" && arg == "tf32" {
			in.AllowTF32 = true
			continue
		}
		c.errorf(diag.BadAttribute, a.Span(), "%s is not an attribute of kernels", sourceTextOf(a)).
			Hint("there is @allow(tf32)")
	}
}

func sourceTextOf(n ast.Node) string { return n.Span().Text() }

// prologue checks what stands before the grid, with the tunables bound.
func (c *checker) prologue(k *Kernel, given map[string]int64, in *Instance) bool {
	tunes, ok := c.tunables(k, nil)
	if !ok {
		return false
	}
	chosen, ok := c.chooseTunes(k, tunes, given)
	if !ok {
		return false
	}
	in.Bindings.Tunes = chosen
	for _, s := range k.Decl.Prologue {
		switch s := s.(type) {
		case *ast.Tune:
			if s.Name != nil {
				c.declare(s.Name, &Constant{named: named{Name: s.Name.Name, Span: s.Name.Span()}, Type: indexType, Value: IntOf(chosen[s.Name.Name]), Tune: true})
			}
		case *ast.Require:
			c.boolExpr(s.Cond, "the condition of require")
			in.Requires = append(in.Requires, s)
		case *ast.Let:
			c.let(s)
			in.Lets = append(in.Lets, s)
		default:
			c.statement(s)
		}
	}
	return true
}

// gridBody checks the grid.
func (c *checker) gridBody(g *ast.Grid, in *Instance) {
	var xs []*Scalar
	for _, v := range g.Iters {
		if v.Name == nil || v.Extent == nil {
			continue
		}
		t := c.integerExpr(v.Extent, "the count of "+v.Name.Name)
		x := c.newScalar(v.Name, GridIndex, indexType)
		x.limit = atLeast(0)
		x.taint = dataTaint
		if len(xs) < maxGridTaint {
			x.taint = 1 << len(xs)
		}
		if t.Valid() {
			if r := c.formula(v.Extent).bounds(); r.hiOK && r.hi > 0 {
				x.limit = between(0, r.hi-1)
			}
			if n, ok := c.constOf(v.Extent).Int64(); ok && n < 0 {
				c.errorf(diag.BadExtent, v.Extent.Span(), "the count of %s is %d; it cannot be negative", x.Name, n)
			}
		}
		xs = append(xs, x)
		in.Grid = append(in.Grid, GridIter{Var: x, Count: v.Extent})
	}
	in.Persistent = g.Persistent
	if g.Order != nil {
		in.Panel = c.panel(g.Order)
	}
	outer := c.open()
	for i, v := range g.Iters {
		if i < len(xs) && v.Name != nil {
			c.declare(v.Name, xs[i])
		}
	}
	c.grid = xs
	c.where = gridPlace
	c.block(g.Body)
	c.scope = outer
}

// panel is the width that `order panel(8)` asks for.
func (c *checker) panel(e *ast.Call) int {
	if e.Fun == nil || e.Fun.Name != "panel" || len(e.Args) != 1 {
		c.errorf(diag.BadAttribute, e.Span(), "%s is not an order of grids", sourceText(e)).
			Hint("order panel(8) visits the grid in panels of 8 rows")
		return 0
	}
	n, ok := c.constInt(e.Args[0], "the height of a panel")
	if ok && (n < 1 || n > 1<<20) {
		c.errorf(diag.BadExtent, e.Args[0].Span(), "a panel has at least 1 row, not %s", valued(sourceText(e.Args[0]), n))
		return 0
	}
	return int(n)
}

func (c *checker) specBody(s *ast.Spec, kernel *scope, in *Instance) {
	session := *c.session
	session.grid = nil
	b := newBodyChecker(&session, kernel, specPlace, in.Kernel.spec.Load())
	defer func() { in.Kernel.spec.Store(b.info.sizes()) }()
	b.spec = true
	b.block(s.Body)
	in.Spec = b.info
}

// Complete returns the values of all generics of a kernel: the given ones, and the defaults or first allowed values of
// the others.
func Complete(k *Kernel, given map[string]Value, rep *diag.Reporter) (map[string]Value, bool) {
	return headChecker(k, rep).generics(k, given)
}

// headChecker works out what is known of a kernel at compile time.
func headChecker(k *Kernel, rep *diag.Reporter) *checker {
	return newChecker(newSession(rep), newScope(k.unit.scope), constPlace)
}

// sameValues reports whether two sets of bindings are the same.
func sameValues(a, b map[string]Value) bool { return maps.EqualFunc(a, b, Value.Equal) }
