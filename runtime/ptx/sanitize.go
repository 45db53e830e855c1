package ptx

import (
	"math/bits"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
)

// sharedGranule is the logarithm of the smallest access to shared memory in the program.
func (p *program) sharedGranule() uint {
	least := 16
	for i := range p.code {
		var op *memOp
		switch x := p.code[i].x.(type) {
		case *memOp:
			op = x
		case *atomOp:
			op = &x.memOp
		case *matrixOp:
			op = &x.memOp
		case *asyncStore:
			op = &x.memOp
		case *copyOp:
			op = &x.dst
		case *wmmaAccess:
			op = &x.memOp
		case *bulkOp:
			least = min(least, 16)
			continue
		case *mbarOp:
			least = min(least, 8)
			continue
		default:
			continue
		}
		if op.space == shared || op.space == generic {
			least = min(least, op.bytes)
		}
	}
	return uint(bits.TrailingZeros(uint(least)))
}

// check watches an access whose lanes m are in bounds.
func (w *warp) check(x *access, m uint32) {
	switch x.space {
	case shared:
		if w.cta.shadow != nil {
			w.checkShared(x, m)
		}
	case local:
		w.checkLocal(x, m)
	case global, constant_:
		w.checkGlobal(x, m)
	}
}

func (w *warp) checkShared(x *access, m uint32) {
	own := w.cta.shadow
	pc := x.in.pc
	a := &w.clock.acc
	now := a.Now
	strong, o := x.atomic, order(0)
	load, _ := x.in.x.(*memOp)
	switch op := x.in.x.(type) {
	case *memOp:
		strong, o = op.strong || op.tested, op.order
	case *atomOp:
		o = op.order
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		owner := x.owner(w, lane)
		s := owner.shadow
		off := int(x.addr[lane]) - sharedBase
		a.By = shadow.Of(w.id*lanes.Width+lane, pc, strong)
		if owner != w.cta {
			a.By = shadow.OfRemote(w.entry(), pc, strong)
		}
		if x.store && owner.mbars.touches(off, x.bytes) {
			w.report(x.in, 1<<lane, x.misuse(lane, "writes an mbarrier that is in use"))
		}
		if strong {
			w.flagged(x, lane, o, !x.store || x.atomic, x.store)
			now = a.Now
			// Whoever acquires what the last fence released through this word comes
			// after this access too.
			if t := w.clock.fence[w.entry()]; t > own.start {
				a.Now = t
			}
		}
		var f shadow.Fault
		var by shadow.By
		switch {
		case x.async:
			f, by = s.mem.Launch(a, off, x.bytes)
		case x.atomic:
			f, by = s.mem.Read(a, off, x.bytes)
			if f2, by2 := s.mem.Write(a, off, x.bytes); f == shadow.None {
				f, by = f2, by2
			}
		case x.store:
			if f, by = s.mem.Write(a, off, x.bytes); f == shadow.WriteAfterWrite && w.rewrites(x, lane) {
				f = shadow.None
			}
		case load != nil && load.bytes == x.bytes:
			load.read(func(at, n int) bool {
				if f, by = s.mem.Read(a, off+at, n); f == shadow.Unwritten && s.packed(load, off) {
					f = shadow.None
				}
				return f == shadow.None
			})
		default:
			f, by = s.mem.Read(a, off, x.bytes)
		}
		a.Now = now
		if f != shadow.None {
			w.sharedFault(x, lane, f, by, owner)
		}
	}
}

// rewrites tells that a store by a lane leaves what is there already. Programs let several
// warps or blocks store a value that they have in common, and that does no harm in any order.
func (w *warp) rewrites(x *access, lane int) bool {
	op, ok := x.in.x.(*memOp)
	if !ok {
		return false
	}
	for k, r := range op.regs {
		if getLE(x.mem[lane][k*op.size:(k+1)*op.size]) != w.elem(r, lane)&(^uint64(0)>>(64-8*op.size)) {
			return false
		}
	}
	return true
}

// packed reports a vector load of which every register that is used has a byte that
// was written: compilers put several small elements into one, and pick those that
// the program asks for.
func (s *sharedShadow) packed(op *memOp, off int) bool {
	if len(op.regs) < 2 {
		return false
	}
	for at := op.unusedHead; at < op.bytes-op.unusedTail; at += op.size {
		if op.wants(at) && !s.mem.Wrote(off+at, op.size) {
			return false
		}
	}
	return true
}

// sharedFault reports what the shadow found.
func (w *warp) sharedFault(x *access, lane int, fault shadow.Fault, by shadow.By, owner *cta) {
	kind := SharedRace
	switch fault {
	case shadow.Unwritten:
		if w.cta.run.cfg.Checks&CheckUnwritten == 0 {
			return
		}
		kind = Unwritten
	case shadow.InFlightRead:
		kind = AsyncRead
	case shadow.InFlightWrite, shadow.Busy:
		kind = AsyncOverwrite
	case shadow.NoProxyFence:
		kind = ProxyFence
	}
	other := int32(none)
	if by != 0 {
		other = by.Instr()
	}
	if w.again(kind, x.in, other) {
		return
	}
	f := x.finding(kind, lane)
	switch fault {
	case shadow.ReadAfterWrite:
		f.Msg = "reads what another warp wrote, with no barrier between"
	case shadow.WriteAfterRead:
		f.Msg = "writes what another warp reads, with no barrier between"
	case shadow.WriteAfterWrite:
		f.Msg = "writes what another warp wrote, with no barrier between"
	case shadow.Busy:
		f.Msg = "writes what an asynchronous operation may still be reading"
	case shadow.InFlightRead:
		f.Msg = "reads what an asynchronous copy may not have brought"
	case shadow.InFlightWrite:
		f.Msg = "writes where an asynchronous copy may not have landed"
	case shadow.NoProxyFence:
		f.Msg = "the async proxy reads what ordinary stores wrote, with no fence.proxy.async between"
	}
	if by != 0 {
		f.OtherBlock, f.OtherThread = owner.whoIs(by)
	}
	w.reportPair(x.in, other, 1<<lane, f)
}

// land marks the bytes of a copy as written, now.
func (s *sharedShadow) land(w *warp, c *asyncCopy) {
	a := &w.clock.acc
	a.By = shadow.Of(w.id*lanes.Width+int(c.lane), c.in.pc, false)
	s.mem.Land(a, int(c.dst)-sharedBase, int(c.bytes))
}

// sameLaneStores finds lanes of one store that give one address different values.
func (w *warp) sameLaneStores(x *access, op *memOp, m uint32) {
	last, ordered := uint64(0), true
	for b := m; b != 0; b &= b - 1 {
		a := x.addr[bits.TrailingZeros32(b)] + 1
		if a <= last {
			ordered = false
			break
		}
		last = a
	}
	if ordered {
		return
	}
	for b := m; b != 0; b &= b - 1 {
		i := bits.TrailingZeros32(b)
		for c := b & (b - 1); c != 0; c &= c - 1 {
			j := bits.TrailingZeros32(c)
			if x.addr[i] != x.addr[j] {
				continue
			}
			for _, r := range op.regs {
				if w.elem(r, i) != w.elem(r, j) {
					f := x.finding(SharedRace, i)
					if x.space == global {
						f.Kind = GlobalRace
					}
					f.Msg = "lanes of one warp store different values to one address"
					f.Mask = 1<<i | 1<<j
					w.report(x.in, 1<<i, f)
					return
				}
			}
		}
	}
}

// checkLocal finds reads of local memory that was never written.
func (w *warp) checkLocal(x *access, m uint32) {
	if w.wrote == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if x.store {
			w.wroteLocal(lane, x.addr[lane], x.bytes)
			continue
		}
		at := lane*w.cta.run.prog.local + int(x.addr[lane])
		op, _ := x.in.x.(*memOp)
		for k, ok := range w.wrote[at : at+x.bytes] {
			if !ok && (op == nil || op.wants(k)) {
				w.report(x.in, 1<<lane, x.finding(Unwritten, lane))
				break
			}
		}
	}
}

// wroteLocal marks local bytes as written.
func (w *warp) wroteLocal(lane int, off uint64, n int) {
	if w.wrote == nil {
		return
	}
	at := lane*w.cta.run.prog.local + int(off)
	for i := range n {
		w.wrote[at+i] = true
	}
}
