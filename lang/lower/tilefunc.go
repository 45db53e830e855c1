package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// arrayCall lowers a call that leaves tiles and returns them. Their names are
// those that the program gives them, if any.
func (l *lowerer) arrayCall(e *ast.Call, given []*ast.Ident) []*ir.Buffer {
	c := l.info().Calls[e]
	if c == nil {
		l.bug(e.Span(), "nothing is known about the call of %s", e.Fun.Name)
		return nil
	}
	var bufs []*ir.Buffer
	if c.Kind == types.FnCall {
		if f := l.enter(e, c); f != nil && c.Fn.Returned != nil {
			if b := f.arrays[c.Fn.Returned]; b != nil {
				bufs = []*ir.Buffer{b}
			}
		}
	} else {
		names := make([]string, len(c.Results))
		for i := range names {
			names[i] = c.Name
			if i < len(given) {
				names[i] = given[i].Name
			}
		}
		bufs = l.tileFunction(e, c, names)
	}
	if len(bufs) != len(c.Results) {
		l.bug(e.Span(), "%s leaves %d tiles, not %d", e.Fun.Name, len(c.Results), len(bufs))
		return nil
	}
	for i, r := range c.Results {
		l.bindArray(r, bufs[i])
	}
	return bufs
}

// result allocates a tile that a builtin leaves.
func (l *lowerer) result(a *types.Array, name string, e *ast.Call) *ir.Buffer {
	b := &ir.Buffer{
		Name: l.names.unique(name), Elem: l.number(a.Elem), Shape: l.extents(a.Shape), Kind: l.localKind(), Span: e.Span(),
	}
	l.alloc(b)
	return b
}

var scans = map[string]ir.Combine{"cumsum": ir.Sum, "cummax": ir.MaxOf, "cumprod": ir.Prod}

// tileFunction lowers a builtin on whole tiles.
func (l *lowerer) tileFunction(e *ast.Call, c *types.Call, names []string) []*ir.Buffer {
	srcs := make([]*ir.Buffer, len(c.Arrays))
	for i := range srcs {
		srcs[i] = l.array(e.Args[i])
	}
	outs := make([]*ir.Buffer, len(c.Results))
	if len(srcs) == 0 || len(outs) == 0 {
		l.bug(e.Span(), "%s without tiles", c.Name)
		return nil
	}
	if how, ok := scans[c.Name]; ok {
		return []*ir.Buffer{l.scan(e, c, how, srcs[0], names[0])}
	}
	for i, r := range c.Results {
		outs[i] = l.result(r, names[i], e)
	}
	switch c.Name {
	case "transpose":
		l.transpose(e, outs[0], srcs[0])
	case "reshape":
		l.reshape(e, outs[0], srcs[0])
	case "concat":
		offset := ir.Int(0)
		for _, src := range srcs {
			dom, at := l.points(src.Shape)
			l.move(shifted(outs[0], at, c.Axis, offset, e), &ir.Access{Buf: src, Index: at, Span: e.Span()}, dom, e.Span())
			offset = bin(ir.Add, offset, src.Shape[c.Axis])
		}
	case "split":
		offset := ir.Int(0)
		for _, out := range outs {
			dom, at := l.points(out.Shape)
			l.move(&ir.Access{Buf: out, Index: at, Span: e.Span()}, shifted(srcs[0], at, c.Axis, offset, e), dom, e.Span())
			offset = bin(ir.Add, offset, out.Shape[c.Axis])
		}
	default:
		l.unsupported(e.Span(), "%s", c.Name)
	}
	return outs
}

// shifted is b at a point moved along an axis.
func shifted(b *ir.Buffer, at []*ir.Expr, axis int, by *ir.Expr, e *ast.Call) *ir.Access {
	index := append([]*ir.Expr(nil), at...)
	index[axis] = bin(ir.Add, by, at[axis])
	return &ir.Access{Buf: b, Index: index, Span: e.Span()}
}

func (l *lowerer) scan(e *ast.Call, c *types.Call, how ir.Combine, src *ir.Buffer, name string) *ir.Buffer {
	elem := l.number(c.Results[0].Elem)
	if src.Elem != elem {
		from := src
		src = l.temp(from.Name+"_"+elem.String(), elem, from.Shape, e.Span())
		dom, at := l.points(from.Shape)
		l.move(&ir.Access{Buf: src, Index: at, Span: e.Span()}, &ir.Access{Buf: from, Index: at, Span: e.Span()}, dom, e.Span())
	}
	out := l.result(c.Results[0], name, e)
	if how == ir.MaxOf && elem == array.Bool {
		how = ir.AnyOf
	}
	dom, at := l.points(out.Shape)
	l.emit(&ir.Op{
		Code: ir.OpScan, Combine: how, Axis: c.Axis, Dom: dom,
		Dst: &ir.Access{Buf: out, Index: at, Span: e.Span()}, Src: []*ir.Access{{Buf: src, Index: at, Span: e.Span()}}, Span: e.Span(),
	})
	return out
}

// transpose moves axis axes[d] of src to axis d of out; without axes given their
// order is reversed.
func (l *lowerer) transpose(e *ast.Call, out, src *ir.Buffer) {
	n := len(src.Shape)
	axes := make([]int, n)
	for d := range axes {
		axes[d] = n - 1 - d
		if len(e.Args) == n+1 {
			v, _ := l.info().Consts[e.Args[d+1]].Int64()
			axes[d] = int(v)
		}
	}
	dom, at := l.points(out.Shape)
	index := make([]*ir.Expr, n)
	for d, axis := range axes {
		if axis < 0 || axis >= n || index[axis] != nil {
			l.bug(e.Span(), "the axes of a transpose")
			return
		}
		index[axis] = at[d]
	}
	l.move(&ir.Access{Buf: out, Index: at, Span: e.Span()}, &ir.Access{Buf: src, Index: index, Span: e.Span()}, dom, e.Span())
}

// reshape copies elements in row-major order.
func (l *lowerer) reshape(e *ast.Call, out, src *ir.Buffer) {
	dom, at := l.points(out.Shape)
	position := ir.Int(0)
	for d, x := range at {
		position = bin(ir.Add, bin(ir.Mul, position, out.Shape[d]), x)
	}
	index := make([]*ir.Expr, len(src.Shape))
	for d := len(index) - 1; d >= 0; d-- {
		index[d] = position
		if d > 0 {
			index[d] = bin(ir.Mod, position, src.Shape[d])
			position = bin(ir.Div, position, src.Shape[d])
		}
	}
	x := cast(out.Elem, ir.LoadAt(&ir.Access{Buf: src, Index: index, Span: e.Span()}))
	l.emit(&ir.Op{Code: ir.OpMap, Dom: dom, X: []*ir.Expr{x}, Dst: &ir.Access{Buf: out, Index: at, Span: e.Span()}, Span: e.Span()})
}
