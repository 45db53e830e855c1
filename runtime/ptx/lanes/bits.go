package lanes

import "math/bits"

func and32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func or32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func and64(a, b uint64) uint64 { return a & b }
func or64(a, b uint64) uint64  { return a | b }
func xor64(a, b uint64) uint64 { return a ^ b }

// logic is and, or, xor on bits; predicates are the machine's own.
func logic(f32 Fn, f64 func(a, b uint64) uint64) func(*mods) (Op, bool) {
	return func(m *mods) (Op, bool) {
		t := m.typ()
		switch t {
		case B32, B16:
			return op2(f32, t, t, t)
		case B64:
			return op2(lift2(f64), t, t, t)
		}
		return Op{}, false
	}
}

func not(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case B16, B32:
		return op1(lift1(func(a uint32) uint32 { return cut(t, ^a) }), t, t)
	case B64:
		return op1(lift1(func(a uint64) uint64 { return ^a }), t, t)
	}
	return Op{}, false
}

func cnot(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case B16, B32:
		return op1(lift1(func(a uint32) uint32 { return flag32(a == 0) }), t, t)
	case B64:
		return op1(lift1(func(a uint64) uint64 { return uint64(flag32(a == 0)) }), t, t)
	}
	return Op{}, false
}

func flag32(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Shift counts are unsigned 32-bit; those over the width shift everything out.
func shl(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case B16:
		return op2(lift2(func(a, n uint32) uint32 { return a << n & 0xffff }), t, t, U32)
	case B32:
		return op2(shl32, t, t, U32)
	case B64:
		return op2(shl64, t, t, U32)
	}
	return Op{}, false
}

func shl32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shr(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case B16, U16:
		return op2(lift2(func(a, n uint32) uint32 { return a >> n }), t, t, U32)
	case S16:
		return op2(lift2(func(a, n uint32) uint32 { return uint32(uint16(int16(a) >> n)) }), t, t, U32)
	case B32, U32:
		return op2(shrU32, t, t, U32)
	case S32:
		return op2(shrS32, t, t, U32)
	case B64, U64:
		return op2(shrU64, t, t, U32)
	case S64:
		return op2(lift2(func(a uint64, n uint32) uint64 { return uint64(int64(a) >> n) }), t, t, U32)
	}
	return Op{}, false
}

func shrU32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func shrS32(d, a, b, _ *V32) {
	for i := range d {
		d[i] = uint32(int32(a[i]) >> b[i])
	}
}

func shl64(d, a, b, _ *V32) {
	dd, aa := Wide(d), Wide(a)
	for i := range dd {
		dd[i] = aa[i] << b[i]
	}
}

func shrU64(d, a, b, _ *V32) {
	dd, aa := Wide(d), Wide(a)
	for i := range dd {
		dd[i] = aa[i] >> b[i]
	}
}

// shf is the funnel shift of b:a, high word b.
func shf(m *mods) (Op, bool) {
	dir, mode := m.pick("l", "r"), m.pick("wrap", "clamp")
	if dir == "" || mode == "" || m.typ() != B32 {
		return Op{}, false
	}
	return op3(lift3(func(a, b, c uint32) uint32 {
		n := c & 31
		if mode == "clamp" {
			n = min(c, 32)
		}
		v := uint64(b)<<32 | uint64(a)
		if dir == "l" {
			return uint32(v << n >> 32)
		}
		return uint32(v >> n)
	}), B32, B32, B32, U32)
}

// lop3 takes its table as the last operand, always an immediate.
func lop3(m *mods) (Op, bool) {
	if m.typ() != B32 {
		return Op{}, false
	}
	// The machine binds the table; see Lop3.
	return Op{Res: B32, Args: []Type{B32, B32, B32, U32}}, true
}

// Lop3 returns the function of three inputs with that truth table: bit abc of it is the result for those bits.
func Lop3(table uint8) Fn {
	return func(d, a, b, c *V32) {
		for i := range d {
			x, y, z := a[i], b[i], c[i]
			r := uint32(0)
			for t := range 8 {
				if table>>t&1 == 0 {
					continue
				}
				p := ^uint32(0)
				for k, v := range [3]uint32{z, y, x} {
					if t>>k&1 == 1 {
						p &= v
					} else {
						p &^= v
					}
				}
				r |= p
			}
			d[i] = r
		}
	}
}

func bfe(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case U32, S32:
		return op3(lift3(func(a, b, c uint32) uint32 {
			return uint32(extract(uint64(extend64(t, a)), b, c, 32, t.IsSigned()))
		}), t, t, U32, U32)
	case U64, S64:
		return op3(lift3(func(a uint64, b, c uint32) uint64 { return extract(a, b, c, 64, t.IsSigned()) }), t, t, U32, U32)
	}
	return Op{}, false
}

func extend64(t Type, x uint32) int64 {
	if t.IsSigned() {
		return int64(int32(x))
	}
	return int64(x)
}

// extract is bfe: the low 8 bits of pos and len count, and a field that passes
// the end of the operand is filled from its sign bit.
func extract(a uint64, pos, n uint32, width uint32, signed bool) uint64 {
	p, l := pos&0xff, n&0xff
	if l == 0 {
		return 0
	}
	fill := uint64(0)
	if signed {
		fill = -(a >> min(p+l-1, width-1) & 1)
	}
	if l >= 64 {
		if p >= width {
			return fill
		}
		if signed {
			return uint64(int64(a) >> p)
		}
		return a >> p
	}
	v := fill
	if p < width {
		if signed {
			v = uint64(int64(a) >> p)
		} else {
			v = a >> p
		}
	}
	mask := uint64(1)<<l - 1
	return v&mask | fill&^mask
}

func bfi(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case B32:
		return Op{Res: t, Args: []Type{t, t, U32, U32}}, true
	case B64:
		return Op{Res: t, Args: []Type{t, t, U32, U32}}, true
	}
	return Op{}, false
}

// Insert32 is bfi.b32: the low n bits of a put into b at pos; both counted in their low 8 bits.
func Insert32(a, b, pos, n uint32) uint32 { return uint32(insert(uint64(a), uint64(b), pos, n, 32)) }

// Insert64 is bfi.b64.
func Insert64(a, b uint64, pos, n uint32) uint64 { return insert(a, b, pos, n, 64) }

func insert(a, b uint64, pos, n, width uint32) uint64 {
	p, l := pos&0xff, n&0xff
	if p >= width || l == 0 {
		return b
	}
	mask := ^uint64(0)
	if l < 64 {
		mask = 1<<l - 1
	}
	mask <<= p
	return b&^mask | a<<p&mask
}

func bfind(m *mods) (Op, bool) {
	amt := m.flag("shiftamt")
	t := m.typ()
	find := func(v uint64, width int) uint32 {
		if t.IsSigned() && v>>(width-1)&1 == 1 {
			v = ^v
			if width == 32 {
				v &= 0xffffffff
			}
		}
		if v == 0 {
			return ^uint32(0)
		}
		n := bits.Len64(v) - 1
		if amt {
			return uint32(width - 1 - n)
		}
		return uint32(n)
	}
	switch t {
	case U32, S32:
		return op1(lift1(func(a uint32) uint32 { return find(uint64(a), 32) }), U32, t)
	case U64, S64:
		return op1(lift1(func(a uint64) uint32 { return find(a, 64) }), U32, t)
	}
	return Op{}, false
}

func brev(m *mods) (Op, bool) {
	t := m.typ()
	switch t {
	case B32:
		return op1(lift1(bits.Reverse32), t, t)
	case B64:
		return op1(lift1(bits.Reverse64), t, t)
	}
	return Op{}, false
}

func clz(m *mods) (Op, bool) {
	switch t := m.typ(); t {
	case B32:
		return op1(lift1(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) }), U32, t)
	case B64:
		return op1(lift1(func(a uint64) uint32 { return uint32(bits.LeadingZeros64(a)) }), U32, t)
	}
	return Op{}, false
}

func popc(m *mods) (Op, bool) {
	switch t := m.typ(); t {
	case B32:
		return op1(lift1(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }), U32, t)
	case B64:
		return op1(lift1(func(a uint64) uint32 { return uint32(bits.OnesCount64(a)) }), U32, t)
	}
	return Op{}, false
}

func bmsk(m *mods) (Op, bool) {
	mode := m.pick("clamp", "wrap")
	if mode == "" || m.typ() != B32 {
		return Op{}, false
	}
	return op2(lift2(func(a, b uint32) uint32 {
		if mode == "wrap" {
			a, b = a&31, b&31
		}
		if a >= 32 {
			return 0
		}
		if b >= 32 {
			return ^uint32(0) << a
		}
		return (1<<b - 1) << a
	}), B32, U32, U32)
}

func szext(m *mods) (Op, bool) {
	mode, t := m.pick("clamp", "wrap"), m.typ()
	if mode == "" || t != U32 && t != S32 {
		return Op{}, false
	}
	return op2(lift2(func(a, b uint32) uint32 {
		if mode == "wrap" {
			b &= 31
		}
		switch {
		case b == 0:
			return 0
		case b >= 32:
			return a
		case t == S32:
			return uint32(int32(a<<(32-b)) >> (32 - b))
		}
		return a & (1<<b - 1)
	}), t, t, U32)
}

// fns finds the n-th set bit from the base, upwards for positive n.
func fns(m *mods) (Op, bool) {
	if m.typ() != B32 {
		return Op{}, false
	}
	return op3(lift3(func(mask, base, offset uint32) uint32 {
		pos, n := int32(base), int32(offset)
		if n == 0 {
			if pos >= 0 && pos < 32 && mask>>pos&1 == 1 {
				return base
			}
			return ^uint32(0)
		}
		step := int32(1)
		if n < 0 {
			step, n = -1, -n
		}
		for ; pos >= 0 && pos < 32; pos += step {
			if mask>>pos&1 == 1 {
				if n--; n == 0 {
					return uint32(pos)
				}
			}
		}
		return ^uint32(0)
	}), B32, B32, B32, S32)
}
