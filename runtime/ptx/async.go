package ptx

import (
	"math/bits"
	"slices"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// asyncState is a warp's asynchronous copies. Its lanes commit and wait together
// or apart; groups are kept for each lane set by counting commits.
type asyncState struct {
	pending []asyncCopy // in the order of issue
	commits [lanes.Width]int
	issued  int              // copies so far
	awaited [lanes.Width]int // copies of the lane before this one land for an mbarrier
}

// asyncCopy is the copy of one lane by one cp.async, yet to land.
type asyncCopy struct {
	in     *instr
	lane   uint8
	bytes  uint8
	dst    uint32 // shared address
	group  int    // commits of the lane before it
	number int    // copies of the warp before it
	data   [16]byte
}

func (s *asyncState) reset() {
	s.pending = s.pending[:0]
	s.commits = [lanes.Width]int{}
	s.issued = 0
	s.awaited = [lanes.Width]int{}
}

// drain lands what is left when the warp ends, but for what an mbarrier brings to
// others: that lands when they wait for it.
func (s *asyncState) drain(w *warp) {
	kept := s.pending[:0]
	for k := range s.pending {
		c := &s.pending[k]
		if c.number < s.awaited[c.lane] {
			kept = append(kept, *c)
			continue
		}
		w.land(c)
	}
	s.pending = kept
}

// copyOp is cp.async.
type copyOp struct {
	dst, src memOp
	size     int32 // register of the bytes to read, or none
	ignore   pred  // read nothing where true
}

func (op *copyOp) eachReg(f func(r *int32, write bool)) {
	op.dst.eachReg(f)
	op.src.eachReg(f)
	if op.size != none {
		f(&op.size, false)
	}
}

func (op *copyOp) eachPred(f func(p pred)) { f(op.ignore) }

// decodeCopy decodes cp.async and the forms that commit and wait.
func decodeCopy(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	in.class = classAsync
	if len(ast.Mods) > 2 && ast.Mods[0] == "reduce" && ast.Mods[1] == "async" && ast.Mods[2] == "bulk" {
		return d.decodeBulk(r, in, ast.Mods[3:], true)
	}
	if len(ast.Mods) == 0 || ast.Mods[0] != "async" {
		return in, d.unsupported(r)
	}
	mods := slices.Clone(ast.Mods[1:])
	switch {
	case len(mods) > 0 && mods[0] == "bulk":
		return d.decodeBulk(r, in, mods[1:], false)
	case len(mods) > 1 && mods[0] == "mbarrier" && mods[1] == "arrive":
		return d.decodeCopyArrive(r, in, mods[2:])
	case len(mods) == 1 && mods[0] == "commit_group":
		in.exec = execCommit
		return in, d.wantArgs(r, 0, 0)
	case len(mods) == 1 && mods[0] == "wait_all":
		in.exec, in.x = execWait, &waitOp{all: true}
		return in, d.wantArgs(r, 0, 0)
	case len(mods) == 1 && mods[0] == "wait_group":
		if err := d.wantArgs(r, 1, 1); err != nil {
			return in, err
		}
		n := ast.Args[0]
		if n.Kind != syntax.Lit || n.Lit.Kind != syntax.IntLit || n.Lit.Int > 1<<30 {
			return in, d.errorf(n.Pos, "the count of cp.async.wait_group must be an immediate")
		}
		in.exec, in.x = execWait, &waitOp{keep: int(n.Lit.Int)}
		return in, nil
	}
	return d.decodeAsync(r, in, mods)
}

func (d *decoder) decodeAsync(r *raw, in instr, mods []string) (instr, error) {
	ast := r.src.ast
	op := &copyOp{size: none, ignore: pred{id: falsePred}}
	op.dst.space, op.src.space = shared, global
	var cache string
	var spaces []string
	policy := false
	for _, m := range mods {
		switch {
		case m == "ca" || m == "cg":
			cache = m
		case m == "shared" || m == "shared::cta" || m == "global":
			spaces = append(spaces, m)
		case m == "L2::cache_hint":
			policy = true
		case m == "L2::64B" || m == "L2::128B" || m == "L2::256B":
		default:
			return in, d.unsupported(r)
		}
	}
	if cache == "" || len(spaces) != 2 || spaces[0] == "global" || spaces[1] != "global" {
		return in, d.unsupported(r)
	}
	args := ast.Args
	if policy && len(args) > 0 {
		args = args[:len(args)-1]
	}
	if len(args) < 3 || len(args) > 4 {
		return in, d.errorf(ast.Pos, "%s with %d operands", ast.Form(), len(ast.Args))
	}
	n := args[2]
	if n.Kind != syntax.Lit || n.Lit.Int != 16 && (cache == "cg" || n.Lit.Int != 4 && n.Lit.Int != 8) {
		return in, d.errorf(n.Pos, "cp.async.%s can't copy this number of bytes", cache)
	}
	op.dst.bytes, op.src.bytes = int(n.Lit.Int), int(n.Lit.Int)
	if err := d.memAddress(r, &op.dst, args[0]); err != nil {
		return in, err
	}
	if err := d.memAddress(r, &op.src, args[1]); err != nil {
		return in, err
	}
	if len(args) == 4 {
		var err error
		if b := d.lookup(r.scope, args[3].Name); b != nil && b.typ == lanes.Pred {
			op.ignore, err = d.predicate(r, args[3])
		} else {
			op.size, err = d.value(r, args[3], lanes.U32)
		}
		if err != nil {
			return in, err
		}
	}
	in.x, in.exec = op, execCopy
	return in, nil
}

func execCopy(w *warp, in *instr, m uint32) {
	op := in.x.(*copyOp)
	n := op.dst.bytes
	late := w.cta.shadow != nil
	// What is read: the size operand's bytes, the rest being zero.
	read := [lanes.Width]int{}
	whole, part := uint32(0), uint32(0)
	ignore := w.predOf(op.ignore)
	for i := range lanes.Width {
		read[i] = n
		if op.size != none {
			read[i] = int(min(w.regs[op.size][i], uint32(n)))
		}
		switch {
		case m>>i&1 == 0:
		case ignore>>i&1 != 0:
			read[i] = 0
		case read[i] == n:
			whole |= 1 << i
		case read[i] > 0:
			part |= 1 << i
		}
	}
	src := &w.access
	src.in, src.space, src.bytes, src.store = in, global, n, false
	w.addresses(op.src.addr, op.src.wide, op.src.off, &src.addr)
	ok := w.resolve(src, whole)
	var data [lanes.Width][16]byte
	for b := ok; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b)
		copy(data[i][:], src.mem[i])
	}
	for b := part; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b)
		w.readPart(src, i, read[i], data[i][:])
	}
	dst := &w.access
	dst.in, dst.space, dst.bytes, dst.store, dst.async = in, shared, n, true, late
	w.addresses(op.dst.addr, op.dst.wide, op.dst.off, &dst.addr)
	ok = w.resolve(dst, m)
	dst.async = false
	for b := ok; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b)
		if !late {
			copy(dst.mem[i], data[i][:n])
			continue
		}
		for k := range dst.mem[i] {
			dst.mem[i][k] = poison
		}
		w.async.pending = append(w.async.pending, asyncCopy{
			in: in, lane: uint8(i), bytes: uint8(n), dst: uint32(dst.addr[i]), group: w.async.commits[i], number: w.async.issued, data: data[i],
		})
		w.async.issued++
	}
}

// readPart reads the first n bytes of a source whose rest is filled with zeros. The
// address must still be aligned to the whole.
func (w *warp) readPart(x *access, lane, n int, to []byte) {
	a := x.addr[lane]
	if a&uint64(x.bytes-1) != 0 {
		w.misaligned(x, lane)
		return
	}
	al := w.cta.run.space.find(a, uint64(n))
	if al == nil {
		f := x.finding(OutOfBounds, lane)
		f.Bytes = n
		f.Msg = w.cta.run.space.near(a, uint64(n))
		w.report(x.in, 1<<lane, f)
		return
	}
	off := a - al.base
	copy(to, al.data[off:off+uint64(n)])
	w.checkGlobalRead(x, lane, al, off, n)
}

func execCommit(w *warp, _ *instr, m uint32) {
	for i := range lanes.Width {
		if m>>i&1 != 0 {
			w.async.commits[i]++
		}
	}
}

// waitOp is cp.async.wait_group and wait_all.
type waitOp struct {
	keep int // newest groups that may stay in flight
	all  bool
}

func execWait(w *warp, in *instr, m uint32) {
	op := in.x.(*waitOp)
	kept := w.async.pending[:0]
	for k := range w.async.pending {
		c := &w.async.pending[k]
		due := op.all || c.group < w.async.commits[c.lane]-op.keep
		if m>>c.lane&1 != 0 && due {
			w.land(c)
		} else {
			kept = append(kept, *c)
		}
	}
	w.async.pending = kept
}

// land makes a copy's bytes visible.
func (w *warp) land(c *asyncCopy) {
	at := c.dst - sharedBase
	copy(w.cta.shared[at:at+uint32(c.bytes)], c.data[:c.bytes])
	if w.cta.shadow != nil {
		w.cta.shadow.land(w, c)
	}
}
