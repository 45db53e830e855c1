package types

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// Check checks a program: every kernel under representative instantiations (each value of each generic, and each
// candidate of each tunable, one at a time), every fn, every test. Errors of one place are reported once.
func Check(p *Program, rep *diag.Reporter) {
	m := &merger{rep: rep, seen: map[string]bool{}, looping: map[*Fn]bool{}, checked: checked{}}
	defer func() { p.checked.Store(&m.checked) }()
	for _, u := range p.Units {
		for _, d := range u.File.Decls {
			if op, ok := d.(*ast.Op); ok && op.Name != nil {
				rep.Errorf(diag.NotSupported, op.Name.Span(), "an op of several kernels is not supported yet")
			}
		}
		for _, o := range u.own {
			switch o := o.(type) {
			case *Kernel:
				checkKernel(p, o, m)
			case *Fn:
				checkFn(o, m)
			}
		}
	}
	for _, t := range p.Tests {
		s := m.session()
		if tc, ok := Evaluate(p, t, s.rep); ok {
			b := Bindings{Generics: tc.Generics, Tunes: tc.Tunes}
			if in := m.checked.get(tc.Kernel, b); in == nil || in.Spec == nil && tc.Kernel.Decl.Spec != nil {
				if in = instantiate(tc.Kernel, b, true, s); in != nil && s.clean() {
					m.checked.add(tc.Kernel, b, in)
				}
			}
		}
		m.add(s.rep, "")
	}
}

// merger passes diagnostics on, the first of each place and code.
type merger struct {
	rep     *diag.Reporter
	seen    map[string]bool
	looping map[*Fn]bool
	checked checked
}

// session is one for an instantiation of its own.
func (m *merger) session() *session {
	s := newSession(&diag.Reporter{})
	s.looping = m.looping
	return s
}

// add takes over what one instantiation reported; which says how it differs from the plain one.
func (m *merger) add(own *diag.Reporter, which string) {
	var keys []string
	for _, d := range own.Sorted() {
		file := ""
		if d.Span.File != nil {
			file = d.Span.File.Name
		}
		key := fmt.Sprintf("%s:%d:%d:%s", file, d.Span.Start, d.Span.End, d.Code)
		if m.seen[key] {
			continue
		}
		keys = append(keys, key)
		if which != "" {
			d.Note(diag.Span{}, "with %s", which)
		}
		m.rep.Add(d)
	}
	for _, key := range keys {
		m.seen[key] = true
	}
}

// job is one instantiation to check; which says how it differs from the plain one.
type job struct {
	bindings Bindings
	spec     bool
	which    string
}

func checkKernel(p *Program, k *Kernel, m *merger) {
	plain, variants := variantsOf(p, k, m)
	s := m.session()
	first := instantiate(k, Bindings{Generics: plain}, true, s)
	m.add(s.rep, "")
	if first != nil && s.clean() {
		m.checked.add(k, Bindings{Generics: plain}, first)
	}
	var jobs []job
	done := []map[string]Value{plain}
	for _, v := range variants {
		if !slices.ContainsFunc(done, func(g map[string]Value) bool { return sameValues(g, v.generics) }) {
			done = append(done, v.generics)
			jobs = append(jobs, job{Bindings{Generics: v.generics}, true, v.text})
		}
	}
	seen := map[string]bool{}
	if first != nil {
		seen[first.Bindings.Key()] = true
	}
	stages := StageTunables(k)
	// one tunable moved, if any legal combination has it there
	move := func(t Tunable, n int64) {
		if 0 <= n && n <= maxStages && slices.Contains(stages, t.Name) {
			return // nothing else depends on it
		}
		for tunes := range TuneSpace(k, plain, map[string]int64{t.Name: n}) {
			b := Bindings{Generics: plain, Tunes: tunes}
			if key := b.Key(); !seen[key] {
				seen[key] = true
				spec := k.Decl.Spec != nil && k.Decl.Spec.Body != nil && usesName(k.Decl.Spec.Body, t.Name)
				jobs = append(jobs, job{b, spec, fmt.Sprintf("%s = %d", t.Name, n)})
			}
			return
		}
	}
	for _, t := range Tunables(k, plain) {
		for _, n := range t.Candidates {
			if first == nil || first.Bindings.Tunes[t.Name] != n {
				move(t, n)
			}
		}
		for _, on := range t.decl.On {
			if on.Target == nil {
				continue
			}
			s := m.session()
			c := headChecker(k, s.rep)
			c.session = s
			c.legalOn(k, plain, on)
			m.add(s.rep, "")
			for _, u := range Tunables(k, plain, on.Target.Name) {
				if u.Name == t.Name {
					for _, n := range u.Candidates {
						move(t, n)
					}
				}
			}
		}
	}
	m.run(p, k, jobs)
}

// run checks all jobs, at the same time, and reports on them in order.
func (m *merger) run(p *Program, k *Kernel, jobs []job) {
	sessions := make([]*session, len(jobs))
	instances := make([]*Instance, len(jobs))
	var next atomic.Int64
	var wg sync.WaitGroup
	var bug atomic.Value
	for i := range jobs {
		sessions[i] = m.session()
		sessions[i].looping = maps.Clone(m.looping)
	}
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					bug.Store(fmt.Sprint(r, "\n", string(debug.Stack())))
				}
			}()
			for i := int(next.Add(1)) - 1; i < len(jobs); i = int(next.Add(1)) - 1 {
				instances[i] = instantiate(k, jobs[i].bindings, jobs[i].spec, sessions[i])
			}
		})
	}
	wg.Wait()
	if r := bug.Load(); r != nil {
		panic(r) // for the caller to report
	}
	for i, s := range sessions {
		m.add(s.rep, jobs[i].which)
		maps.Copy(m.looping, s.looping)
		if instances[i] != nil && s.clean() {
			m.checked.add(k, jobs[i].bindings, instances[i])
		}
	}
}

// clean reports that nothing was said in a session.
func (s *session) clean() bool { return len(s.rep.Sorted()) == 0 }

type variant struct {
	generics map[string]Value
	text     string
}

// variantsOf returns the plain choice of a kernel's generics and those that differ from it in one.
func variantsOf(p *Program, k *Kernel, m *merger) (plain map[string]Value, variants []variant) {
	c := headChecker(k, &diag.Reporter{})
	given := map[string]Value{}
	for _, g := range k.Decl.Generics {
		if g.Name == nil || g.Kind == nil || g.Default != nil || len(g.In) > 0 {
			continue
		}
		switch g.Kind.Name {
		case "int":
			given[g.Name.Name] = intFromTests(p, k, g.Name.Name)
		case "bool":
			given[g.Name.Name] = BoolOf(false)
		}
	}
	plain, ok := c.generics(k, given)
	if !ok {
		return given, nil
	}
	for _, g := range k.Decl.Generics {
		values := c.allowed(g)
		if g.Kind.Name == "bool" {
			values = []Value{BoolOf(false), BoolOf(true)}
		}
		for _, v := range values {
			if bad := c.refused(g, v); bad != "" || v.Equal(plain[g.Name.Name]) {
				continue
			}
			other := maps.Clone(plain)
			other[g.Name.Name] = v
			variants = append(variants, variant{other, g.Name.Name + " = " + v.String()})
		}
	}
	return plain, variants
}

// intFromTests is a value for an integer generic without default: what some test gives it, or 128.
func intFromTests(p *Program, k *Kernel, name string) Value {
	for _, t := range p.Tests {
		if t.Kernel == nil || t.Kernel.Name != k.Name {
			continue
		}
		for _, b := range t.Bindings {
			if b.Name != nil && b.Name.Name == name {
				if n, ok := b.Value.(*ast.Int); ok {
					v, _ := bigInt(n.Value)
					return v
				}
			}
		}
	}
	return IntOf(128)
}

// checkFn checks a function for itself, with representative types: the first of each generic, and distinct extents.
func checkFn(f *Fn, m *merger) {
	d := f.Decl
	if d.Body == nil || d.Name == nil {
		return
	}
	s := m.session()
	c := newChecker(s, newScope(f.unit.scope), gridPlace)
	call := &ast.Call{Place: ast.Place{At: d.Name.Span()}, Fun: &ast.Ident{Place: d.Name.Place, Name: d.Name.Name}}
	extents := map[string]int64{}
	for _, g := range d.Generics {
		if g.Name != nil && g.Kind != nil && g.Kind.Name == "int" {
			extents[g.Name.Name] = 128
		}
	}
	for _, p := range d.Params {
		if p.Name == nil || p.Type == nil || p.Type.Elem == nil {
			return
		}
		id := &ast.Ident{Place: p.Name.Place, Name: " " + p.Name.Name} // no program can use this name
		call.Args = append(call.Args, id)
		c.scope.names[id.Name] = c.representative(d, p, extents)
	}
	c.callFn(call, f)
	m.add(s.rep, representativeText(extents))
}

func representativeText(extents map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(extents)) {
		parts = append(parts, fmt.Sprintf("%s = %d", name, extents[name]))
	}
	return strings.Join(parts, ", ")
}

// representative makes an argument for a parameter of a fn.
func (c *checker) representative(d *ast.Fn, p *ast.Param, extents map[string]int64) Object {
	elem := Type{}
	for _, g := range d.Generics {
		if g.Name != nil && g.Name.Name == p.Type.Elem.Name && len(g.In) > 0 {
			elem = c.expr(g.In[0])
		}
	}
	if !elem.Valid() {
		outer := c.open()
		elem = Type{Kind: TypeKind, Elem: c.elemOf(p.Type.Elem)}
		c.scope = outer
	}
	if p.Type.IsScalar() {
		return &Scalar{named: named{Name: p.Name.Name, Span: p.Name.Span()}, Kind: LetScalar, Type: number(elem.Elem)}
	}
	a := &Array{named: named{Name: p.Name.Name, Span: p.Name.Span()}, Kind: Tile, Elem: elem.Elem}
	for _, dim := range p.Type.Dims {
		n := int64(128)
		if id, ok := dim.(*ast.Ident); ok && c.scope.lookup(id.Name) == nil {
			if extents[id.Name] == 0 {
				extents[id.Name] = 16 << (len(extents) % 4)
			}
			n = extents[id.Name]
		} else if v := c.fold(dim); v.Kind == IntValue {
			n, _ = v.Int64()
		}
		a.Shape = append(a.Shape, ConstExtent(n))
	}
	c.flow.write(a)
	return a
}
