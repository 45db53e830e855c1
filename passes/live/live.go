package live

import "tilec/ir"

// Range is the range of operations, in program order and both ends included,
// over which a tile holds something. A tile that is never used has an empty one
// before the first operation.
type Range struct {
	Buf      *ir.Buffer
	Bytes    int64
	From, To int
}

// overlaps reports whether two tiles are alive at once.
func (r *Range) overlaps(o *Range) bool { return r.From <= o.To && o.From <= r.To }

// Ranges returns the ranges of all tiles of f that wanted accepts, in the order
// of their declarations. A tile declared outside of a loop and used in it lives
// through the whole loop. Bytes gives a tile's size.
func Ranges(f *ir.Func, wanted func(*ir.Buffer) bool, bytes func(*ir.Buffer) int64) []*Range {
	w := &walker{wanted: wanted, bytes: bytes, tiles: map[*ir.Buffer]*tile{}}
	w.block(f.Body)
	all := make([]*Range, len(w.order))
	for i, t := range w.order {
		all[i] = &t.Range
	}
	return all
}

type tile struct {
	Range
	depth int // loops open at the declaration
}

type walker struct {
	wanted func(*ir.Buffer) bool
	bytes  func(*ir.Buffer) int64
	clock  int
	order  []*tile
	tiles  map[*ir.Buffer]*tile
	loops  []int // clocks at which the open loops began
}

func (w *walker) declare(b *ir.Buffer) {
	if w.tiles[b] != nil || !w.wanted(b) {
		return
	}
	t := &tile{Range{Buf: b, Bytes: w.bytes(b), From: -1}, len(w.loops)}
	w.tiles[b] = t
	w.order = append(w.order, t)
}

func (w *walker) use(b *ir.Buffer) {
	t := w.tiles[b]
	if t == nil {
		return
	}
	from := w.clock
	if t.depth < len(w.loops) {
		from = w.loops[t.depth] // used in a loop that the declaration is outside of
	}
	if t.From < 0 || from < t.From {
		t.From = from
	}
	t.To = max(t.To, w.clock)
}

func (w *walker) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		w.clock++
		if op.Code == ir.OpAlloc {
			w.declare(op.Buf)
		}
		if op.Scratch != nil {
			w.declare(op.Scratch)
			w.use(op.Scratch)
		}
		op.Loads(func(a *ir.Access) { w.use(a.Buf) })
		if op.Dst != nil {
			w.use(op.Dst.Buf)
		}
		loop := op.Code == ir.OpFor || op.Code == ir.OpWhile
		if loop {
			w.loops = append(w.loops, w.clock)
		}
		w.block(op.Body)
		w.block(op.Else)
		if loop {
			w.close()
		}
	}
}

// close ends the innermost loop: what was used in it may be again in the next iteration.
func (w *walker) close() {
	w.clock++
	last := len(w.loops) - 1
	start := w.loops[last]
	w.loops = w.loops[:last]
	for _, t := range w.order {
		if t.depth <= last && t.To >= start {
			t.To = w.clock
		}
	}
}
