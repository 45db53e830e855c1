package ir

import (
	"slices"

	"tilec/ir/layout"
)

// bufferLayout checks a tile's place: its layout is one over its shape, and in
// placed form it has both.
func (v *verifier) bufferLayout(b *Buffer) {
	if b.Kind == Tile && v.f.Form >= PlacedForm {
		switch {
		case b.Space == Unplaced:
			v.errorf("tile %s has no memory", b.Name)
		case b.Layout == nil && (b.Space == Shared || b.Space == Register):
			v.errorf("tile %s has no layout", b.Name)
		}
	}
	if b.Layout == nil || b.Kind != Tile {
		return
	}
	var sizes []int
	memory := b.Space != Register
	if memory {
		for _, in := range b.Layout.In {
			sizes = append(sizes, b.Layout.Size(in.Name))
		}
	} else {
		sizes = b.Layout.Shape()
	}
	shape := b.Extents()
	if len(sizes) != len(shape) {
		v.errorf("the layout of %s is over %d dimensions, not %d", b.Name, len(sizes), len(shape))
		return
	}
	for d, n := range shape {
		if sizes[d] < layout.Pow2(n) {
			v.errorf("the layout of %s covers %d of %d elements of dimension %d", b.Name, sizes[d], n, d)
		}
	}
	if memory && b.Space == Shared && v.f.SharedBytes > 0 && len(b.Layout.Out) == 1 {
		if end := b.Offset + b.Bytes(); b.Offset < 0 || end > v.f.SharedBytes {
			v.errorf("tile %s ends at byte %d of %d of shared memory", b.Name, end, v.f.SharedBytes)
		}
	}
}

// placed checks that each thread finds in its registers what op touches there.
func (v *verifier) placed(op *Op) {
	if op.Code.Info().Fields&HasDom == 0 {
		return
	}
	if s := op.Scratch; s != nil && (s.Kind != Tile || s.Space != Shared && s.Space != UB) {
		v.errorf("scratch buffer %s is in %s, which operations don't use so", s.Name, s.Space)
	}
	if op.Pipe != NoPipe {
		return // run by one pipe: there are no threads to spread it over
	}
	if op.Code == OpContract {
		if op.Atom == "" {
			v.errorf("contract names no atom")
		}
		return // its fragments are the atom's business
	}
	l := op.Layout
	if l == nil {
		if len(op.Dom) > 0 || len(op.Red) > 0 {
			v.errorf("%s has no layout", op.Code)
		}
		return
	}
	its := op.Iters()
	if len(l.Out) != len(its) {
		v.errorf("the operation's layout is over %d indices, not %d", len(l.Out), len(its))
		return
	}
	for i, it := range its {
		if it.Extent.IsConst() && int64(l.Out[i].Size) < it.Extent.Int {
			v.errorf("the operation's layout covers %d of %d points of %s", l.Out[i].Size, it.Extent.Int, it.Var.Name)
			return
		}
	}
	if op.Code == OpScan {
		return // moves values between threads by itself
	}
	op.Loads(func(a *Access) { v.inRegisters(op, a, false) })
	if op.Code != OpReduce {
		v.inRegisters(op, op.Dst, true)
	}
}

// inRegisters checks an access to a register tile: each thread reads what it
// holds, and writes all that it holds.
func (v *verifier) inRegisters(op *Op, a *Access, write bool) {
	if a == nil || a.Buf.Space != Register || a.Buf.Layout == nil || len(a.Index) == 0 {
		return
	}
	iters, ok := op.Aligned(a)
	if !ok {
		v.errorf("register tile %s is indexed by more than plain iteration variables: %s", a.Buf.Name, a)
		return
	}
	points := op.Layout.Project(slices.DeleteFunc(slices.Clone(iters), func(i int) bool { return i < 0 })...)
	if slices.Contains(iters, -1) {
		var dims []int
		for d, i := range iters {
			if i >= 0 {
				dims = append(dims, d)
			}
		}
		points = points.Broadcast(len(iters), dims...)
	}
	held := a.Buf.Layout
	switch {
	case !write:
		ok = held.Holds(points)
	case slices.Equal(held.Shape(), points.Shape()):
		ok = points.Holds(held)
	}
	if !ok {
		v.errorf("threads touch elements of register tile %s that they don't hold: the tile is laid out %s, the operation touches %s", a.Buf.Name, held, points)
	}
}
