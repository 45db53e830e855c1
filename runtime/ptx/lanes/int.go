package lanes

import "math/bits"

type (
	u1x32 = func(uint32) uint32
	u2x32 = func(uint32, uint32) uint32
)

// extend and cut serve 16- and 8-bit types in 32-bit operations: operands are extended
// by sign where the type has one, and results are cut.
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
