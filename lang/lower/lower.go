package lower

import (
	"fmt"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// Kernel returns the tile form of an instance's grid. It is false where
// something could not be lowered, which has then been reported.
func Kernel(inst *types.Instance, rep *diag.Reporter) (*ir.Func, bool) {
	l := newLowerer(inst, rep, ir.TileForm)
	decl := inst.Kernel.Decl
	l.prologue()
	for _, g := range inst.Grid {
		v := l.defineVar(g.Var, ir.GridVar)
		count := l.expr(g.Count, ir.Index)
		l.facts.index(v, count)
		l.fn.Grid = append(l.fn.Grid, ir.Iter{Var: v, Extent: count})
	}
	l.fn.Persistent = inst.Persistent
	l.fn.Panel = inst.Panel
	l.fn.AllowTF32 = inst.AllowTF32
	l.fn.Body = l.block(func() { l.stmts(decl.Grid.Body.Stmts) })
	return l.fn, !l.failed
}

// Spec returns the spec form of an instance's spec, with the same parameters as
// its kernel; the elements of the out tensors that it assigns are what the
// kernel is to compute. It is false where the kernel has no spec, or where
// something could not be lowered, which has then been reported.
func Spec(inst *types.Instance, rep *diag.Reporter) (*ir.Func, bool) {
	decl := inst.Kernel.Decl
	if inst.Spec == nil || decl.Spec == nil {
		return nil, false
	}
	l := newLowerer(inst, rep, ir.SpecForm)
	l.prologue()
	l.frame = &frame{info: inst.Spec, outer: l.frame}
	l.fn.Span = decl.Spec.Span()
	l.fn.Body = l.block(func() { l.stmts(decl.Spec.Body.Stmts) })
	return l.fn, !l.failed
}

// lowerer builds one function.
type lowerer struct {
	inst  *types.Instance
	rep   *diag.Reporter
	fn    *ir.Func
	spec  bool
	names names
	facts *facts
	frame *frame
	out   *ir.Block // where operations go
	// iters is the iteration space of the expression being lowered: the free
	// indices of the statement, then the indices of the reductions around it.
	iters []ir.Iter
	// path holds the conditions under which the expression is evaluated.
	path []*ir.Expr
	// edge is the `else` value of the statement, nil where it has none.
	edge   ast.Expr
	failed bool
}

func newLowerer(inst *types.Instance, rep *diag.Reporter, form ir.Form) *lowerer {
	decl := inst.Kernel.Decl
	return &lowerer{
		inst:  inst,
		rep:   rep,
		spec:  form == ir.SpecForm,
		names: names{},
		facts: newFacts(),
		frame: &frame{info: inst.Body},
		fn: &ir.Func{
			Name: decl.Name.Name,
			Doc:  decl.Doc,
			Form: form,
			Span: decl.Name.Span(),
		},
	}
}

// unsupported reports something that the language has and the compiler has not.
func (l *lowerer) unsupported(span diag.Span, format string, args ...any) {
	l.failed = true
	l.rep.Errorf(diag.NotSupported, span, "%s is not supported yet", fmt.Sprintf(format, args...))
}

// bug reports a program that the checker should have refused, so that no wrong
// code can come of it. After an error it would only be an echo.
func (l *lowerer) bug(span diag.Span, format string, args ...any) {
	if l.failed {
		return
	}
	l.failed = true
	l.rep.Errorf("", span, "internal error in lowering: %s", fmt.Sprintf(format, args...))
}

// emit appends an operation.
func (l *lowerer) emit(op *ir.Op) *ir.Op {
	l.out.Ops = append(l.out.Ops, op)
	return op
}

// block collects what f emits.
func (l *lowerer) block(f func()) *ir.Block {
	saved := l.out
	b := &ir.Block{}
	l.out = b
	f()
	l.out = saved
	return b
}

// number is the type in which values of element type t are held and stored in
// this form of function.
func (l *lowerer) number(t ir.DType) ir.DType {
	switch {
	case !l.spec || t == array.Bool || t == array.Invalid || t == array.U64:
		return t
	case t.IsFloat():
		return array.F64
	}
	return array.I64
}

// stored is the type of the values that are written into b: that of its
// elements, but a spec writes floats as they are.
func (l *lowerer) stored(b *ir.Buffer) ir.DType {
	if l.spec && b.Elem.IsFloat() {
		return array.F64
	}
	return b.Elem
}

// arithmetic is the type in which values of type t are computed.
func arithmetic(t ir.DType) ir.DType {
	if t.IsFloat() && t != array.F64 {
		return array.F32
	}
	return t
}
