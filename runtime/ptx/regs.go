package ptx

import (
	"unsafe"

	"tilec/runtime/ptx/lanes"
)

func viewRegs(pairs []lanes.V64, n int) []lanes.V32 {
	return unsafe.Slice((*lanes.V32)(unsafe.Pointer(&pairs[0])), n)
}

// operands is implemented by what instructions carry in x and names registers.
type operands interface {
	eachReg(f func(r *int32, write bool))
}

// eachReg visits the registers of an instruction.
func (in *instr) eachReg(f func(r *int32, write bool)) {
	f(&in.a, false)
	f(&in.b, false)
	if in.c != wholeWarp {
		f(&in.c, false)
	}
	if x, ok := in.x.(operands); ok {
		x.eachReg(f)
	}
	f(&in.d, true)
}

// finish gives every virtual register that the program uses a place in the
// register file and fixes the sizes of its memories.
func (d *decoder) finish() {
	p := d.prog
	place := make([]int32, len(d.widths))
	for i := range place {
		place[i] = none
	}
	next := int32(0)
	put := func(r *int32, _ bool) {
		if place[*r] == none {
			n := int32(d.widths[*r])
			if n > 1 {
				next = (next + 1) &^ 1
			}
			place[*r] = next
			next += n
		}
		*r = place[*r]
	}
	zero := int32(0)
	put(&zero, false) // register 0 stays at place 0
	for i := range p.code {
		p.code[i].eachReg(put)
	}
	var consts []constant
	for _, c := range d.consts {
		if place[c.reg] != none {
			c.reg = place[c.reg]
			consts = append(consts, c)
		}
	}
	var special []specialReg
	for _, s := range p.special {
		if place[s.reg] != none {
			s.reg = place[s.reg]
			special = append(special, s)
		}
	}
	p.consts, p.special = consts, special
	p.regs, p.preds = int(next)+1, d.preds
	p.local = roundUp(d.localTop, 16)
	p.globals = d.globals
}
