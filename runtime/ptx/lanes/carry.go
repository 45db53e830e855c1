package lanes

import "math/bits"

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
