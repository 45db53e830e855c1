package ptx

import (
	"encoding/binary"
	"math"
	"slices"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

func f32bits(x float64) uint32 { return math.Float32bits(float32(x)) }
func f64bits(x float64) uint64 { return math.Float64bits(x) }

// memOp is an access to memory: bytes at an address, from or to registers.
type memOp struct {
	space  space
	store  bool
	size   int // of an element, bytes
	bytes  int // of the access by one thread
	signed bool
	stale  bool // may be served by a cache that isn't coherent: .nc
	strong bool // volatile or with a memory order: seen by other blocks at once
	tested bool // a compare-and-swap checks the value loaded: see markTested
	order  order
	regs   []memReg
	// bytes at the ends of a vector load that nothing uses
	unusedHead, unusedTail int
	used                   uint32 // the bytes that a pragma says are used; 0: all
	addr                   int32
	wide                   bool // the address register is 64 bits
	off                    int64
}

// memReg is the register of one element.
type memReg struct {
	reg  int32
	bits int // of the register as declared
}

// order is the memory order of an operation.
type order uint8

const (
	acquires order = 1 << iota
	releases
)

func (op *memOp) eachReg(f func(r *int32, write bool)) {
	f(&op.addr, false)
	for i := range op.regs {
		f(&op.regs[i].reg, !op.store)
	}
}

// accessMods are the modifiers of an access.
type accessMods struct {
	space  space
	strong bool
	order  order
	vec    int
	typ    lanes.Type
	policy bool // a cache policy operand follows
}

// isHint tells modifiers that only advise the caches.
func isHint(m string) bool {
	switch m {
	case "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate",
		"L2::64B", "L2::128B", "L2::256B", "L2::evict_normal", "L2::evict_first", "L2::evict_last", "weak", "unified":
		return true
	}
	return false
}

// accessModifiers reads the modifiers common to ld, st, atom and red; those it
// doesn't know are returned.
func accessModifiers(list []string) (m accessMods, rest []string) {
	m.vec = 1
	for _, s := range list {
		sp, isSpace := parseSpace(s)
		switch {
		case isSpace:
			m.space = sp
		case isHint(s):
		case s == "L2::cache_hint":
			m.policy = true
		case s == "volatile" || s == "relaxed" || s == "mmio":
			m.strong = true
		case s == "acquire":
			m.strong, m.order = true, m.order|acquires
		case s == "release":
			m.strong, m.order = true, m.order|releases
		case s == "acq_rel":
			m.strong, m.order = true, acquires|releases
		case s == "cta" || s == "cluster" || s == "gpu" || s == "sys":
		case s == "v2":
			m.vec = 2
		case s == "v4":
			m.vec = 4
		case s == "v8":
			m.vec = 8
		case m.typ == lanes.NoType && lanes.ParseType(s) != lanes.NoType:
			m.typ = lanes.ParseType(s)
		default:
			rest = append(rest, s)
		}
	}
	return m, rest
}

// decodeAccess decodes ld and st.
func decodeAccess(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if ast.Op == "st" && len(ast.Mods) > 0 && ast.Mods[0] == "async" {
		return d.decodeAsyncStore(r, in)
	}
	m, rest := accessModifiers(ast.Mods)
	if len(rest) > 0 || m.typ == lanes.NoType || m.typ == lanes.Pred {
		return in, d.unsupported(r)
	}
	hi := 2
	if m.policy {
		hi = 3
	}
	if err := d.wantArgs(r, hi, hi); err != nil {
		return in, err
	}
	op := &memOp{space: m.space, store: ast.Op == "st", size: m.typ.Bytes(), signed: m.typ.IsSigned(), strong: m.strong, order: m.order, used: ast.Used}
	op.stale = slices.Contains(ast.Mods, "nc")
	if ast.Op == "ldu" {
		op.space = global
	}
	addr, data := ast.Args[1], ast.Args[0]
	if op.store {
		addr, data = data, addr
	}
	if err := d.memAddress(r, op, addr); err != nil {
		return in, err
	}
	if m.typ == lanes.B128 && m.vec == 1 {
		return d.decodeWideAccess(r, in, op, data)
	}
	elems := []syntax.Operand{data}
	if data.Kind == syntax.Vector {
		elems = data.Elems
	}
	if len(elems) != m.vec || op.size*m.vec > 32 || m.typ.Bits() > 64 {
		return in, d.unsupported(r)
	}
	op.bytes = op.size * m.vec
	for _, e := range elems {
		reg, err := d.memRegister(r, e, m.typ, op.store)
		if err != nil {
			return in, err
		}
		op.regs = append(op.regs, reg)
	}
	in.finishAccess(op)
	return in, nil
}

func (in *instr) finishAccess(op *memOp) {
	in.x, in.class, in.exec = op, accessClass(op), execLoad
	if op.store {
		in.exec = execStore
	}
}

func accessClass(op *memOp) class {
	switch {
	case op.space == local:
		return classLocal
	case op.space == paramSpace || op.space == constant_:
		return classParam
	case op.space == shared && op.store:
		return classSharedStore
	case op.space == shared:
		return classSharedLoad
	case op.store:
		return classGlobalStore
	}
	return classGlobalLoad
}

// memRegister resolves an element's register, which may be wider than the element.
func (d *decoder) memRegister(r *raw, o syntax.Operand, t lanes.Type, store bool) (memReg, error) {
	if o.Kind == syntax.Discard && !store {
		return memReg{d.newReg(t), t.Bits()}, nil
	}
	if o.Kind == syntax.Name {
		if b := d.lookup(r.scope, o.Name); b != nil && b.sym == nil && b.typ != lanes.Pred && o.Offset == 0 {
			if b.typ.Bits() < t.Bits() {
				return memReg{}, d.errorf(o.Pos, "%s is a .%s register, %s needs %d bits", o.Name, b.typ, r.src.ast.Form(), t.Bits())
			}
			return memReg{b.id, b.typ.Bits()}, nil
		}
	}
	if !store {
		return memReg{}, d.errorf(o.Pos, "destination of %s is not a register", r.src.ast.Form())
	}
	reg, err := d.value(r, o, t)
	return memReg{reg, max(t.Bits(), 32*t.Slots())}, err
}

// memAddress resolves [base+offset].
func (d *decoder) memAddress(r *raw, op *memOp, o syntax.Operand) error {
	if o.Kind != syntax.Addr || len(o.Elems) > 0 {
		return d.errorf(o.Pos, "%s needs an address in brackets", r.src.ast.Form())
	}
	op.wide = true
	if o.Name == "" {
		op.addr = d.constReg(uint64(o.Offset), true)
		return nil
	}
	b := d.lookup(r.scope, o.Name)
	switch {
	case b == nil:
		return d.errorf(o.Pos, "%s is not declared", o.Name)
	case b.sym != nil:
		sp := b.sym.space
		if op.space == generic || op.space == paramSpace && sp == local {
			op.space = sp
		}
		if op.space != sp {
			return d.errorf(o.Pos, "%s accesses %s, which is in the %s space", r.src.ast.Form(), o.Name, sp)
		}
		op.addr = d.address(b.sym, o.Offset, true)
		return nil
	case b.typ.Bits() == 32:
		op.wide = false
	case b.typ.Bits() != 64:
		return d.errorf(o.Pos, "%s is not an address", o.Name)
	}
	op.addr, op.off = b.id, o.Offset
	return nil
}

func execLoad(w *warp, in *instr, m uint32) {
	op := in.x.(*memOp)
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, op.space, op.bytes, false
	w.addresses(op.addr, op.wide, op.off, &x.addr)
	ok := w.resolve(x, m)
	if bad := m &^ ok; bad != 0 {
		w.zeroRegs(op, bad)
	}
	if (op.strong || op.tested) && x.space == global {
		w.loadStrong(op, x, ok)
		if op.strong {
			w.acquired(x, op.order, ok)
		}
		return
	}
	for k, r := range op.regs {
		at := k * op.size
		switch {
		case op.size == 4 && r.bits == 32:
			d := &w.regs[r.reg]
			for i := range d {
				if ok>>i&1 != 0 {
					d[i] = binary.LittleEndian.Uint32(x.mem[i][at:])
				}
			}
		case op.size == 8:
			d := lanes.Wide(&w.regs[r.reg])
			for i := range d {
				if ok>>i&1 != 0 {
					d[i] = binary.LittleEndian.Uint64(x.mem[i][at:])
				}
			}
		default:
			for i := range lanes.Width {
				if ok>>i&1 != 0 {
					w.putElem(op, r, i, getLE(x.mem[i][at:at+op.size]))
				}
			}
		}
	}
}

// putElem writes a loaded element, extended to its register.
func (w *warp) putElem(op *memOp, r memReg, lane int, v uint64) {
	if op.signed {
		sh := 64 - 8*op.size
		v = uint64(int64(v<<sh)>>sh) & (^uint64(0) >> (64 - r.bits))
	}
	if r.bits == 64 {
		lanes.Wide(&w.regs[r.reg])[lane] = v
	} else {
		w.regs[r.reg][lane] = uint32(v)
	}
}

// zeroRegs gives lanes whose load failed a value.
func (w *warp) zeroRegs(op *memOp, m uint32) {
	for _, r := range op.regs {
		for i := range lanes.Width {
			if m>>i&1 != 0 {
				w.putElem(op, r, i, 0)
			}
		}
	}
}

// loadStrong reads whole elements at once, for other blocks may be writing them.
func (w *warp) loadStrong(op *memOp, x *access, m uint32) {
	w.polls++
	for k, r := range op.regs {
		for i := range lanes.Width {
			if m>>i&1 == 0 {
				continue
			}
			w.putElem(op, r, i, w.cta.run.load(x.mem[i][k*op.size:(k+1)*op.size]))
		}
	}
}

func execStore(w *warp, in *instr, m uint32) {
	op := in.x.(*memOp)
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, op.space, op.bytes, true
	w.addresses(op.addr, op.wide, op.off, &x.addr)
	m = w.resolve(x, m)
	strong := op.strong && x.space == global
	if w.cta.shadow != nil && (x.space == shared || x.space == global) {
		w.sameLaneStores(x, op, m)
	}
	for k, r := range op.regs {
		at := k * op.size
		switch {
		case strong:
			w.storeStrong(op, r, x, at, m)
		case op.size == 4 && r.bits == 32:
			s := &w.regs[r.reg]
			for i := range s {
				if m>>i&1 != 0 {
					binary.LittleEndian.PutUint32(x.mem[i][at:], s[i])
				}
			}
		default:
			for i := range lanes.Width {
				if m>>i&1 != 0 {
					putLE(x.mem[i][at:at+op.size], w.elem(r, i))
				}
			}
		}
	}
}

// elem reads the register of an element.
func (w *warp) elem(r memReg, lane int) uint64 {
	if r.bits == 64 {
		return lanes.Wide(&w.regs[r.reg])[lane]
	}
	return uint64(w.regs[r.reg][lane])
}

func (w *warp) storeStrong(op *memOp, r memReg, x *access, at int, m uint32) {
	for i := range lanes.Width {
		if m>>i&1 == 0 {
			continue
		}
		w.cta.run.store(x.mem[i][at:at+op.size], w.elem(r, i))
	}
}
