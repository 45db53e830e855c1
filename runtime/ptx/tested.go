package ptx

import "tilec/runtime/ptx/lanes"

// address is a place in memory as the code gives it: a register's value and an offset.
type address struct {
	reg int32
	off int64
}

// sums are the registers of 64 bits that hold, wherever they are used, another one's value
// and a constant. Registers are still virtual.
type sums map[int32]address

func newSums(code []instr, consts []constant) sums {
	value := map[int32]int64{}
	for _, c := range consts {
		if c.global == nil && c.wide {
			value[c.reg] = int64(c.value)
		}
	}
	writes := map[int32]int{}
	for i := range code {
		code[i].eachReg(func(r *int32, write bool) {
			if write {
				writes[*r]++
			}
		})
	}
	s := sums{}
	for i := range code {
		in := &code[i]
		ast := in.src.ast
		if ast.Op != "add" || len(ast.Mods) != 1 || lanes.ParseType(ast.Mods[0]).Bits() != 64 || in.guard != none || writes[in.d] != 1 {
			continue
		}
		if v, ok := value[in.b]; ok && writes[in.a] == 1 {
			s[in.d] = address{in.a, v}
		}
	}
	return s
}

// origin follows sums to where they begin. Registers that are sums of each other end somewhere.
func (s sums) origin(a address) address {
	for range s {
		from, ok := s[a.reg]
		if !ok {
			break
		}
		a = address{from.reg, a.off + from.off}
	}
	return a
}

// markTested finds plain loads that begin a loop of compare-and-swap: the load of
// the same address. Whatever it gives, a stale value only costs a round, so that
// it is no race.
func markTested(code []instr, consts []constant) {
	type place struct {
		address
		size int
	}
	s := newSums(code, consts)
	swapped := map[place]bool{}
	for i := range code {
		if op, ok := code[i].x.(*atomOp); ok && op.comp != nil {
			swapped[place{s.origin(address{op.addr, op.off}), op.size}] = true
		}
	}
	for i := range code {
		if op, ok := code[i].x.(*memOp); ok && !op.store {
			op.tested = swapped[place{s.origin(address{op.addr, op.off}), op.size}]
		}
	}
}
