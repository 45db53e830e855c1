package ptx

import "bytes"

// pieces calls f for parts of n bytes at addr that don't cross a multiple of 32.
func pieces(addr uint64, n int, f func(addr uint64, from, to int)) {
	for at := 0; at < n; {
		end := min(n, at+32-int((addr+uint64(at))%32))
		f(addr+uint64(at), at, end)
		at = end
	}
}

// globalBytes finds n bytes of global memory, at a multiple of align, that a lane
// touches, or reports that it may not.
func (w *warp) globalBytes(in *instr, lane int, addr uint64, n, align int, store bool) (*allocation, []byte) {
	x := &w.access
	x.in, x.space, x.bytes, x.store = in, global, n, store
	x.addr[lane] = addr
	if sp, a := splitGeneric(addr); sp != global || n > 0 && w.cta.run.space.find(a, uint64(n)) == nil {
		w.outOfBounds(x, lane)
		return nil, nil
	}
	if n == 0 {
		return nil, nil
	}
	a := w.cta.run.space.find(addr, uint64(n))
	if addr%uint64(align) != 0 {
		if !w.again(Misaligned, in, none) {
			f := x.finding(Misaligned, lane)
			f.Msg = "address in global memory is no multiple of " + itoa(align)
			w.report(in, 1<<lane, f)
		}
		return nil, nil
	}
	if store && (a.readOnly || a.constant) {
		w.readOnly(x, lane, a)
		return nil, nil
	}
	return a, a.data[addr-a.base:][:n:n]
}

// alignment is what a bulk copy wants of its address in global memory. What a tensor
// map leads to is as aligned as the map wants it.
func (op *bulkOp) alignment() int {
	if op.tensor {
		return 1
	}
	return 16
}

// bulkRead reads global memory for a copy.
func (w *warp) bulkRead(in *instr, lane int, addr uint64, to []byte) {
	a, b := w.globalBytes(in, lane, addr, len(to), in.x.(*bulkOp).alignment(), false)
	if a == nil {
		return
	}
	copy(to, b)
	if a.valid == nil && a.races == nil {
		return
	}
	x := &w.access
	pieces(addr, len(to), func(addr uint64, from, to int) {
		x.addr[lane], x.bytes = addr, to-from
		w.checkGlobalRead(x, lane, a, addr-a.base, to-from)
	})
}

// bulkWrite writes global memory for a copy, or reduces into it.
func (w *warp) bulkWrite(st *bulkStore, addr uint64, data []byte) {
	a, b := w.globalBytes(st.in, st.lane, addr, len(data), st.in.x.(*bulkOp).alignment(), true)
	if a == nil {
		return
	}
	x := &w.access
	if st.reduce == nil {
		w.wroteGlobalBytes(x, st.lane, a, addr, b, data)
		copy(b, data)
		return
	}
	if a.valid != nil || a.races != nil {
		pieces(addr, len(data), func(addr uint64, from, to int) {
			x.addr[st.lane], x.bytes = addr, to-from
			off := addr - a.base
			x.atomic = true
			w.checkGlobalRead(x, st.lane, a, off, to-from)
			x.atomic = false
			w.wroteGlobal(x, st.lane, a, off, to-from, true, different)
		})
	}
	n := st.elem
	for i := 0; i+n <= len(data); i += n {
		v := getLE(data[i : i+n])
		w.cta.run.exchange(b[i:i+n], func(old uint64) uint64 { return st.reduce(old, v, 0) })
	}
}

// wroteGlobalBytes notes that a lane stores data at addr, over old.
func (w *warp) wroteGlobalBytes(x *access, lane int, a *allocation, addr uint64, old, data []byte) {
	if a.valid == nil && a.races == nil {
		return
	}
	pieces(addr, len(data), func(addr uint64, from, to int) {
		x.addr[lane], x.bytes = addr, to-from
		w.wroteGlobal(x, lane, a, addr-a.base, to-from, false, func() bool { return bytes.Equal(old[from:to], data[from:to]) })
	})
}
