package passes

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/layout"
)

// convert puts a shared-memory copy between an operation and each register tile
// that lies in another layout than the operation's threads want, or that it touches
// at elements which other threads hold.
func convert(f *ir.Func) {
	c := &converter{writes: map[*ir.Buffer]int{}, relayed: map[*ir.Buffer]bool{}}
	f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil {
			c.writes[op.Dst.Buf]++
		}
	})
	c.block(f.Body)
	c.fill(f.Body)
}

type converter struct {
	writes  map[*ir.Buffer]int  // the operations that write to each buffer, as it was before any was converted
	relayed map[*ir.Buffer]bool // register tiles that are copied to a stopover as a whole
}

// fill gives zeros to tiles that are copied to another layout as a whole though
// conditions may have left elements of them unwritten.
func (c *converter) fill(body *ir.Block) {
	fill := func(b *ir.Block) {
		var out []*ir.Op
		for i, op := range b.Ops {
			out = append(out, op)
			if op.Code == ir.OpAlloc && c.relayed[op.Buf] && !writtenFirst(b.Ops[i+1:], op.Buf) {
				zero := wholeCopy(op, op.Buf, op.Buf, op.Buf.Layout)
				zero.Code, zero.Src, zero.X, zero.Note = ir.OpMap, nil, []*ir.Expr{ir.ZeroOf(op.Buf.Elem)}, ""
				out = append(out, zero)
			}
		}
		b.Ops = out
	}
	fill(body)
	body.Walk(func(op *ir.Op) {
		for _, b := range []*ir.Block{op.Body, op.Else} {
			if b != nil {
				fill(b)
			}
		}
	})
}

// writtenFirst reports that the first operation that touches t writes all of it.
func writtenFirst(ops []*ir.Op, t *ir.Buffer) bool {
	for _, op := range ops {
		if !reads(op, t) && (op.Dst == nil || op.Dst.Buf != t) {
			continue
		}
		return !reads(op, t) && op.WhereWritten() == nil && op.Dst.Guard == nil && wholeTile(op, op.Dst)
	}
	return true
}

// block converts within a block.
func (c *converter) block(b *ir.Block) {
	if b == nil {
		return
	}
	var out []*ir.Op
	for _, op := range b.Ops {
		c.block(op.Body)
		c.block(op.Else)
		if op.Code == ir.OpContract {
			out = append(out, op)
			continue
		}
		before, after := c.op(op, op.Dst != nil && c.writes[op.Dst.Buf] == 1 && declares(b, op.Dst.Buf))
		out = append(out, before...)
		out = append(out, op)
		out = append(out, after...)
	}
	b.Ops = out
}

// op returns the copies in front of an operation and behind it. First says
// that no other has written its destination, or will.
func (c *converter) op(op *ir.Op, first bool) (before, after []*ir.Op) {
	through := map[*ir.Buffer]*ir.Buffer{} // tiles that are read to where they are copied
	op.Loads(func(a *ir.Access) {
		if through[a.Buf] == nil && outOfPlace(op, a) {
			s := stopover(op, a.Buf)
			through[a.Buf] = s
			c.relayed[a.Buf] = true
			before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: s, Span: op.Span}, wholeCopy(op, a.Buf, s, a.Buf.Layout))
		}
	})
	if op.Dst != nil && outOfPlace(op, op.Dst) {
		dst := op.Dst.Buf
		s := stopover(op, dst)
		before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: s, Span: op.Span})
		if op.WhereWritten() != nil || op.Accumulate || op.Dst.Guard != nil || !wholeTile(op, op.Dst) {
			in := wholeCopy(op, dst, s, dst.Layout)
			if first { // what it leaves alone holds nothing, but is copied back
				in.Code, in.Src, in.X = ir.OpMap, nil, []*ir.Expr{ir.ZeroOf(dst.Elem)}
			} else {
				c.relayed[dst] = true
			}
			before = append(before, in)
		}
		after = append(after, wholeCopy(op, s, dst, dst.Layout))
		d := *op.Dst
		d.Buf = s
		op.Dst = &d
	}
	if len(through) > 0 {
		readThrough(op, through)
	}
	return before, after
}

// declares reports that a buffer is declared in a block itself.
func declares(b *ir.Block, t *ir.Buffer) bool {
	for _, op := range b.Ops {
		if op.Code == ir.OpAlloc && op.Buf == t {
			return true
		}
	}
	return false
}

// outOfPlace reports a register tile whose elements are not in the threads that
// touch them through a.
func outOfPlace(op *ir.Op, a *ir.Access) bool {
	if a.Buf.Space != ir.Register || a.Buf.Kind != ir.Tile || len(a.Index) == 0 {
		return false
	}
	if op.Code == ir.OpScan || op.Layout == nil {
		return true
	}
	want := Wanted(op, a)
	return want == nil || !want.SameThreads(a.Buf.Layout)
}

// stopover is a shared tile for the elements of a register tile.
func stopover(op *ir.Op, t *ir.Buffer) *ir.Buffer {
	s := &ir.Buffer{Name: fmt.Sprintf("%s_shared", t.Name), Elem: t.Elem, Shape: t.Shape, Kind: ir.Tile, Space: ir.Shared, Temp: true, Span: op.Span}
	s.Layout = sharedLayout(s)
	return s
}

// readThrough makes op read other tiles in place of some.
func readThrough(op *ir.Op, through map[*ir.Buffer]*ir.Buffer) {
	swap := func(a *ir.Access) *ir.Access {
		s := through[a.Buf]
		if s == nil {
			return a
		}
		c := *a
		c.Buf = s
		return &c
	}
	op.MapExprs(func(e *ir.Expr) *ir.Expr {
		if e.Op != ir.Load {
			return e
		}
		if at := swap(e.At); at != e.At {
			c := *e
			c.At = at
			return &c
		}
		return e
	})
	for i, s := range op.Src {
		op.Src[i] = swap(s)
	}
}

// wholeCopy copies one tile to another of its shape, spread over threads like l.
func wholeCopy(at *ir.Op, from, to *ir.Buffer, l *layout.Layout) *ir.Op {
	c := &ir.Op{Code: ir.OpCopy, Span: at.Span, Layout: l, Dst: &ir.Access{Buf: to, Span: at.Span},
		Src: []*ir.Access{{Buf: from, Span: at.Span}}, Note: "layout of " + from.Name}
	for d, ext := range from.Shape {
		v := &ir.Var{Name: iterName(d), Type: ir.Index, Kind: ir.IterVar, Span: at.Span}
		c.Dom = append(c.Dom, ir.Iter{Var: v, Extent: ext})
		c.Dst.Index = append(c.Dst.Index, ir.RefTo(v))
		c.Src[0].Index = append(c.Src[0].Index, ir.RefTo(v))
	}
	return c
}

func iterName(d int) string {
	return string(rune('i' + d))
}

// addScratch gives each reduce whose reduced indices are spread over several
// warps the shared memory in which they put their results together.
func addScratch(f *ir.Func) {
	f.Body.Walk(func(op *ir.Op) {
		if op.Code != ir.OpReduce {
			return
		}
		warps := 1
		for _, basis := range op.Layout.Bases(layout.Warp) {
			for d := len(op.Dom); d < len(basis); d++ {
				if basis[d] != 0 {
					warps *= 2
					break
				}
			}
		}
		if warps == 1 {
			return
		}
		if op.Combine == ir.ArgMax || op.Combine == ir.ArgMin {
			warps *= 1 + max(64/op.X[0].Type.Bits(), 1) // the values, then their indices in 64 bits
		}
		shape := []*ir.Expr{ir.Int(int64(warps))}
		for d := range op.Dom {
			shape = append(shape, ir.Int(int64(op.Layout.Out[d].Size)))
		}
		op.Scratch = &ir.Buffer{Name: op.Dst.Buf.Name + "_warps", Elem: scratchElem(op), Shape: shape, Kind: ir.Tile, Space: ir.Shared, Temp: true, Span: op.Span}
		op.Scratch.Layout = layout.Shared(op.Scratch.Extents(), 1, layout.Swizzle{})
	})
}

// scratchElem is the type of a warp's partial result: the value's, or for an
// argmax the value that the index belongs to.
func scratchElem(op *ir.Op) ir.DType { return op.X[0].Type }
