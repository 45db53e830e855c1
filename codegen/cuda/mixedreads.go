package cuda

import "tilec/ir"

// mixesReads reports a choice between an element of a tensor that is only read and one
// of a tensor that the kernel writes. NVIDIA's compiler makes one load of two such
// loads, and up to NVVM 7 marks it ld.global.nc if one of the pointers is const and
// restrict: a cache that does not see the kernel's own writes.
func mixesReads(f *ir.Func) bool {
	found := false
	f.Body.Walk(func(op *ir.Op) {
		op.Exprs(func(e *ir.Expr) bool {
			if e.Op == ir.Select {
				found = found || readsOf(e.Args[1]).mixed(readsOf(e.Args[2]))
			}
			return true
		})
		if op.Code == ir.OpIf && op.Else != nil {
			found = found || readsIn(op.Body).mixed(readsIn(op.Else))
		}
	})
	return found
}

// readKinds says what kinds of tensors some code reads.
type readKinds struct{ constant, written bool }

func (r readKinds) and(s readKinds) readKinds {
	return readKinds{r.constant || s.constant, r.written || s.written}
}

func (r readKinds) mixed(s readKinds) bool { return r.constant && s.written || r.written && s.constant }

func (r readKinds) of(a *ir.Access) readKinds {
	if a.Buf.Kind.IsTensor() {
		return r.and(readKinds{constant: a.Buf.Kind == ir.In, written: a.Buf.Kind != ir.In})
	}
	return r
}

func readsOf(e *ir.Expr) (r readKinds) {
	e.Walk(func(x *ir.Expr) bool {
		if x.Op == ir.Load {
			r = r.of(x.At)
		}
		return true
	})
	return r
}

func readsOfOp(op *ir.Op) (r readKinds) {
	op.Loads(func(a *ir.Access) { r = r.of(a) })
	return r
}

func readsIn(b *ir.Block) (r readKinds) {
	b.Walk(func(op *ir.Op) { r = r.and(readsOfOp(op)) })
	return r
}
