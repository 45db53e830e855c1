package interp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tilec/ir"
	"tilec/runtime/array"
)

// reference runs maps, copies and reductions on f32, index and bool values one
// point at a time, as plainly as can be.
type reference struct {
	bufs map[*ir.Buffer]*plain
	vars map[*ir.Var]int64
	bad  bool // an access was out of bounds or unwritten
}

// plain is contents by element; elements that are missing are not written.
type plain struct {
	ext  []int64
	vals map[int64]float64
}

func (p *plain) at(idx []int64) (int64, bool) {
	off := int64(0)
	for d, i := range idx {
		if i < 0 || i >= p.ext[d] {
			return 0, false
		}
		off = off*p.ext[d] + i
	}
	return off, true
}

func (r *reference) indices(a *ir.Access) []int64 {
	var idx []int64
	for _, x := range a.Index {
		idx = append(idx, int64(r.eval(x)))
	}
	return idx
}

func (r *reference) load(a *ir.Access) float64 {
	if a.Guard != nil && r.eval(a.Guard) == 0 {
		if a.Else == nil {
			return 0
		}
		return r.eval(a.Else)
	}
	idx := r.indices(a)
	p := r.bufs[a.Buf]
	off, ok := p.at(idx)
	v, written := p.vals[off]
	if !ok || !written {
		r.bad = true
	}
	return v
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (r *reference) eval(e *ir.Expr) float64 {
	arg := func(i int) float64 { return r.eval(e.Args[i]) }
	f32 := func(x float64) float64 {
		if e.Type == array.F32 {
			return float64(float32(x))
		}
		return x
	}
	switch e.Op {
	case ir.Const:
		if e.Type.IsFloat() {
			return f32(e.Float)
		}
		return float64(e.Int)
	case ir.Ref:
		return float64(r.vars[e.Var])
	case ir.Load:
		return r.load(e.At)
	case ir.Cast:
		return f32(arg(0))
	case ir.Select:
		if arg(0) != 0 {
			return arg(1)
		}
		return arg(2)
	case ir.And:
		if arg(0) == 0 {
			return 0
		}
		return arg(1)
	case ir.Or:
		if arg(0) != 0 {
			return 1
		}
		return arg(1)
	case ir.Not:
		return 1 - arg(0)
	case ir.Add:
		return f32(arg(0) + arg(1))
	case ir.Sub:
		return f32(arg(0) - arg(1))
	case ir.Mul:
		return f32(arg(0) * arg(1))
	case ir.Max:
		return larger(arg(0), arg(1))
	case ir.Div:
		y := arg(1)
		if y == 0 {
			return 0
		}
		return math.Floor(arg(0) / y)
	case ir.Mod:
		y := arg(1)
		if y == 0 {
			return 0
		}
		x := arg(0)
		return x - math.Floor(x/y)*y
	case ir.Eq:
		return truth(arg(0) == arg(1))
	case ir.Ne:
		return truth(arg(0) != arg(1))
	case ir.Lt:
		return truth(arg(0) < arg(1))
	case ir.Le:
		return truth(arg(0) <= arg(1))
	case ir.Gt:
		return truth(arg(0) > arg(1))
	case ir.Ge:
		return truth(arg(0) >= arg(1))
	}
	panic(fmt.Sprint("reference: ", e.Op))
}

// larger and smaller give the other operand when one is nan.
func larger(x, y float64) float64 {
	if x != x || y != y {
		return pick(x, y)
	}
	return math.Max(x, y)
}

func smaller(x, y float64) float64 {
	if x != x || y != y {
		return pick(x, y)
	}
	return math.Min(x, y)
}

// each visits the points of a domain.
func (r *reference) each(iters []ir.Iter, f func()) {
	if len(iters) == 0 {
		f()
		return
	}
	for i := range iters[0].Extent.Int {
		r.vars[iters[0].Var] = i
		r.each(iters[1:], f)
	}
}

func (r *reference) run(op *ir.Op) {
	type write struct {
		off int64
		val float64
	}
	var writes []write
	holds := func(c *ir.Expr) bool { return c == nil || r.eval(c) != 0 }
	store := func(value func() float64) {
		if !holds(op.Dst.Guard) {
			return
		}
		idx := r.indices(op.Dst)
		v := value()
		off, ok := r.bufs[op.Dst.Buf].at(idx)
		if !ok {
			r.bad = true
			return
		}
		writes = append(writes, write{off, v})
	}
	switch op.Code {
	case ir.OpMap:
		r.each(op.Dom, func() {
			if holds(op.Where) {
				store(func() float64 { return r.eval(op.X[0]) })
			}
		})
	case ir.OpReduce:
		r.each(op.Dom, func() {
			acc, n := map[ir.Combine]float64{ir.MaxOf: math.Inf(-1), ir.MinOf: math.Inf(1)}[op.Combine], -1
			best := math.NaN()
			if !holds(op.Dst.Guard) {
				return
			}
			r.each(op.Red, func() {
				n++
				if !holds(op.Where) {
					return
				}
				v := r.eval(op.X[0])
				switch op.Combine {
				case ir.Sum:
					acc = float64(float32(acc) + float32(v))
				case ir.MaxOf:
					acc = larger(acc, v)
				case ir.MinOf:
					acc = smaller(acc, v)
				case ir.ArgMax:
					if v == v && (best != best || v > best) {
						best, acc = v, float64(n)
					}
				}
			})
			store(func() float64 {
				if op.Accumulate {
					old := r.load(&ir.Access{Buf: op.Dst.Buf, Index: op.Dst.Index})
					switch op.Combine {
					case ir.Sum:
						return float64(float32(old) + float32(acc))
					case ir.MaxOf:
						return larger(old, acc)
					case ir.MinOf:
						return smaller(old, acc)
					}
				}
				return acc
			})
		})
	}
	for _, w := range writes {
		r.bufs[op.Dst.Buf].vals[w.off] = w.val
	}
}

// generator draws small functions: X[4, 5] and ids[6] in, Y[4, 5] and Z[4, 5] of
// index type out, a tile between them.
type generator struct {
	*rapid.T
	x, ids, y, z, mid *ir.Buffer
	readable          []*ir.Buffer // f32 buffers
}

func (g *generator) int(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(g.T, "n") }

func (g *generator) index(vars []*ir.Var, depth int) *ir.Expr {
	switch g.int(0, 9) {
	case 0:
		return ir.Int(int64(g.int(-1, 5)))
	case 1, 2, 3, 4:
		if len(vars) > 0 {
			return ir.RefTo(rapid.SampledFrom(vars).Draw(g.T, "var"))
		}
		return ir.Int(int64(g.int(0, 3)))
	case 5, 6:
		if depth > 0 {
			op := rapid.SampledFrom([]ir.ExprOp{ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod}).Draw(g.T, "op")
			return ir.Bin(op, g.index(vars, depth-1), g.index(vars, depth-1))
		}
	case 7:
		if depth > 0 {
			return ir.CastTo(ir.Index, ir.LoadAt(g.access(g.ids, vars, depth-1)))
		}
	case 8:
		if depth > 0 {
			return ir.SelectOf(g.cond(vars, depth-1), g.index(vars, depth-1), g.index(vars, depth-1))
		}
	}
	if len(vars) > 0 {
		return ir.RefTo(vars[len(vars)-1])
	}
	return ir.Int(0)
}

func (g *generator) cond(vars []*ir.Var, depth int) *ir.Expr {
	switch g.int(0, 5) {
	case 0:
		if depth > 0 {
			return ir.Bin(ir.And, g.cond(vars, depth-1), g.cond(vars, depth-1))
		}
	case 1:
		if depth > 0 {
			return ir.Bin(ir.Or, g.cond(vars, depth-1), g.cond(vars, depth-1))
		}
	case 2:
		if depth > 0 {
			return ir.Un(ir.Not, g.cond(vars, depth-1))
		}
	case 3:
		if depth > 0 {
			return ir.Bin(ir.Lt, g.value(vars, depth-1), g.value(vars, depth-1))
		}
	}
	op := rapid.SampledFrom([]ir.ExprOp{ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge}).Draw(g.T, "op")
	return ir.Bin(op, g.index(vars, depth), g.index(vars, depth))
}

// access draws an access, mostly guarded so that most functions run.
func (g *generator) access(b *ir.Buffer, vars []*ir.Var, depth int) *ir.Access {
	a := &ir.Access{Buf: b}
	for d := range b.Shape {
		x := g.index(vars, depth)
		if g.int(0, 9) > 0 {
			a.Guard = ir.Conj(a.Guard, ir.Bin(ir.Ge, x, ir.Int(0)), ir.Bin(ir.Lt, x, b.Shape[d]))
		}
		a.Index = append(a.Index, x)
	}
	if b.Elem == array.F32 && g.int(0, 3) == 0 {
		a.Else = g.value(vars, 0)
	}
	return a
}

func (g *generator) value(vars []*ir.Var, depth int) *ir.Expr {
	switch g.int(0, 5) {
	case 0:
		if depth > 0 {
			op := rapid.SampledFrom([]ir.ExprOp{ir.Add, ir.Sub, ir.Mul, ir.Max}).Draw(g.T, "op")
			return ir.Bin(op, g.value(vars, depth-1), g.value(vars, depth-1))
		}
	case 1:
		if depth > 0 {
			return ir.SelectOf(g.cond(vars, depth-1), g.value(vars, depth-1), g.value(vars, depth-1))
		}
	case 2, 3, 4:
		if depth > 0 {
			return ir.LoadAt(g.access(rapid.SampledFrom(g.readable).Draw(g.T, "buffer"), vars, depth-1))
		}
	}
	return ir.FloatOf(array.F32, float64(g.int(-3, 3)))
}

func (g *generator) op(dst *ir.Buffer) *ir.Op {
	iter := func(name string, n int) ir.Iter {
		return ir.Iter{Var: &ir.Var{Name: name, Type: ir.Index, Kind: ir.IterVar}, Extent: ir.Int(int64(n))}
	}
	i, j, k := iter("i", 4), iter("j", 5), iter("k", g.int(1, 4))
	op := &ir.Op{Code: ir.OpMap, Dom: []ir.Iter{i, j}, Dst: &ir.Access{Buf: dst, Index: []*ir.Expr{ir.RefTo(i.Var), ir.RefTo(j.Var)}}}
	vars := []*ir.Var{i.Var, j.Var}
	if g.int(0, 2) == 0 {
		op.Code, op.Red = ir.OpReduce, []ir.Iter{k}
		op.Combine = rapid.SampledFrom([]ir.Combine{ir.Sum, ir.MaxOf, ir.MinOf}).Draw(g.T, "combine")
		op.Accumulate = g.int(0, 3) == 0 && dst.Kind == ir.Tile
	}
	all := vars
	if op.Red != nil {
		all = append(all[:2:2], k.Var)
	}
	op.X = []*ir.Expr{g.value(all, 3)}
	if dst == g.z {
		op.Accumulate = false
		if op.Code == ir.OpReduce {
			op.Combine = ir.ArgMax
		} else {
			op.X[0] = g.index(all, 3)
		}
	}
	if g.int(0, 2) == 0 {
		op.Where = g.cond(all, 2)
	}
	if g.int(0, 3) == 0 {
		op.Dst.Guard = g.cond(vars, 1)
	}
	if g.int(0, 5) == 0 { // a permutation that stays in bounds
		op.Dst.Index[1] = ir.Bin(ir.Sub, ir.Int(4), ir.RefTo(j.Var))
	}
	return op
}

func TestAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tensor := func(name string, e ir.DType, k ir.BufferKind, ext ...int64) *ir.Buffer {
			b := &ir.Buffer{Name: name, Elem: e, Kind: k}
			for _, n := range ext {
				b.Shape = append(b.Shape, ir.Int(n))
			}
			return b
		}
		g := &generator{T: t,
			x: tensor("X", array.F32, ir.In, 4, 5), ids: tensor("ids", array.I32, ir.In, 6),
			y: tensor("Y", array.F32, ir.Out, 4, 5), z: tensor("Z", ir.Index, ir.Out, 4, 5), mid: tensor("mid", array.F32, ir.Tile, 4, 5),
		}
		g.readable = []*ir.Buffer{g.x, g.mid}
		f := &ir.Func{Name: "f", Form: ir.TileForm, Body: &ir.Block{}}
		for _, b := range []*ir.Buffer{g.x, g.ids, g.y, g.z} {
			f.Params = append(f.Params, ir.Param{Tensor: b})
		}
		f.Body.Ops = append(f.Body.Ops, &ir.Op{Code: ir.OpAlloc, Buf: g.mid})
		i, j := &ir.Var{Name: "i", Type: ir.Index, Kind: ir.IterVar}, &ir.Var{Name: "j", Type: ir.Index, Kind: ir.IterVar}
		first := &ir.Op{Code: ir.OpMap, Dom: []ir.Iter{{Var: i, Extent: ir.Int(4)}, {Var: j, Extent: ir.Int(5)}},
			Dst: &ir.Access{Buf: g.mid, Index: []*ir.Expr{ir.RefTo(i), ir.RefTo(j)}}, X: []*ir.Expr{ir.FloatOf(array.F32, 1)}}
		if g.int(0, 3) == 0 {
			first.Where = ir.Bin(ir.Ne, ir.RefTo(j), ir.Int(3))
		}
		f.Body.Ops = append(f.Body.Ops, first, g.op(g.mid), g.op(g.mid), g.op(g.y), g.op(g.z))

		x := values(array.F32, func(i int) float64 { return float64(i*7%20) - 9 }, 4, 5)
		ids := values(array.I32, func(i int) float64 { return float64(i*5%7) - 1 }, 6)
		all := func(a *array.Array) map[int64]float64 {
			m := map[int64]float64{}
			for i := range a.Len() {
				m[int64(i)] = a.At(i)
			}
			return m
		}
		r := &reference{vars: map[*ir.Var]int64{}, bufs: map[*ir.Buffer]*plain{
			g.x: {[]int64{4, 5}, all(x)}, g.ids: {[]int64{6}, all(ids)},
			g.y: {[]int64{4, 5}, map[int64]float64{}}, g.z: {[]int64{4, 5}, map[int64]float64{}}, g.mid: {[]int64{4, 5}, map[int64]float64{}},
		}}
		for _, op := range f.Body.Ops {
			if !r.bad {
				r.run(op)
			}
		}
		res, err := Run(context.Background(), f, Args{Tensors: map[string]*array.Array{"X": x, "ids": ids}}, Options{Workers: 1})
		var fault *Fault
		if err != nil && !errors.As(err, &fault) {
			t.Skip(err) // malformed
		}
		if r.bad != (err != nil) {
			t.Fatalf("reference fails: %v; got %v\n%s", r.bad, err, ir.Print(f))
		}
		if r.bad {
			return
		}
		for _, b := range []*ir.Buffer{g.y, g.z} {
			for i := range 20 {
				want, written := r.bufs[b].vals[int64(i)]
				if res.Written(b.Name, i) != written {
					t.Fatalf("%s[%d]: written is %v\n%s", b.Name, i, !written, ir.Print(f))
				}
				if got := res.Tensors[b.Name].At(i); written && got != want && (got == got || want == want) {
					t.Fatalf("%s[%d] = %v, want %v\n%s", b.Name, i, got, want, ir.Print(f))
				}
			}
		}
	})
}
