package shadow

import "testing"

// block is two warps over 64 bytes in granules of 4.
type block struct {
	s    *Shared
	time uint32
	w    [2]Access
}

func newBlock() *block {
	b := &block{s: NewShared(64, 2, 2, 0), time: 1}
	b.s.Reset(0)
	for i := range b.w {
		b.w[i] = Access{Warp: i, Now: 1, Clock: make(Clock, 2), By: Of(32*i, int32(i), false)}
	}
	return b
}

// barrier orders all that came before it, in both warps, before all that follows.
func (b *block) barrier() {
	b.time++
	for i := range b.w {
		b.w[i].Clock = Clock{b.w[0].Now, b.w[1].Now}
	}
	for i := range b.w {
		b.w[i].Since = b.w[1-i].Now
	}
	for i := range b.w {
		b.time++
		b.w[i].Now = b.time
	}
}

func TestShared(t *testing.T) {
	type step func(b *block) (Fault, By)
	read := func(w, off, n int) step { return func(b *block) (Fault, By) { return b.s.Read(&b.w[w], off, n) } }
	write := func(w, off, n int) step { return func(b *block) (Fault, By) { return b.s.Write(&b.w[w], off, n) } }
	launch := func(w, off, n int) step { return func(b *block) (Fault, By) { return b.s.Launch(&b.w[w], off, n) } }
	land := func(w, off, n int) step {
		return func(b *block) (Fault, By) { b.s.Land(&b.w[w], off, n); return None, 0 }
	}
	barrier := func(b *block) (Fault, By) { b.barrier(); return None, 0 }
	again := func(b *block) (Fault, By) {
		b.s.Reset(b.time)
		b.barrier()
		return None, 0
	}
	strong := func(b *block) (Fault, By) {
		for i := range b.w {
			b.w[i].By = Of(32*i, int32(i), true)
		}
		return None, 0
	}
	cases := []struct {
		name  string
		steps []step
		want  Fault // of the last step; the others must be faultless
		other int   // warp
	}{
		{"read of nothing", []step{read(0, 0, 4)}, Unwritten, -1},
		{"read beside what is written", []step{write(0, 0, 8), read(0, 4, 8)}, Unwritten, -1},
		{"own write", []step{write(0, 0, 16), read(0, 4, 4)}, None, -1},
		{"read after write", []step{write(0, 0, 16), read(1, 8, 4)}, ReadAfterWrite, 0},
		{"write after write", []step{write(0, 0, 16), write(1, 8, 4)}, WriteAfterWrite, 0},
		{"write after read", []step{write(0, 0, 4), barrier, read(1, 0, 4), write(0, 0, 4)}, WriteAfterRead, 1},
		{"other bytes", []step{write(0, 0, 4), write(1, 4, 4)}, None, -1},
		{"barrier between", []step{write(0, 0, 4), barrier, read(1, 0, 4), barrier, write(0, 0, 4)}, None, -1},
		{"reads don't race", []step{write(0, 0, 4), barrier, read(1, 0, 4), read(0, 0, 4)}, None, -1},
		{"second reader is not forgotten", []step{write(0, 0, 4), barrier, read(1, 0, 4), read(0, 0, 4), write(0, 0, 4)}, WriteAfterRead, 1},
		{"strong accesses", []step{strong, write(0, 0, 4), write(1, 0, 4)}, None, -1},
		{"copy read too early", []step{launch(0, 0, 16), read(0, 0, 4)}, InFlightRead, 0},
		{"copy overwritten", []step{launch(0, 0, 16), write(0, 4, 4)}, InFlightWrite, 0},
		{"copy landed", []step{launch(0, 0, 16), land(0, 0, 16), read(0, 0, 4)}, None, -1},
		{"copy landed, no barrier", []step{launch(0, 0, 16), land(0, 0, 16), read(1, 0, 4)}, ReadAfterWrite, 0},
		{"copy landed, barrier", []step{launch(0, 0, 16), land(0, 0, 16), barrier, read(1, 0, 4)}, None, -1},
		{"copy waited for after the barrier", []step{launch(0, 0, 16), barrier, land(0, 0, 16), read(1, 0, 4)}, ReadAfterWrite, 0},
		{"copy over what is read", []step{write(0, 0, 4), barrier, read(1, 0, 4), launch(0, 0, 16)}, WriteAfterRead, 1},
		{"next block", []step{write(0, 0, 4), again, read(0, 0, 4)}, Unwritten, -1},
		{"next block writes", []step{write(0, 0, 4), read(0, 0, 4), again, write(1, 0, 4)}, None, -1},
	}
	for _, c := range cases {
		b := newBlock()
		for i, s := range c.steps {
			f, by := s(b)
			if i < len(c.steps)-1 {
				if f != None {
					t.Errorf("%s: step %d is at fault: %d", c.name, i, f)
				}
				continue
			}
			if f != c.want || c.other >= 0 && by.warp() != c.other {
				t.Errorf("%s: fault %d with warp %d, want %d with %d", c.name, f, by.warp(), c.want, c.other)
			}
		}
	}
}

func TestBy(t *testing.T) {
	b := Of(1023, MaxInstr, true)
	if b.Thread() != 1023 || b.Instr() != MaxInstr || b.warp() != 31 {
		t.Errorf("thread %d, instruction %d", b.Thread(), b.Instr())
	}
	if Of(0, 0, false) == 0 {
		t.Error("the first access is nobody's")
	}
}

func TestGlobal(t *testing.T) {
	g, w := NewGlobal(), NewWords(64)
	access := func(b *Block, off uint64, n int, by int32, write, strong bool) Clash {
		return w.Access(b, &Access{By: Of(0, by, strong)}, off, n, write)
	}
	fresh := func() (a, b *Block) {
		g, w = NewGlobal(), NewWords(64)
		a, b = &Block{}, &Block{}
		a.Reset(1)
		b.Reset(2)
		return a, b
	}
	// A writes, and so does B.
	a, b := fresh()
	access(a, 8, 4, 10, true, false)
	if c := access(b, 8, 4, 11, true, false); c != (Clash{WriteAfterWrite, 1, Of(0, 10, false)}) {
		t.Errorf("two writes: %+v", c)
	}
	// Other bytes of one word.
	a, b = fresh()
	access(a, 8, 2, 10, true, false)
	if c := access(b, 10, 2, 11, true, false); c.Fault != None {
		t.Errorf("halves of a word: %+v", c)
	}
	// Fence, flag; flag, fence.
	a, b = fresh()
	access(a, 8, 4, 10, true, false)
	g.Fence(a)
	g.Flag(a, 100, false, true, false, false)
	g.Flag(b, 100, true, false, false, false)
	if c := access(b, 8, 4, 11, false, false); c.Fault != ReadAfterWrite {
		t.Errorf("no fence after the flag: %+v", c)
	}
	g.Fence(b)
	if c := access(b, 8, 4, 11, false, false); c.Fault != None {
		t.Errorf("ordered by fences: %+v", c)
	}
	// Release and acquire.
	a, b = fresh()
	access(a, 8, 16, 10, true, false)
	g.Flag(a, 100, false, true, false, true)
	g.Flag(b, 100, true, false, true, false)
	if c := access(b, 12, 8, 11, true, false); c.Fault != None {
		t.Errorf("ordered by release and acquire: %+v", c)
	}
	// What comes after the release is not covered.
	access(a, 40, 4, 12, true, false)
	if c := access(b, 40, 4, 11, false, false); c != (Clash{ReadAfterWrite, 1, Of(0, 12, false)}) {
		t.Errorf("written after the release: %+v", c)
	}
	// Atomic operations don't race with each other, but with plain ones.
	a, b = fresh()
	access(a, 8, 4, 10, true, true)
	if c := access(b, 8, 4, 11, true, true); c.Fault != None {
		t.Errorf("two atomic operations: %+v", c)
	}
	if c := access(a, 8, 4, 12, false, false); c.Fault != ReadAfterWrite {
		t.Errorf("plain read of an atomic counter: %+v", c)
	}
	// A write races with reads.
	a, b = fresh()
	access(a, 8, 4, 10, false, false)
	if c := access(b, 8, 4, 11, true, false); c != (Clash{WriteAfterRead, 1, Of(0, 10, false)}) {
		t.Errorf("write after read: %+v", c)
	}
	// Warps of one block.
	a, _ = fresh()
	first, second := Access{Warp: 0, Now: 5, Clock: Clock{0, 0}, By: Of(0, 1, false)}, Access{Warp: 1, Now: 5, Clock: Clock{4, 0}, By: Of(32, 2, false)}
	w.Access(a, &first, 8, 4, true)
	if c := w.Access(a, &second, 8, 4, false); c.Fault != ReadAfterWrite {
		t.Errorf("two warps: %+v", c)
	}
	second.Clock[0] = 5
	if c := w.Access(a, &second, 8, 4, false); c.Fault != None {
		t.Errorf("two warps, a barrier between: %+v", c)
	}
	if by, ok := w.Written(10, 1); !ok || by != first.By {
		t.Errorf("written by %v: %v", by, ok)
	}
	if _, ok := w.Written(12, 8); ok {
		t.Error("untouched bytes are written")
	}
}

// TestHeldAcrossBarriers: a barrier does not end a read that goes on.
func TestHeldAcrossBarriers(t *testing.T) {
	for _, writer := range []int{0, 1} {
		b := newBlock()
		b.s.Write(&b.w[0], 0, 16)
		b.barrier()
		held := b.w[0]
		if f, _ := b.s.Hold(&held, 0, 16); f != None {
			t.Fatal(f)
		}
		b.barrier()
		b.barrier()
		if f, by := b.s.Write(&b.w[writer], 8, 4); f != Busy || by.Thread() != 0 {
			t.Errorf("warp %d writes: fault %d by thread %d, want %d by 0", writer, f, by.Thread(), Busy)
		}
		b.s.Release(&held, 0, 16, b.w[0].Now)
		b.barrier()
		if f, _ := b.s.Write(&b.w[1], 0, 4); f != None {
			t.Errorf("after the end of the read: fault %d", f)
		}
	}
}
