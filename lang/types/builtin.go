package types

import (
	"math"

	"tilec/lang/ast"
)

// builtinClass groups predeclared functions by how they are typed; zero is invalid.
type builtinClass uint8

const (
	floatFunc  builtinClass = iota + 1 // one float in, a float out
	numberFunc                         // numbers of one type in, the same out
	floatsFunc                         // floats of one type in, the same out
	chooseFunc                         // select
	intFunc                            // ceildiv
	bitsFunc                           // bitcast
	randFunc
	scanFunc  // a tile and an axis in, a tile out
	shapeFunc // tiles in, tiles out
	laterFunc // known, not supported yet
)

// builtin describes a predeclared function.
type builtin struct {
	class builtinClass
	args  int // -1: checked by the class
	fold  func(x float64) float64
	usage string
}

// predeclared are the constants of the language.
var predeclared = map[string]float64{
	"inf": math.Inf(1), "nan": math.NaN(), "pi": math.Pi, "log2e": math.Log2E, "ln2": math.Ln2,
}

// builtins are the functions of the language.
var builtins = map[string]builtin{
	"exp":     {floatFunc, 1, math.Exp, "exp(x)"},
	"exp2":    {floatFunc, 1, math.Exp2, "exp2(x)"},
	"log":     {floatFunc, 1, math.Log, "log(x)"},
	"log2":    {floatFunc, 1, math.Log2, "log2(x)"},
	"sqrt":    {floatFunc, 1, math.Sqrt, "sqrt(x)"},
	"rsqrt":   {floatFunc, 1, func(x float64) float64 { return 1 / math.Sqrt(x) }, "rsqrt(x)"},
	"sin":     {floatFunc, 1, math.Sin, "sin(x)"},
	"cos":     {floatFunc, 1, math.Cos, "cos(x)"},
	"tanh":    {floatFunc, 1, math.Tanh, "tanh(x)"},
	"sigmoid": {floatFunc, 1, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, "sigmoid(x)"},
	"erf":     {floatFunc, 1, math.Erf, "erf(x)"},
	"floor":   {floatFunc, 1, math.Floor, "floor(x)"},
	"ceil":    {floatFunc, 1, math.Ceil, "ceil(x)"},
	"round":   {floatFunc, 1, math.RoundToEven, "round(x)"},
	"trunc":   {floatFunc, 1, math.Trunc, "trunc(x)"},

	"abs":   {numberFunc, 1, math.Abs, "abs(x)"},
	"min":   {numberFunc, 2, nil, "min(x, y)"},
	"max":   {numberFunc, 2, nil, "max(x, y)"},
	"clamp": {numberFunc, 3, nil, "clamp(x, low, high)"},
	"fma":   {floatsFunc, 3, nil, "fma(x, y, z)"},
	"pow":   {floatsFunc, 2, nil, "pow(x, y)"},

	"select":  {chooseFunc, 3, nil, "select(condition, x, y)"},
	"ceildiv": {intFunc, 2, nil, "ceildiv(a, b)"},
	"bitcast": {bitsFunc, 2, nil, "bitcast(T, x)"},
	"rand":    {randFunc, 2, nil, "rand(seed, offset)"},

	"cumsum":    {scanFunc, 2, nil, "cumsum(t, axis)"},
	"cummax":    {scanFunc, 2, nil, "cummax(t, axis)"},
	"cumprod":   {scanFunc, 2, nil, "cumprod(t, axis)"},
	"reshape":   {shapeFunc, -1, nil, "reshape(t, d0, d1, …)"},
	"transpose": {shapeFunc, -1, nil, "transpose(t) or transpose(t, axis0, axis1, …)"},
	"concat":    {shapeFunc, -1, nil, "concat(a, b, axis)"},
	"split":     {shapeFunc, 3, nil, "split(t, parts, axis)"},
	"sort":      {laterFunc, -1, nil, "sort(t, axis)"},
	"topk":      {laterFunc, -1, nil, "topk(t, k, axis)"},
	"peer":      {laterFunc, -1, nil, "peer(A, r)"},
}

// foldCall computes a call of a builtin on constants, in type t; not Valid where it is left to run time.
func foldCall(name string, args []Value, t Type) (Value, error) {
	for _, v := range args {
		if v.Kind != IntValue && v.Kind != FloatValue {
			return Value{}, nil
		}
	}
	if t.IsInt() {
		return foldIntCall(name, args, t)
	}
	f := make([]float64, len(args))
	for i, v := range args {
		r := rounded(v, t)
		f[i], _ = r.Float64()
	}
	if b := builtins[name]; b.fold != nil {
		return rounded(FloatOf(b.fold(f[0])), t), nil
	}
	var r float64
	switch name {
	case "min":
		r = minNumber(f[0], f[1])
	case "max":
		r = -minNumber(-f[0], -f[1])
	case "clamp":
		r = -minNumber(-minNumber(f[0], f[2]), -f[1])
	case "fma":
		r = math.FMA(f[0], f[1], f[2])
	case "pow":
		r = math.Pow(f[0], f[1])
	default:
		return Value{}, nil
	}
	return rounded(FloatOf(r), t), nil
}

// minNumber is the lesser of two floats, the other one where one is nan.
func minNumber(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Min(x, y)
}

func foldIntCall(name string, args []Value, t Type) (Value, error) {
	less := func(a, b Value) bool { return a.num.Cmp(b.num) < 0 }
	for _, v := range args {
		if v.Kind != IntValue {
			return Value{}, nil
		}
	}
	switch name {
	case "abs":
		if args[0].num.Sign() < 0 {
			return foldUnary(ast.Neg, args[0], t)
		}
		return args[0], nil
	case "min":
		if less(args[1], args[0]) {
			return args[1], nil
		}
		return args[0], nil
	case "max":
		if less(args[0], args[1]) {
			return args[1], nil
		}
		return args[0], nil
	case "clamp":
		x, _ := foldIntCall("min", []Value{args[0], args[2]}, t)
		return foldIntCall("max", []Value{x, args[1]}, t)
	case "ceildiv":
		x, err := foldUnary(ast.Neg, args[0], t)
		if err != nil {
			return Value{}, err
		}
		if x, err = foldBinary(ast.Div, x, args[1], t); err != nil {
			return Value{}, err
		}
		return foldUnary(ast.Neg, x, t)
	}
	return Value{}, nil
}
