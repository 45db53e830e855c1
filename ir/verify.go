package ir

import (
	"fmt"
	"strings"

	"tilec/internal/diag"
	"tilec/runtime/array"
)

// Problem is one thing that Verify found wrong.
type Problem struct {
	Span diag.Span
	// Where is the operation or declaration in text form.
	Where string
	Text  string
}

// String returns the problem with its place.
func (p Problem) String() string {
	s := p.Text
	if p.Where != "" {
		s += "\n\tin " + p.Where
	}
	if p.Span.IsValid() {
		s = p.Span.String() + ": " + s
	}
	return s
}

// Malformed is the error of Verify: all problems in program order.
type Malformed struct {
	Func     string
	Problems []Problem
}

// Error lists the problems, one below the other.
func (m *Malformed) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is malformed", m.Func)
	for _, p := range m.Problems {
		b.WriteString("\n")
		b.WriteString(p.String())
	}
	return b.String()
}

// Verify checks a function against the table of operations, the typing rules of
// expressions, the scopes of scalars and buffers, and the rules of its form. The
// error, if any, is a *Malformed.
func Verify(f *Func) error {
	v := &verifier{f: f, vars: map[*Var]bool{}, bufs: map[*Buffer]bool{}, defined: map[any]bool{}, extents: map[*Var]*Expr{}}
	v.function()
	if len(v.problems) == 0 {
		v.flow()
	}
	if len(v.problems) == 0 {
		return nil
	}
	return &Malformed{Func: f.Name, Problems: v.problems}
}

type verifier struct {
	f        *Func
	problems []Problem
	op       *Op // being checked
	where    string
	span     diag.Span
	vars     map[*Var]bool
	bufs     map[*Buffer]bool
	defined  map[any]bool   // ever, to find second definitions
	extents  map[*Var]*Expr // of the iteration variables in scope
	// under are the conditions that hold where an expression is evaluated.
	under []*Expr
	undo  []func()
}

func (v *verifier) errorf(format string, args ...any) {
	p := Problem{Span: v.span, Where: v.where, Text: fmt.Sprintf(format, args...)}
	if v.op != nil {
		p.Span, p.Where = v.op.Span, v.op.Header()
	}
	v.problems = append(v.problems, p)
}

// in names what is checked outside operations.
func (v *verifier) in(where string, span diag.Span) { v.where, v.span = where, span }

// scope runs check; what it declares is out of scope afterwards.
func (v *verifier) scope(check func()) {
	mark := len(v.undo)
	check()
	for len(v.undo) > mark {
		v.undo[len(v.undo)-1]()
		v.undo = v.undo[:len(v.undo)-1]
	}
}

// declare brings a scalar of one of the given kinds into scope.
func (v *verifier) declare(x *Var, kinds ...VarKind) {
	if x == nil {
		v.errorf("a scalar is missing where one is defined")
		return
	}
	ok := false
	for _, k := range kinds {
		ok = ok || x.Kind == k
	}
	if !ok {
		v.errorf("scalar %s is of the wrong kind (%d) for its definition", x.Name, x.Kind)
	}
	if x.Type == array.Invalid {
		v.errorf("scalar %s has no type", x.Name)
	}
	if x.Kind != IterVar {
		if v.defined[x] {
			v.errorf("scalar %s is defined twice", x.Name)
		}
		v.defined[x] = true
	}
	if v.vars[x] {
		return
	}
	v.vars[x] = true
	v.undo = append(v.undo, func() { delete(v.vars, x) })
}

func (v *verifier) declareBuffer(b *Buffer) {
	if v.defined[b] {
		v.errorf("buffer %s is declared twice", b.Name)
	}
	v.defined[b] = true
	v.bufs[b] = true
	v.undo = append(v.undo, func() { delete(v.bufs, b) })
}

func (v *verifier) function() {
	f := v.f
	v.in("func "+f.Name, f.Span)
	if f.Form <= InvalidForm || f.Form >= numForms {
		v.errorf("form %d is none", f.Form)
		return
	}
	v.params()
	for _, r := range f.Requires {
		v.in("require "+r.Cond.String(), r.Span)
		v.typed(r.Cond, array.Bool, "the condition")
	}
	v.assumptions()
	v.in("grid", f.Span)
	if f.Form == SpecForm && len(f.Grid) > 0 {
		v.errorf("a spec has no grid")
	}
	for _, it := range f.Grid {
		v.integer(it.Extent, "the count of a grid index")
	}
	for _, it := range f.Grid {
		v.declare(it.Var, GridVar)
		v.index(it.Var)
	}
	if f.Body == nil {
		v.errorf("there is no body")
		return
	}
	v.block(f.Body)
}

func (v *verifier) params() {
	for _, d := range v.f.Dims {
		v.declare(d.Var, DimVar)
		v.index(d.Var)
	}
	for _, p := range v.f.Params {
		if b := p.Tensor; b != nil {
			for _, s := range b.Strides {
				v.in("param "+b.Name, b.Span)
				v.declare(s, DimVar)
			}
		}
	}
	for _, p := range v.f.Params {
		if (p.Tensor == nil) == (p.Scalar == nil) {
			v.in("func "+v.f.Name, v.f.Span)
			v.errorf("a parameter is not one of tensor and scalar")
			continue
		}
		if p.Scalar != nil {
			v.in("param "+p.Scalar.Name, p.Scalar.Span)
			v.declare(p.Scalar, ParamVar)
			continue
		}
		b := p.Tensor
		v.in("param "+b.Name, b.Span)
		v.declareBuffer(b)
		v.buffer(b)
		if !b.Kind.IsTensor() {
			v.errorf("parameter %s is a buffer of kind %d, not a tensor", b.Name, b.Kind)
		}
		if len(b.Strides) > 0 && len(b.Strides) != len(b.Shape) {
			v.errorf("tensor %s has %d strides for %d dimensions", b.Name, len(b.Strides), len(b.Shape))
		}
		if b.Space != Unplaced && b.Space != Global {
			v.errorf("tensor %s is in %s, not in global memory", b.Name, b.Space)
		}
	}
	for _, d := range v.f.Dims {
		v.in("dim "+d.Var.Name, d.Var.Span)
		switch {
		case d.From == nil:
		case !v.bufs[d.From]:
			v.errorf("dimension %s is bound by a tensor that is no parameter", d.Var.Name)
		case d.Axis < 0 || d.Axis >= len(d.From.Shape):
			v.errorf("dimension %s is bound by axis %d of tensor %s, which has %d", d.Var.Name, d.Axis, d.From.Name, len(d.From.Shape))
		}
	}
}

func (v *verifier) assumptions() {
	for _, a := range v.f.Assumes {
		v.in("assume", v.f.Span)
		if a.Tensor != nil && (!v.bufs[a.Tensor] || a.Bytes < 1) {
			v.errorf("alignment to %d bytes of %s, which must be a parameter", a.Bytes, a.Tensor.Name)
		}
		if a.Multiple != nil {
			v.integer(a.Multiple, "an expression assumed to be a multiple")
			if a.Of < 1 {
				v.errorf("multiple of %d", a.Of)
			}
		}
	}
}

// buffer checks a declaration.
func (v *verifier) buffer(b *Buffer) {
	if b.Elem == array.Invalid {
		v.errorf("buffer %s has no element type", b.Name)
	}
	for _, x := range b.Shape {
		v.integer(x, "an extent of "+b.Name)
		if b.Kind == Tile && x != nil && (!x.IsConst() || x.Int < 1) {
			v.errorf("tile %s has the extent %s, which is no positive constant", b.Name, x)
			return
		}
	}
	if b.Space >= numSpaces {
		v.errorf("buffer %s is in no space", b.Name)
	}
	v.bufferLayout(b)
}

// index checks the type of an index variable.
func (v *verifier) index(x *Var) {
	if x != nil && !x.Type.IsInt() {
		v.errorf("index %s is of type %s, not an integer", x.Name, x.Type)
	}
}

func (v *verifier) block(b *Block) {
	if b == nil {
		v.errorf("a block is missing")
		return
	}
	v.scope(func() {
		for _, op := range b.Ops {
			outer := v.op
			v.op = op
			v.operation(op)
			v.op = outer
		}
	})
}
