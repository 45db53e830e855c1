package ascend

import (
	"slices"

	"tilec/ir"
)

// ring is the tiles whose leading dimension is slots that take turns: iteration after iteration of the loop that advances stage.
type ring struct {
	slots int
	stage *ir.Var
	loops []*ir.Op // that advance the stage
}

// ringsOf finds the rings of a program: tiles all of whose accesses have a variable in front that a loop advances in each iteration.
func ringsOf(body *ir.Block) map[*ir.Buffer]*ring {
	stages := map[*ir.Var]*ring{}
	var block func(b *ir.Block, loop *ir.Op)
	block = func(b *ir.Block, loop *ir.Op) {
		if b == nil {
			return
		}
		for _, op := range b.Ops {
			if op.Code == ir.OpAssign && op.Note == nextSlot && loop != nil {
				if stages[op.Var] == nil {
					stages[op.Var] = &ring{slots: int(op.X[0].Args[0].Args[1].Int), stage: op.Var}
				}
				stages[op.Var].loops = append(stages[op.Var].loops, loop)
			}
			var inner *ir.Op // none in a branch, which may not be taken
			if op.Code == ir.OpFor || op.Code == ir.OpWhile {
				inner = op
			}
			block(op.Body, inner)
			block(op.Else, inner)
		}
	}
	block(body, nil)
	rings := map[*ir.Buffer]*ring{}
	see := func(a *ir.Access) {
		if a.Buf.Kind != ir.Tile || len(a.Index) == 0 || a.Index[0].Op != ir.Ref {
			return
		}
		if r := stages[a.Index[0].Var]; r != nil {
			rings[a.Buf] = r
		}
	}
	body.Walk(func(op *ir.Op) {
		op.Loads(see)
		if op.Dst != nil {
			see(op.Dst)
		}
	})
	return rings
}

// nextSlot marks the assignment that advances a ring.
const nextSlot = "next slot"

// ringAt is the ring of an access as seen from outside an operation: the loop that advances it touches all of its slots.
func ringAt(r *ring, op *ir.Op) *ring {
	if r != nil && slices.Contains(r.loops, op) {
		return nil
	}
	return r
}
