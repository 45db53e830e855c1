package ir

import (
	"tilec/ir/layout"
	"tilec/runtime/array"
)

func (p *parser) function() *Func {
	f := &Func{Form: p.form()}
	start := p.expect("func")
	f.Name = p.word()
	p.expect("{")
	if p.accept("doc") {
		f.Doc = p.quoted()
	}
	p.dims(f)
	for p.accept("param") {
		p.param(f)
	}
	p.resolveDims(f)
	p.facts(f)
	p.expect("grid")
	f.Grid = p.iters(GridVar)
	f.Persistent = p.accept("persistent")
	if p.accept("panel") {
		f.Panel = p.count()
	}
	f.Body = p.ops()
	p.expect("}")
	f.Span = p.since(start)
	return f
}

func (p *parser) form() Form {
	for form := SpecForm; form < numForms; form++ {
		if p.accept(form.String()) {
			return form
		}
	}
	p.fail("expected the function's form (spec, tile, placed or scheduled), found %s", p.found())
	return InvalidForm
}

// dims reads the dimensions; the tensors that bind them come later, so that
// From is a placeholder with the right name until resolveDims.
func (p *parser) dims(f *Func) {
	for p.accept("dim") {
		d := Dim{Var: p.indexVar(DimVar)}
		p.define(d.Var)
		if p.accept("=") {
			t := p.peek()
			d.From = &Buffer{Name: p.name(), Span: p.span(t)}
			p.expect("[")
			d.Axis = p.count()
			p.expect("]")
		}
		f.Dims = append(f.Dims, d)
	}
}

func (p *parser) resolveDims(f *Func) {
	for i, d := range f.Dims {
		if d.From == nil {
			continue
		}
		b := p.scope.bufs[d.From.Name]
		if b == nil {
			s := d.From.Span
			p.failAt(token{start: s.Start, end: s.End}, "unknown tensor %s", d.From.Name)
		}
		f.Dims[i].From = b
	}
}

func (p *parser) param(f *Func) {
	for _, kind := range []BufferKind{In, Out, InOut} {
		if p.is(paramWord(kind)) && p.ahead(1).text != ":" {
			p.next()
			b := p.buffer(kind)
			p.scope.bufs[b.Name] = b
			f.Params = append(f.Params, Param{Tensor: b})
			return
		}
	}
	v := p.typedVar(ParamVar)
	p.define(v)
	f.Params = append(f.Params, Param{Scalar: v})
}

// facts reads what stands between the parameters and the grid.
func (p *parser) facts(f *Func) {
	for {
		start := p.peek()
		switch {
		case p.accept("require"):
			r := Require{Cond: p.expr()}
			p.expect("text")
			r.Text = p.quoted()
			r.Span = p.since(start)
			f.Requires = append(f.Requires, r)
		case p.is("generic") || p.is("tune"):
			c := Binding{Tune: p.next().text == "tune"}
			c.Name = p.word()
			p.expect("=")
			c.Value = p.quoted()
			f.Config = append(f.Config, c)
		case p.accept("machine"):
			f.Machine = p.word()
		case p.accept("warps"):
			f.Warps = p.count()
		case p.accept("shared"):
			f.SharedBytes = p.integer()
		case p.accept("allow"):
			p.expect("tf32")
			f.AllowTF32 = true
		case p.accept("assume"):
			f.Assumes = append(f.Assumes, p.assumption())
		default:
			return
		}
	}
}

func (p *parser) assumption() Assumption {
	var a Assumption
	if !p.is("multiple") || p.ahead(1).text == "aligned" {
		a.Tensor = p.lookupBuffer()
		p.expect("aligned")
		a.Bytes = p.integer()
	}
	if p.accept("multiple") {
		a.Multiple = p.expr()
		p.expect("of")
		a.Of = p.integer()
	}
	return a
}

// buffer reads a declaration; the name isn't defined yet.
func (p *parser) buffer(kind BufferKind) *Buffer {
	name, t := p.newName()
	b := &Buffer{Name: name, Kind: kind}
	p.expect(":")
	b.Elem = p.dtype()
	p.items("[", "]", func() { b.Shape = append(b.Shape, p.expr()) })
	b.Span = p.since(t)
	if p.accept("strided") {
		p.items("(", ")", func() {
			s := p.indexVar(DimVar)
			p.define(s)
			b.Strides = append(b.Strides, s)
		})
	}
	if p.accept("temporary") {
		b.Kind = Temporary
	}
	if p.accept("in") {
		space, ok := ParseSpace(p.peek().text)
		if !ok {
			p.fail("expected a memory space, found %s", p.found())
		}
		p.next()
		b.Space = space
	}
	b.Pinned = p.accept("pinned")
	b.Temp = p.accept("made")
	if p.accept("offset") {
		b.Offset = p.integer()
	}
	b.Layout = p.layout()
	return b
}

// layout reads the word layout and a layout, or nothing.
func (p *parser) layout() *layout.Layout {
	if !p.accept("layout") {
		return nil
	}
	t := p.peek()
	if t.kind != layoutToken {
		p.fail("expected a layout, found %s", p.found())
	}
	l, err := layout.Parse(t.text)
	if err != nil {
		p.fail("%s", err)
	}
	p.next()
	return l
}

// indexVar reads a new variable and its type, if that isn't Index.
func (p *parser) indexVar(kind VarKind) *Var {
	name, t := p.newName()
	v := &Var{Name: name, Type: Index, Kind: kind, Span: p.span(t)}
	if next := p.peek(); next.kind == nameToken {
		if t, ok := array.ParseDType(next.text); ok {
			p.next()
			v.Type = t
		}
	}
	return v
}

// iters reads iteration variables, then defines them: extents don't see them.
func (p *parser) iters(kind VarKind) []Iter {
	var its []Iter
	p.items("(", ")", func() {
		it := Iter{Var: p.indexVar(kind)}
		for _, other := range its {
			if other.Var.Name == it.Var.Name {
				p.fail("%s is already defined", it.Var.Name)
			}
		}
		p.expect(":")
		it.Extent = p.expr()
		its = append(its, it)
	})
	for _, it := range its {
		p.define(it.Var)
	}
	return its
}
