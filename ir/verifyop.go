package ir

import (
	"tilec/runtime/array"
)

// operation checks an op by its row of the table, then by its own rules.
func (v *verifier) operation(op *Op) {
	if op.Code == InvalidOp || op.Code >= numOps {
		v.op = nil
		v.in("", op.Span)
		v.errorf("unknown operation %d", op.Code)
		return
	}
	if !v.fields(op) {
		return
	}
	info := op.Code.Info()
	if v.f.Form < info.Since && (v.f.Form != SpecForm || info.Since != TileForm) {
		v.errorf("%s doesn't stand in %s form", info.Name, v.f.Form)
	}
	if op.Async && v.f.Form < ScheduledForm {
		v.errorf("an asynchronous copy stands in %s form", v.f.Form)
	}
	v.scope(func() {
		v.iterations(op)
		v.operands(op)
		v.rules(op)
		if v.f.Form >= PlacedForm {
			v.placed(op)
		}
	})
	v.defines(op)
	switch {
	case info.Fields&HasBody == 0:
	case op.Code == OpFor:
		v.scope(func() {
			v.declare(op.Var, LoopVar)
			v.block(op.Body)
		})
	case op.Code == OpCores:
		if op.Else == nil {
			v.errorf("cores has no block for the vector cores")
			return
		}
		v.scope(func() {
			v.declare(op.Var, LetVar)
			v.block(op.Body)
			v.block(op.Else)
		})
	default:
		v.block(op.Body)
		if op.Else != nil {
			v.block(op.Else)
		}
	}
}

// fields checks that op has what its row says and nothing else.
func (v *verifier) fields(op *Op) bool {
	info := op.Code.Info()
	ok := true
	fail := func(format string, args ...any) {
		ok = false
		v.errorf(format, args...)
	}
	has := func(f Fields) bool { return info.Fields&f != 0 }
	if info.X >= 0 && len(op.X) != info.X {
		fail("%s has %d scalar operands, not %d", info.Name, len(op.X), info.X)
	}
	if len(op.Src) != info.Src {
		fail("%s has %d sources, not %d", info.Name, len(op.Src), info.Src)
	}
	for _, field := range []struct {
		bit   Fields
		name  string
		there bool
		must  bool
	}{
		{HasVar, "scalar", op.Var != nil, op.Code != OpAtomic},
		{HasDom, "domain", len(op.Dom) > 0, false},
		{HasRed, "reduced indices", len(op.Red) > 0, true},
		{HasDst, "destination", op.Dst != nil, true},
		{HasWhere, "where", op.Where != nil, false},
		{HasCombine, "combination", op.Combine != NoCombine, true},
		{HasBody, "body", op.Body != nil, true},
		{HasElse, "else", op.Else != nil, false},
		{HasBuf, "buffer", op.Buf != nil, true},
		{HasTo, "waiting pipe", op.To != NoPipe, true},
		{HasText, "text", len(op.Text) > 0, op.Code == OpAssert},
	} {
		switch {
		case field.there && !has(field.bit):
			fail("%s has a %s", info.Name, field.name)
		case !field.there && has(field.bit) && field.must:
			fail("%s has no %s", info.Name, field.name)
		}
	}
	only := func(there bool, code Opcode, name string) {
		if there && op.Code != code {
			fail("%s has a %s, which is for %s only", info.Name, name, code)
		}
	}
	only(op.Accumulate, OpReduce, "accumulate")
	only(op.Partial, OpReduce, "partial")
	only(op.Axis != 0, OpScan, "axis")
	only(op.Loop != Serial || op.Stages != 0, OpFor, "loop kind")
	only(op.N != 0, OpWait, "count")
	only(op.Init != nil, OpContract, "init")
	only(op.Async, OpCopy, "async")
	only(op.Atom != "", OpContract, "atom")
	if op.Code.Info().Fields&HasPipe != 0 && op.Pipe == NoPipe {
		fail("%s names no pipe", info.Name)
	}
	if op.Scratch != nil && op.Code != OpReduce && op.Code != OpMap {
		fail("%s has a scratch buffer, which is for reduce and map", info.Name)
	}
	if op.Combine >= numCombines || op.Loop > Pipeline || op.Stages < 0 || op.N < 0 {
		fail("%s has a field out of range", info.Name)
	}
	return ok
}

// iterations checks the domain and brings its variables into scope.
func (v *verifier) iterations(op *Op) {
	its := op.Iters()
	for _, it := range its {
		if !v.expr(it.Extent, "an extent") {
			continue
		}
		if !it.Extent.Type.IsInt() {
			v.errorf("extent %s is of type %s", it.Extent, it.Extent.Type)
		}
		if v.f.Form != SpecForm && (!it.Extent.IsConst() || it.Extent.Int < 1) {
			v.errorf("extent %s of %s is no positive constant", it.Extent, it.Var.Name)
		}
	}
	for _, it := range its {
		if v.vars[it.Var] {
			v.errorf("%s runs twice in one operation", it.Var.Name)
		}
		v.declare(it.Var, IterVar)
		v.index(it.Var)
		v.extents[it.Var] = it.Extent
	}
	v.undo = append(v.undo, func() { clear(v.extents) })
}

// operands checks the types within op's expressions and accesses.
func (v *verifier) operands(op *Op) {
	defer v.assume(op.Where)()
	for i, x := range op.X {
		what := "the value"
		switch op.Code {
		case OpFor:
			what = [...]string{"the lower bound", "the upper bound", "the step"}[i]
		case OpWhile, OpIf, OpAssert:
			what = "the condition"
		}
		v.expr(x, what)
	}
	if op.Dst != nil {
		v.access(op.Dst)
		v.destination(op)
	}
	for _, s := range op.Src {
		v.access(s)
	}
	if op.Init != nil {
		v.typed(op.Init, array.Bool, "init")
	}
	if op.Where != nil {
		v.under = nil // what it reads itself
		v.typed(op.Where, array.Bool, "where")
	}
}

// destination checks what every written access obeys.
func (v *verifier) destination(op *Op) {
	d := op.Dst
	if d.Buf == nil {
		return
	}
	if d.Else != nil {
		v.errorf("destination %s has an else", d)
	}
	if d.Buf.Kind == In {
		v.errorf("%s writes %s, which is an input", op.Code, d.Buf.Name)
	}
	for _, it := range op.Red {
		if d.uses(it.Var) {
			v.errorf("destination %s depends on the reduced index %s", d, it.Var.Name)
		}
	}
	if op.Code == OpAtomic {
		return
	}
	for _, it := range op.Dom {
		if !it.Extent.IsInt(1) && !d.indexUses(it.Var) {
			v.errorf("all points of %s write the same element %s", it.Var.Name, d)
		}
	}
}

func (a *Access) uses(x *Var) bool {
	found := false
	a.walk(func(e *Expr) bool {
		found = found || e.Op == Ref && e.Var == x
		return !found
	})
	return found
}

// indexUses reports whether the element that a names depends on x.
func (a *Access) indexUses(x *Var) bool {
	for _, i := range a.Index {
		if i.Uses(x) {
			return true
		}
	}
	return false
}

// defines brings into scope what op defines for those after it.
func (v *verifier) defines(op *Op) {
	switch op.Code {
	case OpLet:
		v.declare(op.Var, LetVar)
	case OpVar:
		v.declare(op.Var, MutVar)
	case OpAtomic:
		if op.Var != nil {
			v.declare(op.Var, LetVar)
		}
	case OpAlloc:
		v.buffer(op.Buf)
		if op.Buf.Kind != Tile && (op.Buf.Kind != Temporary || v.f.Form != SpecForm) {
			v.errorf("buffer %s is of a kind (%d) that isn't declared here", op.Buf.Name, op.Buf.Kind)
		}
		v.declareBuffer(op.Buf)
	}
}

// rules checks what holds for one operation only.
func (v *verifier) rules(op *Op) {
	for _, x := range op.X {
		if x == nil {
			return
		}
	}
	for _, a := range append(op.Src, op.Dst) {
		if a != nil && a.Buf == nil {
			return
		}
	}
	switch op.Code {
	case OpCrossSet, OpCrossWait:
		v.integer(op.X[0], "the number of a flag")
	case OpSetFlag, OpWaitFlag:
		v.integer(op.X[0], "the number of a flag")
		if op.Pipe == op.To {
			v.errorf("a flag from pipe %s to itself", op.Pipe)
		}
	case OpLet, OpVar, OpAssign:
		if op.Code == OpAssign && (!v.vars[op.Var] || op.Var.Kind != MutVar) {
			v.errorf("%s is assigned, but it is no mutable scalar in scope", op.Var.Name)
		}
		v.sameType(op.X[0], op.Var.Type, "the value")
	case OpFor:
		v.index(op.Var)
		for _, x := range op.X {
			v.sameType(x, op.Var.Type, "a bound")
		}
		if step := op.X[2]; step.IsConst() && step.Int < 1 {
			v.errorf("the step %s is not positive", step)
		}
	case OpWhile, OpIf, OpAssert:
		v.sameType(op.X[0], array.Bool, "the condition")
	case OpCopy:
		v.copyRule(op)
	case OpJoin:
		v.sameElem(op.Src[0], op.Dst)
		v.combines(op, op.Dst.Buf.Elem, Sum)
	case OpMap:
		v.stored(op.X[0], op.Dst.Buf)
	case OpReduce:
		v.reduceRule(op)
	case OpContract:
		v.contractRule(op)
	case OpScan:
		v.sameElem(op.Src[0], op.Dst)
		if op.Axis < 0 || op.Axis >= len(op.Dom) {
			v.errorf("axis %d of a domain of %d dimensions", op.Axis, len(op.Dom))
		}
		v.combines(op, op.Dst.Buf.Elem, Sum, Prod, MaxOf, MinOf, AnyOf, AllOf)
	case OpAtomic:
		v.sameType(op.X[0], op.Dst.Buf.Elem, "the value")
		v.combines(op, op.Dst.Buf.Elem, Sum, MaxOf, MinOf, OrOf, AndOf, XorOf, Exchange)
		if op.Var != nil {
			if op.Var.Type != op.Dst.Buf.Elem {
				v.errorf("the old value %s is of type %s, the elements %s", op.Var.Name, op.Var.Type, op.Dst.Buf.Elem)
			}
			for _, it := range op.Dom {
				if !it.Extent.IsInt(1) {
					v.errorf("an atomic on many elements has one old value")
				}
			}
		}
	}
}

func (v *verifier) sameType(x *Expr, t DType, what string) {
	if x.Type != t {
		v.errorf("%s is %s of type %s, not %s", what, x, x.Type, t)
	}
}

func (v *verifier) sameElem(a, b *Access) {
	if a.Buf.Elem != b.Buf.Elem {
		v.errorf("%s has elements of type %s, %s of type %s", a.Buf.Name, a.Buf.Elem, b.Buf.Name, b.Buf.Elem)
	}
}

// combines checks that op combines in one of the given ways, and that its
// combination is defined on elements of type t.
func (v *verifier) combines(op *Op, t DType, allowed ...Combine) {
	ok := false
	for _, c := range allowed {
		ok = ok || op.Combine == c
	}
	if !ok {
		v.errorf("%s doesn't combine by %s", op.Code, op.Combine)
		return
	}
	switch op.Combine {
	case Sum, Prod, MaxOf, MinOf:
		ok = t != array.Bool
	case AnyOf, AllOf:
		ok = t == array.Bool
	case OrOf, AndOf, XorOf:
		ok = !t.IsFloat()
	case ArgMax, ArgMin:
		ok = t.IsInt()
	}
	if !ok {
		v.errorf("combination %s is not defined on %s", op.Combine, t)
	}
}

func (v *verifier) reduceRule(op *Op) {
	elem := op.Dst.Buf.Elem
	v.combines(op, elem, Sum, Prod, MaxOf, MinOf, AnyOf, AllOf, OrOf, AndOf, XorOf, ArgMax, ArgMin)
	if op.Combine == ArgMax || op.Combine == ArgMin {
		if op.Accumulate {
			v.errorf("%s doesn't accumulate", op.Combine)
		}
		return
	}
	v.stored(op.X[0], op.Dst.Buf)
}

// stored checks the type of a value that is written into b. A spec writes its
// floats as they are, in f64: whoever runs it chooses how its results are held.
func (v *verifier) stored(x *Expr, b *Buffer) {
	if v.f.Form == SpecForm && b.Kind.IsTensor() && b.Elem.IsFloat() && x.Type == array.F64 {
		return
	}
	v.sameType(x, b.Elem, "the value")
}

func (v *verifier) contractRule(op *Op) {
	a, b, c := op.Src[0].Buf.Elem, op.Src[1].Buf.Elem, op.Dst.Buf.Elem
	switch {
	case a.IsFloat() != b.IsFloat():
		v.errorf("the operands are of types %s and %s", a, b)
	case a == array.F64 || b == array.F64:
		if c != array.F64 {
			v.errorf("a contraction of f64 adds up in %s", c)
		}
	case a.IsFloat():
		if c != array.F32 && c != array.F64 {
			v.errorf("a contraction of %s adds up in %s", a, c)
		}
	case c != array.I32 && c != array.I64 && c != array.F64:
		v.errorf("a contraction of %s adds up in %s", a, c)
	}
	for _, it := range op.Red {
		if !op.Src[0].uses(it.Var) && !op.Src[1].uses(it.Var) {
			v.errorf("no operand depends on the reduced index %s", it.Var.Name)
		}
	}
}
