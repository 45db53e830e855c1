package ir

// WidestAccess is the widest access of any path to memory, in bytes.
const WidestAccess = 16

// Alignment knows by what powers of two the index values of a function are
// divisible, from constants and from the function's assumptions.
type Alignment struct {
	dims map[*Var]int64
	base map[*Buffer]int64
}

// AlignmentOf collects the assumptions of f.
func AlignmentOf(f *Func) *Alignment {
	a := &Alignment{dims: map[*Var]int64{}, base: map[*Buffer]int64{}}
	for _, as := range f.Assumes {
		if as.Tensor != nil {
			a.base[as.Tensor] = as.Bytes
		} else if as.Multiple != nil && as.Multiple.Op == Ref {
			a.dims[as.Multiple.Var] = max(a.dims[as.Multiple.Var], as.Of)
		}
	}
	return a
}

// unlimited stands for "divisible by every power of two that matters".
const unlimited = 1 << 20

// Factor returns a power of two that e is a multiple of, at most 2^20.
func (a *Alignment) Factor(e *Expr) int64 {
	switch e.Op {
	case Const:
		if e.Int == 0 {
			return unlimited
		}
		return min(e.Int&-e.Int, unlimited)
	case Ref:
		if n := a.dims[e.Var]; n > 0 {
			return n & -n
		}
		return 1
	case Add, Sub, Min, Max:
		return min(a.Factor(e.Args[0]), a.Factor(e.Args[1]))
	case Select:
		return min(a.Factor(e.Args[1]), a.Factor(e.Args[2]))
	case Mul:
		return min(a.Factor(e.Args[0])*a.Factor(e.Args[1]), unlimited)
	case Neg:
		return a.Factor(e.Args[0])
	}
	return 1
}

// Without returns e with v set to zero, and whether e is v plus something free
// of v (coefficient one).
func Without(e *Expr, v *Var) (*Expr, bool) {
	switch e.Op {
	case Ref:
		if e.Var == v {
			return Int(0), true
		}
	case Add:
		if x, ok := Without(e.Args[0], v); ok && !e.Args[1].Uses(v) {
			return Bin(Add, x, e.Args[1]), true
		}
		if y, ok := Without(e.Args[1], v); ok && !e.Args[0].Uses(v) {
			return Bin(Add, e.Args[0], y), true
		}
	case Sub:
		if x, ok := Without(e.Args[0], v); ok && !e.Args[1].Uses(v) {
			return Bin(Sub, x, e.Args[1]), true
		}
	}
	return nil, false
}

// Width returns how many consecutive elements, a power of two, an access can
// touch at once as v runs, when v starts at multiples of it: 1 if v is not the
// last index with coefficient one, else as many as alignment allows within
// 16 bytes.
func (a *Alignment) Width(acc *Access, v *Var) int {
	b := acc.Buf
	n := len(acc.Index)
	if n == 0 || b.Strides != nil {
		return 1
	}
	last, ok := Without(acc.Index[n-1], v)
	if !ok {
		return 1
	}
	for _, x := range acc.Index[:n-1] {
		if x.Uses(v) {
			return 1
		}
	}
	bits := int64(b.Elem.Bits())
	var limit int64
	switch {
	case b.Kind.IsTensor():
		limit = max(max(a.base[b], 1)*8/bits, 1)
	default:
		limit = WidestAccess * 8 / bits
	}
	limit = min(limit, WidestAccess*8/bits)
	limit = min(limit, a.Factor(last))
	if b.Kind.IsTensor() {
		stride := int64(1)
		for d := n - 1; d > 0; d-- {
			stride = min(stride*a.Factor(b.Shape[d]), unlimited)
			if d == n-1 {
				stride = max(stride, 8/bits) // rows of sub-byte elements start on a byte
			}
			limit = min(limit, stride*a.Factor(acc.Index[d-1]))
		}
	}
	w := int64(1)
	for w*2 <= limit {
		w *= 2
	}
	return int(w)
}

// UniformGuard reports that every conjunct of the condition has one value over
// each aligned group of w values of v.
func (a *Alignment) UniformGuard(cond *Expr, v *Var, w int) bool {
	for _, c := range Conjuncts(cond) {
		if !c.Uses(v) {
			continue
		}
		if len(c.Args) != 2 {
			return false
		}
		x, y := c.Args[0], c.Args[1]
		switch c.Op {
		case Lt, Ge: // x < y, x >= y: whole groups on one side of a multiple
		case Gt, Le:
			x, y = y, x
		default:
			return false
		}
		rest, ok := Without(x, v)
		if !ok || y.Uses(v) || a.Factor(rest) < int64(w) || a.Factor(y) < int64(w) {
			return false
		}
	}
	return true
}
