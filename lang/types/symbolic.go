package types

import "tilec/lang/ast"

// formula returns the value of a checked integer expression as an extent; unknown if it has no such form.
func (c *checker) formula(e ast.Expr) Extent {
	if v := c.constOf(e); v.Valid() {
		if n, ok := v.Int64(); ok {
			return ConstExtent(n)
		}
		return unknownExtent()
	}
	switch e := e.(type) {
	case *ast.Ident:
		if s, ok := c.info.Uses[e].(*Scalar); ok && s.Type.IsInt() {
			if s.known != nil {
				return *s.known
			}
			if s.Kind != MutScalar {
				return scalarExtent(s)
			}
		}
	case *ast.Unary:
		if e.Op == ast.Neg {
			return ConstExtent(-1).Mul(c.formula(e.X))
		}
	case *ast.Binary:
		if t := c.info.Types[e]; t.Kind != Index {
			break // arithmetic of fixed width wraps
		}
		return combine(e.Op, c.formula(e.X), c.formula(e.Y))
	case *ast.Call:
		return c.callFormula(e)
	}
	return unknownExtent()
}

func combine(op ast.BinaryOp, x, y Extent) Extent {
	switch op {
	case ast.Add:
		return x.Add(y)
	case ast.Sub:
		return x.Sub(y)
	case ast.Mul:
		return x.Mul(y)
	case ast.Div:
		return x.Div(y)
	case ast.Rem:
		return x.Mod(y)
	}
	return unknownExtent()
}

func (c *checker) callFormula(e *ast.Call) Extent {
	call := c.info.Calls[e]
	if call == nil || call.Kind != BuiltinCall || c.info.Types[e].Kind != Index {
		return unknownExtent()
	}
	arg := func(i int) Extent { return c.formula(e.Args[i]) }
	switch call.Name {
	case "ceildiv":
		return arg(0).CeilDiv(arg(1))
	case "min":
		return arg(0).Min(arg(1))
	case "max":
		return arg(0).Max(arg(1))
	case "clamp":
		return arg(1).Max(arg(0).Min(arg(2)))
	}
	return unknownExtent()
}

// taint is the set of grid indices that a value may depend on: bit i is grid index i. dataTaint marks a value that
// comes from memory, about which nothing is known.
type taint uint64

const dataTaint taint = 1 << 63

// maxGridTaint is how many grid indices are told apart; the rest count as data.
const maxGridTaint = 63

// taintOf returns what a checked expression depends on.
func (c *checker) taintOf(e ast.Expr) taint {
	if e == nil {
		return 0
	}
	if _, ok := c.info.Consts[e]; ok {
		return 0
	}
	var t taint
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if s, ok := c.info.ObjectOf(n).(*Scalar); ok {
				t |= s.taint
			}
		case *ast.Index, *ast.Reduce, *ast.Atomic:
			t |= dataTaint
		}
		return true
	})
	return t
}
