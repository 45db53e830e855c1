package ir

import "tilec/internal/diag"

// Form is how far a function has been lowered.
type Form uint8

// Forms, in order.
const (
	InvalidForm   Form = iota
	SpecForm           // whole tensors of dynamic shape, in f64: what a spec means
	TileForm           // what is computed on which tiles
	PlacedForm         // where tiles live, in which layout, on which atoms
	ScheduledForm      // when: asynchronous copies, waits, barriers
	numForms
)

var formNames = [numForms]string{"invalid", "spec", "tile", "placed", "scheduled"}

// String returns the form's name.
func (f Form) String() string { return formNames[f] }

// Func is one kernel, its generics and tunes bound, or one spec.
type Func struct {
	Name string
	Doc  string
	Form Form
	// Machine is the name of the description in ir/machine that the function
	// has been lowered for; empty in tile form.
	Machine string
	// Params are the parameters in the order of the program.
	Params []Param
	// Dims are the dimensions in the order in which they are first bound.
	Dims []Dim
	// Requires are the launcher's conditions over dimensions and scalars.
	Requires []Require
	// Config records the generics and tunes that were bound, in source order.
	Config []Binding
	// Grid is the grid's indices, fastest first, with their counts.
	Grid []Iter
	// Persistent asks for one instance a core, looping over the grid.
	Persistent bool
	// Panel, above 0, visits the grid in panels of that many rows of the
	// second index.
	Panel int
	Body  *Block
	// Warps is the CTA's size in warps, once placed.
	Warps int
	// SharedBytes is the shared memory planned for, once placed.
	SharedBytes int64
	// Assumes are facts that the launcher checks before it may launch this
	// variant; the variant without any is the fallback.
	Assumes []Assumption
	// AllowTF32 lets f32 contractions round their operands to TF32.
	AllowTF32 bool
	Span      diag.Span
}

// Param is a tensor or a scalar parameter; one of the two is set.
type Param struct {
	Tensor *Buffer
	Scalar *Var
}

// Dim is a dimension and the tensor axis that binds it.
type Dim struct {
	Var  *Var
	From *Buffer
	Axis int
}

// Require is a condition that the launcher checks, with its message.
type Require struct {
	Cond *Expr
	Text string
	Span diag.Span
}

// Binding is a generic or tune and its value in text (`BM` = `128`, `T` = `f16`).
type Binding struct {
	Name, Value string
	// Tune marks a tunable rather than a generic.
	Tune bool
}

// Assumption is a fact about the arguments of a launch.
type Assumption struct {
	// Tensor, when set: its address is a multiple of Bytes.
	Tensor *Buffer
	Bytes  int64
	// Multiple, when set: the expression (over dimensions) is a multiple of Of.
	Multiple *Expr
	Of       int64
}

// Tensors returns the tensor parameters in order.
func (f *Func) Tensors() []*Buffer {
	var ts []*Buffer
	for _, p := range f.Params {
		if p.Tensor != nil {
			ts = append(ts, p.Tensor)
		}
	}
	return ts
}
