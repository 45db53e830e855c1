package ascend

import (
	"slices"

	"tilec/ir"
	"tilec/ir/aicore"
)

// number gives flags their numbers, those of each pair of pipes from 0 on. Where they run out, barriers over all pipes stand in, and it
// is false.
func (fl *flagger) number() bool {
	next := map[[2]ir.Pipe]int{}
	taken := map[*event]bool{}
	for _, e := range fl.events {
		e.all, e.own().all = false, false
	}
	enough := true
	for _, between := range []bool{true, false} { // those between iterations cannot be had otherwise
		for _, e := range fl.events {
			own := e.own()
			if between == (e.distance > 0) && !taken[own] {
				taken[own] = true
				enough = fl.take(own, next) && enough
				if own.back != nil && !own.all {
					own.all = !fl.take(own.back, next)
					enough = enough && !own.all
				}
			}
			e.all = own.all
		}
	}
	return enough
}

// own is the flag whose number a flag has.
func (e *event) own() *event {
	for e.with != nil {
		e = e.with
	}
	return e
}

func (fl *flagger) take(e *event, next map[[2]ir.Pipe]int) bool {
	pair := [2]ir.Pipe{e.from, e.to}
	n := e.slots()
	if next[pair]+n > fl.limit {
		e.all = true
		return false
	}
	e.id = next[pair]
	next[pair] += n
	return true
}

// slots is how many numbers a flag has.
func (e *event) slots() int {
	if e.ring != nil {
		return e.ring.slots
	}
	return 1
}

// flag makes the operation that raises or awaits a flag.
func (e *event) flag(code ir.Opcode) *ir.Op {
	id := ir.Int(int64(e.own().id))
	if e.ring != nil {
		id = ir.RefTo(e.ring.stage)
		if e.own().id > 0 {
			id = ir.Bin(ir.Add, id, ir.Int(int64(e.own().id)))
		}
	}
	return &ir.Op{Code: code, Pipe: e.from, To: e.to, X: []*ir.Expr{id}}
}

// flags are the operations that raise and await flags, and the barriers. Flags between iterations are raised for the first time before
// everything, and taken down for the last time at the end; so are those by which pipes say that they have seen others.
func (fl *flagger) flags() *aicore.Flags {
	all := &aicore.Flags{Before: map[*ir.Op][]*ir.Op{}, After: map[*ir.Op][]*ir.Op{}}
	fl.body.Walk(func(op *ir.Op) {
		var before []*ir.Op
		everything := false
		for _, e := range fl.waits[op] {
			if everything = everything || e.all; !e.all {
				before = append(before, e.flag(ir.OpWaitFlag))
				if back := e.own().back; back != nil {
					before = append(before, back.flag(ir.OpSetFlag))
				}
			}
		}
		if everything {
			before = append(before, &ir.Op{Code: ir.OpPipeBarrier, Pipe: ir.PipeAll})
		}
		for i, p := range fl.barriers[op] {
			if !everything && !has(fl.barriers[op][:i], p) {
				before = append(before, &ir.Op{Code: ir.OpPipeBarrier, Pipe: p})
			}
		}
		if len(before) > 0 {
			all.Before[op] = before
		}
		for _, e := range fl.sets[op] {
			if e.all {
				continue
			}
			if back := e.own().back; back != nil {
				all.After[op] = append(all.After[op], back.flag(ir.OpWaitFlag))
			}
			all.After[op] = append(all.After[op], e.flag(ir.OpSetFlag))
		}
	})
	up := map[*event]bool{}
	for _, e := range fl.events {
		own := e.own()
		if e.all || up[own] {
			continue
		}
		if up[own] = true; e.distance == 0 {
			own = own.back
		}
		if own == nil {
			continue
		}
		for i := range own.slots() {
			id := []*ir.Expr{ir.Int(int64(own.id + i))}
			all.First = append(all.First, &ir.Op{Code: ir.OpSetFlag, Pipe: own.from, To: own.to, X: id})
			all.Last = append(all.Last, &ir.Op{Code: ir.OpWaitFlag, Pipe: own.from, To: own.to, X: id})
		}
	}
	return all
}

// insert puts flags and barriers into the program.
func (fl *flagger) insert() {
	all := fl.flags()
	var into func(b *ir.Block)
	into = func(b *ir.Block) {
		if b == nil {
			return
		}
		var out []*ir.Op
		for _, op := range b.Ops {
			into(op.Body)
			into(op.Else)
			out = append(out, all.Before[op]...)
			out = append(out, op)
			out = append(out, all.After[op]...)
		}
		b.Ops = out
	}
	into(fl.body)
	fl.body.Ops = slices.Concat(all.First, fl.body.Ops, all.Last)
}
