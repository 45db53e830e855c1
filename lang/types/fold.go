package types

import (
	"errors"
	"math"
	"math/big"

	"tilec/lang/ast"
	"tilec/runtime/array"
)

// Reasons why a constant expression has no value.
var (
	errDivideByZero = errors.New("division by zero")
	errOverflow     = errors.New("the result does not fit into 64 bits")
	errShift        = errors.New("negative shift")
)

// rounded returns v as a value of type t: typed floats are rounded, typed integers wrap. Index and untyped integers
// keep their value, or overflow.
func rounded(v Value, t Type) Value {
	switch {
	case t.Kind == Number && t.Elem.IsFloat():
		f, _ := v.Float64()
		return FloatOf(array.DecodeFloat(t.Elem, array.EncodeFloat(t.Elem, f)))
	case t.Kind == UntypedFloat:
		f, _ := v.Float64()
		return FloatOf(f)
	case t.Kind == Number && t.Elem.IsInt() && v.Kind == IntValue:
		return Value{Kind: IntValue, num: wrap(v.num, t.Elem)}
	}
	return v
}

// wrap reduces n to the range of an integer type, two's complement.
func wrap(n *big.Int, t array.DType) *big.Int {
	width := uint(t.Bits())
	r := new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1)))
	if t.IsSigned() && r.Bit(int(width)-1) == 1 {
		r.Sub(r, new(big.Int).Lsh(big.NewInt(1), width))
	}
	return r
}

// foldBinary computes x op y, where t is the type of the result (of the operands, for comparisons). There may be no
// value without an error.
func foldBinary(op ast.BinaryOp, x, y Value, t Type) (Value, error) {
	switch {
	case !x.Valid() || !y.Valid():
		return foldLogic(op, x, y), nil
	case x.Kind == BoolValue && y.Kind == BoolValue:
		return foldBools(op, x.Bool, y.Bool), nil
	case x.Kind == DTypeValue && y.Kind == DTypeValue:
		switch op {
		case ast.Eq:
			return BoolOf(x.DType == y.DType), nil
		case ast.Ne:
			return BoolOf(x.DType != y.DType), nil
		}
		return Value{}, nil
	case x.Kind == IntValue && y.Kind == IntValue && !t.IsFloat():
		return foldInts(op, x.num, y.num, t)
	}
	f, ok1 := x.Float64()
	g, ok2 := y.Float64()
	if !ok1 || !ok2 {
		return Value{}, nil
	}
	return foldFloats(op, f, g, t), nil
}

// foldLogic decides `and` and `or` by one side alone.
func foldLogic(op ast.BinaryOp, x, y Value) Value {
	for _, v := range [2]Value{x, y} {
		if v.Kind == BoolValue && (op == ast.Or && v.Bool || op == ast.And && !v.Bool) {
			return v
		}
	}
	return Value{}
}

func foldBools(op ast.BinaryOp, x, y bool) Value {
	switch op {
	case ast.And, ast.BitAnd:
		return BoolOf(x && y)
	case ast.Or, ast.BitOr:
		return BoolOf(x || y)
	case ast.Ne, ast.BitXor:
		return BoolOf(x != y)
	case ast.Eq:
		return BoolOf(x == y)
	}
	return Value{}
}

func compared(op ast.BinaryOp, order int) Value {
	switch op {
	case ast.Eq:
		return BoolOf(order == 0)
	case ast.Ne:
		return BoolOf(order != 0)
	case ast.Lt:
		return BoolOf(order < 0)
	case ast.Le:
		return BoolOf(order <= 0)
	case ast.Gt:
		return BoolOf(order > 0)
	case ast.Ge:
		return BoolOf(order >= 0)
	}
	return Value{}
}

func foldInts(op ast.BinaryOp, x, y *big.Int, t Type) (Value, error) {
	if op.IsComparison() {
		return compared(op, x.Cmp(y)), nil
	}
	r := new(big.Int)
	switch op {
	case ast.Add:
		r.Add(x, y)
	case ast.Sub:
		r.Sub(x, y)
	case ast.Mul:
		r.Mul(x, y)
	case ast.Div, ast.Rem:
		if y.Sign() == 0 {
			return Value{}, errDivideByZero
		}
		q, m := new(big.Int).QuoRem(x, y, new(big.Int))
		if m.Sign() != 0 && m.Sign() != y.Sign() { // toward negative infinity
			q.Sub(q, big.NewInt(1))
			m.Add(m, y)
		}
		if r = q; op == ast.Rem {
			r = m
		}
	case ast.BitAnd:
		r.And(x, y)
	case ast.BitOr:
		r.Or(x, y)
	case ast.BitXor:
		r.Xor(x, y)
	case ast.Shl, ast.Shr:
		return foldShift(op, x, y, t)
	default:
		return Value{}, nil
	}
	return integer(r, t)
}

// integer makes a result of type t: it wraps where t is an integer of fixed width and overflows where it isn't.
func integer(r *big.Int, t Type) (Value, error) {
	if t.Kind == Number && t.Elem.IsInt() {
		return Value{Kind: IntValue, num: wrap(r, t.Elem)}, nil
	}
	v, ok := bigInt(r)
	if !ok || t.Kind == Index && !r.IsInt64() {
		return Value{}, errOverflow
	}
	return v, nil
}

func foldShift(op ast.BinaryOp, x, y *big.Int, t Type) (Value, error) {
	if y.Sign() < 0 {
		return Value{}, errShift
	}
	width := int64(64)
	if t.Kind == Number {
		width = int64(t.Elem.Bits())
	}
	beyond := !y.IsInt64() || y.Int64() >= width
	switch {
	case op == ast.Shr && beyond && x.Sign() < 0:
		return IntOf(-1), nil
	case beyond && t.IsUntyped() && op == ast.Shl && x.Sign() != 0:
		return Value{}, errOverflow
	case beyond:
		return IntOf(0), nil
	case op == ast.Shr:
		return integer(new(big.Int).Rsh(x, uint(y.Int64())), t)
	}
	return integer(new(big.Int).Lsh(x, uint(y.Int64())), t)
}

func foldFloats(op ast.BinaryOp, x, y float64, t Type) Value {
	if op.IsComparison() {
		if math.IsNaN(x) || math.IsNaN(y) {
			return BoolOf(op == ast.Ne)
		}
		order := 0
		if x < y {
			order = -1
		} else if x > y {
			order = 1
		}
		return compared(op, order)
	}
	var r float64
	switch op {
	case ast.Add:
		r = x + y
	case ast.Sub:
		r = x - y
	case ast.Mul:
		r = x * y
	case ast.Div:
		r = x / y
	case ast.Rem:
		if r = math.Mod(x, y); r != 0 && (r < 0) != (y < 0) {
			r += y
		}
	default:
		return Value{}
	}
	return rounded(FloatOf(r), t)
}

// foldUnary computes op x with a result of type t.
func foldUnary(op ast.UnaryOp, x Value, t Type) (Value, error) {
	switch {
	case op == ast.Not && x.Kind == BoolValue:
		return BoolOf(!x.Bool), nil
	case op == ast.BitNot && x.Kind == BoolValue:
		return BoolOf(!x.Bool), nil
	case op == ast.Neg && x.Kind == FloatValue:
		return FloatOf(-x.Float), nil
	case op == ast.Neg && x.Kind == IntValue:
		return integer(new(big.Int).Neg(x.num), t)
	case op == ast.BitNot && x.Kind == IntValue:
		return integer(new(big.Int).Not(x.num), t)
	}
	return Value{}, nil
}

// converted returns v as element type t, by an explicit conversion. The value must fit (see [Value.Fits]) but for the
// fraction that a conversion to an integer drops.
func converted(v Value, t array.DType) (Value, bool) {
	switch {
	case t == array.Bool:
		switch v.Kind {
		case BoolValue:
			return v, true
		case IntValue:
			return BoolOf(v.num.Sign() != 0), true
		case FloatValue:
			return BoolOf(v.Float != 0), true
		}
		return Value{}, false
	case v.Kind == BoolValue:
		n := IntOf(0)
		if v.Bool {
			n = IntOf(1)
		}
		return rounded(n, number(t)), true
	case t.IsInt() && v.Kind == FloatValue:
		if math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
			return Value{}, false
		}
		n, _ := big.NewFloat(math.Trunc(v.Float)).Int(nil)
		w := Value{Kind: IntValue, num: n}
		return w, w.Fits(t)
	}
	if !v.Fits(t) {
		return Value{}, false
	}
	return rounded(v, number(t)), true
}

// fold is the value of an expression that nothing has checked yet, where names and literals alone decide it. It serves
// to leave out branches that can't be taken; what it misses only makes the checker look at more.
func (c *checker) fold(e ast.Expr) Value {
	switch e := e.(type) {
	case *ast.Ident:
		switch o := c.scope.lookup(e.Name).(type) {
		case *Constant:
			return o.Value
		case *TypeName:
			return DTypeOf(o.Elem)
		}
	case *ast.Int:
		v, _ := bigInt(e.Value)
		return v
	case *ast.Float:
		return FloatOf(e.Value)
	case *ast.Bool:
		return BoolOf(e.Value)
	case *ast.Unary:
		v, _ := foldUnary(e.Op, c.fold(e.X), Type{Kind: UntypedInt})
		return v
	case *ast.Binary:
		v, _ := foldBinary(e.Op, c.fold(e.X), c.fold(e.Y), Type{Kind: UntypedInt})
		return v
	case *ast.Cond:
		if v := c.fold(e.If); v.Kind == BoolValue {
			if v.Bool {
				return c.fold(e.Then)
			}
			return c.fold(e.Else)
		}
	}
	return Value{}
}
