package ascend

import "tilec/ir"

// LoopFlags is the synchronisation in the program of a core: what one iteration of its main loop holds. Loops within it that run a
// known number of times count that often, others once; of branches the longer one counts.
type LoopFlags struct {
	Cube       bool   `json:"cube"`
	Loop       string `json:"loop"` // its variable
	Sets       int64  `json:"sets"`
	Waits      int64  `json:"waits"`
	Barriers   int64  `json:"barriers"`   // of one pipe
	AllPipes   int64  `json:"allPipes"`   // barriers over all of them
	CrossSets  int64  `json:"crossSets"`  // between the cube and the vector cores
	CrossWaits int64  `json:"crossWaits"` // likewise
}

// MainLoops finds the main loops of a function in scheduled form, one for each of its programs: the innermost loop of an extent that is
// not known, and of those the one with most operations.
func MainLoops(f *ir.Func) []LoopFlags {
	var all []LoopFlags
	divided := false
	f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpCores {
			divided = true
			all = append(all, mainLoop(op.Body, true), mainLoop(op.Else, false))
		}
	})
	if !divided {
		all = append(all, mainLoop(f.Body, usesCube(f)))
	}
	return all
}

func mainLoop(b *ir.Block, cube bool) LoopFlags {
	var best *ir.Op
	most := int64(-1)
	b.Walk(func(op *ir.Op) {
		if op.Code != ir.OpFor && op.Code != ir.OpWhile || trips(op) > 0 {
			return
		}
		inner := false
		op.Body.Walk(func(o *ir.Op) {
			inner = inner || o.Code == ir.OpWhile || o.Code == ir.OpFor && trips(o) == 0 && works(o.Body)
		})
		if n := size(op.Body); !inner && n > most {
			best, most = op, n
		}
	})
	l := LoopFlags{Cube: cube}
	if best == nil {
		return l
	}
	if best.Var != nil {
		l.Loop = best.Var.Name
	}
	l.block(best.Body)
	return l
}

// trips is how often a loop runs, 0 if that is not known.
func trips(op *ir.Op) int64 {
	if op.Code != ir.OpFor || !op.X[0].IsConst() || !op.X[1].IsConst() || !op.X[2].IsConst() || op.X[2].Int <= 0 {
		return 0
	}
	return max(0, (op.X[1].Int-op.X[0].Int+op.X[2].Int-1)/op.X[2].Int)
}

// size is how many operations a block runs.
func size(b *ir.Block) int64 {
	if b == nil {
		return 0
	}
	n := int64(0)
	for _, op := range b.Ops {
		n += 1 + max(trips(op), 1)*size(op.Body) + size(op.Else)
	}
	return n
}

func (l *LoopFlags) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		switch op.Code {
		case ir.OpSetFlag:
			l.Sets++
		case ir.OpWaitFlag:
			l.Waits++
		case ir.OpPipeBarrier:
			if op.Pipe == ir.PipeAll {
				l.AllPipes++
			} else {
				l.Barriers++
			}
		case ir.OpCrossSet:
			l.CrossSets++
		case ir.OpCrossWait:
			l.CrossWaits++
		case ir.OpFor:
			var in LoopFlags
			in.block(op.Body)
			l.add(in, max(trips(op), 1))
		default:
			var then, other LoopFlags
			then.block(op.Body)
			other.block(op.Else)
			if other.total() > then.total() {
				then = other
			}
			l.add(then, 1)
		}
	}
}

func (l *LoopFlags) total() int64 {
	return l.Sets + l.Waits + l.Barriers + l.AllPipes + l.CrossSets + l.CrossWaits
}

func (l *LoopFlags) add(o LoopFlags, times int64) {
	l.Sets += times * o.Sets
	l.Waits += times * o.Waits
	l.Barriers += times * o.Barriers
	l.AllPipes += times * o.AllPipes
	l.CrossSets += times * o.CrossSets
	l.CrossWaits += times * o.CrossWaits
}
