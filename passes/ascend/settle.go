package ascend

import (
	"maps"
	"slices"

	"tilec/ir"
	"tilec/ir/aicore"
)

// settle improves flags that are right already, as far as the proof of all paths still goes through: what only a branch needs is raised
// and awaited there, loops over the same tiles share flags, and what others order already is left out.
func (fl *flagger) settle() {
	fl.provisional()
	fl.verdict = fl.judge()
	for _, e := range fl.events {
		fl.sink(e)
	}
	fl.share()
	fl.confirm()
	fl.prune()
}

// verdict counts what is wrong with flags.
type verdict struct{ unordered, early int }

func (fl *flagger) judge() verdict {
	o := aicore.OrderOf(fl.f, fl.body, fl.flags())
	return verdict{len(o.Unordered), len(o.Early)}
}

// holds reports whether flags are no worse after a change than before it.
func (fl *flagger) holds() bool {
	flags := fl.flags()
	flags.Enough = func(unordered, early int) bool { return unordered > fl.verdict.unordered || early > fl.verdict.early }
	o := aicore.OrderOf(fl.f, fl.body, flags)
	if flags.Enough(len(o.Unordered), len(o.Early)) {
		return false
	}
	fl.verdict = verdict{len(o.Unordered), len(o.Early)}
	return true
}

// confirm has pipes say that they have seen flags which else might be raised a second time before.
func (fl *flagger) confirm() {
	for _, early := range fl.early() {
		if e := fl.numbered(early); e != nil && e.back == nil {
			e.back = &event{from: e.to, to: e.from, ring: e.ring}
			fl.provisional()
		}
	}
	fl.verdict = fl.judge()
}

func (fl *flagger) early() []*aicore.Early { return aicore.OrderOf(fl.f, fl.body, fl.flags()).Early }

// numbered finds a flag by its number.
func (fl *flagger) numbered(n *aicore.Early) *event {
	for _, e := range fl.events {
		own := e.own()
		if id := int(n.ID) - own.id; own.from == n.From && own.to == n.To && id >= 0 && id < own.slots() {
			return own
		}
	}
	return nil
}

// provisional numbers flags without regard to how many there are.
func (fl *flagger) provisional() {
	next := map[[2]ir.Pipe]int{}
	take := func(e *event) {
		pair := [2]ir.Pipe{e.from, e.to}
		e.id = next[pair]
		next[pair] += e.slots()
	}
	taken := map[*event]bool{}
	for _, e := range fl.events {
		own := e.own()
		e.all = false
		if taken[own] {
			continue
		}
		taken[own], own.all = true, false
		if take(own); own.back != nil {
			take(own.back)
		}
	}
}

// sink has a flag that orders the runs of one branch be raised behind the last and awaited before the first operation there that
// needs it.
func (fl *flagger) sink(e *event) {
	for e.set == e.wait && e.distance > 0 && e.set.Code == ir.OpIf {
		outer := e.set
		first, last := fl.meeting(outer.Body, e.from, e.to)
		if first == nil || last == nil || outer.Else != nil && fl.busy(outer.Else, e.from, e.to) {
			return
		}
		fl.move(e, first, last)
		if !fl.holds() {
			fl.move(e, outer, outer)
			return
		}
	}
}

// move has a flag be awaited before another operation and raised behind one.
func (fl *flagger) move(e *event, wait, set *ir.Op) {
	fl.waits[e.wait], fl.sets[e.set] = without(fl.waits[e.wait], e), without(fl.sets[e.set], e)
	e.wait, e.set = wait, set
	fl.waits[wait], fl.sets[set] = append(fl.waits[wait], e), append(fl.sets[set], e)
}

// meeting returns the first operation of a block whose accesses by one pipe meet any by another, and the last of that other one's.
func (fl *flagger) meeting(b *ir.Block, from, to ir.Pipe) (first, last *ir.Op) {
	for _, now := range b.Ops {
		for _, before := range b.Ops {
			if !fl.meet(now, before, from, to) {
				continue
			}
			if first == nil {
				first = now
			}
			if last == nil || slices.Index(b.Ops, before) > slices.Index(b.Ops, last) {
				last = before
			}
		}
	}
	return first, last
}

// meet reports an access of an operation by pipe to that must come after one of another operation by pipe from.
func (fl *flagger) meet(now, before *ir.Op, from, to ir.Pipe) bool {
	for _, a := range fl.accesses(now) {
		for _, b := range fl.accesses(before) {
			if a.pipe == to && b.pipe == from && conflict(a, b, nil, 0) {
				return true
			}
		}
	}
	return false
}

// busy reports a block in which one of two pipes has work.
func (fl *flagger) busy(b *ir.Block, p, q ir.Pipe) bool {
	for _, op := range b.Ops {
		for _, a := range fl.accesses(op) {
			if a.pipe == p || a.pipe == q {
				return true
			}
		}
	}
	return false
}

// share has flags between iterations of different loops be one: what fills a tile waits for whatever used it last.
func (fl *flagger) share() {
	for i, e := range fl.events {
		for _, o := range fl.events[:i] {
			if e.distance == 0 || o.with != nil || o.distance != e.distance || o.from != e.from || o.to != e.to || o.ring != e.ring || !maps.Equal(o.tiles, e.tiles) {
				continue
			}
			if e.with = o; fl.holds() {
				break
			}
			e.with = nil // which has its number still
		}
	}
}

// prune leaves out flags and barriers, those in inner loops first, that others make needless.
func (fl *flagger) prune() {
	depths := map[*ir.Op]int{}
	var order []*ir.Op
	var walk func(b *ir.Block, depth int)
	walk = func(b *ir.Block, depth int) {
		if b == nil {
			return
		}
		for _, op := range b.Ops {
			depths[op] = depth
			order = append(order, op)
			inner := depth
			if op.Code == ir.OpFor || op.Code == ir.OpWhile {
				inner++
			}
			walk(op.Body, inner)
			walk(op.Else, inner)
		}
	}
	walk(fl.body, 0)
	slices.SortStableFunc(order, func(a, b *ir.Op) int { return depths[b] - depths[a] })
	for _, op := range order {
		for _, p := range slices.Clone(fl.barriers[op]) {
			if p != ir.PipeV && p != ir.PipeMTE2 {
				continue // writes to the same elements of tensors, which the proof does not tell apart
			}
			old := fl.barriers[op]
			fl.barriers[op] = slices.DeleteFunc(slices.Clone(old), func(q ir.Pipe) bool { return q == p })
			if !fl.holds() {
				fl.barriers[op] = old
			}
		}
		for _, e := range slices.Clone(fl.waits[op]) {
			fl.drop(e)
		}
	}
}

// drop leaves out a flag if it can: with all that have its number, or alone.
func (fl *flagger) drop(e *event) {
	var all []*event
	for _, o := range fl.events {
		if o.own() == e.own() {
			all = append(all, o)
		}
	}
	if len(all) > 1 && fl.leaveOut(all) {
		return
	}
	fl.leaveOut([]*event{e})
}

// leaveOut leaves out flags, and reports whether the others are enough.
func (fl *flagger) leaveOut(all []*event) bool {
	waits, sets, events := maps.Clone(fl.waits), maps.Clone(fl.sets), fl.events
	for _, e := range all {
		fl.waits[e.wait], fl.sets[e.set], fl.events = without(fl.waits[e.wait], e), without(fl.sets[e.set], e), without(fl.events, e)
	}
	if fl.holds() {
		return true
	}
	fl.waits, fl.sets, fl.events = waits, sets, events
	return false
}

// economize lets flags of two pipes that have run out overlap less: they take turns with one number, without more ado where a pipe is
// known to have seen one before the next is raised, else with a flag back that says so; or the slots of a ring have one flag together.
func (fl *flagger) economize() {
	fl.provisional()
	fl.verdict = fl.judge()
	fl.takeTurns(false)
	for _, e := range fl.events {
		own := e.own()
		r := own.ring
		if r == nil || !fl.short(e.from, e.to) {
			continue
		}
		back := own.back
		if fl.ringed(own, nil); fl.holds() {
			continue
		}
		if back == nil {
			own.back = &event{from: e.to, to: e.from}
			if fl.ringed(own, nil); fl.holds() {
				continue
			}
		}
		own.back = back
		fl.ringed(own, r)
	}
	fl.takeTurns(false)
	fl.takeTurns(true)
	fl.prune()
}

// ringed gives the flags of one number another ring.
func (fl *flagger) ringed(own *event, r *ring) {
	for _, e := range append(fl.events, own) {
		if e.own() == own {
			e.ring = r
		}
	}
	if own.back != nil {
		own.back.ring = r
	}
	fl.provisional()
}

func (fl *flagger) takeTurns(confirmed bool) {
	for i, e := range fl.events {
		for _, o := range fl.events[:i] {
			if e.with != nil || o.with != nil || o.distance != e.distance || o.from != e.from || o.to != e.to || o.ring != e.ring || !fl.short(e.from, e.to) {
				continue
			}
			old := o.back
			if e.with = o; confirmed && o.back == nil {
				o.back = &event{from: e.to, to: e.from, ring: e.ring}
			}
			if fl.provisional(); !fl.holds() {
				e.with, o.back = nil, old
				fl.provisional()
			}
		}
	}
}

// short reports that there are more flags between two pipes than numbers for them.
func (fl *flagger) short(from, to ir.Pipe) bool {
	n := 0
	seen := map[*event]bool{}
	for _, e := range fl.events {
		own := e.own()
		if seen[own] {
			continue
		}
		seen[own] = true
		for _, x := range []*event{own, own.back} {
			if x != nil && x.from == from && x.to == to {
				n += x.slots()
			}
		}
	}
	return n > fl.limit
}
