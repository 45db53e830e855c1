package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

func (c *checker) call(e *ast.Call) Type {
	if e.Fun == nil {
		return invalidType
	}
	switch o := c.scope.lookupCall(e.Fun.Name).(type) {
	case *TypeName:
		c.info.Uses[e.Fun] = o
		return c.convert(e, o.Elem)
	case *Constant:
		c.info.Uses[e.Fun] = o
		return c.convert(e, o.Value.DType)
	case *Fn:
		c.info.Uses[e.Fun] = o
		return c.callFn(e, o)
	case *Builtin:
		c.info.Uses[e.Fun] = o
		return c.callBuiltin(e, builtins[o.Name])
	}
	for _, a := range e.Args {
		c.expr(a)
	}
	switch o := c.scope.lookup(e.Fun.Name).(type) {
	case nil:
		c.undefined(e.Fun, "a known function", isCallObject)
	case *broken:
	default:
		d := c.errorf(diag.WrongName, e.Fun.Span(), "%s is %s, not a function", e.Fun.Name, describe(o))
		if a, ok := o.(*Array); ok {
			d.Hint("elements are named with brackets: %s", elementText(a.Name, len(a.Shape)))
		}
	}
	return invalidType
}

// convert types `f16(x)`.
func (c *checker) convert(e *ast.Call, to array.DType) Type {
	if len(e.Args) != 1 {
		for _, a := range e.Args {
			c.expr(a)
		}
		return c.wrongCount(e, 1, to.String()+"(x)")
	}
	from := c.scalar(e.Args[0])
	if !from.Valid() {
		return invalidType
	}
	c.info.Calls[e] = &Call{Kind: Convert, Name: to.String(), To: to, Elem: from.DType()}
	if v := c.constOf(e.Args[0]); v.Valid() {
		w, ok := converted(v, to)
		if !ok {
			limit := "whose greatest value is " + largestText(to)
			if to.IsInt() {
				lo, hi := intRange(to)
				limit = "which holds " + lo.String() + " … " + hi.String()
			}
			c.errorf(diag.LiteralOverflow, e.Args[0].Span(), "%s does not fit into %s, %s", v, to, limit)
			return invalidType
		}
		c.setConst(e, w)
	}
	return number(to)
}

func (c *checker) wrongCount(e *ast.Call, want int, usage string) Type {
	c.errorf(diag.BadCall, e.Span(), "%s takes %s, but %d %s given", e.Fun.Name, count(want, "argument"), len(e.Args), were(len(e.Args))).
		Hint("%s", usage)
	return invalidType
}

func were(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// count spells `1 argument`, `2 arguments`.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return IntOf(int64(n)).String() + " " + noun
}

func (c *checker) callBuiltin(e *ast.Call, b builtin) Type {
	if b.class == laterFunc {
		c.errorf(diag.NotSupported, e.Span(), "%s is not supported yet", e.Fun.Name)
		return invalidType
	}
	if b.args >= 0 && len(e.Args) != b.args {
		for _, a := range e.Args {
			c.expr(a)
		}
		return c.wrongCount(e, b.args, b.usage)
	}
	call := &Call{Kind: BuiltinCall, Name: e.Fun.Name}
	t := c.builtinType(e, b, call)
	if !t.Valid() {
		return invalidType
	}
	if !t.IsUntyped() && call.Elem == array.Invalid && t.Kind != Whole {
		call.Elem = t.DType()
	}
	c.info.Calls[e] = call
	return t
}

func (c *checker) builtinType(e *ast.Call, b builtin, call *Call) Type {
	switch b.class {
	case scanFunc, shapeFunc:
		return c.arrayCall(e, b, call)
	case chooseFunc:
		return c.cond(e, e.Args[0], e.Args[1], e.Args[2])
	case bitsFunc:
		return c.bitcast(e, call)
	case randFunc:
		s := c.integerExpr(e.Args[0], "the seed of rand")
		o := c.integerExpr(e.Args[1], "the offset of rand")
		if !s.Valid() || !o.Valid() {
			return invalidType
		}
		call.Elem = array.I64
		return number(array.F32)
	}
	t := c.argumentType(e, b)
	if !t.Valid() {
		return invalidType
	}
	args := make([]Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = c.constOf(a)
	}
	v, err := foldCall(e.Fun.Name, args, t)
	if err != nil {
		c.errorf(diag.BadArithmetic, e.Span(), "%s has no value: %v", sourceText(e), err)
		return invalidType
	}
	c.setConst(e, v)
	return t
}

// argumentType types the arguments of a function of numbers and returns the type that they meet in.
func (c *checker) argumentType(e *ast.Call, b builtin) Type {
	var t Type
	name := e.Fun.Name
	ok := true
	for i, a := range e.Args {
		x := c.scalar(a)
		switch {
		case !x.Valid():
			ok = false
			continue
		case !x.IsNumeric():
			c.badOperand(a, x, name, "numbers")
			ok = false
			continue
		case b.class == intFunc && !x.IsInt():
			c.badOperand(a, x, name, "integers")
			ok = false
			continue
		case (b.class == floatFunc || b.class == floatsFunc) && !x.IsFloat():
			if x.IsUntyped() {
				x = Type{Kind: UntypedFloat}
			} else if c.spec {
				x = number(array.F64)
			} else {
				c.errorf(diag.TypeMismatch, a.Span(), "%s needs a float, but %s is %s", name, sourceText(a), article(x.String())).
					Hint("f32(%s)", sourceText(a))
				ok = false
				continue
			}
		}
		if i == 0 || !t.Valid() {
			t = x
		} else {
			t = c.unify(e, e.Args[0], a, t, x, "use "+name+" on")
			ok = ok && t.Valid()
		}
	}
	if !ok {
		return invalidType
	}
	return c.computed(t)
}

func (c *checker) bitcast(e *ast.Call, call *Call) Type {
	id, isName := e.Args[0].(*ast.Ident)
	if !isName {
		c.errorf(diag.WrongType, e.Args[0].Span(), "the first argument of bitcast is a type").Hint("bitcast(i32, x)")
		return invalidType
	}
	to := c.elemOf(id)
	c.info.Types[id] = Type{Kind: TypeKind, Elem: to}
	from := c.scalar(e.Args[1])
	switch {
	case to == array.Invalid || !from.Valid():
		return invalidType
	case from.IsUntyped():
		c.errorf(diag.WrongType, e.Args[1].Span(), "a literal has no bits until it has a type").Hint("f32(%s)", sourceText(e.Args[1]))
		return invalidType
	case from.DType().Bits() != to.Bits() || (from.DType() == array.Bool) != (to == array.Bool):
		c.errorf(diag.TypeMismatch, e.Span(), "bitcast needs types of the same size: %s has %d bits, %s has %d",
			from, from.DType().Bits(), to, to.Bits())
		return invalidType
	}
	call.To, call.Elem = to, from.DType()
	return number(to)
}
