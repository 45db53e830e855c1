package aicore

import "tilec/ir"

// BlockBits is the size of the blocks of UB in bits: instructions and copies begin on one.
const BlockBits = 32 * 8

// View is how an operation walks over a tile in UB: rows and columns of its domain, with the elements between them.
type View struct {
	Buf *ir.Buffer
	// Base is the element at which row 0, column 0 lies; nil for 0.
	Base *ir.Expr
	// Row and Col are strides in elements; 0 where the element stays the same.
	Row, Col int
}

// Full reports that every row and column has an element of its own, columns one after another.
func (v View) Full(rows int) bool { return v.Col == 1 && (v.Row != 0 || rows == 1) }

// Shape is the domain of an operation as rows and columns.
type Shape struct{ Rows, Cols int }

// ShapeOf collapses a domain: all but the last index are rows.
func ShapeOf(dom []ir.Iter) Shape {
	s := Shape{1, 1}
	for i, it := range dom {
		if i == len(dom)-1 {
			s.Cols = int(it.Extent.Int)
		} else {
			s.Rows *= int(it.Extent.Int)
		}
	}
	return s
}

// ViewOf returns how a domain walks over a tile. It is not ok where an index is more than an iteration variable and something that
// does not vary, or where the rows of the domain have no common stride.
func ViewOf(dom []ir.Iter, a *ir.Access) (v View, ok bool) {
	v.Buf = a.Buf
	strides := make([]int, len(dom))
	for d, x := range a.Index {
		rest := x
		for i, it := range dom {
			if !x.Uses(it.Var) {
				continue
			}
			var plain bool
			if rest, plain = ir.Without(rest, it.Var); !plain || strides[i] != 0 {
				return v, false
			}
			strides[i] = Stride(a.Buf, d)
		}
		rest = fold(rest)
		if !rest.IsInt(0) {
			v.Base = add(v.Base, scale(rest, Stride(a.Buf, d)))
		}
	}
	n := len(dom)
	for i := range dom {
		if dom[i].Extent.IsInt(1) {
			strides[i] = 0
		}
	}
	if n > 0 {
		v.Col = strides[n-1]
		if s := ShapeOf(dom); s.Rows == 1 && s.Cols == 1 {
			v.Col = 1
		}
	}
	// Rows of extent 1 have any stride; the others must follow each other.
	span := 0
	for i := n - 2; i >= 0; i-- {
		e := int(dom[i].Extent.Int)
		if e == 1 {
			continue
		}
		switch {
		case span == 0:
			v.Row = strides[i]
		case strides[i] != v.Row*span:
			return v, false
		}
		if span == 0 {
			span = e
		} else {
			span *= e
		}
	}
	return v, true
}

// fold drops what adding zero leaves.
func fold(e *ir.Expr) *ir.Expr {
	return e.Map(func(x *ir.Expr) *ir.Expr {
		if x.Op == ir.Add {
			if x.Args[0].IsInt(0) {
				return x.Args[1]
			}
			if x.Args[1].IsInt(0) {
				return x.Args[0]
			}
		}
		return x
	})
}

func add(a, b *ir.Expr) *ir.Expr {
	if a == nil {
		return b
	}
	return ir.Bin(ir.Add, a, b)
}

func scale(e *ir.Expr, n int) *ir.Expr {
	switch {
	case n == 1:
		return e
	case e.IsConst():
		return ir.Int(e.Int * int64(n))
	}
	return ir.Bin(ir.Mul, e, ir.Int(int64(n)))
}

// Aligned reports that a view starts on a block of 32 bytes for certain.
func (v View) Aligned() bool {
	if v.Base == nil {
		return true
	}
	bits := int64(v.Buf.Elem.Bits())
	return factor(v.Base)*bits%BlockBits == 0
}

// factor is a number that an index value is a multiple of.
func factor(e *ir.Expr) int64 {
	switch e.Op {
	case ir.Const:
		if e.Int == 0 {
			return 1 << 20
		}
		return e.Int & -e.Int
	case ir.Mul:
		return min(factor(e.Args[0])*factor(e.Args[1]), 1<<20)
	case ir.Add, ir.Sub:
		return min(factor(e.Args[0]), factor(e.Args[1]))
	}
	return 1
}
