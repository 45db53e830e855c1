package shadow

import (
	"maps"
	"sync"
)

// Global is the shadow of the buffers of a launch. The order of blocks comes from
// fences and flags in global memory, for which a block is one thread of control;
// that of the warps in a block from the clocks of its shared memory.
type Global struct {
	mu    sync.Mutex
	flags map[uint64]*flag
}

// flag is a word through which blocks synchronise: what its writers had published.
type flag struct{ clock map[int32]uint32 }

// NewGlobal makes an empty shadow.
func NewGlobal() *Global { return &Global{flags: map[uint64]*flag{}} }

// Block is a block's view of the others. The zero Block has seen nothing.
type Block struct {
	ID      int32
	now     uint32
	known   map[int32]uint32 // of other blocks: the time up to which they come before us
	fence   map[int32]uint32 // what was known at the last fence, ourselves included
	pending map[*flag]bool   // flags read since: what they say counts after the next fence
}

// Reset makes the view that of a block that begins.
func (b *Block) Reset(id int32) {
	*b = Block{ID: id, now: 1}
}

func (b *Block) publish() map[int32]uint32 {
	m := maps.Clone(b.known)
	if m == nil {
		m = map[int32]uint32{}
	}
	m[b.ID] = b.now
	b.now++
	return m
}

func (b *Block) learn(f *flag) {
	if b.known == nil {
		b.known = map[int32]uint32{}
	}
	join(b.known, f.clock)
}

func join(to, from map[int32]uint32) {
	for id, t := range from {
		to[id] = max(to[id], t)
	}
}

// Fence orders the block's earlier accesses before its later flags, and its later
// accesses after the flags that it has read.
func (g *Global) Fence(b *Block) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for f := range b.pending {
		b.learn(f)
	}
	b.pending = nil
	b.fence = b.publish()
}

// Flag is a strong access to the word at addr: it reads, writes, or both, and may
// acquire or release by itself.
func (g *Global) Flag(b *Block, addr uint64, reads, writes, acquire, release bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.flags[addr]
	if reads && f != nil {
		if acquire {
			b.learn(f)
		} else {
			if b.pending == nil {
				b.pending = map[*flag]bool{}
			}
			b.pending[f] = true
		}
	}
	if !writes || !release && b.fence == nil {
		return
	}
	if f == nil {
		f = &flag{map[int32]uint32{}}
		g.flags[addr] = f
	}
	if release {
		join(f.clock, b.publish())
	} else {
		join(f.clock, b.fence)
	}
}

// touch is the last access to a word.
type touch struct {
	block int32
	time  uint32
	stamp uint32 // in the time of the block
	by    By
	mask  uint8 // bytes of the word
}

// clashes tells that an access to bytes of mask has no order to t.
func (t *touch) clashes(b *Block, a *Access, mask uint8) bool {
	if t.mask&mask == 0 || t.by&a.By&byStrong != 0 {
		return false
	}
	if t.block != b.ID {
		return t.time > b.known[t.block]
	}
	u := t.by.warp()
	return u != a.Warp && len(a.Clock) > 0 && t.stamp > a.Clock[a.Base+u]
}

// Words is the shadow of one buffer.
type Words struct {
	cells []word
	locks [64]sync.Mutex // of stretches of the buffer
}

type word struct{ wrote, read touch }

// Written tells whether anybody has written any of n bytes at off.
func (w *Words) Written(off uint64, n int) (By, bool) {
	lock := &w.locks[off>>7%64]
	lock.Lock()
	defer lock.Unlock()
	for at := off; at < off+uint64(n); at++ {
		if t := &w.cells[at/4].wrote; t.mask>>(at%4)&1 != 0 {
			return t.by, true
		}
	}
	return 0, false
}

// NewWords makes the shadow of n bytes.
func NewWords(n int) *Words { return &Words{cells: make([]word, (n+3)/4+1)} }

// Clash is an earlier access without an order to the present one.
type Clash struct {
	Fault Fault
	Block int32
	By    By
}

// Access checks and records an access to n bytes at off. Without a clock in a the
// warps of a block aren't told apart.
func (w *Words) Access(b *Block, a *Access, off uint64, n int, write bool) Clash {
	lock := &w.locks[off>>7%64]
	lock.Lock()
	defer lock.Unlock()
	var c Clash
	now := b.now
	if a.By&byStrong != 0 && b.fence != nil {
		// Whoever acquires what the last fence released through this word comes after
		// this access too.
		now = b.fence[b.ID]
	}
	for n > 0 {
		at := off % 4
		part := min(n, int(4-at))
		mask := uint8(1<<part-1) << at
		cell := &w.cells[off/4]
		if cell.wrote.clashes(b, a, mask) {
			c = Clash{ReadAfterWrite, cell.wrote.block, cell.wrote.by}
			if write {
				c.Fault = WriteAfterWrite
			}
		}
		t := touch{b.ID, now, a.Now, a.By, mask}
		if write {
			if cell.read.clashes(b, a, mask) {
				c = Clash{WriteAfterRead, cell.read.block, cell.read.by}
			}
			cell.wrote = merge(cell.wrote, t)
		} else {
			cell.read = merge(cell.read, t)
		}
		off += uint64(part)
		n -= part
	}
	return c
}

// merge keeps the newer access, with the bytes of the older if it is by the same warp at the same time.
func merge(old, t touch) touch {
	if old.block == t.block && old.time == t.time && old.stamp == t.stamp && old.by.warp() == t.by.warp() && (old.by^t.by)&byStrong == 0 {
		t.mask |= old.mask
	}
	return t
}
