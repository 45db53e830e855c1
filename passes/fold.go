package passes

import "tilec/ir"

// fold simplifies an index or condition expression that a pass has just built.
func fold(e *ir.Expr) *ir.Expr { return e.Map(foldNode) }

// foldNode simplifies one node whose operands are simple already: arithmetic on
// index constants, neutral elements, and conditions with constant operands.
func foldNode(e *ir.Expr) *ir.Expr {
	switch {
	case e.Op == ir.And:
		if e.Args[0].IsConst() {
			if e.Args[0].Int != 0 {
				return e.Args[1]
			}
			return e.Args[0]
		}
		if e.Args[1].IsInt(1) {
			return e.Args[0]
		}
		return e
	case e.Op == ir.Or:
		if e.Args[0].IsConst() {
			if e.Args[0].Int == 0 {
				return e.Args[1]
			}
			return e.Args[0]
		}
		return e
	case e.Op == ir.Not && e.Args[0].IsConst():
		return ir.BoolOf(e.Args[0].Int == 0)
	case e.Op == ir.Select && e.Args[0].IsConst():
		if e.Args[0].Int != 0 {
			return e.Args[1]
		}
		return e.Args[2]
	}
	if len(e.Args) != 2 || e.Args[0].Type != ir.Index {
		return e
	}
	x, y := e.Args[0], e.Args[1]
	if x.IsConst() && y.IsConst() {
		switch e.Op {
		case ir.Add:
			return ir.Int(x.Int + y.Int)
		case ir.Sub:
			return ir.Int(x.Int - y.Int)
		case ir.Mul:
			return ir.Int(x.Int * y.Int)
		case ir.Min:
			return ir.Int(min(x.Int, y.Int))
		case ir.Max:
			return ir.Int(max(x.Int, y.Int))
		case ir.Lt:
			return ir.BoolOf(x.Int < y.Int)
		case ir.Le:
			return ir.BoolOf(x.Int <= y.Int)
		case ir.Eq:
			return ir.BoolOf(x.Int == y.Int)
		}
	}
	switch {
	case (e.Op == ir.Add || e.Op == ir.Sub) && y.IsInt(0):
		return x
	case e.Op == ir.Add && x.IsInt(0):
		return y
	case (e.Op == ir.Mul || e.Op == ir.Div) && y.IsInt(1):
		return x
	case e.Op == ir.Mul && x.IsInt(1):
		return y
	case e.Op == ir.Mul && (x.IsInt(0) || y.IsInt(0)):
		return ir.Int(0)
	case e.Op == ir.Add && y.IsConst() && x.Op == ir.Add && x.Args[1].IsConst():
		return foldNode(ir.Bin(ir.Add, x.Args[0], ir.Int(x.Args[1].Int+y.Int)))
	}
	return e
}
