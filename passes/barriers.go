package passes

import (
	"tilec/ir"
	"tilec/ir/layout"
)

// barriers puts a CTA barrier before each operation that would touch shared
// bytes, or an element of a tensor, which another thread touched since the last
// barrier, one of the two writing. Loop bodies are gone through twice, so that conflicts between one
// iteration and the next are seen; stages of a ring are told apart.
func barriers(ctx *Context, f *ir.Func) error {
	s := &synchroniser{settled: map[*ir.Op]bool{}, tensors: newTensors(f), owners: map[touchOf]*layout.Layout{}}
	s.block(f.Body)
	return nil
}

// touch is an access to shared memory since the last barrier.
type sharedTouch struct {
	from, to int64 // bytes
	buf      *ir.Buffer
	write    bool
	// inFlight: an asynchronous write that no wait has completed yet; age counts
	// the groups committed since its own, -1 before that.
	inFlight bool
	age      int
	owner    *layout.Layout // which thread touches which element, nil if unknown
	stage    stage
	tensor   *tensorTouch // of an element of a tensor, nil in shared memory
}

// stage is a known index into a ring: at is relative to the innermost loop's
// current iteration.
type stage struct {
	known bool
	loop  *ir.Op
	at    int
	count int
}

type synchroniser struct {
	pending []sharedTouch
	loop    *ir.Op
	// rings are, for each stage variable, its value modulo the ring relative to
	// the start of the innermost loop's iteration.
	rings map[*ir.Var]int
	// settled loops have their barriers against themselves.
	settled map[*ir.Op]bool
	tensors *tensors
	owners  map[touchOf]*layout.Layout // what ownerOf has found
}

// touchOf is an access of an operation.
type touchOf struct {
	op *ir.Op
	a  *ir.Access
}

func (s *synchroniser) block(b *ir.Block) {
	if b == nil {
		return
	}
	var out []*ir.Op
	for _, op := range b.Ops {
		touches := s.touches(op)
		if s.conflict(touches) || s.conflict(s.within(op)) && !s.ordersItself(op) {
			out = append(out, &ir.Op{Code: ir.OpBarrier, Span: op.Span})
			s.barrier()
		}
		if op.Code == ir.OpIf || op.Code == ir.OpFor {
			// conditions and bounds are read before the body runs
			s.pending = append(s.pending, touches...)
			touches = nil
		}
		switch op.Code {
		case ir.OpBarrier:
			s.barrier()
		case ir.OpWait:
			for i := range s.pending {
				if s.pending[i].age >= op.N {
					s.pending[i].inFlight = false
				}
			}
		case ir.OpCommit:
			for i := range s.pending {
				s.pending[i].age++
			}
		case ir.OpVar:
			if s.rings == nil {
				s.rings = map[*ir.Var]int{}
			}
			if op.X[0].IsConst() && op.X[0].Type == ir.Index {
				s.rings[op.Var] = int(op.X[0].Int)
			}
		case ir.OpAssign:
			s.assign(op)
		case ir.OpFor, ir.OpWhile:
			s.run(op)
		case ir.OpIf:
			s.branch(op)
		}
		if op.Scratch != nil {
			// the operation has a barrier of its own between its writes and reads
			s.barrier()
			s.pending = append(s.pending, sharedTouch{from: op.Scratch.Offset, to: op.Scratch.Offset + op.Scratch.Bytes(), buf: op.Scratch})
		}
		s.pending = append(s.pending, touches...)
		out = append(out, op)
	}
	b.Ops = out
}

// assign follows the assignments of stage variables: one step on in a ring, or
// the value of another stage variable.
func (s *synchroniser) assign(op *ir.Op) {
	_, known := s.rings[op.Var]
	x := op.X[0]
	switch {
	case known && advances(op):
		s.rings[op.Var]++
		return
	case known && x.Op == ir.Ref:
		if at, ok := s.rings[x.Var]; ok {
			s.rings[op.Var] = at
			return
		}
	}
	delete(s.rings, op.Var)
}

// barrier forgets what is ordered now; copies still in flight stay.
func (s *synchroniser) barrier() {
	kept := s.pending[:0]
	for _, t := range s.pending {
		if t.inFlight {
			kept = append(kept, t)
		}
	}
	s.pending = kept
}

func (s *synchroniser) branch(op *ir.Op) {
	before := append([]sharedTouch(nil), s.pending...)
	s.block(op.Body)
	after := s.pending
	s.pending = append([]sharedTouch(nil), before...)
	s.block(op.Else)
	s.pending = append(s.pending, after...)
}

// run goes through a loop body twice. What is pending at its end is pending at
// the start of the next iteration, one stage further back. Once is enough for a
// loop that is come upon again, in the second round of one around it.
func (s *synchroniser) run(op *ir.Op) {
	outer, outerRings := s.loop, s.rings
	entry := append([]sharedTouch(nil), s.pending...)
	forget(s.pending)
	s.loop = op
	base := map[*ir.Var]int{}
	for v, at := range outerRings {
		base[v] = at
	}
	step := s.steady(op, base)
	round := func() {
		s.rings = map[*ir.Var]int{}
		for v := range step {
			s.rings[v] = base[v]
		}
		s.tensors.enter(op)
		if op.Code == ir.OpWhile {
			s.pending = append(s.pending, s.touches(op)...)
		}
		s.block(op.Body)
		if op.Code == ir.OpWhile && s.conflict(s.touches(op)) { // the condition comes again
			op.Body.Ops = append(op.Body.Ops, &ir.Op{Code: ir.OpBarrier, Span: op.Span})
			s.barrier()
		}
		s.tensors.leave()
		for i := range s.pending {
			if st := &s.pending[i].stage; st.known && st.loop == op {
				st.at -= 1
			}
		}
	}
	start := append([]sharedTouch(nil), s.pending...)
	if !s.settled[op] {
		s.settled[op] = true
		// what an iteration leaves for the next one decides where barriers do
		// most good: find out, take the barriers back, and place them knowing it
		for range restarts(op) {
			before := s.mark(op.Body)
			round()
			s.takeBack(before)
			s.pending = append(s.pending, start...)
		}
		round()
	}
	round()
	forget(s.pending)
	s.pending = append(s.pending, entry...) // zero iterations
	forget(s.pending)
	s.loop = outer
	s.rings = map[*ir.Var]int{}
	for v, at := range outerRings {
		if _, inside := step[v]; inside || !assigned(op, v) {
			s.rings[v] = at // relations between stage variables outlive the loop
		}
	}
}

// ordersItself reports an innermost loop whose own barriers, those that its iterations
// need among each other, also order what is pending before it.
func (s *synchroniser) ordersItself(loop *ir.Op) bool {
	if loop.Code != ir.OpFor && loop.Code != ir.OpWhile || restarts(loop) == 0 {
		return false
	}
	pending, rings := s.pending, s.rings
	barriers := func() int {
		before := s.mark(loop.Body)
		settled := s.settled[loop]
		s.run(loop)
		n := 0
		loop.Body.Walk(func(op *ir.Op) {
			if op.Code == ir.OpBarrier {
				n++
			}
		})
		s.takeBack(before)
		s.settled[loop] = settled
		s.pending, s.rings = append([]sharedTouch(nil), pending...), rings
		return n
	}
	s.pending = append([]sharedTouch(nil), pending...)
	with := barriers()
	s.barrier()
	without := barriers()
	return with <= without
}

// restarts is how often a loop's barriers are placed anew: innermost loops only,
// where the time of programs is spent.
func restarts(loop *ir.Op) int {
	inner := false
	loop.Body.Walk(func(op *ir.Op) { inner = inner || op.Code == ir.OpFor || op.Code == ir.OpWhile })
	if inner {
		return 0
	}
	return 2
}

// mark remembers the operations of a block and of the blocks within.
func (s *synchroniser) mark(b *ir.Block) map[*ir.Block][]*ir.Op {
	ops := map[*ir.Block][]*ir.Op{}
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		if b == nil {
			return
		}
		ops[b] = b.Ops
		for _, op := range b.Ops {
			visit(op.Body)
			visit(op.Else)
		}
	}
	visit(b)
	return ops
}

// takeBack removes what has been inserted since mark.
func (s *synchroniser) takeBack(ops map[*ir.Block][]*ir.Op) {
	for b, was := range ops {
		b.Ops = was
	}
}

// steady returns the stage variables that every iteration moves on by one: what
// the assignments at the top of the body make of their values at its start must
// be one more for each, in the ring.
func (s *synchroniser) steady(loop *ir.Op, base map[*ir.Var]int) map[*ir.Var]bool {
	count := ringSizes(loop)
	trial := &synchroniser{rings: map[*ir.Var]int{}}
	for v, at := range base {
		trial.rings[v] = at
	}
	top := map[*ir.Op]bool{}
	for _, op := range loop.Body.Ops {
		if op.Code == ir.OpAssign {
			top[op] = true
			trial.assign(op)
		}
	}
	loop.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAssign && !top[op] {
			delete(trial.rings, op.Var)
		}
	})
	steady := map[*ir.Var]bool{}
	for v, at := range base {
		if now, ok := trial.rings[v]; ok && count > 0 && (now-at-1)%count == 0 {
			steady[v] = true
		}
	}
	return steady
}

// ringSizes returns the number of stages of the rings that a loop turns, 0 if
// they differ or there is none.
func ringSizes(loop *ir.Op) int {
	count := 0
	for _, op := range loop.Body.Ops {
		if advances(op) {
			n := int(op.X[0].Args[0].Args[1].Int)
			if count != 0 && count != n {
				return 0
			}
			count = n
		}
	}
	return count
}

func assigned(loop *ir.Op, v *ir.Var) bool {
	found := false
	loop.Body.Walk(func(op *ir.Op) { found = found || op.Code == ir.OpAssign && op.Var == v })
	return found
}

// forget drops stage knowledge, which does not hold outside its loop.
func forget(ts []sharedTouch) {
	for i := range ts {
		ts[i].stage = stage{}
	}
}

func (s *synchroniser) touches(op *ir.Op) []sharedTouch {
	var ts []sharedTouch
	add := func(a *ir.Access, write bool) {
		if t := s.tensors.touch(op, a, write); t != nil {
			ts = append(ts, sharedTouch{buf: a.Buf, write: write, tensor: t})
			return
		}
		if a.Buf.Space != ir.Shared {
			return
		}
		t := sharedTouch{from: a.Buf.Offset, to: a.Buf.Offset + a.Buf.Bytes(), buf: a.Buf, write: write, inFlight: write && op.Async, age: -1}
		owner, known := s.owners[touchOf{op, a}]
		if !known {
			owner = ownerOf(op, a)
			s.owners[touchOf{op, a}] = owner
		}
		t.owner = owner
		if len(a.Index) > 0 {
			t.stage = s.stageOf(a)
		}
		ts = append(ts, t)
	}
	op.Loads(func(a *ir.Access) { add(a, false) })
	if op.Dst != nil {
		add(op.Dst, true)
	}
	if op.Scratch != nil {
		ts = append(ts, sharedTouch{from: op.Scratch.Offset, to: op.Scratch.Offset + op.Scratch.Bytes(), buf: op.Scratch, write: true})
	}
	return ts
}

// within collects the touches of the blocks of op: a conflict with what is
// pending is better resolved once, before a loop or branch, than inside it.
func (s *synchroniser) within(op *ir.Op) []sharedTouch {
	var ts []sharedTouch
	for _, b := range []*ir.Block{op.Body, op.Else} {
		b.Walk(func(o *ir.Op) { ts = append(ts, s.touches(o)...) })
	}
	if op.Code != ir.OpIf {
		forget(ts) // stage variables move on inside
	}
	return ts
}

func (s *synchroniser) stageOf(a *ir.Access) stage {
	x := a.Index[0]
	if x.Op != ir.Ref || s.loop == nil || !a.Buf.Shape[0].IsConst() {
		return stage{}
	}
	at, ok := s.rings[x.Var]
	if !ok {
		return stage{}
	}
	return stage{known: true, loop: s.loop, at: at, count: a.Buf.Extent(0)}
}

// ownerOf tells which thread touches which element of the tile, when each
// element belongs to one thread; leading indices that do not vary are left out.
func ownerOf(op *ir.Op, a *ir.Access) *layout.Layout {
	if op.Layout == nil || op.Code == ir.OpContract {
		return nil
	}
	trimmed := *a
	for len(trimmed.Index) > 0 && !varies(op, trimmed.Index[0]) {
		trimmed.Index = trimmed.Index[1:]
	}
	iters, ok := op.Aligned(&trimmed)
	if !ok {
		return nil
	}
	var keep []int
	for _, i := range iters {
		if i >= 0 {
			keep = append(keep, i)
		}
	}
	l := op.Layout.Project(keep...)
	for _, in := range []string{layout.Lane, layout.Warp} {
		for _, basis := range l.Bases(in) {
			zero := true
			for _, v := range basis {
				zero = zero && v == 0
			}
			if zero {
				return nil // copies in several threads
			}
		}
	}
	return l
}

func varies(op *ir.Op, x *ir.Expr) bool {
	for _, it := range op.Iters() {
		if x.Uses(it.Var) {
			return true
		}
	}
	return false
}

func (s *synchroniser) conflict(ts []sharedTouch) bool {
	for _, t := range ts {
		for _, p := range s.pending {
			// a barrier does nothing about a copy in flight: that is for the waits
			if !p.inFlight && (t.write || p.write) && overlap(t, p) {
				return true
			}
		}
	}
	return false
}

func overlap(t, p sharedTouch) bool {
	if t.tensor != nil || p.tensor != nil {
		return t.tensor != nil && p.tensor != nil && t.tensor.meets(p.tensor)
	}
	if t.from >= p.to || p.from >= t.to {
		return false
	}
	if t.buf != p.buf {
		return true
	}
	if t.stage.known && p.stage.known && t.stage.loop == p.stage.loop && t.stage.count == p.stage.count && (t.stage.at-p.stage.at)%t.stage.count != 0 {
		return false
	}
	return t.owner == nil || p.owner == nil || !t.owner.SameThreads(p.owner)
}
