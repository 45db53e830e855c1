package types

import (
	"maps"
	"slices"

	"tilec/runtime/array"
)

// scope maps names to objects; what it lacks, its parent may have.
type scope struct {
	parent *scope
	names  map[string]Object
}

func newScope(parent *scope) *scope { return &scope{parent: parent, names: map[string]Object{}} }

// lookup returns the innermost object of that name, or nil.
func (s *scope) lookup(name string) Object {
	for ; s != nil; s = s.parent {
		if o, ok := s.names[name]; ok {
			return o
		}
	}
	return nil
}

// lookupCall returns the innermost object of that name that can be called: scalars and arrays do not hide functions.
func (s *scope) lookupCall(name string) Object {
	for ; s != nil; s = s.parent {
		switch o := s.names[name].(type) {
		case *Fn, *Builtin, *TypeName:
			return o
		case *Constant:
			if o.Type.Kind == TypeKind {
				return o
			}
		}
	}
	return nil
}

// visible lists all names that match.
func (s *scope) visible(match func(Object) bool) []string {
	seen := map[string]bool{}
	for ; s != nil; s = s.parent {
		for name, o := range s.names {
			if match(o) {
				seen[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// universe returns a scope of the predeclared names.
func universe() *scope {
	s := newScope(nil)
	for _, t := range array.DTypes() {
		s.names[t.String()] = &TypeName{named: named{Name: t.String()}, Elem: t}
	}
	for name, value := range predeclared {
		s.names[name] = &Constant{named: named{Name: name}, Type: Type{Kind: UntypedFloat}, Value: FloatOf(value)}
	}
	for name := range builtins {
		s.names[name] = &Builtin{named{Name: name}}
	}
	return s
}

// visibleHere lists the names that the scope itself declares.
func (s *scope) visibleHere() []string { return slices.Sorted(maps.Keys(s.names)) }
