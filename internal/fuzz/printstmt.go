package fuzz

import (
	"fmt"
	"strings"
)

func (w *printer) stmt(s *Stmt) {
	switch s.Kind {
	case DeclTile:
		text := fmt.Sprintf("tile %s: %s", s.Target.Name, w.arrayType(s.Target))
		if s.Space != "" {
			text += " in " + s.Space
		}
		if s.Value != nil {
			text += " = " + w.expr(s.Value)
		}
		w.line("%s", text)
	case LetScalar:
		w.line("let %s = %s", s.Scalar.Name, w.expr(s.Value))
	case VarScalar:
		w.line("var %s: %s = %s", s.Scalar.Name, s.Scalar.Type.Elem, w.expr(s.Value))
	case SetScalar:
		w.line("%s %s %s", s.Scalar.Name, s.Op, w.expr(s.Value))
	case LetTile:
		var index []string
		for _, b := range s.Index {
			text := b.Name
			if b.Stated || !fixes(b.Name, s.Value) {
				text += ": " + w.extent(b.Extent)
			}
			index = append(index, text)
		}
		w.line("let %s[%s] = %s%s", s.Target.Name, strings.Join(index, ", "), w.expr(s.Value), w.suffix(s, nil))
	case Assign:
		var over []Bound
		for _, b := range s.Index {
			if b.Stated || !s.fixed(b.Name) {
				over = append(over, b)
			}
		}
		atomic := ""
		if s.Atomic {
			atomic = "atomic "
		}
		w.line("%s%s %s %s%s", atomic, w.element(s.Target, s.Subs), s.Op, w.expr(s.Value), w.suffix(s, over))
	case Copy:
		text := fmt.Sprintf("copy %s -> %s", w.side(s.Source, s.From, s.Ranges), w.side(s.Target, s.Subs, nil))
		if s.Default != nil {
			text += " else " + w.expr(s.Default)
		}
		w.line("%s", text)
	case Fill:
		w.line("fill %s, %s", w.side(s.Target, s.Subs, s.Ranges), w.expr(s.Value))
	case Gemm:
		w.line("gemm %s%s, %s%s -> %s", s.Source.Name, transposed(s.TransA), s.Source2.Name, transposed(s.TransB), s.Target.Name)
	case Scan:
		w.line("let %s = %s(%s)", names(s.Results), s.Name, strings.Join(append([]string{names(s.Sources)}, w.numbers(s)...), ", "))
	case Loop:
		w.loop(s)
	case WhileLoop:
		w.line("var %s: i32 = %s", s.Scalar.Name, w.expr(s.Value))
		w.line("while %s > 0 {", s.Scalar.Name)
		w.block(s.Body)
		w.depth++
		w.line("%s = %s / 2", s.Scalar.Name, s.Scalar.Name)
		w.depth--
		w.line("}")
	case If:
		w.line("if %s {", w.expr(s.Value))
		w.block(s.Body)
		if len(s.Else) > 0 {
			w.line("} else {")
			w.block(s.Else)
		}
		w.line("}")
	case AssertStmt:
		w.line("assert %s", w.expr(s.Value))
	case PrintStmt:
		w.line("print(%q, %s)", s.Name, w.expr(s.Value))
	case Called:
		w.called(s)
	}
}

func (w *printer) loop(s *Stmt) {
	head := "for "
	switch {
	case s.Pipeline:
		head = "pipeline "
	case s.Unroll:
		head = "unroll for "
	}
	head += fmt.Sprintf("%s in %s .. %s", s.Scalar.Name, w.expr(s.Lo), w.expr(s.Hi))
	if s.Step > 1 {
		head += fmt.Sprintf(" step %d", s.Step)
	}
	if s.Pipeline {
		head += ", " + w.extent(s.Stages)
	}
	w.line("%s {", head)
	w.block(s.Body)
	w.line("}")
}

func transposed(t bool) string {
	if t {
		return "^T"
	}
	return ""
}

func names(list []*Array) string {
	var all []string
	for _, a := range list {
		all = append(all, a.Name)
	}
	return strings.Join(all, ", ")
}

// numbers are the constant arguments of a function on tiles.
func (w *printer) numbers(s *Stmt) []string {
	var all []string
	for _, n := range s.Ints {
		all = append(all, w.extent(n))
	}
	axis := s.Axis
	if s.Back {
		axis -= len(s.Sources[0].Shape)
	}
	switch s.Name {
	case "cumsum", "cummax", "cumprod", "concat", "split":
		all = append(all, fmt.Sprint(axis))
	case "transpose":
		for _, d := range s.Perm {
			all = append(all, fmt.Sprint(d))
		}
	}
	return all
}

// side is one side of a copy: a tile by its name, or a place.
func (w *printer) side(a *Array, at []*Expr, ranges []*Extent) string {
	if at == nil {
		return a.Name
	}
	var parts []string
	for i, e := range at {
		text := w.expr(e)
		if ranges != nil && ranges[i] != nil {
			text = fmt.Sprintf("%s : %s + %s", text, text, w.extent(ranges[i]))
		}
		parts = append(parts, text)
	}
	return a.Name + "[" + strings.Join(parts, ", ") + "]"
}

func (w *printer) suffix(s *Stmt, over []Bound) string {
	text := ""
	if s.Default != nil {
		text += " else " + w.expr(s.Default)
	}
	if s.Where != nil {
		text += " where " + w.expr(s.Where)
	}
	if len(over) > 0 {
		var parts []string
		for _, b := range over {
			parts = append(parts, b.Name+": "+w.extent(b.Extent))
		}
		text += " over " + strings.Join(parts, ", ")
	}
	return text
}

func (w *printer) element(a *Array, subs []*Expr) string {
	var parts []string
	for _, e := range subs {
		parts = append(parts, w.expr(e))
	}
	return a.Name + "[" + strings.Join(parts, ", ") + "]"
}

// fixed reports that an index is a subscript of a tile by itself, on either side. A
// condition on the index exempts all but the left side.
func (s *Stmt) fixed(name string) bool {
	if s.Target.Kind == Tile {
		for _, e := range s.Subs {
			if e.Op == Idx && e.Name == name {
				return true
			}
		}
	}
	return fixes(name, s.Value) && !mentions(s.Where, name)
}

// mentions reports that an index stands in an expression.
func mentions(e *Expr, name string) bool {
	found := false
	if e != nil {
		walk(&e, func(at **Expr) { found = found || (*at).Op == Idx && (*at).Name == name })
	}
	return found
}

// fixes reports that an expression subscripts a tile with an index by itself, at a
// place that no condition guards.
func fixes(name string, e *Expr) bool {
	if e == nil || e.choice() || e.Op == Binary && (e.Name == "and" || e.Name == "or") {
		return false
	}
	for _, x := range e.Args {
		if e.Op == Load && e.Array.Kind == Tile && x.Op == Idx && x.Name == name || fixes(name, x) {
			return true
		}
	}
	return false
}

func (w *printer) expr(e *Expr) string {
	switch e.Op {
	case Lit:
		return w.literal(e)
	case Ref, Idx:
		return e.Name
	case Count:
		return w.extent(e.Extent)
	case Load:
		return w.element(e.Array, e.Args)
	case Unary:
		return e.Name + w.operand(e.Args[0])
	case Binary:
		return fmt.Sprintf("%s %s %s", w.operand(e.Args[0]), e.Name, w.operand(e.Args[1]))
	case Call:
		return fmt.Sprintf("%s(%s)", e.Name, w.list(e.Args))
	case Convert:
		return fmt.Sprintf("%s(%s)", w.elem(e.Type.Elem, e.Generic), w.expr(e.Args[0]))
	case Bitcast:
		return fmt.Sprintf("bitcast(%s, %s)", e.Type.Elem, w.expr(e.Args[0]))
	case Cond:
		return fmt.Sprintf("if %s then %s else %s", w.expr(e.Args[0]), w.expr(e.Args[1]), w.expr(e.Args[2]))
	case Reduce:
		var over []string
		for _, b := range e.Over {
			text := b.Name
			if b.Stated || !fixes(b.Name, e.Args[0]) {
				text += ": " + w.extent(b.Extent)
			}
			over = append(over, text)
		}
		return fmt.Sprintf("%s[%s](%s)", e.Name, strings.Join(over, ", "), w.expr(e.Args[0]))
	case AtomicOld:
		last := len(e.Args) - 1
		return fmt.Sprintf("atomic %s %s %s", w.element(e.Array, e.Args[:last]), e.Name, w.expr(e.Args[last]))
	case FuncCall:
		return fmt.Sprintf("%s(%s)", e.Func.Name, w.list(e.Args))
	}
	return "?"
}

func (w *printer) list(args []*Expr) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, w.expr(a))
	}
	return strings.Join(parts, ", ")
}

// operand is an expression in parentheses where it needs any.
func (w *printer) operand(e *Expr) string {
	text := w.expr(e)
	if e.Op == Binary || e.Op == Cond || e.Op == Unary || strings.HasPrefix(text, "-") {
		return "(" + text + ")"
	}
	return text
}

func (w *printer) literal(e *Expr) string {
	t := e.Type.Elem
	text := scalarText(t, e.Value)
	if e.Typed && !e.Type.Index {
		return fmt.Sprintf("%s(%s)", t, text)
	}
	return text
}
