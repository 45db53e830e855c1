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
		x := u.of[b]
		switch {
		case len(b.Shape) == 0 || x.sum:
			b.Space = ir.Register
		case x.crossed || x.right || x.repeated:
			b.Space = ir.Shared
		case x.left:
			b.Space = ir.Shared
			if x.fragment && u.chainedLeft(b) && !odds[b] {
				b.Space = ir.Register
			}
		case async != nil && x.staged && copiesAsync(f, async, b):
			b.Space = ir.Shared
		default:
			b.Space = ir.Register
		}
	}
	for _, t := range f.Tensors() {
		t.Space = ir.Global
	}
	for _, b := range u.tiles {
		x := u.of[b]
		if x.asked && x.sum {
			return diagErrorf(ctx, b.Span, "tile `%s` is the result of a contraction, and the condition of a `while` reads it: copy what is asked for to another tile first", b.Name)
		}
		if b.Pinned && b.Space == ir.Register && (x.crossed || x.right || x.left && !x.fragment) {
			return diagErrorf(ctx, b.Span, "tile `%s` is pinned to registers, but it is read across threads; drop `in register`", b.Name)
		}
		if b.Pinned && b.Space == ir.Register && odds[b] {
			return diagErrorf(ctx, b.Span, "tile `%s` is pinned to registers, but contractions read it in different ways; drop `in register`", b.Name)
		}
		if b.Pinned && b.Space != ir.Register && x.sum {
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
	of    map[*ir.Buffer]*use
}

// use is how one tile is used.
type use struct {
	// sum is the result of a contraction, left and right are operands of one.
	sum, left, right bool
	// fragment is a left operand of nothing but matrix-unit atoms, which can
	// take it from registers.
	fragment bool
	// crossed is touched at elements that are not plain iteration variables, or
	// scanned: threads need each other's elements.
	crossed bool
	// repeated is read by an operation on many more points than it has elements:
	// registers would hold every element many times.
	repeated bool
	// asked decides whether a while goes on.
	asked bool
	// staged is filled from a tensor by a copy in a pipelined loop.
	staged bool
	// sources are the register-worthy tiles that it is computed from element by
	// element, at the same element.
	sources []*ir.Buffer
}

func usesOf(f *ir.Func) *uses {
	u := &uses{of: map[*ir.Buffer]*use{}}
	u.block(f.Body, false)
	return u
}

// tile is the use of a buffer, to add to.
func (u *uses) tile(b *ir.Buffer) *use {
	x := u.of[b]
	if x == nil {
		x = &use{}
		u.of[b] = x
	}
	return x
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
		u.tile(op.Buf)
		return
	case ir.OpContract:
		left := u.tile(op.Src[0].Buf)
		left.fragment = op.Atom != machine.FMAName && (left.fragment || !left.left)
		left.left = true
		u.tile(op.Src[1].Buf).right = true
		u.tile(op.Dst.Buf).sum = true
		return
	case ir.OpWhile:
		op.Loads(func(a *ir.Access) { u.tile(a.Buf).asked = len(a.Index) > 0 })
	case ir.OpScan:
		u.tile(op.Dst.Buf).crossed = true
		u.tile(op.Src[0].Buf).crossed = true
		return
	case ir.OpCopy:
		if pipelined && op.Src[0].Buf.Kind.IsTensor() {
			u.tile(op.Dst.Buf).staged = true
		}
	}
	cross := func(a *ir.Access) {
		if a.Buf.Kind == ir.Tile && !op.IsAligned(a) {
			u.tile(a.Buf).crossed = true
		}
	}
	read := func(a *ir.Access) {
		cross(a)
		if a.Buf.Kind == ir.Tile && repeats(op, a) {
			u.tile(a.Buf).repeated = true
		}
	}
	if op.Dst == nil {
		op.Loads(read)
		return
	}
	cross(op.Dst)
	computed := op.Dst.Buf.Kind == ir.Tile && (op.Code == ir.OpMap || op.Code == ir.OpCopy)
	op.Loads(func(a *ir.Access) {
		read(a)
		if computed && a.Buf.Kind == ir.Tile && len(a.Index) == len(op.Dst.Index) && sameIndices(a, op.Dst) {
			x := u.tile(op.Dst.Buf)
			x.sources = append(x.sources, a.Buf)
		}
	})
}

// mostRepeats is how many times the registers of a CTA may hold each element of a tile
// of two or more dimensions.
const mostRepeats = 16

// repeats reports that op reads every element of a tile more often than that.
func repeats(op *ir.Op, a *ir.Access) bool {
	if len(a.Index) < 2 {
		return false // statistics of rows
	}
	points := int64(1)
	for _, it := range op.Dom {
		points *= it.Extent.Int
	}
	for _, it := range op.Red {
		points *= it.Extent.Int
	}
	for _, e := range a.Buf.Shape {
		points /= max(e.Int, 1)
	}
	return points > mostRepeats
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
		x := u.tile(t)
		if x.sum {
			return true
		}
		for _, s := range x.sources {
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
