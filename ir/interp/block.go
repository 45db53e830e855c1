package interp

import (
	"tilec/ir"
)

// block compiles the operations of a block.
func (c *compiler) block(b *ir.Block) []step {
	if b == nil {
		return nil
	}
	var steps []step
	for _, op := range b.Ops {
		outer := c.op
		c.op = op
		c.ops = append(c.ops, op)
		if s := c.statement(op); s != nil {
			steps = append(steps, func(fr *frame) {
				fr.op = op
				s(fr)
			})
		}
		c.op = outer
	}
	return steps
}

// run runs the steps of a block until one fails or the run is cancelled.
func runBlock(fr *frame, steps []step) {
	for _, s := range steps {
		if s(fr); fr.halted() {
			return
		}
	}
}

// statement compiles one operation; nil does nothing.
func (c *compiler) statement(op *ir.Op) step {
	switch op.Code {
	case ir.OpLet, ir.OpVar, ir.OpAssign:
		return c.scalar(op)
	case ir.OpAlloc:
		return c.alloc(op)
	case ir.OpFor:
		return c.loop(op)
	case ir.OpWhile:
		return c.while(op)
	case ir.OpIf:
		return c.branch(op)
	case ir.OpCopy:
		if op.Async && op.Dst.Buf.Space != ir.Shared {
			c.fail("asynchronous copies into %s memory are not supported yet", op.Dst.Buf.Space)
		}
		return c.copy(op)
	case ir.OpJoin:
		return c.copy(op) // tiles are whole here: a partial reduce is a plain one
	case ir.OpMap:
		return c.assign(assignment{op.Dom, rowOf(op.Dom), op.Dst, op.Where, op.X[0]})
	case ir.OpReduce:
		return c.reduce(op)
	case ir.OpContract:
		return c.contract(op)
	case ir.OpScan:
		return c.scan(op)
	case ir.OpAtomic:
		return c.atomic(op)
	case ir.OpPrint:
		return c.print(op)
	case ir.OpAssert:
		return c.assert(op)
	case ir.OpCores:
		return c.cores(op)
	case ir.OpCrossSet, ir.OpCrossWait:
		return c.cross(op)
	case ir.OpSetFlag, ir.OpWaitFlag, ir.OpPipeBarrier:
		return nil // operations run in program order here
	case ir.OpCommit, ir.OpWait, ir.OpBarrier:
		return c.order(op)
	}
	c.fail("operation %s is not supported yet", op.Code)
	return nil
}

func (c *compiler) copy(op *ir.Op) step {
	return c.assign(assignment{op.Dom, rowOf(op.Dom), op.Dst, op.Where, ir.LoadAt(op.Src[0])})
}

// scalar compiles a let, var or assign.
func (c *compiler) scalar(op *ir.Op) step {
	s := c.slotOf(op.Var)
	x := ir.CastTo(op.Var.Type, op.X[0])
	switch s.kind {
	case kindF:
		return setScalar(laneF, s.at, c.floats(x))
	case kindD:
		return setScalar(laneD, s.at, c.doubles(x))
	case kindI:
		return setScalar(laneI, s.at, c.ints(x))
	case kindB:
		return setScalar(laneB, s.at, c.bools(x))
	}
	c.fail("scalar %s has no type", op.Var.Name)
	return nil
}

func setScalar[T lane](tr *traits[T], at int, x node[T]) step {
	return func(fr *frame) { tr.vars(fr)[at] = x.one(fr) }
}

// alloc compiles the beginning of a buffer's life: nothing in it is written.
func (c *compiler) alloc(op *ir.Op) step {
	at := c.bufferNumber(op.Buf)
	if op.Buf.Kind == ir.Tile {
		return func(fr *frame) { clear(fr.bufs[at].written) }
	}
	ready := c.prepare(op.Buf)
	return func(fr *frame) {
		if ready(fr); fr.fault != nil {
			return
		}
		st := fr.bufs[at]
		if st.written == nil {
			st.written = make([]byte, st.len())
		}
		clear(st.written)
	}
}

func (c *compiler) loop(op *ir.Op) step {
	if kindOf(op.Var.Type) != kindI {
		c.fail("loop variable %s is not an integer", op.Var.Name)
		return nil
	}
	at := c.slotOf(op.Var).at
	lo, hi, by := c.ints(op.X[0]), c.ints(op.X[1]), c.ints(op.X[2])
	body := c.block(op.Body)
	return func(fr *frame) {
		i, end, step := lo.one(fr), hi.one(fr), by.one(fr)
		if step <= 0 {
			fr.fail(op.Span, "step of loop over %s is %d", op.Var.Name, step)
			return
		}
		for i < end {
			fr.varI[at] = i
			if runBlock(fr, body); fr.halted() {
				return
			}
			if i+step < i { // past the largest integer
				return
			}
			i += step
		}
	}
}

// whileLimit is how often a while may run its body before the interpreter takes
// it for endless.
const whileLimit = 1 << 26

func (c *compiler) while(op *ir.Op) step {
	cond, body := c.bools(op.X[0]), c.block(op.Body)
	return func(fr *frame) {
		for range whileLimit {
			fr.op = op
			if !cond.one(fr) || fr.halted() {
				return
			}
			if runBlock(fr, body); fr.halted() {
				return
			}
		}
		fr.op = op
		fr.fail(op.Span, "loop still runs after %d iterations", whileLimit)
	}
}

func (c *compiler) branch(op *ir.Op) step {
	cond, yes, no := c.bools(op.X[0]), c.block(op.Body), c.block(op.Else)
	return func(fr *frame) {
		if cond.one(fr) {
			runBlock(fr, yes)
		} else {
			runBlock(fr, no)
		}
	}
}
