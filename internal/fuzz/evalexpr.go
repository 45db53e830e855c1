package fuzz

import (
	"math"

	"tilec/runtime/array"
)

// expr is the value of an expression at the present point. It is inside unless an
// element that it was computed from lay outside its array.
func (ev *evaluator) expr(e *Expr) (v number, inside bool) {
	ev.steps++
	t := e.Type.Elem
	switch e.Op {
	case Lit:
		return scalarNumber(t, e.Value), true
	case Count:
		return number{i: e.Extent.N}, true
	case Idx:
		return number{i: ev.index[e.Name]}, true
	case Ref:
		if n := len(ev.params); n > 0 {
			if a, ok := ev.params[n-1][e.Name]; ok {
				return a.value, true
			}
		}
		return ev.scalars[e.Name], true
	case Load:
		return ev.load(e)
	case AtomicOld:
		return ev.atomicOld(e), true
	case Cond:
		return ev.choose(e)
	case Reduce:
		return ev.reduce(e), true
	case FuncCall:
		args := map[string]passed{}
		for i, p := range e.Func.Params {
			args[p.Name] = passed{ev.stored(e.Args[i], p.Type.Elem), e.Args[i]}
		}
		ev.params = append(ev.params, args)
		v := ev.stored(e.Func.Body, e.Func.Result)
		ev.params = ev.params[:len(ev.params)-1]
		return v, true
	case Binary:
		if e.Name == "and" || e.Name == "or" {
			x, inside := ev.expr(e.Args[0])
			if (x.i != 0) == (e.Name == "or") {
				return x, inside
			}
			y, in := ev.expr(e.Args[1])
			return y, inside && in
		}
	case Call:
		if e.Name == "select" {
			return ev.choose(e)
		}
	}
	inside = true
	args := make([]number, len(e.Args))
	for i, x := range e.Args {
		var in bool
		args[i], in = ev.expr(x)
		inside = inside && in
	}
	return apply(e, args), inside
}

// apply works out a node that needs all its operands.
func apply(e *Expr, args []number) number {
	t, from := e.Type.Elem, e.Args[0].Type.Elem
	switch e.Op {
	case Convert:
		return converted(args[0], from, t)
	case Bitcast:
		return bitsOf(t, from, args[0])
	case Unary:
		switch {
		case e.Name == "not ":
			return truth(args[0].i == 0)
		case e.Name == "~":
			return converted(number{i: ^args[0].i}, t, t)
		case t.IsFloat():
			return number{f: -args[0].f}
		}
		return converted(number{i: -args[0].i}, t, t)
	case Binary:
		switch e.Name {
		case "<", "<=", ">", ">=", "==", "!=":
			return truth(compared(e.Name, from, args[0], args[1]))
		}
		return arithmetic(e.Name, t, args[0], args[1])
	}
	switch e.Name {
	case "min", "max":
		return extreme(e.Name, t, args[0], args[1])
	case "clamp":
		switch { // nan stays
		case compared("<", t, args[0], args[1]):
			return args[1]
		case compared(">", t, args[0], args[2]):
			return args[2]
		}
		return args[0]
	case "abs":
		if !t.IsFloat() && args[0].i < 0 && t != array.U64 {
			return converted(number{i: -args[0].i}, t, t)
		}
		return number{i: args[0].i, f: math.Abs(args[0].f)}
	case "fma":
		return number{f: fused(t, args[0].f, args[1].f, args[2].f)}
	case "ceildiv":
		return number{i: -floorDiv(-args[0].i, args[1].i)}
	case "pow":
		return number{f: array.RoundFloat(t, math.Pow(args[0].f, args[1].f))}
	case "rand":
		return number{f: random(args[0].i, args[1].i)}
	}
	return number{f: array.RoundFloat(t, functions[e.Name](args[0].f))}
}

// functions are those of one float.
var functions = map[string]func(float64) float64{
	"exp": math.Exp, "exp2": math.Exp2, "log": math.Log, "log2": math.Log2, "sqrt": math.Sqrt, "sin": math.Sin, "cos": math.Cos,
	"tanh": math.Tanh, "erf": math.Erf, "floor": math.Floor, "ceil": math.Ceil, "round": math.RoundToEven, "trunc": math.Trunc,
	"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "sigmoid": sigmoid,
}

func truth(b bool) number {
	if b {
		return number{i: 1}
	}
	return number{}
}

// choose evaluates one of two values.
func (ev *evaluator) choose(e *Expr) (number, bool) {
	c, inside := ev.expr(e.Args[0])
	chosen := e.Args[2]
	if c.i != 0 {
		chosen = e.Args[1]
	}
	v, in := ev.expr(chosen)
	return converted(v, chosen.Type.Elem, e.Type.Elem), inside && in
}

// load reads an element: outside a tensor what the statement says, outside a tile 0.
func (ev *evaluator) load(e *Expr) (number, bool) {
	c := ev.arrays[e.Array]
	index, inside := ev.places(e.Args)
	if n, ok := c.at(index); ok && inside {
		return c.data[n], true
	}
	if s := ev.stmt; e.Array.Kind != Tile && s.Default != nil {
		return ev.stored(s.Default, c.elem), false
	}
	return number{}, false
}

// atomicOld changes an element and gives what was there.
func (ev *evaluator) atomicOld(e *Expr) number {
	c, last := ev.arrays[e.Array], len(e.Args)-1
	index, _ := ev.places(e.Args[:last])
	v, _ := ev.expr(e.Args[last])
	n, ok := c.at(index)
	if !ok {
		return number{}
	}
	old := c.data[n]
	c.set(n, update(e.Name, old, v, c.elem, e.Args[last].Type.Elem))
	return old
}

// reduce combines all points of the bound indices but those that elements outside
// tensors go into.
func (ev *evaluator) reduce(e *Expr) number {
	body, t := e.Args[0], e.Type.Elem
	from := body.Type.Elem
	acc := neutral(e.Name, t)
	best, found, place := number{}, false, int64(0)
	n := int64(0)
	ev.points(e.Over, func() {
		at := n
		n++
		if ev.stmt.Default == nil && ev.skips(body) {
			return
		}
		v, _ := ev.expr(body)
		switch e.Name {
		case "argmax", "argmin":
			less := map[string]string{"argmax": ">", "argmin": "<"}[e.Name]
			if !(v.f != v.f) && (!found || compared(less, from, v, best)) {
				best, found, place = v, true, at
			}
		case "any":
			acc.i |= v.i
		case "all":
			acc.i &= v.i
		case "max", "min":
			acc = extreme(e.Name, t, acc, converted(v, from, t))
		case "sum":
			v = converted(v, from, t)
			acc = number{i: acc.i + v.i, f: acc.f + v.f}
		case "prod":
			v = converted(v, from, t)
			acc = number{i: acc.i * v.i, f: acc.f * v.f}
		}
	})
	if e.Name == "argmax" || e.Name == "argmin" {
		return number{i: place}
	}
	return converted(acc, t, t)
}

// neutral is what a reduction of nothing gives.
func neutral(name string, t array.DType) number {
	switch {
	case name == "prod", name == "all":
		return number{i: 1, f: 1}
	case name == "max" && t.IsFloat():
		return number{f: math.Inf(-1)}
	case name == "min" && t.IsFloat():
		return number{f: math.Inf(1)}
	case name == "max" && t.IsSigned():
		return number{i: -1 << (t.Bits() - 1)}
	case name == "min" && t.IsSigned():
		return number{i: 1<<(t.Bits()-1) - 1}
	case name == "min":
		return converted(number{i: -1}, t, t)
	}
	return number{}
}

// skips reports that an element of a tensor which is part of e, whatever conditions
// in e say, lies outside.
func (ev *evaluator) skips(e *Expr) bool {
	args := e.Args
	switch {
	case e.Op == Load && e.Array.Kind == Tile, e.Op == Reduce:
		return false
	case e.Op == Load:
		_, inside := ev.load(e)
		return !inside
	case e.Op == Ref && len(ev.params) > 0:
		top := ev.params[len(ev.params)-1]
		if a, ok := top[e.Name]; ok {
			ev.params = ev.params[:len(ev.params)-1]
			skips := ev.skips(a.at)
			ev.params = append(ev.params, top)
			return skips
		}
	case e.Op == FuncCall:
		named := map[string]passed{}
		for i, p := range e.Func.Params {
			named[p.Name] = passed{at: e.Args[i]}
		}
		ev.params = append(ev.params, named)
		skips := ev.skips(e.Func.Body)
		ev.params = ev.params[:len(ev.params)-1]
		return skips
	case e.choice(), e.Op == Binary && (e.Name == "and" || e.Name == "or"):
		args = args[:1]
	}
	for _, x := range args {
		if ev.skips(x) {
			return true
		}
	}
	return false
}
