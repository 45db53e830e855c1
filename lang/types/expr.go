package types

import (
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// expr works out and records the type of an expression, and its value where that is a constant.
func (c *checker) expr(e ast.Expr) Type {
	if e == nil {
		return invalidType
	}
	if t, ok := c.info.Types[e]; ok {
		return t
	}
	t := c.exprType(e)
	c.info.Types[e] = t
	return t
}

func (c *checker) exprType(e ast.Expr) Type {
	switch e := e.(type) {
	case *ast.Ident:
		return c.ident(e)
	case *ast.Int:
		v, ok := bigInt(e.Value)
		if !ok {
			return invalidType
		}
		c.setConst(e, v)
		return Type{Kind: UntypedInt}
	case *ast.Float:
		c.setConst(e, FloatOf(e.Value))
		return Type{Kind: UntypedFloat}
	case *ast.Bool:
		c.setConst(e, BoolOf(e.Value))
		return boolType
	case *ast.String:
		c.setConst(e, Value{Kind: StringValue, Text: e.Value})
		return Type{Kind: Text}
	case *ast.Index:
		return c.access(e, reading)
	case *ast.Call:
		return c.call(e)
	case *ast.Reduce:
		return c.reduce(e)
	case *ast.Cond:
		return c.cond(e, e.If, e.Then, e.Else)
	case *ast.Unary:
		return c.unary(e)
	case *ast.Binary:
		return c.binary(e)
	case *ast.Atomic:
		return c.atomicExpr(e)
	case *ast.Range:
		c.errorf(diag.NotInThisPlace, e.Span(), "a range can only stand in the subscript of a block, as in copy A[r : r+4, 0] -> t")
	}
	return invalidType
}

// scalar is expr where one value is needed: whole arrays, types and strings are refused.
func (c *checker) scalar(e ast.Expr) Type {
	t := c.expr(e)
	switch t.Kind {
	case Whole:
		d := c.errorf(diag.WholeArray, e.Span(), "%s is %s as a whole, but one value is needed here", sourceText(e), article(t.String()))
		if id, ok := e.(*ast.Ident); ok {
			d.Hint("name an element: %s", elementText(id.Name, len(t.Shape)))
			if a := c.info.ArrayOf(e); a != nil {
				d.Note(a.Span, "%s is declared here", a.Name)
			}
		}
	case TypeKind:
		c.errorf(diag.WrongType, e.Span(), "%s is a type, but a value is needed here", sourceText(e))
	case Text:
		c.errorf(diag.WrongType, e.Span(), "a string cannot stand here; a value is needed")
	case Nothing:
		c.errorf(diag.WrongType, e.Span(), "%s returns nothing, but a value is needed here", sourceText(e))
	default:
		return t
	}
	return invalidType
}

// elementText spells an element of an array of some rank: `x[i, j]`.
func elementText(name string, rank int) string {
	text := name + "["
	for i := range rank {
		if i > 0 {
			text += ", "
		}
		if i < 6 {
			text += string(rune('i' + i))
		} else {
			text += "…"
		}
	}
	return text + "]"
}

// article puts `a` or `an` before a type.
func article(text string) string {
	switch {
	case len(text) > 1 && text[0] == 'i' && (text[1] >= '0' && text[1] <= '9' || text[1] == 'n'),
		len(text) > 1 && text[0] == 'f' && text[1] >= '0' && text[1] <= '9',
		len(text) > 1 && text[0] == 'u' && text[1] == '8':
		return "an " + text
	}
	return "a " + text
}

// argumentText is sourceText for what a hint puts between parentheses of its own.
func argumentText(e ast.Expr) string {
	text := sourceText(e)
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return text
	}
	inner := text[1 : len(text)-1]
	depth := 0
	for _, r := range inner {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return text
		}
	}
	return inner
}

// sourceText is the source of an expression, shortened if it is long.
func sourceText(e ast.Expr) string {
	text := e.Span().Text()
	line := false
	short := make([]rune, 0, 41)
	for _, r := range text {
		if r == '\n' || r == '\t' || r == '\r' || r == ' ' {
			if line {
				continue
			}
			line, r = true, ' '
		} else {
			line = false
		}
		if len(short) == 40 {
			return string(short) + "…"
		}
		short = append(short, r)
	}
	return string(short)
}

// valued spells an expression with its value: `D / 32, which is 0`, or the value alone where it is a literal.
func valued(text string, n int64) string {
	if v := IntOf(n).String(); text != v {
		return text + ", which is " + v
	}
	return text
}

// integerExpr is scalar where an integer is needed; what names the use in messages.
func (c *checker) integerExpr(e ast.Expr, what string) Type {
	t := c.scalar(e)
	if t.Valid() && !t.IsInt() {
		d := c.errorf(diag.WrongType, e.Span(), "%s must be an integer, but %s is %s", what, sourceText(e), article(t.String()))
		if t.IsFloat() {
			d.Hint("i32(floor(%s))", sourceText(e))
		}
		return invalidType
	}
	return t
}

// boolExpr is scalar where a truth value is needed.
func (c *checker) boolExpr(e ast.Expr, what string) Type {
	t := c.scalar(e)
	if t.Valid() && !t.IsBool() {
		c.errorf(diag.WrongType, e.Span(), "%s must be a bool, but %s is %s", what, sourceText(e), article(t.String())).
			Hint("%s != 0", sourceText(e))
		return invalidType
	}
	return t
}

// constInt is integerExpr where the value must be known at compile time and fit into 63 bits.
func (c *checker) constInt(e ast.Expr, what string) (int64, bool) {
	t := c.integerExpr(e, what)
	if !t.Valid() {
		return 0, false
	}
	v := c.constOf(e)
	if !v.Valid() {
		c.notConstant(e, what)
		return 0, false
	}
	n, ok := v.Int64()
	if !ok {
		c.errorf(diag.BadExtent, e.Span(), "%s is %s, which is too large", what, v)
	}
	return n, ok
}

func (c *checker) ident(id *ast.Ident) Type {
	o := c.scope.lookup(id.Name)
	if o == nil || c.subscript > 0 && c.stmt != nil && !isVariable(o) {
		c.unknownName(id)
		return invalidType
	}
	switch o := o.(type) {
	case *Constant:
		c.info.Uses[id] = o
		if c.consts != nil && !o.Type.Valid() {
			c.consts.evaluate(o, id)
		}
		if o.Tune && c.spec {
			c.errorf(diag.NotInThisPlace, id.Span(), "%s is a tunable; what a spec says cannot depend on it", id.Name).
				Note(o.Span, "%s is declared here", id.Name)
			return invalidType
		}
		c.setConst(id, o.Value)
		return o.Type
	case *Scalar:
		c.info.Uses[id] = o
		return o.Type
	case *Array:
		c.info.Uses[id] = o
		return o.Type()
	case *TypeName:
		c.info.Uses[id] = o
		c.setConst(id, DTypeOf(o.Elem))
		return Type{Kind: TypeKind, Elem: o.Elem}
	case *Fn:
		c.errorf(diag.WrongName, id.Span(), "%s is a function, but a value is needed here", id.Name).
			Hint("call it: %s(…)", id.Name)
	case *Builtin:
		// A name such as `max` hides nothing: it may be meant as a variable that does not exist.
		c.errorf(diag.WrongName, id.Span(), "%s is a function of the language, but a value is needed here", id.Name).
			Hint("call it: %s(…)", id.Name)
	case *broken:
	default:
		c.errorf(diag.WrongName, id.Span(), "%s is %s, but a value is needed here", id.Name, describe(o))
	}
	return invalidType
}

// unknownName reports a name that means nothing. In a subscript it was most likely meant as an index, above all a name
// as short as `kk`.
func (c *checker) unknownName(id *ast.Ident) {
	near := diag.Nearest(id.Name, c.scope.visible(isValueObject))
	if c.subscript == 0 || c.stmt == nil || len(near) == len(id.Name) || near != "" && len(id.Name) > 2 {
		c.undefined(id, "known here", isValueObject)
		return
	}
	c.unreduced(id)
	c.stmt.scope.names[id.Name] = &broken{named{Name: id.Name, Span: id.Span()}}
}

func (c *checker) unary(e *ast.Unary) Type {
	t := c.scalar(e.X)
	if !t.Valid() {
		return invalidType
	}
	switch e.Op {
	case ast.Not:
		if !t.IsBool() {
			return c.badOperand(e.X, t, "not", "a bool")
		}
	case ast.BitNot:
		if !t.IsInt() && !t.IsBool() {
			return c.badOperand(e.X, t, "~", "an integer")
		}
	default:
		if !t.IsNumeric() {
			return c.badOperand(e.X, t, "-", "a number")
		}
		t = c.computed(t)
	}
	v, err := foldUnary(e.Op, c.constOf(e.X), t)
	if err != nil {
		c.errorf(diag.BadArithmetic, e.Span(), "%s has no value: %v", sourceText(e), err)
		return invalidType
	}
	c.setConst(e, v)
	return t
}

func (c *checker) badOperand(e ast.Expr, t Type, op, want string) Type {
	c.errorf(diag.WrongType, e.Span(), "%s needs %s, but %s is %s", op, want, sourceText(e), article(t.String()))
	return invalidType
}

// cond types `if c then a else b`, and select(c, a, b). A constant condition leaves the other branch unread.
func (c *checker) cond(e, cond, then, otherwise ast.Expr) Type {
	t := c.boolExpr(cond, "the condition")
	if v := c.constOf(cond); t.Valid() && v.Kind == BoolValue {
		live := then
		if !v.Bool {
			live = otherwise
		}
		t := c.scalar(live)
		c.setConst(e, c.constOf(live))
		return t
	}
	undo := c.guard(cond)
	x, y := c.scalar(then), c.scalar(otherwise)
	undo()
	switch {
	case !x.Valid() || !y.Valid():
		return invalidType
	case x.IsBool() && y.IsBool():
		return x
	case x.IsBool() || y.IsBool():
		c.errorf(diag.TypeMismatch, e.Span(), "the two branches are %s and %s", article(x.String()), article(y.String())).
			Note(then.Span(), "%s", x).Note(otherwise.Span(), "%s", y)
		return invalidType
	case x.Kind == Number && y.Kind == Number && x.Elem == y.Elem:
		return x // a choice computes nothing: narrow floats stay narrow
	case x.Kind == Number && y.IsUntyped() && x.IsFloat() && !c.spec:
		return c.keepNarrow(otherwise, x)
	case y.Kind == Number && x.IsUntyped() && y.IsFloat() && !c.spec:
		return c.keepNarrow(then, y)
	}
	return c.unify(e, then, otherwise, x, y, "choose between")
}

// keepNarrow types a choice between a float and a literal.
func (c *checker) keepNarrow(literal ast.Expr, t Type) Type {
	if !c.fits(literal, t.Elem) {
		return invalidType
	}
	return t
}
