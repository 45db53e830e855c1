package passes

import (
	"slices"

	"tilec/ir"
)

// dropDead removes operations whose results nothing uses: scalars, tiles and
// what is written to them. It reports whether there were any.
func dropDead(f *ir.Func) bool {
	u := &useful{vars: map[*ir.Var]bool{}, bufs: map[*ir.Buffer]bool{}, ops: map[*ir.Op]bool{}}
	for _, t := range f.Tensors() {
		u.bufs[t] = true
	}
	for grew := true; grew; {
		grew = u.mark(f.Body)
	}
	return u.sweep(f.Body)
}

// useful is the operations, scalars and buffers that something seen outside
// depends on.
type useful struct {
	vars map[*ir.Var]bool
	bufs map[*ir.Buffer]bool
	ops  map[*ir.Op]bool
}

// mark adds the operations of b that are useful by what is known so far; it
// reports whether it added any.
func (u *useful) mark(b *ir.Block) bool {
	if b == nil {
		return false
	}
	grew := false
	for _, op := range slices.Backward(b.Ops) { // uses come before what they need
		// Blocks first: control is useful if something within is.
		if u.mark(op.Else) {
			grew = true
		}
		if u.mark(op.Body) {
			grew = true
		}
		if u.ops[op] || !u.needed(op) {
			continue
		}
		u.ops[op] = true
		grew = true
		op.Exprs(func(e *ir.Expr) bool {
			switch e.Op {
			case ir.Ref:
				u.vars[e.Var] = true
			case ir.Load:
				u.bufs[e.At.Buf] = true
			}
			return true
		})
		for _, s := range op.Src {
			u.bufs[s.Buf] = true
		}
	}
	return grew
}

// needed reports that op has an effect that counts.
func (u *useful) needed(op *ir.Op) bool {
	switch op.Code {
	case ir.OpLet, ir.OpVar, ir.OpAssign:
		return u.vars[op.Var]
	case ir.OpAlloc:
		return u.bufs[op.Buf]
	case ir.OpFor, ir.OpIf:
		return u.any(op.Body) || u.any(op.Else)
	case ir.OpCopy, ir.OpMap, ir.OpReduce, ir.OpContract, ir.OpScan:
		return u.bufs[op.Dst.Buf]
	case ir.OpAtomic:
		return u.bufs[op.Dst.Buf] || op.Var != nil && u.vars[op.Var]
	}
	return true // while may not end, print and assert are seen, the rest orders
}

func (u *useful) any(b *ir.Block) bool {
	if b == nil {
		return false
	}
	for _, op := range b.Ops {
		if u.ops[op] {
			return true
		}
	}
	return false
}

func (u *useful) sweep(b *ir.Block) bool {
	if b == nil {
		return false
	}
	var out []*ir.Op
	for _, op := range b.Ops {
		if u.ops[op] {
			out = append(out, op)
		}
	}
	changed := len(out) != len(b.Ops)
	b.Ops = out
	for _, op := range out {
		changed = u.sweep(op.Body) || changed
		changed = u.sweep(op.Else) || changed
		if op.Else != nil && len(op.Else.Ops) == 0 {
			op.Else = nil
		}
	}
	return changed
}

// dropOverwritten removes writes to tiles that are written whole before anything
// reads them. It reports whether there were any.
func dropOverwritten(b *ir.Block) bool {
	if b == nil {
		return false
	}
	var out []*ir.Op
	for i, op := range b.Ops {
		if !writesTile(op) || !overwritten(op.Dst.Buf, b.Ops[i+1:]) {
			out = append(out, op)
		}
	}
	changed := len(out) != len(b.Ops)
	b.Ops = out
	for _, op := range out {
		changed = dropOverwritten(op.Body) || changed
		changed = dropOverwritten(op.Else) || changed
	}
	return changed
}

// overwritten reports that t is written whole before the operations do anything
// else with it.
func overwritten(t *ir.Buffer, ops []*ir.Op) bool {
	for _, op := range ops {
		if reads(op, t) {
			return false
		}
		if overwrites(op) == t {
			return true
		}
	}
	return false
}

// writesTile reports that op does nothing but write to a tile.
func writesTile(op *ir.Op) bool {
	switch op.Code {
	case ir.OpCopy, ir.OpMap, ir.OpReduce, ir.OpScan:
		return op.Dst.Buf.Kind == ir.Tile && !op.Async
	}
	return false
}

// overwrites returns the tile of which op writes every element, nil if it
// writes none like that.
func overwrites(op *ir.Op) *ir.Buffer {
	if !writesTile(op) || op.Accumulate || !wholeTile(op, op.Dst) || op.Dst.Guard != nil || op.WhereWritten() != nil {
		return nil
	}
	return op.Dst.Buf
}

// wholeTile reports that the access runs over every element of its tile, once.
func wholeTile(op *ir.Op, a *ir.Access) bool {
	its := op.Iters()
	seen := map[int]bool{}
	for d, x := range a.Index {
		i := op.IterOf(x)
		if i < 0 {
			if x.IsInt(0) && a.Buf.Shape[d].IsInt(1) {
				continue
			}
			return false
		}
		if seen[i] || !its[i].Extent.IsConst() || its[i].Extent.Int != a.Buf.Shape[d].Int {
			return false
		}
		seen[i] = true
	}
	return true
}

// reads reports that op, or something in its blocks, reads t or writes it in
// a block.
func reads(op *ir.Op, t *ir.Buffer) bool {
	found := readsItself(op, t)
	inner := func(o *ir.Op) {
		found = found || readsItself(o, t) || o.Dst != nil && o.Dst.Buf == t
	}
	op.Body.Walk(inner)
	op.Else.Walk(inner)
	return found
}

// readsItself is reads without op's blocks.
func readsItself(op *ir.Op, t *ir.Buffer) bool {
	found := op.Dst != nil && op.Dst.Buf == t && (op.Code == ir.OpContract || op.Code == ir.OpAtomic || op.Accumulate)
	op.Loads(func(a *ir.Access) { found = found || a.Buf == t })
	return found
}
