package fuzz

import (
	"math"

	"tilec/runtime/array"
)

// expr is the value of an expression.
func (b *bounds) expr(e *Expr) value {
	v := b.node(e)
	if e.Type.Elem.IsFloat() {
		v = b.tame(e, v, e.Type.Elem)
	}
	return v
}

func (b *bounds) node(e *Expr) value {
	switch e.Op {
	case Lit:
		return b.literal(e)
	case Ref:
		if v, ok := b.local[e.Name]; ok {
			return v
		}
		return b.scalars[e.Name]
	case Idx:
		return b.local[e.Name]
	case Count:
		return exactly(float64(e.Extent.N))
	case Load:
		return b.load(e)
	case Unary:
		return b.unary(e)
	case Binary:
		return b.binary(e)
	case Call:
		return b.call(e)
	case Convert:
		x := b.expr(e.Args[0])
		v, ok := stored(x, e.Args[0].Type.Elem, e.Type.Elem)
		if !ok {
			return b.violate(e, "conversion")
		}
		return v
	case Bitcast:
		return b.bitcast(e)
	case Cond:
		b.condition(e.Args[0])
		return b.expr(e.Args[1]).join(b.expr(e.Args[2]))
	case Reduce:
		return b.reduce(e)
	case FuncCall:
		return b.function(e)
	case AtomicOld:
		for _, x := range e.Args {
			b.expr(x)
		}
		v := wrapped(value{lo: math.Inf(-1)}, e.Array.Elem)
		b.arrays[e.Array] = v
		return v
	}
	return value{}
}

func (b *bounds) literal(e *Expr) value {
	t := e.Type.Elem
	if t.IsFloat() {
		v, _ := roundedTo(exactly(e.Value), t)
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			return value{special: true, step: 1}
		}
		if t.Bits() >= 32 {
			r := float64(float32(e.Value))
			if t == array.F64 {
				r = e.Value
			}
			return exactly(r)
		}
		return v
	}
	return exactly(e.Value)
}

func (b *bounds) load(e *Expr) value {
	v, known := b.arrays[e.Array]
	outside := false
	for d, sub := range e.Args {
		s := b.expr(sub)
		if !s.exact() {
			b.violate(sub, "subscript")
		}
		if x := e.Array.Shape[d].Extent; x != nil && (s.lo < 0 || s.hi >= float64(x.N)) {
			outside = true
		}
	}
	if !known {
		return exactly(0)
	}
	switch {
	case e.Array.Kind != Tile:
		v = v.join(b.fill)
	case outside:
		v = v.join(exactly(0))
	}
	return v
}

func (b *bounds) unary(e *Expr) value {
	x := b.expr(e.Args[0])
	switch e.Name {
	case "-":
		if e.Type.Elem.IsFloat() {
			return negate(x)
		}
		return wrapped(negate(x), e.Type.Elem)
	case "~":
		return wrapped(value{lo: -x.hi - 1, hi: -x.lo - 1}, e.Type.Elem)
	}
	return value{hi: 1, err: x.err, step: 1}
}

func (b *bounds) binary(e *Expr) value {
	x, y := b.expr(e.Args[0]), b.expr(e.Args[1])
	t := e.Type.Elem
	switch e.Name {
	case "+":
		return add(x, y, t)
	case "-":
		return add(x, negate(y), t)
	case "*":
		return multiply(x, y, t)
	case "/", "%":
		return b.division(e, x, y)
	case "and", "or", "==", "!=", "<", "<=", ">", ">=":
		if !x.exact() || !y.exact() {
			return b.violate(e, "comparison")
		}
		return between(0, 1)
	case "&":
		if x.lo >= 0 || y.lo >= 0 {
			hi := x.hi
			if x.lo < 0 || y.lo >= 0 && y.hi < hi {
				hi = y.hi
			}
			return between(0, hi)
		}
	case ">>":
		if x.lo >= 0 {
			return between(0, x.hi)
		}
	}
	lo, hi := intLimits(t)
	return between(lo, hi)
}

func (b *bounds) division(e *Expr, x, y value) value {
	t := e.Type.Elem
	switch {
	case t.IsFloat() && e.Name == "/":
		v, ok := divide(x, y, t)
		if !ok {
			return b.violate(e, "division")
		}
		return v
	case t.IsFloat():
		if !x.exact() || !y.exact() || x.special || y.special || y.lo <= 0 && y.hi >= 0 {
			return b.violate(e, "remainder")
		}
		most := math.Max(y.most(), 0)
		return value{lo: -most, hi: most, err: 4 * unit(t) * (x.most() + most)}
	case e.Name == "%" && y.lo > 0:
		return between(0, y.hi-1)
	case e.Name == "/" && y.lo > 0:
		lo, hi := corners(x, y, func(a, b float64) float64 { return math.Floor(a / b) })
		return between(lo, hi)
	}
	lo, hi := intLimits(t)
	return between(lo, hi)
}

func (b *bounds) call(e *Expr) value {
	t := e.Type.Elem
	args := make([]value, len(e.Args))
	for i, a := range e.Args {
		args[i] = b.expr(a)
	}
	if f, ok := functionBounds[e.Name]; ok {
		v, ok := f(args[0], t)
		if !ok {
			return b.violate(e, e.Name)
		}
		return v
	}
	switch e.Name {
	case "abs":
		v := args[0]
		if !t.IsFloat() {
			return wrapped(value{lo: 0, hi: v.most()}, t)
		}
		lo := 0.0
		if v.lo > 0 || v.hi < 0 {
			lo = math.Min(math.Abs(v.lo), math.Abs(v.hi))
		}
		v.lo, v.hi = lo, v.most()
		return v
	case "min", "max":
		v := args[0].join(args[1])
		if !args[0].special && !args[1].special {
			if e.Name == "max" {
				v.lo = math.Max(args[0].lo, args[1].lo)
			} else {
				v.hi = math.Min(args[0].hi, args[1].hi)
			}
		}
		return v
	case "clamp":
		return args[0].join(args[1]).join(args[2])
	case "select":
		if !args[0].exact() {
			b.violate(e.Args[0], "condition")
		}
		return args[1].join(args[2])
	case "fma":
		return b.fused(args, t)
	case "pow":
		v, ok := power(args[0], args[1], t)
		if !ok {
			return b.violate(e, e.Name)
		}
		return v
	case "ceildiv":
		lo, hi := corners(args[0], args[1], func(x, y float64) float64 { return math.Ceil(x / y) })
		if args[1].lo <= 0 {
			return b.violate(e, e.Name)
		}
		return between(lo, hi)
	case "rand":
		return value{lo: 0, hi: 1, step: 0x1p-24}
	}
	return value{}
}

// fused is fma: the product is not rounded.
func (b *bounds) fused(args []value, t array.DType) value {
	v := multiply(args[0], args[1], t)
	inexact := v.err > 0 || args[2].err > 0 || args[2].product
	product := v.most()
	v.product = false
	v = value{lo: v.lo + args[2].lo, hi: v.hi + args[2].hi, err: v.err + args[2].err, special: v.special || args[2].special,
		step: math.Min(v.step, args[2].step)}
	return rounded(v, t, inexact, product+args[2].most())
}

// bitcast needs a value whose bits are beyond doubt: the sign of a zero and the bits
// of a nan are not, once anything was computed.
func (b *bounds) bitcast(e *Expr) value {
	x := b.expr(e.Args[0])
	from, to := e.Args[0].Type.Elem, e.Type.Elem
	if from.IsFloat() && (e.Args[0].Op != Load || e.Args[0].Array.Kind == Tile || e.Args[0].Array.Kind == Out || !x.exact()) {
		return b.violate(e, "bitcast")
	}
	if !to.IsFloat() {
		lo, hi := intLimits(to)
		return between(lo, hi)
	}
	if from.IsInt() && to == array.F32 && x.lo >= 0x3f800000 && x.hi <= 0x40000000 {
		return value{lo: 1, hi: 2}
	}
	return b.violate(e, "bitcast")
}

func (b *bounds) reduce(e *Expr) value {
	n := 1.0
	for _, x := range e.Over {
		n *= float64(x.Extent.N)
		b.local[x.Name] = between(0, float64(x.Extent.N-1))
	}
	v := b.expr(e.Args[0])
	t := e.Type.Elem
	skips := false // elements outside tensors
	walk(&e.Args[0], func(at **Expr) { skips = skips || (*at).Op == Load && (*at).Array.Kind != Tile })
	switch e.Name {
	case "sum":
		v, _ = stored(v, e.Args[0].Type.Elem, t)
		if f := e.Args[0]; f.Op == Binary && f.Name == "*" && t.IsFloat() {
			v.product = true
			if t == array.F32 && b.p.TF32 {
				v.err += b.tf32(b.expr(f.Args[0]), b.expr(f.Args[1]))
			}
		}
		s := repeated(v, n, t)
		if skips {
			s.lo, s.hi = math.Min(s.lo, 0), math.Max(s.hi, 0)
		}
		return s
	case "prod":
		v, _ = stored(v, e.Args[0].Type.Elem, t)
		if t.IsInt() {
			return wrapped(value{lo: math.Inf(-1)}, t)
		}
		one := v
		for i := 1.0; i < n; i++ {
			one = multiply(one, v, t)
			if one.step == 0 {
				one.err += 2 * unit(t) * one.most()
			}
			if one.most() > 1e15 || i > 64 {
				return b.violate(e, "product")
			}
		}
		v = v.join(one).join(exactly(1))
		v.product = true
		if v.step > 0 {
			v.product = false
		}
		return v
	case "max", "min":
		if skips && t.IsFloat() {
			v.special = true
		} else if skips {
			lo, hi := intLimits(t)
			v.lo, v.hi = lo, hi
		}
		if v.special && t.IsFloat() { // nothing but nan
			v.special = true
		}
		return v
	case "any", "all":
		if !v.exact() {
			return b.violate(e.Args[0], "condition")
		}
		return between(0, 1)
	}
	if !v.exact() {
		return b.violate(e.Args[0], e.Name)
	}
	return between(0, n-1)
}

func (b *bounds) function(e *Expr) value {
	for i, p := range e.Func.Params {
		b.local[p.Name] = b.stored(e.Args[i], b.expr(e.Args[i]), p.Type.Elem)
	}
	before := len(b.bad)
	v := b.expr(e.Func.Body)
	if len(b.bad) > before { // the call, not the function, is what must change
		b.bad = b.bad[:before]
		return b.violate(e, "function")
	}
	if v, ok := stored(v, e.Func.Body.Type.Elem, e.Func.Result); ok {
		return v
	}
	return b.violate(e, "function")
}
