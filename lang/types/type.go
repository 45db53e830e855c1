package types

import (
	"strings"

	"tilec/runtime/array"
)

// Kind says what sort of thing an expression is; zero is invalid, and mutes errors that would only echo an earlier one.
type Kind uint8

// Kinds of types.
const (
	Invalid      Kind = iota
	UntypedInt        // takes the type that is needed; mostly, but not always, a constant (`if c then 1 else 0`)
	UntypedFloat      // the same, for floats only
	Index             // 64-bit signed in meaning: indices and dimensions
	Number            // a scalar of element type Elem, bool included
	Whole             // a tile, tensor or temporary as a whole
	TypeKind          // an element type itself
	Text              // a string
	Nothing           // a call for its effect
)

// Type is the type of an expression.
type Type struct {
	Kind  Kind
	Elem  array.DType // Number and Whole; TypeKind: the element type that is meant
	Shape []Extent    // Whole
}

// Valid reports whether t says anything.
func (t Type) Valid() bool { return t.Kind != Invalid }

// IsUntyped reports a literal or something made of literals only.
func (t Type) IsUntyped() bool { return t.Kind == UntypedInt || t.Kind == UntypedFloat }

// IsBool reports a truth value.
func (t Type) IsBool() bool { return t.Kind == Number && t.Elem == array.Bool }

// IsInt reports an integer, index and untyped integers included.
func (t Type) IsInt() bool {
	return t.Kind == UntypedInt || t.Kind == Index || t.Kind == Number && t.Elem.IsInt()
}

// IsFloat reports a float, untyped floats included.
func (t Type) IsFloat() bool {
	return t.Kind == UntypedFloat || t.Kind == Number && t.Elem.IsFloat()
}

// IsNumeric reports an integer or a float.
func (t Type) IsNumeric() bool { return t.IsInt() || t.IsFloat() }

// IsScalar reports a value that one variable can hold.
func (t Type) IsScalar() bool { return t.IsNumeric() || t.IsBool() }

// DType returns the element type that a value of this type is stored in: index values are i64, untyped ones take the
// defaults i32 and f32.
func (t Type) DType() array.DType {
	switch t.Kind {
	case UntypedInt:
		return array.I32
	case UntypedFloat:
		return array.F32
	case Index:
		return array.I64
	case Number, Whole:
		return t.Elem
	}
	return array.Invalid
}

// String spells the type as messages show it.
func (t Type) String() string {
	switch t.Kind {
	case UntypedInt:
		return "integer literal"
	case UntypedFloat:
		return "float literal"
	case Index:
		return "index"
	case Number:
		return t.Elem.String()
	case Whole:
		return t.Elem.String() + shapeText(t.Shape)
	case TypeKind:
		return "type " + t.Elem.String()
	case Text:
		return "string"
	case Nothing:
		return "nothing"
	}
	return "invalid"
}

func shapeText(shape []Extent) string {
	parts := make([]string, len(shape))
	for i, x := range shape {
		parts[i] = x.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// number is the type of a scalar of element type t.
func number(t array.DType) Type { return Type{Kind: Number, Elem: t} }

var (
	invalidType = Type{}
	boolType    = number(array.Bool)
	indexType   = Type{Kind: Index}
)
