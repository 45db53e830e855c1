package ir

import (
	"math"

	"tilec/runtime/array"
)

// typed checks e and that it is of type t.
func (v *verifier) typed(e *Expr, t DType, what string) {
	if v.expr(e, what) && e.Type != t {
		v.errorf("%s is %s of type %s, not %s", what, e, e.Type, t)
	}
}

// integer checks e and that it is an integer.
func (v *verifier) integer(e *Expr, what string) {
	if v.expr(e, what) && !e.Type.IsInt() {
		v.errorf("%s is %s of type %s, not an integer", what, e, e.Type)
	}
}

// expr checks an expression; it reports false for one that is missing, so that
// callers say no more about it.
func (v *verifier) expr(e *Expr, what string) bool {
	if e == nil {
		v.errorf("%s is missing", what)
		return false
	}
	switch e.Op {
	case Const:
		v.constant(e)
	case Ref:
		switch {
		case e.Var == nil:
			v.errorf("a reference names no scalar")
			return false
		case !v.vars[e.Var]:
			v.errorf("scalar %s is used out of scope", e.Var.Name)
		case e.Var.Type != e.Type:
			v.errorf("reference to %s has type %s, the scalar %s", e.Var.Name, e.Type, e.Var.Type)
		}
	case Load:
		if v.access(e.At) && e.At.Buf.Elem != e.Type {
			v.errorf("load %s has type %s, its elements %s", e, e.Type, e.At.Buf.Elem)
		}
		if e.At == nil {
			return false
		}
	default:
		return v.operator(e)
	}
	return true
}

func (v *verifier) constant(e *Expr) {
	switch {
	case e.Type == array.Invalid:
		v.errorf("a constant has no type")
	case e.Type.IsFloat():
		if r := array.RoundFloat(e.Type, e.Float); r != e.Float && !math.IsNaN(e.Float) {
			v.errorf("constant %v is no value of type %s", e.Float, e.Type)
		}
	case e.Type == array.Bool && e.Int != 0 && e.Int != 1, array.WrapInt(e.Type, e.Int) != e.Int:
		v.errorf("constant %d is no value of type %s", e.Int, e.Type)
	}
}

// operator checks an operation by its row of the table.
func (v *verifier) operator(e *Expr) bool {
	if e.Op == InvalidExpr || e.Op >= numExprOps {
		v.errorf("expression of unknown operation %d", e.Op)
		return false
	}
	info := e.Op.Info()
	if len(e.Args) != info.Arity {
		v.errorf("%s takes %d operands, not %d", info.Name, info.Arity, len(e.Args))
		return false
	}
	for i, a := range e.Args {
		if i > 0 && (e.Op == Select || e.Op == And || e.Op == Or) {
			defer v.assume(e.Args[0])()
		}
		if !v.expr(a, "an operand of "+info.Name) {
			return false
		}
	}
	x := e.Args[0].Type
	same := func(args []*Expr) {
		for _, a := range args {
			if a.Type != x {
				v.errorf("operands of %s have types %s and %s", e, x, a.Type)
				return
			}
		}
	}
	switch e.Op {
	case Cast:
		if e.Type == array.Invalid {
			v.errorf("%s has no type", e)
		}
		return true
	case Bitcast:
		if e.Type.Bits() != x.Bits() || e.Type == array.Bool || x == array.Bool {
			v.errorf("%s takes %d bits from a value of type %s", e, e.Type.Bits(), x)
		}
		return true
	case Select:
		if x != array.Bool {
			v.errorf("the condition of %s is of type %s", e, x)
		}
		x = e.Args[1].Type
		same(e.Args[2:])
		v.result(e, x)
		return true
	case Rand:
		if !x.IsInt() || !e.Args[1].Type.IsInt() {
			v.errorf("seed and offset of %s are not both integers", e)
		}
		v.result(e, array.F32)
		return true
	}
	same(e.Args[1:])
	v.domain(e, info.Flags, x)
	if info.Flags&Compares != 0 {
		x = array.Bool
	}
	v.result(e, x)
	return true
}

// domain checks that e is defined on operands of type x.
func (v *verifier) domain(e *Expr, flags ExprFlags, x DType) {
	ok := true
	switch {
	case flags&Floats != 0:
		ok = x.IsFloat()
	case flags&Ints != 0:
		ok = x.IsInt() || x == array.Bool && e.Op != Shl && e.Op != Shr
	case flags&Bools != 0:
		ok = x == array.Bool
	case e.Op == Eq || e.Op == Ne:
	default:
		ok = x != array.Bool
	}
	if !ok {
		v.errorf("%s is not defined on %s (%s)", e.Op, x, e)
	}
	if x.IsFloat() && x.Bits() < 32 {
		v.errorf("%s computes in %s (%s); cast to f32 first", e.Op, x, e)
	}
}

func (v *verifier) result(e *Expr, t DType) {
	if e.Type != t {
		v.errorf("%s is of type %s, not %s", e, e.Type, t)
	}
}

// access checks an access; it reports false if that has no buffer.
func (v *verifier) access(a *Access) bool {
	if a == nil || a.Buf == nil {
		v.errorf("an access names no buffer")
		return false
	}
	b := a.Buf
	if !v.bufs[b] {
		v.errorf("buffer %s is used out of scope", b.Name)
	}
	if len(a.Index) != len(b.Shape) {
		v.errorf("%s has %d indices, %s has %d dimensions", a, len(a.Index), b.Name, len(b.Shape))
	}
	defer v.assume(a.Guard)()
	for d, x := range a.Index {
		v.integer(x, "an index of "+b.Name)
		if x != nil && a.Guard == nil && d < len(b.Shape) {
			v.bound(a, x, b.Shape[d], d)
		}
	}
	if a.Guard != nil {
		v.typed(a.Guard, array.Bool, "the guard of "+b.Name)
	}
	if a.Else != nil {
		v.typed(a.Else, b.Elem, "what "+b.Name+" gives outside")
		if a.Guard == nil {
			v.errorf("%s has an else but no guard", a)
		}
	}
	return true
}

// bound finds unguarded indices that certainly leave their dimension.
func (v *verifier) bound(a *Access, x, extent *Expr, d int) {
	if !extent.IsConst() {
		return
	}
	n := extent.Int
	switch {
	case x.IsConst():
		if (x.Int < 0 || x.Int >= n) && len(v.under) == 0 {
			v.errorf("index %s of %s is outside dimension %d, of extent %d", x, a, d, n)
		}
	case x.Op == Ref:
		if run := v.extents[x.Var]; run != nil && run.IsConst() && run.Int > n && !v.limited(x.Var) {
			v.errorf("%s runs to %d, but dimension %d of %s has extent %d", x, run.Int, d, a.Buf.Name, n)
		}
	}
}

// assume has a condition hold until the function that it returns is called.
func (v *verifier) assume(cond *Expr) (undo func()) {
	if cond == nil {
		return func() {}
	}
	before := v.under
	v.under = append(before[:len(before):len(before)], cond)
	return func() { v.under = before }
}

// limited reports a variable that some condition is about.
func (v *verifier) limited(x *Var) bool {
	for _, c := range v.under {
		if c.Uses(x) {
			return true
		}
	}
	return false
}
