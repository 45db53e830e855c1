package types

import (
	"sync/atomic"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// Parse turns a text into a syntax tree and reports what is wrong with it; it never returns nil.
type Parse func(file *diag.File, rep *diag.Reporter) *ast.File

// Program is a file and all that it imports.
type Program struct {
	Root  *Unit
	Units []*Unit // every unit once, imported ones before their importers
	// Kernels and Tests are those of the root file, in source order.
	Kernels []*Kernel
	Tests   []*ast.Test
	// checked are the instances that the last Check made.
	checked atomic.Pointer[checked]
}

// Unit is one file of a program, with its scope.
type Unit struct {
	Path string
	File *ast.File
	// scope has the unit's own items and those that it imports.
	scope *scope
	// own are the items declared here, in source order.
	own []Object
}

// Kernel returns the kernel of that name in the root file's scope, imported ones included, or nil.
func (p *Program) Kernel(name string) *Kernel {
	k, _ := p.Root.scope.names[name].(*Kernel)
	return k
}
