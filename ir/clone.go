package ir

import "slices"

// Equal reports that two functions are the same but for source spans and for
// names that their text forms make no difference of.
func Equal(f, g *Func) bool { return Print(f) == Print(g) }

// Clone returns a deep copy of f with scalars and buffers of its own.
func Clone(f *Func) *Func {
	c := newCloner(true)
	n := *f
	n.Params = slices.Clone(f.Params)
	for i, p := range n.Params {
		n.Params[i] = Param{Tensor: c.buffer(p.Tensor), Scalar: c.scalar(p.Scalar)}
	}
	n.Dims = slices.Clone(f.Dims)
	for i, d := range n.Dims {
		n.Dims[i] = Dim{Var: c.scalar(d.Var), From: c.buffer(d.From), Axis: d.Axis}
	}
	n.Requires = slices.Clone(f.Requires)
	for i := range n.Requires {
		n.Requires[i].Cond = c.expr(n.Requires[i].Cond)
	}
	n.Config = slices.Clone(f.Config)
	n.Grid = c.iters(f.Grid)
	n.Assumes = slices.Clone(f.Assumes)
	for i, a := range n.Assumes {
		n.Assumes[i].Tensor = c.buffer(a.Tensor)
		n.Assumes[i].Multiple = c.expr(a.Multiple)
	}
	n.Body = c.block(f.Body)
	return &n
}

// Clone returns a deep copy of b. What b defines is new in the copy; what it
// uses from outside is shared.
func (b *Block) Clone() *Block { return b.CloneWith(nil) }

// CloneWith is Clone with references to the given scalars replaced.
func (b *Block) CloneWith(with map[*Var]*Expr) *Block {
	c := newCloner(false)
	c.defineBlock(b)
	c.with = with
	return c.block(b)
}

// Clone returns a deep copy of op, in the way of Block.Clone.
func (op *Op) Clone() *Op { return (&Block{Ops: []*Op{op}}).Clone().Ops[0] }

// cloner copies with memos, so that what was shared stays shared.
type cloner struct {
	all   bool // copy every scalar and buffer, not only those in the maps
	vars  map[*Var]*Var
	bufs  map[*Buffer]*Buffer
	exprs map[*Expr]*Expr
	with  map[*Var]*Expr
}

func newCloner(all bool) *cloner {
	return &cloner{all: all, vars: map[*Var]*Var{}, bufs: map[*Buffer]*Buffer{}, exprs: map[*Expr]*Expr{}}
}

// defineBlock makes copies of everything that b defines.
func (c *cloner) defineBlock(b *Block) {
	b.Walk(func(op *Op) {
		switch {
		case op.Var != nil && op.Code != OpAssign:
			c.newScalar(op.Var)
		case op.Buf != nil:
			c.newBuffer(op.Buf)
		}
		if op.Scratch != nil {
			c.newBuffer(op.Scratch)
		}
		for _, it := range op.Dom {
			c.newScalar(it.Var)
		}
		for _, it := range op.Red {
			c.newScalar(it.Var)
		}
	})
}

func (c *cloner) newScalar(v *Var) *Var {
	n := *v
	c.vars[v] = &n
	return &n
}

func (c *cloner) scalar(v *Var) *Var {
	if v == nil {
		return nil
	}
	if n, ok := c.vars[v]; ok {
		return n
	}
	if !c.all {
		return v
	}
	return c.newScalar(v)
}

func (c *cloner) newBuffer(b *Buffer) *Buffer {
	n := *b
	c.bufs[b] = &n // before the shape, which may refer to it in a broken function
	n.Shape = c.exprList(b.Shape)
	n.Strides = slices.Clone(b.Strides)
	for i, s := range n.Strides {
		n.Strides[i] = c.scalar(s)
	}
	return &n
}

func (c *cloner) buffer(b *Buffer) *Buffer {
	if b == nil {
		return nil
	}
	if n, ok := c.bufs[b]; ok {
		return n
	}
	if !c.all {
		return b
	}
	return c.newBuffer(b)
}

func (c *cloner) expr(e *Expr) *Expr {
	if e == nil || e.Op == Const {
		return e
	}
	if e.Op == Ref {
		if r, ok := c.with[e.Var]; ok {
			return r
		}
		v := c.scalar(e.Var)
		if v == e.Var {
			return e
		}
		n := *e
		n.Var = v
		return &n
	}
	if n, ok := c.exprs[e]; ok {
		return n
	}
	n := *e
	n.Args = c.exprList(e.Args)
	n.At = c.access(e.At)
	c.exprs[e] = &n
	return &n
}

func (c *cloner) exprList(es []*Expr) []*Expr {
	es = slices.Clone(es)
	for i, e := range es {
		es[i] = c.expr(e)
	}
	return es
}

func (c *cloner) access(a *Access) *Access {
	if a == nil {
		return nil
	}
	n := *a
	n.Buf = c.buffer(a.Buf)
	n.Index = c.exprList(a.Index)
	n.Guard = c.expr(a.Guard)
	n.Else = c.expr(a.Else)
	return &n
}

func (c *cloner) iters(its []Iter) []Iter {
	its = slices.Clone(its)
	for i, it := range its {
		its[i] = Iter{Var: c.scalar(it.Var), Extent: c.expr(it.Extent)}
	}
	return its
}

func (c *cloner) block(b *Block) *Block {
	if b == nil {
		return nil
	}
	n := &Block{Ops: slices.Clone(b.Ops)}
	for i, op := range n.Ops {
		n.Ops[i] = c.op(op)
	}
	return n
}

func (c *cloner) op(op *Op) *Op {
	n := *op
	n.Var = c.scalar(op.Var)
	n.X = c.exprList(op.X)
	n.Dom = c.iters(op.Dom)
	n.Red = c.iters(op.Red)
	n.Dst = c.access(op.Dst)
	n.Src = slices.Clone(op.Src)
	for i, s := range n.Src {
		n.Src[i] = c.access(s)
	}
	n.Where = c.expr(op.Where)
	n.Init = c.expr(op.Init)
	n.Buf = c.buffer(op.Buf)
	n.Scratch = c.buffer(op.Scratch)
	n.Body = c.block(op.Body)
	n.Else = c.block(op.Else)
	n.Text = slices.Clone(op.Text)
	return &n
}
