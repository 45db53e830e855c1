package launcher

import "tilec/ir"

// signs knows which scalars are never negative, so that a division can be written plainly.
type signs map[*ir.Var]bool

// signsOf takes the dimensions and the unsigned parameters of a function.
func signsOf(f *ir.Func) signs {
	s := signs{}
	for _, d := range f.Dims {
		s[d.Var] = true
	}
	for _, p := range f.Params {
		if p.Scalar != nil && p.Scalar.Type.IsUnsigned() && p.Scalar.Type.Bits() < 64 {
			s[p.Scalar] = true
		}
	}
	return s
}

// natural reports an integer expression that is 0 or more for all dimensions that a launch takes.
func (s signs) natural(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return e.Int >= 0
	case ir.Ref:
		return s[e.Var]
	case ir.Cast:
		return e.Type == ir.Index && e.Args[0].Type.IsInt() && s.natural(e.Args[0])
	case ir.Add, ir.Mul, ir.Div, ir.Min:
		return e.Type == ir.Index && s.natural(e.Args[0]) && s.natural(e.Args[1])
	case ir.Max:
		return s.natural(e.Args[0]) || s.natural(e.Args[1])
	case ir.Mod:
		return e.Type == ir.Index && s.natural(e.Args[1])
	case ir.Select:
		return s.natural(e.Args[1]) && s.natural(e.Args[2])
	}
	return false
}

// plain reports a division whose result truncation and rounding down agree on, and that is not by zero.
func (s signs) plain(e *ir.Expr) bool {
	d := e.Args[1]
	return d.IsConst() && d.Int > 0 && s.natural(e.Args[0])
}
