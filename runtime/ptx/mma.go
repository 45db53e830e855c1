package ptx

import (
	"slices"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
	"tilec/runtime/ptx/tensor"
)

// mmaOp is mma.sync with its registers.
type mmaOp struct {
	form       *tensor.MMA
	d, a, b, c []int32
	// Where the values of A and B are kept, and whether an earlier instruction has
	// put them there. No place: noPlace.
	placeA, placeB int
	haveA, haveB   bool
	// scales are the factors of A and of B, if the form has them.
	scales []scaleOp
}

// scaleOp is an operand of factors: registers of the factors and of the selectors.
type scaleOp struct{ factors, byteID, threadID int32 }

func (op *mmaOp) eachReg(f func(r *int32, write bool)) {
	for _, list := range [][]int32{op.a, op.b, op.c} {
		for i := range list {
			f(&list[i], false)
		}
	}
	for i := range op.scales {
		s := &op.scales[i]
		f(&s.factors, false)
		f(&s.byteID, false)
		f(&s.threadID, false)
	}
	for i := range op.d {
		f(&op.d[i], true)
	}
}

func decodeMMA(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	form, err := tensor.ParseMMA(ast.Mods)
	if err != nil {
		return in, d.errorf(ast.Pos, "%v", err)
	}
	n := 4
	if form.Scale != nil {
		n = 8
	}
	if err := d.wantArgs(r, n, n); err != nil {
		return in, err
	}
	op := &mmaOp{form: form, placeA: noPlace, placeB: noPlace}
	for i := 4; i < n; i += 2 {
		s, err := d.scaleOperand(r, ast.Args[i], ast.Args[i+1])
		if err != nil {
			return in, err
		}
		op.scales = append(op.scales, s)
	}
	na, nb, nc := form.Regs()
	t := lanes.B32
	if form.Wide() {
		t = lanes.B64
	}
	for i, o := range []struct {
		list  *[]int32
		n     int
		write bool
	}{{&op.d, form.RegsD(), true}, {&op.a, na, false}, {&op.b, nb, false}, {&op.c, nc, false}} {
		arg := ast.Args[i]
		elems := []syntax.Operand{arg}
		if arg.Kind == syntax.Vector {
			elems = arg.Elems
		}
		if len(elems) != o.n {
			return in, d.errorf(arg.Pos, "%s with a fragment of %d registers, wants %d", ast.Form(), len(elems), o.n)
		}
		for _, e := range elems {
			reg, err := d.value(r, e, t)
			if o.write {
				reg, err = d.dest(r, e, t)
			}
			if err != nil {
				return in, err
			}
			*o.list = append(*o.list, reg)
		}
	}
	in.kind, in.c, in.class, in.x, in.exec = opSync, wholeWarp, classTensor, op, execMMA
	return in, nil
}

func (d *decoder) scaleOperand(r *raw, factors, selector syntax.Operand) (s scaleOp, err error) {
	if factors.Kind == syntax.Vector && len(factors.Elems) == 1 {
		factors = factors.Elems[0]
	}
	if selector.Kind != syntax.Vector || len(selector.Elems) != 2 {
		return s, d.errorf(selector.Pos, "%s needs {byte, thread} after its factors", r.src.ast.Form())
	}
	if s.factors, err = d.value(r, factors, lanes.B32); err != nil {
		return s, err
	}
	if s.byteID, err = d.value(r, selector.Elems[0], lanes.U16); err != nil {
		return s, err
	}
	s.threadID, err = d.value(r, selector.Elems[1], lanes.U16)
	return s, err
}

// selector reads which bytes of which threads an operand's factors are.
func (w *warp) selector(in *instr, form *tensor.MMA, s scaleOp, threads uint32) tensor.Selector {
	b, t := w.regs[s.byteID][0], w.regs[s.threadID][0]
	if n := uint32(form.Scale.Stretches); b%n != 0 || b+n > 4 || t >= threads {
		w.report(in, fullMask, Finding{Kind: Trap, Msg: "the selectors of the factors are not among those that the form has"})
		return tensor.Selector{}
	}
	return tensor.Selector{Byte: int(b), Thread: int(t)}
}

func execMMA(w *warp, in *instr, _ uint32) {
	op := in.x.(*mmaOp)
	var d, a, b, c [16]*lanes.V32
	w.pointers(&d, op.d)
	w.pointers(&c, op.c)
	if op.scales != nil {
		w.pointers(&a, op.a)
		w.pointers(&b, op.b)
		sa, sb := op.scales[0], op.scales[1]
		op.form.RunScaled(d[:len(op.d)], a[:len(op.a)], b[:len(op.b)], c[:len(op.c)], &w.regs[sa.factors], &w.regs[sb.factors],
			w.selector(in, op.form, sa, 2), w.selector(in, op.form, sb, 4))
		return
	}
	if op.placeA == noPlace {
		w.pointers(&a, op.a)
		w.pointers(&b, op.b)
		op.form.Run(d[:len(op.d)], a[:len(op.a)], b[:len(op.b)], c[:len(op.c)])
		return
	}
	ma := w.fragments[op.placeA : op.placeA+op.form.SizeA()]
	if !op.haveA {
		w.pointers(&a, op.a)
		op.form.LoadA(ma, a[:len(op.a)])
	}
	mb := w.fragments[op.placeB : op.placeB+op.form.SizeB()]
	if !op.haveB {
		w.pointers(&b, op.b)
		op.form.LoadB(mb, b[:len(op.b)])
	}
	op.form.Multiply(d[:len(op.d)], ma, mb, c[:len(op.c)])
}

func (w *warp) pointers(to *[16]*lanes.V32, regs []int32) {
	for i, r := range regs {
		to[i] = &w.regs[r]
	}
}

// Fragments are multiplied several times while they stay in their registers, so the
// values read from them are kept: in places of a warp's own, as many of each
// operand as below.
const (
	noPlace    = -1
	keptPlaces = 16
)

// kept is an operand whose values are in a place.
type kept struct {
	form *tensor.MMA
	regs []int32
}

// keeper hands out the places of one operand, the oldest first.
type keeper struct {
	held [keptPlaces]kept
	next int
}

// find returns the place of the operand, and whether its values are there already.
func (k *keeper) find(form *tensor.MMA, regs []int32, same func(a, b *tensor.MMA) bool) (int, bool) {
	for i, h := range k.held {
		if h.form != nil && same(h.form, form) && slices.Equal(h.regs, regs) {
			return i, true
		}
	}
	i := k.next
	k.next = (i + 1) % keptPlaces
	k.held[i] = kept{form, regs}
	return i, false
}

// drop forgets operands that a write to the register changes.
func (k *keeper) drop(r int32) {
	for i := range k.held {
		if slices.Contains(k.held[i].regs, r) {
			k.held[i] = kept{}
		}
	}
}

// keepFragments finds the mma whose operands were read by an earlier one and not
// written since, within stretches of code that a warp runs from top to bottom, and
// returns the numbers that a warp must hold.
func keepFragments(code []instr) int {
	leader := leaders(code)
	var a, b keeper
	sizeA, sizeB := 0, 0
	for i := range code {
		if op, ok := code[i].x.(*mmaOp); ok && op.form.Numeric() {
			sizeA, sizeB = max(sizeA, op.form.SizeA()), max(sizeB, op.form.SizeB())
		}
	}
	for i := range code {
		in := &code[i]
		if leader[i] {
			a, b = keeper{}, keeper{}
		}
		if op, ok := in.x.(*mmaOp); ok && op.form.Numeric() && in.guard == none {
			n := 0
			n, op.haveA = a.find(op.form, op.a, func(x, y *tensor.MMA) bool { return x.A == y.A && x.M == y.M && x.K == y.K })
			op.placeA = n * sizeA
			n, op.haveB = b.find(op.form, op.b, func(x, y *tensor.MMA) bool { return x.B == y.B && x.K == y.K })
			op.placeB = keptPlaces*sizeA + n*sizeB
		}
		in.eachReg(func(r *int32, write bool) {
			if write && *r != 0 {
				a.drop(*r)
				b.drop(*r)
			}
		})
	}
	return keptPlaces * (sizeA + sizeB)
}
