package aicore

import (
	"fmt"
	"slices"
	"strings"

	"tilec/ir"
)

// knowledge is what may be so at a point of a program, for one value of each counter.
type knowledge struct {
	counters map[*ir.Var]int64
	order    []*ir.Var // of the counters, for keys
	// pending are, by pipe, the sites whose last access it may not know to be complete.
	pending [ir.PipeAll + 1]bitset
	// raised are the flags that are up, with what pending was for the pipe that raised each.
	raised map[flagName]bitset
}

// paths are all that may be known at a point, by the values of the counters.
type paths map[string]*knowledge

func (c *orderChecker) newKnowledge(f *ir.Func) *knowledge {
	k := &knowledge{counters: map[*ir.Var]int64{}, raised: map[flagName]bitset{}}
	f.Body.Walk(func(op *ir.Op) {
		if op.Var != nil && c.counters[op.Var] && !slices.Contains(k.order, op.Var) {
			k.order = append(k.order, op.Var)
			if op.Code == ir.OpVar && op.X[0].IsConst() {
				k.counters[op.Var] = op.X[0].Int // declared before both programs
			}
		}
	})
	return k
}

func (k *knowledge) key() string {
	var b strings.Builder
	for _, v := range k.order {
		if n, ok := k.counters[v]; ok {
			fmt.Fprint(&b, n)
		}
		b.WriteByte(',')
	}
	return b.String()
}

func (k *knowledge) clone() *knowledge {
	n := &knowledge{counters: map[*ir.Var]int64{}, order: k.order, raised: map[flagName]bitset{}}
	for v, x := range k.counters {
		n.counters[v] = x
	}
	for p := range k.pending {
		n.pending[p] = slices.Clone(k.pending[p])
	}
	for f, b := range k.raised {
		n.raised[f] = slices.Clone(b)
	}
	return n
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
	for f, b := range k.raised {
		if up, ok := old.raised[f]; ok {
			join(&up, b)
			old.raised[f] = up
		} else {
			c.report(nil, "flag %s is up on one path to a point and not on another", f)
		}
	}
	for f := range old.raised {
		if _, ok := k.raised[f]; !ok {
			c.report(nil, "flag %s is up on one path to a point and not on another", f)
		}
	}
	return at, grown
}

// done notes an access: no pipe knows it to be complete, whatever flags were raised before.
func (k *knowledge) done(s int) {
	for p := range k.pending {
		k.pending[p].set(s)
	}
	for f, b := range k.raised {
		b.set(s)
		k.raised[f] = b
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
func (k *knowledge) value(e *ir.Expr) (int64, bool) {
	switch {
	case e.IsConst():
		return e.Int, true
	case e.Op == ir.Ref:
		n, ok := k.counters[e.Var]
		return n, ok
	case e.Op == ir.Select && e.Args[0].Op == ir.Eq:
		a, ok1 := k.value(e.Args[0].Args[0])
		b, ok2 := k.value(e.Args[0].Args[1])
		if !ok1 || !ok2 {
			return 0, false
		}
		if a == b {
			return k.value(e.Args[1])
		}
		return k.value(e.Args[2])
	case e.Op == ir.Add || e.Op == ir.Sub:
		a, ok1 := k.value(e.Args[0])
		b, ok2 := k.value(e.Args[1])
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
