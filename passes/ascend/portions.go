package ascend

import (
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

// mostPoints bounds the points that an operation is lowered for at once where its values on the way take tiles of their own: as many as a
// third of UB holds in f32.
const mostPoints = 16 << 10

// portioned lowers an operation over more points than values on the way have room for a part at a time, and reports whether it did.
func (s *stepper) portioned(op *ir.Op) bool {
	its := op.Iters()
	points := int64(1)
	for i, it := range its {
		n := it.Extent.Int
		if i == len(its)-1 {
			n = (n + rowElements - 1) / rowElements * rowElements
		}
		points *= n
	}
	if points <= mostPoints {
		return false
	}
	if _, one := aicore.VectorOf(op); one {
		return false
	}
	if op.Code == ir.OpReduce && len(op.Dom) > 0 {
		// Over a few neighbours, values of whole rows are added up one after another.
		last := op.Red[len(op.Red)-1].Extent.Int
		if last < rowElements/2 && last < op.Dom[len(op.Dom)-1].Extent.Int && s.addUp(op, len(op.Red)) {
			return true
		}
	}
	switch {
	case len(op.Dom) == 0:
	case len(op.Dom) > 1:
		n := op.Dom[0].Extent.Int
		s.parts(op, max(1, largestPart(n, mostPoints*n/points, 1)))
		return true
	default:
		n := op.Dom[0].Extent.Int
		if c := largestPart(n, mostPoints*n/points, vectorElements); c > 0 { // parts of a row start on blocks
			s.parts(op, c)
			return true
		}
	}
	return op.Code == ir.OpReduce && len(op.Red) > 1 && s.addUp(op, 1)
}

// rowElements is what the rows of tiles are padded to.
const rowElements = 32

// vectorElements is the elements of f32 in a block of 32 bytes.
const vectorElements = 8

// largestPart is the largest divisor of n up to most that is a multiple of unit; 0 if there is none.
func largestPart(n, most, unit int64) int64 {
	for c := min(n, most) / unit * unit; c > 0; c -= unit {
		if n%c == 0 {
			return c
		}
	}
	return 0
}

// parts loops over the first index of an operation, so many of its values at a time.
func (s *stepper) parts(op *ir.Op, size int64) {
	first := op.Dom[0]
	inner, v := peeled(op)
	count := ir.Int(first.Extent.Int / size)
	if size > 1 {
		it := ir.Iter{Var: &ir.Var{Name: first.Var.Name, Type: ir.Index, Kind: ir.IterVar, Span: op.Span}, Extent: ir.Int(size)}
		inner.Dom = append([]ir.Iter{it}, inner.Dom...)
		at := ir.Bin(ir.Add, ir.Bin(ir.Mul, ir.RefTo(v), ir.Int(size)), ir.RefTo(it.Var))
		inner.MapExprs(func(e *ir.Expr) *ir.Expr {
			if e.Op == ir.Ref && e.Var == v {
				return at
			}
			return e
		})
	}
	s.emit(loopOver(v, count, s.apart(inner)))
}

// apart lowers an operation as the body of a loop: what it computes on the way is its own.
func (s *stepper) apart(op *ir.Op) []*ir.Op {
	memo, where := s.memo, s.where
	s.memo, s.where = map[string]*ir.Expr{}, nil
	body := s.within(func() { s.op(op) })
	s.memo, s.where = memo, where
	return body
}

// addUp loops over the first indices of a reduction, and combines what the others give; false for those that cannot be taken apart.
func (s *stepper) addUp(op *ir.Op, outer int) bool {
	two, ok := op.Combine.Op()
	dst := op.Dst
	if elem := dst.Buf.Elem; !ok || elem != array.F32 && elem != array.I32 || op.X[0].Type != elem {
		return false
	}
	t := dst
	if dst.Buf.Outside() || dst.Guard != nil || op.Accumulate {
		t = s.temp(op.Dom, dst.Buf.Elem)
	}
	s.op(&ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: t, X: []*ir.Expr{op.Combine.Neutral(dst.Buf.Elem)}, Span: op.Span})
	r := *op
	r.Dst = t
	s.emit(s.addingUp(&r, two, outer))
	if t == dst {
		return true
	}
	result := ir.LoadAt(t)
	if op.Accumulate {
		bare := *dst
		bare.Guard = nil
		result = ir.Bin(two, ir.LoadAt(&bare), result)
	}
	s.assign(&ir.Op{Code: ir.OpMap, Dom: op.Dom, Dst: dst, Span: op.Span}, result)
	return true
}

// addingUp is the loops over the first indices of a reduction.
func (s *stepper) addingUp(op *ir.Op, two ir.ExprOp, outer int) *ir.Op {
	r := *op
	r.Dom, r.Red = op.Iters()[len(op.Dom):], op.Dom // what is reduced stands first, to be peeled
	inner, v := peeled(&r)
	inner.Dom, inner.Red = inner.Red, inner.Dom
	var body []*ir.Op
	switch {
	case outer > 1:
		body = []*ir.Op{s.addingUp(inner, two, outer-1)}
	case len(inner.Red) > 0:
		inner.Accumulate = true
		body = s.apart(inner)
	default:
		x := ir.Bin(two, ir.LoadAt(inner.Dst), inner.X[0])
		body = s.apart(&ir.Op{Code: ir.OpMap, Dom: inner.Dom, Dst: inner.Dst, X: []*ir.Expr{x}, Where: inner.Where, Span: op.Span})
	}
	return loopOver(v, op.Red[0].Extent, body)
}
