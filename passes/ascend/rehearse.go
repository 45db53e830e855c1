package ascend

import "tilec/ir"

// What a part of a loop's body is marked with where the other part runs iterations later.
const (
	aheadPart  = "runs ahead"
	behindPart = "runs behind"
)

// rehearsed is how many iterations loops have in a rehearsal: more than slots and parts can hide a wait without end.
const rehearsed = 7

// signal is a cross-core flag that a core raises or waits for, one of a crossing's own.
type signal struct {
	set  bool
	flag int64
}

// rehearsal runs the cross-core flags of the programs of a cube core and its two vector cores.
type rehearsal struct {
	half    *ir.Var
	numbers map[int64]int64 // the flags that crossings share, by their own
	ahead   [2]int          // iterations that the cube's and the vector unit's loops run ahead
	other   bool            // take the second branches, not the first
}

// signals lists the flags of a program in the order in which a core comes to them, of an instance with all loops of the same length, in
// whose branches it always takes the same; a core that only keeps the flags in step takes the other where the two vector cores part.
func (r *rehearsal) signals(b *ir.Block, idle bool, ahead, iteration int) []signal {
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
				all = append(all, r.signals(op.Body, idle, ahead, i)...)
			}
		case ir.OpIf:
			branch := op.Body
			switch parts := op.Note == aheadPart || op.Note == behindPart; {
			case op.Note == aheadPart && iteration >= rehearsed || op.Note == behindPart && iteration < ahead:
				continue
			case op.X[0].Uses(r.half) && idle, !op.X[0].Uses(r.half) && !parts && r.other:
				branch = op.Else
			}
			all = append(all, r.signals(branch, idle, ahead, iteration)...)
		}
	}
	return all
}

// inStep reports that the programs never wait for one another without end, and that tiles whose crossings share flags come in the order
// in which they are taken.
func (r *rehearsal) inStep(cube, vector *ir.Block) bool {
	for _, other := range []bool{false, true} {
		r.other = other
		if !r.run(r.signals(cube, false, r.ahead[0], 0), r.signals(vector, false, r.ahead[1], 0), r.signals(vector, true, r.ahead[1], 0)) {
			return false
		}
	}
	return true
}

// run has the cube core and the two vector cores come to their flags. A flag of the cube reaches both vector cores; one of theirs counts
// when both have raised it.
func (r *rehearsal) run(cores ...[]signal) bool {
	raised := [3]map[int64][]int64{{}, {}, {}} // by core and number: the crossings' own flags
	taken := [3]map[int64]int{{}, {}, {}}
	for moved := true; moved; {
		moved = false
		for c := range cores {
			for len(cores[c]) > 0 {
				s := cores[c][0]
				n := r.numbers[s.flag]
				if s.set {
					raised[c][n] = append(raised[c][n], s.flag)
				} else {
					from := [][]int64{raised[0][n]}
					if c == 0 {
						from = [][]int64{raised[1][n], raised[2][n]}
					}
					at := taken[c][n]
					if at >= len(from[0]) || at >= len(from[len(from)-1]) {
						break
					}
					for _, f := range from {
						if full := s.flag%2 == 0; full && f[at] != s.flag {
							return false
						}
					}
					taken[c][n]++
				}
				cores[c] = cores[c][1:]
				moved = true
			}
		}
	}
	return len(cores[0])+len(cores[1])+len(cores[2]) == 0
}
