package ptx

import (
	"math/bits"
	"slices"
	"strconv"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
	"tilec/runtime/ptx/syntax"
)

// Tensor memory has 128 lanes of 512 columns of 32 bits (PTX ISA, "Tensor Memory").
// An address is the lane from bit 16 up, and the column.
const (
	tmemLanes   = 128
	tmemColumns = 512
)

// tensorMemory is a block's.
type tensorMemory struct {
	words []uint32
	wrote []bool
	// allocated is the number of columns of the allocation that begins at a column.
	allocated map[int]int
	closed    bool // relinquish_alloc_permit
	// busy are what is still writing each column, last what did so last.
	busy, last [tmemColumns]*tcWork
	// touched are the last accesses of each column by the warps' own loads and stores.
	touched [tmemColumns][]tmemTouch
}

// tmemTouch is an access of tensor memory by a warp.
type tmemTouch struct {
	stamp uint32
	in    *instr
}

func (t *tensorMemory) reset() {
	if t.words == nil {
		return
	}
	clear(t.wrote)
	clear(t.allocated)
	t.closed = false
	t.busy, t.last = [tmemColumns]*tcWork{}, [tmemColumns]*tcWork{}
	clear(t.touched[:])
}

// touch notes an access of n columns by a warp, and reports a product of another warp
// that came before it without an order.
func (w *warp) touch(in *instr, m uint32, column, n int, store bool) {
	s := w.cta.shadow
	if s == nil {
		return
	}
	t := &w.cta.tmem
	for i := column; i < column+n; i++ {
		if k := t.last[i]; k != nil && k.done != 0 && k.done > w.clock.acc.Clock[k.row] && k.issuer != w && !w.again(TensorRace, in, k.in.pc) {
			msg := "reads tensor memory that an operation wrote which this warp did not wait for"
			if store {
				msg = "writes tensor memory that an operation used which this warp did not wait for"
			}
			w.reportPair(in, k.in.pc, m, Finding{Kind: TensorRace, Msg: msg})
		}
		if t.touched[i] == nil {
			t.touched[i] = make([]tmemTouch, len(w.cta.warps))
		}
		t.touched[i][w.id] = tmemTouch{w.clock.acc.Now, in}
	}
}

// untouched reports loads and stores of n columns by other warps that nothing orders
// before an operation of the tensor cores.
func (w *warp) untouched(in *instr, lane int, c *cta, column, n int) {
	if w.cta.shadow == nil {
		return
	}
	for i := column; i < column+n; i++ {
		for id, touch := range c.tmem.touched[i] {
			o := c.warps[id]
			if touch.in == nil || o == w || touch.stamp <= w.clock.acc.Clock[o.entry()] || w.again(TensorRace, in, touch.in.pc) {
				continue
			}
			f := Finding{Kind: TensorRace, Msg: "uses tensor memory that another warp accesses, with no order between"}
			f.OtherBlock, f.OtherThread = c.pos, w.cta.run.thread(id*lanes.Width)
			w.reportPair(in, touch.in.pc, 1<<lane, f)
		}
	}
}

func (t *tensorMemory) make() {
	if t.words == nil {
		t.words, t.wrote, t.allocated = make([]uint32, tmemLanes*tmemColumns), make([]bool, tmemLanes*tmemColumns), map[int]int{}
	}
}

// owned tells that n columns from one on are allocated.
func (t *tensorMemory) owned(column, n int) bool {
	for at, size := range t.allocated {
		if column >= at && column+n <= at+size {
			return true
		}
	}
	return false
}

// place finds room for n columns; -1 if there is none.
func (t *tensorMemory) place(n int) int {
	for at := 0; at+n <= tmemColumns; at += n {
		free := true
		for o, size := range t.allocated {
			free = free && (o+size <= at || at+n <= o)
		}
		if free {
			return at
		}
	}
	return -1
}

// tmemAlloc is tcgen05.alloc, dealloc and relinquish_alloc_permit.
type tmemAlloc struct {
	dst     memOp // of alloc
	addr    int32 // register, of dealloc; none
	columns int32 // register; none
}

func (op *tmemAlloc) eachReg(f func(r *int32, write bool)) {
	if op.dst.bytes != 0 {
		f(&op.dst.addr, false)
	}
	if op.addr != none {
		f(&op.addr, false)
	}
	if op.columns != none {
		f(&op.columns, false)
	}
}

func execTmemAlloc(w *warp, in *instr, m uint32) {
	op := in.x.(*tmemAlloc)
	t := w.tensorMemory()
	lane := bits.TrailingZeros32(m)
	if op.columns == none {
		t.closed = true
		return
	}
	n := int(w.regs[op.columns][lane])
	if n < 32 || n > tmemColumns || n&(n-1) != 0 {
		w.reportTmem(in, lane, itoa(n)+" columns of tensor memory: it must be a power of two from 32 to 512")
		return
	}
	if op.addr != none {
		at := int(w.regs[op.addr][lane])
		if t.allocated[at] != n {
			w.reportTmem(in, lane, "there is no allocation of "+itoa(n)+" columns at this address of tensor memory")
			return
		}
		if t.busyIn(at, n) != nil {
			w.reportTmem(in, lane, "frees tensor memory that a product is still writing")
		}
		delete(t.allocated, at)
		return
	}
	if t.closed {
		w.reportTmem(in, lane, "allocates tensor memory after relinquish_alloc_permit")
	}
	at := t.place(n)
	if at < 0 {
		w.report(in, m, Finding{Kind: Deadlock, Msg: "waits for ever: no room for " + itoa(n) + " columns of tensor memory"})
		w.cta.run.stop()
		return
	}
	t.allocated[at] = n
	for c := at; c < at+n; c++ {
		t.busy[c], t.last[c], t.touched[c] = nil, nil, nil
		for l := range tmemLanes {
			t.wrote[l*tmemColumns+c] = false
		}
	}
	c, off, ok := w.window(&op.dst, in, lane, 4, 4)
	if !ok {
		return
	}
	if c.shadow != nil {
		if f, by := c.shadow.mem.Write(w.accessor(in, lane, c), off, 4); f != shadow.None {
			w.sharedFault(&w.access, lane, f, by, c)
		}
	}
	putLE(c.shared[off:off+4], uint64(at))
}

// tensorMemory is the block's, made when first used.
func (w *warp) tensorMemory() *tensorMemory {
	w.cta.tmem.make()
	return &w.cta.tmem
}

func (t *tensorMemory) busyIn(column, n int) *tcWork {
	for _, b := range t.busy[column : column+n] {
		if b != nil {
			return b
		}
	}
	return nil
}

func (w *warp) reportTmem(in *instr, lane int, msg string) {
	if !w.again(TensorMemory, in, none) {
		w.report(in, 1<<lane, Finding{Kind: TensorMemory, Msg: msg})
	}
}

// columns checks that n columns at an address are allocated and in reach of the lanes.
func (w *warp) columns(in *instr, lane int, addr uint32, n int) (column int, ok bool) {
	t := w.tensorMemory()
	column = int(addr & 0xffff)
	if column+n > tmemColumns || !t.owned(column, n) {
		w.reportTmem(in, lane, itoa(n)+" columns of tensor memory at "+itoa(column)+" are not all allocated")
		return 0, false
	}
	return column, true
}

// tmemAccess is tcgen05.ld and st.
type tmemAccess struct {
	regs  []int32
	addr  int32
	off   uint32
	shape string
	split int // of 16x32bx2
	store bool
}

func (op *tmemAccess) eachReg(f func(r *int32, write bool)) {
	f(&op.addr, false)
	for i := range op.regs {
		f(&op.regs[i], !op.store)
	}
}

// shapeRegs are the registers that a shape has for each repetition, and the columns.
var shapeRegs = map[string][2]int{"32x32b": {1, 1}, "16x64b": {1, 2}, "16x128b": {2, 4}, "16x256b": {4, 8}, "16x32bx2": {1, 1}}

// at gives the lane, from that of the address on, and the column of register r of a
// thread (PTX ISA, "Memory Layout" of tcgen05).
func (op *tmemAccess) at(r, thread int) (lane, column int) {
	switch op.shape {
	case "16x64b":
		return thread/4 + thread%2*8, thread/2%2 + 2*r
	case "16x128b":
		return thread/4 + r%2*8, thread%4 + r/2*4
	case "16x256b":
		return thread/4 + r/2%2*8, thread%4*2 + r%2 + r/4*8
	case "16x32bx2":
		return thread % 16, r + thread/16*op.split
	}
	return thread, r
}

func execTmemAccess(w *warp, in *instr, m uint32) {
	op := in.x.(*tmemAccess)
	t := w.tensorMemory()
	addr := w.regs[op.addr][0] + op.off
	for l, a := range w.regs[op.addr] {
		if a+op.off != addr {
			w.reportTmem(in, l, "the lanes give different addresses of tensor memory")
			break
		}
	}
	n := len(op.regs) / shapeRegs[op.shape][0] * shapeRegs[op.shape][1]
	first := int(addr >> 16)
	height := 16
	if op.shape == "32x32b" {
		height = 32
	}
	if first/32 != w.id%4 || first%32+height > 32 {
		w.reportTmem(in, 0, "warp "+itoa(w.id)+" reaches the lanes "+itoa(w.id%4*32)+" to "+itoa(w.id%4*32+31)+" of tensor memory, not "+itoa(height)+" from "+itoa(first)+" on")
		return
	}
	column, ok := w.columns(in, 0, addr, n)
	if ok && op.shape == "16x32bx2" {
		_, ok = w.columns(in, 0, addr+uint32(op.split), n)
	}
	if !ok {
		return
	}
	wide := n
	if op.shape == "16x32bx2" {
		wide = min(op.split+n, tmemColumns-column)
	}
	if b := t.busyIn(column, wide); b != nil && w.cta.run.cfg.Checks&CheckShared != 0 && !w.again(AsyncRead, in, b.in.pc) {
		kind, msg := AsyncRead, "reads tensor memory that an operation may still be writing"
		if op.store {
			kind, msg = AsyncOverwrite, "writes tensor memory that an operation may still be using"
		}
		w.reportPair(in, b.in.pc, m, Finding{Kind: kind, Msg: msg})
	}
	w.touch(in, m, column, wide, op.store)
	for r, reg := range op.regs {
		for l := range lanes.Width {
			lane, col := op.at(r, l)
			i := (first+lane)*tmemColumns + column + col
			if op.store {
				t.words[i], t.wrote[i] = w.regs[reg][l], true
				continue
			}
			if !t.wrote[i] && w.cta.run.cfg.Checks&CheckUnwritten != 0 {
				if !w.again(Unwritten, in, none) {
					w.report(in, 1<<l, Finding{Kind: Unwritten, Msg: "tensor memory, lane " + itoa(first+lane) + ", column " + itoa(column+col)})
				}
			}
			w.regs[reg][l] = t.words[i]
		}
	}
}

// tmemAddress resolves [register+offset], an address of tensor memory.
func (d *decoder) tmemAddress(r *raw, o syntax.Operand) (reg int32, off uint32, err error) {
	if o.Kind != syntax.Addr || len(o.Elems) > 0 || o.Name == "" {
		return 0, 0, d.errorf(o.Pos, "%s needs an address of tensor memory in brackets", r.src.ast.Form())
	}
	off = uint32(o.Offset)
	o.Kind, o.Offset = syntax.Name, 0
	reg, err = d.value(r, o, lanes.B32)
	return reg, off, err
}

func (d *decoder) decodeTmemAccess(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &tmemAccess{store: ast.Mods[0] == "st"}
	repeat := 0
	for _, m := range ast.Mods[1:] {
		switch {
		case m == "sync" || m == "aligned" || m == "b32":
		case shapeRegs[m][0] != 0 && op.shape == "":
			op.shape = m
		case len(m) > 1 && m[0] == 'x' && repeat == 0:
			repeat, _ = strconv.Atoi(m[1:])
		default:
			return in, d.unsupported(r)
		}
	}
	if op.shape == "" || repeat < 1 || repeat > 128 || repeat&(repeat-1) != 0 || repeat*shapeRegs[op.shape][0] > 128 {
		return in, d.unsupported(r)
	}
	n := 2
	if op.shape == "16x32bx2" {
		n = 3
	}
	if err := d.wantArgs(r, n, n); err != nil {
		return in, err
	}
	args := slices.Clone(ast.Args)
	if op.store && n == 3 {
		args[1], args[2] = args[2], args[1]
	}
	addr, data := args[1], args[0]
	if op.store {
		addr, data = data, addr
	}
	if n == 3 {
		o := args[2]
		if o.Kind != syntax.Lit || o.Lit.Kind != syntax.IntLit || o.Lit.Int > tmemColumns {
			return in, d.errorf(o.Pos, "the split of %s must be an immediate", ast.Form())
		}
		op.split = int(o.Lit.Int)
	}
	var err error
	if op.addr, op.off, err = d.tmemAddress(r, addr); err != nil {
		return in, err
	}
	elems := []syntax.Operand{data}
	if data.Kind == syntax.Vector {
		elems = data.Elems
	}
	if len(elems) != repeat*shapeRegs[op.shape][0] {
		return in, d.errorf(data.Pos, "%s with %d registers, wants %d", ast.Form(), len(elems), repeat*shapeRegs[op.shape][0])
	}
	for _, e := range elems {
		reg, err := d.value(r, e, lanes.B32)
		if !op.store {
			reg, err = d.dest(r, e, lanes.B32)
		}
		if err != nil {
			return in, err
		}
		op.regs = append(op.regs, reg)
	}
	in.kind, in.c, in.x, in.exec = opSync, wholeWarp, op, execTmemAccess
	return in, nil
}
