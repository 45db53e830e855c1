package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// InputKind says how a tensor is filled; zero is invalid.
type InputKind uint8

// Kinds of inputs.
const (
	InvalidInput  InputKind = iota
	Normal                  // mean A, standard deviation B
	Uniform                 // A ≤ x < B
	RandInt                 // integers, A ≤ x < B
	Arange                  // A, A + B, A + 2·B, …
	ConstantInput           // A everywhere
	FileInput               // an .npy file
	ValuesInput             // the elements, one by one
)

// Input is a generator of a tensor's contents.
type Input struct {
	Kind InputKind
	A, B float64
	Path string // of FileInput, relative to the program's file
	// Values are the elements of ValuesInput in row-major order.
	Values []float64
}

// generators describes the generators: how many arguments they take at least and at most, and their defaults.
var generators = map[string]struct {
	kind     InputKind
	min, max int
	a, b     float64
	usage    string
}{
	"normal":   {Normal, 0, 2, 0, 1, "normal(mean, deviation)"},
	"uniform":  {Uniform, 0, 2, 0, 1, "uniform(low, high)"},
	"randint":  {RandInt, 2, 2, 0, 0, "randint(low, high)"},
	"arange":   {Arange, 0, 2, 0, 1, "arange(start, step)"},
	"constant": {ConstantInput, 1, 1, 0, 0, "constant(value)"},
	"file":     {FileInput, 1, 1, 0, 0, `file("x.npy")`},
	"values":   {ValuesInput, 1, 1 << 16, 0, 0, "values(0, 17, 60)"},
}

func (e *evaluator) inputs() {
	for _, p := range e.instance.Params {
		a := p.Array
		if a == nil || e.bindings[a.Name] == nil {
			continue
		}
		e.done[a.Name] = true
		b := e.bindings[a.Name]
		if a.Kind == Out {
			e.errorf(diag.BadInput, b.Span(), "%s is out: it has no input", a.Name).
				Note(a.Span, "%s is declared here", a.Name)
			continue
		}
		if input, ok := e.input(a, b.Value); ok {
			e.out.Inputs[a.Name] = input
		}
	}
}

// input works out a generator such as `randint(0, V)`.
func (e *evaluator) input(a *Array, x ast.Expr) (Input, bool) {
	call, ok := x.(*ast.Call)
	if !ok || call.Fun == nil {
		d := e.errorf(diag.BadInput, x.Span(), "%s is a tensor; say how it is filled", a.Name)
		d.Note(a.Span, "%s is declared here", a.Name).Hint("%s = constant(%s)", a.Name, sourceText(x))
		return Input{}, false
	}
	g, ok := generators[call.Fun.Name]
	if !ok {
		d := e.errorf(diag.BadInput, call.Fun.Span(), "%s is not a way to fill a tensor", call.Fun.Name)
		names := make([]string, 0, len(generators))
		for name := range generators {
			names = append(names, name)
		}
		if near := diag.Nearest(call.Fun.Name, names); near != "" {
			d.Hint("did you mean %s?", near).Replace(call.Fun.Span(), near)
		} else {
			d.Hint("there are normal, uniform, randint, arange, constant, values and file")
		}
		return Input{}, false
	}
	if len(call.Args) < g.min || len(call.Args) > g.max {
		e.errorf(diag.BadCall, call.Span(), "%s does not take %s", call.Fun.Name, count(len(call.Args), "argument")).
			Hint("%s", g.usage)
		return Input{}, false
	}
	in := Input{Kind: g.kind, A: g.a, B: g.b}
	if g.kind == FileInput {
		s, ok := call.Args[0].(*ast.String)
		if !ok {
			e.errorf(diag.BadInput, call.Args[0].Span(), "file needs a path").Hint("%s", g.usage)
			return Input{}, false
		}
		in.Path = s.Value
		return in, true
	}
	for i, arg := range call.Args {
		t := e.scalar(arg)
		v := e.constOf(arg)
		f, isNumber := v.Float64()
		if !t.Valid() {
			return Input{}, false
		}
		if !isNumber || (g.kind == RandInt && v.Kind != IntValue) {
			e.errorf(diag.BadInput, arg.Span(), "an argument of %s is a number known at compile time", call.Fun.Name).Hint("%s", g.usage)
			return Input{}, false
		}
		switch {
		case g.kind == ValuesInput:
			in.Values = append(in.Values, f)
		case i == 0:
			in.A = f
		default:
			in.B = f
		}
	}
	return in, e.suits(a, call, in)
}

// suits checks that a generator's values are values of the tensor's type.
func (e *evaluator) suits(a *Array, call *ast.Call, in Input) bool {
	var limits []Value
	add := func(x float64) {
		if x == float64(int64(x)) {
			limits = append(limits, IntOf(int64(x)))
		} else {
			limits = append(limits, FloatOf(x))
		}
	}
	switch {
	case in.Kind == RandInt && in.A >= in.B:
		e.errorf(diag.BadInput, call.Span(), "there is no integer from %s up to, but without, %s", floatText(in.A), floatText(in.B))
		return false
	case in.Kind == RandInt:
		limits = []Value{IntOf(int64(in.A)), IntOf(int64(in.B) - 1)}
	case in.Kind == ConstantInput:
		add(in.A)
	case in.Kind == ValuesInput:
		for _, x := range in.Values {
			add(x)
		}
	}
	for _, v := range limits {
		if a.Elem == array.Bool {
			continue
		}
		if !v.Fits(a.Elem) {
			e.errorf(diag.BadInput, call.Span(), "%s is not a value of %s, the type of %s", v, a.Elem, a.Name).
				Note(a.Span, "%s is declared here", a.Name)
			return false
		}
	}
	return true
}
