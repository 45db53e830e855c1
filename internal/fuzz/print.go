package fuzz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tilec/runtime/array"
)

// Text is the program as a .tile file, with a test for each launch.
func (p *Program) Text() string {
	w := &printer{p: p}
	w.tileFunctions()
	for _, f := range p.Funcs {
		var params []string
		for _, s := range f.Params {
			params = append(params, s.Name+": "+s.Type.Elem.String())
		}
		w.line("fn %s(%s) -> %s { return %s }", f.Name, strings.Join(params, ", "), f.Result, w.expr(f.Body))
		w.line("")
	}
	if p.TF32 {
		w.line("@allow(tf32)")
	}
	w.line("kernel %s%s(%s) {", p.Name, w.generics(), w.params())
	w.depth++
	w.prologue()
	w.line("grid (%s)%s {", w.grid(), w.order())
	w.block(p.Body)
	w.line("}")
	w.depth--
	w.line("}")
	w.line("")
	for i, l := range p.Launches {
		w.line("test %q %s { %s }", strconv.Itoa(i), p.Name, w.bindings(l))
	}
	return w.out.String()
}

// printer prints a program.
type printer struct {
	p     *Program
	out   strings.Builder
	depth int
	plain bool // names of the kernel mean nothing here
}

func (w *printer) line(format string, args ...any) {
	if format == "" {
		w.out.WriteByte('\n')
		return
	}
	w.out.WriteString(strings.Repeat("    ", w.depth))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

func (w *printer) block(list []*Stmt) {
	w.depth++
	for _, s := range list {
		w.stmt(s)
	}
	w.depth--
}

func (w *printer) generics() string {
	var parts []string
	if g := w.p.Generic; g != nil {
		parts = append(parts, fmt.Sprintf("%s: dtype in [%s] = %s", g.Name, g.Elem, g.Elem))
	}
	for _, e := range w.p.Extents {
		if e.Kind == IntGeneric {
			parts = append(parts, fmt.Sprintf("%s: int = %d", e.Name, e.N))
		}
	}
	if parts == nil {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (w *printer) params() string {
	var parts []string
	for _, a := range w.p.Params {
		dir := ""
		switch a.Kind {
		case Out:
			dir = "out "
		case InOut, Shared:
			dir = "inout "
		}
		strided := ""
		if a.Strided {
			strided = " strided"
		}
		parts = append(parts, fmt.Sprintf("%s: %s%s%s", a.Name, dir, w.arrayType(a), strided))
	}
	for _, s := range w.p.Scalars {
		parts = append(parts, s.Name+": "+s.Type.Elem.String())
	}
	return strings.Join(parts, ", ")
}

func (w *printer) arrayType(a *Array) string {
	var dims []string
	for _, s := range a.Shape {
		dims = append(dims, w.size(s))
	}
	return w.elem(a.Elem, a.Generic) + "[" + strings.Join(dims, ", ") + "]"
}

func (w *printer) elem(t array.DType, generic bool) string {
	if generic && !w.plain && w.p.Generic != nil && w.p.Generic.Elem == t {
		return w.p.Generic.Name
	}
	return t.String()
}

func (w *printer) size(s Size) string {
	switch {
	case s.Extent != nil:
		return w.extent(s.Extent)
	case s.Factor > 1:
		return fmt.Sprintf("%d*%s", s.Factor, s.Dim)
	}
	return s.Dim
}

func (w *printer) extent(e *Extent) string {
	if e.Name != "" && !w.plain {
		return e.Name
	}
	return strconv.FormatInt(e.N, 10)
}

func (w *printer) prologue() {
	for _, e := range w.p.Extents {
		if e.Kind != Tunable {
			continue
		}
		all := []string{strconv.FormatInt(e.N, 10)}
		for _, n := range e.Others {
			all = append(all, strconv.FormatInt(n, 10))
		}
		w.line("tune %s in [%s]", e.Name, strings.Join(all, ", "))
	}
	for _, r := range w.p.Requires {
		w.line("require %s %% %d == 0, \"%s is no multiple of %d\"", r.Dim, r.Of, r.Dim, r.Of)
	}
}

func (w *printer) grid() string {
	var parts []string
	for _, a := range w.p.Grid {
		count := strconv.FormatInt(a.Count, 10)
		if a.Dim != "" {
			count = fmt.Sprintf("ceildiv(%s, %s)", a.Dim, w.extent(a.Block))
		}
		parts = append(parts, a.Index+": "+count)
	}
	return strings.Join(parts, ", ")
}

func (w *printer) order() string {
	text := ""
	if w.p.Persistent {
		text += " persistent"
	}
	if w.p.Panel > 0 {
		text += fmt.Sprintf(" order panel(%d)", w.p.Panel)
	}
	return text
}

func (w *printer) bindings(l *Launch) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if g := w.p.Generic; g != nil {
		add("%s = %s", g.Name, g.Elem)
	}
	for _, e := range w.p.Extents {
		if e.Name != "" {
			add("%s = %d", e.Name, e.N)
		}
	}
	for _, name := range w.p.dims() {
		add("%s = %d", name, l.Dims[name])
	}
	for _, s := range w.p.Scalars {
		add("%s = %s", s.Name, scalarText(s.Type.Elem, l.Scalars[s.Name]))
	}
	for _, a := range w.p.Params {
		if a.Input.Kind != 0 {
			add("%s = %s", a.Name, a.Input)
		}
	}
	return strings.Join(parts, ", ")
}

func scalarText(t array.DType, v float64) string {
	switch {
	case t == array.Bool:
		return strconv.FormatBool(v != 0)
	case t.IsInt():
		return strconv.FormatInt(int64(v), 10)
	}
	return floatText(v)
}

// floatText spells a number with a point or exponent.
func floatText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// String spells an input as a test does.
func (in Input) String() string {
	switch in.Kind {
	case RandInt:
		return fmt.Sprintf("randint(%d, %d)", int64(in.A), int64(in.B))
	case Uniform:
		return fmt.Sprintf("uniform(%s, %s)", floatText(in.A), floatText(in.B))
	case Normal:
		return fmt.Sprintf("normal(%s, %s)", floatText(in.A), floatText(in.B))
	}
	if in.A == math.Trunc(in.A) {
		return fmt.Sprintf("constant(%d)", int64(in.A))
	}
	return fmt.Sprintf("constant(%s)", floatText(in.A))
}

// dims lists the dimensions that the parameters bind, each once.
func (p *Program) dims() []string {
	var names []string
	seen := map[string]bool{}
	for _, a := range p.Params {
		for _, s := range a.Shape {
			if s.Dim != "" && !seen[s.Dim] {
				seen[s.Dim] = true
				names = append(names, s.Dim)
			}
		}
	}
	return names
}
