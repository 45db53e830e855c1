package passes

import (
	"math"

	"tilec/ir"
	"tilec/passes/affine"
	"tilec/runtime/array"
)

// Identity returns what a node is equal to, to the bit, by the algebra of its
// operation alone; the node itself if there is nothing simpler. Signs and
// payloads of nan don't count.
func Identity(e *ir.Expr) *ir.Expr {
	if c := constantOf(e); c != nil {
		return c
	}
	switch len(e.Args) {
	case 1:
		return unaryIdentity(e)
	case 2:
		first := e.Args[0].IsConst() && !e.Args[1].IsConst() // two may stay that can't be folded
		if first && e.Op.Info().Flags&ir.Commutes != 0 {
			e = &ir.Expr{Op: e.Op, Type: e.Type, Args: []*ir.Expr{e.Args[1], e.Args[0]}, Span: e.Span}
		}
		if op, ok := mirrored(e.Op); ok && first {
			e = &ir.Expr{Op: op, Type: e.Type, Args: []*ir.Expr{e.Args[1], e.Args[0]}, Span: e.Span}
		}
		switch t := e.Args[0].Type; {
		case t == array.Bool:
			return boolIdentity(e)
		case t.IsFloat():
			return floatIdentity(e)
		}
		return intIdentity(e)
	case 3:
		if e.Op == ir.Select {
			return selectIdentity(e)
		}
	}
	return e
}

func unaryIdentity(e *ir.Expr) *ir.Expr {
	x := e.Args[0]
	switch e.Op {
	case ir.Neg, ir.Not, ir.BitNot:
		if x.Op == e.Op {
			return x.Args[0]
		}
	case ir.Abs:
		if e.Type.IsUnsigned() {
			return x
		}
	case ir.Cast:
		if e.Type == x.Type {
			return x
		}
		// There and back again: nothing is lost on the way.
		if x.Op == ir.Cast && x.Args[0].Type == e.Type && widens(e.Type, x.Type) {
			return x.Args[0]
		}
	}
	if e.Op == ir.Not && len(x.Args) == 2 && !x.Args[0].Type.IsFloat() {
		if op, ok := opposite(x.Op); ok {
			return &ir.Expr{Op: op, Type: array.Bool, Args: x.Args, Span: e.Span}
		}
	}
	return e
}

// mirrored returns the comparison of y with x that says what op says of x with y.
func mirrored(op ir.ExprOp) (ir.ExprOp, bool) {
	switch op {
	case ir.Lt:
		return ir.Gt, true
	case ir.Le:
		return ir.Ge, true
	case ir.Gt:
		return ir.Lt, true
	case ir.Ge:
		return ir.Le, true
	}
	return op, false
}

// opposite returns the comparison that holds where op doesn't, of integers.
func opposite(op ir.ExprOp) (ir.ExprOp, bool) {
	switch op {
	case ir.Eq:
		return ir.Ne, true
	case ir.Ne:
		return ir.Eq, true
	case ir.Lt:
		return ir.Ge, true
	case ir.Le:
		return ir.Gt, true
	case ir.Gt:
		return ir.Le, true
	case ir.Ge:
		return ir.Lt, true
	}
	return op, false
}

// widens reports that every value of type from is one of type to.
func widens(from, to ir.DType) bool {
	switch {
	case from.IsInt() && to.IsInt():
		return from.IsSigned() == to.IsSigned() && from.Bits() <= to.Bits() ||
			from.IsUnsigned() && from.Bits() < to.Bits()
	case from.IsFloat() && to.IsFloat():
		if from.Bits() == 16 && to.Bits() == 16 || from.Bits() <= 8 && to.Bits() < 32 {
			return from == to
		}
		return from.Bits() <= to.Bits()
	}
	return false
}

func boolIdentity(e *ir.Expr) *ir.Expr {
	x, y := e.Args[0], e.Args[1]
	switch e.Op {
	case ir.And, ir.BitAnd:
		switch {
		case y.IsInt(1):
			return x
		case y.IsInt(0):
			return y
		case affine.Same(x, y):
			return x
		}
	case ir.Or, ir.BitOr:
		switch {
		case y.IsInt(0):
			return x
		case y.IsInt(1):
			return y
		case affine.Same(x, y):
			return x
		}
	case ir.Eq:
		if y.IsInt(1) {
			return x
		}
	}
	if e.Op == ir.And || e.Op == ir.Or { // not commutative: the left side decides
		switch decides := e.Op == ir.Or; {
		case x.IsConst() && (x.Int != 0) == decides:
			return x
		case x.IsConst():
			return y
		}
	}
	return e
}

func floatIdentity(e *ir.Expr) *ir.Expr {
	x, y := e.Args[0], e.Args[1]
	is := func(v float64) bool {
		return y.IsConst() && math.Float64bits(y.Float) == math.Float64bits(v)
	}
	switch e.Op {
	case ir.Add:
		if is(math.Copysign(0, -1)) { // adding +0 turns -0 into +0
			return x
		}
	case ir.Sub:
		if is(0) {
			return x
		}
	case ir.Mul:
		if is(1) {
			return x
		}
	case ir.Div:
		if is(1) {
			return x
		}
		if r, ok := exactReciprocal(y); ok {
			return &ir.Expr{Op: ir.Mul, Type: e.Type, Args: []*ir.Expr{x, r}, Span: e.Span}
		}
	case ir.Min, ir.Max:
		if affine.Same(x, y) {
			return x
		}
	}
	return e
}

// exactReciprocal returns 1/c for a power of two whose reciprocal is normal.
func exactReciprocal(c *ir.Expr) (*ir.Expr, bool) {
	if !c.IsConst() || c.Type != array.F32 && c.Type != array.F64 {
		return nil, false
	}
	frac, exp := math.Frexp(math.Abs(c.Float))
	limit := 120
	if c.Type == array.F64 {
		limit = 1000
	}
	if frac != 0.5 || exp > limit || exp < -limit {
		return nil, false
	}
	return ir.FloatOf(c.Type, 1/c.Float), true
}

func intIdentity(e *ir.Expr) *ir.Expr {
	x, y := e.Args[0], e.Args[1]
	zero := func() *ir.Expr { return ir.IntOf(e.Type, 0) }
	same := affine.Same(x, y)
	switch e.Op {
	case ir.Add, ir.BitOr, ir.BitXor, ir.Shl, ir.Shr:
		switch {
		case y.IsInt(0), e.Op == ir.BitOr && same:
			return x
		case e.Op == ir.BitXor && same:
			return zero()
		}
		// (x + a) + b
		if e.Op == ir.Add && y.IsConst() && x.Op == ir.Add && x.Args[1].IsConst() {
			sum := array.WrapInt(e.Type, x.Args[1].Int+y.Int)
			return intIdentity(ir.Bin(ir.Add, x.Args[0], ir.IntOf(e.Type, sum)))
		}
	case ir.Sub:
		switch {
		case y.IsInt(0):
			return x
		case same:
			return zero()
		}
	case ir.Mul:
		switch {
		case y.IsInt(1):
			return x
		case y.IsInt(0):
			return y
		}
	case ir.Div:
		if y.IsInt(1) {
			return x
		}
	case ir.Mod:
		if y.IsInt(1) {
			return zero()
		}
	case ir.Min, ir.Max:
		if same {
			return x
		}
	case ir.BitAnd:
		switch {
		case y.IsInt(0):
			return y
		case same:
			return x
		}
	case ir.Eq, ir.Le, ir.Ge:
		if same {
			return ir.BoolOf(true)
		}
	case ir.Ne, ir.Lt, ir.Gt:
		if same {
			return ir.BoolOf(false)
		}
	}
	return e
}

func selectIdentity(e *ir.Expr) *ir.Expr {
	c, x, y := e.Args[0], e.Args[1], e.Args[2]
	switch {
	case c.IsConst() && c.Int != 0:
		return x
	case c.IsConst():
		return y
	case affine.Same(x, y):
		return x
	case c.Op == ir.Not:
		return ir.SelectOf(c.Args[0], y, x)
	case e.Type == array.Bool && x.IsInt(1) && y.IsInt(0):
		return c
	case e.Type == array.Bool && x.IsInt(0) && y.IsInt(1):
		return Identity(ir.Un(ir.Not, c))
	}
	return e
}
