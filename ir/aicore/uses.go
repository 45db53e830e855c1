package aicore

import "tilec/ir"

// Use is how a matrix in L1 goes to the cube.
type Use struct {
	Right bool // through L0B; otherwise through L0A
	KLast bool // rows run along what is summed over
}

// Uses are the matrices in L1 and L0 of a function.
type Uses map[*ir.Buffer]Use

// UsesOf finds how a function uses the matrices in L1 and L0.
func UsesOf(f *ir.Func) Uses {
	uses := Uses{}
	f.Body.Walk(func(op *ir.Op) {
		if op.Code != ir.OpCopy || op.Pipe != ir.PipeMTE1 {
			return
		}
		from := op.Src[0]
		last := from.Index[len(from.Index)-1]
		u := Use{Right: op.Dst.Buf.Space == ir.L0B, KLast: last.Uses(op.Dom[1].Var)}
		uses[from.Buf], uses[op.Dst.Buf] = u, u
	})
	return uses
}
