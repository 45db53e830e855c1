package ir

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tilec/ir/layout"
	"tilec/runtime/array"
)

// randomFunc draws functions that use every field of every structure; they are
// well scoped but need not make sense.
type randomFunc struct {
	*rapid.T
	vars []*Var
	bufs []*Buffer
	fuel int
}

func (r *randomFunc) int(label string, lo, hi int) int {
	return rapid.IntRange(lo, hi).Draw(r.T, label)
}

func (r *randomFunc) flag(label string) bool { return rapid.Bool().Draw(r.T, label) }

func (r *randomFunc) name() string {
	return rapid.SampledFrom([]string{"x", "y", "in", "guard", "where", "f32", "layout", "true", "a b", "", "x.1", "é"}).Draw(r.T, "name")
}

func (r *randomFunc) dtype() DType { return rapid.SampledFrom(array.DTypes()).Draw(r.T, "dtype") }

func (r *randomFunc) newVar(kind VarKind) *Var {
	v := &Var{Name: r.name(), Type: Index, Kind: kind}
	if r.flag("typed") {
		v.Type = r.dtype()
	}
	return v
}

func (r *randomFunc) expr(depth int) *Expr {
	op := ExprOp(r.int("expr", int(Const), int(numExprOps)-1))
	if depth == 0 && op.Info().Arity > 0 {
		op = Const
	}
	switch op {
	case Ref:
		if len(r.vars) > 0 {
			return RefTo(rapid.SampledFrom(r.vars).Draw(r.T, "var"))
		}
	case Load:
		if a := r.access(depth); a != nil {
			return LoadAt(a)
		}
	case Const:
	default:
		e := &Expr{Op: op}
		for range op.Info().Arity {
			e.Args = append(e.Args, r.expr(depth-1))
		}
		switch {
		case op == Cast || op == Bitcast:
			e.Type = r.dtype()
		case op.Info().Flags&Compares != 0:
			e.Type = array.Bool
		case op == Select:
			e.Type = e.Args[1].Type
		case op == Rand:
			e.Type = array.F32
		default:
			e.Type = e.Args[0].Type
		}
		return e
	}
	switch t := r.dtype(); {
	case t.IsFloat():
		return FloatOf(t, rapid.Float64().Draw(r.T, "float"))
	case t == array.Bool:
		return BoolOf(r.flag("bool"))
	default:
		return IntOf(t, array.WrapInt(t, rapid.Int64().Draw(r.T, "int")))
	}
}

func (r *randomFunc) access(depth int) *Access {
	if len(r.bufs) == 0 || depth == 0 {
		return nil
	}
	a := &Access{Buf: rapid.SampledFrom(r.bufs).Draw(r.T, "buffer")}
	for range a.Buf.Shape {
		a.Index = append(a.Index, r.expr(depth-1))
	}
	if r.flag("guard") {
		a.Guard = r.expr(depth - 1)
	}
	if r.flag("else") {
		a.Else = r.expr(depth - 1)
	}
	return a
}

func (r *randomFunc) buffer(kind BufferKind) *Buffer {
	b := &Buffer{Name: r.name(), Elem: r.dtype(), Kind: kind}
	for range r.int("rank", 0, 3) {
		b.Shape = append(b.Shape, r.expr(1))
	}
	b.Space = Space(r.int("space", 0, int(numSpaces)-1))
	b.Pinned, b.Temp = r.flag("pinned"), r.flag("temp")
	b.Offset = int64(r.int("offset", 0, 99))
	b.Layout = r.layout()
	return b
}

func (r *randomFunc) layout() *layout.Layout {
	shape := []int{r.int("rows", 1, 8), r.int("columns", 1, 64)}[:r.int("rank", 0, 2)]
	switch r.int("layout", 0, 4) {
	case 0:
		return layout.Blocked(shape, [][]int{{}, {0}, {1, 0}}[len(shape)], 2, 4)
	case 1:
		return layout.Shared([]int{4, 8, 32}[2-len(shape):], 8, layout.Swizzle{Bits: 2})
	case 2:
		return layout.Replicated(shape, 2)
	}
	return nil
}

func (r *randomFunc) iters(kind VarKind) []Iter {
	var its []Iter
	for range r.int("iters", 0, 2) {
		its = append(its, Iter{Var: r.newVar(kind), Extent: r.expr(1)})
	}
	for _, it := range its {
		r.vars = append(r.vars, it.Var)
	}
	return its
}

func (r *randomFunc) block() *Block {
	vars, bufs := len(r.vars), len(r.bufs)
	b := &Block{}
	for range r.int("ops", 0, 4) {
		if r.fuel--; r.fuel < 0 {
			break
		}
		if op := r.op(); op != nil {
			b.Ops = append(b.Ops, op)
		}
	}
	r.vars, r.bufs = r.vars[:vars], r.bufs[:bufs]
	return b
}

func (r *randomFunc) op() *Op {
	op := &Op{Code: Opcode(r.int("op", 1, int(numOps)-1))}
	info := op.Code.Info()
	has := func(f Fields) bool { return info.Fields&f != 0 }
	vars := len(r.vars)
	if has(HasPipe) {
		op.Pipe = Pipe(r.int("pipe", 1, int(numPipes)-1))
	}
	if has(HasTo) {
		op.To = Pipe(r.int("to", 1, int(numPipes)-1))
	}
	if has(HasDom) {
		op.Dom = r.iters(IterVar)
	}
	if has(HasRed) {
		op.Red = r.iters(IterVar)
	}
	if has(HasDst) {
		if op.Dst = r.access(2); op.Dst == nil {
			r.vars = r.vars[:vars]
			return nil
		}
	}
	for range info.Src {
		op.Src = append(op.Src, r.access(2))
	}
	operands := info.X
	if operands < 0 {
		operands = r.int("operands", 0, 3)
	}
	for range operands {
		op.X = append(op.X, r.expr(3))
	}
	if has(HasWhere) && r.flag("where") {
		op.Where = r.expr(2)
	}
	if has(HasCombine) {
		op.Combine = Combine(r.int("combine", 1, int(numCombines)-1))
	}
	for range map[bool]int{true: r.int("texts", 0, 2)}[has(HasText)] {
		op.Text = append(op.Text, rapid.String().Draw(r.T, "text"))
	}
	if has(HasN) {
		op.N = r.int("n", 0, 3)
	}
	r.vars = r.vars[:vars]
	switch op.Code {
	case OpScan:
		op.Axis = r.int("axis", 0, 1)
	case OpReduce:
		if r.flag("scratch") {
			op.Scratch = r.buffer(Tile)
		}
		op.Accumulate = r.flag("accumulate")
	case OpCopy:
		op.Async = r.flag("async")
	case OpContract:
		op.Atom = r.name()
	case OpFor:
		op.Loop, op.Stages = LoopKind(r.int("loop", 0, 2)), r.int("stages", 0, 3)
	case OpAlloc:
		op.Buf = r.buffer(rapid.SampledFrom([]BufferKind{Tile, Temporary}).Draw(r.T, "kind"))
		r.bufs = append(r.bufs, op.Buf)
	}
	op.Layout = r.layout()
	op.Note = rapid.SampledFrom([]string{"", "", "kept", "two\nlines // more"}).Draw(r.T, "note")
	var defines *Var
	switch {
	case op.Code == OpAssign:
		if len(r.vars) == 0 {
			return nil
		}
		op.Var = rapid.SampledFrom(r.vars).Draw(r.T, "assigned")
	case op.Code == OpAtomic && r.flag("old is dropped"):
	case has(HasVar):
		op.Var = r.newVar(map[Opcode]VarKind{OpLet: LetVar, OpVar: MutVar, OpFor: LoopVar, OpAtomic: LetVar, OpCores: LetVar}[op.Code])
		defines = op.Var
	}
	if defines != nil {
		r.vars = append(r.vars, defines)
	}
	if has(HasBody) {
		op.Body = r.block()
	}
	if has(HasElse) && r.flag("else") {
		op.Else = r.block()
	}
	if op.Code == OpFor || op.Code == OpCores {
		r.vars = r.vars[:vars]
	}
	return op
}

func (r *randomFunc) draw() *Func {
	r.fuel = 12
	f := &Func{Name: r.name(), Form: Form(r.int("form", int(SpecForm), int(numForms)-1)), Doc: rapid.String().Draw(r.T, "doc")}
	for range r.int("dims", 0, 2) {
		f.Dims = append(f.Dims, Dim{Var: r.newVar(DimVar)})
		r.vars = append(r.vars, f.Dims[len(f.Dims)-1].Var)
	}
	for range r.int("params", 0, 3) {
		if r.flag("scalar") {
			v := r.newVar(ParamVar)
			f.Params = append(f.Params, Param{Scalar: v})
			r.vars = append(r.vars, v)
			continue
		}
		b := r.buffer(rapid.SampledFrom([]BufferKind{In, Out, InOut}).Draw(r.T, "kind"))
		if r.flag("strided") {
			for range b.Shape {
				b.Strides = append(b.Strides, r.newVar(DimVar))
			}
			r.vars = append(r.vars, b.Strides...)
		}
		r.bufs = append(r.bufs, b)
		f.Params = append(f.Params, Param{Tensor: b})
	}
	for i := range f.Dims {
		if ts := f.Tensors(); len(ts) > 0 {
			f.Dims[i].From, f.Dims[i].Axis = rapid.SampledFrom(ts).Draw(r.T, "from"), r.int("axis", 0, 2)
		}
	}
	if r.flag("require") {
		f.Requires = append(f.Requires, Require{Cond: r.expr(2), Text: "why"})
	}
	if r.flag("config") {
		f.Config = append(f.Config, Binding{Name: r.name(), Value: r.name(), Tune: r.flag("tune")})
	}
	if r.flag("assume") {
		f.Assumes = append(f.Assumes, Assumption{Multiple: r.expr(1), Of: 8})
		if ts := f.Tensors(); len(ts) > 0 {
			f.Assumes = append(f.Assumes, Assumption{Tensor: ts[0], Bytes: 16})
		}
	}
	f.Machine, f.Warps, f.SharedBytes = r.name(), r.int("warps", 0, 4), int64(r.int("shared", 0, 999))
	f.AllowTF32, f.Persistent, f.Panel = r.flag("tf32"), r.flag("persistent"), r.int("panel", 0, 8)
	f.Grid = r.iters(GridVar)
	f.Body = r.block()
	return f
}

func TestTextRoundTripsOnRandomFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &randomFunc{T: t}
		f := r.draw()
		text := Print(f)
		g, err := Parse("random", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(text, Print(g)); diff != "" {
			t.Fatalf("parsed function prints otherwise (-original +parsed):\n%s", diff)
		}
		if diff := cmp.Diff(text, Print(Clone(f))); diff != "" {
			t.Fatalf("clone prints otherwise (-original +clone):\n%s", diff)
		}
		if err := sameKinds(f, g); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// sameKinds compares what the text form leaves to the parser: the kinds and
// types of variables.
func sameKinds(f, g *Func) error {
	list := func(f *Func) (kinds []string) {
		f.Body.Walk(func(op *Op) {
			for _, it := range op.Iters() {
				kinds = append(kinds, fmt.Sprint(it.Var.Kind, it.Var.Type))
			}
			if op.Var != nil && op.Code != OpAssign {
				kinds = append(kinds, fmt.Sprint(op.Var.Kind, op.Var.Type))
			}
			op.Exprs(func(e *Expr) bool {
				kinds = append(kinds, fmt.Sprint(e.Op, e.Type))
				return true
			})
		})
		return kinds
	}
	if diff := cmp.Diff(list(f), list(g)); diff != "" {
		return fmt.Errorf("kinds differ: %s", diff)
	}
	return nil
}
