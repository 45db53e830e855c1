package ascend

import (
	"fmt"
	"strconv"
	"strings"

	"tilec/codegen"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

// load spells the value of one element, as the scalar unit reads it.
func (k *kernel) load(a *ir.Access, vars map[*ir.Var]string) string {
	text := fmt.Sprintf("%s.GetValue(%s)", k.tensorName(a.Buf), codegen.Top(k.offset(a, vars)))
	if bits := a.Buf.Elem.Bits(); bits < 8 {
		off := k.offset(a, vars)
		text = fmt.Sprintf("((%s.GetValue(%s / 2) >> %s %% 2 * 4) & 15)", k.bytesOf(a.Buf), codegen.Within(codegen.ProductLevel, off), codegen.Within(codegen.ProductLevel, off))
		if a.Buf.Elem.IsSigned() {
			text = fmt.Sprintf("((%s ^ 8) - 8)", text)
		}
	}
	if a.Buf.Elem == array.Bool {
		text = fmt.Sprintf("(%s != 0)", text)
	}
	if a.Guard != nil {
		els := ir.ZeroOf(a.Buf.Elem)
		if a.Else != nil {
			els = a.Else
		}
		return fmt.Sprintf("(%s ? %s : %s)", codegen.Within(codegen.OrLevel, k.expr(a.Guard, vars)), text, codegen.Within(codegen.OrLevel, k.expr(els, vars)))
	}
	return text
}

func (k *kernel) tensorName(b *ir.Buffer) string {
	if b.Outside() {
		return k.gms[b]
	}
	return k.bufName(b)
}

// offset spells the element that an access names, counted from the start of its buffer.
func (k *kernel) offset(a *ir.Access, vars map[*ir.Var]string) string {
	var sum *ir.Expr
	for d, x := range a.Index {
		var stride *ir.Expr
		if a.Buf.Outside() {
			stride = aicore.StrideOf(a.Buf, d)
		} else {
			stride = ir.Int(int64(aicore.Stride(a.Buf, d)))
		}
		if x.IsInt(0) {
			continue
		}
		t := ir.Times(x, stride)
		if x.IsConst() && stride.IsConst() {
			t = ir.Int(x.Int * stride.Int)
		}
		if sum == nil {
			sum = t
		} else {
			sum = ir.Bin(ir.Add, sum, t)
		}
	}
	if sum == nil {
		return "0"
	}
	return k.expr(sum, vars)
}

// at spells a tile from an element on.
func at(name, offset string) string {
	if offset == "0" || offset == "" {
		return name
	}
	return fmt.Sprintf("%s[%s]", name, codegen.Top(offset))
}

// sum adds terms up, leaving zeros out.
func sum(terms ...string) string {
	var kept []string
	for _, t := range terms {
		if t != "0" && t != "" {
			kept = append(kept, codegen.Within(codegen.SumLevel, t))
		}
	}
	switch len(kept) {
	case 0:
		return "0"
	case 1:
		return kept[0]
	}
	return "(" + strings.Join(kept, " + ") + ")"
}

// times multiplies a spelled index by a number.
func times(s string, n int) string {
	switch {
	case n == 0 || s == "0":
		return "0"
	case n == 1:
		return s
	}
	return fmt.Sprintf("(%s * %d)", codegen.Within(codegen.ProductLevel, s), n)
}

func (k *kernel) base(e *ir.Expr) string {
	if e == nil {
		return "0"
	}
	return k.expr(e, nil)
}

// scalarLoop prints a map or copy that the scalar unit runs over.
func (k *kernel) scalarLoop(op *ir.Op) {
	vars := map[*ir.Var]string{}
	w := k.w
	var opened int
	for _, it := range op.Dom {
		if it.Extent.IsInt(1) {
			vars[it.Var] = "0"
			continue
		}
		name := k.names.Local(it.Var.Name)
		vars[it.Var] = name
		w.Open("for (int64_t %s = 0; %s < %s; ++%s)", name, name, it.Extent, name)
		opened++
	}
	if op.Where != nil {
		w.Open("if (%s)", codegen.Top(k.expr(op.Where, vars)))
		opened++
	}
	x := op.X
	value := ir.CastTo(op.Dst.Buf.Elem, func() *ir.Expr {
		if op.Code == ir.OpCopy {
			return ir.LoadAt(op.Src[0])
		}
		return x[0]
	}())
	k.assign(op.Dst, k.expr(value, vars), vars)
	for range opened {
		w.Close("")
	}
}

// bytesOf spells a buffer of elements below a byte as bytes.
func (k *kernel) bytesOf(b *ir.Buffer) string {
	if b.Outside() {
		return k.gms[b]
	}
	return k.bufName(b) + ".ReinterpretCast<uint8_t>()"
}

func (k *kernel) assign(dst *ir.Access, value string, vars map[*ir.Var]string) {
	if dst.Buf.Elem.Bits() < 8 {
		// the other element of the byte stays
		off := codegen.Within(codegen.ProductLevel, k.offset(dst, vars))
		bytes := k.bytesOf(dst.Buf)
		k.w.Line("%s.SetValue(%s / 2, (%s.GetValue(%s / 2) & (240 >> %s %% 2 * 4)) | ((%s & 15) << %s %% 2 * 4));", bytes, off, bytes, off, off, value, off)
		return
	}
	k.w.Line("%s.SetValue(%s, %s);", k.tensorName(dst.Buf), codegen.Top(k.offset(dst, vars)), codegen.Top(value))
}

// counted is where an index of a copy begins and ends, if numbers say so.
func counted(c *aicore.Copy, i int, it ir.Iter) (from, to int64, ok bool) {
	to = it.Extent.Int
	if l := c.Low[i]; l != nil {
		from = max(l.Int, 0)
		ok = l.IsConst()
		if !ok {
			return 0, 0, false
		}
	}
	if h := c.High[i]; h != nil {
		to = min(h.Int, to)
		ok = h.IsConst()
	}
	return from, to, ok && from < to
}

// copy prints a copy between global memory and UB: its rows and their lengths clipped to what is there.
func (k *kernel) copy(op *ir.Op, c *aicore.Copy) {
	w := k.w
	n := len(op.Dom)
	bits := c.Tile.Buf.Elem.Bits()
	low, count := make([]string, n), make([]string, n)
	var conds []string
	opened := 0
	if c.Cond != nil {
		conds = append(conds, codegen.Within(codegen.AndLevel, k.expr(c.Cond, nil)))
	}
	clipped := c.Clipped()
	if clipped {
		w.Open("")
	}
	for i, it := range op.Dom {
		extent := it.Extent.String()
		low[i], count[i] = "0", extent
		if c.Low[i] == nil && c.High[i] == nil {
			continue
		}
		if from, to, ok := counted(c, i, it); ok {
			low[i], count[i] = strconv.FormatInt(from, 10), strconv.FormatInt(to-from, 10)
			continue
		}
		k.helpers["minimum"] = true
		to := extent
		if c.High[i] != nil {
			to = fmt.Sprintf("minimum<int64_t>(%s, %s)", codegen.Top(k.expr(c.High[i], nil)), extent)
		}
		if c.Low[i] != nil {
			k.helpers["maximum"] = true
			low[i] = k.names.Take("first_" + identifier(it.Var.Name))
			w.Line("const int64_t %s = maximum<int64_t>(%s, 0);", low[i], codegen.Top(k.expr(c.Low[i], nil)))
			to = fmt.Sprintf("%s - %s", to, low[i])
		}
		count[i] = k.names.Take(identifier(it.Var.Name) + "_count")
		w.Line("const int64_t %s = %s;", count[i], to)
		conds = append(conds, count[i]+" > 0")
	}
	if len(conds) > 0 {
		w.Open("if (%s)", strings.Join(conds, " && "))
	}
	// Outer indices but the rows are loops.
	gm, ub := k.base(c.Base), k.base(c.Tile.Base)
	move := func(i int, index string) {
		if c.Strides[i] != nil && index != "0" {
			gm = sum(gm, fmt.Sprintf("(%s * %s)", codegen.Within(codegen.ProductLevel, index), codegen.Within(codegen.TermLevel, k.expr(c.Strides[i], nil))))
			if c.Strides[i].IsInt(1) {
				gm = sum(strings.TrimSuffix(gm, ""), "")
			}
		}
		ub = sum(ub, times(index, c.TileAt[i]))
	}
	for i := range n - 2 {
		if op.Dom[i].Extent.IsInt(1) {
			if low[i] != "0" {
				move(i, low[i])
			}
			continue
		}
		v := k.names.Local(op.Dom[i].Var.Name)
		w.Open("for (int64_t %s = %s; %s < %s; ++%s)", v, low[i], v, codegen.Top(sum(low[i], count[i])), v)
		opened++
		move(i, v)
	}
	rows, pitchGM, pitchUB := "1", "0", 0
	if n >= 2 {
		i := n - 2
		rows = count[i]
		if low[i] != "0" {
			move(i, low[i])
		}
		if c.Strides[i] != nil {
			pitchGM = k.expr(c.Strides[i], nil)
		}
		pitchUB = c.TileAt[i]
		if op.Dom[i].Extent.IsInt(1) {
			pitchGM, pitchUB = "0", 0
		}
	}
	left := "0"
	if low[n-1] != "0" {
		// The row in UB starts on a block: what is before its first element is padding.
		move(n-1, low[n-1])
		if from, err := strconv.Atoi(low[n-1]); err == nil {
			left = strconv.Itoa(from % (256 / bits))
		} else {
			left = k.names.Take("left")
			w.Line("const int64_t %s = %s %% %d;", left, low[n-1], 256/bits)
		}
		if left != "0" {
			ub = fmt.Sprintf("(%s - %s)", ub, left)
		}
	}
	k.rows(c, rows, count[n-1], left, gm, ub, pitchGM, pitchUB, bits)
	for range opened {
		w.Close("")
	}
	if len(conds) > 0 {
		w.Close("")
	}
	if clipped {
		w.Close("")
	}
}

// rows prints one DataCopyPad: rows of length elements, pitches apart.
func (k *kernel) rows(c *aicore.Copy, rows, length, left, gm, ub, pitchGM string, pitchUB, bits int) {
	bytes := func(s string) string {
		var n int64
		if _, err := fmt.Sscanf(s, "%d", &n); err == nil && fmt.Sprint(n) == s {
			return fmt.Sprint(n * int64(bits) / 8)
		}
		if bits < 8 {
			return fmt.Sprintf("(%s * %d / 8)", codegen.Within(codegen.ProductLevel, s), bits)
		}
		return times(s, bits/8)
	}
	len := bytes(length)
	if bits < 8 { // a row ends on a byte
		len = fmt.Sprintf("((%s * %d + 7) / 8)", codegen.Within(codegen.ProductLevel, length), bits)
		if n, err := strconv.Atoi(length); err == nil {
			len = fmt.Sprint((n*bits + 7) / 8)
		}
	}
	gapGM, gapUB := "0", "0"
	if rows != "1" {
		gapGM = fmt.Sprintf("%s - %s", codegen.Within(codegen.SumLevel, bytes(pitchGM)), codegen.Within(codegen.ProductLevel, len))
		if pitch, err := strconv.Atoi(bytes(pitchGM)); err == nil && isNumber(len) {
			n, _ := strconv.Atoi(len)
			gapGM = strconv.Itoa(pitch - n)
		}
		used := sum(bytes(left), len)
		gapUB = fmt.Sprintf("%d - (%s + 31) / 32", pitchUB*bits/8/32, codegen.Within(codegen.SumLevel, used))
		if n, err := strconv.Atoi(used); err == nil {
			gapUB = strconv.Itoa(pitchUB*bits/8/32 - (n+31)/32)
		}
	}
	cast := func(s string) string {
		s = codegen.Top(s)
		if isNumber(s) {
			return s
		}
		return fmt.Sprintf("static_cast<uint32_t>(%s)", s)
	}
	count := rows
	if !isNumber(rows) {
		count = fmt.Sprintf("static_cast<uint16_t>(%s)", codegen.Top(rows))
	}
	elem := c.Tile.Buf.Elem
	local, typ := k.bufName(c.Tile.Buf), localType(elem)
	if bits < 8 {
		local, typ = local+".ReinterpretCast<uint8_t>()", "uint8_t"
		gm, ub = bytes(gm), bytes(ub)
	}
	g, l := at(k.gms[c.Tensor], gm), at(local, ub)
	if c.Load {
		pad := fmt.Sprintf("false, 0, 0, %s", zero(elem))
		if c.Else != nil || left != "0" {
			// the last block of a row gets what lies outside
			per := 256 / bits
			right := fmt.Sprintf("static_cast<uint8_t>((%d - %s %% %d) %% %d)", per, codegen.Within(codegen.ProductLevel, sum(left, length)), per, per)
			if isNumber(length) && left == "0" {
				n, _ := strconv.Atoi(length)
				right = fmt.Sprint((per - n%per) % per)
			}
			value := zero(elem)
			if c.Else != nil {
				value = codegen.Top(k.expr(c.Else, nil))
			}
			if bits < 8 {
				right, value = "0", "0"
			}
			start := left
			if left != "0" {
				start = fmt.Sprintf("static_cast<uint8_t>(%s)", left)
			}
			pad = fmt.Sprintf("true, %s, %s, %s", start, right, value)
		}
		k.w.Line("DataCopyPad(%s, %s, DataCopyExtParams(%s, %s, %s, %s, 0), DataCopyPadExtParams<%s>(%s));", l, g, count, cast(len), cast(gapGM), cast(gapUB), typ, pad)
	} else {
		k.w.Line("DataCopyPad(%s, %s, DataCopyExtParams(%s, %s, %s, %s, 0));", g, l, count, cast(len), cast(gapUB), cast(gapGM))
	}
}

func zero(t ir.DType) string {
	if t == array.BF16 {
		return "bfloat16_t()"
	}
	return "0"
}

func isNumber(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
