package ir

// copyRule checks that both sides of a copy are blocks: every index is affine,
// with at most one iteration variable, whose coefficient is one, and no
// variable stands in two dimensions. What an asynchronous copy reads may lie anywhere.
func (v *verifier) copyRule(op *Op) {
	for _, a := range []*Access{op.Dst, op.Src[0]} {
		if op.Async && a == op.Src[0] {
			continue
		}
		seen := map[*Var]bool{}
		for _, x := range a.Index {
			at, ok := unitIndex(x, v.extents)
			if !ok {
				v.errorf("index %s of %s is not an iteration variable plus an offset", x, a)
				continue
			}
			if at != nil && seen[at] {
				v.errorf("%s stands in two dimensions of %s", at.Name, a)
			}
			seen[at] = true
		}
	}
}

// unitIndex returns the one iteration variable of an index that is such a
// variable plus something independent of all of them; nil if there is none.
func unitIndex(x *Expr, iters map[*Var]*Expr) (*Var, bool) {
	depends := false
	x.Walk(func(e *Expr) bool {
		depends = depends || e.Op == Ref && iters[e.Var] != nil
		return !depends
	})
	if !depends {
		return nil, true
	}
	switch x.Op {
	case Ref:
		return x.Var, true
	case Add:
		l, lok := unitIndex(x.Args[0], iters)
		r, rok := unitIndex(x.Args[1], iters)
		switch {
		case !lok || !rok || l != nil && r != nil:
			return nil, false
		case l != nil:
			return l, true
		}
		return r, true
	case Sub:
		l, lok := unitIndex(x.Args[0], iters)
		r, rok := unitIndex(x.Args[1], iters)
		return l, lok && rok && r == nil
	case Cast:
		return unitIndex(x.Args[0], iters)
	}
	return nil, false
}
