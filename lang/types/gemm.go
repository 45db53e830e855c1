package types

import (
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/runtime/array"
)

// gemm checks `gemm a, b -> acc`.
func (c *checker) gemm(s *ast.Gemm) {
	a, b := c.gemmOperand(s.A), c.gemmOperand(s.B)
	acc := c.gemmOperand(s.Acc)
	if a == nil || b == nil || acc == nil {
		return
	}
	for _, x := range []struct {
		a *Array
		e ast.Expr
	}{{a, s.A}, {b, s.B}, {acc, s.Acc}} {
		c.flow.read(c, x.a, x.e.Span())
	}
	if !c.mayTouch(s.Acc, acc, updating) || !c.gemmTypes(s, a, b, acc) {
		return
	}
	c.flow.write(acc)
	acc.fills = nil
	ra, ca := 0, 1
	if s.TransA {
		ra, ca = 1, 0
	}
	rb, cb := 0, 1
	if s.TransB {
		rb, cb = 1, 0
	}
	g := &Gemm{A: a, B: b, Acc: acc, TransA: s.TransA, TransB: s.TransB,
		M: a.Extents()[ra], N: b.Extents()[cb], K: a.Extents()[ca]}
	ok := c.gemmExtent(s.B, "inner", a, ca, b, rb)
	ok = c.gemmExtent(s.Acc, "row", a, ra, acc, 0) && ok
	ok = c.gemmExtent(s.Acc, "column", b, cb, acc, 1) && ok
	if ok {
		c.info.Gemms[s] = g
	}
}

func (c *checker) gemmOperand(e ast.Expr) *Array {
	t := c.operandType(e)
	if !t.Valid() {
		return nil
	}
	a := c.info.ArrayOf(e)
	id, plain := e.(*ast.Ident)
	switch {
	case !plain:
		c.errorf(diag.WrongType, e.Span(), "gemm works on whole tiles, but %s is not one", sourceText(e)).
			Hint("copy the part that is needed into a tile, or write acc[i, j] += sum[k](a[i, k] * b[k, j])")
	case t.Kind != Whole || a == nil:
		c.errorf(diag.WrongType, e.Span(), "gemm works on tiles, but %s is %s", id.Name, article(t.String()))
	case a.Kind != Tile:
		c.errorf(diag.WrongType, e.Span(), "gemm works on tiles, but %s is a %s", id.Name, a.Kind).
			Note(a.Span, "%s is declared here", a.Name).
			Hint("copy a block of %s into a tile first", a.Name)
	case len(a.Shape) != 2:
		c.errorf(diag.RankMismatch, e.Span(), "gemm works on tiles of rank 2, but %s has rank %d", a.Name, len(a.Shape)).
			Note(a.Span, "%s is %s", a.Name, article(a.Type().String()))
	default:
		return a
	}
	return nil
}

// operandType is the type of an operand of gemm; subscripts are not looked at, such operands are refused as a whole.
func (c *checker) operandType(e ast.Expr) Type {
	if x, ok := e.(*ast.Index); ok {
		if a := c.base(x); a != nil {
			return number(a.Elem)
		}
		return invalidType
	}
	return c.expr(e)
}

func (c *checker) gemmExtent(at ast.Expr, what string, a *Array, da int, b *Array, db int) bool {
	x, y := a.Shape[da], b.Shape[db]
	if x.Equal(y) {
		return true
	}
	c.errorf(diag.ExtentMismatch, at.Span(), "the %s extents of gemm differ: %s in %s, %s in %s", what, x, a.Name, y, b.Name).
		Note(a.dim(da), "dimension %d of %s is %s", da, a.Name, x).
		Note(b.dim(db), "dimension %d of %s is %s", db, b.Name, y).
		Hint("a^T and b^T read an operand transposed")
	return false
}

// gemmTypes checks the element types of a gemm.
func (c *checker) gemmTypes(s *ast.Gemm, a, b, acc *Array) bool {
	for _, x := range [2]*Array{a, b} {
		if x.Elem.IsFloat() && x.Elem.Bits() <= 8 {
			c.errorf(diag.NotSupported, s.Span(), "a contraction of %s is not supported yet", x.Elem).
				Note(x.Span, "%s is declared here", x.Name).
				Hint("convert it to f16 first: let wide[i, j] = f16(%s[i, j])", x.Name)
			return false
		}
		if x.Elem == array.Bool {
			c.errorf(diag.WrongType, s.Span(), "gemm multiplies numbers, but %s is %s", x.Name, x.Type()).
				Note(x.Span, "%s is declared here", x.Name)
			return false
		}
	}
	if a.Elem.IsFloat() != b.Elem.IsFloat() {
		c.errorf(diag.TypeMismatch, s.Span(), "cannot multiply %s and %s: an integer and a float never mix silently", a.Type(), b.Type()).
			Note(a.Span, "%s is declared here", a.Name).Note(b.Span, "%s is declared here", b.Name)
		return false
	}
	want := array.I32
	switch {
	case a.Elem == array.F64 || b.Elem == array.F64:
		want = array.F64
	case a.Elem.IsFloat():
		want = array.F32
	case a.Elem.Bits() > 32 || b.Elem.Bits() > 32:
		want = array.I64
	case a.Elem == array.U32 && b.Elem == array.U32:
		want = array.U32
	}
	if acc.Elem != want {
		c.errorf(diag.TypeMismatch, s.Acc.Span(), "gemm of %s and %s accumulates in %s, but %s is %s", a.Elem, b.Elem, want, acc.Name, acc.Elem).
			Note(acc.Span, "%s is declared here", acc.Name).
			Hint("tile %s: %s%s = 0", acc.Name, want, acc.written())
		return false
	}
	return true
}

// written is the shape of an array as the program has it.
func (a *Array) written() string {
	if len(a.dims) != len(a.Shape) || len(a.dims) == 0 {
		return shapeText(a.Shape)
	}
	var dims []string
	for _, d := range a.dims {
		dims = append(dims, d.Text())
	}
	return "[" + strings.Join(dims, ", ") + "]"
}
