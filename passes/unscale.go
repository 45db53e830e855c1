package passes

import (
	"math"

	"tilec/ir"
	"tilec/runtime/array"
)

// unscale rewrites a maximum (or minimum) over a scaled tile,
//
//	s[i, j] = x[i, j] * c
//	m[i] = max over j of s[i, j]
//
// into
//
//	r[i] = max over j of x[i, j]
//	m[i] = r[i] * c
//
// for a positive constant c. Rounding is monotonic, so the maximum of the rounded
// products is the rounded product of the maximum; nan is passed over in both,
// infinities scale to themselves. (Only which zero comes out, where products
// underflow to zeros of both signs, may differ.) It is done where s has just one
// more use, an elementwise one: fuse then multiplies there, where the factor
// becomes part of a multiply-add, and s is gone. A masked s, select(c, x[i, j] *
// f, -inf), stays as select(c, x[i, j], -inf). In a softmax this takes one
// multiplication for every element out of the way between two contractions.
func unscale(ctx *Context, f *ir.Func) error {
	u := countUses(f)
	unscaleBlock(f.Body, u)
	return nil
}

func unscaleBlock(b *ir.Block, u *tileUses) {
	if b == nil {
		return
	}
	var out []*ir.Op
	for i, op := range b.Ops {
		unscaleBlock(op.Body, u)
		unscaleBlock(op.Else, u)
		if ops := unscaled(b.Ops[:i], op, b.Ops[i+1:], u); ops != nil {
			out = append(out, ops...)
			continue
		}
		out = append(out, op)
	}
	b.Ops = out
}

// unscaled returns what stands in the place of a reduce over a scaled tile, nil
// if op isn't one for which it pays.
func unscaled(before []*ir.Op, op *ir.Op, after []*ir.Op, u *tileUses) []*ir.Op {
	if op.Code != ir.OpReduce || op.Combine != ir.MaxOf && op.Combine != ir.MinOf || op.Accumulate ||
		op.X[0].Op != ir.Load || op.X[0].Type != array.F32 || op.Dst.Buf.Kind != ir.Tile || op.Dst.Buf.Elem != array.F32 ||
		op.Where != nil || op.Dst.Guard != nil || !wholeTile(op, op.Dst) {
		return nil
	}
	p := producerBefore(before, op, u)
	if p == nil || u.loads[p.tile] != 2 || !p.fits(op, false) || !usedElementwise(p, after) {
		return nil
	}
	c, x := factorOf(p.element(op.X[0].At))
	if c == nil {
		return nil
	}
	d := op.Dst.Buf
	raw := &ir.Buffer{Name: d.Name + "_raw", Elem: d.Elem, Shape: d.Shape, Kind: ir.Tile, Temp: true, Span: d.Span}
	reduce := *op
	if x.Op == ir.Select {
		// a mask is worth keeping: the tile stays, unscaled, and its other use multiplies
		_, p.op.X[0] = factorOf(p.op.X[0])
		scaleUse(p.tile, c, after)
		x = op.X[0]
	} else {
		u.loads[p.tile]--
		u.count(x)
	}
	reduce.X = []*ir.Expr{x}
	reduce.Dst = &ir.Access{Buf: raw, Index: op.Dst.Index, Span: op.Dst.Span}
	scale := &ir.Op{Code: ir.OpMap, Span: op.Span, Note: "the factor of " + p.tile.Name}
	with := map[*ir.Var]*ir.Expr{}
	for _, it := range op.Dom {
		v := *it.Var
		with[it.Var] = ir.RefTo(&v)
		scale.Dom = append(scale.Dom, ir.Iter{Var: &v, Extent: it.Extent})
	}
	subst := func(e *ir.Expr) *ir.Expr { return e.Subst(with) }
	scale.Dst = &ir.Access{Buf: d, Span: op.Dst.Span}
	for _, i := range op.Dst.Index {
		scale.Dst.Index = append(scale.Dst.Index, subst(i))
	}
	value := &ir.Access{Buf: raw, Index: scale.Dst.Index, Span: op.Dst.Span}
	scale.X = []*ir.Expr{ir.Bin(ir.Mul, ir.LoadAt(value), c)}
	return []*ir.Op{{Code: ir.OpAlloc, Buf: raw, Span: op.Span}, &reduce, scale}
}

// scaleUse multiplies the first loads of a tile by a factor.
func scaleUse(tile *ir.Buffer, c *ir.Expr, after []*ir.Op) {
	for _, op := range after {
		if loadsOf(op, tile) == 0 {
			continue
		}
		op.MapExprs(func(e *ir.Expr) *ir.Expr {
			if e.Op == ir.Load && e.At.Buf == tile {
				return ir.Bin(ir.Mul, e, c)
			}
			return e
		})
		return
	}
}

// producerBefore returns the map that fills the tile which op reduces, if what
// it reads is unchanged up to op.
func producerBefore(before []*ir.Op, op *ir.Op, u *tileUses) *producer {
	for i := len(before) - 1; i >= 0; i-- {
		o := before[i]
		if o.Dst == nil || o.Dst.Buf != op.X[0].At.Buf {
			continue
		}
		p := producerOf(o, u)
		if p == nil {
			return nil
		}
		reads := readsOf(o)
		for _, between := range before[i+1:] {
			if writesAny(between, reads) {
				return nil
			}
		}
		return p
	}
	return nil
}

// usedElementwise reports that the one use left of p's tile is a map into which
// fuse will forward it.
func usedElementwise(p *producer, after []*ir.Op) bool {
	reads := readsOf(p.op)
	for _, op := range after {
		if loadsOf(op, p.tile) > 0 {
			return op.Code == ir.OpMap && p.fits(op, false) && p.inPlace(op)
		}
		if writesAny(op, reads) {
			return false
		}
	}
	return false
}

// factorOf splits e into a positive constant and what it multiplies, where e is
// a product with it, or chooses between such products and values that scaling
// leaves alone. The factor is nil if e is nothing of that kind.
func factorOf(e *ir.Expr) (factor, rest *ir.Expr) {
	switch {
	case e.Op == ir.Mul && e.Type == array.F32:
		for i, c := range e.Args {
			if c.IsConst() && c.Float > 0 && !math.IsInf(c.Float, 0) {
				return c, e.Args[1-i]
			}
		}
	case e.Op == ir.Select && e.Type == array.F32:
		var arms [2]*ir.Expr
		for i, arm := range e.Args[1:] {
			if arm.IsConst() && (arm.Float == 0 || math.IsInf(arm.Float, 0)) {
				arms[i] = arm
				continue
			}
			c, x := factorOf(arm)
			if c == nil || factor != nil && c.Float != factor.Float {
				return nil, nil
			}
			factor, arms[i] = c, x
		}
		if factor != nil {
			return factor, ir.SelectOf(e.Args[0], arms[0], arms[1])
		}
	}
	return nil, nil
}
