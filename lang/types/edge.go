package types

import (
	"maps"
	"math"
	"slices"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// edgeFill says what stands in a tile for elements outside a tensor.
type edgeFill struct {
	span   diag.Span // the copy or statement that read beyond the edge
	tensor string
	value  Value // not Valid if unknown
	// positive: no element of the tile is below 0.
	positive bool
}

// fillOfCopy notes the axes of a tile along which a copy may have run over the edge of its tensor.
func (c *checker) fillOfCopy(s *ast.Copy, k *Copy) {
	src, dst := k.Src.Array, k.Dst.Array
	fills := map[int]edgeFill{}
	if slices.Equal(k.Shape, dst.Extents()) {
		dst.fills = nil
	}
	maps.Copy(fills, dst.fills)
	if src.Kind == Tile {
		for d, axis := range k.Src.Axes {
			if f, ok := src.fills[axis]; ok {
				fills[k.Dst.Axes[d]] = f
			}
		}
		dst.fills = fills
		return
	}
	value := IntOf(0)
	if s.Else != nil {
		value = c.constOf(s.Else)
	}
	for d, axis := range k.Src.Axes {
		end := ConstExtent(k.Shape[d])
		if e := k.Src.Start[axis]; e != nil {
			end = end.Add(c.formula(e))
		}
		if !end.LessEqual(src.Shape[axis]) {
			fills[k.Dst.Axes[d]] = edgeFill{span: s.Src.Span(), tensor: src.Name, value: value, positive: src.Elem.IsUnsigned()}
		}
	}
	dst.fills = fills
}

// fillOfLet and fillOfAssign do the same for index statements that read tensors.
func (c *checker) fillOfLet(s *ast.LetTile, st *statement, a *Array) {
	a.fills = c.fillsOf(s.Value, s.Else, st, st.free)
}

func (c *checker) fillOfAssign(s *ast.Assign, st *statement, a *Array) {
	lhs, ok := s.LHS.(*ast.Index)
	if !ok {
		return
	}
	axes := make([]*Scalar, len(lhs.Args))
	for d, arg := range lhs.Args {
		if id, ok := arg.(*ast.Ident); ok {
			axes[d], _ = c.info.Uses[id].(*Scalar)
		}
	}
	fills := c.fillsOf(s.Value, s.Else, st, axes)
	if s.Op != ast.Set || s.Where != nil {
		old := maps.Clone(a.fills)
		if old == nil {
			old = map[int]edgeFill{}
		}
		for d, f := range fills {
			f.value, f.positive = Value{}, false
			old[d] = f
		}
		fills = old
	}
	a.fills = fills
}

// fillsOf works out what an expression gives where its tensor loads are outside, for the indices of each axis.
func (c *checker) fillsOf(value, otherwise ast.Expr, st *statement, axes []*Scalar) map[int]edgeFill {
	outside := IntOf(0)
	if otherwise != nil {
		outside = c.constOf(otherwise)
	}
	fills := map[int]edgeFill{}
	for _, l := range st.loads {
		if !within(value, l.at) {
			continue
		}
		if l.array.Kind == Tile {
			c.carriedFills(fills, value, outside, l, axes)
			continue
		}
		if !l.array.Kind.IsTensor() {
			continue
		}
		for d, arg := range l.at.Args {
			if d >= len(l.array.Shape) || c.formula(arg).Add(ConstExtent(1)).LessEqual(l.array.Shape[d]) {
				continue
			}
			for axis, x := range axes {
				if x == nil || slices.Contains(l.guarded, x) || !c.mentions(arg, x) {
					continue
				}
				fills[axis] = edgeFill{
					span: l.at.Span(), tensor: l.array.Name,
					value:    c.substituted(value, func(*ast.Index) Value { return outside }),
					positive: c.positive(value),
				}
			}
		}
	}
	return fills
}

// carriedFills notes what an expression gives where it reads elements of a tile that stand for something outside.
func (c *checker) carriedFills(fills map[int]edgeFill, value ast.Expr, outside Value, l load, axes []*Scalar) {
	for d, arg := range l.at.Args {
		f, filled := l.array.fills[d]
		if !filled {
			continue
		}
		for axis, x := range axes {
			if _, known := fills[axis]; known || x == nil || slices.Contains(l.guarded, x) || !c.mentions(arg, x) {
				continue
			}
			fills[axis] = edgeFill{span: f.span, tensor: f.tensor, value: c.outsideValue(value, outside), positive: c.positive(value)}
		}
	}
}

// outsideValue is the value of an expression where what it reads of tensors, and of tiles that hold edge fill, is outside.
func (c *checker) outsideValue(e ast.Expr, outside Value) Value {
	return c.substituted(e, func(x *ast.Index) Value {
		a := c.info.ArrayOf(x)
		switch {
		case a == nil:
			return Value{}
		case a.Kind.IsTensor():
			return outside
		}
		for _, f := range a.fills {
			return f.value
		}
		return Value{}
	})
}

// within reports whether an access stands in an expression.
func within(e ast.Expr, x *ast.Index) bool {
	s, t := e.Span(), x.Span()
	return s.File == t.File && s.Start <= t.Start && t.End <= s.End
}

func (c *checker) mentions(e ast.Expr, x *Scalar) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && c.info.Uses[id] == Object(x) {
			found = true
		}
		return !found
	})
	return found
}

// substituted is the value of an expression in which the accesses have the values that leaf gives.
func (c *checker) substituted(e ast.Expr, leaf func(*ast.Index) Value) Value {
	if v := c.constOf(e); v.Valid() {
		return v
	}
	t := c.info.Types[e]
	switch e := e.(type) {
	case *ast.Index:
		return leaf(e)
	case *ast.Unary:
		v, _ := foldUnary(e.Op, c.substituted(e.X, leaf), t)
		return v
	case *ast.Binary:
		v, _ := foldBinary(e.Op, c.substituted(e.X, leaf), c.substituted(e.Y, leaf), t)
		return v
	case *ast.Call:
		call := c.info.Calls[e]
		if call == nil {
			return Value{}
		}
		args := make([]Value, len(e.Args))
		for i, a := range e.Args {
			args[i] = c.substituted(a, leaf)
		}
		switch {
		case call.Kind == Convert && args[0].Valid():
			v, _ := converted(args[0], call.To)
			return v
		case call.Kind == BuiltinCall:
			v, _ := foldCall(call.Name, args, t)
			return v
		}
	}
	return Value{}
}

// positive reports an expression that is never below 0.
func (c *checker) positive(e ast.Expr) bool {
	if v := c.constOf(e); v.Valid() {
		f, ok := v.Float64()
		return ok && f >= 0
	}
	switch e := e.(type) {
	case *ast.Index:
		a := c.info.ArrayOf(e)
		if a == nil {
			return false
		}
		positive := len(a.fills) > 0
		for _, f := range a.fills {
			positive = positive && f.positive
		}
		return positive || a.Elem.IsUnsigned()
	case *ast.Binary:
		switch e.Op {
		case ast.Mul:
			return sourceText(e.X) == sourceText(e.Y) && len(sourceText(e.X)) < 40 || c.positive(e.X) && c.positive(e.Y)
		case ast.Add, ast.Div:
			return c.positive(e.X) && c.positive(e.Y)
		}
	case *ast.Call:
		call := c.info.Calls[e]
		switch {
		case call == nil:
		case call.Kind == Convert:
			return c.positive(e.Args[0])
		case call.Kind == BuiltinCall:
			switch call.Name {
			case "abs", "exp", "exp2", "sqrt", "sigmoid":
				return true
			case "max":
				return c.positive(e.Args[0]) || c.positive(e.Args[1])
			}
		}
	}
	return false
}

// warnEdgeFill warns of a max, min or prod over elements of a tile that may stand for elements outside a tensor, unless
// what stands there changes nothing.
func (c *checker) warnEdgeFill(e *ast.Reduce, r *Reduction) {
	switch r.Op {
	case "max", "min", "prod", "argmax", "argmin":
	default:
		return
	}
	for _, l := range c.stmt.loads {
		if l.array.Kind != Tile || !within(e.Body, l.at) {
			continue
		}
		for d, arg := range l.at.Args {
			f, filled := l.array.fills[d]
			if !filled {
				continue
			}
			for _, x := range r.Indices {
				if !c.mentions(arg, x) || slices.Contains(l.guarded, x) || c.neutral(e, r, f) {
					continue
				}
				c.rep.Warnf(diag.EdgeFill, l.at.Span(), "%s runs over elements of %s that may lie outside %s; they hold %s", r.Op, l.array.Name, f.tensor, fillText(f.value)).
					Note(f.span, "%s is read here, beyond its edge for some blocks", f.tensor).
					Hint("say what stands for them: … else %s", neutralText(r.Op))
				return
			}
		}
	}
}

// warnFilledIndex warns of a place on the left that a tile gives which may hold edge fill: a tile does not know which of
// its elements stood outside, so these are written as well.
func (c *checker) warnFilledIndex(s *ast.Assign, lhs *ast.Index, st *statement) {
	if v, ok := c.outsideValue(s.Value, IntOf(0)).Float64(); ok && v == 0 && s.Op == ast.AddSet {
		return
	}
	for _, l := range st.loads {
		if l.array.Kind != Tile || !within(lhs, l.at) {
			continue
		}
		for d, arg := range l.at.Args {
			f, filled := l.array.fills[d]
			if v, ok := f.value.Float64(); !filled || ok && v < 0 {
				continue
			}
			for _, x := range st.free {
				if slices.Contains(l.guarded, x) || !c.mentions(arg, x) {
					continue
				}
				c.rep.Warnf(diag.EdgeFill, l.at.Span(), "the elements of %s that stand outside %s are places that %s writes as well; they hold %s",
					l.array.Name, f.tensor, sourceText(lhs), fillText(f.value)).
					Note(f.span, "%s is read here, beyond its edge for some blocks", f.tensor).
					Hint("leave them out, … where %s < …; or put -1 into %s there, which is outside every tensor", x.Name, l.array.Name)
				return
			}
		}
	}
}

func fillText(v Value) string {
	if !v.Valid() {
		return "what the expression gives for 0"
	}
	return v.String()
}

func neutralText(op string) string {
	switch op {
	case "max", "argmax":
		return "-inf"
	case "min", "argmin":
		return "inf"
	}
	return "1"
}

// neutral reports whether filled elements cannot change a reduction.
func (c *checker) neutral(e *ast.Reduce, r *Reduction, f edgeFill) bool {
	body := c.info.Types[e.Body].DType()
	v := c.substituted(e.Body, func(x *ast.Index) Value {
		if a := c.info.ArrayOf(x); a != nil && len(a.fills) > 0 {
			return f.value
		}
		return Value{}
	})
	n, ok := v.Float64()
	if !ok {
		return false
	}
	switch r.Op {
	case "prod":
		return n == 1
	case "min", "argmin":
		return math.IsInf(n, 1) || isLimit(v, body, false)
	}
	positive := f.positive || c.positive(e.Body)
	return math.IsInf(n, -1) || isLimit(v, body, true) || r.Op == "max" && positive && n <= 0
}

// isLimit reports the least or greatest value of an integer type.
func isLimit(v Value, t array.DType, least bool) bool {
	if v.Kind != IntValue || !t.IsInt() {
		return false
	}
	lo, hi := intRange(t)
	if least {
		return v.num.Cmp(lo) == 0
	}
	return v.num.Cmp(hi) == 0
}
