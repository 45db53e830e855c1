package ptx

import (
	"tilec/runtime/ptx/lanes"
)

// watch lists the registers and predicates of an instruction that may lack a
// value, by their numbers among the watched, and how a lack passes on.
type watch struct {
	guard  int32
	needed []need
	a      int32 // of the operands and results; none if not watched
	b      int32
	c      int32
	d      int32
	p      int32
	q      int32
	reads  []int32 // all that is read
	writes []int32 // all that is written
	parts  []int32 // elements of a packed register, operands of predicate logic
	pass   passing
	data   int // passMove: how many of the operands are data, the rest saying where to
}

// need is what must have a value: an address, or what is stored or multiplied.
type need struct {
	n    int32
	bits uint64
}

// passing is how undefined bits of operands make bits of the result undefined.
type passing uint8

const (
	passNothing passing = iota // the result comes from memory or other lanes
	passAll                    // one undefined bit spoils all
	passUp                     // it spoils those from its place up: sums
	passBits                   // each bit by itself
	passAnd                    // the same, but a zero decides
	passOr                     // a one decides
	passMove                   // bits move as the instruction moves them
	passChoice                 // selp
	passEqual                  // setp.eq and .ne: defined bits that differ decide
	passLogic                  // of predicates, where one of them may decide
	passPack
	passUnpack
)

// passes tells how an instruction passes undefined bits on.
func (in *instr) passes() (p passing, data int) {
	switch in.class {
	case classMove, classInt, classFloat, classSpecial, classConvert:
	default:
		return passNothing, 0
	}
	switch in.x.(type) {
	case *joinOp:
		return passPack, 0
	case *unpackOp:
		return passUnpack, 0
	case *predOperand:
		return passChoice, 0
	case *predLogic:
		return passLogic, 0
	}
	if in.comparesEqual() {
		return passEqual, 0
	}
	if in.fn == nil || in.p != none {
		return passAll, 0
	}
	switch in.src.ast.Op {
	case "mov", "brev", "call":
		return passMove, 1
	case "shl", "shr", "bfe":
		return passMove, 1
	case "prmt", "shf":
		return passMove, 2
	case "cvt":
		for _, m := range in.src.ast.Mods {
			if t := lanes.ParseType(m); !t.IsInt() {
				return passAll, 0
			}
		}
		return passMove, 1
	case "and":
		return passAnd, 0
	case "or":
		return passOr, 0
	case "xor", "not":
		return passBits, 0
	case "add", "sub":
		if in.class == classInt {
			return passUp, 0
		}
	}
	return passAll, 0
}

// comparesEqual reports setp.eq or .ne of bits.
func (in *instr) comparesEqual() bool {
	src := in.src.ast
	if src.Op != "setp" || len(src.Mods) != 2 || in.q != none || src.Mods[0] != "eq" && src.Mods[0] != "ne" {
		return false
	}
	return lanes.ParseType(src.Mods[1]).IsInt()
}

// comparedBits are the bits of the operands that setp compares.
func (in *instr) comparedBits() uint64 {
	return ^uint64(0) >> (64 - lanes.ParseType(in.src.ast.Mods[1]).Bits())
}

// watchUndefined finds what may be used before it is written, by path analysis,
// and all that is computed from it, and marks the instructions concerned. Most
// programs have none. The results tell which watched ones start without a value,
// and which are 64 bits wide.
func watchUndefined(code []instr, live *liveness, widths []uint8, fixed map[int32]bool) (undefined, wide []bool) {
	number := map[int32]int32{} // of registers, then predicates
	add := func(r int32, start bool) bool {
		if _, ok := number[r]; ok {
			return false
		}
		number[r] = int32(len(undefined))
		undefined = append(undefined, start)
		wide = append(wide, int(r) < len(widths) && widths[r] == 2)
		return true
	}
	if len(live.in) == 0 {
		return nil, nil
	}
	regs := int32(live.regs)
	each(live.in[0], len(live.in[0])*64, func(r int32) {
		if !fixed[r] && r != regs+falsePred {
			add(r, true)
		}
	})
	if len(undefined) == 0 {
		return nil, nil
	}
	for changed := true; changed; {
		changed = false
		for i := range code {
			in := &code[i]
			if p, _ := in.passes(); p == passNothing || !in.touches(regs, number, false) {
				continue
			}
			in.eachUse(regs, func(r int32, write bool) {
				if write && !fixed[r] && r != 0 {
					changed = add(r, false) || changed
				}
			})
		}
	}
	for i := range code {
		if in := &code[i]; in.touches(regs, number, true) {
			in.watch = in.newWatch(regs, number)
		}
	}
	return undefined, wide
}

// eachUse visits registers and, numbered after them, predicates.
func (in *instr) eachUse(regs int32, f func(r int32, write bool)) {
	in.eachReg(func(r *int32, write bool) { f(*r, write) })
	in.eachPred(func(p int32, write bool) { f(regs+p, write) })
}

// touches tells that the instruction reads a watched register or, if asked, writes one.
func (in *instr) touches(regs int32, number map[int32]int32, writes bool) bool {
	found := false
	in.eachUse(regs, func(r int32, write bool) {
		_, ok := number[r]
		found = found || ok && (writes || !write)
	})
	return found
}

// needs lists the registers that must have values, with the bits that count.
func (in *instr) needs() map[int32]uint64 {
	need := map[int32]uint64{}
	stored := func(op *memOp) {
		need[op.addr] = ^uint64(0)
		// What a thread keeps for itself may be padding; it counts as written.
		if op.store && op.space != local {
			for _, r := range op.regs {
				need[r.reg] = ^uint64(0) >> (64 - 8*op.size)
			}
		}
	}
	switch x := in.x.(type) {
	case *memOp:
		stored(x)
	case *atomOp:
		stored(&x.memOp)
	case *matrixOp:
		stored(&x.memOp)
	case *copyOp:
		need[x.dst.addr], need[x.src.addr] = ^uint64(0), ^uint64(0)
	case *wmmaAccess:
		need[x.addr] = ^uint64(0)
	case *mbarOp:
		need[x.addr] = ^uint64(0)
		if x.count != none {
			need[x.count] = ^uint64(0)
		}
	case *bulkOp:
		need[x.shared.addr], need[x.other.addr] = ^uint64(0), ^uint64(0)
	case *wgmmaOp:
		need[x.descB] = ^uint64(0)
		for _, r := range x.a {
			need[r] = ^uint64(0)
		}
	case *mmaOp:
		for _, list := range [][]int32{x.a, x.b, x.c} {
			for _, r := range list {
				need[r] = ^uint64(0)
			}
		}
	}
	return need
}

func (in *instr) newWatch(regs int32, number map[int32]int32) *watch {
	watched := func(r int32) int32 {
		if n, ok := number[r]; ok {
			return n
		}
		return none
	}
	w := &watch{guard: none, p: none, q: none, a: watched(in.a), b: watched(in.b), c: watched(in.c), d: watched(in.d)}
	w.pass, w.data = in.passes()
	if in.guard != none {
		w.guard = watched(regs + in.guard)
	}
	if in.p != none {
		w.p = watched(regs + in.p)
	}
	if in.q != none {
		w.q = watched(regs + in.q)
	}
	var list []int32
	switch x := in.x.(type) {
	case *joinOp:
		list = x.regs
	case *unpackOp:
		list = x.regs
	case *predLogic:
		list = []int32{regs + x.a.id, regs + x.b.id}
	}
	for _, r := range list {
		w.parts = append(w.parts, watched(r))
	}
	needs := in.needs()
	in.eachUse(regs, func(r int32, write bool) {
		n, ok := number[r]
		switch bits, needed := needs[r]; {
		case !ok:
		case write:
			w.writes = append(w.writes, n)
		case needed:
			w.needed = append(w.needed, need{n, bits})
		case in.guard == none || r != regs+in.guard:
			w.reads = append(w.reads, n)
		}
	})
	return w
}

// Each watched register has a mask of undefined bits for every lane, in the layout
// of the register itself; a predicate has all bits of a lane's word or none.
