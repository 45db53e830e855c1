package lanes

import (
	"math"

	"tilec/runtime/ptx/fp"
)

// conversion holds the modifiers of a cvt.
type conversion struct {
	mode      fp.Mode
	integer   string // rni, rzi, rmi, rpi
	rounded   bool   // a mode was stated
	ftz, sat  bool
	satfinite bool
	relu      bool
}

func cvt(m *mods) (Op, bool) {
	if m.flag("pack") {
		return cvtPack(m)
	}
	c := conversion{ftz: m.flag("ftz"), sat: m.flag("sat"), satfinite: m.flag("satfinite"), relu: m.flag("relu")}
	c.integer = m.pick("rni", "rzi", "rmi", "rpi")
	switch r := m.pick("rn", "rz", "rm", "rp", "rna"); r {
	case "":
	default:
		c.rounded = true
		c.mode = map[string]fp.Mode{"rn": fp.RN, "rz": fp.RZ, "rm": fp.RM, "rp": fp.RP, "rna": fp.RNA}[r]
	}
	td, ts := m.typ(), m.typ()
	if td == NoType || ts == NoType {
		return Op{}, false
	}
	scalar := func(t Type) bool { return t.IsInt() && t.Bits() <= 64 || t == F16 || t == BF16 || t == F32 || t == F64 }
	switch {
	case td == TF32 && ts == F32:
		return c.toTF32()
	case !scalar(td) || !scalar(ts):
		return c.packed(td, ts)
	case c.satfinite && !(td == F16 || td == BF16):
		return Op{}, false
	case td.IsFloat() && ts.IsFloat():
		return float(c.floatToFloat(td, ts))
	case td.IsFloat():
		return float(c.intToFloat(td, ts))
	case ts.IsFloat():
		return float(c.floatToInt(td, ts))
	}
	if td == S64 && ts == S32 && c == (conversion{}) {
		return op1(extendS32, td, ts)
	}
	return c.intToInt(td, ts)
}

func extendS32(d, a, _, _ *V32) {
	for i, dd := 0, Wide(d); i < Width; i++ {
		dd[i] = uint64(int64(int32(a[i])))
	}
}

// lift64 adapts a function of 64-bit values to the widths of the two types.
func lift64(td, ts Type, f func(uint64) uint64) (Op, bool) {
	switch {
	case td.Bits() <= 32 && ts.Bits() <= 32:
		return op1(lift1(func(a uint32) uint32 { return uint32(f(uint64(a))) }), td, ts)
	case td.Bits() <= 32:
		return op1(lift1(func(a uint64) uint32 { return uint32(f(a)) }), td, ts)
	case ts.Bits() <= 32:
		return op1(lift1(func(a uint32) uint64 { return f(uint64(a)) }), td, ts)
	}
	return op1(lift1(f), td, ts)
}

// widen gives an operand as a 64-bit integer of its sign.
func widen(t Type, a uint64) uint64 {
	sh := 64 - t.Bits()
	if t.IsSigned() {
		return uint64(int64(a<<sh) >> sh)
	}
	return a << sh >> sh
}

func (c conversion) intToInt(td, ts Type) (Op, bool) {
	if c.rounded || c.integer != "" || c.ftz || c.relu {
		return Op{}, false
	}
	mask := ^uint64(0) >> (64 - td.Bits())
	if !c.sat {
		return lift64(td, ts, func(a uint64) uint64 { return widen(ts, a) & mask })
	}
	return lift64(td, ts, func(a uint64) uint64 { return clampInt(td, ts, widen(ts, a)) & mask })
}

// clampInt saturates v, an integer of type ts, to the range of td.
func clampInt(td, ts Type, v uint64) uint64 {
	n := td.Bits()
	if ts.IsSigned() {
		s := int64(v)
		if td.IsSigned() {
			return uint64(min(max(s, -1<<(n-1)), 1<<(n-1)-1))
		}
		if s < 0 {
			return 0
		}
		v = uint64(s)
	}
	if td.IsSigned() {
		return min(v, 1<<(n-1)-1)
	}
	return min(v, ^uint64(0)>>(64-n))
}

// exactInt gives an integer as a double, exact or rounded to odd.
func exactInt(t Type, a uint64) float64 {
	v := widen(t, a)
	if t.IsSigned() {
		return fp.AddOdd(float64(int64(v)>>32)*0x1p32, float64(uint32(v)))
	}
	return fp.AddOdd(float64(v>>32)*0x1p32, float64(uint32(v)))
}

func (c conversion) intToFloat(td, ts Type) (Op, bool) {
	if !c.rounded || c.integer != "" || c.mode == fp.RNA || c.ftz {
		return Op{}, false
	}
	return lift64(td, ts, func(a uint64) uint64 {
		if td == F64 {
			v := widen(ts, a)
			var x float64
			if ts.IsSigned() {
				x = fp.Add64(float64(int64(v)>>32)*0x1p32, float64(uint32(v)), c.mode)
			} else {
				x = fp.Add64(float64(v>>32)*0x1p32, float64(uint32(v)), c.mode)
			}
			if x == 0 {
				x = 0 // never -0
			}
			return math.Float64bits(x)
		}
		x := exactInt(ts, a)
		if c.sat {
			x = saturate64(x)
		}
		return uint64(formatOf(td).FromFloat64(x, c.mode, false))
	})
}

func formatOf(t Type) fp.Format {
	switch t {
	case F16:
		return fp.F16()
	case BF16:
		return fp.BF16()
	case TF32:
		return fp.TF32()
	}
	return fp.F32()
}

// value gives a float operand as a double, exactly.
func value(t Type, a uint64, ftz bool) float64 {
	switch t {
	case F64:
		return f64(a)
	case F16:
		return float64(fp.F16ToF32(uint16(a)))
	case BF16:
		return float64(fp.BF16ToF32(uint16(a)))
	}
	if ftz {
		a = uint64(flush(uint32(a)))
	}
	return float64(f32(uint32(a)))
}

func roundInt(how string, x float64) float64 {
	switch how {
	case "rni":
		return math.RoundToEven(x)
	case "rzi":
		return math.Trunc(x)
	case "rmi":
		return math.Floor(x)
	case "rpi":
		return math.Ceil(x)
	}
	return x
}

// floatToInt always clamps to the range of the result. NaN becomes zero, or the
// top bit alone where f64 or a 64-bit result is involved (PTX ISA, "cvt").
func (c conversion) floatToInt(td, ts Type) (Op, bool) {
	if c.integer == "" || c.rounded || c.relu {
		return Op{}, false
	}
	n := td.Bits()
	mask := ^uint64(0) >> (64 - n)
	return lift64(td, ts, func(a uint64) uint64 {
		x := roundInt(c.integer, value(ts, a, c.ftz))
		if x != x {
			if ts == F64 || n == 64 {
				return 1 << (n - 1)
			}
			return 0
		}
		if td.IsSigned() {
			limit := math.Ldexp(1, n-1)
			switch {
			case x >= limit:
				return 1<<(n-1) - 1
			case x < -limit:
				return 1 << (n - 1)
			}
			return uint64(int64(x)) & mask
		}
		switch {
		case x <= 0:
			return 0
		case x >= math.Ldexp(1, n):
			return mask
		}
		return uint64(x)
	})
}

func (c conversion) floatToFloat(td, ts Type) (Op, bool) {
	if c.mode == fp.RNA || c.relu && td.Bits() != 16 {
		return Op{}, false
	}
	narrowing := td.Bits() < ts.Bits()
	halves := td.Bits() == 16 && ts.Bits() == 16 && td != ts // f16 and bf16, rounded to nearest if no mode is given
	switch {
	case narrowing && (!c.rounded || c.integer != ""), !narrowing && !halves && c.rounded && td != ts, c.integer != "" && td != ts:
		return Op{}, false
	case td == F32 && ts == F16 && !c.ftz && !c.sat:
		return op1(func(d, a, _, _ *V32) {
			for i := range d {
				d[i] = bits32(fp.F16ToF32(uint16(a[i])))
			}
		}, td, ts)
	case td == F16 && ts == F32 && c == conversion{rounded: true}:
		return op1(func(d, a, _, _ *V32) {
			for i := range d {
				d[i] = uint32(fp.F32ToF16(f32(a[i])))
			}
		}, td, ts)
	}
	return lift64(td, ts, func(a uint64) uint64 {
		x := roundInt(c.integer, value(ts, a, c.ftz))
		if c.sat {
			x = saturate64(x)
		}
		if c.relu && x < 0 {
			x = 0
		}
		if td == F64 {
			return bits64(x)
		}
		b := formatOf(td).FromFloat64(x, c.mode, c.satfinite)
		if c.ftz && td == F32 {
			b = flush(b)
		}
		return uint64(b)
	})
}

func (c conversion) toTF32() (Op, bool) {
	if !c.rounded || c.mode == fp.RM || c.mode == fp.RP || c.integer != "" || c.sat || c.ftz {
		return Op{}, false
	}
	return float(op1(lift1(func(a uint32) uint32 {
		x := float64(f32(a))
		if c.relu && x < 0 {
			x = 0
		}
		return fp.TF32().FromFloat64(x, c.mode, c.satfinite) << 13
	}), B32, F32))
}

// packFormat describes the packed types: the format of an element and the bits it takes in the register.
func packFormat(t Type) (f fp.Format, bits int, ok bool) {
	switch t {
	case F16x2:
		return fp.F16(), 16, true
	case BF16x2:
		return fp.BF16(), 16, true
	case E4M3x2:
		return fp.E4M3(), 8, true
	case E5M2x2:
		return fp.E5M2(), 8, true
	case E2M3x2:
		return fp.E2M3(), 8, true
	case E3M2x2:
		return fp.E3M2(), 8, true
	case E2M1x2:
		return fp.E2M1(), 4, true
	}
	return fp.Format{}, 0, false
}

// packed converts to and from pairs: from two f32, the first to the upper half, or from pair to pair.
func (c conversion) packed(td, ts Type) (Op, bool) {
	if c.integer != "" || c.sat || c.ftz || c.mode == fp.RM || c.mode == fp.RNA {
		return Op{}, false
	}
	if td == UE8M0x2 || ts == UE8M0x2 {
		return c.packedScale(td, ts)
	}
	if c.mode == fp.RP {
		return Op{}, false
	}
	df, dn, ok := packFormat(td)
	if !ok || !c.rounded {
		return Op{}, false
	}
	small := dn < 16
	if small && (!c.satfinite || c.mode != fp.RN) {
		return Op{}, false
	}
	convert := func(x float64) uint32 {
		if c.relu && x < 0 {
			x = 0
		}
		return df.FromFloat64(x, c.mode, c.satfinite)
	}
	if ts == F32 {
		if td == F16x2 && c == (conversion{rounded: true}) {
			return float(op2(packF16, td, F32, F32))
		}
		return float(op2(lift2(func(a, b uint32) uint32 {
			return convert(float64(f32(a)))<<dn | convert(float64(f32(b)))
		}), td, F32, F32))
	}
	sf, sn, ok := packFormat(ts)
	if !ok || small == (sn < 16) {
		return Op{}, false
	}
	mask := uint32(1)<<sn - 1
	return float(op1(lift1(func(a uint32) uint32 {
		return convert(sf.ToFloat64(a>>sn&mask&(1<<sf.Bits()-1)))<<dn | convert(sf.ToFloat64(a&mask&(1<<sf.Bits()-1)))
	}), td, ts))
}

func packF16(d, a, b, _ *V32) {
	for i := range d {
		d[i] = uint32(fp.F32ToF16(f32(a[i])))<<16 | uint32(fp.F32ToF16(f32(b[i])))
	}
}

func (c conversion) packedScale(td, ts Type) (Op, bool) {
	switch {
	case td == UE8M0x2 && ts == F32 && c.rounded && c.mode != fp.RN:
		return float(op2(lift2(func(a, b uint32) uint32 {
			return uint32(fp.F32ToUE8M0(f32(a), c.mode, c.satfinite))<<8 | uint32(fp.F32ToUE8M0(f32(b), c.mode, c.satfinite))
		}), td, F32, F32))
	case td == UE8M0x2 && ts == BF16x2 && c.rounded && c.mode != fp.RN:
		return float(op1(lift1(func(a uint32) uint32 {
			return uint32(fp.F32ToUE8M0(f32(a&0xffff0000), c.mode, c.satfinite))<<8 | uint32(fp.F32ToUE8M0(f32(a<<16), c.mode, c.satfinite))
		}), td, ts))
	case td == BF16x2 && ts == UE8M0x2 && c.rounded && c.mode == fp.RN:
		return float(op1(lift1(func(a uint32) uint32 {
			f := fp.BF16()
			return f.FromFloat64(fp.UE8M0ToF64(uint8(a>>8)), fp.RN, false)<<16 | f.FromFloat64(fp.UE8M0ToF64(uint8(a)), fp.RN, false)
		}), td, ts))
	}
	return Op{}, false
}

// cvtPack is cvt.pack.sat: two saturated integers put below the low bits of c.
func cvtPack(m *mods) (Op, bool) {
	if !m.flag("sat") {
		return Op{}, false
	}
	sub := m.pick("u4", "s4", "u2", "s2")
	var bits int
	var signed bool
	if sub != "" {
		bits, signed = int(sub[1]-'0'), sub[0] == 's'
	} else {
		t := m.typ()
		if t.Bits() > 16 || t.Bits() < 8 || !t.IsInt() {
			return Op{}, false
		}
		bits, signed = t.Bits(), t.IsSigned()
	}
	if m.typ() != S32 {
		return Op{}, false
	}
	clamp := func(x uint32) uint32 {
		lo, hi := int32(0), int32(1)<<bits-1
		if signed {
			lo, hi = -1<<(bits-1), 1<<(bits-1)-1
		}
		return uint32(min(max(int32(x), lo), hi)) & (1<<bits - 1)
	}
	if bits == 16 {
		return op2(lift2(func(a, b uint32) uint32 { return clamp(a)<<16 | clamp(b) }), B32, S32, S32)
	}
	if m.typ() != B32 {
		return Op{}, false
	}
	return op3(lift3(func(a, b, c uint32) uint32 { return c<<(2*bits) | clamp(a)<<bits | clamp(b) }), B32, S32, S32, B32)
}
