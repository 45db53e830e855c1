package cuda

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/runtime/array"
)

// reduce prints a reduction: each thread combines its own registers, lanes and
// then warps exchange partial results, and every thread that holds an element of
// the result has it at the end.
func (k *kernel) reduce(op *ir.Op) {
	p := k.startPoints(op)
	l := op.Layout
	kept := make([]int, len(op.Dom))
	for i := range kept {
		kept[i] = i
	}
	result := l.Project(kept...)
	n := result.Size(layout.Reg)
	t := op.X[0].Type
	arg := op.Combine == ir.ArgMax || op.Combine == ir.ArgMin
	part := k.names.Take(op.Dst.Buf.Name + "_part")
	index := ""
	k.w.Scope()
	k.w.Line("%s %s[%d];", cTypes[t], part, n)
	if !arg && p.where == nil && p.v == 1 && !k.nanShows(op) {
		k.ownFromFirst(p, result, part, t)
		k.acrossLanes(op, part, index, n, t)
		if op.Scratch != nil {
			k.acrossWarps(op, result, part, index, n, t)
		}
		k.storeReduced(op, result, part, index)
		k.w.Close("")
		return
	}
	identity := k.identity(op.Combine, t)
	if arg {
		index = part + "_at"
		k.w.Line("long long %s[%d];", index, n)
		k.w.Line("#pragma unroll")
		k.w.Line("for (int r = 0; r < %d; ++r) { %s[r] = %s; %s[r] = 0x7fffffffffffffffll; }", n, part, identity, index)
	} else {
		k.w.Line("#pragma unroll")
		k.w.Line("for (int r = 0; r < %d; ++r) %s[r] = %s;", n, part, identity)
	}

	p.parts = n
	slots := p.openReduced(n)
	env := p.loadAhead()
	p.each(func(e string) {
		a := env(e)
		idx := slots
		switch {
		case e == "0":
		case slots == "0":
			idx = e
		default:
			idx = slots + " + " + e
		}
		dims := make([]int, len(op.Dom))
		for i := range dims {
			dims[i] = i
		}
		to, _ := registerIndex(l, result, dims, operand(idx))
		slot := fmt.Sprintf("%s[%s]", part, to)
		value := k.exact(op.X[0], a)
		var line string
		if arg {
			line = fmt.Sprintf("%s(%s, %s[%s], %s, %s);", op.Combine.String(), slot, index, to, value, k.flatIndex(op, a))
		} else {
			line = fmt.Sprintf("%s = %s;", slot, top(k.combine(op.Combine, t, slot, value)))
		}
		if p.where != nil {
			line = fmt.Sprintf("if (%s) %s", top(k.expr(p.where, a)), line)
		}
		k.w.Line("%s", line)
	})
	p.close()
	if slots != p.group {
		k.w.Close("")
	}

	k.acrossLanes(op, part, index, n, t)
	if op.Scratch != nil {
		k.acrossWarps(op, result, part, index, n, t)
	}
	k.storeReduced(op, result, part, index)
	k.w.Close("")
}

// mostReduced bounds, in elements of a thread, how far the loop over what a reduction
// combines is unrolled where nothing asks for constant registers.
const mostReduced = 128

// openReduced opens the loop over the groups of a reduction with n results in a thread,
// and returns which result the group's first register belongs to: a loop over results
// within one over what they are made of, where all of it would be too long a text.
func (p *points) openReduced(n int) string {
	total := p.op.Layout.Size(layout.Reg)
	if total <= mostReduced || total == n || !p.resultsFirst(n) || n%p.v != 0 {
		p.open()
		return p.group
	}
	w := p.k.w
	w.Line("#pragma unroll %d", max(mostReduced/n, 1))
	w.Open("for (int s = 0; s < %d; s += %d)", total, n)
	if n == p.v {
		w.Open("")
		p.group = "s"
		return "0"
	}
	w.Line("#pragma unroll")
	w.Open("for (int n = 0; n < %d; n += %d)", n, p.v)
	w.Line("const int r = s + n;")
	p.group = "r"
	return "n"
}

// resultsFirst reports that a thread's n results are told apart by its first register
// bits, and that all operands are in memory.
func (p *points) resultsFirst(n int) bool {
	for b, basis := range p.op.Layout.Bases(layout.Reg) {
		if reducedBit(basis, len(p.op.Dom)) != (1<<b >= n) {
			return false
		}
	}
	memory := true
	p.op.Loads(func(a *ir.Access) {
		memory = memory && (a.Buf.Space != ir.Register || a.Buf.Layout.Size(layout.Reg) == 1)
	})
	return memory
}

// nanShows reports a maximum or minimum whose value, if all that it is taken of is
// nan, makes a difference: the neutral value is wanted then. None does where it only
// goes into another maximum or minimum.
func (k *kernel) nanShows(op *ir.Op) bool {
	if op.Combine != ir.MaxOf && op.Combine != ir.MinOf || !op.X[0].Type.IsFloat() || op.Accumulate {
		return false
	}
	into := ir.Max
	if op.Combine == ir.MinOf {
		into = ir.Min
	}
	shows := op.Dst.Buf.Kind.IsTensor()
	k.f.Body.Walk(func(o *ir.Op) {
		merged := map[*ir.Access]bool{}
		o.Exprs(func(e *ir.Expr) bool {
			if e.Op == into {
				for _, x := range e.Args {
					merged[unscaled(x).At] = true
				}
			}
			return true
		})
		o.Loads(func(a *ir.Access) { shows = shows || a.Buf == op.Dst.Buf && !merged[a] })
	})
	return shows
}

// unscaled takes a positive constant factor off.
func unscaled(x *ir.Expr) *ir.Expr {
	if x.Op == ir.Mul {
		for i, c := range x.Args {
			if c.IsConst() && c.Float > 0 {
				return x.Args[1-i]
			}
		}
	}
	return x
}

// ownFromFirst combines a thread's own registers, starting from the first of
// them rather than from a neutral value: one operation less for each result.
func (k *kernel) ownFromFirst(p *points, result *layout.Layout, part string, t ir.DType) {
	op, l := p.op, p.op.Layout
	var keptBits, redBits []run
	kept, red := 0, 0
	for b, basis := range l.Bases(layout.Reg) {
		if reducedBit(basis, len(op.Dom)) {
			redBits = append(redBits, run{red, b, 1})
			red++
		} else {
			keptBits = append(keptBits, run{kept, b, 1})
			kept++
		}
	}
	each := func(x string) string {
		return sum(bitsOf("r", 1<<kept, merge(keptBits)), bitsOf(x, 1<<red, merge(redBits)))
	}
	value := func(idx string) string {
		p.group = operand(idx)
		return k.exact(op.X[0], p.loadAhead()("0"))
	}
	k.overResults(1<<kept, func(r string) {
		slot := at(part, r)
		k.w.Line("%s = %s;", slot, value(each("0")))
		if red > 0 {
			if n := 1 << (kept + red); n > mostReduced && p.resultsFirst(1<<kept) {
				k.w.Line("#pragma unroll %d", max(mostReduced>>kept, 1))
			} else {
				k.w.Line("#pragma unroll")
			}
			k.w.Line("for (int s = 1; s < %d; ++s) %s = %s;", 1<<red, slot, top(k.combine(op.Combine, t, slot, value(each("s")))))
		}
	})
}

// acrossLanes combines the lanes that share elements of the result.
func (k *kernel) acrossLanes(op *ir.Op, part, index string, n int, t ir.DType) {
	if op.Partial {
		return
	}
	bases := op.Layout.Bases(layout.Lane)
	for b := 0; b < len(bases); b++ {
		if !reducedBit(bases[b], len(op.Dom)) {
			continue
		}
		last := b
		for last+1 < len(bases) && reducedBit(bases[last+1], len(op.Dom)) {
			last++
		}
		mask := fmt.Sprint(1 << b)
		if last > b {
			mask = "mask"
			k.w.Line("#pragma unroll")
			k.w.Open("for (int mask = %d; mask <= %d; mask *= 2)", 1<<b, 1<<last)
		}
		k.overResults(n, func(r string) {
			slot := at(part, r)
			other := k.shuffle(t, slot, mask)
			if index != "" {
				i := at(index, r)
				k.w.Line("%s(%s, %s, %s, __shfl_xor_sync(0xffffffff, %s, %s));", op.Combine.String(), slot, i, other, i, mask)
			} else {
				k.w.Line("%s = %s;", slot, top(k.combine(op.Combine, t, slot, other)))
			}
		})
		if last > b {
			k.w.Close("")
		}
		b = last
	}
}

// overResults prints body for each register of a result.
func (k *kernel) overResults(n int, body func(r string)) {
	if n == 1 {
		body("0")
		return
	}
	k.w.Line("#pragma unroll")
	k.w.Open("for (int r = 0; r < %d; ++r)", n)
	body("r")
	k.w.Close("")
}

func at(array, index string) string { return fmt.Sprintf("%s[%s]", array, index) }

// join prints the combination of what lanes that hold copies of an element have.
func (k *kernel) join(op *ir.Op) {
	t := op.Dst.Buf.Elem
	l := op.Dst.Buf.Layout
	for b, basis := range l.Bases(layout.Lane) {
		zero := true
		for _, v := range basis {
			zero = zero && v == 0
		}
		if !zero {
			continue
		}
		n := l.Size(layout.Reg)
		k.overResults(n, func(r string) {
			slot := k.register(op.Dst.Buf, r)
			k.w.Line("%s = %s;", slot, top(k.combine(op.Combine, t, slot, k.shuffle(t, slot, fmt.Sprint(1<<b)))))
		})
	}
}

// shuffle spells the value of x in the lane whose number differs in the bits of mask.
func (k *kernel) shuffle(t ir.DType, x, mask string) string {
	switch {
	case t == array.Bool:
		return fmt.Sprintf("(bool)__shfl_xor_sync(0xffffffff, (int)%s, %s)", x, mask)
	case t.IsInt() && t.Bits() < 32:
		return fmt.Sprintf("(%s)__shfl_xor_sync(0xffffffff, (int)%s, %s)", cTypes[t], x, mask)
	}
	return fmt.Sprintf("__shfl_xor_sync(0xffffffff, %s, %s)", x, mask)
}

func reducedBit(basis []int, dom int) bool {
	for d := dom; d < len(basis); d++ {
		if basis[d] != 0 {
			return true
		}
	}
	return false
}

// acrossWarps combines warps through the planned scratch tile.
func (k *kernel) acrossWarps(op *ir.Op, result *layout.Layout, part, index string, n int, t ir.DType) {
	k.useShared(op.Scratch)
	name := k.bufName(op.Scratch)
	bases := op.Layout.Bases(layout.Warp)
	var runs []run
	warps := 1
	for b, basis := range bases {
		if reducedBit(basis, len(op.Dom)) {
			runs = append(runs, run{b, layout.Log2(warps), 1})
			warps *= 2
		}
	}
	mine := bitsOf("warp", 1<<len(bases), merge(runs))
	size := 1
	for _, o := range result.Out {
		size *= o.Size
	}
	flat := func(r string) string {
		e := "0"
		for d, o := range result.Out {
			c := k.coordinate(result, d, r, op.Dom[d].Var.Name)
			if e == "0" {
				e = c
			} else {
				e = fmt.Sprintf("%s * %d + %s", operand(e), o.Size, operand(c))
			}
		}
		return e
	}
	indices := ""
	if index != "" {
		after := (int64(warps*size*t.Bits()/8) + 7) / 8 * 8
		indices = k.topValue("auto", fmt.Sprintf("reinterpret_cast<long long*>(smem + %d)", op.Scratch.Offset+after), op.Scratch.Name+"_at")
	}
	cell := func(w, r string) string {
		return fmt.Sprintf("%s[%s]", name, sum(scaledIndex(w, size), flat(r)))
	}
	// lanes that hold copies write the same value: the first does
	lanes := 0
	for b, basis := range op.Layout.Bases(layout.Lane) {
		domZero := true
		for d := range op.Dom {
			domZero = domZero && basis[d] == 0
		}
		if domZero {
			lanes |= 1 << b
		}
	}
	// and so do warps that do the same work
	copies := 0
	for b, basis := range bases {
		if !slices.ContainsFunc(basis, func(n int) bool { return n != 0 }) {
			copies |= 1 << b
		}
	}
	var firsts []string
	switch {
	case lanes == 31:
		firsts = append(firsts, "lane == 0")
	case lanes != 0:
		firsts = append(firsts, fmt.Sprintf("(lane & %d) == 0", lanes))
	}
	if copies != 0 {
		firsts = append(firsts, fmt.Sprintf("(warp & %d) == 0", copies))
	}
	cond := ""
	if firsts != nil {
		cond = fmt.Sprintf("if (%s) ", strings.Join(firsts, " && "))
	}
	k.overResults(n, func(r string) {
		if index == "" {
			k.w.Line("%s%s = %s;", cond, cell(mine, r), at(part, r))
		} else {
			k.w.Line("%s{ %s = %s; %s[%s] = %s; }", cond, cell(mine, r), at(part, r), indices, sum(scaledIndex(mine, size), flat(r)), at(index, r))
		}
	})
	k.w.Line("__syncthreads();")
	k.overResults(n, func(r string) {
		slot := at(part, r)
		if index == "" {
			k.w.Line("%s = %s;", slot, cell("0", r))
			k.w.Line("#pragma unroll")
			k.w.Line("for (int w = 1; w < %d; ++w) %s = %s;", warps, slot, top(k.combine(op.Combine, t, slot, cell("w", r))))
		} else {
			k.w.Line("#pragma unroll")
			k.w.Line("for (int w = 0; w < %d; ++w) %s(%s, %s, %s, %s[%s]);", warps, op.Combine.String(), slot, at(index, r), cell("w", r), indices, sum(scaledIndex("w", size), flat(r)))
		}
	})
}

func scaledIndex(x string, by int) string {
	if x == "0" || by == 1 {
		return x
	}
	return fmt.Sprintf("%s * %d", operand(x), by)
}

// storeReduced gives the result to Dst.
func (k *kernel) storeReduced(op *ir.Op, result *layout.Layout, part, index string) {
	store := &ir.Op{Code: ir.OpMap, Span: op.Span, Dom: op.Dom, Dst: op.Dst, Layout: result}
	value := func(e string) string {
		if index != "" {
			// all nan leaves no index
			return fmt.Sprintf("(%s)(%s[%s] == 0x7fffffffffffffffll ? 0 : %s[%s])", cTypes[op.Dst.Buf.Elem], index, e, index, e)
		}
		return fmt.Sprintf("%s[%s]", part, e)
	}
	p := k.startPoints(store)
	p.v = 1
	first := ""
	if op.Dst.Buf.Space != ir.Register {
		first = copies(result)
	}
	if first != "" {
		k.w.Open("if (%s)", first)
	}
	p.parts = result.Size(layout.Reg)
	p.open()
	at := p.at("0")
	v := value(p.group)
	old := func() string { return k.load(op.Dst, at) }
	t := op.Dst.Buf.Elem
	if index == "" && op.X[0].Type != t {
		ir.Bugf("reduce of %s into %s", op.X[0].Type, t)
	}
	if op.Accumulate {
		v = k.combine(op.Combine, t, old(), v)
	}
	var line string
	if op.Dst.Buf.Space == ir.Register {
		line = k.setRegister(op.Dst.Buf, p.registerOf(op.Dst, "0"), v)
	} else {
		line = fmt.Sprintf("%s = %s;", k.element(op.Dst, at), v)
	}
	if p.where != nil {
		line = fmt.Sprintf("if (%s) %s", top(k.expr(p.where, at)), line)
	}
	k.w.Line("%s", line)
	p.close()
	if first != "" {
		k.w.Close("")
	}
}

// flatIndex spells the row-major position in the reduced domain.
func (k *kernel) flatIndex(op *ir.Op, at *env) string {
	e := "0"
	for _, it := range op.Red {
		c := at.vars[it.Var]
		if e == "0" {
			e = operand(c)
		} else {
			e = fmt.Sprintf("%s * %s + %s", operand(e), k.expr(it.Extent, at), operand(c))
		}
	}
	return e
}

// combine spells the combination of two values.
func (k *kernel) combine(c ir.Combine, t ir.DType, x, y string) string {
	switch c {
	case ir.Sum, ir.Prod:
		op := map[ir.Combine]string{ir.Sum: "+", ir.Prod: "*"}[c]
		if t == array.I32 || t == array.I64 || t == array.U16 {
			return wrapping(t, op, x, y)
		}
		return k.narrowed(t, fmt.Sprintf("(%s %s %s)", x, op, y))
	case ir.MaxOf, ir.MinOf:
		name := map[ir.Combine]string{ir.MaxOf: "max", ir.MinOf: "min"}[c]
		switch t {
		case array.F32:
			return fmt.Sprintf("f%sf(%s, %s)", name, x, y)
		case array.F64:
			return fmt.Sprintf("f%s(%s, %s)", name, x, y)
		}
		if t == array.Bool {
			op := map[ir.Combine]string{ir.MaxOf: "|", ir.MinOf: "&"}[c]
			return fmt.Sprintf("(bool)(%s %s %s)", x, op, y)
		}
		if t.IsInt() && t.Bits() < 32 {
			return fmt.Sprintf("(%s)%s((int)%s, (int)%s)", cTypes[t], name, x, y)
		}
		return fmt.Sprintf("%s(%s, %s)", name, x, y)
	case ir.AnyOf: // both operands are computed: one may be a shuffle
		return fmt.Sprintf("(bool)(%s | %s)", x, y)
	case ir.AllOf:
		return fmt.Sprintf("(bool)(%s & %s)", x, y)
	case ir.OrOf, ir.AndOf, ir.XorOf:
		op := map[ir.Combine]string{ir.OrOf: "|", ir.AndOf: "&", ir.XorOf: "^"}[c]
		s := fmt.Sprintf("(%s %s %s)", x, op, y)
		if t == array.Bool {
			return "(bool)" + s
		}
		return k.narrowed(t, s)
	}
	ir.Bugf("no CUDA spelling of %s", c)
	return ""
}

// identity spells the value that changes nothing.
func (k *kernel) identity(c ir.Combine, t ir.DType) string {
	v := ir.ZeroOf(t)
	switch c {
	case ir.Prod:
		v = &ir.Expr{Op: ir.Const, Type: t, Int: 1, Float: 1}
	case ir.AllOf:
		v = ir.BoolOf(true)
	case ir.AndOf:
		v = ir.IntOf(t, -1)
		if t == array.Bool {
			v = ir.BoolOf(true)
		}
	case ir.MaxOf, ir.ArgMax:
		v = leastOf(t)
	case ir.MinOf, ir.ArgMin:
		v = greatestOf(t)
	}
	return k.constant(v)
}

func leastOf(t ir.DType) *ir.Expr {
	switch {
	case t.IsFloat():
		return ir.FloatOf(t, math.Inf(-1))
	case t.IsUnsigned() || t == array.Bool:
		return ir.ZeroOf(t)
	}
	return ir.IntOf(t, -1<<(t.Bits()-1))
}

func greatestOf(t ir.DType) *ir.Expr {
	switch {
	case t.IsFloat():
		return ir.FloatOf(t, math.Inf(1))
	case t == array.Bool:
		return ir.BoolOf(true)
	case t.IsUnsigned():
		return ir.IntOf(t, int64(^uint64(0)>>(64-t.Bits())))
	}
	return ir.IntOf(t, 1<<(t.Bits()-1)-1)
}
