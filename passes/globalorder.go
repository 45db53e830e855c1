package passes

import (
	"tilec/ir"
	"tilec/ir/layout"
	"tilec/passes/affine"
)

// A kernel that writes a tensor which it also reads, or writes twice, needs barriers
// for it as it does for shared tiles, unless no element is touched by two threads.

// tensors knows what the order of accesses to written tensors depends on.
type tensors struct {
	f       *ir.Func
	written map[*ir.Buffer]bool
	loopOf  map[*ir.Var]*ir.Op   // the loop around a scalar's definition; nil at the top
	lets    map[*ir.Var]*ir.Expr // values that load nothing
	loops   []iteration          // around the present place
	rounds  int                  // iterations gone through so far
}

// iteration is one round through a loop.
type iteration struct {
	loop *ir.Op
	n    int
}

// enter and leave go in and out of a round of a loop.
func (t *tensors) enter(loop *ir.Op) {
	t.rounds++
	t.loops = append(t.loops, iteration{loop, t.rounds})
}

func (t *tensors) leave() { t.loops = t.loops[:len(t.loops)-1] }

// tensorTouch is an access to a written tensor.
type tensorTouch struct {
	of    *tensors
	op    *ir.Op
	a     *ir.Access
	write bool
	loops []iteration
}

func newTensors(f *ir.Func) *tensors {
	t := &tensors{f: f, written: map[*ir.Buffer]bool{}, loopOf: map[*ir.Var]*ir.Op{}, lets: map[*ir.Var]*ir.Expr{}}
	var visit func(b *ir.Block, loop *ir.Op)
	visit = func(b *ir.Block, loop *ir.Op) {
		if b == nil {
			return
		}
		for _, op := range b.Ops {
			if op.Dst != nil && op.Dst.Buf.Kind.IsTensor() {
				t.written[op.Dst.Buf] = true
			}
			inner := loop
			if op.Code == ir.OpFor || op.Code == ir.OpWhile {
				inner = op
			}
			if op.Var != nil && op.Code != ir.OpAssign {
				t.loopOf[op.Var] = inner
			}
			if op.Code == ir.OpLet && !loads(op.X[0]) {
				t.lets[op.Var] = op.X[0]
			}
			visit(op.Body, inner)
			visit(op.Else, inner)
		}
	}
	visit(f.Body, nil)
	return t
}

func loads(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load
		return !found
	})
	return found
}

// touch describes an access of op, nil if its order does not matter.
func (t *tensors) touch(op *ir.Op, a *ir.Access, write bool) *tensorTouch {
	if !a.Buf.Kind.IsTensor() || !t.written[a.Buf] {
		return nil
	}
	return &tensorTouch{of: t, op: op, a: a, write: write, loops: append([]iteration(nil), t.loops...)}
}

// meets reports that two threads may touch one element through x and y.
func (x *tensorTouch) meets(y *tensorTouch) bool {
	t := x.of
	if x.a.Buf != y.a.Buf || x.op.Code == ir.OpAtomic && y.op.Code == ir.OpAtomic {
		return false
	}
	return !t.sameThread(x, y) && !t.disjoint(x, y)
}

// sameThread reports that an element touched by both is touched by one thread: in
// each dimension the indices are the same spread of the threads, shifted by a
// multiple of its extent or more.
func (t *tensors) sameThread(x, y *tensorTouch) bool {
	lx, ix := spreadOf(x)
	ly, iy := spreadOf(y)
	if lx == nil || ly == nil || !lx.SameThreads(ly) {
		return false
	}
	if !(x.write && y.write) && (copies(lx) || copies(ly)) {
		return false // several threads read what one of them writes
	}
	for d := range x.a.Index {
		if (ix[d] == nil) != (iy[d] == nil) {
			return false
		}
		if ix[d] == nil {
			continue
		}
		ex, ey := x.extent(ix[d]), y.extent(iy[d])
		restX, _ := ir.Without(x.a.Index[d], ix[d])
		restY, _ := ir.Without(y.a.Index[d], iy[d])
		if ex != ey || !t.shiftedBy(t.expand(restX), t.expand(restY), ex, x, y) {
			return false
		}
	}
	return true
}

// spreadOf is how the threads lie over what an access touches, and the iteration
// variable of each dimension; nil unless each has at most one, by single steps.
func spreadOf(x *tensorTouch) (*layout.Layout, []*ir.Var) {
	if x.op.Layout == nil || x.op.Code == ir.OpAtomic {
		return nil, nil
	}
	its := x.op.Iters()
	if x.write {
		its = x.op.Dom
	}
	vars := make([]*ir.Var, len(x.a.Index))
	var keep []int
	for d, e := range x.a.Index {
		for i, it := range its {
			if !e.Uses(it.Var) {
				continue
			}
			if _, ok := ir.Without(e, it.Var); !ok || vars[d] != nil {
				return nil, nil
			}
			for _, k := range keep {
				if k == i {
					return nil, nil
				}
			}
			vars[d] = it.Var
			keep = append(keep, i)
		}
	}
	return x.op.Layout.Project(keep...), vars
}

// copies reports that several threads hold the same elements.
func copies(l *layout.Layout) bool {
	for _, in := range []string{layout.Lane, layout.Warp} {
		for _, basis := range l.Bases(in) {
			zero := true
			for _, v := range basis {
				zero = zero && v == 0
			}
			if zero {
				return true
			}
		}
	}
	return false
}

func (x *tensorTouch) extent(v *ir.Var) int64 {
	for _, it := range x.op.Iters() {
		if it.Var == v && it.Extent.IsConst() {
			return it.Extent.Int
		}
	}
	return 0
}

func (t *tensors) expand(e *ir.Expr) *ir.Expr { return Expand(e, t.lets) }

// Expand replaces lets in an expression by their values.
func Expand(e *ir.Expr, lets map[*ir.Var]*ir.Expr) *ir.Expr {
	for range 8 {
		next := e.Subst(lets)
		if next == e {
			break
		}
		e = next
	}
	return e
}

// shiftedBy reports that e, at x, and f, at y, differ by a multiple of some number
// of n or more.
func (t *tensors) shiftedBy(e, f *ir.Expr, n int64, x, y *tensorTouch) bool {
	if n <= 0 || loads(e) || loads(f) {
		return false
	}
	if affine.Same(e, f) && t.sameIn(e, x, y) {
		return true
	}
	diff := map[*ir.Var]int64{}
	var c int64
	var add func(e *ir.Expr, k int64) bool
	add = func(e *ir.Expr, k int64) bool {
		switch e.Op {
		case ir.Const:
			c += k * e.Int
			return true
		case ir.Ref:
			if t.same(e.Var, x, y) {
				diff[e.Var] += k
				return true
			}
		case ir.Add:
			return add(e.Args[0], k) && add(e.Args[1], k)
		case ir.Sub:
			return add(e.Args[0], k) && add(e.Args[1], -k)
		case ir.Mul:
			for i := range 2 {
				if e.Args[1-i].IsConst() {
					return add(e.Args[i], k*e.Args[1-i].Int)
				}
			}
		}
		return k%n == 0 // whatever the values are
	}
	if !add(e, 1) || !add(f, -1) || c%n != 0 {
		return false
	}
	for _, k := range diff {
		if k%n != 0 {
			return false
		}
	}
	return true
}

// same reports that a scalar has one value at both places.
func (t *tensors) same(v *ir.Var, x, y *tensorTouch) bool {
	if v.Kind == ir.IterVar || v.Kind == ir.MutVar {
		return false
	}
	loop := t.loopOf[v]
	if loop == nil {
		return true
	}
	for _, i := range x.loops {
		for _, j := range y.loops {
			if i.loop == loop && i == j {
				return true
			}
		}
	}
	return false
}

func (t *tensors) sameIn(e *ir.Expr, x, y *tensorTouch) bool {
	ok := true
	e.Walk(func(n *ir.Expr) bool {
		ok = ok && (n.Op != ir.Ref || t.same(n.Var, x, y))
		return ok
	})
	return ok
}

// disjoint reports that x and y touch no element both.
func (t *tensors) disjoint(x, y *tensorTouch) bool {
	p := affine.New()
	for _, d := range t.f.Dims {
		p.Dim(d.Var)
	}
	for _, g := range t.f.Grid {
		p.Range(g.Var, ir.Int(0), g.Extent)
	}
	here := &scene{tensorTouch: x, own: map[*ir.Var]*ir.Expr{}}
	there := &scene{tensorTouch: y, own: map[*ir.Var]*ir.Expr{}, apart: func(v *ir.Var) bool { return !t.same(v, x, y) }}
	here.declare(p)
	there.declare(p)
	for d := range x.a.Index {
		a, b := here.expr(x.a.Index[d]), there.expr(y.a.Index[d])
		if !loads(a) && !loads(b) && (p.Holds(ir.Bin(ir.Lt, a, b)) || p.Holds(ir.Bin(ir.Lt, b, a))) {
			return true
		}
	}
	return false
}

// scene is a touch whose scalars have names of their own where apart holds.
type scene struct {
	*tensorTouch
	own   map[*ir.Var]*ir.Expr
	apart func(v *ir.Var) bool // nil: of none
}

func (x *scene) name(v *ir.Var) *ir.Expr {
	if x.apart == nil || !x.apart(v) {
		return ir.RefTo(v)
	}
	if x.own[v] == nil {
		n := *v
		x.own[v] = ir.RefTo(&n)
	}
	return x.own[v]
}

func (x *scene) expr(e *ir.Expr) *ir.Expr {
	return x.of.expand(e).Map(func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.Ref {
			return x.name(e.Var)
		}
		return e
	})
}

// declare tells a prover what is known at the place.
func (x *scene) declare(p *affine.Prover) {
	for _, i := range x.loops {
		if i.loop.Code == ir.OpFor && (x.apart == nil || x.apart(i.loop.Var)) {
			p.Range(x.name(i.loop.Var).Var, x.expr(i.loop.X[0]), x.expr(i.loop.X[1]))
		}
	}
	for _, it := range x.op.Iters() {
		p.Range(x.name(it.Var).Var, ir.Int(0), it.Extent)
	}
	for _, c := range append(ir.Conjuncts(x.op.Where), ir.Conjuncts(x.a.Guard)...) {
		if c = x.expr(c); !loads(c) {
			p.Assume(c)
		}
	}
}
