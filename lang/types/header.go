package types

import (
	"slices"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// header declares a kernel's parameters and dimensions. It reports false where later errors would only echo.
func (c *checker) header(k *Kernel, in *Instance) bool {
	d := k.Decl
	if d.OverRanks {
		c.errorf(diag.NotSupported, k.Span, "kernels over ranks are not supported yet")
		return false
	}
	scalars := map[string]bool{}
	for _, p := range d.Params {
		if p.Type != nil && p.Name != nil && p.Type.IsScalar() {
			scalars[p.Name.Name] = true
		}
	}
	ok := true
	dims := c.bindDims(d, scalars)
	for _, p := range d.Params {
		if p.Name == nil || p.Type == nil {
			ok = false
			continue
		}
		if p.Symmetric {
			c.errorf(diag.NotSupported, p.Span(), "symmetric tensors are not supported yet")
			ok = false
		}
		if p.Type.IsScalar() {
			ok = c.scalarParameter(p, in) && ok
		}
	}
	for _, p := range d.Params {
		if p.Name != nil && p.Type != nil && !p.Type.IsScalar() {
			ok = c.tensorParameter(p, in, dims) && ok
		}
	}
	c.orderParams(d, in)
	return ok
}

// bindDims declares the dimensions: names that stand alone as a dimension and mean nothing else.
func (c *checker) bindDims(d *ast.Kernel, scalars map[string]bool) map[string]*Scalar {
	dims := map[string]*Scalar{}
	for _, p := range d.Params {
		if p.Type == nil {
			continue
		}
		for _, e := range p.Type.Dims {
			id, ok := e.(*ast.Ident)
			if !ok || scalars[id.Name] || dims[id.Name] != nil || c.scope.lookup(id.Name) != nil {
				continue
			}
			x := c.newScalar(id, Dim, indexType)
			x.limit = atLeast(0)
			dims[id.Name] = x
			c.declare(id, x)
		}
	}
	return dims
}

func (c *checker) scalarParameter(p *ast.Param, in *Instance) bool {
	elem := c.elemOf(p.Type.Elem)
	if elem == array.Invalid {
		c.mute(p.Name)
		return false
	}
	if p.Dir == ast.Out || p.Dir == ast.InOut {
		c.errorf(diag.NotAssignable, p.Span(), "%s is one value, which cannot be %s", p.Name.Name, p.Dir).
			Hint("make it a tensor of one element: %s: %s %s[1]", p.Name.Name, p.Dir, elem)
		c.mute(p.Name)
		return false
	}
	if elem.Bits() < 8 || elem.IsFloat() && elem.Bits() == 8 {
		c.errorf(diag.NotSupported, p.Type.Span(), "scalar parameters of type %s are not supported yet", elem)
		c.mute(p.Name)
		return false
	}
	x := c.newScalar(p.Name, ParamScalar, number(elem))
	if elem.IsUnsigned() {
		x.limit = atLeast(0)
	}
	c.declare(p.Name, x)
	in.Params = append(in.Params, Param{Scalar: x})
	return true
}

func (c *checker) tensorParameter(p *ast.Param, in *Instance, dims map[string]*Scalar) bool {
	elem := c.elemOf(p.Type.Elem)
	kind := map[ast.Dir]ArrayKind{ast.In: In, ast.Out: Out, ast.InOut: InOut}[p.Dir]
	a := &Array{named: named{Name: p.Name.Name, Span: p.Name.Span()}, Kind: kind, Elem: elem, Strided: p.Strided, Param: p}
	ok := elem != array.Invalid && kind != InvalidArray
	for axis, e := range p.Type.Dims {
		if id, isName := e.(*ast.Ident); isName {
			if x := dims[id.Name]; x != nil && x.Tensor == nil {
				x.Tensor, x.Axis = a, axis
				in.Dims = append(in.Dims, x)
			}
		}
		f, fine := c.dimension(e)
		ok = ok && fine
		a.Shape = append(a.Shape, f)
		a.dims = append(a.dims, e.Span())
	}
	if len(a.Shape) > 8 {
		c.errorf(diag.RankMismatch, p.Type.Span(), "%s has rank %d; tensors have at most 8 dimensions", a.Name, len(a.Shape))
		ok = false
	}
	if a.Strided && elem.Bits() > 0 && elem.Bits() < 8 {
		c.errorf(diag.NotSupported, p.Span(), "strided tensors of %s are not supported yet: %d elements share a byte, and a stride may end within one", elem, 8/elem.Bits()).
			Hint("drop strided and pass it contiguous, or pass the bytes as a strided tensor of u8 and take the elements apart with & and >>")
		ok = false
	}
	if !ok {
		c.mute(p.Name)
		return false
	}
	c.declare(p.Name, a)
	in.Params = append(in.Params, Param{Array: a})
	return true
}

// dimension works out one dimension of a tensor.
func (c *checker) dimension(e ast.Expr) (Extent, bool) {
	unbound := false
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			for _, a := range call.Args {
				unbound = c.unboundIn(a) || unbound
			}
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			unbound = c.unboundName(id) || unbound
		}
		return true
	})
	if unbound {
		return unknownExtent(), false
	}
	t := c.integerExpr(e, "a dimension")
	if !t.Valid() {
		return unknownExtent(), false
	}
	f := c.formula(e)
	if n, ok := f.Const(); ok && n < 0 {
		c.errorf(diag.BadExtent, e.Span(), "a dimension cannot be %s", valued(sourceText(e), n))
		return unknownExtent(), false
	}
	return f, true
}

func (c *checker) unboundIn(e ast.Expr) bool {
	unbound := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			unbound = c.unboundName(id) || unbound
		}
		return true
	})
	return unbound
}

func (c *checker) unboundName(id *ast.Ident) bool {
	if c.scope.lookup(id.Name) != nil {
		return isBroken(c.scope.lookup(id.Name))
	}
	d := c.errorf(diag.UnboundDim, id.Span(), "nothing binds %s: no parameter has it alone as a dimension", id.Name)
	if near := diag.Nearest(id.Name, c.scope.visible(isValueObject)); near != "" {
		d.Hint("did you mean %s?", near).Replace(id.Span(), near)
	} else {
		d.Hint("make it a generic, %s: int, or the dimension of some parameter", id.Name)
	}
	c.mute(id)
	return true
}

// orderParams puts the parameters into the order of the program, and the dimensions into the order of their binding.
func (c *checker) orderParams(d *ast.Kernel, in *Instance) {
	at := func(p Param) int {
		if p.Array != nil {
			return p.Array.Span.Start
		}
		return p.Scalar.Span.Start
	}
	slices.SortStableFunc(in.Params, func(a, b Param) int { return at(a) - at(b) })
	slices.SortStableFunc(in.Dims, func(a, b *Scalar) int { return a.Span.Start - b.Span.Start })
}
