package ascend

import "tilec/ir"

// What a part of a loop's body is marked with where the other part runs iterations later.
const (
	aheadPart  = "runs ahead"
	behindPart = "runs behind"
)

// rehearsed is how many iterations loops have in a rehearsal: more than slots and parts can hide a wait without end.
const rehearsed = 7

// signal is a cross-core flag that a core raises or waits for.
type signal struct {
	set  bool
	flag int64
}

// signals lists the cross-core flags of a program in the order in which a core comes to them, of an instance with all loops of the
// same length, in whose branches it always takes the first; a core that only keeps the flags in step takes the other where the two
// vector cores part.
func signals(b *ir.Block, half *ir.Var, idle bool, ahead int, iteration int) []signal {
	if b == nil {
		return nil
	}
	var all []signal
	for _, op := range b.Ops {
		switch op.Code {
		case ir.OpCrossSet, ir.OpCrossWait:
			all = append(all, signal{op.Code == ir.OpCrossSet, op.X[0].Int})
		case ir.OpFor, ir.OpWhile:
			n := rehearsed
			for _, o := range op.Body.Ops {
				if o.Note == behindPart {
					n += ahead
				}
			}
			for i := range n {
				all = append(all, signals(op.Body, half, idle, ahead, i)...)
			}
		case ir.OpIf:
			switch {
			case op.Note == aheadPart && iteration >= rehearsed || op.Note == behindPart && iteration < ahead:
			case idle && op.X[0].Uses(half):
				all = append(all, signals(op.Else, half, idle, ahead, iteration)...)
			default:
				all = append(all, signals(op.Body, half, idle, ahead, iteration)...)
			}
		}
	}
	return all
}

// inStep reports that the programs of a cube core and its two vector cores never wait for one another without end. A flag of the cube
// reaches both vector cores; one of theirs counts when both have raised it.
func inStep(cube, vector *ir.Block, half *ir.Var, cubeAhead, vectorAhead int) bool {
	cores := [3][]signal{
		signals(cube, half, false, cubeAhead, 0),
		signals(vector, half, false, vectorAhead, 0),
		signals(vector, half, true, vectorAhead, 0),
	}
	raised := [3]map[int64]int{{}, {}, {}} // by core and flag
	taken := [3]map[int64]int{{}, {}, {}}
	for moved := true; moved; {
		moved = false
		for c := range cores {
			for len(cores[c]) > 0 {
				s := cores[c][0]
				if s.set {
					raised[c][s.flag]++
				} else {
					there := raised[0][s.flag]
					if c == 0 {
						there = min(raised[1][s.flag], raised[2][s.flag])
					}
					if taken[c][s.flag] == there {
						break
					}
					taken[c][s.flag]++
				}
				cores[c] = cores[c][1:]
				moved = true
			}
		}
	}
	return len(cores[0])+len(cores[1])+len(cores[2]) == 0
}
