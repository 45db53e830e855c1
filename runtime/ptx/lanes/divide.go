package lanes

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
