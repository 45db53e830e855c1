package ir

// Exprs calls f on every expression that op holds itself, outermost first, the
// indices and guards of its accesses included; blocks are not entered. When f
// returns false the operands of that expression are left out.
func (op *Op) Exprs(f func(*Expr) bool) {
	for _, x := range op.X {
		x.Walk(f)
	}
	for _, it := range op.Dom {
		it.Extent.Walk(f)
	}
	for _, it := range op.Red {
		it.Extent.Walk(f)
	}
	op.Dst.walk(f)
	for _, s := range op.Src {
		s.walk(f)
	}
	op.Where.Walk(f)
	op.Init.Walk(f)
}

// Walk calls f on e and, where f returns true, on its operands, the indices of
// loads included. A nil e is nothing.
func (e *Expr) Walk(f func(*Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, a := range e.Args {
		a.Walk(f)
	}
	e.At.walk(f)
}

func (a *Access) walk(f func(*Expr) bool) {
	if a == nil {
		return
	}
	for _, x := range a.Index {
		x.Walk(f)
	}
	a.Guard.Walk(f)
	a.Else.Walk(f)
}

// Walk calls f on every operation of the block and of the blocks within, in
// program order, outermost first.
func (b *Block) Walk(f func(*Op)) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		f(op)
		op.Body.Walk(f)
		op.Else.Walk(f)
	}
}

// Rewrite has what f returns for it stand in the place of every operation of the block
// and of the blocks within, innermost first.
func (b *Block) Rewrite(f func(*Op) []*Op) {
	if b == nil {
		return
	}
	var out []*Op
	for _, op := range b.Ops {
		op.Body.Rewrite(f)
		op.Else.Rewrite(f)
		out = append(out, f(op)...)
	}
	b.Ops = out
}

// Map rebuilds e bottom-up: f sees each node with its operands already rebuilt
// and returns what stands in its place. Nodes that nothing changed are kept.
func (e *Expr) Map(f func(*Expr) *Expr) *Expr {
	if e == nil {
		return nil
	}
	n := e
	edit := func() *Expr {
		if n == e {
			c := *e
			n = &c
			n.Args = append([]*Expr(nil), e.Args...)
		}
		return n
	}
	for i, a := range e.Args {
		if b := a.Map(f); b != a {
			edit().Args[i] = b
		}
	}
	if e.At != nil {
		if at := e.At.Map(f); at != e.At {
			edit().At = at
		}
	}
	return f(n)
}

// Map rebuilds the expressions of an access; a is kept if nothing changed.
func (a *Access) Map(f func(*Expr) *Expr) *Access {
	if a == nil {
		return nil
	}
	n := a
	edit := func() *Access {
		if n == a {
			c := *a
			n = &c
			n.Index = append([]*Expr(nil), a.Index...)
		}
		return n
	}
	for i, x := range a.Index {
		if y := x.Map(f); y != x {
			edit().Index[i] = y
		}
	}
	if g := a.Guard.Map(f); g != a.Guard {
		edit().Guard = g
	}
	if g := a.Else.Map(f); g != a.Else {
		edit().Else = g
	}
	return n
}

// MapExprs rewrites, in place, every expression that op holds itself by Map.
func (op *Op) MapExprs(f func(*Expr) *Expr) {
	for i, x := range op.X {
		op.X[i] = x.Map(f)
	}
	for i := range op.Dom {
		op.Dom[i].Extent = op.Dom[i].Extent.Map(f)
	}
	for i := range op.Red {
		op.Red[i].Extent = op.Red[i].Extent.Map(f)
	}
	op.Dst = op.Dst.Map(f)
	for i, s := range op.Src {
		op.Src[i] = s.Map(f)
	}
	op.Where = op.Where.Map(f)
	op.Init = op.Init.Map(f)
}

// Subst replaces references to scalars.
func (e *Expr) Subst(with map[*Var]*Expr) *Expr {
	return e.Map(func(x *Expr) *Expr {
		if x.Op == Ref {
			if y, ok := with[x.Var]; ok {
				return y
			}
		}
		return x
	})
}

// Uses reports whether e reads v.
func (e *Expr) Uses(v *Var) bool {
	found := false
	e.Walk(func(x *Expr) bool {
		found = found || x.Op == Ref && x.Var == v
		return !found
	})
	return found
}

// Loads calls f on every access that op reads: the loads in its expressions and
// its Src operands.
func (op *Op) Loads(f func(a *Access)) {
	op.Exprs(func(e *Expr) bool {
		if e.Op == Load {
			f(e.At)
		}
		return true
	})
	for _, s := range op.Src {
		f(s)
	}
}
