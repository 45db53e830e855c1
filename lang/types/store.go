package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// storable checks that a value may be stored where element type `to` is held: floats round, integers go silently only
// into types that hold all their values (indices into 32 and 64 bits), and integers and floats never mix, but in a spec.
// The target is described for messages: "acc is f32".
func (c *checker) storable(e ast.Expr, from Type, to array.DType, target string, declared diag.Span) bool {
	if !from.Valid() || to == array.Invalid {
		return false
	}
	reject := func(code diag.Code, reason string) *diag.Diagnostic {
		d := c.errorf(code, e.Span(), "cannot store %s in %s, which is %s: %s", article(from.String()), target, to, reason)
		if declared.IsValid() {
			d.Note(declared, "%s is declared here", target)
		}
		return d
	}
	text := sourceText(e)
	switch {
	case from.IsBool() && to == array.Bool:
		return true
	case from.IsBool():
		reject(diag.TypeMismatch, "a bool is not a number").Hint("%s(%s)", to, argumentText(e))
		return false
	case to == array.Bool:
		reject(diag.TypeMismatch, "a number is not a bool").Hint("%s != 0", text)
		return false
	case c.spec:
		return true
	case from.Kind == UntypedInt && to.IsFloat(), from.Kind == UntypedInt && to.IsInt(), from.Kind == UntypedFloat && to.IsFloat():
		return c.fits(e, to)
	case from.IsFloat() && to.IsFloat():
		return true
	case from.IsFloat() || to.IsFloat():
		reject(diag.TypeMismatch, "an integer and a float never mix silently").Hint("%s(%s)", to, argumentText(e))
		return false
	case from.Kind == Index:
		if v := c.constOf(e); v.Valid() {
			return c.fits(e, to)
		}
		if to.Bits() >= 32 {
			return true
		}
	case holds(to, from.Elem):
		return true
	}
	reject(diag.Narrowing, "not every value fits").Hint("%s(%s) keeps the low bits", to, text)
	return false
}
