package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// computed returns the type that arithmetic on values of type t happens in: floats below f32 in f32; in a spec floats
// in f64 and integers exactly, in i64.
func (c *checker) computed(t Type) Type {
	switch {
	case t.Kind != Number:
	case t.Elem.IsFloat() && c.spec:
		return number(array.F64)
	case t.Elem.IsInt() && c.spec && t.Elem != array.U64:
		return number(array.I64)
	case t.Elem.IsFloat() && t.Elem != array.F64:
		return number(array.F32)
	}
	return t
}

func (c *checker) binary(e *ast.Binary) Type {
	if e.Op == ast.And || e.Op == ast.Or {
		return c.logic(e)
	}
	operand := c.scalar
	if e.Op == ast.Eq || e.Op == ast.Ne {
		operand = c.comparable
	}
	x, y := operand(e.X), operand(e.Y)
	switch {
	case !x.Valid() || !y.Valid():
		return invalidType
	case x.Kind == TypeKind || y.Kind == TypeKind:
		return c.compareTypes(e, x, y)
	case e.Op == ast.Shl || e.Op == ast.Shr:
		return c.shift(e, x, y)
	}
	t := c.operands(e, x, y)
	if !t.Valid() {
		return invalidType
	}
	c.info.Operands[e] = t.DType()
	v, err := foldBinary(e.Op, c.valueAs(e.X, t), c.valueAs(e.Y, t), t)
	if err != nil {
		d := c.errorf(diag.BadArithmetic, e.Span(), "%s has no value: %v", sourceText(e), err)
		if err == errDivideByZero {
			d.Note(e.Y.Span(), "this is 0")
		}
		return invalidType
	}
	if !v.Valid() && (e.Op == ast.Div || e.Op == ast.Rem) && t.IsInt() {
		if n, ok := c.constOf(e.Y).Int64(); ok && n == 0 {
			c.errorf(diag.BadArithmetic, e.Span(), "%s has no value: %v", sourceText(e), errDivideByZero).Note(e.Y.Span(), "this is 0")
			return invalidType
		}
	}
	c.setConst(e, v)
	if e.Op.IsComparison() {
		return boolType
	}
	return t
}

// comparable is scalar, but lets element types through for comparisons such as `T == f16`.
func (c *checker) comparable(e ast.Expr) Type {
	if t := c.expr(e); t.Kind == TypeKind {
		return t
	}
	return c.scalar(e)
}

// valueAs is the value of an operand once it is converted to the type t of the operation.
func (c *checker) valueAs(e ast.Expr, t Type) Value {
	v := c.constOf(e)
	if v.Kind == IntValue && t.IsFloat() || v.Kind == FloatValue {
		return rounded(v, t)
	}
	return v
}

func (c *checker) compareTypes(e *ast.Binary, x, y Type) Type {
	if x.Kind != y.Kind {
		c.errorf(diag.TypeMismatch, e.Span(), "cannot compare %s and %s", article(x.String()), article(y.String()))
		return invalidType
	}
	v, _ := foldBinary(e.Op, DTypeOf(x.Elem), DTypeOf(y.Elem), invalidType)
	c.setConst(e, v)
	return boolType
}

func (c *checker) logic(e *ast.Binary) Type {
	what := "an operand of " + e.Op.String()
	x := c.boolExpr(e.X, what)
	undo := c.guard(e.X)
	y := c.boolExpr(e.Y, what)
	undo()
	if !x.Valid() || !y.Valid() {
		return invalidType
	}
	c.info.Operands[e] = array.Bool
	v, _ := foldBinary(e.Op, c.constOf(e.X), c.constOf(e.Y), boolType)
	c.setConst(e, v)
	return boolType
}

// operands checks the operands of an arithmetic, bit or comparison operator and returns the type that they are
// converted to.
func (c *checker) operands(e *ast.Binary, x, y Type) Type {
	bits := e.Op == ast.BitAnd || e.Op == ast.BitOr || e.Op == ast.BitXor
	if x.IsBool() && y.IsBool() && (bits || e.Op == ast.Eq || e.Op == ast.Ne) {
		return boolType
	}
	for _, o := range [2]struct {
		e ast.Expr
		t Type
	}{{e.X, x}, {e.Y, y}} {
		switch {
		case bits && o.t.IsFloat():
			return c.badOperand(o.e, o.t, e.Op.String(), "integers")
		case o.t.IsBool() && x.IsBool() && y.IsBool():
			return c.badOperand(o.e, o.t, e.Op.String(), "numbers")
		}
	}
	return c.unify(e, e.X, e.Y, x, y, verb(e.Op))
}

// verb names an operation as in "cannot add f32 and index".
func verb(op ast.BinaryOp) string {
	switch op {
	case ast.Add:
		return "add"
	case ast.Sub:
		return "subtract"
	case ast.Mul:
		return "multiply"
	case ast.Div, ast.Rem:
		return "divide"
	}
	if op.IsComparison() {
		return "compare"
	}
	return "combine"
}

// shift: the result has the type of the left side; the amount is any integer.
func (c *checker) shift(e *ast.Binary, x, y Type) Type {
	for _, o := range [2]struct {
		e ast.Expr
		t Type
	}{{e.X, x}, {e.Y, y}} {
		if !o.t.IsInt() {
			return c.badOperand(o.e, o.t, e.Op.String(), "integers")
		}
	}
	t := c.computed(x)
	if !t.IsUntyped() {
		c.info.Operands[e] = t.DType()
	}
	v, err := foldBinary(e.Op, c.constOf(e.X), c.constOf(e.Y), t)
	if err != nil {
		c.errorf(diag.BadArithmetic, e.Span(), "%s has no value: %v", sourceText(e), err)
		return invalidType
	}
	c.setConst(e, v)
	return t
}

// IsIntegerOperation reports an operation that is one of integers even where its operands are literals and take the type
// that is needed: shifts, bit operations, and divisions, which round.
func IsIntegerOperation(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Binary:
		switch e.Op {
		case ast.Shl, ast.Shr, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Div, ast.Rem:
			return true
		}
	case *ast.Unary:
		return e.Op == ast.BitNot
	}
	return false
}

// unify returns the type in which two scalars meet: integers in the wider one, floats in f32 or f64, literals in the
// other's type. Integers and floats do not meet, but in a spec.
func (c *checker) unify(e, xe, ye ast.Expr, x, y Type, verb string) Type {
	mismatch := func(reason string) *diag.Diagnostic {
		return c.errorf(diag.TypeMismatch, e.Span(), "cannot %s %s and %s: %s", verb, x, y, reason).
			Note(xe.Span(), "%s is %s", sourceText(xe), article(x.String())).
			Note(ye.Span(), "%s is %s", sourceText(ye), article(y.String()))
	}
	switch {
	case !x.Valid() || !y.Valid():
		return invalidType
	case x.IsBool() || y.IsBool():
		b := xe
		if !x.IsBool() {
			b = ye
		}
		mismatch("a bool is not a number").Hint("i32(%s)", argumentText(b))
		return invalidType
	case x.IsUntyped() && y.IsUntyped():
		if x.Kind == UntypedFloat {
			return x
		}
		return y
	case x.IsFloat() != y.IsFloat():
		return c.unifyMixed(mismatch, xe, ye, x, y)
	case x.IsFloat():
		return c.unifyFloats(xe, ye, x, y)
	}
	return c.unifyInts(mismatch, xe, ye, x, y)
}

// unifyMixed is unify for an integer and a float.
func (c *checker) unifyMixed(mismatch func(string) *diag.Diagnostic, xe, ye ast.Expr, x, y Type) Type {
	ie, f, i := ye, x, y
	if y.IsFloat() {
		ie, f, i = xe, y, x
	}
	switch {
	case c.spec:
		return number(array.F64)
	case i.Kind == UntypedInt:
		return c.unifyFloats(xe, ye, x, y)
	case f.Kind == UntypedFloat:
		mismatch("an integer and a float never mix silently").Hint("f32(%s)", argumentText(ie))
		return invalidType
	}
	mismatch("an integer and a float never mix silently").Hint("%s(%s)", c.computed(f), argumentText(ie))
	return invalidType
}

func (c *checker) unifyFloats(xe, ye ast.Expr, x, y Type) Type {
	t := number(array.F32)
	if c.spec || x.Kind == Number && x.Elem == array.F64 || y.Kind == Number && y.Elem == array.F64 {
		t = number(array.F64)
	}
	for _, o := range [2]struct {
		e ast.Expr
		t Type
	}{{xe, x}, {ye, y}} {
		if o.t.IsUntyped() && !c.fits(o.e, t.Elem) {
			return invalidType
		}
	}
	return t
}

func (c *checker) unifyInts(mismatch func(string) *diag.Diagnostic, xe, ye ast.Expr, x, y Type) Type {
	switch {
	case x.IsUntyped():
		return c.unifyLiteral(xe, y)
	case y.IsUntyped():
		return c.unifyLiteral(ye, x)
	case x.Kind == Index || y.Kind == Index:
		return indexType
	}
	x, y = c.computed(x), c.computed(y)
	if x.Elem == y.Elem {
		return x
	}
	wide, narrow := x, y
	if y.Elem.Bits() > x.Elem.Bits() {
		wide, narrow = y, x
	}
	if c.spec || holds(wide.Elem, narrow.Elem) {
		return wide
	}
	mismatch("neither holds all values of the other").Hint("convert one of them, for instance %s(%s)", wide, argumentText(narrowOperand(xe, ye, x, wide)))
	return invalidType
}

// narrowOperand is the operand whose type is not the wide one.
func narrowOperand(xe, ye ast.Expr, x, wide Type) ast.Expr {
	if x.Elem == wide.Elem {
		return ye
	}
	return xe
}

// unifyLiteral gives an untyped integer the type of the other operand.
func (c *checker) unifyLiteral(literal ast.Expr, t Type) Type {
	if c.spec {
		return c.computed(t)
	}
	if t.Kind == Number && !c.fits(literal, t.Elem) {
		return invalidType
	}
	return t
}

// holds reports whether every value of integer type from is one of integer type to.
func holds(to, from array.DType) bool {
	switch {
	case to == from:
		return true
	case to.IsUnsigned() && from.IsSigned():
		return false
	case to.IsSigned() && from.IsUnsigned():
		return to.Bits() > from.Bits()
	}
	return to.Bits() >= from.Bits()
}

// widens reports whether every value of from is one of to, across all kinds of numbers.
func widens(to, from array.DType) bool {
	switch {
	case to == from:
		return true
	case from.IsInt() && to.IsInt():
		return holds(to, from)
	case from.IsFloat() && to.IsFloat():
		return to == array.F64 || to == array.F32 && from != array.F64 ||
			from.Bits() <= 8 && from != array.F8E8M0 && (to == array.F16 || to == array.BF16)
	case from.IsInt() && to.IsFloat():
		return from.Bits() <= mantissa(to)
	}
	return false
}

// mantissa is the number of bits of the integers that a float type holds exactly.
func mantissa(t array.DType) int {
	switch t {
	case array.F64:
		return 53
	case array.F32:
		return 24
	case array.F16:
		return 11
	case array.BF16:
		return 8
	}
	return 0
}

// fits checks that the literals which an untyped expression may give are values of type t.
func (c *checker) fits(e ast.Expr, t array.DType) bool {
	if v := c.constOf(e); v.Valid() {
		if v.Fits(t) {
			return true
		}
		switch {
		case v.Kind == FloatValue && t.IsInt():
			c.errorf(diag.TypeMismatch, e.Span(), "%s is a float, but %s is needed here", sourceText(e), article(t.String()))
		case t.IsInt():
			lo, hi := intRange(t)
			c.errorf(diag.LiteralOverflow, e.Span(), "%s does not fit into %s, which holds %s … %s", v, t, lo, hi)
		default:
			c.errorf(diag.LiteralOverflow, e.Span(), "%s does not fit into %s, whose greatest value is %s", v, t, largestText(t))
		}
		return false
	}
	if !c.spec && !t.IsInt() && IsIntegerOperation(e) && c.info.Types[e].IsInt() {
		c.errorf(diag.TypeMismatch, e.Span(), "%s is an integer, but %s is needed here: an integer and a float never mix silently", argumentText(e), article(t.String())).
			Hint("%s(%s)", t, argumentText(e))
		return false
	}
	switch e := e.(type) {
	case *ast.Cond:
		return c.allFit(t, e.Then, e.Else)
	case *ast.Binary:
		return c.allFit(t, e.X, e.Y)
	case *ast.Unary:
		return c.allFit(t, e.X)
	case *ast.Reduce:
		return c.allFit(t, e.Body)
	case *ast.Call:
		return c.allFit(t, e.Args...)
	}
	return true
}

func (c *checker) allFit(t array.DType, parts ...ast.Expr) bool {
	ok := true
	for _, p := range parts {
		if c.info.Types[p].IsUntyped() {
			ok = c.fits(p, t) && ok
		}
	}
	return ok
}
