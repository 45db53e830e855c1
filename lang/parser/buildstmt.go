package parser

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

// surroundings says which kind of block a statement stands in, and so which statements it may be.
type surroundings int

const (
	inKernel surroundings = iota + 1
	inGrid
	inSpec
	inFn
	inOp
)

// gridHolder and specHolder carry parts of a kernel through the list of its statements; they never reach a tree.
type (
	gridHolder struct {
		ast.BadStmt
		Grid *ast.Grid
	}
	specHolder struct {
		ast.BadStmt
		Spec *ast.Spec
	}
)

func (b *builder) block(n *block, in surroundings) *ast.Block {
	out := &ast.Block{Place: ast.Place{At: diag.Span{Start: n.open.Pos.Offset, End: n.end()}}}
	for _, it := range n.items {
		if it.err != nil {
			b.badItem(it, in)
			out.Stmts = append(out.Stmts, &ast.BadStmt{Place: ast.Place{At: diag.Span{Start: it.start, End: it.end}}})
			continue
		}
		if problem := misplaced(it, in); problem != nil {
			problem.end = it.start + max(1, spanOf(b.file.Text[it.start:], isWord))
			b.report(problem, "")
			continue
		}
		out.Stmts = append(out.Stmts, b.stmts(it.node, in)...)
	}
	if n.trouble != nil {
		b.report(n.trouble, "")
	}
	return out
}

func (n *block) end() int {
	switch {
	case n.close.Value != "":
		return end(n.close)
	case len(n.items) > 0:
		return n.items[len(n.items)-1].end
	}
	return end(n.open)
}

func (b *builder) badItem(it item, in surroundings) {
	form := ""
	if it.rule != nil {
		form = "it is written " + quoteForm(it.rule.form)
	}
	if in == inFn && it.rule == grammar().assign {
		form = "the value of a function is given by `return`"
	}
	b.report(it.err, form)
	for _, n := range it.nested {
		b.block(n, in)
	}
}

// misplaced checks that the statement belongs into the block.
func misplaced(it item, in surroundings) *problem {
	bad := func(where string) *problem {
		return &problem{code: diag.Misplaced, start: it.start, end: it.start,
			message: it.rule.name + " cannot stand here", advice: where}
	}
	switch it.node.(type) {
	case *tuneStmt, *gridStmt:
		if in != inKernel {
			return bad("it belongs directly into a kernel, outside its grid")
		}
	case *requireStmt:
		if in != inKernel && in != inOp {
			return bad("it belongs directly into a kernel or op; inside a grid use `assert`")
		}
	case *specStmt:
		if in != inKernel && in != inOp {
			return bad("it belongs directly into a kernel or op, after its grid")
		}
	case *letStmt:
	case *tempStmt, *runStmt:
		if in != inOp {
			return bad("it belongs into an `op`")
		}
	case *returnStmt:
		if in != inFn {
			return bad("only a `fn` returns a value")
		}
	case *assignStmt:
		if in == inKernel || in == inOp {
			return bad(outsideHint(in))
		}
	default:
		switch in {
		case inKernel, inOp:
			return bad(outsideHint(in))
		case inSpec:
			return bad("a spec holds index statements and `let` on whole tensors")
		}
	}
	return nil
}

func outsideHint(in surroundings) string {
	if in == inOp {
		return "an op holds `require`, `let`, `temp`, `run` and `spec`; other statements belong into a kernel's grid"
	}
	return "a kernel holds `tune`, `require`, `let`, one `grid` and one `spec`; other statements belong into the grid"
}

// stmts converts a statement; a `tune` with several names becomes several nodes.
func (b *builder) stmts(n production, in surroundings) []ast.Stmt {
	if n, ok := n.(*tuneStmt); ok {
		return each(b, n.Items, (*builder).tune)
	}
	return []ast.Stmt{b.stmt(n, in)}
}

func (b *builder) stmt(n production, in surroundings) ast.Stmt {
	switch n := n.(type) {
	case *requireStmt:
		return &ast.Require{Place: place(n.Tokens), Cond: n.Cond, Message: b.str(n.Message)}
	case *gridStmt:
		return b.grid(n)
	case *specStmt:
		return &specHolder{Spec: &ast.Spec{Place: place(n.Tokens), Body: b.block(n.Body, inSpec)}}
	case *letStmt:
		return b.let(n)
	case *varStmt:
		return &ast.Var{Place: place(n.Tokens), Name: ident(n.Name), Type: b.typ(n.Type), Value: n.Value}
	case *tileStmt:
		return &ast.TileDecl{Place: place(n.Tokens), Name: ident(n.Name), Type: b.typ(n.Type), Space: optionalIdent(n.Space), Init: n.Init}
	case *copyStmt:
		return &ast.Copy{Place: place(n.Tokens), Src: n.Src.X, Dst: n.Dst.X, Else: n.Else}
	case *gemmStmt:
		return &ast.Gemm{Place: place(n.Tokens), A: n.A.X, B: n.B.X, TransA: n.TransA, TransB: n.TransB, Acc: n.Acc.X}
	case *fillStmt:
		return &ast.Fill{Place: place(n.Tokens), Dst: n.Dst.X, Value: n.Value}
	case *forStmt:
		return &ast.For{Place: place(n.Tokens), Unroll: n.Unroll, Name: ident(n.Name), Lo: n.Lo, Hi: n.Hi, Step: n.Step, Body: b.block(n.Body, in)}
	case *pipelineStmt:
		return &ast.Pipeline{Place: place(n.Tokens), Name: ident(n.Name), Lo: n.Lo, Hi: n.Hi, Step: n.Step, Stages: n.Stages, Body: b.block(n.Body, in)}
	case *whileStmt:
		return &ast.While{Place: place(n.Tokens), Cond: n.Cond, Body: b.block(n.Body, in)}
	case *ifStmt:
		return b.ifStmt(n, in)
	case *assignStmt:
		return &ast.Assign{Place: place(n.Tokens), Atomic: n.Atomic, LHS: n.LHS.X, Op: n.Op.Op, Value: n.Value, Suffix: b.suffix(n.Suffix)}
	case *assertStmt:
		return &ast.Assert{Place: place(n.Tokens), Cond: n.Cond, Message: b.str(n.Message)}
	case *returnStmt:
		return &ast.Return{Place: place(n.Tokens), Value: n.Value}
	case *signalStmt:
		return &ast.Signal{Place: place(n.Tokens), Flag: n.Flag.X, To: n.To, Add: n.Add}
	case *waitStmt:
		return &ast.Wait{Place: place(n.Tokens), Flag: n.Flag.X, Value: n.Value}
	case *barrierStmt:
		return &ast.Barrier{Place: place(n.Tokens)}
	case *tempStmt:
		return &ast.Temp{Place: place(n.Tokens), Name: ident(n.Name), Type: b.typ(n.Type)}
	case *runStmt:
		return b.run(n)
	case *callStmt:
		return b.callStmt(n)
	}
	return &ast.BadStmt{}
}

func (b *builder) tune(n *tuneItem) ast.Stmt {
	t := &ast.Tune{Place: place(n.Tokens), Name: ident(n.Name), Default: n.Default, Candidates: n.Candidates}
	for _, tail := range n.Tails {
		switch {
		case tail.Where == nil:
			t.On = append(t.On, &ast.TuneOn{Place: place(tail.Tokens), Target: ident(tail.Target), Candidates: tail.Candidates})
		case t.Where != nil:
			b.report(badToken(diag.Misplaced, tail.Tokens[0], "there is a second `where` here").hint("join the conditions with `and`"), "")
		default:
			t.Where = tail.Where
		}
	}
	return t
}

func (b *builder) grid(n *gridStmt) ast.Stmt {
	g := &ast.Grid{Place: place(n.Tokens), Iters: each(b, n.Iters, (*builder).indexVar), Persistent: n.Persistent}
	for _, v := range g.Iters {
		if v.Extent == nil {
			b.rep.Errorf(diag.Syntax, b.span(v.At.Start, v.At.End), "the grid index %s has no count", quote(v.Name.Name)).
				Hint("write `%s: count`", v.Name.Name)
		}
	}
	if n.Order != nil {
		call, ok := n.Order.X.(*ast.Call)
		if !ok {
			at := n.Order.X.Span()
			b.rep.Errorf(diag.Syntax, b.span(at.Start, at.End), "this is no visiting order").Hint("write `order panel(8)`")
		}
		g.Order = call
	}
	g.Body = b.block(n.Body, inGrid)
	return &gridHolder{Grid: g}
}

func (b *builder) let(n *letStmt) ast.Stmt {
	if n.Indices == nil {
		if n.Suffix.present() {
			b.rep.Errorf(diag.Misplaced, b.span(n.Name.Pos.Offset, end(n.Name)), "a `let` of a scalar has no `else`, `where` or `over`").
				Hint("write `let %s[i] = …` to make a tile", n.Name.Value)
		}
		return &ast.Let{Place: place(n.Tokens), Names: n.names(), Value: n.Value}
	}
	if len(n.More) > 0 {
		b.report(badToken(diag.Misplaced, n.More[0].Name, "an indexed `let` defines one tile").hint("use one `let` for each"), "")
	}
	return &ast.LetTile{Place: place(n.Tokens), Name: ident(n.Name), Indices: each(b, n.Indices, (*builder).indexVar),
		Value: n.Value, Suffix: b.suffix(n.Suffix)}
}

// names lists what a let defines.
func (n *letStmt) names() []*ast.Ident {
	list := []*ast.Ident{ident(n.Name)}
	for _, m := range n.More {
		list = append(list, ident(m.Name))
	}
	return list
}

func (s suffix) present() bool { return s.Else != nil || s.Where != nil || s.Over != nil }

func (b *builder) suffix(n suffix) ast.Suffix {
	s := ast.Suffix{Else: n.Else, Where: n.Where, Over: each(b, n.Over, (*builder).indexVar)}
	for _, v := range s.Over {
		if v.Extent == nil {
			b.rep.Errorf(diag.Syntax, b.span(v.At.Start, v.At.End), "`over` gives %s no extent", quote(v.Name.Name)).
				Hint("write `over %s: extent`", v.Name.Name)
		}
	}
	return s
}

func (b *builder) ifStmt(n *ifStmt, in surroundings) ast.Stmt {
	first := &ast.If{Place: place(n.Tokens), Cond: n.Cond, Then: b.block(n.Then, in)}
	if len(n.Arms) > maxDepth {
		b.report(tooDeep(n.Arms[maxDepth].Tokens[0]), "")
		return first
	}
	stop := first.At.End
	for last, i := first, 0; i < len(n.Arms); i++ {
		arm := n.Arms[i]
		body := b.block(arm.Body, in)
		if arm.Cond == nil {
			last.Else = body
			if i+1 < len(n.Arms) {
				b.report(badToken(diag.Misplaced, n.Arms[i+1].Tokens[0], "an `else` after the last one").
					note(arm.Tokens[0], "the branch for all other cases"), "")
			}
			break
		}
		next := &ast.If{Place: ast.Place{At: diag.Span{Start: arm.Tokens[1].Pos.Offset, End: stop}}, Cond: arm.Cond, Then: body}
		last.Else, last = next, next
	}
	return first
}

func (b *builder) run(n *runStmt) ast.Stmt {
	call, ok := n.Call.X.(*ast.Call)
	if !ok {
		at := n.Call.X.Span()
		b.rep.Errorf(diag.Syntax, b.span(at.Start, at.End), "`run` needs a kernel with its arguments").Hint("write `run kernel(A, B, C)`")
		return &ast.BadStmt{Place: place(n.Tokens)}
	}
	return &ast.Run{Place: place(n.Tokens), Call: call}
}

func (b *builder) callStmt(n *callStmt) ast.Stmt {
	call, ok := n.Call.X.(*ast.Call)
	switch {
	case !ok:
		at := n.Call.X.Span()
		b.rep.Errorf(diag.Syntax, b.span(at.Start, at.End), "an expression alone does nothing").Hint("assign it: `x = …`")
		return &ast.BadStmt{Place: place(n.Tokens)}
	case call.Fun.Name == "print":
		return &ast.Print{Place: place(n.Tokens), Args: call.Args}
	}
	return &ast.CallStmt{Place: place(n.Tokens), Call: call}
}
