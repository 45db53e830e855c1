package ascend

import (
	"fmt"
	"math"
	"strings"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/passes"
	"tilec/passes/live"
)

// plan gives every tile its address: tiles that are never alive at once share bytes.
func plan(ctx *passes.Context, f *ir.Func) error {
	tiles := live.Ranges(f, func(*ir.Buffer) bool { return true }, aicore.Bytes)
	for _, space := range []ir.Space{ir.UB, ir.L1, ir.L0A, ir.L0B, ir.L0C} {
		var in []*live.Range
		for _, r := range tiles {
			if r.Buf.Space == space {
				in = append(in, r)
			}
		}
		mem := ctx.Machine.Memory(space)
		offsets, end := live.Pack(apart(f, in), mem.Align)
		if end > mem.Bytes { // what is copied has to wait for others, then
			offsets, end = live.Pack(in, mem.Align)
		}
		for i, r := range in {
			r.Buf.Offset = offsets[i]
		}
		if end > mem.Bytes {
			return tooLarge(ctx, f, space, in, end, mem.Bytes)
		}
	}
	end := int64(0)
	f.Body.Walk(func(op *ir.Op) { // what lies in global memory is passed as a workspace
		if op.Code == ir.OpAlloc && op.Buf.Space == ir.Global {
			op.Buf.Offset = end
			end += aicore.Bytes(op.Buf)
		}
	})
	f.Form = ir.ScheduledForm
	return nil
}

// apart has tiles that are copied from or to global memory live all the time: with bytes of their own they wait for nothing else.
func apart(f *ir.Func, tiles []*live.Range) []*live.Range {
	copied := map[*ir.Buffer]bool{}
	f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil && (op.Pipe == ir.PipeMTE2 || op.Pipe == ir.PipeMTE3) {
			copied[op.Dst.Buf] = true
			op.Loads(func(a *ir.Access) { copied[a.Buf] = true })
		}
	})
	var all []*live.Range
	for _, r := range tiles {
		n := *r
		if copied[r.Buf] && r.From >= 0 {
			n.From, n.To = 0, math.MaxInt
		}
		all = append(all, &n)
	}
	return all
}

func tooLarge(ctx *passes.Context, f *ir.Func, space ir.Space, tiles []*live.Range, end, limit int64) error {
	// Of all points of time the one at which most is alive.
	var most []*live.Range
	var sum int64
	for _, l := range tiles {
		var at []*live.Range
		var n int64
		for _, o := range tiles {
			if o.From <= l.From && l.From <= o.To {
				at = append(at, o)
				n += o.Bytes
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
		if !l.Buf.Temp || l.Bytes*8 > limit {
			d.Note(l.Buf.Span, "%s takes %d bytes", l.Buf.Name, l.Bytes)
		}
	}
	ctx.Reporter.Add(d.Hint("make the tiles smaller"))
	return passes.ErrReported
}
