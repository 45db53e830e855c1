package interp

import (
	"tilec/internal/diag"
	"tilec/ir"
)

// domain is the points of an operation as rows.
type domain struct {
	outer []gridVar // all variables but the row's, slowest first
	// extent of the row variable; a row has one lane when there is none.
	extent func(*frame) int64
}

// rowOf picks the row variable among iters: the last one that isn't trivial.
func rowOf(iters []ir.Iter) *ir.Var {
	for i := len(iters) - 1; i >= 0; i-- {
		if !iters[i].Extent.IsInt(1) {
			return iters[i].Var
		}
	}
	return nil
}

// domainOf compiles iteration variables; v, one of them or nil, runs along rows.
func (c *compiler) domainOf(iters []ir.Iter, v *ir.Var) *domain {
	d := &domain{}
	for _, it := range iters {
		n := c.ints(it.Extent)
		if it.Var == v && v != nil {
			d.extent = n.one
			continue
		}
		d.outer = append(d.outer, gridVar{it.Var.Name, c.slotOf(it.Var).at, n})
	}
	return d
}

// maxLanes is the longest row.
const maxLanes = 1 << 28

// lanes returns the length of a row; 0 after a fault.
func (d *domain) lanes(fr *frame) int {
	if d.extent == nil {
		return 1
	}
	n := d.extent(fr)
	if n > maxLanes {
		fr.fail(diag.Span{}, "an index that runs to %d is not supported yet", n)
		return 0
	}
	return int(max(n, 0))
}

// rows returns the number of rows.
func (d *domain) rows(fr *frame) int {
	n := int64(1)
	for _, v := range d.outer {
		n *= max(v.extent.one(fr), 0)
	}
	return int(n)
}

// seek sets the variables to a row.
func (d *domain) seek(fr *frame, row int) {
	for i := len(d.outer) - 1; i >= 0; i-- {
		v := &d.outer[i]
		n := int(v.extent.one(fr))
		fr.varI[v.slot] = int64(row % n)
		row /= n
	}
}

// next moves to the next row, the last variable fastest.
func (d *domain) next(fr *frame) {
	for i := len(d.outer) - 1; i >= 0; i-- {
		v := &d.outer[i]
		fr.varI[v.slot]++
		if fr.varI[v.slot] < v.extent.one(fr) {
			return
		}
		fr.varI[v.slot] = 0
	}
}

// over starts the translation of what runs over iters in rows of v; the result
// ends it.
func (c *compiler) over(iters []ir.Iter, v *ir.Var) (end func()) {
	outerIters, outer := c.iters, c.rowVar
	c.iters, c.rowVar = iters, v
	return func() { c.iters, c.rowVar = outerIters, outer }
}
