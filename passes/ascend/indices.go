package ascend

import (
	"tilec/ir"
	"tilec/passes"
)

// inlineIndices computes whole numbers that depend on nothing but indices and scalars where they are used: tiles of 64-bit numbers would be the
// scalar unit's work, while in a condition or a conversion the vector unit knows what to do with them.
func inlineIndices(_ *passes.Context, f *ir.Func) error {
	uses := map[*ir.Buffer]*indexTile{}
	f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil && op.Dst.Buf.Kind == ir.Tile {
			t := useOf(uses, op.Dst.Buf)
			t.writes = append(t.writes, op)
		}
		for _, a := range op.Src {
			useOf(uses, a.Buf).kept = true
		}
	})
	gone := map[*ir.Buffer]bool{}
	f.Body.Walk(func(op *ir.Op) { // in order, so that what one is computed from is there already
		op.MapExprs(func(e *ir.Expr) *ir.Expr {
			if e.Op == ir.Load && gone[e.At.Buf] {
				return uses[e.At.Buf].value(e.At)
			}
			return e
		})
		if op.Dst != nil && uses[op.Dst.Buf] != nil && uses[op.Dst.Buf].inlines() {
			gone[op.Dst.Buf] = true
		}
	})
	drop(f.Body, gone)
	return nil
}

// indexTile is what is done with a tile.
type indexTile struct {
	writes []*ir.Op
	kept   bool // something reads it as a tile
}

func useOf(uses map[*ir.Buffer]*indexTile, b *ir.Buffer) *indexTile {
	if uses[b] == nil {
		uses[b] = &indexTile{}
	}
	return uses[b]
}

// inlines reports a tile of index values that one map fills, from indices and scalars that do not change.
func (t *indexTile) inlines() bool {
	if t.kept || len(t.writes) != 1 {
		return false
	}
	op := t.writes[0]
	b := op.Dst.Buf
	if op.Code != ir.OpMap || b.Elem != ir.Index || op.Where != nil || op.Dst.Guard != nil || len(op.Dom) != len(b.Shape) {
		return false
	}
	for d, x := range op.Dst.Index {
		if x.Op != ir.Ref || x.Var != op.Dom[d].Var || op.Dom[d].Extent.Int != b.Shape[d].Int {
			return false
		}
	}
	ok := true
	op.X[0].Walk(func(e *ir.Expr) bool {
		ok = ok && e.Op != ir.Load && !(e.Op == ir.Ref && e.Var.Kind == ir.MutVar)
		return ok
	})
	return ok
}

// value is the element that an access reads.
func (t *indexTile) value(a *ir.Access) *ir.Expr {
	op := t.writes[0]
	with := map[*ir.Var]*ir.Expr{}
	for d, it := range op.Dom {
		with[it.Var] = a.Index[d]
	}
	v := op.X[0].Subst(with)
	if a.Guard != nil {
		left := a.Else
		if left == nil {
			left = ir.ZeroOf(v.Type)
		}
		v = ir.SelectOf(a.Guard, v, left)
	}
	return v
}

// drop removes tiles and what fills them.
func drop(b *ir.Block, gone map[*ir.Buffer]bool) {
	if b == nil || len(gone) == 0 {
		return
	}
	kept := b.Ops[:0]
	for _, op := range b.Ops {
		drop(op.Body, gone)
		drop(op.Else, gone)
		if op.Code == ir.OpAlloc && gone[op.Buf] || op.Dst != nil && gone[op.Dst.Buf] {
			continue
		}
		kept = append(kept, op)
	}
	b.Ops = kept
}
