package cuda

import (
	"fmt"

	"tilec/ir"
	"tilec/runtime/array"
)

// computesSubBytes reports an operation on integers below 8 bits other than moving
// them.
func computesSubBytes(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const, ir.Ref, ir.Load, ir.Cast, ir.Bitcast, ir.Select:
		return false
	}
	return len(e.Args) > 0 && e.Args[0].Type.IsInt() && e.Args[0].Type.Bits() < 8
}

// widened computes such an operation in i32, which holds all its operands and of
// whose results the low bits are kept.
func widened(e *ir.Expr) *ir.Expr {
	w := *e
	w.Args = make([]*ir.Expr, len(e.Args))
	for i, x := range e.Args {
		w.Args[i] = x
		if x.Type.IsInt() && x.Type.Bits() < 8 {
			w.Args[i] = &ir.Expr{Op: ir.Cast, Type: array.I32, Args: []*ir.Expr{x}}
		}
	}
	if e.Type == array.Bool {
		return &w
	}
	w.Type = array.I32
	return &ir.Expr{Op: ir.Cast, Type: e.Type, Args: []*ir.Expr{&w}}
}

// storesSubBytes reports an operation that stores elements which share bytes.
func storesSubBytes(op *ir.Op) bool {
	return op.Dst != nil && op.Dst.Buf.Space != ir.Register && op.Dst.Buf.Elem.Bits() < 8
}

// toBytes computes a group of elements of four bits and stores it byte by byte. A
// byte of which only one element is to be stored keeps the other, except that
// nothing lies behind the end of a row.
func (p *points) toBytes(value *ir.Expr) {
	k, dst := p.k, p.op.Dst
	last := len(dst.Index) - 1
	k.w.Line("#pragma unroll")
	k.w.Open("for (int e = 0; e < %d; e += 2)", p.v)
	a, b := p.at("e"), p.at("(e + 1)")
	x, y := k.expr(value, a)+".bits & 15", k.expr(value, b)+".bits & 15"
	if p.where == nil {
		k.w.Line("%s(%s, true, %s, true, %s, false);", "store_pair", k.address(dst, a), x, y)
	} else {
		in, next := k.names.Take("in"), k.names.Take("next")
		k.w.Line("const bool %s = %s, %s = %s;", in, k.expr(p.where, a), next, k.expr(p.where, b))
		end := fmt.Sprintf("%s + 1 == %s", k.expr(dst.Index[last], a), k.expr(dst.Buf.Shape[last], a))
		k.w.Line("if (%s || %s) %s(%s, %s, %s ? %s : 0, %s, %s ? %s : 0, %s);", in, next, "store_pair", k.address(dst, a), in, in, x, next, next, y, end)
	}
	k.w.Close("")
}
