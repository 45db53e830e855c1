package fuzz

import (
	"slices"

	"tilec/internal/driver"
	"tilec/runtime/array"
)

// maxSteps bounds the nodes that an evaluation visits.
const maxSteps = 4 << 20

// number is a value: i of integers, bools and indices, f of floats.
type number struct {
	i int64
	f float64
}

// cells are the elements of a tensor or tile.
type cells struct {
	elem    array.DType
	shape   []int64
	data    []number
	written []bool
}

func newCells(elem array.DType, shape []int64) *cells {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return &cells{elem: elem, shape: shape, data: make([]number, n), written: make([]bool, n)}
}

// at is the row-major place of an element; false outside.
func (c *cells) at(index []int64) (n int64, ok bool) {
	for d, i := range index {
		if i < 0 || i >= c.shape[d] {
			return 0, false
		}
		n = n*c.shape[d] + i
	}
	return n, true
}

func (c *cells) set(n int64, v number) { c.data[n], c.written[n] = v, true }

// evaluator runs a program by walking its tree, as the reference of the language
// tells. It shares nothing with the compiler but how single numbers are rounded.
type evaluator struct {
	launch  *Launch
	arrays  map[*Array]*cells
	scalars map[string]number // dimensions and indices of loops too
	index   map[string]int64  // free and bound ones
	params  []map[string]passed
	stmt    *Stmt // under way
	steps   int
}

// passed is what a parameter of a function stands for.
type passed struct {
	value number
	at    *Expr
}

// evaluate runs a launch, and returns what its out and inout tensors hold then; nil
// if that takes too long.
func (p *Program) evaluate(l *Launch, inputs map[string]*array.Array) *driver.Stage {
	ev := &evaluator{launch: l, arrays: map[*Array]*cells{}}
	for _, a := range p.Params {
		c := newCells(a.Elem, a.shapeIn(l))
		if in := inputs[a.Name]; in != nil {
			for i := range c.data {
				c.data[i] = elementOf(in, i)
			}
		}
		ev.arrays[a] = c
	}
	total := int64(1)
	for _, g := range p.Grid {
		total *= max(g.count(l), 0)
	}
	for n := range total {
		ev.scalars, ev.index = map[string]number{}, map[string]int64{}
		for _, name := range p.dims() {
			ev.scalars[name] = number{i: l.Dims[name]}
		}
		for _, s := range p.Scalars {
			ev.scalars[s.Name] = scalarNumber(s.Type.Elem, l.Scalars[s.Name])
		}
		for _, g := range p.Grid {
			ev.scalars[g.Index] = number{i: n % g.count(l)}
			n /= g.count(l)
		}
		ev.block(p.Body)
		if ev.steps > maxSteps {
			return nil
		}
	}
	return ev.stage(p)
}

// shapeIn is the shape of an array in a launch.
func (a *Array) shapeIn(l *Launch) []int64 {
	var shape []int64
	for _, s := range a.Shape {
		if s.Extent != nil {
			shape = append(shape, s.Extent.N)
		} else {
			shape = append(shape, s.Factor*l.Dims[s.Dim])
		}
	}
	return shape
}

func elementOf(a *array.Array, i int) number {
	if a.DType.IsFloat() {
		return number{f: a.At(i)}
	}
	return number{i: a.Int(i)}
}

func scalarNumber(t array.DType, v float64) number {
	if t.IsFloat() {
		return number{f: array.RoundFloat(t, v)}
	}
	return number{i: int64(v)}
}

// stage is what the tensors hold.
func (ev *evaluator) stage(p *Program) *driver.Stage {
	s := &driver.Stage{Tensors: map[string]*array.Array{}}
	written := map[string][]bool{}
	for _, a := range p.Params {
		if a.Kind == In {
			continue
		}
		c := ev.arrays[a]
		shape := make([]int, len(c.shape))
		for d, n := range c.shape {
			shape[d] = int(n)
		}
		t := array.New(a.Elem, shape...)
		for i, v := range c.data {
			if a.Elem.IsFloat() {
				t.SetFloat(i, v.f)
			} else {
				t.SetInt(i, v.i)
			}
		}
		s.Tensors[a.Name], written[a.Name] = t, c.written
	}
	s.Written = func(name string, i int) bool { return written[name][i] }
	return s
}

func (ev *evaluator) block(list []*Stmt) {
	for _, s := range list {
		if ev.steps > maxSteps {
			return
		}
		ev.run(s)
	}
}

func (ev *evaluator) run(s *Stmt) {
	ev.stmt = s
	switch s.Kind {
	case DeclTile:
		c := newCells(s.Target.Elem, s.Target.shapeIn(ev.launch))
		ev.arrays[s.Target] = c
		if s.Value != nil {
			v := ev.stored(s.Value, s.Target.Elem)
			for i := range c.data {
				c.set(int64(i), v)
			}
		}
	case LetScalar:
		ev.scalars[s.Scalar.Name], _ = ev.expr(s.Value)
	case VarScalar:
		ev.scalars[s.Scalar.Name] = ev.stored(s.Value, s.Scalar.Type.Elem)
	case SetScalar:
		v, _ := ev.expr(s.Value)
		ev.scalars[s.Scalar.Name] = update(s.Op, ev.scalars[s.Scalar.Name], v, s.Scalar.Type.Elem, s.Value.Type.Elem)
	case LetTile:
		c := newCells(s.Target.Elem, s.Target.shapeIn(ev.launch))
		n := int64(0)
		ev.points(s.Index, func() {
			c.set(n, ev.stored(s.Value, s.Target.Elem))
			n++
		})
		ev.arrays[s.Target] = c
	case Assign:
		ev.assign(s)
	case Copy:
		ev.copy(s)
	case Fill:
		ev.fill(s)
	case Called:
		ev.block(s.Body)
	case Gemm:
		ev.gemm(s)
	case Scan:
		ev.scan(s)
	case Loop:
		lo, _ := ev.expr(s.Lo)
		hi, _ := ev.expr(s.Hi)
		for i := lo.i; i < hi.i && ev.steps <= maxSteps; i += max(s.Step, 1) {
			ev.scalars[s.Scalar.Name] = number{i: i}
			ev.block(s.Body)
		}
	case WhileLoop:
		ev.scalars[s.Scalar.Name] = ev.stored(s.Value, array.I32)
		for ev.scalars[s.Scalar.Name].i > 0 && ev.steps <= maxSteps {
			ev.block(s.Body)
			ev.scalars[s.Scalar.Name] = number{i: ev.scalars[s.Scalar.Name].i / 2}
		}
	case If:
		if c, _ := ev.expr(s.Value); c.i != 0 {
			ev.block(s.Body)
		} else {
			ev.block(s.Else)
		}
	}
}

// points calls f at all points of some indices, in row-major order.
func (ev *evaluator) points(index []Bound, f func()) {
	if ev.steps > maxSteps {
		return
	}
	if len(index) == 0 {
		f()
		return
	}
	for i := range index[0].Extent.N {
		ev.index[index[0].Name] = i
		ev.points(index[1:], f)
	}
}

// stored is the value of an expression as an element of some type.
func (ev *evaluator) stored(e *Expr, t array.DType) number {
	v, _ := ev.expr(e)
	return converted(v, e.Type.Elem, t)
}

// places evaluates subscripts; false if they come from elements outside.
func (ev *evaluator) places(subs []*Expr) (index []int64, inside bool) {
	inside = true
	for _, e := range subs {
		v, in := ev.expr(e)
		index, inside = append(index, v.i), inside && in
	}
	return index, inside
}

// assign has the right side see the values from before, but for atomics.
func (ev *evaluator) assign(s *Stmt) {
	type change struct {
		at    int64
		value number
	}
	var changes []change
	c := ev.arrays[s.Target]
	ev.points(s.Index, func() {
		if s.Where != nil {
			if w, _ := ev.expr(s.Where); w.i == 0 {
				return
			}
		}
		index, inside := ev.places(s.Subs)
		n, ok := c.at(index)
		if !ok || !inside {
			return
		}
		v, _ := ev.expr(s.Value)
		v = update(s.Op, c.data[n], v, c.elem, s.Value.Type.Elem)
		if s.Atomic {
			c.set(n, v)
		} else {
			changes = append(changes, change{n, v})
		}
	})
	for _, x := range changes {
		c.set(x.at, x.value)
	}
}

// update is an element combined with a value.
func update(op string, old, v number, t, from array.DType) number {
	wide := t
	if t.IsFloat() && t != array.F64 {
		wide = array.F32
		if from == array.F64 {
			wide = array.F64
		}
	}
	if op != "=" {
		v = converted(v, from, wide)
		from = wide
	}
	switch op {
	case "+=", "*=", "|=", "&=":
		v = arithmetic(op[:1], wide, old, v)
	case "max=", "min=":
		v = extreme(op[:3], wide, old, v)
	}
	return converted(v, from, t)
}

func (ev *evaluator) copy(s *Stmt) {
	from, to := ev.arrays[s.Source], ev.arrays[s.Target]
	base := func(subs []*Expr, rank int) ([]int64, bool) {
		if subs == nil {
			return make([]int64, rank), true
		}
		return ev.places(subs)
	}
	src, srcInside := base(s.From, len(from.shape))
	dst, dstInside := base(s.Subs, len(to.shape))
	block := to.shape // the tile's, or of two tiles the target's
	if s.Target.Kind != Tile {
		block = from.shape
	}
	fill := number{}
	if s.Default != nil {
		fill = ev.stored(s.Default, from.elem)
	}
	old := append([]number{}, from.data...)
	total := int64(1)
	for _, n := range block {
		total *= n
	}
	for n := range total {
		ev.steps++
		a, b := append([]int64{}, src...), append([]int64{}, dst...)
		rest := n
		for d := len(block) - 1; d >= 0; d-- {
			i := rest % block[d]
			rest /= block[d]
			a[len(a)-len(block)+d] += i
			b[len(b)-len(block)+d] += i
		}
		at, ok := to.at(b)
		if !ok || !dstInside {
			continue
		}
		v := fill
		if i, ok := from.at(a); ok && srcInside {
			v = old[i]
		}
		to.set(at, converted(v, from.elem, to.elem))
	}
}

// fill writes a value into a block of a tile, or all of it.
func (ev *evaluator) fill(s *Stmt) {
	c := ev.arrays[s.Target]
	v := ev.stored(s.Value, c.elem)
	start, _ := ev.places(s.Subs)
	for n := range c.data {
		inside := true
		for d, i := range unflatten(int64(n), c.shape) {
			inside = inside && (start == nil || i >= start[d] && i < start[d]+s.Ranges[d].N)
		}
		if inside {
			c.set(int64(n), v)
		}
	}
}

func (ev *evaluator) gemm(s *Stmt) {
	a, b, c := ev.arrays[s.Source], ev.arrays[s.Source2], ev.arrays[s.Target]
	depth := a.shape[1]
	if s.TransA {
		depth = a.shape[0]
	}
	element := func(x *cells, i, j int64, swap bool) number {
		if swap {
			i, j = j, i
		}
		return converted(x.data[i*x.shape[1]+j], x.elem, c.elem)
	}
	for i := range c.shape[0] {
		for j := range c.shape[1] {
			sum := number{}
			for k := range depth {
				ev.steps++
				x, y := element(a, i, k, s.TransA), element(b, k, j, s.TransB)
				sum.f += x.f * y.f
				sum.i += x.i * y.i
			}
			n := i*c.shape[1] + j
			c.set(n, converted(number{i: c.data[n].i + sum.i, f: c.data[n].f + sum.f}, c.elem, c.elem))
		}
	}
}

func (ev *evaluator) scan(s *Stmt) {
	var sources []*cells
	for _, a := range s.Sources {
		sources = append(sources, ev.arrays[a])
	}
	var results []*cells
	for _, a := range s.Results {
		results = append(results, newCells(a.Elem, a.shapeIn(ev.launch)))
	}
	src := sources[0]
	for n, v := range src.data {
		ev.steps++
		index := unflatten(int64(n), src.shape)
		switch s.Name {
		case "reshape":
			results[0].set(int64(n), v)
			continue
		case "transpose":
			index = permuted(index, s.Perm)
		case "cumsum", "cumprod", "cummax":
			to := results[0]
			v = converted(v, src.elem, to.elem)
			at, _ := to.at(index)
			if index[s.Axis] > 0 {
				index[s.Axis]--
				before, _ := to.at(index)
				v = scanned(s.Name, to.elem, to.data[before], v)
			}
			to.set(at, v)
			continue
		case "split":
			part := results[0].shape[s.Axis]
			to := results[index[s.Axis]/part]
			index[s.Axis] %= part
			at, _ := to.at(index)
			to.set(at, v)
			continue
		}
		at, _ := results[0].at(index)
		results[0].set(at, v)
	}
	if s.Name == "concat" {
		for n, v := range sources[1].data {
			index := unflatten(int64(n), sources[1].shape)
			index[s.Axis] += src.shape[s.Axis]
			at, _ := results[0].at(index)
			results[0].set(at, v)
		}
	}
	for i, a := range s.Results {
		ev.arrays[a] = results[i]
	}
}

// permuted puts axes into the order of perm, or in reverse.
func permuted[T any](list []T, perm []int) []T {
	out := slices.Clone(list)
	if perm == nil {
		slices.Reverse(out)
	}
	for i, d := range perm {
		out[i] = list[d]
	}
	return out
}

func scanned(name string, t array.DType, before, v number) number {
	switch name {
	case "cumsum":
		return arithmetic("+", t, before, v)
	case "cumprod":
		return arithmetic("*", t, before, v)
	}
	return extreme("max", t, before, v)
}

func unflatten(n int64, shape []int64) []int64 {
	index := make([]int64, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d] = n % shape[d]
		n /= shape[d]
	}
	return index
}
