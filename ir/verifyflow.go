package ir

// flow finds what only the order of operations shows: tiles read before
// anything can have written them, and waits without commits.
func (v *verifier) flow() {
	w := &flow{v: v, written: map[*Buffer]bool{}}
	w.block(v.f.Body, false)
	commits, asyncs := 0, 0
	v.f.Body.Walk(func(op *Op) {
		switch {
		case op.Code == OpCommit:
			commits++
		case op.Async:
			asyncs++
		}
	})
	v.f.Body.Walk(func(op *Op) {
		v.op = op
		switch {
		case op.Code == OpWait && commits == 0:
			v.errorf("wait without any commit")
		case op.Async && commits == 0:
			v.errorf("asynchronous copy without any commit")
		case op.Code == OpCommit && asyncs == 0:
			v.errorf("commit without any asynchronous copy")
		}
	})
	v.op = nil
}

type flow struct {
	v       *verifier
	written map[*Buffer]bool // by something that may have run
}

// block follows the straight line. maybe says that a surrounding condition may
// let the block run in later iterations only, of a loop whose writes count as
// done already.
func (w *flow) block(b *Block, maybe bool) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		w.v.op = op
		if !maybe {
			w.reads(op)
		}
		switch op.Code {
		case OpFor, OpWhile:
			w.block(op.Body, maybe)
		case OpIf:
			// A branch may run after a later operation of an enclosing loop.
			w.branch(op.Body)
			w.branch(op.Else)
		default:
			if op.Dst != nil {
				w.written[op.Dst.Buf] = true
			}
		}
	}
	w.v.op = nil
}

func (w *flow) branch(b *Block) { w.block(b, true) }

// reads reports elements that op certainly reads of a tile that nothing can
// have written.
func (w *flow) reads(op *Op) {
	check := func(a *Access) {
		if a != nil && a.Buf.Kind == Tile && !w.written[a.Buf] {
			w.v.errorf("tile %s is read before anything is written to it", a.Buf.Name)
			w.written[a.Buf] = true
		}
	}
	if op.Where != nil {
		return // it may hold nowhere
	}
	for _, x := range op.X {
		certainLoads(x, check)
	}
	for _, s := range op.Src {
		if s.Guard == nil {
			check(s)
		}
	}
	if op.Code == OpContract && op.Init == nil || op.Accumulate || op.Code == OpAtomic {
		check(op.Dst)
	}
}

// certainLoads calls f on the loads that evaluating e makes in any case.
func certainLoads(e *Expr, f func(*Access)) {
	switch {
	case e == nil:
		return
	case e.Op == Load && e.At.Guard == nil:
		f(e.At)
		for _, x := range e.At.Index {
			certainLoads(x, f)
		}
		return
	case e.Op == Select, e.Op == And, e.Op == Or:
		certainLoads(e.Args[0], f)
		return
	}
	for _, a := range e.Args {
		certainLoads(a, f)
	}
}
