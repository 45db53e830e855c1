package ir

import (
	"strconv"
	"strings"
)

// Print returns the text form of f: one operation a line, nested blocks
// indented. It holds everything that f holds except source spans, so that Parse
// gives an equal function back. Where two things in scope share a name, the
// later one is printed with a number.
func Print(f *Func) string {
	p := &printer{names: newNaming()}
	p.function(f)
	return p.b.String()
}

// String returns the operation in text form, the names of the scalars and
// buffers as they are.
func (op *Op) String() string {
	p := &printer{}
	p.op(op)
	return strings.TrimSuffix(p.b.String(), "\n")
}

// Header returns the operation in text form without its blocks.
func (op *Op) Header() string {
	p := &printer{}
	p.header(op)
	return p.b.String()
}

type printer struct {
	b     strings.Builder
	depth int
	names *naming // nil: print plain names
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

func (p *printer) int(n int64) { p.put(strconv.FormatInt(n, 10)) }

func (p *printer) line(parts ...string) {
	p.startLine()
	p.put(parts...)
	p.put("\n")
}

func (p *printer) startLine() {
	for range p.depth {
		p.put("  ")
	}
}

func (p *printer) function(f *Func) {
	p.line(f.Form.String(), " func ", word(f.Name), " {")
	p.depth++
	if f.Doc != "" {
		p.line("doc ", strconv.Quote(f.Doc))
	}
	p.declareParams(f)
	p.dims(f)
	for _, param := range f.Params {
		p.startLine()
		p.put("param ")
		if param.Scalar != nil {
			p.put(p.varName(param.Scalar), ": ", param.Scalar.Type.String())
		} else {
			p.put(paramWord(param.Tensor.Kind), " ")
			p.buffer(param.Tensor)
		}
		p.put("\n")
	}
	for _, r := range f.Requires {
		p.startLine()
		p.put("require ")
		p.expr(r.Cond)
		p.put(" text ", strconv.Quote(r.Text), "\n")
	}
	for _, c := range f.Config {
		kind := "generic "
		if c.Tune {
			kind = "tune "
		}
		p.line(kind, word(c.Name), " = ", strconv.Quote(c.Value))
	}
	p.lowering(f)
	p.startLine()
	p.put("grid ")
	for _, it := range f.Grid {
		p.declareVar(it.Var)
	}
	p.iters(f.Grid)
	if f.Persistent {
		p.put(" persistent")
	}
	if f.Panel != 0 {
		p.put(" panel ")
		p.int(int64(f.Panel))
	}
	p.put("\n")
	p.ops(f.Body)
	p.depth--
	p.line("}")
}

func paramWord(k BufferKind) string {
	switch k {
	case In:
		return "in"
	case Out:
		return "out"
	case InOut:
		return "inout"
	}
	return "?"
}

// declareParams names all parameters before anything is printed: dimensions
// refer to tensors and tensors to dimensions.
func (p *printer) declareParams(f *Func) {
	for _, d := range f.Dims {
		p.declareVar(d.Var)
	}
	for _, param := range f.Params {
		if param.Scalar != nil {
			p.declareVar(param.Scalar)
			continue
		}
		p.declareBuffer(param.Tensor)
		for _, s := range param.Tensor.Strides {
			p.declareVar(s)
		}
	}
}

func (p *printer) dims(f *Func) {
	for _, d := range f.Dims {
		p.startLine()
		p.put("dim ")
		p.indexVar(d.Var)
		if d.From != nil {
			p.put(" = ", p.bufName(d.From), "[")
			p.int(int64(d.Axis))
			p.put("]")
		}
		p.put("\n")
	}
}

// lowering prints what passes have decided about the whole function.
func (p *printer) lowering(f *Func) {
	if f.Machine != "" {
		p.line("machine ", word(f.Machine))
	}
	if f.Warps != 0 {
		p.line("warps ", strconv.Itoa(f.Warps))
	}
	if f.SharedBytes != 0 {
		p.line("shared ", strconv.FormatInt(f.SharedBytes, 10))
	}
	if f.AllowTF32 {
		p.line("allow tf32")
	}
	for _, a := range f.Assumes {
		p.startLine()
		p.put("assume")
		if a.Tensor != nil {
			p.put(" ", p.bufName(a.Tensor), " aligned ")
			p.int(a.Bytes)
		}
		if a.Multiple != nil {
			p.put(" multiple ")
			p.expr(a.Multiple)
			p.put(" of ")
			p.int(a.Of)
		}
		p.put("\n")
	}
}

// buffer prints a declaration; the name is already declared.
func (p *printer) buffer(b *Buffer) {
	if b == nil {
		p.put("?")
		return
	}
	p.put(p.bufName(b), ": ", b.Elem.String(), "[")
	for d, x := range b.Shape {
		if d > 0 {
			p.put(", ")
		}
		p.expr(x)
	}
	p.put("]")
	if len(b.Strides) > 0 {
		p.put(" strided (")
		for d, s := range b.Strides {
			if d > 0 {
				p.put(", ")
			}
			p.indexVar(s)
		}
		p.put(")")
	}
	if b.Kind == Temporary {
		p.put(" temporary")
	}
	if b.Space != Unplaced {
		p.put(" in ", b.Space.String())
	}
	if b.Pinned {
		p.put(" pinned")
	}
	if b.Temp {
		p.put(" made")
	}
	if b.Offset != 0 {
		p.put(" offset ")
		p.int(b.Offset)
	}
	if b.Layout != nil {
		p.put(" layout ", b.Layout.String())
	}
}

// iters prints iteration variables with their extents.
func (p *printer) iters(its []Iter) {
	p.put("(")
	for i, it := range its {
		if i > 0 {
			p.put(", ")
		}
		p.indexVar(it.Var)
		p.put(": ")
		p.expr(it.Extent)
	}
	p.put(")")
}

// indexVar prints a variable where it is declared, its type unless it is Index.
func (p *printer) indexVar(v *Var) {
	p.put(p.varName(v))
	if v != nil && v.Type != Index {
		p.put(" ", v.Type.String())
	}
}
