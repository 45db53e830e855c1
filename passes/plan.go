package passes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
)

// mostSpilledWords bounds the registers that tiles may take in each thread: beyond
// the registers that there are, values live in slow memory, and a kernel whose
// tiles are twice too large is no use.
const mostSpilledWords = 2 * 255

// checkRegisters refuses tiles that are far too large for the registers.
func checkRegisters(ctx *Context, f *ir.Func) error {
	words := ir.RegisterWords(f)
	if words <= mostSpilledWords {
		return nil
	}
	type user struct {
		name  string
		words int
	}
	var users []user
	f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAlloc && op.Buf.Space == ir.Register && op.Buf.Layout != nil {
			n := op.Buf.Layout.Size(layout.Reg) * op.Buf.Elem.Bits() / 32
			users = append(users, user{describe(op.Buf), n})
		}
	})
	slices.SortStableFunc(users, func(a, b user) int { return cmp.Compare(b.words, a.words) })
	var parts []string
	for _, u := range users[:min(len(users), 4)] {
		parts = append(parts, fmt.Sprintf("`%s` %d", u.name, u.words))
	}
	ctx.Reporter.Errorf(diag.Capacity, f.Span, "the tiles of kernel `%s` need %d registers in each of %d threads, %d bytes more than the %d registers of %s: %s",
		f.Name, words, f.Warps*ctx.Machine.Limits.WarpSize, 4*(words-ctx.Machine.Limits.RegistersThread), ctx.Machine.Limits.RegistersThread, ctx.Machine.Name, strings.Join(parts, ", ")).
		Hint("smaller tiles")
	return ErrReported
}

// planShared gives every shared tile its offset. Tiles whose lives do not
// overlap share bytes; a tile declared outside a loop and used in it lives for
// the whole loop.
func planShared(ctx *Context, f *ir.Func) error {
	if err := checkRegisters(ctx, f); err != nil {
		return err
	}
	mem := ctx.Machine.Memory(ir.Shared)
	if mem == nil {
		return nil
	}
	lives := livesOf(f)
	f.SharedBytes = offsets(lives, mem)
	for _, l := range lives {
		l.buf.Offset = l.at
	}
	if f.SharedBytes > mem.Bytes {
		var parts []string
		for _, l := range lives {
			parts = append(parts, fmt.Sprintf("`%s` %d", describe(l.buf), l.bytes))
		}
		ctx.Reporter.Errorf(diag.Capacity, f.Span, "kernel `%s` needs %d bytes of shared memory, %d more than the %d of %s: %s", f.Name, f.SharedBytes, f.SharedBytes-mem.Bytes, mem.Bytes, ctx.Machine.Name, strings.Join(parts, ", ")).
			Hint("smaller tiles or fewer stages")
		return ErrReported
	}
	return nil
}

// offsets finds a place for each tile, largest first, at the lowest offset that is free for its
// life, and returns how many bytes they take. The tiles are sorted by size.
func offsets(order []*life, mem *machine.Memory) (bytes int64) {
	slices.SortStableFunc(order, func(a, b *life) int { return cmp.Compare(b.bytes, a.bytes) })
	var placed []*life
	for _, l := range order {
		at := int64(0)
		for moved := true; moved; {
			moved = false
			for _, o := range placed {
				if o.from <= l.to && l.from <= o.to && at < o.at+o.bytes && o.at < at+l.bytes {
					at = (o.at + o.bytes + mem.Align - 1) / mem.Align * mem.Align
					moved = true
				}
			}
		}
		l.at = at
		placed = append(placed, l)
		bytes = max(bytes, at+l.bytes)
	}
	return bytes
}

func describe(b *ir.Buffer) string {
	ext := make([]string, len(b.Shape))
	for i, e := range b.Extents() {
		ext[i] = fmt.Sprint(e)
	}
	return fmt.Sprintf("%s: %s[%s]", b.Name, b.Elem, strings.Join(ext, ", "))
}

// life is the range of operations, in program order, over which a tile holds
// something.
type life struct {
	buf      *ir.Buffer
	bytes    int64
	from, to int
	at       int64 // the offset
}

func livesOf(f *ir.Func) []*life {
	l := &liveness{at: map[*ir.Buffer]*life{}, depth: map[*ir.Buffer]int{}}
	l.block(f.Body)
	for _, x := range l.all {
		if x.buf.Temp && strings.HasSuffix(x.buf.Name, "_warps") {
			// reduction scratch keeps bytes of its own: it is small, and reuse would cost a barrier
			x.from, x.to = 0, l.clock
		}
	}
	return l.all
}

type liveness struct {
	clock int
	all   []*life
	at    map[*ir.Buffer]*life
	depth map[*ir.Buffer]int // loops open at the declaration
	loops []loopRange
}

type loopRange struct{ from int }

func (l *liveness) declare(b *ir.Buffer) {
	if b.Space != ir.Shared || l.at[b] != nil {
		return
	}
	x := &life{buf: b, bytes: b.Bytes(), from: -1}
	l.at[b] = x
	l.depth[b] = len(l.loops)
	l.all = append(l.all, x)
}

func (l *liveness) use(b *ir.Buffer) {
	x := l.at[b]
	if x == nil {
		return
	}
	from := l.clock
	if d := l.depth[b]; d < len(l.loops) {
		from = l.loops[d].from // used in a loop that the declaration is outside of
	}
	if x.from < 0 || from < x.from {
		x.from = from
	}
	x.to = max(x.to, l.clock)
}

func (l *liveness) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		l.clock++
		if op.Code == ir.OpAlloc {
			l.declare(op.Buf)
		}
		if op.Scratch != nil {
			l.declare(op.Scratch)
			l.use(op.Scratch)
		}
		op.Loads(func(a *ir.Access) { l.use(a.Buf) })
		if op.Dst != nil {
			l.use(op.Dst.Buf)
		}
		loop := op.Code == ir.OpFor || op.Code == ir.OpWhile
		if loop {
			l.loops = append(l.loops, loopRange{from: l.clock})
		}
		l.block(op.Body)
		l.block(op.Else)
		if loop {
			l.clock++
			start := l.loops[len(l.loops)-1].from
			l.loops = l.loops[:len(l.loops)-1]
			for _, x := range l.all {
				if l.depth[x.buf] <= len(l.loops) && x.to >= start {
					x.to = l.clock // may be used again in the next iteration
				}
			}
		}
	}
}
