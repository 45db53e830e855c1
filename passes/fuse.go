package passes

import (
	"tilec/ir"
	"tilec/passes/affine"
	"tilec/runtime/array"
)

// fuse computes the elements of a tile where they are used instead of storing
// them first: a tile that one map fills is replaced in the operations behind it
// by the map's expression, if it has one use, or if the expression is no more
// work than reading the tile. The tile's own map is then dead.
//
// A tile stays when anything about the forwarding is in doubt: when something
// that its expression reads may change before the use, when it is used at other
// elements than each iteration's own in a way that would repeat the work, when
// it is used in another block that runs more often, or when an operation needs
// it as a tile (contract, scan, a copy to another tile).
func fuse(ctx *Context, f *ir.Func) error {
	u := countUses(f)
	fuseBlock(f.Body, u)
	dropDead(f)
	return nil
}

// tileUses counts, for every tile, its definitions and the loads of it that an
// expression could replace; a use of any other kind makes it fixed.
type tileUses struct {
	writes map[*ir.Buffer]int
	loads  map[*ir.Buffer]int
	fixed  map[*ir.Buffer]bool
}

func countUses(f *ir.Func) *tileUses {
	u := &tileUses{writes: map[*ir.Buffer]int{}, loads: map[*ir.Buffer]int{}, fixed: map[*ir.Buffer]bool{}}
	f.Body.Walk(func(op *ir.Op) {
		if op.Dst != nil {
			u.writes[op.Dst.Buf]++
			if op.Code != ir.OpMap {
				u.fixed[op.Dst.Buf] = true
			}
			for _, x := range op.Dst.Index {
				x.Walk(func(e *ir.Expr) bool {
					if e.Op == ir.Load {
						u.fixed[e.At.Buf] = true
					}
					return true
				})
			}
		}
		for _, s := range op.Src {
			if storesTile(op) {
				u.loads[s.Buf]++
			} else {
				u.fixed[s.Buf] = true
			}
		}
		op.Exprs(func(e *ir.Expr) bool {
			if e.Op == ir.Load {
				u.loads[e.At.Buf]++
			}
			return true
		})
	})
	return u
}

// storesTile reports a copy from a tile to a tensor, which a map can do as well.
func storesTile(op *ir.Op) bool {
	return op.Code == ir.OpCopy && op.Dst.Buf.Kind.IsTensor() && op.Src[0].Buf.Kind == ir.Tile
}

// count adds the loads of an expression that takes the place of another.
func (u *tileUses) count(x *ir.Expr) {
	x.Walk(func(e *ir.Expr) bool {
		if e.Op == ir.Load {
			u.loads[e.At.Buf]++
		}
		return true
	})
}

func fuseBlock(b *ir.Block, u *tileUses) {
	if b == nil {
		return
	}
	for i, op := range b.Ops {
		fuseBlock(op.Body, u)
		fuseBlock(op.Else, u)
		if p := producerOf(op, u); p != nil {
			forward(p, b.Ops[i+1:], u)
		}
	}
}

// producer is a map that fills a tile whose elements can be computed elsewhere.
type producer struct {
	op   *ir.Op
	tile *ir.Buffer
	// at are the map's iteration variables, by dimension of the tile.
	at []*ir.Var
}

func producerOf(op *ir.Op, u *tileUses) *producer {
	if op.Code != ir.OpMap || op.Where != nil || op.Dst.Guard != nil {
		return nil
	}
	t := op.Dst.Buf
	if t.Kind != ir.Tile || t.Pinned || u.fixed[t] || u.writes[t] != 1 || u.loads[t] == 0 || !wholeTile(op, op.Dst) {
		return nil
	}
	p := &producer{op: op, tile: t}
	for _, x := range op.Dst.Index {
		v := (*ir.Var)(nil)
		if x.Op == ir.Ref {
			v = x.Var
		}
		p.at = append(p.at, v)
	}
	return p
}

// forward replaces loads of p's tile in the operations behind it, all or none.
func forward(p *producer, rest []*ir.Op, u *tileUses) {
	trivial := isTrivial(p.op.X[0])
	if u.loads[p.tile] > 1 && !trivial {
		return
	}
	var users []*ir.Op
	found := 0
	reads := readsOf(p.op)
	for _, op := range rest {
		n := loadsOf(op, p.tile)
		if n > 0 {
			if !p.fits(op, trivial) || !p.inPlace(op) {
				return
			}
			users = append(users, op)
			found += n
		}
		if found == u.loads[p.tile] {
			break
		}
		if writesAny(op, reads) {
			return
		}
	}
	if found != u.loads[p.tile] {
		return
	}
	for _, op := range users {
		if storesTile(op) {
			op.X = []*ir.Expr{ir.CastTo(op.Dst.Buf.Elem, ir.LoadAt(op.Src[0]))}
			op.Code, op.Src = ir.OpMap, nil
		}
		op.MapExprs(func(e *ir.Expr) *ir.Expr {
			if e.Op == ir.Load && e.At.Buf == p.tile {
				x := p.element(e.At)
				u.count(x)
				return x
			}
			return e
		})
	}
	u.loads[p.tile] = 0
	for b := range reads.bufs { // the map itself is dead now
		u.loads[b] -= loadsOf(p.op, b)
	}
}

// fits reports that op, which loads the tile, may compute its elements itself.
func (p *producer) fits(op *ir.Op, trivial bool) bool {
	switch op.Code {
	case ir.OpMap, ir.OpReduce, ir.OpAtomic:
	case ir.OpCopy:
		if !storesTile(op) {
			return false
		}
	case ir.OpAssert, ir.OpLet, ir.OpVar, ir.OpAssign, ir.OpPrint:
		return trivial
	default:
		return false
	}
	// Once for each element: every iteration variable picks elements, or the
	// work would be repeated along those that don't.
	its := op.Iters()
	ok := true
	op.Loads(func(a *ir.Access) {
		if a.Buf != p.tile {
			return
		}
		if a.Guard != nil {
			ok = false
			return
		}
		seen := map[int]bool{}
		for _, x := range a.Index {
			i := op.IterOf(x)
			if i >= 0 {
				seen[i] = true
			} else if !trivial && !x.IsInt(0) {
				ok = false
			}
		}
		for i, it := range its {
			if !seen[i] && !it.Extent.IsInt(1) && !trivial {
				ok = false
			}
		}
	})
	return ok
}

// inPlace reports that op, if it changes a tile that the expression reads, does
// so at the very element: an operation that reads elements which another of its
// points writes would need a copy of the tile.
func (p *producer) inPlace(op *ir.Op) bool {
	if op.Dst == nil {
		return true
	}
	ok := true
	op.Loads(func(a *ir.Access) {
		if a.Buf != p.tile {
			return
		}
		p.element(a).Walk(func(x *ir.Expr) bool {
			ok = ok && (x.Op != ir.Load || x.At.Buf != op.Dst.Buf || sameElement(x.At, op.Dst))
			return ok
		})
	})
	return ok
}

func sameElement(a, b *ir.Access) bool {
	for d := range a.Index {
		if !affine.Same(a.Index[d], b.Index[d]) {
			return false
		}
	}
	return true
}

// element is the value of the tile at an access.
func (p *producer) element(a *ir.Access) *ir.Expr {
	with := map[*ir.Var]*ir.Expr{}
	for d, v := range p.at {
		if v != nil {
			with[v] = a.Index[d]
		}
	}
	return p.op.X[0].Subst(with)
}

// isTrivial reports an expression that is as cheap as a load of its result: a
// load, a constant or a scalar, converted, or with one cheap operation.
func isTrivial(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const, ir.Ref:
		return true
	case ir.Load:
		return e.At.Buf.Kind == ir.Tile && e.At.Guard == nil
	case ir.Cast:
		return e.Type.Bits() >= 32 && isTrivial(e.Args[0])
	case ir.Neg, ir.Add, ir.Sub, ir.Mul:
		if e.Type != array.F32 && e.Type != array.I32 {
			return false
		}
		loads := 0
		for _, a := range e.Args {
			if a.Op == ir.Load {
				loads++
			}
			switch a.Op {
			case ir.Const, ir.Ref, ir.Load:
			default:
				return false
			}
			if !isTrivial(a) {
				return false
			}
		}
		return loads <= 1
	}
	return false
}

// readsOf collects what an operation's value depends on beside its indices.
type dependences struct {
	bufs map[*ir.Buffer]bool
	vars map[*ir.Var]bool
}

func readsOf(op *ir.Op) dependences {
	d := dependences{map[*ir.Buffer]bool{}, map[*ir.Var]bool{}}
	op.Exprs(func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.Load:
			d.bufs[e.At.Buf] = true
		case e.Op == ir.Ref && e.Var.Kind == ir.MutVar:
			d.vars[e.Var] = true
		}
		return true
	})
	return d
}

// writesAny reports that op, or something in its blocks, changes one of them.
func writesAny(op *ir.Op, d dependences) bool {
	found := false
	(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
		found = found || o.Dst != nil && d.bufs[o.Dst.Buf] || o.Code == ir.OpAssign && d.vars[o.Var]
	})
	return found
}

// loadsOf counts the loads of t in op and in its blocks.
func loadsOf(op *ir.Op, t *ir.Buffer) int {
	n := 0
	(&ir.Block{Ops: []*ir.Op{op}}).Walk(func(o *ir.Op) {
		o.Loads(func(a *ir.Access) {
			if a.Buf == t {
				n++
			}
		})
	})
	return n
}
