package ptx

import (
	"math/bits"
	"sync/atomic"
)

// written is a set of bytes of a buffer, shared by the blocks that run at once.
type written struct{ words []atomic.Uint32 }

// position is where the set keeps the byte of the allocation at off: aligned as its address is.
func (a *allocation) position(off uint64) uint64 { return off + a.base%32 }

func newWritten(n int) *written { return &written{make([]atomic.Uint32, n/32+2)} }

// add marks n bytes at off; n is at most 32 and the bytes are aligned to n.
func (s *written) add(off uint64, n int) {
	word := &s.words[off/32]
	mask := uint32(1<<n-1) << (off % 32)
	if word.Load()&mask != mask {
		word.Or(mask)
	}
}

// all tells whether n bytes at off are marked, for n and off as in add.
func (s *written) all(off uint64, n int) bool {
	mask := uint32(1<<n-1) << (off % 32)
	return s.words[off/32].Load()&mask == mask
}

// checkGlobal watches global accesses.
func (w *warp) checkGlobal(x *access, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := x.alloc[lane]
		off := x.addr[lane] - a.base
		if !x.store || x.atomic {
			w.checkGlobalRead(x, lane, a, off, x.bytes)
		}
		if x.store && a.valid != nil {
			a.valid.add(a.position(off), x.bytes)
		}
	}
}

// checkGlobalRead finds reads of bytes of undefined buffers that nobody wrote.
func (w *warp) checkGlobalRead(x *access, lane int, a *allocation, off uint64, n int) {
	if a.valid == nil {
		return
	}
	for k := 0; k < n; k++ {
		if !a.valid.all(a.position(off)+uint64(k), 1) {
			f := x.finding(Unwritten, lane)
			f.Msg = a.name
			f.Addr += uint64(k)
			f.Bytes = n - k
			w.report(x.in, 1<<lane, f)
			return
		}
	}
}
