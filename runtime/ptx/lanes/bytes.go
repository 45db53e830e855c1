package lanes

func prmt(m *mods) (Op, bool) {
	mode := m.pick("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
	if m.typ() != B32 {
		return Op{}, false
	}
	return op3(lift3(func(a, b, c uint32) uint32 { return permute(a, b, c, mode) }), B32, B32, B32, B32)
}

// permute picks four of the eight bytes of b:a. In the default mode a nibble of
// the selector gives the byte and, in its top bit, asks for the sign of it instead.
func permute(a, b, sel uint32, mode string) uint32 {
	v := uint64(b)<<32 | uint64(a)
	r := uint32(0)
	n := sel & 3
	for i := range uint32(4) {
		k := i
		switch mode {
		case "":
			k = sel >> (4 * i) & 0xf
		case "f4e":
			k = n + i
		case "b4e":
			k = (n - i) & 7
		case "rc8":
			k = n
		case "ecl":
			k = max(i, n)
		case "ecr":
			k = min(i, n)
		case "rc16":
			k = i&1 + n&1*2
		}
		by := uint32(v >> (8 * (k & 7)) & 0xff)
		if k&8 != 0 {
			by = -(by >> 7) & 0xff
		}
		r |= by << (8 * i)
	}
	return r
}

func byteOf(x uint32, i int, signed bool) int32 {
	b := x >> (8 * i) & 0xff
	if signed {
		return int32(int8(b))
	}
	return int32(b)
}

func dp4a(m *mods) (Op, bool) {
	ta, tb := m.typ(), m.typ()
	if ta != U32 && ta != S32 || tb != U32 && tb != S32 {
		return Op{}, false
	}
	res := U32
	if ta == S32 || tb == S32 {
		res = S32
	}
	return op3(lift3(func(a, b, c uint32) uint32 {
		for i := range 4 {
			c += uint32(byteOf(a, i, ta == S32) * byteOf(b, i, tb == S32))
		}
		return c
	}), res, B32, B32, res)
}

func dp2a(m *mods) (Op, bool) {
	part, ta, tb := m.pick("lo", "hi"), m.typ(), m.typ()
	if part == "" || ta != U32 && ta != S32 || tb != U32 && tb != S32 {
		return Op{}, false
	}
	res, base := U32, 0
	if ta == S32 || tb == S32 {
		res = S32
	}
	if part == "hi" {
		base = 2
	}
	return op3(lift3(func(a, b, c uint32) uint32 {
		for i := range 2 {
			half := int32(a >> (16 * i) & 0xffff)
			if ta == S32 {
				half = int32(int16(half))
			}
			c += uint32(half * byteOf(b, base+i, tb == S32))
		}
		return c
	}), res, B32, B32, res)
}

// video4 is a SIMD video instruction on four bytes: with .add the results are
// summed into c, without it they are packed (PTX ISA, "SIMD Video Instructions").
func video4(f func(a, b int32) int32) func(*mods) (Op, bool) {
	return func(m *mods) (Op, bool) {
		td, ta, tb := m.typ(), m.typ(), m.typ()
		sat, sum := m.flag("sat"), m.flag("add")
		for _, t := range []Type{td, ta, tb} {
			if t != U32 && t != S32 {
				return Op{}, false
			}
		}
		if sat && sum {
			return Op{}, false
		}
		return op3(lift3(func(a, b, c uint32) uint32 {
			r := c
			for i := range 4 {
				v := f(byteOf(a, i, ta == S32), byteOf(b, i, tb == S32))
				switch {
				case sum:
					r += uint32(v)
					continue
				case sat && td == S32:
					v = min(max(v, -128), 127)
				case sat:
					v = min(max(v, 0), 255)
				}
				r = r&^(0xff<<(8*i)) | uint32(v)&0xff<<(8*i)
			}
			return r
		}), td, ta, tb, td)
	}
}

func vadd4(a, b int32) int32 { return a + b }

func vsub4(a, b int32) int32 { return a - b }

func vabsdiff4(a, b int32) int32 { return max(a-b, b-a) }

func vavrg4(a, b int32) int32 { return (a + b + 1) >> 1 }

func vmin4(a, b int32) int32 { return min(a, b) }

func vmax4(a, b int32) int32 { return max(a, b) }
