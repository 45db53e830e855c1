package ast

// Visitor is called by [Walk] for each node; the visitor it returns is used for the children, nil skips them.
type Visitor interface{ Visit(Node) Visitor }

// Walk visits a tree in source order, parents before children. A nil root is ignored.
func Walk(v Visitor, n Node) {
	var l childList
	l.walk(v, n)
}

// walk is Walk with the list as the stack of those to visit.
func (l *childList) walk(v Visitor, n Node) {
	if n == nil {
		return
	}
	if v = v.Visit(n); v == nil {
		return
	}
	start := len(*l)
	l.children(n)
	for i, end := start, len(*l); i < end; i++ {
		l.walk(v, (*l)[i])
	}
	*l = (*l)[:start]
}

type inspector func(Node) bool

func (f inspector) Visit(n Node) Visitor {
	if f(n) {
		return f
	}
	return nil
}

// Inspect calls f for each node in source order, parents before children; where f returns false the children are skipped.
func Inspect(n Node, f func(Node) bool) { Walk(inspector(f), n) }

// childList gathers children, leaving out those that are absent.
type childList []Node

func (l *childList) ident(n *Ident) {
	if n != nil {
		*l = append(*l, n)
	}
}

func (l *childList) str(n *String) {
	if n != nil {
		*l = append(*l, n)
	}
}

func (l *childList) typ(n *Type) {
	if n != nil {
		*l = append(*l, n)
	}
}

func (l *childList) block(n *Block) {
	if n != nil {
		*l = append(*l, n)
	}
}

func (l *childList) call(n *Call) {
	if n != nil {
		*l = append(*l, n)
	}
}

func (l *childList) spec(n *Spec) {
	if n != nil {
		*l = append(*l, n)
	}
}

func (l *childList) expr(ns ...Expr) {
	for _, n := range ns {
		if n != nil {
			*l = append(*l, n)
		}
	}
}

func (l *childList) suffix(s Suffix) {
	l.expr(s.Else, s.Where)
	addAll(l, s.Over)
}

func addAll[N Node](l *childList, ns []N) {
	for _, n := range ns {
		*l = append(*l, n)
	}
}

// Children returns the direct children of a node in source order; comments are not children.
func Children(n Node) []Node {
	var l childList
	l.children(n)
	return l
}

func (l *childList) children(n Node) {
	switch n := n.(type) {
	case Decl:
		l.declChildren(n)
	case Expr:
		l.exprChildren(n)
	case Stmt:
		l.stmtChildren(n)
	default:
		l.partChildren(n)
	}
}

func (l *childList) declChildren(n Decl) {
	switch n := n.(type) {
	case *Import:
		l.str(n.Path)
	case *Const:
		l.ident(n.Name)
		l.expr(n.Value)
	case *Fn:
		l.ident(n.Name)
		addAll(l, n.Generics)
		addAll(l, n.Params)
		l.typ(n.Result)
		l.block(n.Body)
	case *Kernel:
		addAll(l, n.Attrs)
		l.ident(n.Name)
		addAll(l, n.Generics)
		addAll(l, n.Params)
		addAll(l, n.Prologue)
		if n.Grid != nil {
			*l = append(*l, n.Grid)
		}
		l.spec(n.Spec)
	case *Op:
		l.ident(n.Name)
		addAll(l, n.Generics)
		addAll(l, n.Params)
		l.block(n.Body)
		l.spec(n.Spec)
	case *Test:
		l.str(n.Title)
		l.ident(n.Kernel)
		addAll(l, n.Bindings)
	}
}

// partChildren covers the nodes that are neither declaration, statement nor expression.
func (l *childList) partChildren(n Node) {
	switch n := n.(type) {
	case *File:
		addAll(l, n.Decls)
	case *Attr:
		l.ident(n.Name)
		l.expr(n.Args...)
	case *Generic:
		l.ident(n.Name)
		l.ident(n.Kind)
		l.expr(n.In...)
		l.expr(n.Default)
	case *Param:
		l.ident(n.Name)
		l.typ(n.Type)
	case *Type:
		l.ident(n.Elem)
		l.expr(n.Dims...)
	case *TuneOn:
		l.ident(n.Target)
		l.expr(n.Candidates...)
	case *Grid:
		addAll(l, n.Iters)
		l.call(n.Order)
		l.block(n.Body)
	case *Spec:
		l.block(n.Body)
	case *Binding:
		l.ident(n.Name)
		l.expr(n.Value)
	case *IndexVar:
		l.ident(n.Name)
		l.expr(n.Extent)
	}
}

func (l *childList) stmtChildren(n Stmt) {
	switch n := n.(type) {
	case *Block:
		addAll(l, n.Stmts)
	case *Let:
		addAll(l, n.Names)
		l.expr(n.Value)
	case *LetTile:
		l.ident(n.Name)
		addAll(l, n.Indices)
		l.expr(n.Value)
		l.suffix(n.Suffix)
	case *Var:
		l.ident(n.Name)
		l.typ(n.Type)
		l.expr(n.Value)
	case *TileDecl:
		l.ident(n.Name)
		l.typ(n.Type)
		l.ident(n.Space)
		l.expr(n.Init)
	case *Copy:
		l.expr(n.Src, n.Dst, n.Else)
	case *Gemm:
		l.expr(n.A, n.B, n.Acc)
	case *Fill:
		l.expr(n.Dst, n.Value)
	case *For:
		l.ident(n.Name)
		l.expr(n.Lo, n.Hi, n.Step)
		l.block(n.Body)
	case *Pipeline:
		l.ident(n.Name)
		l.expr(n.Lo, n.Hi, n.Step, n.Stages)
		l.block(n.Body)
	case *While:
		l.expr(n.Cond)
		l.block(n.Body)
	case *If:
		l.expr(n.Cond)
		l.block(n.Then)
		if n.Else != nil {
			*l = append(*l, n.Else)
		}
	case *Assign:
		l.expr(n.LHS, n.Value)
		l.suffix(n.Suffix)
	case *CallStmt:
		l.call(n.Call)
	case *Print:
		l.expr(n.Args...)
	case *Assert:
		l.expr(n.Cond)
		l.str(n.Message)
	case *Return:
		l.expr(n.Value)
	case *Signal:
		l.expr(n.Flag, n.To, n.Add)
	case *Wait:
		l.expr(n.Flag, n.Value)
	case *Temp:
		l.ident(n.Name)
		l.typ(n.Type)
	case *Run:
		l.call(n.Call)
	case *Tune:
		l.ident(n.Name)
		l.expr(n.Default)
		l.expr(n.Candidates...)
		addAll(l, n.On)
		l.expr(n.Where)
	case *Require:
		l.expr(n.Cond)
		l.str(n.Message)
	}
}

func (l *childList) exprChildren(n Expr) {
	switch n := n.(type) {
	case *Index:
		l.expr(n.X)
		l.expr(n.Args...)
	case *Range:
		l.expr(n.Lo, n.Hi)
	case *Call:
		l.ident(n.Fun)
		l.expr(n.Args...)
	case *Reduce:
		l.ident(n.Op)
		addAll(l, n.Over)
		l.expr(n.Body)
	case *Cond:
		l.expr(n.If, n.Then, n.Else)
	case *Unary:
		l.expr(n.X)
	case *Binary:
		l.expr(n.X, n.Y)
	case *Atomic:
		l.expr(n.LHS, n.Value)
	}
}
