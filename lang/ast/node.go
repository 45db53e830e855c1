package ast

import "tilec/internal/diag"

// Node is any node of the tree.
type Node interface {
	Span() diag.Span
	place() *Place
}

// Place is embedded in every node and says where it stands in the source.
type Place struct{ At diag.Span }

// Span returns the place of the node.
func (p *Place) Span() diag.Span { return p.At }

func (p *Place) place() *Place { return p }

// SetFile sets the file of every span below (and at) a node. The parser works with bare offsets and calls this once.
func SetFile(root Node, file *diag.File) {
	Inspect(root, func(n Node) bool {
		n.place().At.File = file
		return true
	})
}

// Decl is an item of a file: [*Import], [*Const], [*Fn], [*Kernel], [*Op], [*Test].
type Decl interface {
	Node
	decl()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// SetSpan moves the span of a node to the given byte offsets of the same file.
func SetSpan(n Node, start, end int) {
	p := n.place()
	p.At.Start, p.At.End = start, end
}
