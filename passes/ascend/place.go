package ascend

import (
	"tilec/ir"
	"tilec/passes"
)

// place gives every tile a memory.
func place(ctx *passes.Context, f *ir.Func) error {
	for _, t := range f.Tensors() {
		t.Space = ir.Global
	}
	var err error
	set := func(b *ir.Buffer) {
		switch {
		case b.Pinned && ctx.Machine.Memory(b.Space) == nil:
			// a hint for another target's memories
			b.Space = ir.UB
		case b.Space == ir.Unplaced:
			b.Space = ir.UB
		}
	}
	f.Body.Walk(func(op *ir.Op) {
		if op.Buf != nil {
			set(op.Buf)
		}
		if op.Scratch != nil {
			set(op.Scratch)
		}
	})
	f.Form = ir.PlacedForm
	return err
}
