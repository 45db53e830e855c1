package ptx

import (
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

const fullMask = ^uint32(0)

// blend copies the active lanes.
func blend(d, s *lanes.V32, m uint32) {
	for i := range d {
		if m>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}

func blendWide(d, s *lanes.V64, m uint32) {
	for i := range d {
		if m>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}

// execALU runs a function of lanes and keeps the results of active ones.
func execALU(w *warp, in *instr, m uint32) {
	d, a, b, c := &w.regs[in.d], &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]
	if m == fullMask {
		in.fn(d, a, b, c)
		return
	}
	t := w.scratch()
	in.fn(t, a, b, c)
	if in.wide {
		blendWide(lanes.Wide(d), lanes.Wide(t), m)
	} else {
		blend(d, t, m)
	}
}

// setPred writes the active lanes of a predicate.
func (w *warp) setPred(id int32, v, m uint32) {
	if id != none {
		w.preds[id] = w.preds[id]&^m | v&m
	}
}

// predOf reads a predicate operand.
func (w *warp) predOf(p pred) uint32 {
	v := w.preds[p.id]
	if p.neg {
		v = ^v
	}
	return v
}

// testOp is setp: the relation and what its result is combined with.
type testOp struct {
	test, high lanes.Test
	combine    string
	with       pred
}

func (t *testOp) eachPred(f func(p pred)) { f(t.with) }

func execTest(w *warp, in *instr, m uint32) {
	t := in.x.(*testOp)
	a, b, c := &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]
	v := t.test(a, b, c)
	if t.high != nil {
		w.setPred(in.p, t.combined(w, v), m)
		w.setPred(in.q, t.combined(w, t.high(a, b, c)), m)
		return
	}
	// The second predicate is the combination with the complement.
	with := w.predOf(t.with)
	p, q := v, ^v
	switch t.combine {
	case "and":
		p, q = p&with, q&with
	case "or":
		p, q = p|with, q|with
	case "xor":
		p, q = p^with, q^with
	}
	w.setPred(in.p, p, m)
	w.setPred(in.q, q, m)
}

func (t *testOp) combined(w *warp, v uint32) uint32 {
	switch t.combine {
	case "and":
		return v & w.predOf(t.with)
	case "or":
		return v | w.predOf(t.with)
	case "xor":
		return v ^ w.predOf(t.with)
	}
	return v
}

// decodeALU decodes what package lanes computes.
func decodeALU(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	op, err := lanes.Lookup(ast.Op, ast.Mods)
	if (ast.Op == "min" || ast.Op == "max") && len(ast.Args) == 4 {
		op, err = lanes.Lookup3(ast.Op, ast.Mods)
	}
	if err != nil {
		return in, d.errorf(ast.Pos, "%v", err)
	}
	in.class = aluClass(ast.Op, op)
	if op.Test != nil {
		return d.decodeTest(r, in, op)
	}
	if err := d.wantArgs(r, 1+len(op.Args), 1+len(op.Args)); err != nil {
		return in, err
	}
	switch ast.Op {
	case "lop3":
		table := ast.Args[4]
		if table.Kind != syntax.Lit || table.Lit.Kind != syntax.IntLit || table.Lit.Int > 255 {
			return in, d.errorf(table.Pos, "the table of lop3 must be an immediate of 8 bits")
		}
		op.Fn = lanes.Lop3(uint8(table.Lit.Int))
		op.Args = op.Args[:3]
	case "bfi":
		return d.decodeInsert(r, in, op)
	case "selp":
		return d.decodeSelect(r, in, op)
	}
	if in.d, err = d.dest(r, ast.Args[0], op.Res); err != nil {
		return in, err
	}
	in.wide = op.Res.Slots() == 2
	regs := [3]*int32{&in.a, &in.b, &in.c}
	for i, t := range op.Args {
		if *regs[i], err = d.source32(r, ast, i+1, t, &op); err != nil {
			return in, err
		}
	}
	if ast.Op == "cvt" {
		d.extendSigned(r, ast.Args[0], &op)
	}
	in.fn, in.exec = op.Fn, execALU
	if op.Carry != nil {
		in.exec, in.x = execCarry, op.Carry
	}
	return in, nil
}

// extendSigned has a conversion to a signed type below 32 bits fill a wider register
// with its sign (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
func (d *decoder) extendSigned(r *raw, o syntax.Operand, op *lanes.Op) {
	if o.Kind != syntax.Name || !op.Res.IsInt() || !op.Res.IsSigned() || op.Res.Slots() != 1 {
		return
	}
	b := d.lookup(r.scope, o.Name)
	n := op.Res.Bits()
	if b == nil || b.typ.Bits() <= n {
		return
	}
	inner, up, mask := op.Fn, 32-n, ^uint32(0)>>(32-b.typ.Bits())
	op.Fn = func(dst, a, b, c *lanes.V32) {
		inner(dst, a, b, c)
		for i, x := range dst {
			dst[i] = uint32(int32(x<<up)>>up) & mask
		}
	}
}

// source32 resolves operand i. A conversion may name a register wider than its
// type, of which it reads the low bits.
func (d *decoder) source32(r *raw, ast *syntax.Instr, i int, t lanes.Type, op *lanes.Op) (int32, error) {
	o := ast.Args[i]
	if ast.Op == "cvt" && o.Kind == syntax.Name && t.Slots() == 1 {
		if b := d.lookup(r.scope, o.Name); b != nil && b.sym == nil && b.typ.Slots() == 2 {
			inner := op.Fn
			op.Fn = func(dst, a, b, c *lanes.V32) {
				var low lanes.V32
				for k, x := range lanes.Wide(a) {
					low[k] = uint32(x)
				}
				inner(dst, &low, b, c)
			}
			return b.id, nil
		}
	}
	return d.value(r, o, t)
}

func execCarry(w *warp, in *instr, m uint32) {
	f := in.x.(lanes.CarryFn)
	t := w.scratch()
	cc := f(t, &w.regs[in.a], &w.regs[in.b], &w.regs[in.c], w.carry)
	w.carry = w.carry&^m | cc&m
	if in.wide {
		blendWide(lanes.Wide(&w.regs[in.d]), lanes.Wide(t), m)
	} else {
		blend(&w.regs[in.d], t, m)
	}
}

// decodeTest decodes setp and testp.
func (d *decoder) decodeTest(r *raw, in instr, op lanes.Op) (instr, error) {
	args := r.src.ast.Args
	n := 1 + len(op.Args)
	if op.Bool != "" {
		n++
	}
	if err := d.wantArgs(r, n, n); err != nil {
		return in, err
	}
	var err error
	if in.p, err = d.destPred(r, args[0]); err != nil {
		return in, err
	}
	if args[0].Pair != "" {
		if in.q, err = d.predName(r, args[0].Pair, args[0]); err != nil {
			return in, err
		}
	}
	regs := [2]*int32{&in.a, &in.b}
	for i, t := range op.Args {
		if *regs[i], err = d.value(r, args[i+1], t); err != nil {
			return in, err
		}
	}
	t := &testOp{test: op.Test, high: op.High, combine: op.Bool}
	if op.Bool != "" {
		if t.with, err = d.predicate(r, args[n-1]); err != nil {
			return in, err
		}
	}
	in.exec, in.x = execTest, t
	return in, nil
}

// decodeInsert decodes bfi, which has four operands: position and length are
// bound when they are immediates, as they nearly always are.
func (d *decoder) decodeInsert(r *raw, in instr, op lanes.Op) (instr, error) {
	args := r.src.ast.Args
	var err error
	if in.d, err = d.dest(r, args[0], op.Res); err != nil {
		return in, err
	}
	regs := [3]*int32{&in.a, &in.b, &in.c}
	for i := range regs {
		if *regs[i], err = d.value(r, args[i+1], op.Args[i]); err != nil {
			return in, err
		}
	}
	x := &extraReg{}
	if x.reg, err = d.value(r, args[4], lanes.U32); err != nil {
		return in, err
	}
	in.wide, in.x, in.exec = op.Res.Slots() == 2, x, execInsert
	return in, nil
}

// extraReg is a fourth operand.
type extraReg struct{ reg int32 }

func (x *extraReg) eachReg(f func(r *int32, write bool)) { f(&x.reg, false) }

func execInsert(w *warp, in *instr, m uint32) {
	pos, n := &w.regs[in.c], &w.regs[in.x.(*extraReg).reg]
	d, a, b := &w.regs[in.d], &w.regs[in.a], &w.regs[in.b]
	for i := range lanes.Width {
		if m>>i&1 == 0 {
			continue
		}
		if in.wide {
			lanes.Wide(d)[i] = lanes.Insert64(lanes.Wide(a)[i], lanes.Wide(b)[i], pos[i], n[i])
		} else {
			d[i] = lanes.Insert32(a[i], b[i], pos[i], n[i])
		}
	}
}

// decodeSelect decodes selp.
func (d *decoder) decodeSelect(r *raw, in instr, op lanes.Op) (instr, error) {
	args := r.src.ast.Args
	var err error
	if in.d, err = d.dest(r, args[0], op.Res); err != nil {
		return in, err
	}
	if in.a, err = d.value(r, args[1], op.Res); err != nil {
		return in, err
	}
	if in.b, err = d.value(r, args[2], op.Res); err != nil {
		return in, err
	}
	p, err := d.predicate(r, args[3])
	in.wide, in.x, in.exec = op.Res.Slots() == 2, &predOperand{p}, execSelect
	return in, err
}

// predOperand is a predicate that an instruction reads.
type predOperand struct{ p pred }

func (x *predOperand) eachPred(f func(p pred)) { f(x.p) }

func execSelect(w *warp, in *instr, m uint32) {
	p := w.predOf(in.x.(*predOperand).p)
	if in.wide {
		d, a, b := lanes.Wide(&w.regs[in.d]), lanes.Wide(&w.regs[in.a]), lanes.Wide(&w.regs[in.b])
		blendWide(d, a, m&p)
		blendWide(d, b, m&^p)
		return
	}
	d, a, b := &w.regs[in.d], &w.regs[in.a], &w.regs[in.b]
	if m == fullMask {
		for i := range d {
			x := b[i]
			if p>>i&1 != 0 {
				x = a[i]
			}
			d[i] = x
		}
		return
	}
	blend(d, a, m&p)
	blend(d, b, m&^p)
}

// decodeLogic decodes and, or, xor, not on predicates and bits.
func decodeLogic(d *decoder, r *raw) (instr, error) {
	ast := r.src.ast
	if len(ast.Mods) != 1 || ast.Mods[0] != "pred" {
		return decodeALU(d, r)
	}
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	n := 3
	if ast.Op == "not" {
		n = 2
	}
	if err := d.wantArgs(r, n, n); err != nil {
		return in, err
	}
	if in.p, err = d.destPred(r, ast.Args[0]); err != nil {
		return in, err
	}
	x := &predLogic{op: ast.Op}
	if x.a, err = d.predicate(r, ast.Args[1]); err != nil {
		return in, err
	}
	if n == 3 {
		if x.b, err = d.predicate(r, ast.Args[2]); err != nil {
			return in, err
		}
	}
	in.x, in.exec, in.class = x, execPredLogic, classInt
	return in, nil
}

type predLogic struct {
	op   string
	a, b pred
}

func (x *predLogic) eachPred(f func(p pred)) { f(x.a); f(x.b) }

func execPredLogic(w *warp, in *instr, m uint32) {
	x := in.x.(*predLogic)
	v := w.predOf(x.a)
	switch x.op {
	case "and":
		v &= w.predOf(x.b)
	case "or":
		v |= w.predOf(x.b)
	case "xor":
		v ^= w.predOf(x.b)
	case "not":
		v = ^v
	}
	w.setPred(in.p, v, m)
}
