package parser

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

// builder turns productions into ast nodes and reports the problems they hold.
type builder struct {
	file     *diag.File
	rep      *diag.Reporter
	tokens   []Token          // of the whole file, without comments
	endsWith string           // what the current chunk ends with, in words
	suspect  *pair            // see chunk
	atEnd    *diag.Diagnostic // the report that the current chunk ends too early
}

func (b *builder) begin(c chunk) {
	b.endsWith = "the next declaration"
	if c.last {
		b.endsWith = "the end of the file"
	}
	b.suspect, b.atEnd = c.suspect, nil
}

func (b *builder) span(start, end int) diag.Span {
	return diag.Span{File: b.file, Start: start, End: end}
}

func place(tokens []Token) ast.Place {
	if len(tokens) == 0 {
		return ast.Place{}
	}
	return ast.Place{At: diag.Span{Start: tokens[0].Pos.Offset, End: end(tokens[len(tokens)-1])}}
}

// optionalIdent is nil for a name that was left out.
func optionalIdent(t Token) *ast.Ident {
	if t.Value == "" {
		return nil
	}
	return ident(t)
}

// str converts a string token; nil for one that was left out.
func (b *builder) str(t Token) *ast.String {
	if t.Value == "" {
		return nil
	}
	s, err := stringLiteral(t)
	if err != nil {
		b.report(err, "")
		return &ast.String{Place: at(t)}
	}
	return s
}

func each[P, N any](b *builder, ps []P, f func(*builder, P) N) []N {
	var out []N
	for _, p := range ps {
		out = append(out, f(b, p))
	}
	return out
}

func (b *builder) decl(n production, doc string) ast.Decl {
	switch n := n.(type) {
	case *importDecl:
		return &ast.Import{Place: place(n.Tokens), Doc: doc, Path: b.str(n.Path)}
	case *constDecl:
		return &ast.Const{Place: place(n.Tokens), Doc: doc, Name: ident(n.Name), Value: n.Value}
	case *fnDecl:
		return b.fn(n, doc)
	case *kernelDecl:
		return b.kernel(n, doc)
	case *opDecl:
		return b.op(n, doc)
	case *testDecl:
		return &ast.Test{Place: place(n.Tokens), Doc: doc, Title: b.str(n.Title), Kernel: ident(n.Kernel),
			Bindings: each(b, n.Bindings, (*builder).binding)}
	}
	return nil
}

func (b *builder) binding(n *bindingNode) *ast.Binding {
	return &ast.Binding{Place: place(n.Tokens), Name: ident(n.Name), Value: n.Value}
}

func (b *builder) fn(n *fnDecl, doc string) ast.Decl {
	f := &ast.Fn{Place: place(n.Tokens), Doc: doc, Name: ident(n.Name),
		Generics: each(b, n.Generics, (*builder).generic), Params: each(b, n.Params, (*builder).param),
		Result: b.typ(n.Result), Body: b.block(n.Body, inFn)}
	b.returns(f)
	return f
}

// returns checks that a function with a result ends with its only `return`, and one without has none.
func (b *builder) returns(f *ast.Fn) {
	name := f.Name.Span()
	var last ast.Stmt
	if n := len(f.Body.Stmts); n > 0 {
		last = f.Body.Stmts[n-1]
	}
	broken := b.atEnd != nil
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BadStmt:
			broken = true
		case *ast.Return:
			at := b.head(n.Span())
			switch {
			case f.Result == nil:
				b.rep.Errorf(diag.Misplaced, at, "%s declares no result", quote(f.Name.Name)).
					Note(b.span(name.Start, name.End), "declared here").Hint("write the type behind the parameters: `-> f32`")
			case ast.Stmt(n) != last:
				b.rep.Errorf(diag.Misplaced, at, "`return` is the last statement of a function").
					Hint("choose between values with `if c then a else b`")
			}
		}
		return true
	})
	if _, ok := last.(*ast.Return); f.Result != nil && !ok && !broken {
		b.rep.Errorf(diag.Incomplete, b.span(name.Start, name.End), "the function %s returns nothing", quote(f.Name.Name)).
			Hint("end it with `return value`, or leave out its result type")
	}
}

func (b *builder) kernel(n *kernelDecl, doc string) ast.Decl {
	k := &ast.Kernel{Place: place(n.Tokens), Doc: doc, Attrs: each(b, n.Attrs, (*builder).attr), Name: ident(n.Name),
		Generics: each(b, n.Generics, (*builder).generic), Params: each(b, n.Params, (*builder).param), OverRanks: n.Over}
	body := b.block(n.Body, inKernel)
	broken := false
	for _, s := range body.Stmts {
		switch s := s.(type) {
		case *gridHolder:
			if k.Grid != nil {
				b.second(s.Grid.At, k.Grid.At, "grid", "a kernel has one; an `op` joins several kernels")
				continue
			}
			k.Grid = s.Grid
		case *specHolder:
			if k.Spec != nil {
				b.second(s.Spec.At, k.Spec.At, "spec", "a kernel has one; it may assign several outputs")
				continue
			}
			k.Spec = s.Spec
		case *ast.BadStmt:
			broken = true
		default:
			k.Prologue = append(k.Prologue, s)
		}
	}
	if k.Grid == nil && !broken && b.atEnd == nil {
		b.rep.Errorf(diag.Incomplete, b.span(n.Name.Pos.Offset, end(n.Name)), "the kernel %s has no grid", quote(n.Name.Value)).
			Hint("add `grid (x: count) { … }`; its body runs once for each index")
	}
	return k
}

func (b *builder) op(n *opDecl, doc string) ast.Decl {
	o := &ast.Op{Place: place(n.Tokens), Doc: doc, Name: ident(n.Name),
		Generics: each(b, n.Generics, (*builder).generic), Params: each(b, n.Params, (*builder).param)}
	o.Body = b.block(n.Body, inOp)
	kept := o.Body.Stmts[:0]
	for _, s := range o.Body.Stmts {
		spec, ok := s.(*specHolder)
		switch {
		case !ok:
			kept = append(kept, s)
		case o.Spec != nil:
			b.second(spec.Spec.At, o.Spec.At, "spec", "an op has one; it may assign several outputs")
		default:
			o.Spec = spec.Spec
		}
	}
	o.Body.Stmts = kept
	return o
}

// second reports a part that is there already.
func (b *builder) second(again, before diag.Span, what, hint string) {
	b.rep.Errorf(diag.Misplaced, b.head(again), "there is a second %s here", what).
		Note(b.head(before), "the first one").Hint("%s", hint)
}

// head is the first word of a node.
func (b *builder) head(s diag.Span) diag.Span {
	n := spanOf(b.file.Text[s.Start:s.End], isWord)
	return b.span(s.Start, s.Start+n)
}

func (b *builder) attr(n *attrNode) *ast.Attr {
	return &ast.Attr{Place: place(n.Tokens), Name: ident(n.Name), Args: n.Args}
}

func (b *builder) generic(n *genericNode) *ast.Generic {
	return &ast.Generic{Place: place(n.Tokens), Name: ident(n.Name), Kind: ident(n.Kind), In: n.In, Default: n.Default}
}

func (b *builder) param(n *paramNode) *ast.Param {
	dir := map[string]ast.Dir{"": ast.In, "in": ast.In, "out": ast.Out, "inout": ast.InOut}[n.Dir]
	return &ast.Param{Place: place(n.Tokens), Name: ident(n.Name), Dir: dir, Type: b.typ(n.Type),
		Strided: n.Strided, Symmetric: n.Symmetric}
}

func (b *builder) typ(n *typeNode) *ast.Type {
	if n == nil {
		return nil
	}
	return &ast.Type{Place: place(n.Tokens), Elem: ident(n.Elem), Dims: n.Dims}
}

func (b *builder) indexVar(n *indexVar) *ast.IndexVar {
	return &ast.IndexVar{Place: place(n.Tokens), Name: ident(n.Name), Extent: n.Extent}
}
