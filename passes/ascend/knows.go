package ascend

import (
	"tilec/ir"
	"tilec/passes"
	"tilec/passes/affine"
)

// knowledge is what the scalars of a function can be, at the operation at hand.
type knowledge struct{ *affine.Prover }

// under visits the blocks of an operation, where what its scalars say is known; what a let says is known from there on.
func (k knowledge) under(op *ir.Op, block func(*ir.Block)) {
	mark := k.Mark()
	switch op.Code {
	case ir.OpLet:
		if op.Var.Type == ir.Index && passes.Settled(op.X[0]) {
			k.Define(op.Var, op.X[0])
		}
		return
	case ir.OpFor:
		passes.DeclareLoop(k.Prover, op)
	case ir.OpIf:
		for _, c := range ir.Conjuncts(op.X[0]) {
			if passes.Settled(c) {
				k.Assume(c)
			}
		}
	}
	block(op.Body)
	k.Release(mark)
	if op.Code == ir.OpIf && passes.Settled(op.X[0]) {
		k.Refute(op.X[0])
	}
	block(op.Else)
	k.Release(mark)
}

// holds reports a condition that holds at every point of a domain for certain.
func (k knowledge) holds(dom []ir.Iter, c *ir.Expr) bool {
	mark := k.Mark()
	defer k.Release(mark)
	for _, it := range dom {
		k.Range(it.Var, ir.Int(0), it.Extent)
	}
	return k.Holds(c)
}

// inside reports an element of a tile that is there at every point of a domain for certain.
func (k knowledge) inside(dom []ir.Iter, a *ir.Access) bool {
	for d, x := range a.Index {
		if !k.holds(dom, ir.Bin(ir.Ge, x, ir.Int(0))) || !k.holds(dom, ir.Bin(ir.Lt, x, a.Buf.Shape[d])) {
			return false
		}
	}
	return true
}
