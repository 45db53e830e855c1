package ascend

import (
	"slices"

	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
)

// flags puts in the flags that order conflicting accesses of different pipes, and the barriers that order those of one pipe.
//
// It goes through every block in program order and keeps, for each pipe, up to where it knows the others' work to be complete: a flag
// tells a pipe what the other has done, and what that knew by then. Only where this is not enough a flag is put in, or one that is
// there already is raised later. A loop is gone through several times, so that accesses of different iterations meet; between those a
// flag is raised for the first time before everything, and taken down for the last time at the end.
//
// What an operation with blocks does counts, in the block that it stands in, as one access to all that it touches.
func flags(ctx *passes.Context, f *ir.Func) error {
	for _, program := range aicore.Programs(f) {
		orderPipes(ctx, f, program)
	}
	f.Form = ir.ScheduledForm
	return nil
}

// orderPipes puts flags into the program of a core.
func orderPipes(ctx *passes.Context, f *ir.Func, body *ir.Block) {
	var fl *flagger
	for _, sparing := range []bool{false, true} {
		if fl = newFlagger(ctx, f, body, sparing); fl.number() {
			break
		}
		if fl.economize(); fl.number() {
			break
		}
	}
	fl.insert()
}

// newFlagger goes through the program of a core.
func newFlagger(ctx *passes.Context, f *ir.Func, body *ir.Block, sparing bool) *flagger {
	fl := &flagger{sparing: sparing, f: f, body: body, limit: ctx.Machine.Limits.EventIDs, waits: map[*ir.Op][]*event{}, sets: map[*ir.Op][]*event{}, barriers: map[*ir.Op][]ir.Pipe{},
		touched: map[*ir.Op][]access{}, written: map[*ir.Buffer]bool{}, rings: ringsOf(body), rewrites: newRewrites(f, body)}
	body.Walk(func(op *ir.Op) {
		if op.Dst != nil && op.Dst.Buf.Outside() {
			fl.written[op.Dst.Buf] = true
		}
	})
	fl.block(body, newState(), nil, nil, 0)
	fl.settle()
	return fl
}

const pipes = int(ir.PipeAll) + 1

// state is what the pipes know at a point of the program.
type state struct {
	known   [pipes][pipes]int // known[y][x]: up to which position y knows the work of x to be complete
	barrier [pipes]int        // position of the last barrier of a pipe
}

func newState() *state { return &state{} }

// event is a flag: raised by pipe from behind an operation, waited for by pipe to before another one of the same block.
type event struct {
	from, to  ir.Pipe
	set, wait *ir.Op
	setAt     int // index in the block, of set and of wait
	waitAt    int
	block     *ir.Block
	distance  int   // iterations from the raising to the waiting
	ring      *ring // whose slots have flags of their own; nil if there is one
	all       bool  // a barrier over all pipes stands in for it: flags have run out
	id        int
	with      *event              // whose number it has, nil for one of its own
	back      *event              // by which the waiting pipe says that it has seen it, before it is raised again; nil if that is known
	raised    []raising           // by iteration
	tiles     map[*ir.Buffer]bool // that it hands over
}

type raising struct {
	pos  int
	snap [pipes]int
}

// access is a piece of memory that an operation touches.
type access struct {
	pipe   ir.Pipe
	write  bool
	space  ir.Space
	buf    *ir.Buffer // a tensor, or the tile
	lo, hi int64
	ring   *ring  // of which one slot is touched
	by     *ir.Op // of a tensor: what writes it, in order to tell which of its elements
}

// past is an access that has been gone through.
type past struct {
	access
	op        *ir.Op
	at        int // in the block
	pos       int
	iteration int
	snap      [pipes]int
	inner     []inner
}

// inner is, of an access in a block of an operation, where it stands there, and what the pipes know at the end of that.
type inner struct {
	pos int
	end *state
}

// within reports that what a pipe has gone through in the block of an operation says that an access there is complete: who comes after
// that pipe's part of the block comes after the access. If the block has not run, neither has the access.
func (p *past) within(st *state, to ir.Pipe) bool {
	for _, in := range p.inner {
		if to == p.pipe && in.end.barrier[to] >= in.pos {
			return true
		}
		for via := range in.end.known {
			if in.end.known[via][p.pipe] >= in.pos && (via == int(to) || st.known[to][via] >= p.pos) {
				return true
			}
		}
	}
	return false
}

type flagger struct {
	verdict  verdict
	sparing  bool // there are too few flags to have one for all that could overlap
	f        *ir.Func
	body     *ir.Block
	limit    int
	pos      int
	events   []*event
	waits    map[*ir.Op][]*event
	sets     map[*ir.Op][]*event
	barriers map[*ir.Op][]ir.Pipe
	touched  map[*ir.Op][]access
	written  map[*ir.Buffer]bool
	rings    map[*ir.Buffer]*ring
	rewrites *rewrites
}

// block goes through a block once: an iteration of a loop, if it is the body of one. before is what earlier iterations of it did.
func (fl *flagger) block(b *ir.Block, st *state, loop *ir.Op, before []past, iteration int) []past {
	history := before
	for at, op := range b.Ops {
		for _, e := range fl.waits[op] {
			fl.waited(e, st, iteration)
		}
		if has(fl.barriers[op], ir.PipeAll) {
			fl.everything(st)
		}
		mine := fl.accesses(op)
		for _, samePipe := range []bool{false, true} { // what flags order needs no barrier
			for _, a := range mine {
				for i := range history {
					if samePipe == (a.pipe == history[i].pipe) {
						fl.order(b, at, op, a, &history[i], st, loop, iteration)
					}
				}
			}
		}
		for _, p := range fl.barriers[op] {
			st.barrier[p] = fl.pos
		}
		fl.pos++
		inner := fl.inside(op, st)
		fl.pos++
		if inner == nil {
			for _, a := range mine {
				history = append(history, past{access: a, op: op, at: at, pos: fl.pos, iteration: iteration, snap: st.known[a.pipe]})
			}
		}
		for _, p := range inner {
			history = append(history, past{access: p.access, op: op, at: at, pos: fl.pos, iteration: iteration, snap: st.known[p.pipe], inner: p.inner})
		}
		for _, e := range fl.sets[op] {
			fl.raise(e, st)
		}
	}
	return history
}

func has(ps []ir.Pipe, p ir.Pipe) bool {
	for _, q := range ps {
		if q == p {
			return true
		}
	}
	return false
}

// inside goes through the blocks of an operation, and returns what they did; nil if it has none. They may run or not: what pipes learn
// there they don't know behind.
func (fl *flagger) inside(op *ir.Op, st *state) []past {
	var all []past
	switch op.Code {
	case ir.OpIf:
		for _, b := range []*ir.Block{op.Body, op.Else} {
			if b != nil {
				own := *st
				all = append(all, fl.ended(op, fl.block(b, &own, nil, nil, 0), 0, &own)...)
			}
		}
		for _, p := range fl.leaf(op) { // the condition
			all = append(all, past{access: p})
		}
	case ir.OpFor, ir.OpWhile:
		own := *st
		rounds := 1
		op.Body.Walk(func(o *ir.Op) {
			for _, a := range fl.leaf(o) {
				if a.ring != nil {
					rounds = max(rounds, a.ring.slots)
				}
			}
		})
		var history []past
		for i := range rounds + 1 {
			start := len(history)
			history = fl.block(op.Body, &own, op, history, i)
			end := own
			all = append(all, fl.ended(op, history, start, &end)...)
		}
		for _, p := range fl.leaf(op) {
			all = append(all, past{access: p})
		}
	}
	return all
}

// ended is what a block did from an index of its history on, as seen from behind it: of like accesses the last.
func (fl *flagger) ended(op *ir.Op, history []past, from int, end *state) []past {
	last := map[access]int{}
	var out []past
	for i := from; i < len(history); i++ {
		p := history[i]
		p.ring = ringAt(p.ring, op)
		p.inner = append(p.inner[:len(p.inner):len(p.inner)], inner{p.pos, end})
		if at, ok := last[p.access]; ok {
			out[at] = p
			continue
		}
		last[p.access] = len(out)
		out = append(out, p)
	}
	return out
}

// raise notes what a pipe has done and knows as it raises a flag.
func (fl *flagger) raise(e *event, st *state) {
	e.raised = append(e.raised, raising{fl.pos, st.known[e.from]})
}

// waited teaches a pipe what a flag tells.
func (fl *flagger) waited(e *event, st *state, iteration int) {
	if e.all {
		return
	}
	at := len(e.raised) - 1
	if e.distance > 0 {
		if iteration < e.distance {
			return // raised before everything
		}
		at = len(e.raised) - e.distance
	}
	if at >= 0 && at < len(e.raised) {
		fl.learn(st, e.from, e.to, e.raised[at].pos, e.raised[at].snap)
	}
}

func (fl *flagger) learn(st *state, from, to ir.Pipe, pos int, snap [pipes]int) {
	k := &st.known[to]
	k[from] = max(k[from], pos)
	for p := range snap {
		k[p] = max(k[p], snap[p])
	}
}

func (fl *flagger) everything(st *state) {
	for y := range st.known {
		for x := range st.known[y] {
			st.known[y][x] = fl.pos
		}
	}
}

// order makes sure that an operation comes after an access that it conflicts with.
func (fl *flagger) order(b *ir.Block, at int, op *ir.Op, a access, p *past, st *state, loop *ir.Op, iteration int) {
	distance := iteration - p.iteration
	if !conflict(a, p.access, loop, distance) {
		return
	}
	if a.pipe == p.pipe && a.space == ir.Global {
		if copied(a) && copied(p.access) && p.pos > st.barrier[a.pipe] && p.pos > st.known[a.pipe][a.pipe] && !p.within(st, a.pipe) &&
			fl.rewrites.possible(p.by, a.by, b, loop, distance > 0) {
			fl.barrier(op, a.pipe, st)
		}
		return
	}
	if distance > 0 && op == p.op && (op.Code == ir.OpFor || op.Code == ir.OpWhile) {
		return // within that loop it is ordered from iteration to iteration already, which goes on from one run of it to the next
	}
	if p.within(st, a.pipe) {
		return
	}
	if a.pipe == p.pipe {
		if aicore.OverlapsItself(a.pipe, a.space, a.write, p.write) && p.pos > st.barrier[a.pipe] && p.pos > st.known[a.pipe][a.pipe] {
			fl.barrier(op, a.pipe, st)
		}
		return
	}
	if st.known[a.pipe][p.pipe] >= p.pos {
		return
	}
	ring := p.ring
	if ring == nil || a.ring != ring || distance > 0 && !slices.Contains(ring.loops, loop) {
		ring = nil
	}
	e := fl.extended(b, at, p, a.pipe, distance, ring)
	if e == nil {
		e = &event{from: p.pipe, to: a.pipe, set: p.op, wait: op, setAt: p.at, waitAt: at, block: b, distance: distance, ring: ring, tiles: map[*ir.Buffer]bool{}}
		fl.events = append(fl.events, e)
		fl.sets[e.set] = append(fl.sets[e.set], e)
		fl.waits[op] = append(fl.waits[op], e)
	}
	e.tiles[a.buf] = true
	fl.learn(st, p.pipe, a.pipe, p.pos, p.snap)
}

// copied reports a write of a copying engine that must not overtake another of its own: sums of atomics may, and slots of rings between the
// units are empty before they are written again.
func copied(a access) bool {
	return a.write && a.pipe != ir.PipeS && a.by.Code != ir.OpAtomic && a.buf.Kind.IsTensor()
}

func (fl *flagger) barrier(op *ir.Op, pipe ir.Pipe, st *state) {
	fl.barriers[op] = append(fl.barriers[op], pipe)
	st.barrier[pipe] = fl.pos
}

// onCube reports a pipe that the cube alone has. Its work is long, so that what can overlap is worth a flag.
func onCube(p ir.Pipe) bool { return p == ir.PipeM || p == ir.PipeMTE1 || p == ir.PipeFix }

// extended finds a flag between the same pipes that serves if it is raised later or waited for earlier; nil if there is none.
func (fl *flagger) extended(b *ir.Block, at int, p *past, to ir.Pipe, distance int, r *ring) *event {
	for i := len(fl.events) - 1; i >= 0; i-- {
		e := fl.events[i]
		if e.block != b || e.from != p.pipe || e.to != to || e.distance != distance || e.ring != r && e.ring != nil && r != nil {
			continue
		}
		if distance > 0 && !fl.sparing && e.set != p.op && e.wait != b.Ops[at] && (onCube(p.pipe) || onCube(to) || e.set.Body != nil && p.op.Body != nil) {
			continue // raised earlier and awaited later, each lets more overlap
		}
		if distance == 0 && !(p.at < e.waitAt && e.waitAt <= at) {
			continue
		}
		if distance > 0 && at < e.waitAt {
			fl.waits[e.wait] = without(fl.waits[e.wait], e)
			e.wait, e.waitAt = b.Ops[at], at
			fl.waits[e.wait] = append(fl.waits[e.wait], e)
		}
		if p.at > e.setAt {
			fl.sets[e.set] = without(fl.sets[e.set], e)
			e.set, e.setAt = p.op, p.at
			fl.sets[e.set] = append(fl.sets[e.set], e)
		}
		if r != nil {
			e.ring = r
		}
		return e
	}
	return nil
}

func without(list []*event, e *event) []*event {
	var out []*event
	for _, x := range list {
		if x != e {
			out = append(out, x)
		}
	}
	return out
}
