package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/std"
	"tilec/runtime/array"
)

// place says which rules a body follows; zero is invalid.
type place uint8

const (
	constPlace  place = iota + 1 // a const, a default, a candidate, a test binding: known at compile time
	launchPlace                  // a kernel's prologue and grid counts: known at launch
	gridPlace                    // a grid's body, and a fn on tiles
	specPlace                    // whole tensors, f64, numbers mix
	fnPlace                      // a scalar fn
)

// session is what the bodies of one instantiation share.
type session struct {
	rep    *diag.Reporter
	serial int // of scalars
	grid   []*Scalar
	// expansions of fns, by function and argument types.
	expansions map[string]*Expansion
	active     []*Fn // being expanded, outermost first
	budget     int   // how many more expansions there may be
	// looping are the fns about whose recursion an error was reported.
	looping map[*Fn]bool
}

// maxExpansions bounds the work for programs that expand exponentially.
const maxExpansions = 2000

func newSession(rep *diag.Reporter) *session {
	return &session{rep: rep, expansions: map[string]*Expansion{}, budget: maxExpansions, looping: map[*Fn]bool{}}
}

// checker checks one body.
type checker struct {
	*session
	info  *Info
	scope *scope
	where place
	// spec: numbers are those of a spec, also in the scalar fns that it uses.
	spec bool
	// expand makes the facts of unit-level constants while they are being worked out; nil afterwards.
	consts *constants
	// stmt is the index statement under way, nil between statements.
	stmt *statement
	flow *flow
	// control is what the conditions around the statement under way depend on.
	control taint
	// guarded counts, for each index, the conditions around the expression under way that limit it.
	guarded map[*Scalar]int
	// wholeValue is the expression that is all of a let, var or assignment under way.
	wholeValue ast.Expr
	// subscript counts the subscripts around the expression under way.
	subscript int
	// readOnly are the parameters about which it was said that they cannot be written.
	readOnly map[*Array]bool
	// result of a fn's body: the returned type, and the tile that is returned.
	returned *returned
}

func newChecker(s *session, names *scope, where place) *checker {
	return newBodyChecker(s, names, where, nil)
}

// newBodyChecker is newChecker where there may be facts of an earlier instantiation of the body.
func newBodyChecker(s *session, names *scope, where place, like *infoSizes) *checker {
	return &checker{session: s, info: newInfo(like), scope: names, where: where, flow: newFlow(), guarded: map[*Scalar]int{}, readOnly: map[*Array]bool{}}
}

func (c *checker) errorf(code diag.Code, at diag.Span, format string, args ...any) *diag.Diagnostic {
	return c.rep.Errorf(code, at, format, args...)
}

// open enters a new scope; the caller leaves it by restoring what open returns.
func (c *checker) open() *scope {
	outer := c.scope
	c.scope = newScope(outer)
	return outer
}

// declare introduces a name in the current scope and records its definition.
func (c *checker) declare(id *ast.Ident, o Object) {
	if id == nil {
		return
	}
	if before := c.scope.names[id.Name]; before != nil && !isBroken(before) {
		redeclared(c.rep, id, before)
		return
	}
	c.scope.names[id.Name] = o
	c.info.Defs[id] = o
}

// broken stands for a name about which an error was reported; its uses are silent.
type broken struct{ named }

func isBroken(o Object) bool {
	_, ok := o.(*broken)
	return ok
}

// mute makes later uses of an unknown name silent, in the block around the statement under way.
func (c *checker) mute(id *ast.Ident) {
	s := c.scope
	if c.stmt != nil {
		s = c.stmt.scope.parent
	}
	s.names[id.Name] = &broken{named{Name: id.Name, Span: id.Span()}}
}

// newScalar makes a scalar with a fresh number.
func (c *checker) newScalar(id *ast.Ident, kind ScalarKind, t Type) *Scalar {
	c.serial++
	return &Scalar{named: named{Name: id.Name, Span: id.Span()}, Kind: kind, Type: t, id: c.serial}
}

// undefined reports a name that means nothing here, with the nearest that does.
func (c *checker) undefined(id *ast.Ident, what string, match func(Object) bool) {
	d := c.errorf(diag.Undefined, id.Span(), "%s is not %s", id.Name, what)
	if here, ok := foreign[id.Name]; ok {
		d.Hint("here it is written so: %s", here)
	} else if file := std.Declaring(id.Name); file != "" {
		d.Hint("import \"std/%s\"", file)
	} else if near := diag.Nearest(id.Name, c.scope.visible(match)); near != "" {
		d.Hint("did you mean %s?", near).Replace(id.Span(), near)
		if o := c.scope.lookup(near); o != nil && o.Declared().IsValid() {
			d.Note(o.Declared(), "%s is declared here", near)
		}
	}
	c.mute(id)
}

func isValueObject(o Object) bool {
	switch o.(type) {
	case *Constant, *Scalar, *Array:
		return true
	}
	return false
}

func isTypeObject(o Object) bool {
	switch o := o.(type) {
	case *TypeName:
		return true
	case *Constant:
		return o.Type.Kind == TypeKind
	}
	return false
}

func isCallObject(o Object) bool {
	switch o.(type) {
	case *Fn, *Builtin, *TypeName:
		return true
	}
	return false
}

// elemOf returns the element type that a name means; Invalid after an error.
func (c *checker) elemOf(id *ast.Ident) array.DType {
	if id == nil {
		return array.Invalid
	}
	switch o := c.scope.lookup(id.Name).(type) {
	case nil:
		c.undefined(id, "a known type", isTypeObject)
	case *TypeName:
		c.info.Uses[id] = o
		return o.Elem
	case *Constant:
		if o.Type.Kind == TypeKind {
			c.info.Uses[id] = o
			return o.Value.DType
		}
		if o.Type.Valid() {
			c.errorf(diag.WrongName, id.Span(), "%s is %s, not a type", id.Name, describe(o))
		}
	case *broken:
	default:
		c.errorf(diag.WrongName, id.Span(), "%s is %s, not a type", id.Name, describe(o))
	}
	return array.Invalid
}

// describe says in words what an object is.
func describe(o Object) string {
	switch o := o.(type) {
	case *Constant:
		switch {
		case o.Tune:
			return "a tunable"
		case o.Generic:
			return "a generic"
		}
		return "a constant"
	case *TypeName:
		return "a type"
	case *Scalar:
		return o.Kind.String()
	case *Array:
		if o.Kind == Temporary {
			return "a temporary of the spec"
		}
		return "a " + o.Kind.String()
	case *Fn, *Builtin:
		return "a function"
	case *Kernel:
		return "a kernel"
	case *other:
		return o.what
	}
	return "something else"
}

// String names the kind as messages do.
func (k ScalarKind) String() string {
	switch k {
	case Dim:
		return "a dimension"
	case ParamScalar:
		return "a parameter"
	case GridIndex:
		return "a grid index"
	case LoopIndex:
		return "a loop index"
	case FreeIndex:
		return "an index"
	case LetScalar:
		return "a let"
	case MutScalar:
		return "a var"
	}
	return "invalid"
}

// setConst records the value of a constant expression.
func (c *checker) setConst(e ast.Expr, v Value) {
	if v.Valid() {
		c.info.Consts[e] = v
	}
}

// constOf returns the value of an expression that was checked; it is not Valid if there is none.
func (c *checker) constOf(e ast.Expr) Value { return c.info.Consts[e] }
