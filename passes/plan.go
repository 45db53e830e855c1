package passes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/ir/machine"
	"tilec/passes/live"
)

// mostSpilledWords bounds the registers that tiles may take in each thread: beyond
// the registers that there are, values live in slow memory, and a kernel whose
// tiles are twice too large is no use.
const mostSpilledWords = 2 * 255

// leastBesideTiles is the registers that no kernel with tiles in registers does without.
const leastBesideTiles = 24

// mostWords is how many registers the tiles may take in each thread. Of a kernel with
// tunables no combination is any use whose tiles fill a multiprocessor's registers by
// themselves: another will do.
func mostWords(f *ir.Func, l machine.Limits) int {
	share := l.RegistersPerSM / (f.Warps * l.WarpSize)
	tuned := slices.ContainsFunc(f.Config, func(b ir.Binding) bool { return b.Tune })
	if tuned && share < l.RegistersThread {
		return share - leastBesideTiles
	}
	return mostSpilledWords
}

// checkRegisters refuses tiles that are far too large for the registers.
func checkRegisters(ctx *Context, f *ir.Func) error {
	words := ir.RegisterWords(f)
	most := mostWords(f, ctx.Machine.Limits)
	if words <= most {
		return nil
	}
	have := min(most, ctx.Machine.Limits.RegistersThread)
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
		f.Name, words, f.Warps*ctx.Machine.Limits.WarpSize, 4*(words-have), have, ctx.Machine.Name, strings.Join(parts, ", ")).
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
	tiles := sharedTiles(f)
	offsets, end := live.Pack(tiles, mem.Align)
	f.SharedBytes = end
	for i, r := range tiles {
		r.Buf.Offset = offsets[i]
	}
	if f.SharedBytes > mem.Bytes {
		var parts []string
		slices.SortStableFunc(tiles, func(a, b *live.Range) int { return cmp.Compare(b.Bytes, a.Bytes) })
		for _, r := range tiles {
			parts = append(parts, fmt.Sprintf("`%s` %d", describe(r.Buf), r.Bytes))
		}
		ctx.Reporter.Errorf(diag.Capacity, f.Span, "kernel `%s` needs %d bytes of shared memory, %d more than the %d of %s: %s", f.Name, f.SharedBytes, f.SharedBytes-mem.Bytes, mem.Bytes, ctx.Machine.Name, strings.Join(parts, ", ")).
			Hint("smaller tiles or fewer stages")
		return ErrReported
	}
	return nil
}

func describe(b *ir.Buffer) string {
	ext := make([]string, len(b.Shape))
	for i, e := range b.Extents() {
		ext[i] = fmt.Sprint(e)
	}
	return fmt.Sprintf("%s: %s[%s]", b.Name, b.Elem, strings.Join(ext, ", "))
}

// sharedTiles returns the ranges over which the shared tiles live.
func sharedTiles(f *ir.Func) []*live.Range {
	tiles := live.Ranges(f, func(b *ir.Buffer) bool { return b.Space == ir.Shared }, (*ir.Buffer).Bytes)
	for _, r := range tiles {
		if r.Buf.Temp && strings.HasSuffix(r.Buf.Name, "_warps") {
			// reduction scratch keeps bytes of its own: it is small, and reuse would cost a barrier
			r.From, r.To = 0, math.MaxInt
		}
	}
	return tiles
}
