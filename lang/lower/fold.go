package lower

import (
	"math"

	"tilec/ir"
	"tilec/runtime/array"
)

// cast converts x to type t; constants are converted at once.
func cast(t ir.DType, x *ir.Expr) *ir.Expr {
	if x.Type == t || !x.IsConst() {
		return located(ir.CastTo(t, x), x.Span)
	}
	c := &ir.Expr{Op: ir.Const, Type: t, Span: x.Span}
	from, to := x.Type, t
	switch {
	case from.IsFloat() && to.IsFloat():
		c.Float = array.RoundFloat(to, x.Float)
	case from.IsFloat():
		c.Int = array.DecodeInt(to, array.EncodeFloat(to, x.Float))
	case to.IsFloat() && from == array.U64:
		c.Float = array.RoundFloat(to, array.DecodeFloat(from, uint64(x.Int)))
	case to.IsFloat():
		c.Float = array.DecodeFloat(to, array.EncodeInt(to, x.Int))
	default:
		c.Int = array.DecodeInt(to, array.EncodeInt(to, x.Int))
	}
	return c
}

// bin is ir.Bin that folds integer and bool constants and drops neutral
// elements of integer operations.
func bin(op ir.ExprOp, x, y *ir.Expr) *ir.Expr {
	if x.Type.IsFloat() {
		return ir.Bin(op, x, y)
	}
	if x.IsConst() && y.IsConst() {
		if c, ok := foldInt(op, x, y); ok {
			return c
		}
	}
	switch op {
	case ir.Add:
		if isInt(x, 0) {
			return y
		}
		if isInt(y, 0) {
			return x
		}
	case ir.Sub:
		if isInt(y, 0) {
			return x
		}
	case ir.Mul:
		switch {
		case isInt(x, 0), isInt(y, 1):
			return x
		case isInt(y, 0), isInt(x, 1):
			return y
		}
	case ir.Div:
		if isInt(y, 1) {
			return x
		}
	case ir.And:
		switch {
		case isInt(x, 1), isInt(y, 0) && !hasLoad(x):
			return y
		case isInt(y, 1), isInt(x, 0):
			return x
		}
	case ir.Or:
		switch {
		case isInt(x, 0), isInt(y, 1) && !hasLoad(x):
			return y
		case isInt(y, 0), isInt(x, 1):
			return x
		}
	}
	return ir.Bin(op, x, y)
}

func isInt(e *ir.Expr, v int64) bool {
	return e.Op == ir.Const && !e.Type.IsFloat() && e.Int == v
}

// foldInt evaluates an operation on integer or bool constants of signed types
// and bool; u64 values beyond 2^63 are left alone.
func foldInt(op ir.ExprOp, x, y *ir.Expr) (*ir.Expr, bool) {
	a, b := x.Int, y.Int
	if x.Type == array.U64 && (a < 0 || b < 0) {
		return nil, false
	}
	truth := func(v bool) (*ir.Expr, bool) { return ir.BoolOf(v), true }
	value := func(v int64) (*ir.Expr, bool) { return ir.IntOf(x.Type, array.WrapInt(x.Type, v)), true }
	switch op {
	case ir.Add:
		return value(a + b)
	case ir.Sub:
		return value(a - b)
	case ir.Mul:
		return value(a * b)
	case ir.Div:
		if b == 0 {
			return value(0)
		}
		if a == math.MinInt64 && b == -1 {
			return nil, false
		}
		return value(ir.FloorDiv(a, b))
	case ir.Mod:
		if b == 0 || b == -1 {
			return value(0)
		}
		return value(a - b*ir.FloorDiv(a, b))
	case ir.Min:
		return value(min(a, b))
	case ir.Max:
		return value(max(a, b))
	case ir.And:
		return truth(a != 0 && b != 0)
	case ir.Or:
		return truth(a != 0 || b != 0)
	case ir.Eq:
		return truth(a == b)
	case ir.Ne:
		return truth(a != b)
	case ir.Lt:
		return truth(a < b)
	case ir.Le:
		return truth(a <= b)
	case ir.Gt:
		return truth(a > b)
	case ir.Ge:
		return truth(a >= b)
	}
	return nil, false
}

// conj is the conjunction of conditions without constants and repetitions; nil
// ones are left out, nil is the empty one.
func conj(cs ...*ir.Expr) *ir.Expr {
	var all []*ir.Expr
	for _, c := range cs {
	next:
		for _, part := range ir.Conjuncts(c) {
			if isInt(part, 1) {
				continue
			}
			for _, have := range all {
				if same(have, part) {
					continue next
				}
			}
			all = append(all, part)
		}
	}
	return ir.Conj(all...)
}

// same reports that two expressions are written alike, scalars and buffers by
// identity.
func same(a, b *ir.Expr) bool {
	switch {
	case a == b:
		return true
	case a == nil || b == nil:
		return false
	case a.Op != b.Op || a.Type != b.Type || a.Var != b.Var || len(a.Args) != len(b.Args):
		return false
	case a.Op == ir.Const:
		return a.Int == b.Int && math.Float64bits(a.Float) == math.Float64bits(b.Float)
	}
	for i := range a.Args {
		if !same(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return sameAccess(a.At, b.At)
}

func sameAccess(a, b *ir.Access) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Buf == b.Buf && sameIndex(a.Index, b.Index) && same(a.Guard, b.Guard) && same(a.Else, b.Else)
}

func sameIndex(a, b []*ir.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// hasLoad reports whether e reads a buffer.
func hasLoad(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load
		return !found
	})
	return found
}

// loads reports whether e reads b.
func loads(e *ir.Expr, b *ir.Buffer) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load && x.At.Buf == b
		return !found
	})
	return found
}
