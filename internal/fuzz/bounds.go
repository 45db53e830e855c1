package fuzz

import (
	"maps"
	"math"

	"tilec/runtime/array"
)

// violation is an expression whose value, in some launch, is not under control; at
// is nil where no single one is to blame.
type violation struct {
	at  *Expr
	why string
}

// bounds analyses one launch of a program.
type bounds struct {
	p      *Program
	launch *Launch
	state
	// local holds free and bound indices, and the parameters of functions.
	local map[string]value
	// instances is the number of grid instances.
	instances float64
	bad       []violation
	// fill is what stands for elements outside tensors in a statement.
	fill value
	// dead is set where no single expression is to blame.
	dead bool
}

// state is what changes as statements run.
type state struct {
	arrays  map[*Array]value
	scalars map[string]value
}

func (s state) clone() state { return state{maps.Clone(s.arrays), maps.Clone(s.scalars)} }

// join takes in what holds if other has run instead.
func (s state) join(other state) {
	for a, v := range other.arrays {
		if w, ok := s.arrays[a]; ok {
			v = v.join(w)
		}
		s.arrays[a] = v
	}
	for n, v := range other.scalars {
		if w, ok := s.scalars[n]; ok {
			v = v.join(w)
		}
		s.scalars[n] = v
	}
}

// analyse returns what each out tensor holds after a launch.
func (p *Program) analyse(l *Launch) (map[*Array]value, []violation) {
	b := &bounds{p: p, launch: l, state: state{map[*Array]value{}, map[string]value{}}, local: map[string]value{}, instances: 1}
	for _, name := range p.dims() {
		b.scalars[name] = exactly(float64(l.Dims[name]))
	}
	for _, s := range p.Scalars {
		b.scalars[s.Name], _ = roundedIfFloat(exactly(l.Scalars[s.Name]), s.Type.Elem)
	}
	for _, a := range p.Params {
		if a.Kind != Out {
			b.arrays[a] = a.Input.value(a.Elem)
		}
	}
	for _, g := range p.Grid {
		n := g.count(l)
		b.instances *= math.Max(float64(n), 0)
		b.scalars[g.Index] = between(0, math.Max(0, float64(n-1)))
	}
	b.block(p.Body)
	if b.dead {
		b.bad = append(b.bad, violation{why: "range"})
	}
	return b.arrays, b.bad
}

// count is the number of blocks along a grid axis.
func (g *Axis) count(l *Launch) int64 {
	if g.Dim == "" {
		return g.Count
	}
	return (l.Dims[g.Dim] + g.Block.N - 1) / g.Block.N
}

func roundedIfFloat(v value, t array.DType) (value, bool) {
	if t.IsFloat() {
		return roundedTo(v, t)
	}
	return v, true
}

// value is what a tensor with this input holds.
func (in Input) value(t array.DType) value {
	v := value{lo: in.A, hi: in.B}
	switch in.Kind {
	case RandInt:
		v = between(in.A, in.B-1)
	case Constant:
		v = exactly(in.A)
	case Normal:
		v = value{lo: in.A - 9*in.B, hi: in.A + 9*in.B}
	}
	if in.Kind == 0 {
		v = value{lo: -9, hi: 9}
	}
	if t.IsFloat() {
		v, _ = roundedTo(v, t)
		return v
	}
	return wrapped(v, t)
}

func (b *bounds) violate(e *Expr, why string) value {
	b.bad = append(b.bad, violation{e, why})
	return value{step: 1}
}

func (b *bounds) block(list []*Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *bounds) stmt(s *Stmt) {
	for _, x := range s.Index {
		b.local[x.Name] = between(0, float64(x.Extent.N-1))
	}
	b.fill = b.outside(s.Default)
	switch s.Kind {
	case DeclTile:
		if s.Value != nil {
			b.arrays[s.Target] = b.stored(s.Value, b.expr(s.Value), s.Target.Elem)
		}
	case LetScalar:
		b.scalars[s.Scalar.Name] = b.expr(s.Value)
	case VarScalar:
		b.scalars[s.Scalar.Name] = b.stored(s.Value, b.expr(s.Value), s.Scalar.Type.Elem)
	case SetScalar:
		v := b.update(s.Op, b.scalars[s.Scalar.Name], b.expr(s.Value), s.Scalar.Type.Elem, s.Value)
		b.scalars[s.Scalar.Name] = b.stored(s.Value, v, s.Scalar.Type.Elem)
	case LetTile:
		b.arrays[s.Target] = b.expr(s.Value)
	case Assign:
		b.assign(s)
	case Copy:
		b.copy(s)
	case Fill:
		b.write(s.Target, b.stored(s.Value, b.expr(s.Value), s.Target.Elem), s.Subs == nil)
	case Gemm:
		b.gemm(s)
	case Scan:
		b.scan(s)
	case Loop:
		b.loop(s)
	case WhileLoop:
		b.while(s)
	case If:
		b.condition(s.Value)
		before := b.state.clone()
		b.block(s.Body)
		after := b.state
		b.state = before
		b.block(s.Else)
		b.state.join(after)
	case AssertStmt:
		b.condition(s.Value)
	case PrintStmt:
		b.expr(s.Value)
	case Called:
		b.block(s.Body)
	}
}

// condition checks that all runs decide a condition in the same way.
func (b *bounds) condition(e *Expr) {
	if v := b.expr(e); !v.exact() {
		b.violate(e, "condition")
	}
}

// stored converts a value of an expression to the type of its target.
func (b *bounds) stored(e *Expr, v value, to array.DType) value {
	v, ok := stored(v, e.Type.Elem, to)
	if !ok {
		return b.violate(e, "store")
	}
	return v
}

// write gives an array new contents, in all elements or some.
func (b *bounds) write(a *Array, v value, all bool) {
	if old, ok := b.arrays[a]; ok && (!all || a.Kind != Tile) {
		v = v.join(old)
	}
	b.arrays[a] = v
}

func (b *bounds) assign(s *Stmt) {
	if s.Where != nil {
		b.condition(s.Where)
	}
	for _, e := range s.Subs {
		b.condition(e)
	}
	t := s.Target
	old := b.arrays[t]
	v := b.expr(s.Value)
	if t.Kind == Shared {
		b.arrays[t] = b.atomic(s, old, v)
		return
	}
	all := s.Where == nil && len(s.Index) == len(t.Shape) && s.Op == "="
	for i, x := range s.Index {
		all = all && t.Kind == Tile && x.Extent.N == t.Shape[i].Extent.N
	}
	if s.Op != "=" {
		v = b.update(s.Op, old, v, t.Elem, s.Value)
	}
	b.write(t, b.stored(s.Value, v, t.Elem), all)
}

// update is an element combined with a value.
func (b *bounds) update(op string, old, v value, t array.DType, at *Expr) value {
	computed := t
	if t.IsFloat() && t != array.F64 {
		computed = array.F32
		if at.Type.Elem == array.F64 {
			computed = array.F64
		}
	}
	switch op {
	case "+=":
		v = add(old, v, computed)
	case "*=":
		v = multiply(old, v, computed)
	case "max=", "min=":
		v = v.join(old)
	case "|=", "&=":
		v = wrapped(value{lo: math.Inf(-1)}, t)
	}
	return b.tame(at, v, computed)
}

// atomic is an element after all instances have combined with it.
func (b *bounds) atomic(s *Stmt, old, v value) value {
	t := s.Target.Elem
	n := b.instances
	for _, x := range s.Index {
		n *= float64(x.Extent.N)
	}
	v = b.stored(s.Value, v, t)
	if s.Op != "+=" {
		return b.update(s.Op, old, v, t, s.Value)
	}
	if t.IsInt() {
		return wrapped(value{lo: math.Inf(-1)}, t)
	}
	w := repeated(v, n, t)
	w.lo, w.hi = math.Min(w.lo, 0), math.Max(w.hi, 0)
	sum := value{lo: old.lo + w.lo, hi: old.hi + w.hi, err: old.err + w.err, special: old.special || w.special, step: math.Min(old.step, w.step)}
	sum = rounded(sum, t, true, (n+1)*sum.most())
	if g, _ := limits(t); sum.most() > g {
		return b.violate(s.Value, "atomic overflow")
	}
	return b.tame(s.Value, sum, t)
}

func (b *bounds) copy(s *Stmt) {
	for _, e := range s.From {
		b.condition(e)
	}
	for _, e := range s.Subs {
		b.condition(e)
	}
	v := b.arrays[s.Source]
	if s.Source.Kind != Tile {
		v = v.join(b.fill)
	}
	v, ok := stored(v, s.Source.Elem, s.Target.Elem)
	if !ok {
		b.dead = true
	}
	b.write(s.Target, v, s.Subs == nil)
}

// outside is what stands for elements outside a tensor.
func (b *bounds) outside(e *Expr) value {
	if e == nil {
		return exactly(0)
	}
	return b.expr(e)
}

func (b *bounds) gemm(s *Stmt) {
	k := s.Source.Shape[1].Extent.N
	if s.TransA {
		k = s.Source.Shape[0].Extent.N
	}
	t := s.Target.Elem
	x, y := b.arrays[s.Source], b.arrays[s.Source2]
	v := products(x, y, t)
	if s.Source.Elem == array.F32 {
		v.err += b.tf32(x, y)
	}
	v = repeated(v, float64(k), t)
	sum := add(b.arrays[s.Target], v, t)
	if t.IsFloat() && sum.most() > 1e15 {
		b.dead = true
	}
	b.arrays[s.Target] = sum
}

// tf32 is by how much a product of f32 may be off that a contraction rounds to TF32.
func (b *bounds) tf32(x, y value) float64 {
	short := func(v value) bool { return v.step > 0 && v.most()/v.step <= 1<<11 }
	if !b.p.TF32 || short(x) && short(y) {
		return 0
	}
	return 0x1p-9 * (x.most() + x.err) * (y.most() + y.err)
}

// products are products that a contraction adds: rounded at most by the addition.
func products(x, y value, t array.DType) value {
	v := multiply(x, y, t)
	v.product = v.product && t.IsFloat()
	return v
}

func (b *bounds) scan(s *Stmt) {
	v := b.arrays[s.Sources[0]]
	for _, a := range s.Sources[1:] {
		v = v.join(b.arrays[a])
	}
	from := s.Sources[0]
	switch s.Name {
	case "cumsum":
		t := s.Results[0].Elem
		v, _ = stored(v, from.Elem, t)
		v = v.join(repeated(v, float64(from.Shape[s.Axis].Extent.N), t))
	case "cumprod":
		t := s.Results[0].Elem
		v, _ = stored(v, from.Elem, t)
		one := v
		for range from.Shape[s.Axis].Extent.N - 1 {
			one = multiply(one, v, t)
			one.err += 2 * unit(t) * one.most() // any order
			v = v.join(one)
		}
		if !t.IsInt() && v.step > 0 {
			v.err = 0
		}
	}
	if v.most() > 1e15 && from.Elem.IsFloat() {
		b.dead = true
	}
	for _, r := range s.Results {
		b.arrays[r] = v
	}
}

// maxTrips bounds the iterations that the analysis follows.
const maxTrips = 40

func (b *bounds) loop(s *Stmt) {
	b.condition(s.Lo)
	b.condition(s.Hi)
	lo, hi := b.expr(s.Lo), b.expr(s.Hi)
	step := float64(max(s.Step, 1))
	least := math.Ceil((hi.lo - lo.hi) / step)
	most := math.Ceil((hi.hi - lo.lo) / step)
	if most > maxTrips {
		b.violate(s.Hi, "trips")
		return
	}
	for n := 0.0; n < most; n++ {
		before := b.state.clone()
		b.scalars[s.Scalar.Name] = between(lo.lo+n*step, math.Min(lo.hi+n*step, hi.hi-1))
		b.block(s.Body)
		if n >= least {
			b.state.join(before)
		}
	}
}

func (b *bounds) while(s *Stmt) {
	b.condition(s.Value)
	n := b.stored(s.Value, b.expr(s.Value), array.I32)
	if n.hi > 1<<12 {
		b.violate(s.Value, "trips")
		return
	}
	for hi, lo := n.hi, n.lo; hi > 0; hi, lo = math.Floor(hi/2), math.Floor(lo/2) {
		before := b.state.clone()
		b.scalars[s.Scalar.Name] = between(math.Max(1, lo), hi)
		b.block(s.Body)
		if lo <= 0 {
			b.state.join(before)
		}
	}
	b.scalars[s.Scalar.Name] = between(math.Min(0, n.lo), 0)
}

// tame rejects values that grow out of hand.
func (b *bounds) tame(e *Expr, v value, t array.DType) value {
	limit := 1e15
	if t == array.F64 {
		limit = 1e30
	}
	if t.IsFloat() && (v.most() > limit || v.err > 1e6 || math.IsNaN(v.lo) || math.IsNaN(v.hi) || math.IsNaN(v.err)) {
		return b.violate(e, "range")
	}
	return v
}
