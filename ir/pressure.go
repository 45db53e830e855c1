package ir

import "tilec/ir/layout"

// RegisterWords returns the most 32-bit registers of a thread that register tiles
// of a placed function take at once. A tile lives from the operation that first
// writes it to the one that last reads it, for a whole loop if it is declared
// outside of it; one whose life ends where another's starts makes room for it.
func RegisterWords(f *Func) int {
	return PeakWords(f, func(b *Buffer) int {
		if b.Space != Register || b.Layout == nil {
			return 0
		}
		return wordsOf(b)
	})
}

// PeakWords is RegisterWords with sizes of the caller's: words gives what a tile
// takes, 0 for one that takes no registers.
func PeakWords(f *Func, words func(*Buffer) int) int {
	p := &pressure{words: words, at: map[*Buffer]*liveRange{}}
	p.block(f.Body)
	change := make([]int, p.clock+2)
	for _, l := range p.all {
		if l.from > l.to {
			continue
		}
		change[l.from] += l.words
		change[max(l.to, l.from+1)] -= l.words
	}
	most, now := 0, 0
	for _, c := range change {
		now += c
		most = max(most, now)
	}
	return most
}

type liveRange struct {
	words, depth int
	from, to     int
}

type pressure struct {
	words func(*Buffer) int
	clock int
	all   []*liveRange
	at    map[*Buffer]*liveRange
	loops []int // clock at the start of the loops that are open
}

func (p *pressure) block(b *Block) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		p.clock++
		if op.Code == OpAlloc && p.words(op.Buf) > 0 {
			l := &liveRange{words: p.words(op.Buf), depth: len(p.loops), from: 1 << 30}
			p.at[op.Buf] = l
			p.all = append(p.all, l)
		}
		op.Loads(func(a *Access) { p.use(a.Buf) })
		if op.Dst != nil {
			p.use(op.Dst.Buf)
		}
		loop := op.Code == OpFor || op.Code == OpWhile
		if loop {
			p.loops = append(p.loops, p.clock)
		}
		p.block(op.Body)
		p.block(op.Else)
		if !loop {
			continue
		}
		p.clock++
		start := p.loops[len(p.loops)-1]
		p.loops = p.loops[:len(p.loops)-1]
		for _, l := range p.all {
			if l.depth <= len(p.loops) && l.to >= start {
				l.to = p.clock
			}
		}
	}
}

func (p *pressure) use(b *Buffer) {
	l := p.at[b]
	if l == nil {
		return
	}
	from := p.clock
	if l.depth < len(p.loops) {
		from = p.loops[l.depth]
	}
	l.from = min(l.from, from)
	l.to = max(l.to, p.clock)
}

// wordsOf is the number of registers of a tile in one thread.
func wordsOf(b *Buffer) int {
	n := b.Layout.Size(layout.Reg)
	bits := b.Elem.Bits()
	if bits < 32 {
		return (n*bits + 31) / 32
	}
	return n * bits / 32
}
