package lanes

import "math/bits"

type (
	u1x32 = func(uint32) uint32
	u2x32 = func(uint32, uint32) uint32
)

// narrow wraps a 32-bit operation for a 16- or 8-bit type: operands are extended
// by sign where the type has one, and the result is cut.
func extend(t Type, x uint32) uint32 {
	switch t.Bits() {
	case 8:
		if t.IsSigned() {
			return uint32(int32(int8(x)))
		}
		return x & 0xff
	case 16:
		if t.IsSigned() {
			return uint32(int32(int16(x)))
		}
		return x & 0xffff
	}
	return x
}

func cut(t Type, x uint32) uint32 {
	switch t.Bits() {
	case 8:
		return x & 0xff
	case 16:
		return x & 0xffff
	}
	return x
}

// intOp1 builds a one-operand integer operation of any width from its 64-bit form.
func intOp1(t Type, f32 u1x32, f64 func(uint64) uint64) (Op, bool) {
	switch t.Bits() {
	case 8, 16:
		return op1(lift1(func(a uint32) uint32 { return cut(t, f32(extend(t, a))) }), t, t)
	case 32:
		return op1(lift1(f32), t, t)
	case 64:
		return op1(lift1(f64), t, t)
	}
	return Op{}, false
}

func intOp2(t Type, f32 u2x32, f64 func(a, b uint64) uint64) (Op, bool) {
	switch t.Bits() {
	case 8, 16:
		return op2(lift2(func(a, b uint32) uint32 { return cut(t, f32(extend(t, a), extend(t, b))) }), t, t, t)
	case 32:
		return op2(lift2(f32), t, t, t)
	case 64:
		return op2(lift2(f64), t, t, t)
	}
	return Op{}, false
}

// packed16 applies f to both halves.
func packed16(f func(a, b uint16) uint16) u2x32 {
	return func(a, b uint32) uint32 {
		return uint32(f(uint16(a), uint16(b))) | uint32(f(uint16(a>>16), uint16(b>>16)))<<16
	}
}

func saturate32(x int64) uint32 {
	return uint32(int32(min(max(x, -1<<31), 1<<31-1)))
}

func addSub(sub bool) func(*mods) (Op, bool) {
	return func(m *mods) (Op, bool) {
		cc, sat := m.flag("cc"), m.flag("sat")
		if !cc {
			if o, ok := floatAddSub(m, sub, sat); ok {
				return o, true
			}
		}
		t := m.typ()
		switch {
		case cc:
			return carryOp(t, sub, false)
		case sat:
			if t != S32 {
				return Op{}, false
			}
			if sub {
				return op2(lift2(func(a, b uint32) uint32 { return saturate32(int64(int32(a)) - int64(int32(b))) }), t, t, t)
			}
			return op2(lift2(func(a, b uint32) uint32 { return saturate32(int64(int32(a)) + int64(int32(b))) }), t, t, t)
		case (t == U16x2 || t == S16x2) && !sub:
			return op2(lift2(packed16(func(a, b uint16) uint16 { return a + b })), t, t, t)
		case !t.IsInt() || t.Bits() == 8:
			return Op{}, false
		case t.Bits() == 32 && sub:
			return op2(sub32, t, t, t)
		case t.Bits() == 32:
			return op2(add32, t, t, t)
		case t.Bits() == 64 && sub:
			return op2(sub64, t, t, t)
		case t.Bits() == 64:
			return op2(add64, t, t, t)
		case sub:
			return op2(lift2(func(a, b uint32) uint32 { return (a - b) & 0xffff }), t, t, t)
		}
		return op2(lift2(func(a, b uint32) uint32 { return (a + b) & 0xffff }), t, t, t)
	}
}

func add32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func add64(d, a, b, _ *V32) {
	dd, aa, bb := Wide(d), Wide(a), Wide(b)
	for i := range dd {
		dd[i] = aa[i] + bb[i]
	}
}

func sub64(d, a, b, _ *V32) {
	dd, aa, bb := Wide(d), Wide(a), Wide(b)
	for i := range dd {
		dd[i] = aa[i] - bb[i]
	}
}

// carryIn is addc and subc: with the carry in, and .cc to give one out.
func carryIn(sub bool) func(*mods) (Op, bool) {
	return func(m *mods) (Op, bool) {
		out := m.flag("cc")
		t := m.typ()
		o, ok := carryOp(t, sub, true)
		if ok && !out {
			inner := o.Carry
			o.Carry = func(d, a, b, c *V32, cc uint32) uint32 { inner(d, a, b, c, cc); return cc }
		}
		return o, ok
	}
}

// carryOp is add.cc, sub.cc, addc and subc. For subtraction the carry is the borrow.
func carryOp(t Type, sub, in bool) (Op, bool) {
	op := func(x, y, c uint64) (uint64, uint64) { return bits.Add64(x, y, c) }
	op32 := func(x, y, c uint32) (uint32, uint32) { return bits.Add32(x, y, c) }
	if sub {
		op = func(x, y, c uint64) (uint64, uint64) { return bits.Sub64(x, y, c) }
		op32 = func(x, y, c uint32) (uint32, uint32) { return bits.Sub32(x, y, c) }
	}
	o := Op{Res: t, Args: []Type{t, t}}
	switch t {
	case U32, S32, B32:
		o.Carry = func(d, a, b, _ *V32, cc uint32) (out uint32) {
			for i := range d {
				c := uint32(0)
				if in {
					c = cc >> i & 1
				}
				var r uint32
				r, c = op32(a[i], b[i], c)
				d[i] = r
				out |= c << i
			}
			return out
		}
	case U64, S64, B64:
		o.Carry = func(d, a, b, _ *V32, cc uint32) (out uint32) {
			dd, aa, bb := Wide(d), Wide(a), Wide(b)
			for i := range dd {
				c := uint64(0)
				if in {
					c = uint64(cc >> i & 1)
				}
				dd[i], c = op(aa[i], bb[i], c)
				out |= uint32(c) << i
			}
			return out
		}
	default:
		return Op{}, false
	}
	return o, true
}

func mulHi(t Type) u2x32 {
	if t.IsSigned() {
		return func(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }
	}
	return func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }
}

func mulHi64(t Type) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		hi, _ := bits.Mul64(a, b)
		if t.IsSigned() {
			hi -= uint64(int64(a)>>63)&b + uint64(int64(b)>>63)&a
		}
		return hi
	}
}

// product16 is the 32-bit product of two 16-bit operands.
func product16(t Type, a, b uint32) uint32 { return extend(t, a) * extend(t, b) }

// wider is the type twice as wide.
func wider(t Type) Type {
	switch t {
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	case S32:
		return S64
	}
	return NoType
}

func mul(m *mods) (Op, bool) {
	part := m.pick("lo", "hi", "wide")
	if part == "" {
		return floatMul(m)
	}
	t := m.typ()
	if !t.IsInt() || t.Bits() == 8 {
		return Op{}, false
	}
	switch {
	case part == "wide":
		w := wider(t)
		switch t {
		case U16, S16:
			return op2(lift2(func(a, b uint32) uint32 { return product16(t, a, b) }), w, t, t)
		case U32:
			return op2(mulWideU32, w, t, t)
		case S32:
			return op2(mulWideS32, w, t, t)
		}
		return Op{}, false
	case part == "lo" && t.Bits() == 32:
		return op2(mulLo32, t, t, t)
	case part == "lo":
		return intOp2(t, func(a, b uint32) uint32 { return a * b }, func(a, b uint64) uint64 { return a * b })
	case t.Bits() == 16:
		return op2(lift2(func(a, b uint32) uint32 { return product16(t, a, b) >> 16 }), t, t, t)
	}
	return intOp2(t, mulHi(t), mulHi64(t))
}

func mulLo32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func mulWideU32(d, a, b, _ *V32) {
	dd := Wide(d)
	for i := range dd {
		dd[i] = uint64(a[i]) * uint64(b[i])
	}
}

func mulWideS32(d, a, b, _ *V32) {
	dd := Wide(d)
	for i := range dd {
		dd[i] = uint64(int64(int32(a[i])) * int64(int32(b[i])))
	}
}

func mad(m *mods) (Op, bool) {
	part, cc, sat := m.pick("lo", "hi", "wide"), m.flag("cc"), m.flag("sat")
	if part == "" {
		return floatFMA(m, true)
	}
	t := m.typ()
	switch {
	case !t.IsInt() || t.Bits() == 8:
		return Op{}, false
	case cc:
		return madCarry(t, part, false, true)
	case sat:
		if t != S32 || part != "hi" {
			return Op{}, false
		}
		return op3(lift3(func(a, b, c uint32) uint32 {
			return saturate32(int64(int32(a))*int64(int32(b))>>32 + int64(int32(c)))
		}), t, t, t, t)
	case part == "wide":
		w := wider(t)
		switch t {
		case U16, S16:
			return op3(lift3(func(a, b, c uint32) uint32 { return product16(t, a, b) + c }), w, t, t, w)
		case U32:
			return op3(lift3(func(a, b uint32, c uint64) uint64 { return uint64(a)*uint64(b) + c }), w, t, t, w)
		case S32:
			return op3(madWideS32, w, t, t, w)
		}
		return Op{}, false
	case part == "lo" && t.Bits() == 32:
		return op3(madLo32, t, t, t, t)
	case part == "lo" && t.Bits() == 64:
		return op3(lift3(func(a, b, c uint64) uint64 { return a*b + c }), t, t, t, t)
	case part == "lo":
		return op3(lift3(func(a, b, c uint32) uint32 { return (a*b + c) & 0xffff }), t, t, t, t)
	case t.Bits() == 64:
		hi := mulHi64(t)
		return op3(lift3(func(a, b, c uint64) uint64 { return hi(a, b) + c }), t, t, t, t)
	case t.Bits() == 16:
		return op3(lift3(func(a, b, c uint32) uint32 { return (product16(t, a, b)>>16 + c) & 0xffff }), t, t, t, t)
	}
	hi := mulHi(t)
	return op3(lift3(func(a, b, c uint32) uint32 { return hi(a, b) + c }), t, t, t, t)
}

func madLo32(d, a, b, c *V32) {
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func madWideS32(d, a, b, c *V32) {
	dd, cc := Wide(d), Wide(c)
	for i := range dd {
		dd[i] = uint64(int64(int32(a[i]))*int64(int32(b[i]))) + cc[i]
	}
}

func madc(m *mods) (Op, bool) {
	part, out := m.pick("lo", "hi"), m.flag("cc")
	return madCarry(m.typ(), part, true, out)
}

// madCarry is mad.cc and madc, lo or hi.
func madCarry(t Type, part string, in, out bool) (Op, bool) {
	if t.Bits() != 32 && t.Bits() != 64 || part != "lo" && part != "hi" || !t.IsInt() {
		return Op{}, false
	}
	hi32, hi64 := mulHi(t), mulHi64(t)
	o := Op{Res: t, Args: []Type{t, t, t}}
	o.Carry = func(d, a, b, c *V32, cc uint32) uint32 {
		res := uint32(0)
		for i := range Width {
			carry := uint64(0)
			if in {
				carry = uint64(cc >> i & 1)
			}
			if t.Bits() == 32 {
				p := a[i] * b[i]
				if part == "hi" {
					p = hi32(a[i], b[i])
				}
				s := uint64(p) + uint64(c[i]) + carry
				d[i] = uint32(s)
				res |= uint32(s>>32) << i
				continue
			}
			p := Wide(a)[i] * Wide(b)[i]
			if part == "hi" {
				p = hi64(Wide(a)[i], Wide(b)[i])
			}
			Wide(d)[i], carry = bits.Add64(p, Wide(c)[i], carry)
			res |= uint32(carry) << i
		}
		if !out {
			return cc
		}
		return res
	}
	return o, true
}

// low24 takes the low 24 bits of an operand as a number of the type.
func low24(t Type, x uint32) int64 {
	if t == S32 {
		return int64(int32(x<<8) >> 8)
	}
	return int64(x & 0xffffff)
}

func mul24(m *mods) (Op, bool) {
	part, t := m.pick("lo", "hi"), m.typ()
	shift, ok := map[string]int{"lo": 0, "hi": 16}[part]
	if !ok || t != U32 && t != S32 {
		return Op{}, false
	}
	return op2(lift2(func(a, b uint32) uint32 { return uint32(low24(t, a) * low24(t, b) >> shift) }), t, t, t)
}

func mad24(m *mods) (Op, bool) {
	part, sat, t := m.pick("lo", "hi"), m.flag("sat"), m.typ()
	shift, ok := map[string]int{"lo": 0, "hi": 16}[part]
	if !ok || t != U32 && t != S32 || sat && (t != S32 || part != "hi") {
		return Op{}, false
	}
	return op3(lift3(func(a, b, c uint32) uint32 {
		p := low24(t, a) * low24(t, b) >> shift
		if sat {
			return saturate32(p + int64(int32(c)))
		}
		return uint32(p) + c
	}), t, t, t, t)
}

func sad(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case U16, U32, S16, S32:
		return op3(lift3(func(a, b, c uint32) uint32 {
			x, y := int64(extend(t, a)), int64(extend(t, b))
			if t.IsSigned() {
				x, y = int64(int32(extend(t, a))), int64(int32(extend(t, b)))
			}
			return cut(t, c+uint32(max(x-y, y-x)))
		}), t, t, t, t)
	case U64:
		return op3(lift3(func(a, b, c uint64) uint64 { return c + max(a, b) - min(a, b) }), t, t, t, t)
	case S64:
		return op3(lift3(func(a, b, c uint64) uint64 {
			return c + uint64(max(int64(a), int64(b))) - uint64(min(int64(a), int64(b)))
		}), t, t, t, t)
	}
	return Op{}, false
}

// div and rem: by zero the ISA leaves the result open; the quotient here is all
// ones and the remainder the dividend, as on the hardware.
func div(m *mods) (Op, bool) {
	if o, ok := floatDiv(m); ok {
		return o, true
	}
	t := m.typ()
	if t.IsSigned() {
		return intOp2(t, func(a, b uint32) uint32 {
			if b == 0 {
				return ^uint32(0)
			}
			return uint32(int32(a) / int32(b))
		}, func(a, b uint64) uint64 {
			if b == 0 {
				return ^uint64(0)
			}
			return uint64(int64(a) / int64(b))
		})
	}
	if t.IsFloat() || !t.IsInt() {
		return Op{}, false
	}
	return intOp2(t, func(a, b uint32) uint32 {
		if b == 0 {
			return ^uint32(0)
		}
		return a / b
	}, func(a, b uint64) uint64 {
		if b == 0 {
			return ^uint64(0)
		}
		return a / b
	})
}

func rem(m *mods) (Op, bool) {
	t := m.typ()
	if !t.IsInt() {
		return Op{}, false
	}
	if t.IsSigned() {
		return intOp2(t, func(a, b uint32) uint32 {
			if b == 0 {
				return a
			}
			return uint32(int32(a) % int32(b))
		}, func(a, b uint64) uint64 {
			if b == 0 {
				return a
			}
			return uint64(int64(a) % int64(b))
		})
	}
	return intOp2(t, func(a, b uint32) uint32 {
		if b == 0 {
			return a
		}
		return a % b
	}, func(a, b uint64) uint64 {
		if b == 0 {
			return a
		}
		return a % b
	})
}

func abs(m *mods) (Op, bool) {
	if o, ok := floatAbsNeg(m, true); ok {
		return o, true
	}
	t := m.typ()
	if !t.IsSigned() {
		return Op{}, false
	}
	return intOp1(t, func(a uint32) uint32 { return uint32(max(int32(a), -int32(a))) },
		func(a uint64) uint64 { return uint64(max(int64(a), -int64(a))) })
}

func neg(m *mods) (Op, bool) {
	if o, ok := floatAbsNeg(m, false); ok {
		return o, true
	}
	t := m.typ()
	if !t.IsSigned() {
		return Op{}, false
	}
	return intOp1(t, func(a uint32) uint32 { return -a }, func(a uint64) uint64 { return -a })
}

func minMax(isMax bool) func(*mods) (Op, bool) {
	return func(m *mods) (Op, bool) {
		if o, ok := floatMinMax(m, isMax); ok {
			return o, true
		}
		relu := m.flag("relu")
		t := m.typ()
		switch t {
		case U16x2:
			if relu {
				return Op{}, false
			}
			return op2(lift2(packed16(func(a, b uint16) uint16 {
				if isMax {
					return max(a, b)
				}
				return min(a, b)
			})), t, t, t)
		case S16x2:
			return op2(lift2(packed16(func(a, b uint16) uint16 {
				r := min(int16(a), int16(b))
				if isMax {
					r = max(int16(a), int16(b))
				}
				if relu {
					r = max(r, 0)
				}
				return uint16(r)
			})), t, t, t)
		}
		if t.Bits() == 8 || relu && t != S32 {
			return Op{}, false
		}
		switch {
		case t.IsSigned():
			return intOp2(t, func(a, b uint32) uint32 {
				r := min(int32(a), int32(b))
				if isMax {
					r = max(int32(a), int32(b))
				}
				if relu {
					r = max(r, 0)
				}
				return uint32(r)
			}, func(a, b uint64) uint64 {
				if isMax {
					return uint64(max(int64(a), int64(b)))
				}
				return uint64(min(int64(a), int64(b)))
			})
		case types[t].kind == unsignedKind:
			return intOp2(t, func(a, b uint32) uint32 {
				if isMax {
					return max(a, b)
				}
				return min(a, b)
			}, func(a, b uint64) uint64 {
				if isMax {
					return max(a, b)
				}
				return min(a, b)
			})
		}
		return Op{}, false
	}
}
