package lanes

import (
	"tilec/runtime/ptx/fp"
)

// half is one of the 16-bit formats.
type half struct {
	bf16 bool
	fmt  fp.Format
}

func halfOf(t Type) half {
	if t == BF16 || t == BF16x2 {
		return half{true, fp.BF16()}
	}
	return half{false, fp.F16()}
}

func (h half) value(b uint16) float32 {
	if h.bf16 {
		return fp.BF16ToF32(b)
	}
	return fp.F16ToF32(b)
}

// round rounds a double that is exact or rounded to odd.
func (h half) round(x float64) uint16 { return uint16(h.fmt.FromFloat64(x, fp.RN, false)) }

// flush gives a subnormal's zero; bf16 has the exponent of f32 and is not flushed.
func (h half) flush(b uint16) uint16 {
	if b&0x7c00 == 0 && !h.bf16 {
		return b & 0x8000
	}
	return b
}

func flushHalves(a uint32) uint32 {
	h := half{}
	return uint32(h.flush(uint16(a))) | uint32(h.flush(uint16(a>>16)))<<16
}

func packs(t Type) bool { return t.Bits() == 32 }

// halfShape applies what surrounds a 16-bit operation.
func (h half) in(s shape, b uint16) float64 {
	if s.ftz {
		b = h.flush(b)
	}
	return float64(h.value(b))
}

func (h half) out(s shape, x float64) uint16 {
	if s.sat {
		x = saturate64(x)
	}
	b := h.round(x)
	if s.ftz {
		b = h.flush(b)
	}
	return b
}

// both lifts a function of 16-bit values to a register of one or two of them.
func both1(t Type, f func(uint16) uint16) u1x32 {
	if packs(t) {
		return func(a uint32) uint32 { return uint32(f(uint16(a))) | uint32(f(uint16(a>>16)))<<16 }
	}
	return func(a uint32) uint32 { return uint32(f(uint16(a))) }
}

func both2(t Type, f func(a, b uint16) uint16) u2x32 {
	if packs(t) {
		return packed16(f)
	}
	return func(a, b uint32) uint32 { return uint32(f(uint16(a), uint16(b))) }
}

func both3(t Type, f func(a, b, c uint16) uint16) func(a, b, c uint32) uint32 {
	if packs(t) {
		return func(a, b, c uint32) uint32 {
			return uint32(f(uint16(a), uint16(b), uint16(c))) | uint32(f(uint16(a>>16), uint16(b>>16), uint16(c>>16)))<<16
		}
	}
	return func(a, b, c uint32) uint32 { return uint32(f(uint16(a), uint16(b), uint16(c))) }
}

// half1 builds an operation from a function whose double result is exact, odd-rounded or approximate.
func half1(t Type, s shape, f func(float64) float64) (Op, bool) {
	h := halfOf(t)
	return op1(lift1(both1(t, func(a uint16) uint16 { return h.out(s, f(h.in(s, a))) })), t, t)
}

func half2(t Type, s shape, f func(a, b float64) float64) (Op, bool) {
	h := halfOf(t)
	return op2(lift2(both2(t, func(a, b uint16) uint16 { return h.out(s, f(h.in(s, a), h.in(s, b))) })), t, t, t)
}

func halfAdd(t Type, s shape, sign float32) (Op, bool) {
	if t == F16 || t == F16x2 {
		if s == (shape{}) {
			// f32 has over twice the bits of f16 and two more: rounding twice is rounding once.
			return op2(lift2(both2(t, func(a, b uint16) uint16 {
				return fp.F32ToF16(fp.F16ToF32(a) + sign*fp.F16ToF32(b))
			})), t, t, t)
		}
	}
	return half2(t, s, func(a, b float64) float64 { return fp.AddOdd(a, float64(sign)*b) })
}

func halfMul(t Type, s shape) (Op, bool) {
	if (t == F16 || t == F16x2) && s == (shape{}) {
		return op2(lift2(both2(t, func(a, b uint16) uint16 {
			return fp.F32ToF16(fp.F16ToF32(a) * fp.F16ToF32(b))
		})), t, t, t)
	}
	return half2(t, s, func(a, b float64) float64 { return a * b }) // exact
}

func halfFMA(t Type, s shape, relu bool) (Op, bool) {
	h := halfOf(t)
	return op3(lift3(both3(t, func(a, b, c uint16) uint16 {
		x := fp.AddOdd(h.in(s, a)*h.in(s, b), h.in(s, c))
		if relu && x < 0 {
			x = 0
		}
		return h.out(s, x)
	})), t, t, t, t)
}
