package ptx

import (
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// decodeMove decodes mov: of registers, constants, addresses, predicates and
// clocks, and the packing of vectors.
func decodeMove(d *decoder, r *raw) (instr, error) {
	ast := r.src.ast
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	in.class = classMove
	dst, src := ast.Args[0], ast.Args[1]
	if len(ast.Mods) != 1 {
		return in, d.unsupported(r)
	}
	t := lanes.ParseType(ast.Mods[0])
	if t == lanes.Pred {
		if in.p, err = d.destPred(r, dst); err != nil {
			return in, err
		}
		if k, ok := specials[src.Name]; ok && src.Name == "%is_explicit_cluster" {
			in.a, in.exec = d.specialReg(k, false), execSpecialPred
			return in, nil
		}
		x := &predLogic{op: "mov"}
		x.a, err = d.predicate(r, src)
		in.x, in.exec = x, execPredLogic
		return in, err
	}
	if t == lanes.B128 {
		return d.decodeWideMove(r, in)
	}
	if dst.Kind == syntax.Vector || src.Kind == syntax.Vector {
		return d.decodePack(r, in, t)
	}
	if ct, ok := timers[src.Name]; ok {
		if in.d, err = d.dest(r, dst, ct); err != nil {
			return in, err
		}
		in.wide, in.exec, in.x = ct == lanes.U64, execClock, src.Name
		return in, nil
	}
	return decodeALU(d, r)
}

// execSpecialPred moves a special register that is a predicate.
func execSpecialPred(w *warp, in *instr, m uint32) {
	v := uint32(0)
	for i, x := range w.regs[in.a] {
		v |= min(x, 1) << i
	}
	w.setPred(in.p, v, m)
}

// packOp is a move between a register and a vector of narrower ones.
type packOp struct {
	regs []int32 // elements, low bits first; 0 for a discarded one
	bits int     // of an element
	wide bool    // the single register is 64 bits
}

func (p *packOp) eachReg(f func(r *int32, write bool), write bool) {
	for i := range p.regs {
		f(&p.regs[i], write)
	}
}

func (d *decoder) decodePack(r *raw, in instr, t lanes.Type) (instr, error) {
	dst, src := r.src.ast.Args[0], r.src.ast.Args[1]
	vec, unpack := src, false
	if dst.Kind == syntax.Vector {
		vec, unpack = dst, true
	}
	n := len(vec.Elems)
	if t.Bits() > 64 || t.Bits() < 16 || n < 2 || t.Bits()%n != 0 || t.Bits()/n < 8 || dst.Kind == src.Kind {
		return in, d.unsupported(r)
	}
	p := &packOp{bits: t.Bits() / n, wide: t.Bits() == 64}
	et := map[int]lanes.Type{8: lanes.B8, 16: lanes.B16, 32: lanes.B32}[p.bits]
	var err error
	for _, e := range vec.Elems {
		var reg int32
		switch {
		case unpack && e.Kind == syntax.Discard:
		case unpack:
			reg, err = d.dest(r, e, et)
		default:
			reg, err = d.value(r, e, et)
		}
		if err != nil {
			return in, err
		}
		p.regs = append(p.regs, reg)
	}
	if unpack {
		in.a, err = d.value(r, src, t)
		in.x, in.exec = &unpackOp{*p}, execUnpack
		return in, err
	}
	in.d, err = d.dest(r, dst, t)
	in.x, in.exec, in.wide = &joinOp{*p}, execPack, p.wide
	return in, err
}

type unpackOp struct{ packOp }

func (u *unpackOp) eachReg(f func(r *int32, write bool)) { u.packOp.eachReg(f, true) }

type joinOp struct{ packOp }

func (j *joinOp) eachReg(f func(r *int32, write bool)) { j.packOp.eachReg(f, false) }

func execUnpack(w *warp, in *instr, m uint32) {
	p := in.x.(*unpackOp)
	mask := uint64(1)<<p.bits - 1
	var src lanes.V64
	if p.wide {
		src = *lanes.Wide(&w.regs[in.a])
	} else {
		for i, x := range w.regs[in.a] {
			src[i] = uint64(x)
		}
	}
	for k, reg := range p.regs {
		if reg == 0 {
			continue
		}
		d := &w.regs[reg]
		for i := range d {
			if m>>i&1 == 0 {
				continue
			}
			d[i] = uint32(src[i] >> (k * p.bits) & mask)
		}
	}
}

func execPack(w *warp, in *instr, m uint32) {
	p := in.x.(*joinOp)
	mask := uint64(1)<<p.bits - 1
	for i := range lanes.Width {
		if m>>i&1 == 0 {
			continue
		}
		v := uint64(0)
		for k, reg := range p.regs {
			v |= uint64(w.regs[reg][i]) & mask << (k * p.bits)
		}
		if p.wide {
			lanes.Wide(&w.regs[in.d])[i] = v
		} else {
			w.regs[in.d][i] = uint32(v)
		}
	}
}

// execClock gives the number of instructions that the block's warps have started:
// the machine has no other time.
func execClock(w *warp, in *instr, m uint32) {
	t := w.cta.clock
	if name := in.x.(string); name == "%clock_hi" || name == "%globaltimer_hi" {
		t >>= 32
	}
	for i := range lanes.Width {
		if m>>i&1 == 0 {
			continue
		}
		if in.wide {
			lanes.Wide(&w.regs[in.d])[i] = t
		} else {
			w.regs[in.d][i] = uint32(t)
		}
	}
}
