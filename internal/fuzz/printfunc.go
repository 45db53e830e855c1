package fuzz

import (
	"slices"
	"strings"
)

// tileFunctions prints the functions on tiles that the program calls.
func (w *printer) tileFunctions() {
	w.plain = true
	walkStmts(w.p.Body, func(s *Stmt) {
		if s.Kind != Called || !s.callable() {
			return
		}
		changed, read := s.tiles()
		var params []string
		for _, a := range changed {
			params = append(params, a.Name+": inout "+w.arrayType(a))
		}
		for _, a := range read {
			params = append(params, a.Name+": "+w.arrayType(a))
		}
		result := ""
		if s.Target != nil {
			result = " -> " + w.arrayType(s.Target)
		}
		w.line("fn %s(%s)%s {", s.Name, strings.Join(params, ", "), result)
		w.block(s.Body)
		if s.Target != nil {
			w.depth++
			w.line("return %s", s.Target.Name)
			w.depth--
		}
		w.line("}")
		w.line("")
	})
	w.plain = false
}

// called prints the call, or what the function does where it could not be one.
func (w *printer) called(s *Stmt) {
	if !s.callable() {
		w.depth--
		w.block(s.Body)
		w.depth++
		return
	}
	changed, read := s.tiles()
	text := s.Name + "(" + names(append(changed, read...)) + ")"
	if s.Target != nil {
		text = "let " + s.Target.Name + " = " + text
	}
	w.line("%s", text)
}

// callable reports that a body makes a function: there are tiles to pass, and it makes
// its result.
func (s *Stmt) callable() bool {
	changed, read := s.tiles()
	made := s.Target == nil
	for _, x := range s.Body {
		made = made || x.Target == s.Target
	}
	return len(s.Body) > 0 && len(changed)+len(read) > 0 && made
}

// tiles lists the tiles of the caller that a function changes, and those that it only
// reads.
func (s *Stmt) tiles() (changed, read []*Array) {
	made := map[*Array]bool{}
	take := func(list *[]*Array, a *Array) {
		if a != nil && !made[a] && !slices.Contains(changed, a) && !slices.Contains(*list, a) {
			*list = append(*list, a)
		}
	}
	for _, x := range s.Body {
		if x.Kind == LetTile || x.Kind == DeclTile {
			made[x.Target] = true
		}
	}
	for _, x := range s.Body {
		take(&changed, x.Target)
	}
	for _, x := range s.Body {
		for _, at := range x.exprs() {
			walk(at, func(e **Expr) { take(&read, (*e).Array) })
		}
	}
	return changed, read
}
