package ascend

import (
	"cmp"
	"slices"

	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
	"tilec/passes/live"
)

// slots gives tiles of the vector unit that a loop copies from or to global memory a second slot, as far as UB has room: one is copied
// while the other is worked on.
func slots(ctx *passes.Context, f *ir.Func) error {
	d := &doubler{ctx: ctx, f: f, program: vectorProgram(f), chosen: map[*ir.Buffer]bool{}}
	for _, b := range d.candidates() {
		d.chosen[b] = true
		if !d.fits() {
			delete(d.chosen, b)
		}
	}
	d.rewrite()
	return nil
}

type doubler struct {
	ctx     *passes.Context
	f       *ir.Func
	program *ir.Block
	homes   map[*ir.Buffer][]*ir.Op
	order   []*ir.Buffer
	chosen  map[*ir.Buffer]bool
}

// candidates are the tiles that may have two slots: those that are loaded first, the smallest first.
func (d *doubler) candidates() []*ir.Buffer {
	loaded, copied := map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	d.homes = map[*ir.Buffer][]*ir.Op{}
	d.program.Walk(func(op *ir.Op) {
		if op.Code != ir.OpCopy || op.Pipe != ir.PipeMTE2 && op.Pipe != ir.PipeMTE3 {
			return
		}
		b := op.Dst.Buf
		if op.Pipe == ir.PipeMTE3 {
			b = op.Src[0].Buf
		}
		if !copied[b] {
			d.order = append(d.order, b)
		}
		copied[b], loaded[b] = true, loaded[b] || op.Pipe == ir.PipeMTE2
	})
	var all []*ir.Buffer
	for _, b := range d.order {
		loops, ok := homes(d.program, nil, b)
		if !ok || b.Space != ir.UB || len(b.Shape) == 0 || aicore.Bytes(b) != slotBytes(b) || !d.simple(b) {
			continue
		}
		d.homes[b] = loops
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b *ir.Buffer) int {
		if loaded[a] != loaded[b] {
			if loaded[a] {
				return -1
			}
			return 1
		}
		return cmp.Compare(aicore.Bytes(a), aicore.Bytes(b))
	})
	return all
}

// slotBytes is what a slot of a tile takes.
func slotBytes(b *ir.Buffer) int64 {
	return int64(aicore.Stride(doubled(b), 0)) * int64(b.Elem.Bits()) / 8
}

// doubled is a tile with two slots.
func doubled(b *ir.Buffer) *ir.Buffer {
	return &ir.Buffer{Name: b.Name, Elem: b.Elem, Kind: ir.Tile, Space: b.Space, Pinned: b.Pinned, Temp: b.Temp, Span: b.Span, Shape: append([]*ir.Expr{ir.Int(2)}, b.Shape...)}
}

// homes finds the loops that a tile is used in, such that each iteration begins with filling it: nothing goes from one to the next. It is
// not ok where there is more to the tile.
func homes(b *ir.Block, loop *ir.Op, t *ir.Buffer) (loops []*ir.Op, ok bool) {
	direct := false
	for _, op := range b.Ops {
		reads, writes := touched(op)
		switch {
		case op.Code == ir.OpAlloc || !reads[t] && !writes[t]:
		case op.Code == ir.OpFor:
			inner, own := homes(op.Body, op, t)
			loops, direct = append(loops, inner...), direct || !own
		default:
			direct = true
		}
	}
	if direct {
		return []*ir.Op{loop}, loop != nil && (declaredIn(b, t) || filledIn(b, t))
	}
	return loops, len(loops) > 0
}

// declaredIn reports a block that declares a tile, which holds nothing there yet.
func declaredIn(b *ir.Block, t *ir.Buffer) bool {
	found := false
	b.Walk(func(op *ir.Op) { found = found || op.Code == ir.OpAlloc && op.Buf == t })
	return found
}

// filledIn reports a block that writes all of a tile before it does anything else with it.
func filledIn(b *ir.Block, t *ir.Buffer) bool {
	if b == nil {
		return false
	}
	for _, op := range b.Ops {
		reads, writes := touched(op)
		switch {
		case !reads[t] && !writes[t]:
		case op.Code == ir.OpIf:
			return filledIn(op.Body, t) && filledIn(op.Else, t)
		default:
			return fills(op) && !reads[t]
		}
	}
	return false
}

// simple reports a tile that only copies and steps of the vector unit touch, which can address it in a slot too.
func (d *doubler) simple(t *ir.Buffer) bool {
	to := map[*ir.Buffer]*ir.Buffer{t: doubled(t)}
	slot := ir.RefTo(&ir.Var{Name: "slot", Type: ir.Index, Kind: ir.MutVar})
	ok := true
	d.program.Walk(func(op *ir.Op) {
		reads, writes := direct(op)
		if !ok || !reads[t] && !writes[t] {
			return
		}
		o := op.Clone()
		redirect(&ir.Block{Ops: []*ir.Op{o}}, to, slot)
		switch {
		case op.Code == ir.OpCopy && (op.Pipe == ir.PipeMTE2 || op.Pipe == ir.PipeMTE3):
			_, ok = aicore.CopyOf(o)
		case op.Code == ir.OpMap && op.Pipe == ir.PipeV:
			_, ok = aicore.VectorOf(o)
		case op.Code == ir.OpReduce && op.Pipe == ir.PipeV:
			_, ok = aicore.ReductionOf(o)
		default:
			ok = false
		}
	})
	return ok
}

// fits reports whether UB has room for the tiles with the slots that are chosen.
func (d *doubler) fits() bool {
	tiles := live.Ranges(d.f, func(b *ir.Buffer) bool { return b.Space == ir.UB }, func(b *ir.Buffer) int64 {
		if d.chosen[b] {
			return 2 * aicore.Bytes(b)
		}
		return aicore.Bytes(b)
	})
	mem := d.ctx.Machine.Memory(ir.UB)
	_, end := live.Pack(apart(d.f, tiles), mem.Align)
	return end <= mem.Bytes
}

// rewrite gives the chosen tiles their slots. Those of the same loops take turns together.
func (d *doubler) rewrite() {
	var head []*ir.Op
	var turns []*turn
	for _, b := range d.order {
		if !d.chosen[b] {
			continue
		}
		loops := d.homes[b]
		at := slices.IndexFunc(turns, func(t *turn) bool { return slices.Equal(t.loops, loops) })
		if at < 0 {
			at = len(turns)
			v := &ir.Var{Name: b.Name + "_slot", Type: ir.Index, Kind: ir.MutVar, Span: b.Span}
			head = append(head, &ir.Op{Code: ir.OpVar, Var: v, X: []*ir.Expr{ir.Int(0)}, Span: b.Span})
			turns = append(turns, &turn{loops, v, map[*ir.Buffer]*ir.Buffer{}})
		}
		ring := doubled(b)
		turns[at].rings[b] = ring
		head = append(head, &ir.Op{Code: ir.OpAlloc, Buf: ring, Span: b.Span})
	}
	for _, t := range turns {
		for _, l := range t.loops {
			redirect(l.Body, t.rings, ir.RefTo(t.slot))
			l.Body.Ops = append(l.Body.Ops, advance(t.slot, 2))
		}
	}
	d.undeclare(d.program)
	d.program.Ops = append(head, d.program.Ops...)
}

// turn is the slots that loops fill in turn.
type turn struct {
	loops []*ir.Op
	slot  *ir.Var
	rings map[*ir.Buffer]*ir.Buffer
}

// undeclare drops the declarations of tiles that are slots now.
func (d *doubler) undeclare(b *ir.Block) {
	if b == nil {
		return
	}
	b.Ops = slices.DeleteFunc(b.Ops, func(op *ir.Op) bool { return op.Code == ir.OpAlloc && d.chosen[op.Buf] })
	for _, op := range b.Ops {
		d.undeclare(op.Body)
		d.undeclare(op.Else)
	}
}
