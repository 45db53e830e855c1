package types

import (
	"fmt"
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// genericObject is the object that a generic is in an instantiation.
func genericObject(g *ast.Generic, v Value) Object {
	n := named{Name: g.Name.Name, Span: g.Name.Span()}
	switch v.Kind {
	case DTypeValue:
		return &TypeName{named: n, Elem: v.DType, Generic: true}
	case BoolValue:
		return &Constant{named: n, Type: boolType, Value: v, Generic: true}
	}
	return &Constant{named: n, Type: indexType, Value: v, Generic: true}
}

// genericValue works out a default or allowed value of a generic; not Valid after an error.
func (c *checker) genericValue(g *ast.Generic, e ast.Expr) (Value, bool) {
	t := c.expr(e)
	v := c.constOf(e)
	if !t.Valid() {
		return Value{}, false
	}
	want := map[string]ValueKind{"dtype": DTypeValue, "int": IntValue, "bool": BoolValue}[g.Kind.Name]
	if v.Kind != want || want == NoValue {
		c.errorf(diag.BadGeneric, e.Span(), "%s is %s generic, but %s is %s", g.Name.Name, article(g.Kind.Name), sourceText(e), article(t.String())).
			Note(g.Span(), "%s is declared here", g.Name.Name)
		return Value{}, false
	}
	if n, ok := v.Int64(); v.Kind == IntValue && (!ok || n < -1<<31 || n > 1<<31) {
		c.errorf(diag.BadGeneric, e.Span(), "%s is out of the range of generics", v)
		return Value{}, false
	}
	return v, true
}

// allowed lists the values that a generic may have; nil if any.
func (c *checker) allowed(g *ast.Generic) []Value {
	var values []Value
	for _, e := range g.In {
		if v, ok := c.genericValue(g, e); ok {
			values = append(values, v)
		}
	}
	return values
}

// refused returns "" if a generic may have the value, or the values that it may have.
func (c *checker) refused(g *ast.Generic, v Value) string {
	values := c.allowed(g)
	if len(values) == 0 {
		return ""
	}
	names := make([]string, len(values))
	for i, w := range values {
		if w.Equal(v) {
			return ""
		}
		names[i] = w.String()
	}
	return strings.Join(names, ", ")
}

// generics declares a kernel's generics with the given values, or their defaults, or the first allowed ones.
func (c *checker) generics(k *Kernel, given map[string]Value) (map[string]Value, bool) {
	values, ok := map[string]Value{}, true
	known := map[string]bool{}
	for _, g := range k.Decl.Generics {
		if g.Name == nil || g.Kind == nil {
			return nil, false
		}
		known[g.Name.Name] = true
		switch g.Kind.Name {
		case "dtype", "int", "bool":
		default:
			d := c.errorf(diag.BadGeneric, g.Kind.Span(), "%s is not a kind of generic", g.Kind.Name)
			d.Hint("there are dtype, int and bool")
			ok = false
			continue
		}
		v, fine := c.generic(k, g, given)
		if !fine {
			ok = false
			c.mute(g.Name)
			continue
		}
		values[g.Name.Name] = v
		c.declare(g.Name, genericObject(g, v))
	}
	for name := range given {
		if !known[name] {
			c.errorf(diag.BadGeneric, k.Span, "%s has no generic named %s", k.Name, name)
			ok = false
		}
	}
	return values, ok
}

func (c *checker) generic(k *Kernel, g *ast.Generic, given map[string]Value) (Value, bool) {
	allowed := c.allowed(g)
	var fallback Value
	ok := len(allowed) == len(g.In)
	if g.Default != nil {
		v, fine := c.genericValue(g, g.Default)
		if bad := c.refused(g, v); fine && bad != "" {
			c.errorf(diag.BadGeneric, g.Default.Span(), "%s cannot be %s: it is one of %s", g.Name.Name, v, bad).
				Note(g.Span(), "%s is declared here", g.Name.Name)
			fine = false
		}
		fallback, ok = v, ok && fine
	} else if len(allowed) > 0 {
		fallback = allowed[0]
	}
	v, isGiven := given[g.Name.Name]
	switch {
	case !ok:
		return Value{}, false
	case !isGiven && !fallback.Valid():
		if g.Kind.Name == "dtype" && len(g.In) == 0 {
			c.errorf(diag.BadGeneric, g.Span(), "%s must say which types it may be", g.Name.Name).
				Hint("%s: dtype in [f16, bf16, f32]", g.Name.Name)
		} else {
			c.errorf(diag.BadGeneric, g.Span(), "%s of %s has no default, and no value is given", g.Name.Name, k.Name)
		}
		return Value{}, false
	case !isGiven:
		return fallback, true
	}
	want := map[string]ValueKind{"dtype": DTypeValue, "int": IntValue, "bool": BoolValue}[g.Kind.Name]
	if v.Kind != want {
		c.errorf(diag.BadGeneric, g.Span(), "%s is %s generic, it cannot be %s", g.Name.Name, article(g.Kind.Name), v)
		return Value{}, false
	}
	if bad := c.refused(g, v); bad != "" {
		c.errorf(diag.BadGeneric, g.Span(), "%s cannot be %s: it is one of %s", g.Name.Name, v, bad)
		return Value{}, false
	}
	return v, true
}

// Set gives a generic or tunable of a kernel the value that a text such as `bf16`, `64` or `true` spells.
func (b *Bindings) Set(k *Kernel, name, text string) error {
	for _, g := range k.Decl.Generics {
		if g.Name == nil || g.Kind == nil || g.Name.Name != name {
			continue
		}
		v, err := genericText(g.Kind.Name, text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if b.Generics == nil {
			b.Generics = map[string]Value{}
		}
		b.Generics[name] = v
		return nil
	}
	var names []string
	for _, s := range k.Decl.Prologue {
		t, ok := s.(*ast.Tune)
		if !ok || t.Name == nil {
			continue
		}
		names = append(names, t.Name.Name)
		if t.Name.Name != name {
			continue
		}
		v, err := genericText("int", text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if b.Tunes == nil {
			b.Tunes = map[string]int64{}
		}
		b.Tunes[name], _ = v.Int64()
		return nil
	}
	for _, g := range k.Decl.Generics {
		if g.Name != nil {
			names = append(names, g.Name.Name)
		}
	}
	if near := diag.Nearest(name, names); near != "" {
		return fmt.Errorf("%s has no generic or tunable named %s; did you mean %s?", k.Name, name, near)
	}
	return fmt.Errorf("%s has no generic or tunable named %s", k.Name, name)
}

func genericText(kind, text string) (Value, error) {
	switch kind {
	case "dtype":
		if t, ok := array.ParseDType(text); ok {
			return DTypeOf(t), nil
		}
		return Value{}, fmt.Errorf("%q is not a type", text)
	case "bool":
		switch text {
		case "true":
			return BoolOf(true), nil
		case "false":
			return BoolOf(false), nil
		}
		return Value{}, fmt.Errorf("%q is neither true nor false", text)
	}
	var n int64
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil || fmt.Sprint(n) != text || n < -1<<31 || n > 1<<31 {
		return Value{}, fmt.Errorf("%q is not an integer", text)
	}
	return IntOf(n), nil
}
