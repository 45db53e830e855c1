package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

// TestCase is a test block with everything in it worked out.
type TestCase struct {
	Title    string
	Span     diag.Span
	Kernel   *Kernel
	Generics map[string]Value // complete
	Tunes    map[string]int64 // those that the test pins, mostly none
	Dims     map[string]int64 // complete
	Scalars  map[string]Value // complete
	Inputs   map[string]Input // tensors with an input of their own; all others are normal(0, 1)
	// Tolerance is the relative error that is allowed; if HasTolerance is not set it follows from the types.
	Tolerance    float64
	HasTolerance bool
}

// evaluator works out one test.
type evaluator struct {
	*checker
	test     *ast.Test
	out      *TestCase
	instance *Instance
	bindings map[string]*ast.Binding
	done     map[string]bool
}

// Evaluate works out a test block. Errors go to rep.
func Evaluate(p *Program, t *ast.Test, rep *diag.Reporter) (*TestCase, bool) {
	own := &diag.Reporter{}
	tc := evaluate(p, t, own)
	for _, d := range own.Sorted() {
		rep.Add(d)
	}
	return tc, tc != nil && !own.HasErrors()
}

func evaluate(p *Program, t *ast.Test, rep *diag.Reporter) *TestCase {
	k := testedKernel(p, t, rep)
	if k == nil {
		return nil
	}
	tc := &TestCase{
		Span: t.Span(), Kernel: k, Tunes: map[string]int64{}, Dims: map[string]int64{},
		Scalars: map[string]Value{}, Inputs: map[string]Input{},
	}
	if t.Title != nil {
		tc.Title = t.Title.Value
	}
	e := &evaluator{checker: newChecker(newSession(rep), newScope(p.Root.scope), constPlace), test: t, out: tc,
		bindings: map[string]*ast.Binding{}, done: map[string]bool{}}
	for _, b := range t.Bindings {
		if b.Name == nil {
			continue
		}
		if before := e.bindings[b.Name.Name]; before != nil {
			e.errorf(diag.Redeclared, b.Name.Span(), "%s is given twice", b.Name.Name).Note(before.Span(), "first here")
			continue
		}
		e.bindings[b.Name.Name] = b
	}
	if !e.kernelSide() {
		return nil
	}
	e.dims()
	e.scalars()
	e.inputs()
	e.tolerance()
	e.unknown()
	if !rep.HasErrors() {
		e.shapes()
		e.requires()
	}
	return tc
}

func testedKernel(p *Program, t *ast.Test, rep *diag.Reporter) *Kernel {
	if t.Kernel == nil {
		return nil
	}
	switch o := p.Root.scope.lookup(t.Kernel.Name).(type) {
	case *Kernel:
		return o
	case *other:
		rep.Errorf(diag.NotSupported, t.Kernel.Span(), "tests of %s are not supported yet", o.what)
	case nil:
		isKernel := func(o Object) bool { _, ok := o.(*Kernel); return ok }
		d := rep.Errorf(diag.Undefined, t.Kernel.Span(), "there is no kernel named %s", t.Kernel.Name)
		if near := diag.Nearest(t.Kernel.Name, p.Root.scope.visible(isKernel)); near != "" {
			d.Hint("did you mean %s?", near).Replace(t.Kernel.Span(), near)
		}
	default:
		rep.Errorf(diag.WrongName, t.Kernel.Span(), "%s is %s, not a kernel", t.Kernel.Name, describe(o)).
			Note(o.Declared(), "%s is declared here", t.Kernel.Name)
	}
	return nil
}

// kernelSide binds generics and tunables and learns the kernel's parameters.
func (e *evaluator) kernelSide() bool {
	given := map[string]Value{}
	ok := true
	for _, g := range e.out.Kernel.Decl.Generics {
		if g.Name == nil || g.Kind == nil {
			return false
		}
		b := e.bindings[g.Name.Name]
		if b == nil {
			continue
		}
		e.done[g.Name.Name] = true
		v, fine := e.genericValue(g, b.Value)
		if !fine {
			ok = false
			continue
		}
		if bad := headChecker(e.out.Kernel, e.rep).refused(g, v); bad != "" {
			e.errorf(diag.BadGeneric, b.Value.Span(), "%s cannot be %s: it is one of %s", g.Name.Name, v, bad).
				Note(g.Span(), "%s is declared here", g.Name.Name)
			ok = false
		}
		given[g.Name.Name] = v
	}
	for _, s := range e.out.Kernel.Decl.Prologue {
		if t, isTune := s.(*ast.Tune); isTune && t.Name != nil && e.bindings[t.Name.Name] != nil {
			n, fine := e.constInt(e.bindings[t.Name.Name].Value, t.Name.Name)
			e.out.Tunes[t.Name.Name], e.done[t.Name.Name] = n, true
			ok = ok && fine
		}
	}
	if !ok {
		return false
	}
	silent := &diag.Reporter{} // what is wrong with the kernel itself, its own check reports
	h := headChecker(e.out.Kernel, silent)
	h.where = launchPlace
	e.instance = &Instance{Kernel: e.out.Kernel, Body: h.info}
	generics, ok := h.generics(e.out.Kernel, given)
	for _, d := range silent.Sorted() {
		if d.Code == diag.BadGeneric {
			e.errorf(diag.MissingBinding, e.test.Kernel.Span(), "%s", d.Message)
		}
	}
	if !ok || !h.header(e.out.Kernel, e.instance) {
		return false
	}
	e.out.Generics = generics
	for _, g := range e.out.Kernel.Decl.Generics {
		e.scope.names[g.Name.Name] = genericObject(g, generics[g.Name.Name])
	}
	return true
}

// dims binds the dimensions.
func (e *evaluator) dims() {
	for _, x := range e.instance.Dims {
		b := e.bindings[x.Name]
		e.done[x.Name] = true
		if b == nil {
			e.errorf(diag.MissingBinding, e.test.Kernel.Span(), "dimension %s of %s is not given a value", x.Name, e.out.Kernel.Name).
				Note(x.Span, "%s is bound here", x.Name).
				Hint("%s = 128", x.Name)
			e.scope.names[x.Name] = &broken{named{Name: x.Name}}
			continue
		}
		n, ok := e.constInt(b.Value, "dimension "+x.Name)
		if ok && (n < 0 || n > 1<<40) {
			e.errorf(diag.BadInput, b.Value.Span(), "dimension %s cannot be %d", x.Name, n)
			ok = false
		}
		if !ok {
			e.scope.names[x.Name] = &broken{named{Name: x.Name}}
			continue
		}
		e.out.Dims[x.Name] = n
		e.scope.names[x.Name] = &Constant{named: named{Name: x.Name, Span: b.Name.Span()}, Type: indexType, Value: IntOf(n)}
	}
}

func (e *evaluator) scalars() {
	for _, p := range e.instance.Params {
		x := p.Scalar
		if x == nil {
			continue
		}
		e.done[x.Name] = true
		b := e.bindings[x.Name]
		if b == nil {
			e.errorf(diag.MissingBinding, e.test.Kernel.Span(), "parameter %s of %s is not given a value", x.Name, e.out.Kernel.Name).
				Note(x.Span, "%s is declared here", x.Name).
				Hint("%s = 1", x.Name)
			continue
		}
		t := e.scalar(b.Value)
		if !t.Valid() {
			continue
		}
		v := e.constOf(b.Value)
		if !v.Valid() {
			e.notConstant(b.Value, "the value of "+x.Name)
			continue
		}
		if !e.storable(b.Value, t, x.Type.Elem, x.Name, x.Span) {
			continue
		}
		v = rounded(v, x.Type)
		e.out.Scalars[x.Name] = v
		e.scope.names[x.Name] = &Constant{named: named{Name: x.Name, Span: b.Name.Span()}, Type: x.Type, Value: v}
	}
}

func (e *evaluator) tolerance() {
	b := e.bindings["tolerance"]
	if b == nil || e.done["tolerance"] {
		return
	}
	e.done["tolerance"] = true
	if !e.scalar(b.Value).Valid() {
		return
	}
	f, ok := e.constOf(b.Value).Float64()
	if !ok || f != f || f < 0 {
		e.errorf(diag.BadInput, b.Value.Span(), "a tolerance is a number, 0 or more").Hint("tolerance = 1e-3")
		return
	}
	e.out.Tolerance, e.out.HasTolerance = f, true
}

// unknown reports bindings of names that the kernel does not have.
func (e *evaluator) unknown() {
	var names []string
	for name := range e.done {
		names = append(names, name)
	}
	for _, p := range e.instance.Params {
		if p.Array != nil {
			names = append(names, p.Array.Name)
		}
	}
	names = append(names, "tolerance")
	for _, b := range e.test.Bindings {
		if b.Name == nil || e.done[b.Name.Name] {
			continue
		}
		d := e.errorf(diag.BadBinding, b.Name.Span(), "%s has no %s: it is no generic, dimension or parameter", e.out.Kernel.Name, b.Name.Name).
			Note(e.out.Kernel.Span, "%s is declared here", e.out.Kernel.Name)
		if near := diag.Nearest(b.Name.Name, names); near != "" {
			d.Hint("did you mean %s?", near).Replace(b.Name.Span(), near)
		}
	}
}

// shapes checks that every dimension of every tensor has a value, none of them negative.
func (e *evaluator) shapes() {
	value := func(s *Scalar) (int64, bool) {
		if s.Kind == Dim {
			n, ok := e.out.Dims[s.Name]
			return n, ok
		}
		return e.out.Scalars[s.Name].Int64()
	}
	for _, p := range e.instance.Params {
		if p.Array == nil {
			continue
		}
		elements := int64(1)
		for d, f := range p.Array.Shape {
			n, ok := f.Eval(value)
			elements *= n
			if !ok || n < 0 {
				e.errorf(diag.BadInput, e.test.Kernel.Span(), "dimension %d of %s, %s, has no value of 0 or more in this test", d, p.Array.Name, f).
					Note(p.Array.dim(d), "it is declared here")
			}
		}
		if in := e.out.Inputs[p.Array.Name]; in.Kind == ValuesInput && elements != int64(len(in.Values)) {
			e.errorf(diag.BadInput, e.bindings[p.Array.Name].Span(), "%s has %d elements in this test, but %d values are given",
				p.Array.Name, elements, len(in.Values))
		}
	}
}

// requires checks the kernel's conditions on the values of the test. One that has no value, as a remainder by 0, does not hold.
func (e *evaluator) requires() {
	rep := &diag.Reporter{}
	c := newChecker(newSession(rep), newScope(e.out.Kernel.unit.scope), constPlace)
	for name, o := range e.scope.names {
		c.scope.names[name] = o
	}
	for _, s := range e.out.Kernel.Decl.Prologue {
		switch s := s.(type) {
		case *ast.Let:
			c.let(s)
		case *ast.Require:
			holds := c.boolExpr(s.Cond, "the condition").Valid() || !rep.HasErrors()
			if v := c.constOf(s.Cond); holds && v.Kind == BoolValue {
				holds = v.Bool
			}
			if holds {
				continue
			}
			why := sourceText(s.Cond)
			if s.Message != nil {
				why = s.Message.Value
			}
			e.errorf(diag.RequireFails, e.test.Kernel.Span(), "%s refuses these values: %s", e.out.Kernel.Name, why).
				Note(s.Cond.Span(), "this does not hold")
		}
	}
}
