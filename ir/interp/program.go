package interp

import (
	"fmt"

	"tilec/ir"
	"tilec/runtime/array"
)

// program is a compiled function. It is not changed by running it.
type program struct {
	fn      *ir.Func
	grid    []gridVar
	body    []step
	buffers []*ir.Buffer // by number
	number  map[*ir.Buffer]int
	slots   map[*ir.Var]slot
	count   [kindB + 1]int // slots of each lane
	// elem overrides the element type of a tensor by what its array holds.
	elem map[*ir.Buffer]ir.DType
	// dims, requires and assumes are evaluated at launch.
	shapes   map[*ir.Buffer][]node[int64]
	requires []node[bool]
	assumes  []node[int64]
	// inOrder asks for the grid's order because results depend on it.
	inOrder bool
	// ops are the operations by number.
	ops []*ir.Op
	// watching has the order of accesses watched, in scheduled form.
	watching bool
	// exchanged are the tensors that a scheduled function reads and writes;
	// regions and grains are its shared memory.
	exchanged map[*ir.Buffer]bool
	regions   map[*ir.Buffer]*region
	grains    int
}

type gridVar struct {
	name   string
	slot   int
	extent node[int64]
}

// slot is where a scalar lives in a frame.
type slot struct {
	kind kind
	at   int
}

// step is a compiled operation. It stops early when the frame has a fault.
type step func(*frame)

// compiler translates a function. rowVar is the row variable of the operation
// being translated, nil where there is none.
type compiler struct {
	*program
	op     *ir.Op
	rowVar *ir.Var
	// iters are the iteration variables being run over.
	iters []ir.Iter
	// updated is the element that the operation writes at the same point.
	updated *ir.Access
	err     error
}

// compile translates f for arrays of the given element types, which differ from
// the declared ones for out tensors of a spec only.
func compile(f *ir.Func, elem map[*ir.Buffer]ir.DType, unordered bool) (*program, error) {
	p := &program{
		fn: f, elem: elem, watching: f.Form == ir.ScheduledForm && !unordered && f.Warps > 0,
		number: map[*ir.Buffer]int{}, slots: map[*ir.Var]slot{}, shapes: map[*ir.Buffer][]node[int64]{},
	}
	if p.watching {
		p.exchanged = exchanges(f)
	}
	c := &compiler{program: p}
	for _, t := range f.Tensors() {
		var ext []node[int64]
		for _, e := range t.Shape {
			ext = append(ext, c.ints(e))
		}
		p.shapes[t] = ext
		c.bufferNumber(t)
	}
	for _, r := range f.Requires {
		p.requires = append(p.requires, c.bools(r.Cond))
	}
	for _, a := range f.Assumes {
		var n node[int64]
		if a.Multiple != nil {
			n = c.ints(a.Multiple)
		}
		p.assumes = append(p.assumes, n)
	}
	for _, it := range f.Grid {
		p.grid = append(p.grid, gridVar{it.Var.Name, c.slotOf(it.Var).at, c.ints(it.Extent)})
	}
	p.body = c.block(f.Body)
	if c.err != nil {
		return nil, c.err
	}
	p.watch()
	return p, nil
}

// fail records the first thing that can't be translated.
func (c *compiler) fail(format string, args ...any) {
	if c.err != nil {
		return
	}
	f := &Fault{Op: c.op, Message: fmt.Sprintf(format, args...)}
	if c.op != nil {
		f.Span = c.op.Span
	}
	c.err = f
}

func (c *compiler) slotOf(v *ir.Var) slot {
	if s, ok := c.slots[v]; ok {
		return s
	}
	k := kindOf(v.Type)
	s := slot{k, c.count[k]}
	c.count[k]++
	c.slots[v] = s
	return s
}

func (c *compiler) bufferNumber(b *ir.Buffer) int {
	if n, ok := c.number[b]; ok {
		return n
	}
	if b.Kind == ir.Tile {
		if n, ok := elements(b.Extents()); !ok || n > maxTile {
			c.fail("tile %s of shape %s is too large", b.Name, shapeText(b.Extents()))
		}
	}
	n := len(c.buffers)
	c.number[b] = n
	c.buffers = append(c.buffers, b)
	return n
}

// elemOf returns what b's store holds.
func (p *program) elemOf(b *ir.Buffer) ir.DType {
	if t, ok := p.elem[b]; ok {
		return t
	}
	return b.Elem
}

// varies reports whether e differs between the lanes of a row.
func (c *compiler) varies(e *ir.Expr) bool { return c.rowVar != nil && e.Uses(c.rowVar) }

// newFrame makes a frame with its scalars zero and its tiles allocated.
func (p *program) newFrame() *frame {
	fr := &frame{
		prog: p,
		varF: make([]float32, p.count[kindF]),
		varD: make([]float64, p.count[kindD]),
		varI: make([]int64, p.count[kindI]),
		varB: make([]bool, p.count[kindB]),
		bufs: make([]*store, len(p.buffers)),
	}
	for n, b := range p.buffers {
		if b.Kind == ir.Tile {
			fr.bufs[n] = newStore(b, b.Elem, b.Extents())
			fr.bufs[n].written = make([]byte, fr.bufs[n].len())
			fr.bufs[n].watched = p.regions[b]
		}
	}
	if p.watching {
		fr.hazards = newHazards(p.grains)
	}
	return fr
}

// setVar gives a scalar a value held as an integer and as a float.
func (fr *frame) setVar(s slot, t ir.DType, i int64, f float64) {
	switch s.kind {
	case kindF:
		fr.varF[s.at] = float32(array.RoundFloat(t, f))
	case kindD:
		fr.varD[s.at] = f
	case kindI:
		fr.varI[s.at] = array.WrapInt(t, i)
	case kindB:
		fr.varB[s.at] = i != 0
	}
}
