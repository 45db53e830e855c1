package interp

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// scan compiles an inclusive scan: the source is copied, combined in place along
// the axis, and stored.
func (c *compiler) scan(op *ir.Op) step {
	if op.Axis < 0 || op.Axis >= len(op.Dom) {
		c.fail("scan along axis %d of %d", op.Axis, len(op.Dom))
		return nil
	}
	t := op.Src[0].Buf.Elem
	acc := c.temporary(sumType(t), op.Dom)
	at := c.bufferNumber(acc.Buf)
	ready := c.prepare(acc.Buf)
	first := c.assign(assignment{dom: op.Dom, rowVar: rowOf(op.Dom), dst: acc, x: ir.LoadAt(op.Src[0])})
	last := c.assign(assignment{dom: op.Dom, rowVar: rowOf(op.Dom), dst: op.Dst, x: ir.LoadAt(acc)})
	var along step
	switch kindOf(t) {
	case kindF:
		along = scanOf(laneF, floatCombiner[float32](c, op.Combine), at, op.Axis)
	case kindD:
		along = scanOf(laneD, floatCombiner[float64](c, op.Combine), at, op.Axis)
	case kindI:
		k := intCombiner(c, t, op.Combine)
		if one := k.one; one != nil {
			k.one = func(x, y int64) int64 { return array.WrapInt(t, one(x, y)) }
		}
		along = scanOf(laneI, k, at, op.Axis)
	case kindB:
		along = scanOf(laneB, boolCombiner(c, op.Combine), at, op.Axis)
	}
	return sequence(ready, first, c.scratch(op), along, last)
}

func scanOf[T lane](tr *traits[T], k combiner[T], at, axis int) step {
	return func(fr *frame) {
		st := fr.bufs[at]
		cells, stride := tr.cells(st), st.stride[axis]
		for i := range cells {
			if i/stride%st.ext[axis] > 0 {
				cells[i] = k.one(cells[i-stride], cells[i])
			}
		}
	}
}
