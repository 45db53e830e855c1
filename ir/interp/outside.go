package interp

import (
	"fmt"
	"strings"

	"tilec/ir"
)

// assert compiles a condition that must hold at every point of a domain.
func (c *compiler) assert(op *ir.Op) step {
	v := rowOf(op.Dom)
	defer c.over(op.Dom, v)()
	dom, cond := c.domainOf(op.Dom, v), c.bools(op.X[0])
	text := strings.Join(op.Text, "")
	return func(fr *frame) {
		n, rows := dom.lanes(fr), dom.rows(fr)
		if n == 0 || rows == 0 {
			return
		}
		mark := fr.mark()
		defer fr.release(mark)
		ok := fr.tmpB.take(n)
		dom.seek(fr, 0)
		for range rows {
			cond.fill(fr, mask{hi: n}, ok)
			for l := range n {
				if !ok[l] && fr.fault == nil {
					fr.fail(op.Span, "assertion failed: %s%s", text, point(fr, op.Dom, v, l))
				}
			}
			if fr.halted() {
				return
			}
			dom.next(fr)
		}
	}
}

// point spells the values of the iteration variables at a lane of a row.
func point(fr *frame, dom []ir.Iter, rowVar *ir.Var, lane int) string {
	if len(dom) == 0 {
		return ""
	}
	var parts []string
	for _, it := range dom {
		v := fr.varI[fr.prog.slots[it.Var].at]
		if it.Var == rowVar {
			v = int64(lane)
		}
		parts = append(parts, fmt.Sprintf("%s = %d", it.Var.Name, v))
	}
	return " (at " + strings.Join(parts, ", ") + ")"
}

// print compiles the printing of scalars between pieces of text, as one line.
func (c *compiler) print(op *ir.Op) step {
	var values []func(*frame) string
	for _, x := range op.X {
		switch kindOf(x.Type) {
		case kindF:
			n := c.floats(x)
			values = append(values, func(fr *frame) string { return fmt.Sprint(n.one(fr)) })
		case kindD:
			n := c.doubles(x)
			values = append(values, func(fr *frame) string { return fmt.Sprint(n.one(fr)) })
		case kindI:
			n := c.ints(x)
			values = append(values, func(fr *frame) string { return fmt.Sprint(n.one(fr)) })
		case kindB:
			n := c.bools(x)
			values = append(values, func(fr *frame) string { return fmt.Sprint(n.one(fr)) })
		}
	}
	return func(fr *frame) {
		var line strings.Builder
		for i := range max(len(op.Text), len(values)) {
			if i < len(op.Text) {
				line.WriteString(op.Text[i])
			}
			if i < len(values) {
				line.WriteString(values[i](fr))
			}
		}
		line.WriteByte('\n')
		if fr.fault == nil {
			fr.printed = append(fr.printed, line.String()...)
		}
	}
}
