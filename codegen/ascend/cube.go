package ascend

import (
	"fmt"
	"strings"

	"tilec/codegen"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

// clipped spells how many of an index's values count, as a number or a constant of the block.
func (k *kernel) clipped(extent *ir.Expr, high *ir.Expr, name string) string {
	if high == nil {
		return extent.String()
	}
	k.helpers["minimum"] = true
	n := k.names.Take(name)
	k.w.Line("const int64_t %s = minimum<int64_t>(%s, %s);", n, codegen.Top(k.expr(high, nil)), extent)
	return n
}

// narrowed casts a count to the type of an instruction's field.
func narrowed(s string) string {
	if isNumber(s) {
		return s
	}
	return fmt.Sprintf("static_cast<uint16_t>(%s)", codegen.Top(s))
}

// fractals spells how many groups of n a count makes.
func fractals(s string, n int) string {
	if isNumber(s) {
		var v int
		fmt.Sscan(s, &v)
		return fmt.Sprint((v + n - 1) / n)
	}
	return fmt.Sprintf("(%s + %d) / %d", codegen.Within(codegen.SumLevel, s), n-1, n)
}

// whole rounds a count up to a multiple of n.
func whole(s string, n int) string {
	if isNumber(s) {
		var v int
		fmt.Sscan(s, &v)
		return fmt.Sprint((v + n - 1) / n * n)
	}
	return fmt.Sprintf("(%s + %d) / %d * %d", codegen.Within(codegen.SumLevel, s), n-1, n, n)
}

// slot spells where the matrix of a ring lies that an access names.
func (k *kernel) slot(a *ir.Access) string {
	if aicore.Slots(a.Buf) == 1 {
		return "0"
	}
	return times(k.expr(a.Index[0], nil), aicore.SlotElements(a.Buf))
}

// positive guards what follows by a condition, if there is one, and by counts that may be zero or less; close it with Close.
func (k *kernel) positive(must *ir.Expr, counts ...string) bool {
	cond := ""
	if must != nil {
		cond = codegen.Within(codegen.AndLevel, k.expr(must, nil))
	}
	for _, c := range counts {
		if isNumber(c) {
			continue
		}
		if cond != "" {
			cond += " && "
		}
		cond += c + " > 0"
	}
	if cond == "" {
		return false
	}
	k.w.Open("if (%s)", cond)
	return true
}

// toL1 prints the copy of a matrix to L1, as fractals in columns of strips.
func (k *kernel) toL1(op *ir.Op) {
	c, ok := aicore.MatrixCopyOf(op)
	if !ok {
		ir.Bugf("no copy of the machine does %s", op.Header())
	}
	w, b := k.w, op.Dst.Buf
	w.Open("")
	rows, cols := k.clipped(op.Dom[0].Extent, c.High[0], "rows"), k.clipped(op.Dom[1].Extent, c.High[1], "cols")
	guarded := k.positive(c.Cond, rows, cols)
	pitch := codegen.Top(k.expr(c.Strides[0], nil))
	src, dst := k.base(c.Base), k.slot(op.Dst)
	strip, padded := aicore.Strip(b.Elem), aicore.PaddedRows(b)
	one := func(src, dst, rows, pitch, c0 string) {
		w.Line("DataCopy(%s, %s, Nd2NzParams(1, %s, %s, 0, %s, %s, 1, 0));", at(k.bufName(b), dst), at(k.gms[c.Tensor], src), narrowed(rows), narrowed(cols), narrowed(pitch), c0)
	}
	move := func(pitch string) {
		use := k.uses[b]
		if !use.KLast && b.Elem == array.F32 {
			// 16 rows after another, each with its fractals side by side, as squares are transposed from there
			r := k.names.Take("row")
			w.Open("for (int64_t %s = 0; %s < %s; %s += 16)", r, r, rows, r)
			k.helpers["minimum"] = true
			one(sum(src, fmt.Sprintf("(%s * %s)", r, codegen.Within(codegen.TermLevel, pitch))), sum(dst, times(r, aicore.PaddedCols(b))), fmt.Sprintf("minimum<int64_t>(%s - %s, 16)", rows, r), pitch, "16")
			w.Close("")
			return
		}
		one(src, dst, rows, pitch, fmt.Sprint(padded))
	}
	switch {
	case isNumber(pitch):
		move(pitch)
	default:
		w.Open("if (%s <= 65535)", pitch)
		move(pitch)
		w.Else()
		r := k.names.Take("row")
		w.Open("for (int64_t %s = 0; %s < %s; ++%s)", r, r, rows, r)
		to, c0 := sum(dst, times(r, strip)), fmt.Sprint(padded)
		if use := k.uses[b]; !use.KLast && b.Elem == array.F32 {
			to, c0 = sum(dst, fmt.Sprintf("(%s / 16 * %d)", r, 16*aicore.PaddedCols(b)), fmt.Sprintf("(%s %% 16 * %d)", r, strip)), "16"
		}
		one(sum(src, fmt.Sprintf("(%s * %s)", r, codegen.Within(codegen.TermLevel, pitch))), to, "1", "1", c0)
		w.Close("")
		w.Close("")
	}
	if guarded {
		w.Close("")
	}
	w.Close("")
}

// zeros clears a slot of L1 or L0 (Fill; it counts in blocks of so many bytes: 32 in L1, fractals in L0A and L0B).
func (k *kernel) zeros(slot *ir.Access, block int64) {
	b := slot.Buf
	bytes := aicore.Bytes(b) / int64(aicore.Slots(b))
	k.w.Line("Fill(%s.ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, %d, 0, 0)); // zeros", at(k.bufName(b), k.slot(slot)), bytes/block)
}

// feed prints what fills L0A and L0B: fractals from L1 in the order in which the cube reads them, or zeros.
func (k *kernel) feed(op *ir.Op) {
	w, to := k.w, op.Dst.Buf
	if op.Code == ir.OpMap {
		k.zeros(op.Dst, 512)
		return
	}
	high, ok := aicore.Bounds(op.Dom, op.Where)
	if !ok {
		ir.Bugf("no load of the machine does %s", op.Header())
	}
	from := op.Src[0]
	b := from.Buf
	strip, fractal := aicore.Strip(to.Elem), aicore.FractalElements(to.Elem)
	w.Open("")
	defer w.Close("")
	rows, depth := k.clipped(op.Dom[0].Extent, high[0], "rows"), k.clipped(op.Dom[1].Extent, high[1], "depth")
	rowFractals := k.count("row_fractals", fractals(rows, 16))
	kFractals := k.count("k_fractals", fractals(depth, strip))
	dst, src := k.slot(op.Dst), k.slot(from)
	use := k.uses[to]
	// the part of K begins at a fractal
	n := len(from.Index)
	part := from.Index[n-1]
	if !use.KLast {
		part = from.Index[n-2]
	}
	begin := "0"
	if rest, plain := ir.Without(part, op.Dom[1].Var); plain && !isZero(rest) {
		begin = k.expr(rest, nil)
	}
	padded := aicore.PaddedRows(b)
	local := func(b *ir.Buffer, off ...string) string { return at(k.bufName(b), sum(off...)) }
	loop := func(name, count string, step func(i string)) {
		if count == "1" {
			step("0")
			return
		}
		i := k.names.Take(name)
		w.Open("for (int32_t %s = 0; %s < %s; ++%s)", i, i, count, i)
		step(i)
		w.Close("")
	}
	load := func(d, s string, repeat, stride, gap, transpose string) {
		w.Line("LoadData(%s, %s, LoadData2DParams(0, %s, %s, 0, %s, %s, 0));", d, s, byteCount(repeat), narrowed(stride), narrowed(gap), transpose)
	}
	less := func(s string) string {
		if isNumber(s) {
			var v int
			fmt.Sscan(s, &v)
			return fmt.Sprint(v - 1)
		}
		return s + " - 1"
	}
	transposed := func(d, s, repeat, stride, gap, fracGap string) {
		w.Line("LoadDataWithTranspose(%s, %s, LoadData2dTransposeParams(0, %s, %s, %s, %s));", d, s, byteCount(repeat), stride, narrowed(gap), narrowed(fracGap))
	}
	switch {
	case !use.Right && use.KLast:
		// strips of K, each with its rows
		src = sum(src, times(begin, padded))
		loop("strip", kFractals, func(i string) {
			load(local(to, dst, times(i, fractal)), local(b, src, times(i, padded*strip)), rowFractals, "1", less(kFractals), "false")
		})
	case !use.Right && to.Elem.Bits() == 32:
		// squares of 16, each two fractals of a row side by side
		squares := k.count("squares", fractals(depth, 16))
		src = sum(src, times(begin, aicore.PaddedCols(b)))
		loop("square", squares, func(i string) {
			transposed(local(to, dst, times(i, 2*fractal)), local(b, src, times(i, 16*aicore.PaddedCols(b))), rowFractals, "1", less(times(squares, 2)), "0")
		})
	case !use.Right && to.Elem.Bits() == 8:
		// squares of 32, each two fractals of a column one below the other
		pairs := k.count("squares", fractals(rows, 32))
		src = sum(src, times(begin, 32))
		loop("square", kFractals, func(i string) {
			transposed(local(to, dst, times(i, fractal)), local(b, src, times(i, 2*fractal)), pairs, fmt.Sprint(padded/32), less(times(kFractals, 2)), less(kFractals))
		})
	case !use.Right:
		src = sum(src, times(begin, 16))
		loop("strip", rowFractals, func(i string) {
			load(local(to, dst, scaled(i, kFractals, fractal)), local(b, src, times(i, padded*strip)), kFractals, "1", "0", "true")
		})
	case use.KLast:
		src = sum(src, times(begin, padded))
		loop("strip", kFractals, func(i string) {
			load(local(to, dst, scaled(i, rowFractals, fractal)), local(b, src, times(i, padded*strip)), rowFractals, "1", "0", "false")
		})
	case to.Elem.Bits() == 16:
		src = sum(src, times(begin, 16))
		loop("strip", kFractals, func(i string) {
			load(local(to, dst, scaled(i, rowFractals, fractal)), local(b, src, times(i, fractal)), rowFractals, fmt.Sprint(padded/16), "0", "true")
		})
	case to.Elem.Bits() == 32:
		squares := aicore.PaddedCols(b) / 16
		src = sum(src, times(begin, aicore.PaddedCols(b)))
		loop("square", k.count("squares", fractals(depth, 16)), func(i string) {
			transposed(local(to, dst, scaled(times(i, 2), rowFractals, fractal)), local(b, src, times(i, squares*2*fractal)), rowFractals, "1", "0", less(rowFractals))
		})
	default:
		pairs := k.count("squares", fractals(rows, 32))
		src = sum(src, times(begin, 32))
		loop("square", k.count("depth_squares", fractals(depth, 32)), func(i string) {
			transposed(local(to, dst, scaled(i, times(pairs, 2), fractal)), local(b, src, times(i, 2*fractal)), pairs, fmt.Sprint(padded/32), "1", "0")
		})
	}
}

func isZero(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return e.Int == 0
	case ir.Add:
		return isZero(e.Args[0]) && isZero(e.Args[1])
	}
	return false
}

// count names a number that is used several times.
func (k *kernel) count(name, value string) string {
	if isNumber(value) {
		return value
	}
	n := k.names.Take(name)
	k.w.Line("const int64_t %s = %s;", n, value)
	return n
}

func byteCount(s string) string {
	if isNumber(s) {
		return s
	}
	return fmt.Sprintf("static_cast<uint8_t>(%s)", codegen.Top(s))
}

// scaled multiplies an index by a count and a number.
func scaled(i, count string, n int) string {
	if i == "0" {
		return "0"
	}
	if isNumber(count) {
		var v int
		fmt.Sscan(count, &v)
		return times(i, v*n)
	}
	return fmt.Sprintf("(%s * %s * %d)", codegen.Within(codegen.ProductLevel, i), codegen.Within(codegen.TermLevel, count), n)
}

// multiply prints a product of the cube.
func (k *kernel) multiply(op *ir.Op) {
	its := op.Iters()
	high, ok := aicore.Bounds(its, op.Where)
	if !ok {
		ir.Bugf("no product of the machine does %s", op.Header())
	}
	w := k.w
	w.Open("")
	defer w.Close("")
	m, n, d := k.clipped(its[0].Extent, high[0], "rows"), k.clipped(its[1].Extent, high[1], "cols"), k.clipped(its[2].Extent, high[2], "depth")
	fresh := "false"
	if op.Init != nil {
		fresh = codegen.Top(k.expr(op.Init, nil))
	}
	a, b := op.Src[0], op.Src[1]
	if fresh != "true" {
		// small products follow each other with a gap only
		switch {
		case !isNumber(m) || !isNumber(n):
			w.Open("if ((%s / 16) * (%s / 16) < 10)", m, n)
			w.Line("PipeBarrier<PIPE_M>();")
			w.Close("")
		case int(its[0].Extent.Int/16)*int(its[1].Extent.Int/16) < 10:
			w.Line("PipeBarrier<PIPE_M>();")
		}
	}
	if use := k.uses[b.Buf]; use.Right && !use.KLast && b.Buf.Elem.Bits() == 8 {
		n = whole(n, 32)
	}
	if m == "1" {
		m = "2" // one row alone would be read as a vector
	} else if !isNumber(m) {
		k.helpers["maximum"] = true
		m = fmt.Sprintf("maximum<int64_t>(%s, 2)", m)
	}
	params := fmt.Sprintf("MmadParams(%s, %s, %s, 0, false, %s)", narrowed(m), narrowed(n), narrowed(d), fresh)
	if use := k.uses[a.Buf]; !use.Right && !use.KLast && a.Buf.Elem.Bits() == 32 {
		p := k.names.Take("params")
		w.Line("MmadParams %s%s;", p, strings.TrimPrefix(params, "MmadParams"))
		w.Line("%s.kDirectionAlign = true; // transposed, K goes in whole squares of 16", p)
		params = p
	}
	w.Line("Mmad(%s, %s, %s, %s);", at(k.bufName(op.Dst.Buf), k.slot(op.Dst)), at(k.bufName(a.Buf), k.slot(a)), at(k.bufName(b.Buf), k.slot(b)), params)
}

// fixpipe prints the copy of sums to a tensor.
func (k *kernel) fixpipe(op *ir.Op) {
	c, ok := aicore.MatrixCopyOf(op)
	if !ok {
		ir.Bugf("no copy of the machine does %s", op.Header())
	}
	w, src := k.w, op.Src[0]
	w.Open("")
	defer w.Close("")
	rows, cols := k.clipped(op.Dom[0].Extent, c.High[0], "rows"), k.clipped(op.Dom[1].Extent, c.High[1], "cols")
	if k.positive(c.Cond, rows, cols) {
		defer w.Close("")
	}
	quant := ""
	switch c.Tensor.Elem {
	case array.F16:
		quant = ", QuantMode_t::F322F16, 0, 1, 0, 0, 0"
	case array.BF16:
		quant = ", QuantMode_t::F322BF16, 0, 1, 0, 0, 0"
	}
	typ := cTypes[src.Buf.Elem]
	made := k.rowsOf(src.Buf, rows, c.High[0])
	w.Line("Fixpipe<%s, %s, CFG_ROW_MAJOR>(%s, %s, FixpipeParamsV220(%s, %s, %s, %s, false%s));", memoryType(c.Tensor.Elem), typ,
		at(k.gms[c.Tensor], k.base(c.Base)), at(k.bufName(src.Buf), k.slot(src)), narrowed(cols), narrowed(rows), narrowed(made), codegen.Top(k.expr(c.Strides[0], nil)), quant)
}

// rowsOf spells the rows of a strip in L0C: those that the product was made with, in whole fractals. rows and high are those that are
// stored.
func (k *kernel) rowsOf(b *ir.Buffer, rows string, high *ir.Expr) string {
	op := k.products[b]
	if op == nil {
		return whole(rows, 16)
	}
	made, ok := aicore.Bounds(op.Iters(), op.Where)
	switch {
	case !ok:
		ir.Bugf("no product of the machine does %s", op.Header())
	case made[0] == nil:
		return whole(op.Dom[0].Extent.String(), 16)
	case high == nil || made[0].String() != high.String():
		return whole(k.clipped(op.Dom[0].Extent, made[0], "made"), 16)
	}
	return whole(rows, 16)
}
