package interp

import "tilec/ir"

// temporary makes a buffer of the interpreter's own with an element a point of a
// domain, and gives the access to it at that point.
func (c *compiler) temporary(elem ir.DType, dom []ir.Iter) *ir.Access {
	b := &ir.Buffer{Name: "temporary", Elem: elem, Kind: ir.Temporary}
	a := &ir.Access{Buf: b}
	for _, it := range dom {
		b.Shape = append(b.Shape, it.Extent)
		a.Index = append(a.Index, ir.RefTo(it.Var))
	}
	return a
}

// prepare allocates a buffer whose shape may depend on dimensions, without
// marks of what is written.
func (c *compiler) prepare(b *ir.Buffer) step {
	at := c.bufferNumber(b)
	var shape []node[int64]
	for _, e := range b.Shape {
		shape = append(shape, c.ints(e))
	}
	return func(fr *frame) {
		ext := make([]int, len(shape))
		same := fr.bufs[at] != nil
		for d, n := range shape {
			ext[d] = int(max(n.one(fr), 0))
			same = same && ext[d] == fr.bufs[at].ext[d]
		}
		if _, ok := elements(ext); !ok {
			fr.fail(b.Span, "%s of shape %s is too large", b.Name, shapeText(ext))
			return
		}
		if !same {
			fr.bufs[at] = newStore(b, b.Elem, ext)
		}
	}
}

// sequence runs steps one after another until one fails.
func sequence(steps ...step) step {
	return func(fr *frame) {
		for _, s := range steps {
			if s(fr); fr.fault != nil {
				return
			}
		}
	}
}
