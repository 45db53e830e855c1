package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// call lowers a call that gives a scalar.
func (l *lowerer) call(e *ast.Call, own ir.DType) *ir.Expr {
	c := l.info().Calls[e]
	if c == nil {
		l.bug(e.Span(), "nothing is known about the call of %s", e.Fun.Name)
		return ir.ZeroOf(own)
	}
	switch c.Kind {
	case types.Convert:
		return l.convert(e, c)
	case types.FnCall:
		if x := l.expand(e, c); x != nil {
			return cast(arithmetic(own), x)
		}
		return ir.ZeroOf(arithmetic(own))
	}
	return l.builtin(e, c, own)
}

// convert lowers f16(x). In a spec the rounded value goes on in the spec's own
// types.
func (l *lowerer) convert(e *ast.Call, c *types.Call) *ir.Expr {
	if len(e.Args) != 1 {
		l.bug(e.Span(), "a conversion of %d values", len(e.Args))
		return ir.ZeroOf(c.To)
	}
	own := l.natural(e.Args[0])
	if own == array.Invalid {
		own = c.To
	}
	x := located(cast(c.To, l.expr(e.Args[0], own)), e.Span())
	return cast(l.number(c.To), x)
}

// elementary are the builtins that are one operation on operands of one type.
var elementary = map[string]ir.ExprOp{
	"exp": ir.Exp, "exp2": ir.Exp2, "log": ir.Log, "log2": ir.Log2, "sqrt": ir.Sqrt, "rsqrt": ir.Rsqrt,
	"sin": ir.Sin, "cos": ir.Cos, "tanh": ir.Tanh, "sigmoid": ir.Sigmoid, "erf": ir.Erf, "abs": ir.Abs,
	"floor": ir.Floor, "ceil": ir.Ceil, "round": ir.Round, "trunc": ir.Trunc, "fma": ir.Fma, "pow": ir.Pow,
}

func (l *lowerer) builtin(e *ast.Call, c *types.Call, own ir.DType) *ir.Expr {
	t := l.number(c.Elem)
	if t == array.Invalid {
		t = own
	}
	t = arithmetic(t)
	if c.Name == "bitcast" {
		return l.bitcast(e, c)
	}
	if c.Name == "rand" {
		x := &ir.Expr{Op: ir.Rand, Type: array.F32, Args: []*ir.Expr{l.expr(e.Args[0], ir.Index), l.expr(e.Args[1], ir.Index)}}
		return cast(l.number(array.F32), x)
	}
	if c.Name == "select" {
		return l.choice(l.condition(e.Args[0]), e.Args[1], e.Args[2], func(arm ast.Expr) *ir.Expr { return l.expr(arm, t) })
	}
	args := make([]*ir.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = l.expr(a, t)
	}
	if op, ok := elementary[c.Name]; ok {
		if op.Info().Arity != len(args) {
			l.bug(e.Span(), "%s takes %d values, not %d", c.Name, op.Info().Arity, len(args))
			return ir.ZeroOf(t)
		}
		return &ir.Expr{Op: op, Type: t, Args: args}
	}
	switch c.Name {
	case "max", "min":
		op := ir.Max
		if c.Name == "min" {
			op = ir.Min
		}
		x := args[0]
		for _, y := range args[1:] {
			x = bin(op, x, y)
		}
		return x
	case "clamp":
		return clamp(l.shared(args[0], 3, "clamp"), args[1], args[2])
	case "ceildiv":
		return ceilDiv(args[0], args[1])
	}
	l.unsupported(e.Span(), "%s", c.Name)
	return ir.ZeroOf(t)
}

// clamp limits x to lo .. hi; a nan stays one, unlike in max and min.
func clamp(x, lo, hi *ir.Expr) *ir.Expr {
	if !x.Type.IsFloat() {
		return bin(ir.Min, bin(ir.Max, x, lo), hi)
	}
	return ir.SelectOf(ir.Bin(ir.Lt, x, lo), lo, ir.SelectOf(ir.Bin(ir.Gt, x, hi), hi, x))
}

// bitcast lowers bitcast(T, x); the bits are those of x's type in the program,
// in a spec too.
func (l *lowerer) bitcast(e *ast.Call, c *types.Call) *ir.Expr {
	arg := e.Args[len(e.Args)-1]
	from := l.info().Types[arg].DType()
	if from.Bits() != c.To.Bits() {
		l.bug(e.Span(), "a bitcast from %s to %s", from, c.To)
		return ir.ZeroOf(l.number(c.To))
	}
	x := l.expr(arg, from)
	return cast(l.number(c.To), &ir.Expr{Op: ir.Bitcast, Type: c.To, Args: []*ir.Expr{x}, Span: e.Span()})
}
