package affine

import (
	"math"

	"tilec/ir"
	"tilec/runtime/array"
)

const maxInt = math.MaxInt64

// atom is what a form is a sum of.
type atom struct {
	kind atomKind
	v    *ir.Var
	e    *ir.Expr // of most kinds but scalars; nil if no expression says it
	// args are the parts of a quotient (numerator), minimum, maximum or select.
	args []form
	// den is the denominator of a quotient, and tried the state in which it was
	// last found to be no constant.
	den   int64
	tried int
	// A hidden atom is (scalar atom name - low) / den.
	name int
	low  form
	// wild atoms may be so large that arithmetic with them wraps.
	wild bool
}

type atomKind uint8

const (
	scalarAtom atomKind = iota
	hiddenAtom          // a number that no expression names
	quotientAtom
	minAtom
	maxAtom
	selectAtom
	opaqueAtom
)

// form returns the value of an integer expression as a form; false for what is
// no integer, or one of 64 unsigned bits.
func (p *Prover) form(e *ir.Expr) (form, bool) {
	if e == nil || !e.Type.IsInt() || e.Type == array.U64 {
		return form{}, false
	}
	if e.Op == ir.Const {
		return constant(e.Int), true
	}
	if e.Op == ir.Ref {
		if f, ok := p.defs[e.Var]; ok {
			return f, true
		}
		if id, ok := p.vars[e.Var]; ok {
			return single(id), true
		}
		return p.opaque(e), true
	}
	if e.Type != ir.Index { // arithmetic may wrap
		return p.opaque(e), true
	}
	if f, ok := p.arithmetic(e); ok {
		return f, true
	}
	return p.opaque(e), true
}

// arithmetic forms index arithmetic on values that can't overflow.
func (p *Prover) arithmetic(e *ir.Expr) (form, bool) {
	var arg [3]form
	if len(e.Args) == 0 || len(e.Args) > 3 {
		return form{}, false
	}
	for i, a := range e.Args {
		if i == 0 && e.Op == ir.Select {
			continue
		}
		f, ok := p.form(a)
		if !ok || p.wild(f) {
			return form{}, false
		}
		arg[i] = f
	}
	x, y := arg[0], arg[1]
	switch e.Op {
	case ir.Neg:
		return x.scaled(-1)
	case ir.Add:
		return x.addScaled(1, y)
	case ir.Sub:
		return x.addScaled(-1, y)
	case ir.Mul:
		switch {
		case y.isConst():
			return x.scaled(y.c)
		case x.isConst():
			return y.scaled(x.c)
		}
		f, isNew := p.lookup(e)
		if isNew && p.proves(x) && p.proves(y) {
			p.fact(f)
		}
		return f, true
	case ir.Div:
		if !y.isConst() {
			return p.unknownQuotient(e, x, y), true
		}
		if y.c > 0 {
			return p.quotient(x, y.c)
		}
	case ir.Mod:
		if !y.isConst() {
			f, isNew := p.lookup(e)
			if isNew && p.proves(minus(y, 1)) {
				p.fact(f)
				p.atLeast(minus(y, 1), f)
			}
			return f, true
		}
		if y.c > 0 {
			q, ok := p.quotient(x, y.c)
			if !ok {
				return form{}, false
			}
			return x.addScaled(-y.c, q)
		}
	case ir.Min:
		return p.choice(minAtom, e, x, y), true
	case ir.Max:
		return p.choice(maxAtom, e, x, y), true
	case ir.Select:
		return p.choice(selectAtom, e, arg[1], arg[2]), true
	case ir.Cast:
		if e.Args[0].Type.Bits() < 64 && e.Args[0].Type.IsInt() {
			return x, true
		}
	}
	return form{}, false
}

func minus(f form, c int64) form { return form{terms: f.terms, c: f.c - c} }

// quotient is floor(x/c): exact for the terms that c divides, an atom with its
// defining inequalities for the rest.
func (p *Prover) quotient(x form, c int64) (form, bool) {
	if c == 1 {
		return x, true
	}
	whole := form{c: ir.FloorDiv(x.c, c)}
	rest := form{c: x.c - c*ir.FloorDiv(x.c, c)}
	for _, t := range x.terms {
		if t.coef%c == 0 {
			whole.terms = append(whole.terms, term{t.atom, t.coef / c})
		} else {
			rest.terms = append(rest.terms, t)
		}
	}
	if rest.isConst() {
		return whole, true
	}
	found := -1
	for id := range p.atoms {
		if a := &p.atoms[id]; a.kind == quotientAtom && a.den == c && a.args[0].equal(rest) {
			found = id
			break
		}
	}
	if found < 0 || p.atoms[found].tried != p.state {
		if top, ok := constant(c-1).addScaled(-1, rest); ok && p.proves(rest) && p.proves(top) {
			return whole, true
		}
	}
	if found >= 0 {
		p.atoms[found].tried = p.state
		return whole.addScaled(1, single(found))
	}
	a := atom{kind: quotientAtom, args: []form{rest}, den: c}
	if num := p.build(rest); num != nil {
		a.e = ir.Bin(ir.Div, num, ir.Int(c))
	}
	q := p.newForm(a)
	if low, ok := rest.addScaled(-c, q); ok { // rest - c*q >= 0
		p.fact(low)
		if high, ok := constant(c-1).addScaled(-1, low); ok {
			p.fact(high)
		}
	}
	p.atoms[q.terms[0].atom].tried = p.state
	return whole.addScaled(1, q)
}

// unknownQuotient is floor(x/y) for a y that is no constant.
func (p *Prover) unknownQuotient(e *ir.Expr, x, y form) form {
	f, isNew := p.lookup(e)
	if isNew && p.proves(x) && p.proves(y) { // by zero it is zero
		p.fact(f)
		p.atLeast(x, f)
	}
	return f
}

// choice is an atom that is one of two forms.
func (p *Prover) choice(kind atomKind, e *ir.Expr, x, y form) form {
	if x.equal(y) {
		return x
	}
	for id := range p.atoms {
		a := &p.atoms[id]
		if a.kind == kind && a.args[0].equal(x) && a.args[1].equal(y) && (kind != selectAtom || Same(a.e, e)) {
			return single(id)
		}
	}
	f := p.newForm(atom{kind: kind, e: e, args: []form{x, y}})
	switch kind {
	case minAtom:
		p.atLeast(x, f)
		p.atLeast(y, f)
	case maxAtom:
		p.atLeast(f, x)
		p.atLeast(f, y)
	}
	return f
}

// opaque is an expression of which only the range of its type is known.
func (p *Prover) opaque(e *ir.Expr) form {
	f, isNew := p.lookup(e)
	if !isNew {
		return f
	}
	switch {
	case e.Type.Bits() < 64:
		lo, hi := typeRange(e.Type)
		p.atLeast(f, constant(lo))
		p.atLeast(constant(hi), f)
	case e.Op == ir.Ref && (e.Var.Kind == ir.DimVar || e.Var.Kind == ir.GridVar):
		p.fact(f)
	case e.Op == ir.Ref && (e.Var.Kind == ir.LoopVar || e.Var.Kind == ir.IterVar):
	default:
		p.atoms[f.terms[0].atom].wild = true
	}
	return f
}

// lookup returns the atom of an expression, a new one if there is none yet.
func (p *Prover) lookup(e *ir.Expr) (form, bool) {
	for id := range p.atoms {
		a := &p.atoms[id]
		if a.kind == opaqueAtom && Same(a.e, e) {
			return single(id), false
		}
	}
	return p.newForm(atom{kind: opaqueAtom, e: e}), true
}

func typeRange(t ir.DType) (lo, hi int64) {
	n := t.Bits()
	if t.IsUnsigned() {
		return 0, 1<<n - 1
	}
	return -1 << (n - 1), 1<<(n-1) - 1
}

func (p *Prover) wild(f form) bool {
	for _, t := range f.terms {
		if p.atoms[t.atom].wild {
			return true
		}
	}
	return false
}

// named replaces hidden atoms by the scalars that they are part of, where whole
// multiples allow it.
func (p *Prover) named(f form) form {
	for _, t := range f.terms {
		a := p.atoms[t.atom]
		if a.kind != hiddenAtom || t.coef%a.den != 0 {
			continue
		}
		k := t.coef / a.den
		g, ok := f.addScaled(-t.coef, single(t.atom))
		if !ok {
			return f
		}
		if g, ok = g.addScaled(k, single(a.name)); !ok {
			return f
		}
		if g, ok = g.addScaled(-k, a.low); !ok {
			return f
		}
		f = g
	}
	return f
}

// build returns an expression for a form, positive terms first, in the order in
// which their atoms came up; nil if an atom has no name.
func (p *Prover) build(f form) *ir.Expr {
	f = p.named(f)
	var sum *ir.Expr
	add := func(op ir.ExprOp, x *ir.Expr) {
		if sum == nil {
			sum = x
		} else {
			sum = ir.Bin(op, sum, x)
		}
	}
	scaled := func(t term) *ir.Expr {
		a := p.atoms[t.atom]
		var x *ir.Expr
		switch {
		case a.kind == scalarAtom:
			x = ir.RefTo(a.v)
		case a.e == nil: // it has no name
			return nil
		default:
			x = a.e
		}
		if x.Type != ir.Index {
			x = ir.CastTo(ir.Index, x)
		}
		if k := max(t.coef, -t.coef); k != 1 {
			x = ir.Bin(ir.Mul, x, ir.Int(k))
		}
		return x
	}
	for _, positive := range []bool{true, false} {
		if !positive && sum == nil {
			sum = ir.Int(f.c)
			f.c = 0
		}
		for _, t := range f.terms {
			if (t.coef > 0) != positive {
				continue
			}
			x := scaled(t)
			if x == nil {
				return nil
			}
			if positive {
				add(ir.Add, x)
			} else {
				add(ir.Sub, x)
			}
		}
	}
	switch {
	case sum == nil:
		return ir.Int(f.c)
	case f.c > 0:
		add(ir.Add, ir.Int(f.c))
	case f.c < 0:
		add(ir.Sub, ir.Int(-f.c))
	}
	return sum
}

// Same reports structural equality.
func Same(a, b *ir.Expr) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Op != b.Op || a.Type != b.Type || a.Int != b.Int ||
		math.Float64bits(a.Float) != math.Float64bits(b.Float) || a.Var != b.Var || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if !Same(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return SameAccess(a.At, b.At)
}

// SameAccess reports the same element, guard and else.
func SameAccess(a, b *ir.Access) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Buf != b.Buf || len(a.Index) != len(b.Index) {
		return false
	}
	for i := range a.Index {
		if !Same(a.Index[i], b.Index[i]) {
			return false
		}
	}
	return Same(a.Guard, b.Guard) && Same(a.Else, b.Else)
}
