package ascend

import "tilec/ir"

// number gives flags their numbers, those of each pair of pipes from 0 on. Where they run out, barriers over all pipes stand in, and it
// is false.
func (fl *flagger) number() bool {
	next := map[[2]ir.Pipe]int{}
	for _, e := range fl.events {
		if e.distance > 0 {
			fl.take(e, next) // these cannot be had otherwise
		}
	}
	for _, e := range fl.events {
		if e.distance == 0 {
			fl.take(e, next)
		}
	}
	for _, e := range fl.events {
		if e.all {
			return false
		}
	}
	return true
}

func (fl *flagger) take(e *event, next map[[2]ir.Pipe]int) {
	pair := [2]ir.Pipe{e.from, e.to}
	n := 1
	if e.ring != nil {
		n = e.ring.slots
	}
	if next[pair]+n > fl.limit {
		e.all = true
		return
	}
	e.id = next[pair]
	next[pair] += n
}

// flag makes the operation that raises or awaits a flag.
func (e *event) flag(code ir.Opcode) *ir.Op {
	id := ir.Int(int64(e.id))
	if e.ring != nil {
		id = ir.RefTo(e.ring.stage)
		if e.id > 0 {
			id = ir.Bin(ir.Add, id, ir.Int(int64(e.id)))
		}
	}
	return &ir.Op{Code: code, Pipe: e.from, To: e.to, X: []*ir.Expr{id}}
}

// insert puts flags and barriers into a block.
func (fl *flagger) insert(b *ir.Block) {
	if b == nil {
		return
	}
	var out []*ir.Op
	for _, op := range b.Ops {
		fl.insert(op.Body)
		fl.insert(op.Else)
		all := false
		for _, e := range fl.waits[op] {
			if e.all {
				all = true
				continue
			}
			out = append(out, e.flag(ir.OpWaitFlag))
		}
		if all {
			out = append(out, &ir.Op{Code: ir.OpPipeBarrier, Pipe: ir.PipeAll})
		}
		seen := map[ir.Pipe]bool{}
		for _, p := range fl.barriers[op] {
			if !seen[p] && !all {
				seen[p] = true
				out = append(out, &ir.Op{Code: ir.OpPipeBarrier, Pipe: p})
			}
		}
		out = append(out, op)
		for _, e := range fl.sets[op] {
			if !e.all {
				out = append(out, e.flag(ir.OpSetFlag))
			}
		}
	}
	b.Ops = out
}

// ends raises the flags between iterations for the first time, and takes them down for the last.
func (fl *flagger) ends() {
	var first, last []*ir.Op
	for _, e := range fl.events {
		if e.distance == 0 || e.all {
			continue
		}
		n := 1
		if e.ring != nil {
			n = e.ring.slots
		}
		for i := range n {
			id := []*ir.Expr{ir.Int(int64(e.id + i))}
			first = append(first, &ir.Op{Code: ir.OpSetFlag, Pipe: e.from, To: e.to, X: id})
			last = append(last, &ir.Op{Code: ir.OpWaitFlag, Pipe: e.from, To: e.to, X: id})
		}
	}
	fl.body.Ops = append(append(first, fl.body.Ops...), last...)
}
