package ptx

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// atomOp is atom and red: a memory access with the function that makes the new value.
type atomOp struct {
	memOp
	old   []memReg // where the old values go; none for red
	comp  []memReg // for cas: the value to store, regs being what is compared
	f     func(old, b, c uint64) uint64
	flush func(old, b, c uint64) uint64 // f on global memory, where it differs
}

func (op *atomOp) eachReg(visit func(r *int32, write bool)) {
	visit(&op.addr, false)
	for i := range op.regs {
		visit(&op.regs[i].reg, false)
	}
	for i := range op.comp {
		visit(&op.comp[i].reg, false)
	}
	for i := range op.old {
		visit(&op.old[i].reg, true)
	}
}

func decodeAtomic(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if ast.Op == "red" && len(ast.Mods) > 0 && ast.Mods[0] == "async" {
		return d.decodeAsyncStore(r, in)
	}
	m, rest := accessModifiers(ast.Mods)
	noftz := false
	name := ""
	for _, s := range rest {
		switch {
		case s == "noftz":
			noftz = true
		case name == "":
			name = s
		default:
			return in, d.unsupported(r)
		}
	}
	op := &atomOp{memOp: memOp{space: m.space, store: true, size: m.typ.Bytes(), strong: true, order: m.order}}
	op.f, op.flush = atomicFunc(name, m.typ, noftz)
	if op.f == nil || name == "cas" && m.vec != 1 {
		return in, d.unsupported(r)
	}
	op.bytes = op.size * m.vec
	args := ast.Args
	if m.policy && len(args) > 0 {
		args = args[:len(args)-1]
	}
	n := 2
	if name == "cas" {
		n = 3
	}
	if ast.Op == "atom" {
		n++
	}
	if len(args) != n {
		return in, d.errorf(ast.Pos, "%s with %d operands", ast.Form(), len(args))
	}
	if ast.Op == "atom" {
		if op.old, err = d.memRegisters(r, args[0], m, false); err != nil {
			return in, err
		}
		args = args[1:]
	}
	if err := d.memAddress(r, &op.memOp, args[0]); err != nil {
		return in, err
	}
	if op.regs, err = d.memRegisters(r, args[1], m, true); err != nil {
		return in, err
	}
	if name == "cas" {
		if op.comp, err = d.memRegisters(r, args[2], m, true); err != nil {
			return in, err
		}
	}
	in.x, in.class, in.exec = op, classAtomic, execAtomic
	return in, nil
}

// memRegisters resolves a register or a vector of them.
func (d *decoder) memRegisters(r *raw, o syntax.Operand, m accessMods, store bool) ([]memReg, error) {
	elems := []syntax.Operand{o}
	if o.Kind == syntax.Vector {
		elems = o.Elems
	}
	if len(elems) != m.vec {
		return nil, d.unsupported(r)
	}
	var list []memReg
	for _, e := range elems {
		reg, err := d.memRegister(r, e, m.typ, store)
		if err != nil {
			return nil, err
		}
		list = append(list, reg)
	}
	return list, nil
}

// atomicFunc returns the function of an atomic operation, and the one that global
// memory uses instead: addition of f32 flushes subnormals there (PTX ISA, "atom").
func atomicFunc(name string, t lanes.Type, noftz bool) (f, flush func(old, b, c uint64) uint64) {
	word := t.Bits() == 32 || t.Bits() == 64
	signed := t == lanes.S32 || t == lanes.S64
	half := t == lanes.F16 || t == lanes.BF16 || t == lanes.F16x2 || t == lanes.BF16x2
	if noftz != (half && (name == "add" || name == "min" || name == "max")) {
		return nil, nil
	}
	sign := func(x uint64) int64 {
		if t == lanes.S32 {
			return int64(int32(x))
		}
		return int64(x)
	}
	switch name {
	case "add":
		switch {
		case t == lanes.F32:
			return addF32, func(old, b, c uint64) uint64 { return flush32(addF32(flush32(old), flush32(b), c)) }
		case t == lanes.F64:
			return func(old, b, _ uint64) uint64 {
				return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(b))
			}, nil
		case half:
			return halfFunc("add", t), nil
		case t == lanes.U32 || t == lanes.S32 || t == lanes.U64 || t == lanes.S64:
			return func(old, b, _ uint64) uint64 { return old + b }, nil
		}
	case "min", "max":
		switch {
		case half:
			return halfFunc(name, t), nil
		case signed && name == "min":
			return func(old, b, _ uint64) uint64 { return uint64(min(sign(old), sign(b))) }, nil
		case signed:
			return func(old, b, _ uint64) uint64 { return uint64(max(sign(old), sign(b))) }, nil
		case t != lanes.U32 && t != lanes.U64:
		case name == "min":
			return func(old, b, _ uint64) uint64 { return min(old, b) }, nil
		default:
			return func(old, b, _ uint64) uint64 { return max(old, b) }, nil
		}
	case "and":
		if word && t.IsInt() {
			return func(old, b, _ uint64) uint64 { return old & b }, nil
		}
	case "or":
		if word && t.IsInt() {
			return func(old, b, _ uint64) uint64 { return old | b }, nil
		}
	case "xor":
		if word && t.IsInt() {
			return func(old, b, _ uint64) uint64 { return old ^ b }, nil
		}
	case "exch":
		if word && t.IsInt() {
			return func(_, b, _ uint64) uint64 { return b }, nil
		}
	case "cas":
		if (word || t.Bits() == 16) && t.IsInt() {
			return func(old, b, c uint64) uint64 {
				if old == b {
					return c
				}
				return old
			}, nil
		}
	case "inc":
		if t == lanes.U32 {
			return func(old, b, _ uint64) uint64 {
				if old >= b {
					return 0
				}
				return old + 1
			}, nil
		}
	case "dec":
		if t == lanes.U32 {
			return func(old, b, _ uint64) uint64 {
				if old == 0 || old > b {
					return b
				}
				return old - 1
			}, nil
		}
	}
	return nil, nil
}

func addF32(old, b, _ uint64) uint64 {
	s := math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(b))
	if s != s {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(s))
}

func flush32(b uint64) uint64 {
	if b&0x7f800000 == 0 {
		return b & 0x80000000
	}
	return b
}

// halfFunc is add, min or max of one or two 16-bit floats, rounded to nearest.
func halfFunc(name string, t lanes.Type) func(old, b, c uint64) uint64 {
	format := fp.F16()
	if t == lanes.BF16 || t == lanes.BF16x2 {
		format = fp.BF16()
	}
	one := func(x, y uint32) uint32 {
		a, b := format.ToFloat64(x), format.ToFloat64(y)
		switch {
		case name == "add":
			return format.FromFloat64(fp.AddOdd(a, b), fp.RN, false)
		case a != a:
			return y
		case b != b:
			return x
		case (name == "min") == (a < b || a == b && math.Signbit(a)):
			return x
		}
		return y
	}
	if t.Bits() == 16 {
		return func(old, b, _ uint64) uint64 { return uint64(one(uint32(old), uint32(b))) }
	}
	return func(old, b, _ uint64) uint64 {
		return uint64(one(uint32(old&0xffff), uint32(b&0xffff)) | one(uint32(old>>16), uint32(b>>16))<<16)
	}
}

func execAtomic(w *warp, in *instr, m uint32) {
	op := in.x.(*atomOp)
	x := &w.access
	x.in, x.space, x.bytes, x.store, x.atomic = in, op.space, op.bytes, true, true
	w.addresses(op.addr, op.wide, op.off, &x.addr)
	ok := w.resolve(x, m)
	x.atomic = false
	if bad := m &^ ok; bad != 0 {
		w.zeroRegs(&memOp{regs: op.old}, bad)
	}
	if op.old != nil && x.space == global {
		w.polls++
	}
	f := op.f
	if op.flush != nil && x.space == global {
		f = op.flush
	}
	for m = ok; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		for k, r := range op.regs {
			b, c := w.elem(r, i), uint64(0)
			if op.comp != nil {
				c = w.elem(op.comp[k], i)
			}
			p := x.mem[i][k*op.size : (k+1)*op.size]
			var old uint64
			if x.space == global {
				old = w.cta.run.exchange(p, func(old uint64) uint64 { return f(old, b, c) })
			} else {
				old = getLE(p)
				putLE(p, f(old, b, c))
			}
			if op.old != nil {
				w.putElem(&memOp{size: op.size}, op.old[k], i, old)
			}
		}
	}
	if x.space == global {
		w.acquired(x, op.order, ok)
	}
}

// load reads a value of global memory in one step.
func (l *launch) load(p []byte) uint64 {
	switch len(p) {
	case 4:
		return uint64(atomic.LoadUint32((*uint32)(unsafe.Pointer(&p[0]))))
	case 8:
		return atomic.LoadUint64((*uint64)(unsafe.Pointer(&p[0])))
	}
	// The host has no atomic access this narrow.
	l.narrow.Lock()
	defer l.narrow.Unlock()
	return getLE(p)
}

// store writes a value of global memory in one step.
func (l *launch) store(p []byte, v uint64) {
	switch len(p) {
	case 4:
		atomic.StoreUint32((*uint32)(unsafe.Pointer(&p[0])), uint32(v))
	case 8:
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&p[0])), v)
	default:
		l.narrow.Lock()
		defer l.narrow.Unlock()
		putLE(p, v)
	}
}

// exchange replaces a value of global memory in one step and returns the old one.
func (l *launch) exchange(p []byte, f func(uint64) uint64) uint64 {
	switch len(p) {
	case 4:
		word := (*uint32)(unsafe.Pointer(&p[0]))
		for {
			old := atomic.LoadUint32(word)
			if atomic.CompareAndSwapUint32(word, old, uint32(f(uint64(old)))) {
				return uint64(old)
			}
		}
	case 8:
		word := (*uint64)(unsafe.Pointer(&p[0]))
		for {
			old := atomic.LoadUint64(word)
			if atomic.CompareAndSwapUint64(word, old, f(old)) {
				return old
			}
		}
	}
	l.narrow.Lock()
	defer l.narrow.Unlock()
	old := getLE(p)
	putLE(p, f(old))
	return old
}
