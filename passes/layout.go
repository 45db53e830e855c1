package passes

import (
	"slices"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
)

// layOut spreads every operation over the threads of the CTA and gives every
// register tile the layout that its operations want: contractions first, whose
// fragments are fixed, then what shares tiles with something laid out, then
// the rest for widest memory access. Where two operations want a tile in two
// layouts, a conversion through shared memory is put between.
func layOut(ctx *Context, f *ir.Func) error {
	l := &layouts{f: f, machine: ctx.Machine, align: ir.AlignmentOf(f)}
	l.collect(f.Body)
	l.assign()
	l.sharedLayouts()
	convert(f)
	if err := l.checkBytes(ctx); err != nil {
		return err
	}
	addScratch(f)
	f.Form = ir.PlacedForm
	return nil
}

type layouts struct {
	f       *ir.Func
	machine *machine.Machine
	align   *ir.Alignment
	ops     []*ir.Op // operations with a domain, in program order
}

func (l *layouts) collect(b *ir.Block) {
	b.Walk(func(op *ir.Op) {
		switch op.Code {
		case ir.OpMap, ir.OpCopy, ir.OpReduce, ir.OpAtomic, ir.OpAssert, ir.OpScan, ir.OpContract:
			l.ops = append(l.ops, op)
		}
	})
}

// assign runs to a fixed point; each round that stands still picks the largest
// operation left and spreads it for memory.
func (l *layouts) assign() {
	for _, op := range l.ops {
		if op.Code == ir.OpContract {
			op.Dst.Buf.Layout = sumsLayout(op)
		}
	}
	for _, op := range l.ops {
		if op.Code == ir.OpContract {
			l.leftOperand(op)
		}
	}
	l.wholeBytes()
	for {
		for l.propagate() {
		}
		op := l.largest()
		if op == nil {
			return
		}
		op.Layout = l.forMemory(op)
		l.give(op)
	}
}

// sumsLayout is the layout of the tile that a contract adds to.
func sumsLayout(op *ir.Op) *layout.Layout {
	p, _ := ir.AsProduct(op)
	if p.CTransposed {
		return op.Layout.Project(1, 0)
	}
	return op.Layout
}

// leftOperand lays a left operand in registers out as the atom reads it.
func (l *layouts) leftOperand(op *ir.Op) {
	b := op.Src[0].Buf
	if b.Space != ir.Register || b.Layout != nil {
		return
	}
	b.Layout = leftFragment(l.machine, op)
}

func (l *layouts) propagate() bool {
	changed := false
	for _, op := range l.ops {
		if op.Layout == nil {
			if op.Layout = l.fromTiles(op); op.Layout == nil {
				continue
			}
			changed = true
		}
		if op.Code != ir.OpContract && l.give(op) {
			changed = true
		}
	}
	return changed
}

// fromTiles takes an operation's layout over from a register tile that it
// touches at every point of its domain: one that it reads if there is one.
func (l *layouts) fromTiles(op *ir.Op) *layout.Layout {
	if op.Code == ir.OpScan {
		return nil // has lines whole, in shared memory
	}
	var found *layout.Layout
	try := func(a *ir.Access) {
		if found != nil || a.Buf.Space != ir.Register || a.Buf.Layout == nil {
			return
		}
		found = spread(op, a)
	}
	op.Loads(try)
	if op.Dst != nil {
		try(op.Dst)
	}
	return found
}

// spread returns the layout of op's domain under which a, which must touch every
// iteration variable, stays within threads; nil if it does not.
func spread(op *ir.Op, a *ir.Access) *layout.Layout {
	iters, ok := op.Aligned(a)
	if !ok {
		return nil
	}
	all := op.Iters()
	dims := make([]int, len(all))
	for i := range dims {
		dims[i] = -1
	}
	for d, i := range iters {
		if i >= 0 {
			dims[i] = d
		}
	}
	var keep []int
	var at []int
	for i, d := range dims {
		if d >= 0 {
			keep = append(keep, d)
			at = append(at, i)
		} else if !all[i].Extent.IsInt(1) {
			return nil
		}
	}
	l := a.Buf.Layout.Project(keep...)
	if len(keep) == len(all) {
		return l
	}
	return l.Broadcast(len(all), at...)
}

// give lays out the register tiles of op that have no layout yet.
func (l *layouts) give(op *ir.Op) bool {
	changed := false
	try := func(a *ir.Access) {
		if a.Buf.Space == ir.Register && a.Buf.Layout == nil && a.Buf.Kind == ir.Tile {
			a.Buf.Layout = Wanted(op, a)
			changed = changed || a.Buf.Layout != nil
		}
	}
	op.Loads(try)
	if op.Dst != nil {
		try(op.Dst)
	}
	return changed
}

// Wanted returns the layout that a register tile must have for op, spread as it
// is, to touch it within threads; nil if the access is not a plain one, or of a
// part of the tile.
func Wanted(op *ir.Op, a *ir.Access) *layout.Layout {
	iters, ok := op.Aligned(a)
	if !ok {
		return nil
	}
	var keep, at []int
	for d, i := range iters {
		if i >= 0 {
			keep = append(keep, i)
			at = append(at, d)
		}
	}
	l := op.Layout.Project(keep...)
	for i, d := range at {
		if n := a.Buf.Shape[d]; n.IsConst() && n.Int > int64(l.Out[i].Size) {
			return nil
		}
	}
	if len(keep) == len(iters) {
		return l
	}
	return l.Broadcast(len(iters), at...)
}

// largest returns the operation with most points that has no layout; of equals the
// one whose accesses to memory hold most elements, as the others follow it.
func (l *layouts) largest() *ir.Op {
	var best *ir.Op
	most, widest := -1, 0
	for _, op := range l.ops {
		if op.Layout != nil {
			continue
		}
		n := 1
		for _, it := range op.Iters() {
			n *= int(it.Extent.Int)
		}
		if n < most {
			continue
		}
		_, w, memory := l.fastest(op)
		if n > most || memory && w > widest {
			best, most, widest = op, n, w
		}
	}
	return best
}

// forMemory spreads an operation so that threads touch memory in the widest
// pieces, side by side.
func (l *layouts) forMemory(op *ir.Op) *layout.Layout {
	all := op.Iters()
	shape := make([]int, len(all))
	points := 1
	for i, it := range all {
		shape[i] = int(it.Extent.Int)
		points *= layout.Pow2(shape[i])
	}
	fast, width, _ := l.fastest(op)
	if op.Code == ir.OpScan {
		return layout.Scan(shape, op.Axis, l.f.Warps)
	}
	if results := points / redPoints(op); op.Code == ir.OpReduce && results >= 32*l.f.Warps && !streams(op) {
		return l.byResults(op, shape, fast, width, results)
	}
	order := make([]int, 0, len(all))
	if len(all) > 0 {
		order = append(order, fast)
		for i := len(all) - 1; i >= 0; i-- {
			if i != fast {
				order = append(order, i)
			}
		}
	}
	least := 1
	if storesSubBytes(op) {
		least = 8 / op.Dst.Buf.Elem.Bits()
	}
	for width > least && points/width < 32*l.f.Warps {
		width /= 2
	}
	width = max(width, least)
	if op.Code == ir.OpCopy && op.Dst.Buf.Space == ir.Shared {
		// offsets between a thread's rows that fit into instructions, and do not change the swizzle
		return layout.BlockedNear(shape, order, width, l.f.Warps, layout.SwizzledRows)
	}
	if l.reduces() {
		return layout.BlockedRows(shape, order, width, l.f.Warps)
	}
	return layout.Blocked(shape, order, width, l.f.Warps)
}

// byResults spreads a reduction of many results over threads by these alone: each
// thread combines all that its own are made of, which others read too.
func (l *layouts) byResults(op *ir.Op, shape []int, fast, width, results int) *layout.Layout {
	if fast >= len(op.Dom) {
		fast, width = len(op.Dom)-1, 1
	}
	for width > 1 && results/width < 32*l.f.Warps {
		width /= 2
	}
	order := []int{fast}
	for i := len(op.Dom) - 1; i >= 0; i-- {
		if i != fast {
			order = append(order, i)
		}
	}
	for i := len(shape) - 1; i >= len(op.Dom); i-- {
		order = append(order, i)
	}
	return layout.Blocked(shape, order, width, l.f.Warps)
}

// redPoints is the number of points that a reduction combines into one.
func redPoints(op *ir.Op) int {
	n := 1
	for _, it := range op.Red {
		n *= layout.Pow2(int(it.Extent.Int))
	}
	return n
}

// streams reports that an operation reads something that has an element for each of
// its points: each iteration variable is the only one of some index.
func streams(op *ir.Op) bool {
	iters := op.Iters()
	alone := func(x *ir.Expr, v *ir.Var) bool {
		return x.Uses(v) && !slices.ContainsFunc(iters, func(it ir.Iter) bool { return it.Var != v && x.Uses(it.Var) })
	}
	found := false
	op.Loads(func(a *ir.Access) {
		found = found || !slices.ContainsFunc(iters, func(it ir.Iter) bool {
			return !slices.ContainsFunc(a.Index, func(x *ir.Expr) bool { return alone(x, it.Var) })
		})
	})
	return found
}

// reduces reports that some operation reduces: lines that lie within a warp need
// no exchange through shared memory.
func (l *layouts) reduces() bool {
	for _, op := range l.ops {
		if op.Code == ir.OpReduce {
			return true
		}
	}
	return false
}

// fastest returns the iteration variable, by position, along which most
// memory accesses are contiguous, and the widest access along it in elements; memory
// is false where there is no such access.
func (l *layouts) fastest(op *ir.Op) (iter, width int, memory bool) {
	all := op.Iters()
	if len(all) == 0 {
		return 0, 1, false
	}
	votes := make([]int, len(all))
	widths := make([]int, len(all))
	look := func(a *ir.Access) {
		if a.Buf.Space == ir.Register || len(a.Index) == 0 {
			return
		}
		for i, it := range all {
			if _, ok := ir.Without(a.Index[len(a.Index)-1], it.Var); !ok {
				continue
			}
			votes[i] += a.Buf.Elem.Bits() * elements(all, a)
			w := l.align.Width(a, it.Var)
			widths[i] = max(widths[i], w)
		}
	}
	op.Loads(look)
	if op.Dst != nil {
		look(op.Dst)
	}
	iter = len(all) - 1
	for i := range votes {
		if votes[i] > votes[iter] {
			iter = i
		}
	}
	if storesSubBytes(op) {
		iter = max(l.lastIter(op), 0)
	}
	width = widths[iter]
	if votes[iter] == 0 {
		width = 4
	}
	return iter, max(width, 1), votes[iter] > 0
}

// elements is how many different elements an operation touches through an access:
// what does not depend on an iteration variable is loaded once for all of its values.
func elements(all []ir.Iter, a *ir.Access) int {
	n := 1
	for _, it := range all {
		for _, x := range a.Index {
			if x.Uses(it.Var) {
				n *= int(it.Extent.Int)
				break
			}
		}
	}
	return n
}

// sharedLayouts gives every shared tile a row-major layout whose 16-byte chunks
// are permuted so that a column of eight rows meets no bank twice.
func (l *layouts) sharedLayouts() {
	l.f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAlloc && op.Buf.Space == ir.Shared {
			op.Buf.Layout = sharedLayout(op.Buf)
		}
	})
}

func sharedLayout(b *ir.Buffer) *layout.Layout {
	ext := b.Extents()
	if len(ext) < 2 {
		return layout.Shared(ext, 1, layout.Swizzle{})
	}
	row := layout.Pow2(ext[len(ext)-1]) * b.Elem.Bits() / 8
	return layout.Shared(ext, widest*8/b.Elem.Bits(), layout.ConflictFree(row))
}
