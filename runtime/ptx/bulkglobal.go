package ptx

// pieces calls f for parts of n bytes at addr that don't cross a multiple of 32.
func pieces(addr uint64, n int, f func(addr uint64, from, to int)) {
	for at := 0; at < n; {
		end := min(n, at+32-int((addr+uint64(at))%32))
		f(addr+uint64(at), at, end)
		at = end
	}
}

// globalBytes finds memory that a bulk copy touches, or reports that it may not.
func (w *warp) globalBytes(in *instr, lane int, addr uint64, n int, store bool) (*allocation, []byte) {
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
	if addr%16 != 0 && !in.x.(*bulkOp).tensor {
		if !w.again(Misaligned, in, none) {
			f := x.finding(Misaligned, lane)
			f.Msg = "address in global memory is no multiple of 16"
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

// bulkRead reads global memory for a copy.
func (w *warp) bulkRead(in *instr, lane int, addr uint64, to []byte) {
	a, b := w.globalBytes(in, lane, addr, len(to), false)
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
	a, b := w.globalBytes(st.in, st.lane, addr, len(data), true)
	if a == nil {
		return
	}
	x := &w.access
	strong := st.reduce != nil
	if a.valid != nil || a.races != nil {
		pieces(addr, len(data), func(addr uint64, from, to int) {
			x.addr[st.lane], x.bytes = addr, to-from
			off := addr - a.base
			if strong {
				x.atomic = true
				w.checkGlobalRead(x, st.lane, a, off, to-from)
				x.atomic = false
			}
			if a.valid != nil {
				a.valid.add(a.position(off), to-from)
			}
			w.checkRace(x, st.lane, a, off, to-from, true, strong)
		})
	}
	if !strong {
		copy(b, data)
		return
	}
	n := st.elem
	for i := 0; i+n <= len(data); i += n {
		v := getLE(data[i : i+n])
		w.cta.run.exchange(b[i:i+n], func(old uint64) uint64 { return st.reduce(old, v, 0) })
	}
}
