package format

import (
	"tilec/lang/ast"
)

// roles asks the tree what each token is for.
func (l *layout) roles(tree *ast.File) {
	for _, d := range tree.Decls {
		l.stmts[d.Span().Start] = 0
		end := d.Span().End
		switch d := d.(type) {
		case *ast.Fn:
			l.block(d.Body.Span().Start, end, nodes(d.Body.Stmts), 0)
		case *ast.Kernel:
			l.kernelWord(d)
			parts := nodes(d.Prologue)
			parts = append(parts, d.Grid)
			if d.Spec != nil {
				parts = append(parts, d.Spec)
			}
			l.block(l.opener(end), end, parts, 0)
		case *ast.Op:
			parts := nodes(d.Body.Stmts)
			if d.Spec != nil {
				parts = append(parts, d.Spec)
			}
			l.block(d.Body.Span().Start, end, parts, 0)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		l.tokens(n)
		return true
	})
}

// kernelWord lets the line of the kernel itself start below its attributes, where the author broke the line.
func (l *layout) kernelWord(k *ast.Kernel) {
	for _, a := range k.Attrs {
		if p := l.after(a.Span().End); p.Pos.Line > l.line(a.Span().Start) {
			l.stmts[p.Pos.Offset] = 0
		}
	}
}

func nodes[N ast.Node](ns []N) []ast.Node {
	out := make([]ast.Node, len(ns))
	for i, n := range ns {
		out[i] = n
	}
	return out
}

// opener finds the brace that the one just before an offset closes.
func (l *layout) opener(end int) int {
	depth := 0
	for i := l.at[end-1]; ; i-- {
		switch p := &l.pieces[i]; p.Value {
		case "}":
			depth++
		case "{":
			if depth--; depth == 0 {
				return p.Pos.Offset
			}
		}
	}
}

// block lays out `{ … }` from start to end, owned by a statement of the given level.
func (l *layout) block(start, end int, stmts []ast.Node, level int) {
	l.opens[start] = true
	if !l.staysInline(start, end, stmts) {
		l.spread(start, end, stmts, level)
	}
}

// staysInline reports whether a block was written on one line and is simple enough to stay so.
func (l *layout) staysInline(start, end int, stmts []ast.Node) bool {
	return l.line(start) == l.line(end-1) && len(stmts) <= 1 && (len(stmts) == 0 || len(blocksOf(stmts[0])) == 0)
}

func (l *layout) line(offset int) int { return l.pieces[l.at[offset]].Pos.Line }

// spread gives every statement of a block its own line.
func (l *layout) spread(start, end int, stmts []ast.Node, level int) {
	l.closes[end-1] = level
	for _, s := range stmts {
		first := s.Span().Start
		if _, ok := s.(*ast.Tune); ok {
			word := l.previous(l.at[first])
			if word == nil || word.Value != "tune" {
				continue // not the first name of its declaration
			}
			first = word.Pos.Offset
		}
		l.stmts[first] = level + 1
		l.nested(s, level+1)
	}
}

// nested lays out the blocks of a statement; the branches of an `if` are all inline or all spread.
func (l *layout) nested(s ast.Node, level int) {
	blocks := blocksOf(s)
	inline := true
	for _, b := range blocks {
		inline = inline && l.staysInline(b.Span().Start, b.Span().End, nodes(b.Stmts))
	}
	for _, b := range blocks {
		start, end := b.Span().Start, b.Span().End
		l.opens[start] = true
		if !inline {
			l.spread(start, end, nodes(b.Stmts), level)
		}
	}
}

// blocksOf returns the blocks of a statement itself, not those inside them.
func blocksOf(s ast.Node) []*ast.Block {
	switch s := s.(type) {
	case *ast.Grid:
		return []*ast.Block{s.Body}
	case *ast.Spec:
		return []*ast.Block{s.Body}
	case *ast.For:
		return []*ast.Block{s.Body}
	case *ast.Pipeline:
		return []*ast.Block{s.Body}
	case *ast.While:
		return []*ast.Block{s.Body}
	case *ast.If:
		out := []*ast.Block{s.Then}
		switch e := s.Else.(type) {
		case *ast.Block:
			out = append(out, e)
		case *ast.If:
			out = append(out, blocksOf(e)...)
		}
		return out
	}
	return nil
}

// tokens finds the tokens of a node that stick to a neighbour.
func (l *layout) tokens(n ast.Node) {
	switch n := n.(type) {
	case *ast.Fn:
		l.sticks(n.Name.Span().End, "(")
	case *ast.Kernel:
		l.sticks(n.Name.Span().End, "(")
	case *ast.Op:
		l.sticks(n.Name.Span().End, "(")
	case *ast.Attr:
		l.glue[n.Span().Start] = true
		l.sticks(n.Name.Span().End, "(")
	case *ast.Print:
		l.sticks(n.Span().Start+len("print"), "(")
	case *ast.Call:
		l.sticks(n.Fun.Span().End, "(")
	case *ast.Range:
		if p := l.after(n.Lo.Span().End); p != nil && p.Value == ":" {
			l.colons[p.Pos.Offset] = true
		}
	case *ast.Assign:
		l.wordOperator(n.LHS, n.Op)
	case *ast.Atomic:
		l.wordOperator(n.LHS, n.Op)
	case *ast.Gemm:
		l.transposed(n.A, n.TransA)
		l.transposed(n.B, n.TransB)
	case *ast.Unary:
		l.prefix(n)
	case *ast.Binary:
		if n.Op == ast.Mul {
			l.product(n)
		}
	}
}

// sticks marks the token at or behind an offset, if it is the expected one, as sticking to what is before it.
func (l *layout) sticks(offset int, text string) {
	if p := l.after(offset); p != nil && p.Value == text {
		l.tight[p.Pos.Offset] = true
	}
}

// wordOperator makes `max =` into `max=`.
func (l *layout) wordOperator(lhs ast.Expr, op ast.AssignOp) {
	word := l.after(lhs.Span().End)
	if op != ast.Set && word != nil && isName(word.Value) {
		l.sticks(word.end(), "=")
	}
}

func isName(text string) bool { return text[0] >= 'a' && text[0] <= 'z' }

func (l *layout) transposed(operand ast.Expr, yes bool) {
	if p := l.after(operand.Span().End); yes && p != nil {
		l.tight[p.Pos.Offset], l.glue[p.Pos.Offset] = true, true
	}
}

// prefix makes `-` and `~` stick to their operand. The span of the node may start with parentheses.
func (l *layout) prefix(n *ast.Unary) {
	if n.Op == ast.Not {
		return
	}
	p := l.after(n.Span().Start)
	for p != nil && p.Value == "(" {
		p = l.after(p.end())
	}
	if p != nil && p.Value == n.Op.String() {
		l.glue[p.Pos.Offset] = true
	}
}
