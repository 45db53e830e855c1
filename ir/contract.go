package ir

// Product describes a contract as a matrix product C[i, j] += Σ_k A[i, k]·B[k, j].
type Product struct {
	// M, N and K are the extents of i, j and k.
	M, N, K int
	// I, J and R are the iteration variables.
	I, J, R *Var
	// A and B are the operands; C is the op's Dst.
	A, B, C *Access
	// AKLast and BKLast say that k is the last index of the operand, that is
	// contiguous; otherwise it is the one before, and i or j is last.
	AKLast, BKLast bool
	// CTransposed says that Dst is indexed [j, i].
	CTransposed bool
}

// AsProduct reads a contract as a matrix product; ok is false if its accesses
// have another shape (leading indices that do not vary over the domain are fine).
func AsProduct(op *Op) (p Product, ok bool) {
	if op.Code != OpContract || len(op.Dom) != 2 || len(op.Red) != 1 {
		return p, false
	}
	p = Product{
		M: int(op.Dom[0].Extent.Int), N: int(op.Dom[1].Extent.Int), K: int(op.Red[0].Extent.Int),
		I: op.Dom[0].Var, J: op.Dom[1].Var, R: op.Red[0].Var,
		A: op.Src[0], B: op.Src[1], C: op.Dst,
	}
	var ok1, ok2, ok3 bool
	p.AKLast, ok1 = lastTwo(op, p.A, p.I, p.R)
	p.BKLast, ok2 = lastTwo(op, p.B, p.J, p.R)
	var straight bool
	straight, ok3 = lastTwo(op, p.C, p.I, p.J)
	p.CTransposed = !straight
	return p, ok1 && ok2 && ok3
}

// lastTwo matches an access that ends in [x, y] (true) or [y, x] (false).
func lastTwo(op *Op, a *Access, x, y *Var) (inOrder, ok bool) {
	n := len(a.Index)
	if n < 2 || a.Guard != nil {
		return false, false
	}
	for _, lead := range a.Index[:n-2] {
		for _, it := range append(append([]Iter(nil), op.Dom...), op.Red...) {
			if lead.Uses(it.Var) {
				return false, false
			}
		}
	}
	p, q := a.Index[n-2], a.Index[n-1]
	if p.Op != Ref || q.Op != Ref {
		return false, false
	}
	switch {
	case p.Var == x && q.Var == y:
		return true, true
	case p.Var == y && q.Var == x:
		return false, true
	}
	return false, false
}

// IterOf returns the position of the iteration variable that e is a plain
// reference to, in Dom then Red order, or -1.
func (op *Op) IterOf(e *Expr) int {
	if e.Op != Ref {
		return -1
	}
	for i, it := range op.Dom {
		if it.Var == e.Var {
			return i
		}
	}
	for i, it := range op.Red {
		if it.Var == e.Var {
			return len(op.Dom) + i
		}
	}
	return -1
}

// Iters returns the whole iteration domain: Dom, then Red.
func (op *Op) Iters() []Iter {
	return append(append(make([]Iter, 0, len(op.Dom)+len(op.Red)), op.Dom...), op.Red...)
}

// Aligned returns, when every index of the access is a distinct iteration
// variable or a constant zero of a one-element dimension, the position of the
// variable for each dimension (-1 for a zero); such an access stays within a
// thread when operation and buffer are spread alike.
func (op *Op) Aligned(a *Access) (iters []int, ok bool) {
	if !op.IsAligned(a) {
		return nil, false
	}
	iters = make([]int, len(a.Index))
	for d, x := range a.Index {
		iters[d] = op.IterOf(x)
	}
	return iters, true
}

// IsAligned is what Aligned reports.
func (op *Op) IsAligned(a *Access) bool {
	seen := 0
	for d, x := range a.Index {
		i := op.IterOf(x)
		switch {
		case i < 0 && x.IsInt(0) && a.Buf.Shape[d].IsInt(1):
		case i < 0, seen&(1<<i) != 0:
			return false
		default:
			seen |= 1 << i
		}
	}
	return true
}
