package ascend

import (
	"fmt"

	"tilec/codegen"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

var folds = map[ir.Combine]string{ir.Sum: "Add", ir.MaxOf: "Max", ir.MinOf: "Min", ir.Prod: "Mul"}

// reduce prints a reduction.
func (k *kernel) reduce(op *ir.Op) {
	if op.Pipe == ir.PipeS {
		k.scalarReduce(op)
		return
	}
	r, ok := aicore.ReductionOf(op)
	if !ok {
		ir.Bugf("no instruction of the vector unit does %s", op.Header())
	}
	if r.Across {
		k.across(&r)
		return
	}
	k.along(op, &r)
}

// along prints one result for each row: its chunks of 64 folded into one, then that.
func (k *kernel) along(op *ir.Op, r *aicore.Reduction) {
	src, pitch, cols := at(k.bufName(r.Src.Buf), k.base(r.Src.Base)), r.Src.Row, r.Cols
	w := k.w
	if r.Rows == 1 {
		pitch = 8
	}
	if op.Scratch != nil {
		k.declare(op.Scratch)
		folded := k.bufName(op.Scratch)
		k.rowChunks(r.Rows, pitch/8, func(row, reps string) {
			chunk := func(col string) string {
				return at(k.bufName(r.Src.Buf), sum(k.base(r.Src.Base), times(row, r.Src.Row), col))
			}
			to := at(folded, times(row, 64))
			whole, tail := cols/64, cols%64
			fold := func(first, second string, mask, rep int) {
				w.Line("%s(%s, %s, %s, %d, %s, BinaryRepeatParams(1, 1, 1, 8, %d, %d));", folds[r.Combine], to, first, second, mask, reps, rep, stride(pitch/8))
			}
			if whole > 1 { // the first two give the tile to fold into
				fold(chunk("0"), chunk("64"), 64, stride(pitch/8))
			} else {
				w.Line("Adds(%s, %s, 0.0f, 64, %s, UnaryRepeatParams(1, 1, 8, %d));", to, chunk("0"), reps, stride(pitch/8))
			}
			if whole > 2 {
				c := k.names.Take("col")
				w.Open("for (int32_t %s = 128; %s < %d; %s += 64)", c, c, whole*64, c)
				w.Line("PipeBarrier<PIPE_V>();")
				fold(to, chunk(c), 64, 8)
				w.Close("")
			}
			if tail > 0 {
				w.Line("PipeBarrier<PIPE_V>();")
				fold(to, chunk(fmt.Sprint(whole*64)), tail, 8)
			}
		})
		w.Line("PipeBarrier<PIPE_V>();")
		src, pitch, cols = folded, 64, 64
	}
	k.rowChunks(r.Rows, pitch/8, func(row, reps string) {
		from := src
		if row != "0" {
			if op.Scratch != nil {
				from = at(src, times(row, 64))
			} else {
				from = at(k.bufName(r.Src.Buf), sum(k.base(r.Src.Base), times(row, r.Src.Row)))
			}
		}
		to := at(k.bufName(r.Dst.Buf), sum(k.base(r.Dst.Base), row))
		if r.Combine == ir.Sum {
			w.Line("WholeReduceSum(%s, %s, %d, %s, 1, 1, %d);", to, from, cols, reps, stride(pitch/8))
		} else {
			w.Line("WholeReduce%s(%s, %s, %d, %s, 1, 1, %d, ReduceOrder::ORDER_ONLY_VALUE);", folds[r.Combine], to, from, cols, reps, stride(pitch/8))
		}
	})
}

// stride is a pitch in blocks as an instruction takes it; of one row at a time it does not matter.
func stride(blocks int) int {
	if blocks > mostRepeats {
		return 8
	}
	return blocks
}

// rowChunks prints instructions that repeat over rows, as many at a time as one takes.
func (k *kernel) rowChunks(rows, pitch int, print func(row, repeats string)) {
	chunk := min(rows, mostRepeats)
	if pitch > mostRepeats {
		chunk = 1
	}
	if rows <= chunk {
		print("0", fmt.Sprint(rows))
		return
	}
	row := k.names.Take("row")
	k.w.Open("for (int32_t %s = 0; %s < %d; %s += %d)", row, row, rows, row, chunk)
	repeats := fmt.Sprint(chunk)
	if rows%chunk != 0 {
		k.helpers["minimum"] = true
		repeats = fmt.Sprintf("minimum<int32_t>(%d, %d - %s)", chunk, rows, row)
	}
	print(row, repeats)
	k.w.Close("")
}

// across prints a row of results: row after row is folded into the first.
func (k *kernel) across(r *aicore.Reduction) {
	w := k.w
	to := at(k.bufName(r.Dst.Buf), k.base(r.Dst.Base))
	w.Line("Adds(%s, %s, 0, %d);", k.numbers(r.Dst.Buf, to), k.numbers(r.Src.Buf, at(k.bufName(r.Src.Buf), k.base(r.Src.Base))), r.Cols)
	if r.Rows == 1 {
		return
	}
	row := k.names.Take("row")
	w.Open("for (int32_t %s = 1; %s < %d; ++%s)", row, row, r.Rows, row)
	w.Line("PipeBarrier<PIPE_V>();")
	w.Line("%s(%s, %s, %s, %d);", folds[r.Combine], to, to, at(k.bufName(r.Src.Buf), sum(k.base(r.Src.Base), times(row, r.Src.Row))), r.Cols)
	w.Close("")
}

// scalarReduce prints a reduction that the scalar unit runs over.
func (k *kernel) scalarReduce(op *ir.Op) {
	w := k.w
	vars := map[*ir.Var]string{}
	open := func(its []ir.Iter) int {
		n := 0
		for _, it := range its {
			if it.Extent.IsInt(1) {
				vars[it.Var] = "0"
				continue
			}
			name := k.names.Local(it.Var.Name)
			vars[it.Var] = name
			w.Open("for (int64_t %s = 0; %s < %s; ++%s)", name, name, it.Extent, name)
			n++
		}
		return n
	}
	outer := open(op.Dom)
	if outer == 0 {
		w.Open("")
	}
	elem := op.Dst.Buf.Elem
	acc := &ir.Var{Name: "sum", Type: elem, Kind: ir.MutVar}
	if op.Combine == ir.ArgMax || op.Combine == ir.ArgMin {
		k.argument(op, vars, open)
	} else {
		name := k.varName(acc)
		w.Line("%s %s = %s;", cTypes[elem], name, codegen.Top(k.expr(op.Combine.Neutral(elem), nil)))
		inner := open(op.Red)
		x := op.X[0]
		two, _ := op.Combine.Op()
		w.Line("%s = %s;", name, codegen.Top(k.expr(ir.Bin(two, ir.RefTo(acc), x), vars)))
		for range inner {
			w.Close("")
		}
		value := name
		if elem == array.Bool {
			value = name + " ? 1 : 0"
		}
		k.assign(op.Dst, value, vars)
	}
	for range max(outer, 1) {
		w.Close("")
	}
}

// argument prints a search for where the value is greatest or least: the lowest index on ties, no nan unless all are.
func (k *kernel) argument(op *ir.Op, vars map[*ir.Var]string, open func([]ir.Iter) int) {
	w := k.w
	x := op.X[0]
	best, where, none := k.names.Take("best"), k.names.Take("where"), k.names.Take("none")
	w.Line("%s %s = 0;", cTypes[x.Type], best)
	w.Line("%s %s = 0;", cTypes[op.Dst.Buf.Elem], where)
	w.Line("bool %s = true;", none)
	inner := open(op.Red)
	v := k.names.Take("value")
	w.Line("const %s %s = %s;", cTypes[x.Type], v, codegen.Top(k.expr(x, vars)))
	less := ">"
	if op.Combine == ir.ArgMin {
		less = "<"
	}
	flat := "0"
	for _, it := range op.Red {
		flat = sum(times(flat, int(it.Extent.Int)), vars[it.Var])
	}
	w.Open("if (%s == %s && (%s || %s %s %s))", v, v, none, v, less, best)
	w.Line("%s = %s;", best, v)
	w.Line("%s = static_cast<%s>(%s);", where, cTypes[op.Dst.Buf.Elem], codegen.Top(flat))
	w.Line("%s = false;", none)
	w.Close("")
	for range inner {
		w.Close("")
	}
	k.assign(op.Dst, where, vars)
}

// scan prints an inclusive scan, which the scalar unit runs over.
func (k *kernel) scan(op *ir.Op) {
	w := k.w
	vars := map[*ir.Var]string{}
	elem := op.Dst.Buf.Elem
	opened := 0
	for i, it := range op.Dom {
		if i == op.Axis {
			continue
		}
		name := k.names.Local(it.Var.Name)
		vars[it.Var] = name
		w.Open("for (int64_t %s = 0; %s < %s; ++%s)", name, name, it.Extent, name)
		opened++
	}
	if opened == 0 {
		w.Open("")
		opened++
	}
	acc := &ir.Var{Name: "sum", Type: elem, Kind: ir.MutVar}
	name := k.varName(acc)
	w.Line("%s %s = %s;", cTypes[elem], name, codegen.Top(k.expr(op.Combine.Neutral(elem), nil)))
	it := op.Dom[op.Axis]
	v := k.names.Local(it.Var.Name)
	vars[it.Var] = v
	w.Open("for (int64_t %s = 0; %s < %s; ++%s)", v, v, it.Extent, v)
	two, _ := op.Combine.Op()
	w.Line("%s = %s;", name, codegen.Top(k.expr(ir.Bin(two, ir.RefTo(acc), ir.LoadAt(op.Src[0])), vars)))
	k.assign(op.Dst, name, vars)
	w.Close("")
	for range opened {
		w.Close("")
	}
}
