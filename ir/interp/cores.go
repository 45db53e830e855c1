package interp

import "tilec/ir"

// group is the cores that run an instance together. One of them runs at a time: it goes on until it has to wait for a flag.
type group struct {
	// counts[flag][receiver][sender] is how often the sender has raised the flag beyond what the receiver has taken.
	counts map[int64]*[coresInGroup][coresInGroup]int
	turn   [coresInGroup]chan bool // a core may go on; false: it ends
	back   chan struct{}           // the core that ran waits or has ended
}

// Cores of a group: the cube core and two vector cores.
const coresInGroup = 3

// cores compiles the programs of a group's cores, which share tiles in global memory.
func (c *compiler) cores(op *ir.Op) step {
	at := c.slotOf(op.Var).at
	cube, vector := c.block(op.Body), c.block(op.Else)
	return func(fr *frame) {
		g := &group{counts: map[int64]*[coresInGroup][coresInGroup]int{}, back: make(chan struct{})}
		frames := [coresInGroup]*frame{fr, fr.member(), fr.member()}
		var ended [coresInGroup]bool
		for i, own := range frames {
			g.turn[i] = make(chan bool)
			own.group, own.core = g, i
			if i > 0 {
				own.varI[at] = int64(i - 1)
			}
			go func() {
				defer func() {
					ended[i] = true
					g.back <- struct{}{}
				}()
				if !<-g.turn[i] {
					return
				}
				if i == 0 {
					runBlock(own, cube)
				} else {
					runBlock(own, vector)
				}
			}()
		}
		g.run(fr, frames, &ended)
		fr.group = nil
	}
}

// run gives the cores turns until all have ended, one has failed, or all wait.
func (g *group) run(fr *frame, frames [coresInGroup]*frame, ended *[coresInGroup]bool) {
	for {
		moved := false
		for i, own := range frames {
			if ended[i] || own.blocked() {
				continue
			}
			moved = true
			g.turn[i] <- true
			<-g.back
			if own.fault != nil && fr.fault == nil {
				fr.fault = own.fault
			}
		}
		waiting := false
		for _, e := range ended {
			waiting = waiting || !e
		}
		if !waiting {
			return
		}
		if !moved && fr.fault == nil {
			for i, own := range frames {
				if !ended[i] {
					fr.op = own.op
					fr.fail(own.op.Span, "the cores wait for one another: no core is left to raise the flag that this one waits for")
					break
				}
			}
		}
		if !moved || fr.halted() {
			for i := range frames {
				for !ended[i] {
					g.turn[i] <- false
					<-g.back
				}
			}
			return
		}
	}
}

// member is a frame for another core of the group: what it knows so far, its own tiles, and the shared memory.
func (fr *frame) member() *frame {
	n := fr.fork()
	n.instance = fr.instance
	for i, b := range fr.prog.buffers {
		if b.Outside() {
			n.bufs[i] = fr.bufs[i]
		}
	}
	return n
}

// blocked reports a core that waits for a flag which is not up.
func (fr *frame) blocked() bool {
	return fr.waits && !fr.group.up(fr.core, fr.flag)
}

func (g *group) flag(n int64) *[coresInGroup][coresInGroup]int {
	if g.counts[n] == nil {
		g.counts[n] = new([coresInGroup][coresInGroup]int)
	}
	return g.counts[n]
}

// up reports a flag that a core may take.
func (g *group) up(core int, n int64) bool {
	f := g.flag(n)
	if core == 0 {
		return f[0][1] > 0 && f[0][2] > 0
	}
	return f[core][0] > 0
}

// cross compiles a cross-core flag.
func (c *compiler) cross(op *ir.Op) step {
	number := c.ints(op.X[0])
	if op.Code == ir.OpCrossSet {
		return func(fr *frame) {
			if fr.group == nil {
				return
			}
			f := fr.group.flag(number.one(fr))
			if fr.core == 0 {
				f[1][0]++
				f[2][0]++
			} else {
				f[0][fr.core]++
			}
		}
	}
	return func(fr *frame) {
		g := fr.group
		if g == nil {
			return
		}
		fr.waits, fr.flag = true, number.one(fr)
		for !g.up(fr.core, fr.flag) {
			g.back <- struct{}{}
			if !<-g.turn[fr.core] {
				fr.fail(op.Span, "ended while it waits for another core")
				return
			}
		}
		fr.waits = false
		f := g.flag(fr.flag)
		if fr.core == 0 {
			f[0][1]--
			f[0][2]--
		} else {
			f[fr.core][0]--
		}
	}
}
