package passes

import (
	"tilec/ir"
	"tilec/ir/machine"
)

// place gives every tile a memory. Sums of contractions and tiles that are only
// worked on element by element live in registers; operands that a matrix unit
// reads from memory, tiles filled ahead by asynchronous copies, and tiles that
// are indexed by anything but plain iteration variables live in shared memory.
func place(ctx *Context, f *ir.Func) error {
	u := usesOf(f)
	odds := atOdds(ctx.Machine, f)
	async := ctx.Machine.Path(ir.Global, ir.Shared, true)
	for _, b := range u.tiles {
		if b.Pinned {
			continue
		}
		switch {
		case len(b.Shape) == 0 || u.sums[b]:
			b.Space = ir.Register
		case u.crossed[b] || u.right[b]:
			b.Space = ir.Shared
		case u.left[b]:
			b.Space = ir.Shared
			if u.fragments[b] && u.chainedLeft(b) && !odds[b] {
				b.Space = ir.Register
			}
		case async != nil && u.staged[b] && copiesAsync(f, async, b):
			b.Space = ir.Shared
		default:
			b.Space = ir.Register
		}
	}
	for _, t := range f.Tensors() {
		t.Space = ir.Global
	}
	for _, b := range u.tiles {
		if u.asked[b] && u.sums[b] {
			return diagErrorf(ctx, b.Span, "tile `%s` is the result of a contraction, and the condition of a `while` reads it: copy what is asked for to another tile first", b.Name)
		}
		if b.Pinned && b.Space == ir.Register && (u.crossed[b] || u.right[b] || u.left[b] && !u.fragments[b]) {
			return diagErrorf(ctx, b.Span, "tile `%s` is pinned to registers, but it is read across threads; drop `in register`", b.Name)
		}
		if b.Pinned && b.Space == ir.Register && odds[b] {
			return diagErrorf(ctx, b.Span, "tile `%s` is pinned to registers, but contractions read it in different ways; drop `in register`", b.Name)
		}
		if b.Pinned && b.Space != ir.Register && u.sums[b] {
			return diagErrorf(ctx, b.Span, "tile `%s` is the result of a contraction, which adds up in registers; drop `in %s`", b.Name, b.Space)
		}
		if b.Space != ir.Register && ctx.Machine.Memory(b.Space) == nil {
			return diagErrorf(ctx, b.Span, "tile `%s` is pinned to %s, which %s does not have", b.Name, b.Space, ctx.Machine.Name)
		}
	}
	return nil
}

// uses collects how the tiles of a function are used.
type uses struct {
	tiles []*ir.Buffer
	// sums are contraction results, left and right contraction operands.
	sums, left, right map[*ir.Buffer]bool
	// fragments are left operands of nothing but matrix-unit atoms, which can
	// take them from registers.
	fragments map[*ir.Buffer]bool
	// crossed tiles are touched at elements that are not plain iteration
	// variables, or scanned: threads need each other's elements.
	crossed map[*ir.Buffer]bool
	// asked tiles decide whether a while goes on.
	asked map[*ir.Buffer]bool
	// staged tiles are filled from a tensor by a copy in a pipelined loop.
	staged map[*ir.Buffer]bool
	// sources are, for each tile, the register-worthy tiles that it is computed from
	// element by element, at the same element.
	sources map[*ir.Buffer][]*ir.Buffer
}

func usesOf(f *ir.Func) *uses {
	u := &uses{
		sums: map[*ir.Buffer]bool{}, fragments: map[*ir.Buffer]bool{}, left: map[*ir.Buffer]bool{}, right: map[*ir.Buffer]bool{},
		crossed: map[*ir.Buffer]bool{}, asked: map[*ir.Buffer]bool{}, staged: map[*ir.Buffer]bool{}, sources: map[*ir.Buffer][]*ir.Buffer{},
	}
	u.block(f.Body, false)
	return u
}

func (u *uses) block(b *ir.Block, pipelined bool) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		u.op(op, pipelined)
		in := op.Code == ir.OpFor && op.Loop == ir.Pipeline && op.Stages > 1
		u.block(op.Body, pipelined || in)
		u.block(op.Else, pipelined)
	}
}

func (u *uses) op(op *ir.Op, pipelined bool) {
	switch op.Code {
	case ir.OpAlloc:
		u.tiles = append(u.tiles, op.Buf)
		return
	case ir.OpContract:
		u.sums[op.Dst.Buf] = true
		u.fragments[op.Src[0].Buf] = op.Atom != machine.FMAName && (u.fragments[op.Src[0].Buf] || !u.left[op.Src[0].Buf])
		u.left[op.Src[0].Buf] = true
		u.right[op.Src[1].Buf] = true
		return
	case ir.OpWhile:
		op.Loads(func(a *ir.Access) { u.asked[a.Buf] = len(a.Index) > 0 })
	case ir.OpScan:
		u.crossed[op.Dst.Buf] = true
		u.crossed[op.Src[0].Buf] = true
		return
	case ir.OpCopy:
		if pipelined && op.Src[0].Buf.Kind.IsTensor() {
			u.staged[op.Dst.Buf] = true
		}
	}
	cross := func(a *ir.Access) {
		if a.Buf.Kind != ir.Tile {
			return
		}
		if _, ok := op.Aligned(a); !ok {
			u.crossed[a.Buf] = true
		}
	}
	op.Loads(cross)
	if op.Dst == nil {
		return
	}
	cross(op.Dst)
	if op.Dst.Buf.Kind != ir.Tile || op.Code != ir.OpMap && op.Code != ir.OpCopy {
		return
	}
	op.Loads(func(a *ir.Access) {
		if a.Buf.Kind == ir.Tile && len(a.Index) == len(op.Dst.Index) && sameIndices(a, op.Dst) {
			u.sources[op.Dst.Buf] = append(u.sources[op.Dst.Buf], a.Buf)
		}
	})
}

func sameIndices(a, b *ir.Access) bool {
	for d, x := range a.Index {
		if x.Op != ir.Ref || b.Index[d].Op != ir.Ref || x.Var != b.Index[d].Var {
			return false
		}
	}
	return true
}

// chainedLeft reports that a left operand is computed element by element from
// the sums of another contraction, and serves as nothing else.
func (u *uses) chainedLeft(b *ir.Buffer) bool {
	seen := map[*ir.Buffer]bool{}
	var from func(t *ir.Buffer) bool
	from = func(t *ir.Buffer) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		if u.sums[t] {
			return true
		}
		for _, s := range u.sources[t] {
			if from(s) {
				return true
			}
		}
		return false
	}
	return from(b)
}

// copiesAsync reports that every copy from a tensor into b can use the
// asynchronous path: same element type, rows of at least its smallest access.
func copiesAsync(f *ir.Func, path *machine.Path, b *ir.Buffer) bool {
	ok := true
	f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpCopy && op.Dst.Buf == b && op.Src[0].Buf.Kind.IsTensor() {
			ok = ok && asyncWidth(f, op, path) > 0
		}
	})
	return ok
}
