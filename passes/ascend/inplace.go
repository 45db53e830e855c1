package ascend

import "tilec/ir"

// inPlace has vector steps write over an operand that nothing reads afterwards, where both have the same shape: ops are those of one
// statement of the program, whose temporaries nothing else uses. What was loaded stays as it is, so that the next load need not wait for
// what is stored.
func inPlace(ops []*ir.Op) []*ir.Op {
	first, last := map[*ir.Buffer]int{}, map[*ir.Buffer]int{}
	local, loaded := map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	for i, op := range ops {
		if op.Code == ir.OpAlloc && op.Buf.Temp {
			local[op.Buf] = true
			continue
		}
		(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
			if o.Code == ir.OpCopy {
				loaded[o.Dst.Buf] = true
			}
		})
		accesses(op, func(a *ir.Access) {
			if _, ok := first[a.Buf]; !ok {
				first[a.Buf] = i
			}
			last[a.Buf] = i
		})
	}
	gone := map[*ir.Buffer]bool{}
	// spent is a temporary that a step reads as the last, at the elements that it writes.
	spent := func(i int, op *ir.Op) *ir.Buffer {
		operands := op.X[0].Args
		if op.X[0].Op == ir.Load {
			operands = op.X
		}
		for _, x := range operands {
			if x.Op == ir.Load && local[x.At.Buf] && !gone[x.At.Buf] && !loaded[x.At.Buf] && last[x.At.Buf] == i && sameElements(op.Dst, x.At) && onlyAt(op, x.At) {
				return x.At.Buf
			}
		}
		return nil
	}
	join := func(ops []*ir.Op, tile, with *ir.Buffer) {
		for _, op := range ops {
			accesses(op, func(a *ir.Access) {
				if a.Buf == tile {
					a.Buf = with
				}
			})
		}
		gone[tile] = true
	}
	for i, op := range ops {
		if op.Code != ir.OpMap || op.Pipe != ir.PipeV || !local[op.Dst.Buf] || first[op.Dst.Buf] != i {
			continue
		}
		if over := spent(i, op); over != nil {
			last[over] = last[op.Dst.Buf]
			join(ops[i:], op.Dst.Buf, over)
		}
	}
	for i, op := range ops { // the last step's result is computed where it belongs from the first on
		if op.Code != ir.OpMap || op.Pipe != ir.PipeV || op.Dst.Buf.Temp || first[op.Dst.Buf] != i || !fills(op) {
			continue
		}
		if reads, _ := touched(op); reads[op.Dst.Buf] {
			continue
		}
		if t := spent(i, op); t != nil {
			join(ops[:i+1], t, op.Dst.Buf)
		}
	}
	kept := ops[:0]
	for _, op := range ops {
		if op.Code == ir.OpAlloc && gone[op.Buf] || op.Pipe == ir.PipeV && unchanged(op) {
			continue
		}
		kept = append(kept, op)
	}
	return kept
}

// accesses calls f for all that an operation and those within it read and write.
func accesses(op *ir.Op, f func(a *ir.Access)) {
	(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
		o.Loads(f)
		if o.Dst != nil {
			f(o.Dst)
		}
	})
}

// sameElements reports that two accesses go to the same places of tiles of one shape and type.
func sameElements(a, b *ir.Access) bool {
	if a.Buf.Elem != b.Buf.Elem || len(a.Index) != len(b.Index) {
		return false
	}
	for d := range a.Index {
		if a.Buf.Extent(d) != b.Buf.Extent(d) || a.Index[d].String() != b.Index[d].String() {
			return false
		}
	}
	return true
}

// onlyAt reports that an operation reads a tile at one element for each point.
func onlyAt(op *ir.Op, at *ir.Access) bool {
	ok := true
	op.Loads(func(a *ir.Access) { ok = ok && (a.Buf != at.Buf || sameElements(a, at)) })
	return ok
}
