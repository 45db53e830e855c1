package ptx

import "tilec/runtime/ptx/lanes"

// addresses computes each lane's address; one of 32 bits wraps.
func (w *warp) addresses(reg int32, wide bool, off int64, to *[lanes.Width]uint64) {
	if wide {
		for i, a := range lanes.Wide(&w.regs[reg]) {
			to[i] = a + uint64(off)
		}
		return
	}
	for i, a := range &w.regs[reg] {
		to[i] = uint64(a + uint32(off))
	}
}

// access is a warp's access while it runs: the bytes of each lane that may proceed.
type access struct {
	in     *instr
	space  space
	bytes  int
	store  bool
	atomic bool                // read and written in one step
	async  bool                // the bytes arrive later
	addr   [lanes.Width]uint64 // in the space
	mem    [lanes.Width][]byte // nil: inactive or faulty
	alloc  [lanes.Width]*allocation
	remote uint32            // lanes whose address is in another block of the cluster
	owners [lanes.Width]*cta // of those
}

// Addresses of shared memory in a cluster have the rank of the block, plus one, from
// this bit up; without it they are the block's own.
const rankShift = 24

// owner is the block whose shared memory the lane accesses.
func (x *access) owner(w *warp, lane int) *cta {
	if x.remote>>lane&1 != 0 {
		return x.owners[lane]
	}
	return w.cta
}

// blockOf splits an address of shared memory into the block and the address in it; nil
// if there is no such block.
func (c *cta) blockOf(a uint64) (*cta, uint64) {
	rank := a >> rankShift
	switch {
	case rank == 0:
		return c, a
	case rank > uint64(len(c.cluster.ctas)):
		return nil, a
	}
	return c.cluster.ctas[rank-1], a & (1<<rankShift - 1)
}

// resolve finds the memory of each active lane, reports lanes that may not have
// it, and returns the mask of those that do.
func (w *warp) resolve(x *access, m uint32) uint32 {
	if x.space == generic {
		return w.resolveGeneric(x, m)
	}
	ok := uint32(0)
	n := uint64(x.bytes)
	switch x.space {
	case global, constant_:
		hint := w.hint
		for i := range lanes.Width {
			if m>>i&1 == 0 {
				continue
			}
			a := x.addr[i]
			off := a - hint.base
			if off >= hint.size || hint.size-off < n {
				if hint = w.cta.run.space.find(a, n); hint == nil {
					w.outOfBounds(x, i)
					hint = w.hint
					continue
				}
				w.hint = hint
				off = a - hint.base
			}
			if a&(n-1) != 0 {
				w.misaligned(x, i)
				continue
			}
			if x.store && (hint.readOnly || hint.constant) {
				w.readOnly(x, i, hint)
				continue
			}
			x.mem[i], x.alloc[i] = hint.data[off:off+n:off+n], hint
			ok |= 1 << i
		}
	case shared:
		x.remote = 0
		for i := range lanes.Width {
			if m>>i&1 == 0 {
				continue
			}
			mem := w.cta.shared
			if x.addr[i]>>rankShift != 0 {
				owner, at := w.cta.blockOf(x.addr[i])
				if owner == nil {
					w.outOfBounds(x, i)
					continue
				}
				if x.addr[i] = at; owner != w.cta {
					x.remote |= 1 << i
					x.owners[i] = owner
					mem = owner.shared
				}
			}
			a := x.addr[i] - sharedBase
			if a >= uint64(len(mem)) || uint64(len(mem))-a < n {
				w.outOfBounds(x, i)
				continue
			}
			if a&(n-1) != 0 {
				w.misaligned(x, i)
				continue
			}
			x.mem[i] = mem[a : a+n : a+n]
			ok |= 1 << i
		}
	case local:
		frame := uint64(w.cta.run.prog.local)
		for i := range lanes.Width {
			if m>>i&1 == 0 {
				continue
			}
			a := x.addr[i]
			if a >= frame || frame-a < n {
				w.outOfBounds(x, i)
				continue
			}
			if a&(n-1) != 0 {
				w.misaligned(x, i)
				continue
			}
			at := uint64(i)*frame + a
			x.mem[i] = w.local[at : at+n : at+n]
			ok |= 1 << i
		}
	case paramSpace:
		mem := w.cta.run.params
		for i := range lanes.Width {
			if m>>i&1 == 0 {
				continue
			}
			a := x.addr[i]
			if a >= uint64(len(mem)) || uint64(len(mem))-a < n || x.store {
				w.outOfBounds(x, i)
				continue
			}
			if a&(n-1) != 0 {
				w.misaligned(x, i)
				continue
			}
			x.mem[i] = mem[a : a+n : a+n]
			ok |= 1 << i
		}
	}
	if w.cta.run.cfg.Checks != 0 {
		w.check(x, ok)
	}
	if w.cta.run.cfg.Counters {
		w.count(x, ok)
	}
	return ok
}

// resolveGeneric splits the lanes by the space that their addresses fall into.
func (w *warp) resolveGeneric(x *access, m uint32) uint32 {
	ok := uint32(0)
	for m != 0 {
		part := *x
		first := uint32(0)
		part.space = generic
		for i := range lanes.Width {
			if m>>i&1 == 0 {
				continue
			}
			sp, a := splitGeneric(x.addr[i])
			if part.space == generic {
				part.space = sp
			}
			if sp == part.space {
				part.addr[i] = a
				first |= 1 << i
			}
		}
		m &^= first
		done := w.resolve(&part, first)
		ok |= done
		for i := range lanes.Width {
			if done>>i&1 != 0 {
				x.mem[i], x.alloc[i] = part.mem[i], part.alloc[i]
			}
		}
		if m == 0 {
			x.space = part.space // of all lanes, in nearly every program
		}
	}
	return ok
}
