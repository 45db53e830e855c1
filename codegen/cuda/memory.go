package cuda

import (
	"fmt"
	"strings"

	"tilec/ir"
	"tilec/ir/layout"
)

// load spells the value of an access.
func (k *kernel) load(a *ir.Access, at *env) string {
	if at != nil && at.load != nil {
		if s, ok := at.load(a); ok {
			return s
		}
	}
	s := k.element(a, at)
	if a.Guard == nil {
		return s
	}
	return "(" + k.expr(a.Guard, at) + " ? " + s + " : " + k.expr(k.elseOf(a), at) + ")"
}

// elseOf is what a guarded access gives where its guard is false.
func (k *kernel) elseOf(a *ir.Access) *ir.Expr {
	if a.Else != nil {
		return a.Else
	}
	return ir.ZeroOf(a.Buf.Elem)
}

// element spells an element in memory, or of a tile with one register.
func (k *kernel) element(a *ir.Access, at *env) string {
	b := a.Buf
	if b.Space == ir.Register {
		if b.Layout.Size(layout.Reg) != 1 {
			ir.Bugf("element of register tile %s outside an operation on its layout", b.Name)
		}
		return k.register(b, "0")
	}
	if b.Elem.Bits() < 8 {
		base, last := k.subByte(a, at)
		return fmt.Sprintf("%s{(unsigned char)((%s >> (%s & %d) * %d) & %d)}", cTypes[b.Elem], base, operand(last), 8/b.Elem.Bits()-1, b.Elem.Bits(), 1<<b.Elem.Bits()-1)
	}
	return k.bufName(b) + "[" + top(k.offset(a, at)) + "]"
}

// subByte spells the byte that holds an element, and the element's last index.
func (k *kernel) subByte(a *ir.Access, at *env) (byteOf, last string) {
	per := 8 / a.Buf.Elem.Bits()
	if a.Buf.Kind.IsTensor() {
		row, last := k.rowOffset(a, at)
		return fmt.Sprintf("%s[%s]", k.bufName(a.Buf), sum(row, fmt.Sprintf("(%s >> %d)", operand(last), layout.Log2(per)))), last
	}
	off := k.offset(a, at)
	return fmt.Sprintf("%s[%s >> %d]", k.bufName(a.Buf), operand(off), layout.Log2(per)), off
}

// address spells a pointer to an element; for sub-byte types to its byte.
func (k *kernel) address(a *ir.Access, at *env) string {
	b := a.Buf
	if b.Elem.Bits() < 8 {
		base, _ := k.subByte(a, at)
		return "&" + base
	}
	return k.bufName(b) + " + " + within(sumLevel, k.offset(a, at))
}

// offset spells an element's offset from the start of its buffer, in elements.
func (k *kernel) offset(a *ir.Access, at *env) string {
	b := a.Buf
	if b.Space == ir.Shared {
		return k.sharedOffset(a, at)
	}
	if b.Strides != nil {
		var parts []string
		for d, x := range a.Index {
			parts = append(parts, fmt.Sprintf("(long long)%s * %s", operand(k.expr(x, at)), k.varName(b.Strides[d])))
		}
		return sum(parts...)
	}
	if len(a.Index) == 0 {
		return "0"
	}
	row, last := k.rowOffset(a, at)
	return sum(row, last)
}

// rowOffset spells the offset of an element's row, in elements (for sub-byte
// types in bytes), and the index within the row.
func (k *kernel) rowOffset(a *ir.Access, at *env) (row, last string) {
	b := a.Buf
	n := len(a.Index)
	last = k.expr(a.Index[n-1], at)
	row = "0"
	for d := range n - 1 {
		x := k.expr(a.Index[d], at)
		if row == "0" {
			row = x
		} else if x == "0" {
			row = fmt.Sprintf("%s * %s", operand(row), operand(k.expr(b.Shape[d], at)))
		} else {
			row = fmt.Sprintf("%s * %s + %s", operand(row), operand(k.expr(b.Shape[d], at)), within(sumLevel, x))
		}
		if d == 0 && row != "0" {
			row = "(long long)" + within(termLevel, operand(row))
		}
	}
	if row == "0" {
		return row, last
	}
	width := k.expr(b.Shape[n-1], at)
	if bits := b.Elem.Bits(); bits < 8 {
		per := 8 / bits
		if b.Shape[n-1].IsConst() {
			width = fmt.Sprint((int(b.Shape[n-1].Int) + per - 1) / per)
		} else {
			width = fmt.Sprintf("((%s + %d) >> %d)", width, per-1, layout.Log2(per))
		}
	}
	return fmt.Sprintf("%s * %s", within(productLevel, operand(row)), operand(width)), within(sumLevel, last)
}

// sharedOffset spells the swizzled offset of an element of a shared tile.
func (k *kernel) sharedOffset(a *ir.Access, at *env) string {
	n := len(a.Index)
	var parts []string
	for d := range n - 1 {
		x := k.expr(a.Index[d], at)
		if x != "0" {
			parts = append(parts, scaled(x, strideOf(a.Buf.Layout, d)))
		}
	}
	if n == 0 {
		return "0"
	}
	last := k.expr(a.Index[n-1], at)
	if sw := swizzleOf(a.Buf.Layout); sw.Bits > 0 && n >= 2 {
		row := k.expr(a.Index[n-2], at)
		if t := swizzleTerm(row, sw, chunkOf(a.Buf)); t != "0" {
			last = fmt.Sprintf("(%s ^ %s)", operand(last), t)
		}
	}
	parts = append(parts, last)
	return sum(parts...)
}

func scaled(x string, by int) string {
	if by == 1 {
		return x
	}
	return fmt.Sprintf("%s * %d", operand(x), by)
}

// swizzleTerm is what a row adds, by exclusive or, to the offset within it.
func swizzleTerm(row string, sw layout.Swizzle, chunk int) string {
	if row == "0" {
		return "0"
	}
	e := operand(row)
	if sw.Shift > 0 {
		e = fmt.Sprintf("(%s >> %d)", e, sw.Shift)
	}
	return fmt.Sprintf("(%s & %d) * %d", e, 1<<sw.Bits-1, chunk)
}

// chunkOf is the number of elements in 16 bytes.
func chunkOf(b *ir.Buffer) int { return ir.WidestAccess * 8 / b.Elem.Bits() }

// strideOf is the distance between elements along dimension d of a shared tile.
func strideOf(l *layout.Layout, d int) int {
	stride := 1
	for o := d + 1; o < len(l.In); o++ {
		stride <<= len(l.In[o].Bases)
	}
	return stride
}

// swizzleOf reads the swizzle back from a shared tile's layout.
func swizzleOf(l *layout.Layout) layout.Swizzle {
	n := len(l.In)
	sw := layout.Swizzle{}
	if n < 2 {
		return sw
	}
	stride := strideOf(l, n-2)
	for b, basis := range l.In[n-2].Bases {
		if basis[0] != stride<<b {
			if sw.Bits == 0 {
				sw.Shift = b
			}
			sw.Bits++
		}
	}
	return sw
}

// register spells a register of a tile, unpacked; idx is a C++ expression.
func (k *kernel) register(b *ir.Buffer, idx string) string {
	name := k.bufName(b)
	if b.Layout.Size(layout.Reg) == 1 && !packed(b.Elem) {
		return name
	}
	if !packed(b.Elem) {
		return fmt.Sprintf("%s[%s]", name, top(idx))
	}
	return k.unpack(b.Elem, name, idx)
}

// unpack spells element idx of an array of packed words.
func (k *kernel) unpack(t ir.DType, words, idx string) string {
	return fmt.Sprintf("%s(%s, %s)", "get_"+t.String(), words, top(idx))
}

// setRegister writes one register of a tile.
func (k *kernel) setRegister(b *ir.Buffer, idx, value string) string {
	name := k.bufName(b)
	if packed(b.Elem) {
		return fmt.Sprintf("%s(%s, %s, %s);", "set_"+b.Elem.String(), name, top(idx), top(value))
	}
	if b.Layout.Size(layout.Reg) == 1 {
		return fmt.Sprintf("%s = %s;", name, top(value))
	}
	return fmt.Sprintf("%s[%s] = %s;", name, top(idx), top(value))
}

// declare writes the declaration of a tile that lives in registers.
func (k *kernel) declare(b *ir.Buffer) {
	n := b.Layout.Size(layout.Reg)
	name := k.bufName(b)
	if packed(b.Elem) {
		k.w.Line("alignas(16) unsigned %s[%d] = {};%s", name, (n+perWord(b.Elem)-1)/perWord(b.Elem), tileComment(b))
		return
	}
	if n == 1 {
		k.w.Line("%s %s;%s", cTypes[b.Elem], name, tileComment(b))
		return
	}
	init := ""
	if padded(b) && addsUp(k.f, b) {
		init = " = {}" // atoms add to the padding too
	}
	k.w.Line("alignas(16) %s %s[%d]%s;%s", cTypes[b.Elem], name, n, init, tileComment(b))
}

// addsUp reports a tile that a contraction adds to.
func addsUp(f *ir.Func, b *ir.Buffer) bool {
	found := false
	f.Body.Walk(func(op *ir.Op) { found = found || op.Code == ir.OpContract && op.Dst.Buf == b })
	return found
}

// padded reports a register tile with registers for elements that it lacks.
func padded(b *ir.Buffer) bool {
	for d, n := range b.Layout.Shape() {
		if n != b.Extent(d) {
			return true
		}
	}
	return false
}

func tileComment(b *ir.Buffer) string {
	if len(b.Shape) == 0 {
		return ""
	}
	var ext []string
	for _, e := range b.Extents() {
		ext = append(ext, fmt.Sprint(e))
	}
	return fmt.Sprintf("  // %s[%s]", b.Elem, strings.Join(ext, ", "))
}
