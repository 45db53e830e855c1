package ascend

import (
	"maps"
	"slices"

	"tilec/ir"
	"tilec/passes"
	"tilec/runtime/array"
)

// matrices has every contraction be a product of two matrices that the cube multiplies: of tiles of two dimensions, of types that it
// takes, and with sums as they lie in L0C.
func matrices(_ *passes.Context, f *ir.Func) error {
	m := &matrixer{writes: map[*ir.Buffer]int{}, fills: map[*ir.Buffer]*ir.Op{}, sliced: map[*ir.Buffer]bool{}}
	f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil {
			m.writes[op.Dst.Buf]++
		}
	})
	m.block(f.Body)
	m.dropSliced(f.Body)
	turned(f.Body)
	return nil
}

type matrixer struct {
	writes map[*ir.Buffer]int    // how many operations write a buffer
	fills  map[*ir.Buffer]*ir.Op // copies that have filled tiles by now
	sliced map[*ir.Buffer]bool   // tiles of which slices were taken from their tensor
}

func (m *matrixer) block(b *ir.Block) {
	if b == nil {
		return
	}
	outer := m.fills
	m.fills = maps.Clone(outer)
	var out []*ir.Op
	for _, op := range b.Ops {
		m.block(op.Body)
		m.block(op.Else)
		if op.Code == ir.OpContract {
			out = append(out, m.product(op)...)
			continue
		}
		if op.Code == ir.OpCopy && m.again(op) {
			m.fills[op.Dst.Buf] = op
		}
		out = append(out, op)
	}
	b.Ops, m.fills = out, outer
}

// again reports the copy of a block of a tensor that could as well be made later, a part at a time.
func (m *matrixer) again(op *ir.Op) bool {
	if op.Dst.Buf.Outside() || m.writes[op.Dst.Buf] != 1 || !fills(op) || !op.Src[0].Buf.Kind.IsTensor() || m.writes[op.Src[0].Buf] > 0 {
		return false
	}
	ok := true
	op.Exprs(func(e *ir.Expr) bool {
		ok = ok && !(e.Op == ir.Ref && e.Var.Kind == ir.MutVar) && !(e.Op == ir.Load && e.At.Buf.Kind == ir.Tile)
		return ok
	})
	return ok
}

// product makes a contraction one of matrices, with what that takes before and after it.
func (m *matrixer) product(op *ir.Op) []*ir.Op {
	if p, ok := ir.AsProduct(op); ok && p.CTransposed {
		op.Dom[0], op.Dom[1] = op.Dom[1], op.Dom[0]
		op.Src[0], op.Src[1] = op.Src[1], op.Src[0]
	}
	var before, after []*ir.Op
	for i, a := range op.Src {
		if len(a.Index) > 2 {
			var ops []*ir.Op
			op.Src[i], ops = m.slice(op, a)
			before = append(before, ops...)
		}
	}
	if dst := op.Dst; len(dst.Index) > 2 {
		n := len(dst.Index)
		own := &ir.Buffer{Name: dst.Buf.Name + "_matrix", Elem: dst.Buf.Elem, Shape: dst.Buf.Shape[n-2:], Kind: ir.Tile, Temp: true, Span: op.Span}
		dom, index := points(own)
		before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: own, Span: op.Span},
			&ir.Op{Code: ir.OpMap, Dom: dom, Dst: &ir.Access{Buf: own, Index: index}, X: []*ir.Expr{ir.ZeroOf(own.Elem)}, Span: op.Span})
		op.Dst = &ir.Access{Buf: own, Index: dst.Index[n-2:], Span: dst.Span}
		dom, index = points(own)
		at := func() *ir.Access {
			return &ir.Access{Buf: dst.Buf, Index: append(append([]*ir.Expr(nil), dst.Index[:n-2]...), index...), Span: dst.Span}
		}
		after = append(after, &ir.Op{Code: ir.OpMap, Dom: dom, Dst: at(), X: []*ir.Expr{ir.Bin(ir.Add, ir.LoadAt(at()), ir.LoadAt(&ir.Access{Buf: own, Index: index}))}, Span: op.Span})
	}
	if op.Src[0].Buf.Elem == array.U8 {
		made, added := signed(op)
		before, after = append(before, made...), append(added, after...)
	}
	return append(append(before, op), after...)
}

// points is a domain over all of a tile, and the indices of its point.
func points(b *ir.Buffer) (dom []ir.Iter, index []*ir.Expr) {
	for d := range b.Shape {
		it, x := iter(string(rune('i'+d)), b.Extent(d))
		dom, index = append(dom, it), append(index, x)
	}
	return dom, index
}

// slice takes the matrix that a contraction reads out of a tile of more dimensions: from the tensor, where the tile is a copy of that.
func (m *matrixer) slice(op *ir.Op, a *ir.Access) (*ir.Access, []*ir.Op) {
	to, ops := passes.MatrixCopy(op, a, "_matrix")
	fill := m.fills[a.Buf]
	if fill == nil {
		return to, ops
	}
	n := len(a.Index)
	c := fill.Clone()
	with := map[*ir.Var]*ir.Expr{}
	for d, x := range a.Index[:n-2] {
		with[c.Dst.Index[d].Var] = x
	}
	c.Dst = &ir.Access{Buf: to.Buf, Index: c.Dst.Index[n-2:], Span: c.Dst.Span}
	c.Dom = slices.DeleteFunc(c.Dom, func(it ir.Iter) bool { return with[it.Var] != nil })
	c.MapExprs(func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.Ref && with[e.Var] != nil {
			return with[e.Var]
		}
		return e
	})
	m.sliced[a.Buf] = true
	return to, []*ir.Op{ops[0], c}
}

// dropSliced drops tiles that nothing reads since slices come from their tensors.
func (m *matrixer) dropSliced(b *ir.Block) {
	read := map[*ir.Buffer]bool{}
	b.Walk(func(op *ir.Op) { op.Loads(func(a *ir.Access) { read[a.Buf] = true }) })
	gone := func(op *ir.Op) bool {
		t := op.Buf
		if op.Dst != nil {
			t = op.Dst.Buf
		}
		return m.sliced[t] && !read[t]
	}
	var drop func(b *ir.Block)
	drop = func(b *ir.Block) {
		if b == nil {
			return
		}
		b.Ops = slices.DeleteFunc(b.Ops, gone)
		for _, op := range b.Ops {
			drop(op.Body)
			drop(op.Else)
		}
	}
	drop(b)
}

// signed has a contraction of bytes without a sign be one of bytes with one, which the cube knows: a·b is (a-128)·(b-128) + 128·(a+b) -
// 128², so that rows and columns of the sums have 128 times what their operands add up to put on top.
func signed(op *ir.Op) (before, after []*ir.Op) {
	const half = 128
	p, _ := ir.AsProduct(op)
	dom, index := points(op.Dst.Buf)
	at := func() *ir.Access { return &ir.Access{Buf: op.Dst.Buf, Index: index, Span: op.Span} }
	sum := ir.LoadAt(at())
	for i, kLast := range []bool{p.AKLast, p.BKLast} {
		a := op.Src[i]
		t := &ir.Buffer{Name: a.Buf.Name + "_signed", Elem: array.I8, Shape: a.Buf.Shape, Kind: ir.Tile, Temp: true, Span: op.Span}
		d, x := points(t)
		less := ir.Bin(ir.Add, ir.CastTo(array.F32, ir.LoadAt(&ir.Access{Buf: a.Buf, Index: x})), f32(-half))
		before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: t, Span: op.Span},
			&ir.Op{Code: ir.OpMap, Dom: d, Dst: &ir.Access{Buf: t, Index: x}, X: []*ir.Expr{ir.CastTo(array.I8, less)}, Span: op.Span})
		op.Src[i] = &ir.Access{Buf: t, Index: a.Index, Span: a.Span}

		free, k := 0, 1
		if !kLast {
			free, k = 1, 0
		}
		total := &ir.Buffer{Name: a.Buf.Name + "_total", Elem: array.F32, Shape: []*ir.Expr{a.Buf.Shape[free]}, Kind: ir.Tile, Temp: true, Span: op.Span}
		d, x = points(t)
		before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: total, Span: op.Span},
			&ir.Op{Code: ir.OpReduce, Combine: ir.Sum, Dom: d[free : free+1], Red: d[k : k+1], Dst: &ir.Access{Buf: total, Index: x[free : free+1]},
				X: []*ir.Expr{ir.CastTo(array.F32, ir.LoadAt(&ir.Access{Buf: a.Buf, Index: x}))}, Span: op.Span})
		share := &ir.Buffer{Name: a.Buf.Name + "_share", Elem: array.I32, Shape: total.Shape, Kind: ir.Tile, Temp: true, Span: op.Span}
		d, x = points(share)
		value := ir.Bin(ir.Mul, ir.CastTo(array.I32, ir.LoadAt(&ir.Access{Buf: total, Index: x})), ir.IntOf(array.I32, half))
		if i == 0 {
			value = ir.Bin(ir.Add, value, ir.IntOf(array.I32, -int64(p.K)*half*half))
		}
		before = append(before, &ir.Op{Code: ir.OpAlloc, Buf: share, Span: op.Span},
			&ir.Op{Code: ir.OpMap, Dom: d, Dst: &ir.Access{Buf: share, Index: x}, X: []*ir.Expr{value}, Span: op.Span})
		sum = ir.Bin(ir.Add, sum, ir.LoadAt(&ir.Access{Buf: share, Index: index[i : i+1]}))
	}
	return before, []*ir.Op{{Code: ir.OpMap, Dom: dom, Dst: at(), X: []*ir.Expr{sum}, Span: op.Span}}
}

// turned gives operands of f32 that some products read along rows and others along columns a second tile: they lie differently in L1.
func turned(b *ir.Block) {
	rows, cols, made := map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}, map[*ir.Buffer]bool{}
	b.Walk(func(op *ir.Op) {
		if op.Code != ir.OpContract {
			if op.Dst != nil && !cubeLoads(op) {
				made[op.Dst.Buf] = true // each product has a tile of its own then
			}
			return
		}
		if p, ok := ir.AsProduct(op); ok {
			for i, kLast := range []bool{p.AKLast, p.BKLast} {
				if kLast {
					rows[op.Src[i].Buf] = true
				} else {
					cols[op.Src[i].Buf] = true
				}
			}
		}
	})
	second := map[*ir.Buffer]*ir.Buffer{}
	b.Rewrite(func(op *ir.Op) []*ir.Op {
		switch {
		case op.Code == ir.OpAlloc && op.Buf.Elem == array.F32 && rows[op.Buf] && cols[op.Buf] && !made[op.Buf]:
			t := *op.Buf
			t.Name, t.Temp = t.Name+"_turned", true
			second[op.Buf] = &t
			return []*ir.Op{op, {Code: ir.OpAlloc, Buf: &t, Span: op.Span}}
		case op.Code == ir.OpContract:
			p, _ := ir.AsProduct(op)
			for i, kLast := range []bool{p.AKLast, p.BKLast} {
				if t := second[op.Src[i].Buf]; t != nil && !kLast {
					op.Src[i] = &ir.Access{Buf: t, Index: op.Src[i].Index, Span: op.Src[i].Span}
				}
			}
		case op.Dst != nil && second[op.Dst.Buf] != nil:
			c := op.Clone()
			c.Dst = &ir.Access{Buf: second[op.Dst.Buf], Index: c.Dst.Index, Span: c.Dst.Span}
			return []*ir.Op{op, c}
		}
		return []*ir.Op{op}
	})
}
