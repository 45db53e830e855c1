package lower

import (
	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// located gives e a place if it has none; e must be new.
func located(e *ir.Expr, span diag.Span) *ir.Expr {
	if !e.Span.IsValid() {
		e.Span = span
	}
	return e
}

// natural is the type that an expression has by itself, Invalid where it takes
// the type that its context needs.
func (l *lowerer) natural(e ast.Expr) ir.DType {
	t := l.info().Types[e]
	if t.IsUntyped() || !t.Valid() {
		return array.Invalid
	}
	return l.number(t.DType())
}

// expr lowers a scalar expression to a value of type want. Reductions within it
// are emitted ahead.
func (l *lowerer) expr(e ast.Expr, want ir.DType) *ir.Expr {
	if v, ok := l.info().Consts[e]; ok {
		return l.constant(e, v, want)
	}
	own := l.natural(e)
	if own == array.Invalid {
		own = l.needed(e, want)
	}
	return cast(want, located(l.value(e, own), e.Span()))
}

// needed is the type in which an untyped expression is computed where want is
// needed: an operation of integers stays one, as it is where it is constant.
func (l *lowerer) needed(e ast.Expr, want ir.DType) ir.DType {
	if want.IsInt() || !types.IsIntegerOperation(e) || !l.info().Types[e].IsInt() {
		return want
	}
	if l.spec {
		return array.I64
	}
	return array.I32
}

// condition lowers a truth value.
func (l *lowerer) condition(e ast.Expr) *ir.Expr { return l.expr(e, array.Bool) }

// constant makes a constant of the program a value of type want, by way of the
// type that the program gives it.
func (l *lowerer) constant(e ast.Expr, v types.Value, want ir.DType) *ir.Expr {
	t := want
	if own := l.info().Types[e]; own.Valid() && !own.IsUntyped() {
		t = own.DType()
	}
	if l.spec && !l.isConversion(e) {
		t = l.number(t) // only an explicit conversion rounds in a spec
	}
	c := &ir.Expr{Op: ir.Const, Type: t, Span: e.Span()}
	switch {
	case v.Kind == types.BoolValue:
		c.Type = array.Bool
		if v.Bool {
			c.Int = 1
		}
	case t.IsFloat():
		f, _ := v.Float64()
		c.Float = array.RoundFloat(t, f)
	case v.Kind == types.FloatValue: // an untyped float where an integer is wanted
		f, _ := v.Float64()
		return cast(want, ir.FloatOf(array.F64, f))
	default:
		n, _ := v.Bits64()
		c.Int = array.WrapInt(t, n)
	}
	return cast(want, c)
}

func (l *lowerer) isConversion(e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	return ok && l.info().Calls[call] != nil && l.info().Calls[call].Kind == types.Convert
}

// value lowers an expression of type own that is not constant. The result has
// that type, or f32 where own is a narrower float.
func (l *lowerer) value(e ast.Expr, own ir.DType) *ir.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		return l.name(e)
	case *ast.Index:
		return l.element(e)
	case *ast.Unary:
		return l.unary(e, own)
	case *ast.Binary:
		return l.binary(e, own)
	case *ast.Cond:
		return l.cond(e, own)
	case *ast.Call:
		return l.call(e, own)
	case *ast.Reduce:
		return l.reduction(e, own)
	case *ast.Atomic:
		return l.atomicValue(e)
	}
	l.bug(e.Span(), "no value in %T", e)
	return ir.ZeroOf(own)
}

func (l *lowerer) name(e *ast.Ident) *ir.Expr {
	switch o := l.info().ObjectOf(e).(type) {
	case *types.Scalar:
		if b, ok := l.lookup(o); ok {
			v := *b.value
			v.Span = e.Span()
			return &v
		}
	case *types.Array:
		if b := l.lookupArray(o); b != nil && len(b.Shape) == 0 {
			return ir.LoadAt(&ir.Access{Buf: b, Span: e.Span()})
		}
	}
	l.bug(e.Span(), "%s has no value here", e.Name)
	return ir.Int(0)
}

var unaryOps = map[ast.UnaryOp]ir.ExprOp{ast.Neg: ir.Neg, ast.BitNot: ir.BitNot, ast.Not: ir.Not}

func (l *lowerer) unary(e *ast.Unary, own ir.DType) *ir.Expr {
	x := l.expr(e.X, arithmetic(own))
	if e.Op == ast.Not && x.IsConst() {
		return ir.BoolOf(x.Int == 0)
	}
	if e.Op == ast.BitNot && x.Type == array.Bool {
		return ir.Un(ir.Not, x)
	}
	return ir.Un(unaryOps[e.Op], x)
}

var binaryOps = map[ast.BinaryOp]ir.ExprOp{
	ast.Or: ir.Or, ast.And: ir.And,
	ast.Eq: ir.Eq, ast.Ne: ir.Ne, ast.Lt: ir.Lt, ast.Le: ir.Le, ast.Gt: ir.Gt, ast.Ge: ir.Ge,
	ast.BitOr: ir.BitOr, ast.BitXor: ir.BitXor, ast.BitAnd: ir.BitAnd, ast.Shl: ir.Shl, ast.Shr: ir.Shr,
	ast.Add: ir.Add, ast.Sub: ir.Sub, ast.Mul: ir.Mul, ast.Div: ir.Div, ast.Rem: ir.Mod,
}

func (l *lowerer) binary(e *ast.Binary, own ir.DType) *ir.Expr {
	t := own
	switch {
	case e.Op == ast.And || e.Op == ast.Or:
		t = array.Bool
	case e.Op.IsComparison():
		t = l.compared(e)
	}
	t = arithmetic(t)
	x := l.facts.fixed(l.expr(e.X, t))
	if e.Op == ast.Shl || e.Op == ast.Shr {
		return bin(binaryOps[e.Op], x, l.amount(e.Y, t))
	}
	// The right side of a lazy operator is not evaluated where the left decides.
	if e.Op == ast.And && isInt(x, 0) || e.Op == ast.Or && isInt(x, 1) {
		return x
	}
	var y *ir.Expr
	switch e.Op {
	case ast.And:
		l.under(x, func() { y = l.expr(e.Y, t) })
	case ast.Or:
		l.under(ir.Un(ir.Not, x), func() { y = l.expr(e.Y, t) })
	default:
		y = l.facts.fixed(l.expr(e.Y, t))
	}
	return bin(binaryOps[e.Op], x, y)
}

// amount lowers the amount of a shift of a value of type t; what is as much as
// the width is so in type t too.
func (l *lowerer) amount(e ast.Expr, t ir.DType) *ir.Expr {
	own := l.natural(e)
	if own == array.Invalid {
		own = ir.Index
	}
	x := l.expr(e, own)
	if own.Bits() > t.Bits() || own.IsUnsigned() != t.IsUnsigned() {
		x = bin(ir.Min, x, ir.IntOf(own, int64(t.Bits())))
	}
	return cast(t, x)
}

// compared is the type in which the operands of a comparison are compared.
func (l *lowerer) compared(e *ast.Binary) ir.DType {
	if t := l.info().Operands[e]; t != array.Invalid {
		return l.number(t)
	}
	x, y := l.natural(e.X), l.natural(e.Y)
	switch {
	case x != array.Invalid && y != array.Invalid:
		return wider(x, y)
	case x != array.Invalid:
		return x
	case y != array.Invalid:
		return y
	}
	if l.info().Types[e.X].IsInt() && l.info().Types[e.Y].IsInt() {
		return ir.Index
	}
	return array.F64
}

// wider is the type that operands of two types are brought to.
func wider(a, b ir.DType) ir.DType {
	switch {
	case a == b:
		return a
	case a.IsFloat() && b.IsFloat() && a.Bits() == b.Bits():
		return array.F32
	case a.IsFloat() != b.IsFloat():
		if a.IsFloat() {
			return a
		}
		return b
	case b.Bits() > a.Bits():
		return b
	}
	return a
}

func (l *lowerer) cond(e *ast.Cond, own ir.DType) *ir.Expr {
	// A narrow arm is rounded to its type before it is computed on.
	return l.choice(l.condition(e.If), e.Then, e.Else, func(arm ast.Expr) *ir.Expr {
		return cast(arithmetic(own), l.expr(arm, own))
	})
}

// choice lowers both arms of a choice, each under its condition, or the only
// one that can be taken.
func (l *lowerer) choice(c *ir.Expr, then, otherwise ast.Expr, lower func(ast.Expr) *ir.Expr) *ir.Expr {
	if c.IsConst() {
		if c.Int != 0 {
			return lower(then)
		}
		return lower(otherwise)
	}
	var x, y *ir.Expr
	l.under(c, func() { x = lower(then) })
	l.under(ir.Un(ir.Not, c), func() { y = lower(otherwise) })
	return ir.SelectOf(c, x, y)
}

// choose is ir.SelectOf that folds a constant condition.
func choose(c, x, y *ir.Expr) *ir.Expr {
	if c.IsConst() {
		if c.Int != 0 {
			return x
		}
		return y
	}
	return ir.SelectOf(c, x, y)
}
