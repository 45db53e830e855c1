package interp

import "sync"

// splitWork is how many points are worth starting another goroutine for.
const splitWork = 1 << 14

// split runs f on parts of 0..n, which cost about so many points each; in
// several frames at once when the grid is a single instance and other cores would
// have nothing to do. The fault of the first part that has one is kept.
func (fr *frame) split(n, cost int, f func(fr *frame, lo, hi int)) {
	parts := min(len(fr.helpers)+1, n, n*cost/splitWork)
	if parts <= 1 {
		f(fr, 0, n)
		return
	}
	var wg sync.WaitGroup
	for p := 1; p < parts; p++ {
		h := fr.helpers[p-1]
		h.follow(fr)
		wg.Go(func() { f(h, n*p/parts, n*(p+1)/parts) })
	}
	f(fr, 0, n/parts)
	wg.Wait()
	for _, h := range fr.helpers[:parts-1] {
		if fr.fault == nil {
			fr.fault = h.fault
		}
	}
}

// follow makes a helper see what fr sees.
func (h *frame) follow(fr *frame) {
	copy(h.varF, fr.varF)
	copy(h.varD, fr.varD)
	copy(h.varI, fr.varI)
	copy(h.varB, fr.varB)
	copy(h.bufs, fr.bufs)
	h.instance, h.op, h.fault = fr.instance, fr.op, fr.fault
}
