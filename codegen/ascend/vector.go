package ascend

import (
	"fmt"

	"tilec/codegen"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

var instructions = map[ir.ExprOp]string{
	ir.Add: "Add", ir.Sub: "Sub", ir.Mul: "Mul", ir.Div: "Div", ir.Min: "Min", ir.Max: "Max", ir.Exp: "Exp", ir.Log: "Ln", ir.Sqrt: "Sqrt", ir.Abs: "Abs",
}

var roundings = map[ir.ExprOp]string{ir.Floor: "CAST_FLOOR", ir.Ceil: "CAST_CEIL", ir.Round: "CAST_RINT", ir.Trunc: "CAST_TRUNC"}

var comparisons = map[ir.ExprOp]string{ir.Lt: "LT", ir.Gt: "GT", ir.Eq: "EQ", ir.Le: "LE", ir.Ge: "GE", ir.Ne: "NE"}

// vector prints one step of the vector unit.
func (k *kernel) vector(op *ir.Op, v *aicore.Vector) {
	switch v.Form {
	case aicore.Fill:
		if bits := v.Dst.Buf.Elem.Bits(); bits < 16 {
			// as many elements as two bytes hold
			pattern := uint64(0)
			for at := 0; at < 16; at += bits {
				pattern |= uint64(v.Src[0].Scalar.Int) & (1<<bits - 1) << at
			}
			n := v.Cols
			if v.Rows > 1 {
				n = (v.Rows-1)*v.Dst.Row + v.Cols
			}
			k.w.Line("Duplicate<uint16_t>(%s.ReinterpretCast<uint16_t>(), %#x, %d);", k.bufName(v.Dst.Buf), pattern, (n*bits+15)/16)
			return
		}
		x := codegen.Top(k.expr(v.Src[0].Scalar, nil))
		k.over(v, v.Dense(), func(d string, _ []string, n string) {
			k.w.Line("Duplicate<%s>(%s, %s, %s);", localType(v.Dst.Buf.Elem), d, x, n)
		})
	case aicore.Move:
		k.over(v, k.flat(v), func(d string, s []string, n string) {
			switch bits := v.Dst.Buf.Elem.Bits(); bits {
			case 4: // whole bytes of them
				k.w.Line("DataCopy(%s.ReinterpretCast<uint8_t>(), %s.ReinterpretCast<uint8_t>(), %s);", d, s[0], blocks(n, bits, 2))
			case 32:
				k.w.Line("%s(%s, %s, %s, %s);", "Adds", k.numbers(v.Dst.Buf, d), k.numbers(v.Dst.Buf, s[0]), "0", n)
			default:
				k.w.Line("DataCopy(%s, %s, %s);", d, s[0], blocks(n, bits, 1))
			}
		})
	case aicore.Convert:
		mode := castMode(v.Src[0].Buf.Elem, v.Dst.Buf.Elem)
		k.over(v, k.flat(v), func(d string, s []string, n string) { k.w.Line("Cast(%s, %s, RoundMode::%s, %s);", d, s[0], mode, n) })
	case aicore.Unary:
		k.over(v, k.flat(v), func(d string, s []string, n string) {
			switch {
			case roundings[v.Op] != "":
				k.w.Line("Cast(%s, %s, RoundMode::%s, %s);", d, s[0], roundings[v.Op], n)
			case v.Op == ir.Neg:
				k.w.Line("Muls(%s, %s, static_cast<%s>(-1), %s);", d, s[0], cTypes[v.Dst.Buf.Elem], n)
			default:
				k.w.Line("%s(%s, %s, %s);", instructions[v.Op], d, s[0], n)
			}
		})
	case aicore.WithScalar:
		x := v.Src[1].Scalar
		name := instructions[v.Op] + "s"
		if v.Op == ir.Sub {
			name, x = "Adds", ir.Un(ir.Neg, x)
			if c := v.Src[1].Scalar; c.IsConst() {
				n := *c
				n.Int, n.Float = -c.Int, -c.Float
				x = &n
			}
		}
		text := codegen.Top(k.expr(x, nil))
		k.over(v, k.flat(v), func(d string, s []string, n string) { k.w.Line("%s(%s, %s, %s, %s);", name, d, s[0], text, n) })
	case aicore.Binary, aicore.Fused:
		if flat := k.flat(v); flat || v.Src[0].Full(v.Rows) && v.Src[1].Full(v.Rows) && !byRepeats(v) {
			k.over(v, flat, func(d string, s []string, n string) { k.w.Line("%s(%s, %s, %s, %s);", binary(v), d, s[0], s[1], n) })
			return
		}
		k.broadcast(op, v)
	case aicore.Spread:
		k.broadcast(op, v)
	case aicore.Choose:
		k.choose(op, v)
	}
}

// byRepeats reports a step that takes fewer instructions if repeats run over the rows.
func byRepeats(v *aicore.Vector) bool {
	elem := v.Dst.Buf.Elem
	block := 256 / elem.Bits()
	for _, w := range []aicore.View{v.Dst, v.Src[0].View, v.Src[1].View} {
		if w.Row%block != 0 || w.Row/block > mostRepeats {
			return false
		}
	}
	return v.Rows > (v.Cols+lanes(elem)-1)/lanes(elem)
}

// binary is the instruction of two operands that a step is.
func binary(v *aicore.Vector) string {
	if v.Form == aicore.Fused {
		return "FusedMulAdd"
	}
	return instructions[v.Op]
}

// flat reports that all operands cover the rows as the destination does.
func (k *kernel) flat(v *aicore.Vector) bool {
	for _, o := range v.Src {
		if o.Scalar == nil && !v.Flat(o.View) {
			return false
		}
	}
	return v.Dense()
}

// over prints an instruction that counts elements: once for all rows where they lie one after another, else for each row.
func (k *kernel) over(v *aicore.Vector, flat bool, print func(d string, s []string, n string)) {
	place := func(w aicore.View, row string) string {
		return at(k.bufName(w.Buf), sum(k.base(w.Base), times(row, w.Row)))
	}
	list := func(row string) []string {
		var s []string
		for _, o := range v.Src {
			if o.Scalar == nil {
				s = append(s, place(o.View, row))
			}
		}
		return s
	}
	if flat || v.Rows == 1 {
		n := v.Cols
		if v.Rows > 1 {
			n = (v.Rows-1)*v.Dst.Row + v.Cols
		}
		print(place(v.Dst, "0"), list("0"), fmt.Sprint(n))
		return
	}
	r := k.names.Take("row")
	k.w.Open("for (int32_t %s = 0; %s < %d; ++%s)", r, r, v.Rows, r)
	print(place(v.Dst, r), list(r), fmt.Sprint(v.Cols))
	k.w.Close("")
}

// numbers sees a tile of 32 bits as whole numbers, so that moving changes no bit.
func (k *kernel) numbers(b *ir.Buffer, place string) string {
	if b.Elem == array.I32 {
		return place
	}
	return place + ".ReinterpretCast<int32_t>()"
}

// blocks rounds a number of elements up to whole blocks of 32 bytes, and counts them by so many.
func blocks(n string, bits, by int) string {
	var v int
	fmt.Sscan(n, &v)
	per := 256 / bits
	return fmt.Sprint((v + per - 1) / per * per / by)
}

// castMode is how a conversion rounds: floats to the nearest, to whole numbers toward zero.
func castMode(from, to ir.DType) string {
	switch {
	case to.IsInt() && from.IsFloat():
		return "CAST_TRUNC"
	case to.IsFloat() && from.IsFloat() && to.Bits() < from.Bits():
		return "CAST_RINT"
	case to == array.F32 && from == array.I32:
		return "CAST_RINT"
	}
	return "CAST_NONE"
}

// lanes is how many elements of a type one repeat works on.
func lanes(t ir.DType) int { return 256 * 8 / t.Bits() }

// mostRepeats is the most repeats of one instruction.
const mostRepeats = 255

// broadcast prints a step one of whose operands is a row for all rows, or one element for each: repeats run over the rows, with
// strides of 0 where the operand stays.
func (k *kernel) broadcast(op *ir.Op, v *aicore.Vector) {
	elem := v.Dst.Buf.Elem
	per, block := lanes(elem), 256/elem.Bits()
	for _, o := range v.Src {
		if !v.Column(o) {
			continue
		}
		k.declare(op.Scratch)
		k.w.Line("Brcb(%s, %s, %d, BrcbRepeatParams(1, 8));", k.bufName(op.Scratch), at(k.bufName(o.Buf), k.base(o.Base)), (v.Rows+7)/8)
		k.w.Line("PipeBarrier<PIPE_V>();")
	}
	pitch := func(w aicore.View) int {
		if w.Row == 0 {
			return 0
		}
		return w.Row / block
	}
	fits := pitch(v.Dst) <= mostRepeats
	for _, o := range v.Src {
		if o.Full(v.Rows) {
			fits = fits && pitch(o.View) <= mostRepeats
		}
	}
	rows := v.Rows
	row := "0"
	opened := 0
	chunk := min(rows, mostRepeats)
	if !fits {
		chunk = 1
	}
	if rows > chunk {
		row = k.names.Take("row")
		k.w.Open("for (int32_t %s = 0; %s < %d; %s += %d)", row, row, rows, row, chunk)
		opened++
	}
	repeats := fmt.Sprint(chunk)
	if rows%chunk != 0 && rows > chunk {
		k.helpers["minimum"] = true
		repeats = fmt.Sprintf("minimum<int32_t>(%d, %d - %s)", chunk, rows, row)
	}
	step := func(col string, mask int) {
		place := func(w aicore.View) string {
			return at(k.bufName(w.Buf), sum(k.base(w.Base), times(row, w.Row), col))
		}
		var names []string
		var blk, rep []int
		for _, o := range v.Src {
			switch {
			case o.Full(v.Rows) && o.Row != 0 || v.Rows == 1 && o.Col == 1:
				names, blk, rep = append(names, place(o.View)), append(blk, 1), append(rep, pitch(o.View))
			case o.Col == 1:
				names, blk, rep = append(names, at(k.bufName(o.Buf), sum(k.base(o.Base), col))), append(blk, 1), append(rep, 0)
			default:
				names, blk, rep = append(names, at(k.bufName(op.Scratch), times(row, block))), append(blk, 0), append(rep, 1)
			}
		}
		for i := range rep {
			if rep[i] > mostRepeats {
				rep[i] = 0 // one row at a time
			}
		}
		d := pitch(v.Dst)
		if d > mostRepeats {
			d = 0
		}
		if v.Form == aicore.Spread {
			k.w.Line("Copy(%s, %s, %d, %s, CopyRepeatParams(1, %d, %d, %d));", place(v.Dst), names[0], mask, repeats, blk[0], d, rep[0])
			return
		}
		k.w.Line("%s(%s, %s, %s, %d, %s, BinaryRepeatParams(1, %d, %d, %d, %d, %d));", binary(v), place(v.Dst), names[0], names[1], mask, repeats, blk[0], blk[1], d, rep[0], rep[1])
	}
	whole, tail := v.Cols/per, v.Cols%per
	switch {
	case whole > 1:
		c := k.names.Take("col")
		k.w.Open("for (int32_t %s = 0; %s < %d; %s += %d)", c, c, whole*per, c, per)
		step(c, per)
		k.w.Close("")
	case whole == 1:
		step("0", per)
	}
	if tail > 0 {
		step(fmt.Sprint(whole*per), tail)
	}
	for range opened {
		k.w.Close("")
	}
}

// choose prints a comparison, which leaves a bit for each element, and the choice by those.
func (k *kernel) choose(op *ir.Op, v *aicore.Vector) {
	k.declare(op.Scratch)
	bits := k.bufName(op.Scratch)
	n := v.Cols
	if v.Rows > 1 {
		n = (v.Rows-1)*v.Dst.Row + v.Cols
	}
	whole := (n + 63) / 64 * 64
	place := func(o aicore.View) string { return at(k.bufName(o.Buf), k.base(o.Base)) }
	mode := "CMPMODE::" + comparisons[v.Op]
	if s := v.Src[1].Scalar; s != nil {
		k.w.Line("CompareScalar(%s, %s, %s, %s, %d);", bits, place(v.Src[0].View), codegen.Top(k.expr(s, nil)), mode, whole)
	} else {
		k.w.Line("Compare(%s, %s, %s, %s, %d);", bits, place(v.Src[0].View), place(v.Src[1].View), mode, whole)
	}
	k.w.Line("PipeBarrier<PIPE_V>();")
	elem := v.Dst.Buf.Elem
	as := func(place string) string {
		if elem == array.F32 || elem == array.F16 {
			return place
		}
		return place + ".ReinterpretCast<float>()"
	}
	if s := v.Src[3].Scalar; s != nil {
		typ := "float"
		if elem == array.F16 {
			typ = "half"
		}
		text := codegen.Top(k.expr(s, nil))
		if elem.IsInt() {
			k.helpers["bits_float"] = true
			text = fmt.Sprintf("bits_float(static_cast<uint32_t>(%s))", text)
		}
		k.w.Line("Select<%s, uint8_t>(%s, %s, %s, %s, SELMODE::VSEL_TENSOR_SCALAR_MODE, %d);", typ, as(place(v.Dst)), bits, as(place(v.Src[2].View)), text, n)
		return
	}
	k.w.Line("Select(%s, %s, %s, %s, SELMODE::VSEL_TENSOR_TENSOR_MODE, %d);", as(place(v.Dst)), bits, as(place(v.Src[2].View)), as(place(v.Src[3].View)), n)
}
