package ascend

import (
	"slices"

	"tilec/ir"
	"tilec/ir/aicore"
)

// conflict reports that two accesses, so many iterations of a loop apart, must be ordered.
func conflict(a, b access, loop *ir.Op, distance int) bool {
	if !a.write && !b.write || a.space != b.space {
		return false
	}
	if a.space == ir.Global {
		if a.buf != b.buf {
			return false
		}
	} else if a.lo >= b.hi || b.lo >= a.hi {
		return false
	}
	if a.ring != nil && a.ring == b.ring && slices.Contains(a.ring.loops, loop) {
		return distance%a.ring.slots == 0
	}
	return true
}

// accesses is what an operation touches, its blocks included.
func (fl *flagger) accesses(op *ir.Op) []access {
	if as, ok := fl.touched[op]; ok {
		return as
	}
	as := fl.leaf(op)
	for _, b := range []*ir.Block{op.Body, op.Else} {
		if b == nil {
			continue
		}
		for _, o := range b.Ops {
			for _, a := range fl.accesses(o) {
				a.ring = ringAt(a.ring, op)
				as = append(as, a)
			}
		}
	}
	as = unique(as)
	fl.touched[op] = as
	return as
}

func unique(as []access) []access {
	seen := map[access]bool{}
	var out []access
	for _, a := range as {
		if !seen[a] {
			seen[a] = true
			out = append(out, a)
		}
	}
	return out
}

// leaf is what an operation touches by itself.
func (fl *flagger) leaf(op *ir.Op) []access {
	if op.Code.Info().Fields&ir.HasPipe != 0 || op.Code == ir.OpAlloc {
		return nil
	}
	var as []access
	op.Loads(func(a *ir.Access) { as = fl.add(as, op, a.Buf, a, false) })
	if op.Dst != nil {
		as = fl.add(as, op, op.Dst.Buf, op.Dst, true)
	}
	if op.Scratch != nil {
		as = fl.add(as, op, op.Scratch, nil, true)
	}
	return as
}

// pipeOf is the pipe that carries an operation out.
func pipeOf(op *ir.Op) ir.Pipe {
	if op.Pipe == ir.NoPipe {
		return ir.PipeS
	}
	return op.Pipe
}

func (fl *flagger) add(as []access, by *ir.Op, b *ir.Buffer, at *ir.Access, write bool) []access {
	pipe := pipeOf(by)
	if b.Outside() {
		if !fl.written[b] {
			return as
		}
		return append(as, access{pipe: pipe, write: write, space: ir.Global, buf: b, by: by})
	}
	a := access{pipe: pipe, write: write, space: b.Space, buf: b, lo: b.Offset, hi: b.Offset + aicore.Bytes(b)}
	if r := fl.rings[b]; r != nil && at != nil && len(at.Index) > 0 && at.Index[0].Op == ir.Ref && at.Index[0].Var == r.stage {
		a.ring = r
	}
	return append(as, a)
}
