package fuzz

import (
	"fmt"
	"math/rand/v2"

	"tilec/runtime/array"
)

// Generate makes program number n of a seed, with its launches. Equal arguments give
// equal programs.
func Generate(seed, n uint64) *Program {
	r := rand.New(rand.NewPCG(seed, n))
	for {
		g := &generator{r: r, p: &Program{Name: fmt.Sprintf("k%d", n)}, counters: map[string]int{}, starts: map[string]*Scalar{}}
		g.program()
		if g.p.repair() {
			g.p.prune()
			return g.p
		}
	}
}

// generator grows one program.
type generator struct {
	r        *rand.Rand
	p        *Program
	counters map[string]int

	integral bool // inputs are small integers, so that most float results are exact
	special  bool // nan and infinities appear
	floats   []array.DType
	ints     []array.DType
	palette  []*Extent
	loopDims []string

	// in scope
	arrays  []*Array
	scalars []*Scalar
	loops   []loopIndex

	tickets *Array             // each grid instance has an element
	starts  map[string]*Scalar // where the grid's block of a dimension starts

	depth  int // of blocks
	gather int // of indices that are data
	budget int // statements left
}

// loopIndex is an index of a loop around, which counts blocks of a dimension.
type loopIndex struct {
	scalar *Scalar
	dim    string
	block  *Extent
}

func (g *generator) name(prefix string) string {
	n := g.counters[prefix]
	g.counters[prefix]++
	return fmt.Sprintf("%s%d", prefix, n)
}

// chance is true once in n.
func (g *generator) chance(n int) bool { return g.r.IntN(n) == 0 }

func pick[T any](g *generator, list []T) T { return list[g.r.IntN(len(list))] }

// weighted picks an index by weight.
func (g *generator) weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := g.r.IntN(sum)
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	return 0
}

// Pools of element types that a program draws from.
var (
	allFloats = []array.DType{array.F32, array.F32, array.F16, array.F16, array.BF16, array.F64, array.F8E4M3, array.F8E5M2, array.F8E8M0, array.F4E2M1}
	allInts   = []array.DType{array.I32, array.I32, array.I8, array.U8, array.I16, array.U16, array.U32, array.I64, array.U64, array.I4, array.U4}
)

// extents are drawn from: one, odd, primes, powers of two, and their neighbours.
var (
	smallExtents = []int64{1, 1, 2, 3, 4, 5, 7, 8}
	extents      = []int64{1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 15, 16, 16, 16, 17, 24, 31, 32, 32, 33, 40, 48, 64, 64, 65, 96, 100, 128, 129}
)

const (
	maxTile   = 1 << 13 // elements of a tile
	maxPoints = 1 << 15 // points of one statement
)

func (g *generator) program() {
	g.integral = g.chance(3)
	g.p.TF32 = g.chance(6)
	g.special = g.chance(6)
	g.floats = []array.DType{array.F32}
	g.ints = []array.DType{array.I32}
	for range g.r.IntN(3) {
		g.floats = append(g.floats, pick(g, allFloats))
	}
	for range g.r.IntN(3) {
		g.ints = append(g.ints, pick(g, allInts))
	}
	if g.chance(3) {
		g.p.Generic = &Generic{Name: "T", Elem: pick(g, []array.DType{array.F16, array.BF16, array.F32, array.I8, array.I32})}
		if g.p.Generic.Elem.IsFloat() {
			g.floats = append(g.floats, g.p.Generic.Elem)
		} else {
			g.ints = append(g.ints, g.p.Generic.Elem)
		}
	}
	g.extents()
	g.grid()
	for range g.r.IntN(3) {
		g.loopDims = append(g.loopDims, g.name("K"))
	}
	for range g.r.IntN(3) {
		g.scalarParam()
	}
	for range 1 + g.r.IntN(3) {
		g.input(g.elem(), 0)
	}
	if g.chance(6) {
		g.function()
	}
	for range 1 + g.r.IntN(2) {
		g.output()
	}
	g.budget = 4 + g.r.IntN(10)
	g.p.Body = g.blockStarts()
	g.p.Body = append(g.p.Body, g.statements(2+g.r.IntN(7))...)
	for _, a := range g.p.Params {
		if a.Kind == Out {
			g.p.Body = append(g.p.Body, g.writeOut(a)...)
		}
	}
	g.launches()
	g.requires()
}

// blockStarts names where the blocks of some grid indices start.
func (g *generator) blockStarts() []*Stmt {
	var list []*Stmt
	for _, x := range g.p.Grid {
		if x.Dim == "" || !g.chance(5) {
			continue
		}
		s := &Scalar{Name: g.name("o"), Type: indexType}
		at := &Expr{Op: Ref, Name: x.Index, Type: indexType}
		list = append(list, &Stmt{Kind: LetScalar, Scalar: s, Value: binary("*", indexType, at, count(x.Block))})
		g.starts[x.Dim] = s
		g.scalars = append(g.scalars, s)
	}
	return list
}

// requires states what happens to hold for a dimension in all launches.
func (g *generator) requires() {
	for _, name := range g.p.dims() {
		if !g.chance(6) {
			continue
		}
		of := pick(g, []int64{2, 4, 8, 16, 16, 32, 64})
		for _, l := range g.p.Launches {
			for l.Dims[name]%of != 0 {
				of /= 2
			}
		}
		if of > 1 {
			g.p.Requires = append(g.p.Requires, Require{name, of})
		}
	}
}

// extents makes the palette.
func (g *generator) extents() {
	for range 2 + g.r.IntN(4) {
		e := &Extent{N: pick(g, extents), Kind: Literal}
		switch g.weighted(5, 2, 1) {
		case 1:
			e.Kind, e.Name = Tunable, g.name("B")
		case 2:
			e.Kind, e.Name = IntGeneric, g.name("D")
		}
		g.p.Extents = append(g.p.Extents, e)
		g.palette = append(g.palette, e)
	}
	g.palette = append(g.palette, &Extent{N: pick(g, smallExtents), Kind: Literal})
}

func (g *generator) grid() {
	for range 1 + g.weighted(5, 4, 2) {
		a := &Axis{Index: g.name("g")}
		if g.chance(7) {
			a.Count = int64(1 + g.r.IntN(4))
		} else {
			a.Dim, a.Block = g.name("N"), pick(g, g.palette)
		}
		g.p.Grid = append(g.p.Grid, a)
		g.scalars = append(g.scalars, &Scalar{Name: a.Index, Type: indexType})
	}
	g.p.Persistent = g.chance(8)
	if len(g.p.Grid) >= 2 && g.chance(8) {
		g.p.Panel = int64(1 + g.r.IntN(4))
	}
}

// elem draws the element type of an array.
func (g *generator) elem() array.DType {
	switch g.weighted(10, 7, 1) {
	case 0:
		return pick(g, g.floats)
	case 1:
		return pick(g, g.ints)
	}
	return array.Bool
}

func (g *generator) isGeneric(t array.DType) bool {
	return g.p.Generic != nil && g.p.Generic.Elem == t && g.chance(2)
}

func (g *generator) scalarParam() {
	t := pick(g, []array.DType{array.F32, array.F32, array.I32, array.I32, array.I64, array.U8, array.Bool, array.F16, array.F64})
	s := &Scalar{Name: g.name("p"), Type: typeOf(t), Param: true}
	g.p.Scalars = append(g.p.Scalars, s)
	g.scalars = append(g.scalars, s)
}

// input adds an input tensor of at least some rank.
func (g *generator) input(elem array.DType, rank int) *Array {
	a := &Array{Name: g.name("A"), Kind: In, Elem: elem, Generic: g.isGeneric(elem), Strided: elem.Bits() >= 8 && g.chance(15)}
	for range max(rank, 1+g.weighted(6, 12, 6, 2, 1)) {
		a.Shape = append(a.Shape, g.tensorSize())
	}
	a.Input = g.contents(elem)
	g.p.Params = append(g.p.Params, a)
	g.arrays = append([]*Array{a}, g.arrays...)
	return a
}

// tensorSize draws a dimension of an input.
func (g *generator) tensorSize() Size {
	var dims []string
	for _, x := range g.p.Grid {
		if x.Dim != "" {
			dims = append(dims, x.Dim, x.Dim)
		}
	}
	dims = append(dims, g.loopDims...)
	switch {
	case len(dims) > 0 && !g.chance(4):
		return Size{Dim: pick(g, dims), Factor: 1 + int64(g.weighted(12, 1))}
	case g.chance(6):
		return Size{Dim: g.name("V"), Factor: 1}
	}
	return Size{Extent: g.fixed()}
}

// fixed is an extent that a parameter may have: tunables are not known to callers.
func (g *generator) fixed() *Extent {
	if e := pick(g, g.palette); e.Kind != Tunable {
		return e
	}
	return &Extent{N: pick(g, extents), Kind: Literal}
}

// contents draws how a tensor is filled.
func (g *generator) contents(t array.DType) Input {
	switch {
	case t == array.Bool:
		return Input{RandInt, 0, 2}
	case t.IsInt():
		lo, hi := intLimits(t)
		switch g.weighted(3, 3, 1) {
		case 0:
			return Input{RandInt, max(lo, -5), min(hi, 8)}
		case 1:
			return Input{RandInt, max(lo, -0x1p53), min(hi, 0x1p53)}
		}
		return Input{Constant, min(hi, float64(g.r.IntN(9))), 0}
	case t == array.F8E8M0 || t == array.F4E2M1:
		return Input{Uniform, 0.5, 6}
	case g.integral:
		return pick(g, []Input{{RandInt, -3, 4}, {RandInt, 0, 3}, {RandInt, -8, 9}, {Constant, 1, 0}})
	}
	return pick(g, []Input{{Normal, 0, 1}, {Uniform, -2, 2}, {Uniform, 0.5, 2}, {RandInt, -4, 5}, {Normal, 0, 100}})
}

// output adds an out, inout or shared tensor.
func (g *generator) output() {
	a := &Array{Name: g.name("Y"), Kind: Out, Elem: g.elem(), Strided: g.chance(15)}
	switch g.weighted(6, 2, 1) {
	case 1:
		a.Kind = InOut
	case 2:
		g.shared()
	}
	if a.Elem.Bits() < 8 && (a.Strided || !g.chance(4)) {
		a.Elem = array.I32
	}
	a.Generic = g.isGeneric(a.Elem)
	for i, x := range g.p.Grid {
		s := Size{Dim: x.Dim, Factor: 1}
		if x.Dim == "" {
			s = Size{Extent: &Extent{N: x.Count, Kind: Literal}}
		}
		a.Shape = append(a.Shape, s)
		a.Owned = append(a.Owned, i)
	}
	if len(a.Shape) < 4 && g.chance(2) {
		a.Shape, a.Owned = append(a.Shape, g.ownSize()), append(a.Owned, -1)
	}
	g.r.Shuffle(len(a.Shape), func(i, j int) {
		a.Shape[i], a.Shape[j] = a.Shape[j], a.Shape[i]
		a.Owned[i], a.Owned[j] = a.Owned[j], a.Owned[i]
	})
	if last := a.Shape[len(a.Shape)-1]; a.Elem.Bits() < 8 && (a.Owned[len(a.Owned)-1] >= 0 || last.Extent == nil) {
		a.Elem, a.Generic = array.I8, false // bytes must have one owner
	}
	if a.Kind == InOut {
		a.Input = g.contents(a.Elem)
		g.arrays = append(g.arrays, a)
	}
	g.p.Params = append(g.p.Params, a)
}

func (g *generator) ownSize() Size {
	if len(g.loopDims) > 0 && g.chance(2) {
		return Size{Dim: pick(g, g.loopDims), Factor: 1}
	}
	return Size{Extent: g.fixed()}
}

// shared adds a tensor for atomics.
func (g *generator) shared() {
	elem := pick(g, []array.DType{array.I32, array.I32, array.F32, array.U32, array.I64, array.U64, array.F16, array.BF16, array.F64})
	a := &Array{Name: g.name("H"), Kind: Shared, Elem: elem}
	for range 1 + g.r.IntN(2) {
		a.Shape = append(a.Shape, Size{Extent: g.fixed()})
	}
	a.Input = g.contents(elem)
	if elem.IsFloat() {
		a.Input = Input{RandInt, -3, 4}
	}
	g.p.Params = append(g.p.Params, a)
}

// function adds a function on scalars.
func (g *generator) function() {
	f := &Func{Name: g.name("f"), Result: array.F32}
	outer, palette := g.scalars, g.palette
	g.scalars, g.palette = nil, nil
	for range 1 + g.r.IntN(2) {
		s := &Scalar{Name: g.name("a"), Type: typeOf(array.F32), Param: true}
		f.Params = append(f.Params, s)
		g.scalars = append(g.scalars, s)
	}
	arrays := g.arrays
	g.arrays = nil
	f.Body = g.expr(typeOf(array.F32), 2, nil)
	g.scalars, g.arrays, g.palette = outer, arrays, palette
	g.p.Funcs = append(g.p.Funcs, f)
}

// launches draws the values of dimensions and scalars.
func (g *generator) launches() {
	for range 2 + g.r.IntN(2) {
		l := &Launch{Dims: map[string]int64{}, Scalars: map[string]float64{}}
		g.gridDims(l)
		for _, name := range g.p.dims() {
			if _, ok := l.Dims[name]; !ok {
				l.Dims[name] = g.size(pick(g, g.palette).N, 3)
			}
		}
		g.limitTensors(l)
		for _, s := range g.p.Scalars {
			l.Scalars[s.Name] = g.scalarValue(s.Type.Elem)
		}
		g.p.Launches = append(g.p.Launches, l)
	}
}

// maxTensor bounds the elements of a tensor.
const maxTensor = 1 << 17

// limitTensors makes dimensions smaller until no tensor is too large.
func (g *generator) limitTensors(l *Launch) {
	for _, a := range g.p.Params {
		for d := 0; a.elements(l) > maxTensor && d < 16*len(a.Shape); d++ {
			if name := a.Shape[d%len(a.Shape)].Dim; name != "" && l.Dims[name] > 1 {
				l.Dims[name] = (l.Dims[name] + 1) / 2
			}
		}
	}
}

// elements is the size of a tensor in a launch.
func (a *Array) elements(l *Launch) int64 {
	n := int64(1)
	for _, s := range a.Shape {
		if s.Extent != nil {
			n *= s.Extent.N
		} else {
			n *= s.Factor * l.Dims[s.Dim]
		}
	}
	return n
}

// maxInstances bounds the grid of a launch.
const maxInstances = 12

func (g *generator) gridDims(l *Launch) {
	total := int64(1)
	for _, a := range g.p.Grid {
		if a.Dim == "" {
			total *= a.Count
		}
	}
	for _, a := range g.p.Grid {
		if a.Dim == "" {
			continue
		}
		most := max(1, min(4, maxInstances/max(total, 1)))
		l.Dims[a.Dim] = g.size(a.Block.N, most)
		total *= a.count(l)
	}
}

// size draws a dimension that has up to some blocks of a length.
func (g *generator) size(block, most int64) int64 {
	whole := block * (1 + g.r.Int64N(most))
	switch g.weighted(3, 3, 2, 2, 1, 1) {
	case 0:
		return whole
	case 1:
		return max(1, whole-1-g.r.Int64N(max(block-1, 1)))
	case 2:
		return max(1, whole/8*8)
	case 3:
		return 1 + g.r.Int64N(whole)
	case 4:
		return 1
	}
	if g.chance(4) {
		return 0
	}
	return max(1, whole-1)
}

func (g *generator) scalarValue(t array.DType) float64 {
	switch {
	case t == array.Bool:
		return float64(g.r.IntN(2))
	case t.IsUnsigned():
		return float64(g.r.IntN(10))
	case t.IsInt():
		return float64(g.r.IntN(14) - 4)
	case g.integral:
		return float64(g.r.IntN(7) - 3)
	}
	return pick(g, []float64{0.5, 1, -1, 2, 0.25, 1.5, 3.25, -0.75, 0.1})
}
