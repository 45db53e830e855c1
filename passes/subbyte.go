package passes

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/layout"
)

// storesSubBytes reports an operation that stores elements which share bytes.
func storesSubBytes(op *ir.Op) bool {
	return op.Dst != nil && op.Dst.Buf.Space != ir.Register && op.Dst.Buf.Elem.Bits() < 8
}

// wholeBytes spreads the operations that store elements of less than a byte, ahead
// of others, so that each byte is one thread's.
func (l *layouts) wholeBytes() {
	for _, op := range l.ops {
		if op.Layout == nil && storesSubBytes(op) && l.lastIter(op) >= 0 {
			op.Layout = l.forMemory(op)
			l.give(op)
		}
	}
}

// lastIter is the iteration variable, by position, that runs along the last
// dimension of what op stores, -1 if none does by single steps.
func (l *layouts) lastIter(op *ir.Op) int {
	for i, it := range op.Iters() {
		if n := len(op.Dst.Index); n > 0 {
			if _, ok := ir.Without(op.Dst.Index[n-1], it.Var); ok {
				return i
			}
		}
	}
	return -1
}

// checkBytes refuses stores whose threads would share bytes.
func (l *layouts) checkBytes(ctx *Context) error {
	var failed error
	l.f.Body.Walk(func(op *ir.Op) {
		if failed != nil || !storesSubBytes(op) {
			return
		}
		per := 8 / op.Dst.Buf.Elem.Bits()
		i := l.lastIter(op)
		if (op.Code == ir.OpMap || op.Code == ir.OpCopy) && i >= 0 && inThread(op, i) >= per && l.align.Width(op.Dst, op.Iters()[i].Var) >= per {
			return
		}
		ctx.Reporter.Errorf(diag.NotSupported, op.Span, "storing single elements of %s is not supported yet: %d of them share a byte", op.Dst.Buf.Elem, per).
			Hint("index the last dimension of %s by a free index, plus a multiple of %d", op.Dst.Buf.Name, per)
		failed = ErrReported
	})
	return failed
}

// inThread is how many consecutive elements along iteration variable i a thread
// has, in consecutive registers of the operation.
func inThread(op *ir.Op, i int) int {
	n := 1
	for _, basis := range op.Layout.Bases(layout.Reg) {
		if basis[i] != n {
			break
		}
		n *= 2
	}
	return n
}
