package aicore

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// Copy is a copy between a tensor in global memory and a tile in UB, as DataCopyPad makes it: rows of consecutive elements.
type Copy struct {
	Load   bool // from global memory
	Tensor *ir.Buffer
	// Base is the tensor's element at the origin of the domain; Strides are those between neighbours along each index of it.
	Base    *ir.Expr
	Strides []*ir.Expr
	Tile    View
	TileAt  []int // elements between neighbours in UB along each index of the domain
	// Low and High bound each index: nil for none. Cond must hold at all, nil if there is nothing else.
	Low, High []*ir.Expr
	Cond      *ir.Expr
	// Else is what a load leaves in place of what lies outside, as far as the last block of a row goes; nil if that is nobody's.
	Else *ir.Expr
}

// CopyOf reads a copy between a tensor and a tile in UB. It is not ok where rows are no runs of consecutive elements on both sides, or
// where the condition is not one of ranges of indices.
func CopyOf(op *ir.Op) (c Copy, ok bool) {
	if op.Code != ir.OpCopy && op.Code != ir.OpAtomic || len(op.Dom) == 0 {
		return c, false
	}
	src, dst := SourceOf(op), op.Dst
	if src == nil || op.Code == ir.OpAtomic && (op.Var != nil || !dst.Buf.Kind.IsTensor() || !CombinesAtomically(op.Combine, dst.Buf.Elem)) {
		return c, false
	}
	c.Load = src.Buf.Outside()
	tensor, tile := dst, src
	if c.Load {
		tensor, tile = src, dst
	}
	if !tensor.Buf.Outside() || tile.Buf.Outside() || src.Buf.Elem != dst.Buf.Elem || src.Guard != nil && !c.Load || dst.Guard != nil {
		return c, false
	}
	c.Tensor = tensor.Buf
	if src.Guard != nil {
		c.Else = src.Otherwise()
		if s, ok := scalarOf(op.Dom, c.Else); !ok || s == nil {
			return c, false
		}
	}
	n := len(op.Dom)
	c.Strides, c.TileAt = make([]*ir.Expr, n), make([]int, n)
	c.Low, c.High = make([]*ir.Expr, n), make([]*ir.Expr, n)
	if !c.tensor(op.Dom, tensor) || !c.tile(op.Dom, tile) || !c.clip(ir.Conj(op.Where, src.Guard), op.Dom) {
		return c, false
	}
	if c.Low[n-1] != nil && (!c.Load || tile.Buf.Elem.Bits() < 8) {
		return c, false // a row in UB would start within a block
	}
	one := op.Dom[n-1].Extent.IsInt(1)
	if !one && (c.Strides[n-1] == nil || !c.Strides[n-1].IsInt(1) || c.TileAt[n-1] != 1) {
		return c, false
	}
	if bits := tile.Buf.Elem.Bits(); bits < 8 && (factor(c.base())*int64(bits)%8 != 0) {
		return c, false // a row starts within a byte
	}
	for i := range n - 1 {
		if op.Dom[i].Extent.IsInt(1) {
			continue
		}
		if c.Strides[i] == nil || c.TileAt[i]*tile.Buf.Elem.Bits()%BlockBits != 0 {
			return c, false // rows in UB start on blocks
		}
	}
	return c, c.Tile.Aligned()
}

// SourceOf is what a copy reads, or the tile of an atomic operation's values; nil for other operations.
func SourceOf(op *ir.Op) *ir.Access {
	switch {
	case op.Code == ir.OpCopy:
		return op.Src[0]
	case op.Code == ir.OpAtomic && op.X[0].Op == ir.Load:
		return op.X[0].At
	}
	return nil
}

// CombinesAtomically reports that copies to global memory can combine what they bring with what is there (SetAtomicAdd, SetAtomicMax,
// SetAtomicMin).
func CombinesAtomically(c ir.Combine, t ir.DType) bool {
	if c != ir.Sum && c != ir.MaxOf && c != ir.MinOf {
		return false
	}
	return t == array.F32 || t == array.F16 || t == array.BF16 || t == array.I32
}

func (c *Copy) base() *ir.Expr {
	if c.Base == nil {
		return ir.Int(0)
	}
	return c.Base
}

// StrideOf is the elements between neighbours along dimension d of a tensor.
func StrideOf(t *ir.Buffer, d int) *ir.Expr {
	if t.Strides != nil {
		return ir.RefTo(t.Strides[d])
	}
	s := ir.Int(1)
	for k := len(t.Shape) - 1; k > d; k-- {
		e := t.Shape[k]
		if t.Elem.Bits() < 8 && k == len(t.Shape)-1 { // rows start on bytes
			per := int64(8 / t.Elem.Bits())
			if e.IsConst() {
				e = ir.Int((e.Int + per - 1) / per * per)
			} else {
				e = ir.Bin(ir.Mul, ir.Bin(ir.Div, ir.Bin(ir.Add, e, ir.Int(per-1)), ir.Int(per)), ir.Int(per))
			}
		}
		s = ir.Times(s, e)
	}
	return s
}

func (c *Copy) tensor(dom []ir.Iter, a *ir.Access) bool {
	for d, x := range a.Index {
		stride := StrideOf(a.Buf, d)
		rest := x
		for i, it := range dom {
			if !x.Uses(it.Var) {
				continue
			}
			var plain bool
			if rest, plain = ir.Without(rest, it.Var); !plain || c.Strides[i] != nil {
				return false
			}
			c.Strides[i] = stride
		}
		if readsTile(rest) {
			return false
		}
		if rest = fold(rest); !rest.IsInt(0) {
			c.Base = add(c.Base, ir.Times(rest, stride))
		}
	}
	return true
}

func (c *Copy) tile(dom []ir.Iter, a *ir.Access) bool {
	c.Tile.Buf = a.Buf
	for d, x := range a.Index {
		rest := x
		for i, it := range dom {
			if !x.Uses(it.Var) {
				continue
			}
			var plain bool
			if rest, plain = ir.Without(rest, it.Var); !plain || c.TileAt[i] != 0 {
				return false
			}
			c.TileAt[i] = Stride(a.Buf, d)
		}
		if rest = fold(rest); !rest.IsInt(0) {
			c.Tile.Base = add(c.Tile.Base, scale(rest, Stride(a.Buf, d)))
		}
	}
	return true
}

func readsTile(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load && !x.At.Buf.Outside()
		return !found
	})
	return found
}

// clip reads the condition as ranges of the indices.
func (c *Copy) clip(where *ir.Expr, dom []ir.Iter) bool {
	for _, cond := range ir.Conjuncts(where) {
		at, uses := -1, 0
		for i, it := range dom {
			if cond.Uses(it.Var) {
				at, uses = i, uses+1
			}
		}
		switch {
		case uses == 0:
			if readsTile(cond) {
				return false
			}
			c.Cond = ir.Conj(c.Cond, cond)
		case uses > 1 || !c.bound(cond, at, dom[at].Var):
			return false
		}
	}
	return true
}

// bound reads one comparison as a bound of an index.
func (c *Copy) bound(cond *ir.Expr, at int, v *ir.Var) bool {
	if len(cond.Args) != 2 || readsTile(cond) {
		return false
	}
	x, y, op := cond.Args[0], cond.Args[1], cond.Op
	if y.Uses(v) {
		flipped := map[ir.ExprOp]ir.ExprOp{ir.Lt: ir.Gt, ir.Le: ir.Ge, ir.Gt: ir.Lt, ir.Ge: ir.Le}
		x, y, op = y, x, flipped[op]
	}
	rest, plain := ir.Without(x, v)
	if !plain || y.Uses(v) || !x.Type.IsInt() {
		return false
	}
	rest = fold(rest)
	limit := ir.Minus(y, rest)
	switch op {
	case ir.Lt:
		c.High[at] = tighter(ir.Min, c.High[at], limit)
	case ir.Le:
		c.High[at] = tighter(ir.Min, c.High[at], ir.Plus(limit, ir.Int(1)))
	case ir.Ge:
		c.Low[at] = tighter(ir.Max, c.Low[at], limit)
	case ir.Gt:
		c.Low[at] = tighter(ir.Max, c.Low[at], ir.Plus(limit, ir.Int(1)))
	default:
		return false
	}
	return true
}

func tighter(op ir.ExprOp, a, b *ir.Expr) *ir.Expr {
	if a == nil {
		return b
	}
	return ir.Bin(op, a, b)
}

// Clipped reports that a copy may leave out part of its domain.
func (c *Copy) Clipped() bool {
	if c.Cond != nil {
		return true
	}
	for i := range c.High {
		if c.High[i] != nil || c.Low[i] != nil {
			return true
		}
	}
	return false
}
