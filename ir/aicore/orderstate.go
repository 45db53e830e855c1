package aicore

import (
	"encoding/binary"
	"slices"

	"tilec/ir"
)

// knowledge is what may be so at a point of a program, for one value of each counter.
type knowledge struct {
	counters []counter // by number
	// pending are, by pipe, the sites whose last access it may not know to be complete.
	pending [ir.PipeAll + 1]bitset
	// up are the flags that are up, by number, and raised what pending was for the pipe that raised each.
	up     bitset
	raised []bitset
}

// counter is the value of a counter, if it is known.
type counter struct {
	value int64
	known bool
}

// paths are all that may be known at a point, by the values of the counters.
type paths map[string]*knowledge

func (c *orderChecker) newKnowledge(f *ir.Func) *knowledge {
	k := &knowledge{}
	f.Body.Walk(func(op *ir.Op) {
		if _, numbered := c.numbers[op.Var]; op.Var == nil || !c.counters[op.Var] || numbered {
			return
		}
		c.numbers[op.Var] = len(k.counters)
		first := counter{}
		if op.Code == ir.OpVar && op.X[0].IsConst() {
			first = counter{op.X[0].Int, true} // declared before both programs
		}
		k.counters = append(k.counters, first)
	})
	return k
}

func (k *knowledge) key() string {
	var b []byte
	for _, c := range k.counters {
		if c.known {
			b = binary.AppendVarint(append(b, 1), c.value)
		} else {
			b = append(b, 0)
		}
	}
	return string(b)
}

func (k *knowledge) clone() *knowledge {
	n := &knowledge{counters: slices.Clone(k.counters), raised: make([]bitset, len(k.raised))}
	words := len(k.up)
	for p := range k.pending {
		words += len(k.pending[p])
	}
	for f := range k.up.all() {
		words += len(k.raised[f])
	}
	room := make(bitset, words) // of all sets together
	copied := func(b bitset) bitset {
		c := room[:len(b):len(b)]
		room = room[len(b):]
		copy(c, b)
		return c
	}
	n.up = copied(k.up)
	for p := range k.pending {
		n.pending[p] = copied(k.pending[p])
	}
	for f := range k.up.all() {
		n.raised[f] = copied(k.raised[f])
	}
	return n
}

// raise has a flag be up.
func (k *knowledge) raise(flag int, pending bitset) {
	for len(k.raised) <= flag {
		k.raised = append(k.raised, nil)
	}
	k.up.set(flag)
	k.raised[flag] = pending
}

func (ps paths) clone() paths {
	n := paths{}
	for key, k := range ps {
		n[key] = k.clone()
	}
	return n
}

// add joins what may be known on one more path with what is there for the same counters: it returns where, and whether that has grown.
func (ps paths) add(c *orderChecker, k *knowledge) (string, bool) {
	at := k.key()
	old := ps[at]
	if old == nil {
		ps[at] = k.clone()
		return at, true
	}
	grown := false
	join := func(to *bitset, from bitset) {
		if to.or(from) {
			grown = true
		}
	}
	for p := range k.pending {
		join(&old.pending[p], k.pending[p])
	}
	for f := range k.up.all() {
		if old.up.has(f) {
			join(&old.raised[f], k.raised[f])
		} else {
			c.report(nil, "flag %s is up on one path to a point and not on another", c.names[f])
		}
	}
	for f := range old.up.all() {
		if !k.up.has(f) {
			c.report(nil, "flag %s is up on one path to a point and not on another", c.names[f])
		}
	}
	return at, grown
}

// done notes an access: no pipe knows it to be complete, whatever flags were raised before.
func (k *knowledge) done(s int) {
	for p := range k.pending {
		k.pending[p].set(s)
	}
	for f := range k.up.all() {
		k.raised[f].set(s)
	}
}

func (k *knowledge) barrier(c *orderChecker, p ir.Pipe) {
	if p != ir.PipeAll {
		k.pending[p] = k.pending[p].without(c.of[p])
		return
	}
	for q := range k.pending {
		k.pending[q] = nil
	}
}

// value computes an expression of constants and counters.
func (k *knowledge) value(c *orderChecker, e *ir.Expr) (int64, bool) {
	switch {
	case e.IsConst():
		return e.Int, true
	case e.Op == ir.Ref:
		n, ok := c.numbers[e.Var]
		if !ok {
			return 0, false
		}
		return k.counters[n].value, k.counters[n].known
	case e.Op == ir.Select && e.Args[0].Op == ir.Eq:
		a, ok1 := k.value(c, e.Args[0].Args[0])
		b, ok2 := k.value(c, e.Args[0].Args[1])
		if !ok1 || !ok2 {
			return 0, false
		}
		if a == b {
			return k.value(c, e.Args[1])
		}
		return k.value(c, e.Args[2])
	case e.Op == ir.Add || e.Op == ir.Sub:
		a, ok1 := k.value(c, e.Args[0])
		b, ok2 := k.value(c, e.Args[1])
		if e.Op == ir.Sub {
			b = -b
		}
		return a + b, ok1 && ok2
	}
	return 0, false
}

// findCounters finds the variables that say which slot of a ring or which flag is in turn, and those that they are computed from.
func (c *orderChecker) findCounters(program *ir.Block) {
	c.counters = map[*ir.Var]bool{}
	see := func(e *ir.Expr) {
		e.Walk(func(x *ir.Expr) bool {
			if x.Op == ir.Ref && (x.Var.Kind == ir.MutVar || x.Var.Kind == ir.LetVar) {
				c.counters[x.Var] = true
			}
			return x.Op != ir.Load
		})
	}
	program.Walk(func(op *ir.Op) {
		if op.Code == ir.OpSetFlag || op.Code == ir.OpWaitFlag {
			see(op.X[0])
		}
	})
	rings := map[*ir.Var]bool{}
	program.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAssign && steps(op) {
			rings[op.Var] = true
		}
	})
	for again := true; again; {
		again = false
		program.Walk(func(op *ir.Op) {
			if op.Code == ir.OpLet && !rings[op.Var] && follows(op.X[0], rings) {
				rings[op.Var], again = true, true
			}
		})
	}
	slot := func(a *ir.Access) {
		if len(a.Index) > 0 && !a.Buf.Outside() && follows(a.Index[0], rings) {
			see(a.Index[0])
		}
	}
	program.Walk(func(op *ir.Op) {
		op.Loads(slot)
		if op.Dst != nil {
			slot(op.Dst)
		}
	})
	for n := -1; n != len(c.counters); {
		n = len(c.counters)
		program.Walk(func(op *ir.Op) {
			if (op.Code == ir.OpLet || op.Code == ir.OpAssign) && c.counters[op.Var] {
				see(op.X[0])
			}
		})
	}
}

// steps reports an assignment that takes a counter to the next of a few slots.
func steps(op *ir.Op) bool {
	x := op.X[0]
	if x.Op != ir.Select || x.Args[0].Op != ir.Eq || !x.Args[0].Args[1].IsConst() {
		return false
	}
	own := false
	x.Walk(func(e *ir.Expr) bool {
		own = own || e.Op == ir.Ref && e.Var == op.Var
		return true
	})
	return own
}

// follows reports an expression of counters of rings, at least one.
func follows(e *ir.Expr, rings map[*ir.Var]bool) bool {
	some, all := false, true
	e.Walk(func(x *ir.Expr) bool {
		if x.Op == ir.Ref {
			some, all = true, all && rings[x.Var]
		}
		all = all && x.Op != ir.Load
		return true
	})
	return some && all
}
