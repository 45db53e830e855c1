package lower

import (
	"strconv"

	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// prologue lowers everything before the grid: dimensions, parameters, the
// bindings of the instance, scalars and requirements.
func (l *lowerer) prologue() {
	l.dims()
	l.params()
	l.bindDims()
	l.config()
	for _, s := range l.inst.Kernel.Decl.Prologue {
		switch s := s.(type) {
		case *ast.Let:
			l.prologueLet(s)
		case *ast.Require:
			l.require(s)
		}
	}
}

func (l *lowerer) dims() {
	for _, d := range l.inst.Dims {
		v := l.defineVar(d, ir.DimVar)
		l.facts.within[v] = interval{0, plusInf}
		l.fn.Dims = append(l.fn.Dims, ir.Dim{Var: v, Axis: d.Axis})
	}
}

// bindDims says which tensor binds each dimension, once there are tensors.
func (l *lowerer) bindDims() {
	for i, d := range l.inst.Dims {
		l.fn.Dims[i].From = l.lookupArray(d.Tensor)
	}
}

func (l *lowerer) params() {
	for _, p := range l.inst.Params {
		if p.Scalar != nil {
			v := l.newVar(p.Scalar.Name, p.Scalar.Type.DType(), ir.ParamVar, p.Scalar.Span)
			l.bind(p.Scalar, binding{value: ir.RefTo(v)})
			l.fn.Params = append(l.fn.Params, ir.Param{Scalar: v})
			continue
		}
		l.fn.Params = append(l.fn.Params, ir.Param{Tensor: l.tensor(p.Array)})
	}
}

var tensorKinds = map[types.ArrayKind]ir.BufferKind{types.In: ir.In, types.Out: ir.Out, types.InOut: ir.InOut}

func (l *lowerer) tensor(a *types.Array) *ir.Buffer {
	b := &ir.Buffer{
		Name:  l.names.unique(a.Name),
		Elem:  a.Elem,
		Shape: l.extents(a.Shape),
		Kind:  tensorKinds[a.Kind],
		Space: ir.Global,
		Span:  a.Span,
	}
	if a.Strided {
		for d := range a.Shape {
			v := l.newVar(a.Name+"_stride"+strconv.Itoa(d), ir.Index, ir.DimVar, a.Span)
			b.Strides = append(b.Strides, v)
		}
	}
	l.bindArray(a, b)
	return b
}

// config records the generics and tunables in source order.
func (l *lowerer) config() {
	decl := l.inst.Kernel.Decl
	for _, g := range decl.Generics {
		if v, ok := l.inst.Bindings.Generics[g.Name.Name]; ok {
			l.fn.Config = append(l.fn.Config, ir.Binding{Name: g.Name.Name, Value: v.String()})
		}
	}
	for _, s := range decl.Prologue {
		if t, ok := s.(*ast.Tune); ok {
			if v, ok := l.inst.Bindings.Tunes[t.Name.Name]; ok {
				l.fn.Config = append(l.fn.Config, ir.Binding{Name: t.Name.Name, Value: strconv.FormatInt(v, 10), Tune: true})
			}
		}
	}
}

// maxPrologue bounds the size of the values of prologue lets, which the launcher
// computes wherever they are used.
const maxPrologue = 4096

// prologueLet binds a scalar of the prologue; its value stands wherever it is
// used, the launcher's conditions included.
func (l *lowerer) prologueLet(s *ast.Let) {
	for _, name := range s.Names {
		if v, ok := l.info().Defs[name].(*types.Scalar); ok {
			x := l.expr(s.Value, l.number(v.Type.DType()))
			if size(x, maxPrologue) > maxPrologue {
				l.unsupported(s.Span(), "a let of the prologue that comes to more than %d operations", maxPrologue)
				x = ir.ZeroOf(x.Type)
			}
			l.bind(v, binding{value: x})
		}
	}
}

func (l *lowerer) require(s *ast.Require) {
	cond := l.condition(s.Cond)
	r := ir.Require{Cond: conj(divisors(cond), cond), Span: s.Span()}
	if r.Cond == nil {
		return
	}
	l.facts.require(r.Cond)
	if s.Message != nil {
		r.Text = s.Message.Value
	} else {
		r.Text = s.Cond.Span().Text()
	}
	l.fn.Requires = append(l.fn.Requires, r)
}

// divisors is the condition that no division within e is by zero: a requirement
// that divides by zero is not met.
func divisors(e *ir.Expr) *ir.Expr {
	var cs []*ir.Expr
	e.Walk(func(x *ir.Expr) bool {
		if (x.Op == ir.Div || x.Op == ir.Mod) && x.Type.IsInt() && !x.Args[1].IsConst() {
			cs = append(cs, ir.Bin(ir.Lt, ir.IntOf(x.Type, 0), x.Args[1]))
		}
		return true
	})
	return conj(cs...)
}

func (l *lowerer) extents(shape []types.Extent) []*ir.Expr {
	es := make([]*ir.Expr, len(shape))
	for d, x := range shape {
		es[d] = l.extent(x)
	}
	return es
}

// extent turns a formula into an expression.
func (l *lowerer) extent(x types.Extent) *ir.Expr {
	if n, ok := x.Const(); ok {
		return ir.Int(n)
	}
	var sum *ir.Expr
	for _, t := range x.Terms() {
		product, negative := l.extentTerm(t)
		switch {
		case sum == nil && negative:
			sum = bin(ir.Sub, ir.Int(0), product)
		case sum == nil:
			sum = product
		case negative:
			sum = bin(ir.Sub, sum, product)
		default:
			sum = bin(ir.Add, sum, product)
		}
	}
	if sum == nil {
		return ir.Int(0)
	}
	return sum
}

// extentTerm returns the magnitude of a term and whether it is subtracted.
func (l *lowerer) extentTerm(t types.Term) (product *ir.Expr, negative bool) {
	coef := t.Coef
	if coef < 0 {
		coef, negative = -coef, true
	}
	product = ir.Int(coef)
	for _, f := range t.Factors {
		product = bin(ir.Mul, product, l.extentFactor(f))
	}
	return product, negative
}

func (l *lowerer) extentFactor(f types.Factor) *ir.Expr {
	if f.Op == types.ScalarFactor {
		if b, ok := l.lookup(f.Var); ok {
			return cast(ir.Index, b.value)
		}
		l.bug(f.Var.Span, "an extent depends on %s, which is not known here", f.Var.Name)
		return ir.Int(1)
	}
	x, y := l.extent(f.X), l.extent(f.Y)
	switch f.Op {
	case types.FloorDiv:
		return bin(ir.Div, x, y)
	case types.CeilDiv:
		return ceilDiv(x, y)
	case types.Mod:
		return bin(ir.Mod, x, y)
	case types.MinOf:
		return bin(ir.Min, x, y)
	}
	return bin(ir.Max, x, y)
}

// ceilDiv rounds x / y up, for y above 0.
func ceilDiv(x, y *ir.Expr) *ir.Expr {
	return bin(ir.Div, bin(ir.Add, x, bin(ir.Sub, y, ir.IntOf(y.Type, 1))), y)
}
