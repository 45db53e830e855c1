package ascend

import (
	"fmt"
	"slices"
	"strings"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
)

// plan gives every tile its address: tiles that are never alive at once share bytes.
func plan(ctx *passes.Context, f *ir.Func) error {
	lives := livesOf(f)
	for _, space := range []ir.Space{ir.UB, ir.L1, ir.L0A, ir.L0B, ir.L0C} {
		var in []*life
		for _, l := range lives {
			if l.buf.Space == space {
				in = append(in, l)
			}
		}
		mem := ctx.Machine.Memory(space)
		end := fit(in, mem.Align)
		if end > mem.Bytes {
			return tooLarge(ctx, f, space, in, end, mem.Bytes)
		}
	}
	end := int64(0)
	f.Body.Walk(func(op *ir.Op) { // what lies in global memory is passed as a workspace
		if op.Code == ir.OpAlloc && op.Buf.Space == ir.Global {
			op.Buf.Offset = end
			end += bytesOf(op.Buf)
		}
	})
	f.Form = ir.ScheduledForm
	return nil
}

// bytesOf is what a tile takes in its memory.
func bytesOf(b *ir.Buffer) int64 { return aicore.Bytes(b) }

// fit places lives, the largest first, each at the lowest address at which nothing else is alive, and returns the end.
func fit(lives []*life, align int64) int64 {
	order := slices.Clone(lives)
	slices.SortStableFunc(order, func(a, b *life) int { return int(b.bytes - a.bytes) })
	var placed []*life
	end := int64(0)
	for _, l := range order {
		at := int64(0)
		for moved := true; moved; {
			moved = false
			for _, p := range placed {
				if p.from <= l.to && l.from <= p.to && p.buf.Offset < at+l.bytes && at < p.buf.Offset+p.bytes {
					at = (p.buf.Offset + p.bytes + align - 1) / align * align
					moved = true
				}
			}
		}
		l.buf.Offset = at
		placed = append(placed, l)
		end = max(end, at+l.bytes)
	}
	return end
}

func tooLarge(ctx *passes.Context, f *ir.Func, space ir.Space, lives []*life, end, limit int64) error {
	// Of all points of time the one at which most is alive.
	var most []*life
	var sum int64
	for _, l := range lives {
		var at []*life
		var n int64
		for _, o := range lives {
			if o.from <= l.from && l.from <= o.to {
				at = append(at, o)
				n += o.bytes
			}
		}
		if n > sum {
			sum, most = n, at
		}
	}
	d := &diag.Diagnostic{
		Code: diag.Capacity, Severity: diag.Error, Span: f.Span,
		Message: fmt.Sprintf("tiles of %s need %d bytes of %s, %d more than the %d that %s has", f.Name, end, strings.ToUpper(space.String()), end-limit, limit, ctx.Machine.Name),
	}
	for _, l := range most {
		if !l.buf.Temp || l.bytes*8 > limit {
			d.Note(l.buf.Span, "%s takes %d bytes", l.buf.Name, l.bytes)
		}
	}
	ctx.Reporter.Add(d.Hint("make the tiles smaller"))
	return passes.ErrReported
}

// life is the range of operations, in program order, over which a tile holds something.
type life struct {
	buf      *ir.Buffer
	bytes    int64
	from, to int
}

// livesOf finds the lives of all tiles. One that is used within a loop outside of which it is declared lives through all of the loop.
func livesOf(f *ir.Func) []*life {
	l := &liveness{at: map[*ir.Buffer]*life{}, depth: map[*ir.Buffer]int{}}
	l.block(f.Body)
	return l.all
}

type liveness struct {
	clock int
	all   []*life
	at    map[*ir.Buffer]*life
	depth map[*ir.Buffer]int // loops open at the declaration
	loops []int              // clocks at which the open loops began
}

func (l *liveness) declare(b *ir.Buffer) {
	if l.at[b] != nil {
		return
	}
	x := &life{buf: b, bytes: bytesOf(b), from: -1}
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
		from = l.loops[d]
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
			l.loops = append(l.loops, l.clock)
		}
		l.block(op.Body)
		l.block(op.Else)
		if loop {
			l.clock++
			start := l.loops[len(l.loops)-1]
			l.loops = l.loops[:len(l.loops)-1]
			for _, x := range l.all {
				if l.depth[x.buf] <= len(l.loops) && x.to >= start {
					x.to = l.clock
				}
			}
		}
	}
}
